package fleet

import (
	"bytes"
	"encoding/json"
	"strings"
)

// Grafana's dashboard model, as far as it is used here. No data source is fixed:
// the variable datasource names it.
type (
	// Dashboard is one page.
	Dashboard struct {
		Title         string          `json:"title"`
		UID           string          `json:"uid"`
		Description   string          `json:"description"`
		Tags          []string        `json:"tags"`
		Editable      bool            `json:"editable"`
		GraphTooltip  int             `json:"graphTooltip"`
		SchemaVersion int             `json:"schemaVersion"`
		Refresh       string          `json:"refresh"`
		Time          timeRange       `json:"time"`
		Templating    templating      `json:"templating"`
		Links         []dashboardLink `json:"links"`
		Panels        []*Panel        `json:"panels"`
	}
	// Panel is one picture with its queries.
	Panel struct {
		ID          int            `json:"id"`
		Type        string         `json:"type"`
		Title       string         `json:"title"`
		Description string         `json:"description,omitempty"`
		Datasource  *source        `json:"datasource,omitempty"`
		GridPos     position       `json:"gridPos"`
		Targets     []Target       `json:"targets,omitempty"`
		FieldConfig fieldConfig    `json:"fieldConfig"`
		Options     map[string]any `json:"options,omitempty"`
		Transforms  []transform    `json:"transformations,omitempty"`
		Collapsed   *bool          `json:"collapsed,omitempty"`
	}
	// Target is one query.
	Target struct {
		RefID        string  `json:"refId"`
		Expr         string  `json:"expr"`
		Datasource   *source `json:"datasource"`
		LegendFormat string  `json:"legendFormat,omitempty"`
		Instant      bool    `json:"instant"`
		Range        bool    `json:"range"`
		Format       string  `json:"format"`
	}
	source struct {
		Type string `json:"type"`
		UID  string `json:"uid"`
	}
	position struct {
		H int `json:"h"`
		W int `json:"w"`
		X int `json:"x"`
		Y int `json:"y"`
	}
	timeRange struct {
		From string `json:"from"`
		To   string `json:"to"`
	}
	templating struct {
		List []Variable `json:"list"`
	}
	// Variable is one choice at the head of a page.
	Variable struct {
		Name       string         `json:"name"`
		Label      string         `json:"label"`
		Type       string         `json:"type"`
		Query      any            `json:"query"`
		Definition string         `json:"definition,omitempty"`
		Datasource *source        `json:"datasource,omitempty"`
		Refresh    int            `json:"refresh"`
		Sort       int            `json:"sort"`
		Multi      bool           `json:"multi"`
		IncludeAll bool           `json:"includeAll"`
		AllValue   string         `json:"allValue,omitempty"`
		Current    map[string]any `json:"current"`
	}
	dashboardLink struct {
		Title       string   `json:"title"`
		Type        string   `json:"type"`
		Tags        []string `json:"tags"`
		IncludeVars bool     `json:"includeVars"`
		KeepTime    bool     `json:"keepTime"`
	}
	transform struct {
		ID      string         `json:"id"`
		Options map[string]any `json:"options"`
	}
	fieldConfig struct {
		Defaults  map[string]any   `json:"defaults"`
		Overrides []map[string]any `json:"overrides"`
	}
)

// chosen returns the data source that the user selected.
func chosen() *source { return &source{Type: "prometheus", UID: "${datasource}"} }

// JSON prints the page as it is committed.
func (d *Dashboard) JSON() ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(d); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

// newDashboard begins a page; all pages link to each other by their tag.
func newDashboard(uid, title, about string) *Dashboard {
	return &Dashboard{
		UID: uid, Title: title, Description: about, Tags: []string{"memaudit"}, Editable: true, SchemaVersion: 39, Refresh: "1m",
		GraphTooltip: 1, Time: timeRange{"now-24h", "now"},
		Links:      []dashboardLink{{Title: "memaudit", Type: "dashboards", Tags: []string{"memaudit"}, IncludeVars: true, KeepTime: true}},
		Templating: templating{[]Variable{{Name: "datasource", Label: "Prometheus", Type: "datasource", Query: "prometheus", Current: map[string]any{}}}},
	}
}

// choice adds a variable with the values of a metric's label.
func (d *Dashboard) choice(name, label, metric string, several bool) {
	query := "label_values(" + metric + ", " + name + ")"
	v := Variable{
		Name: name, Label: label, Type: "query", Query: map[string]any{"query": query, "refId": name}, Definition: query, Datasource: chosen(),
		Refresh: 2, Sort: 1, Multi: several, IncludeAll: several, Current: map[string]any{},
	}
	if several {
		v.AllValue = ".*" // also what has no such label
		v.Current = map[string]any{"selected": true, "text": []string{"All"}, "value": []string{"$__all"}}
	}
	d.Templating.List = append(d.Templating.List, v)
}

// row begins a line of panels with a heading.
func (d *Dashboard) row(title string) {
	open := false
	d.place(&Panel{Type: "row", Title: title, Collapsed: &open}, 24, 1)
}

// place puts a panel to the right of the last one, or below if there is no space. All panels of a line have the same height.
func (d *Dashboard) place(p *Panel, width, height int) *Panel {
	p.ID = len(d.Panels) + 1
	p.GridPos = position{H: height, W: width}
	if p.FieldConfig.Defaults == nil {
		p.FieldConfig.Defaults = map[string]any{}
	}
	if p.FieldConfig.Overrides == nil {
		p.FieldConfig.Overrides = []map[string]any{}
	}
	if n := len(d.Panels); n > 0 {
		last := d.Panels[n-1].GridPos
		p.GridPos.X, p.GridPos.Y = last.X+last.W, last.Y
		if p.GridPos.X+width > 24 {
			p.GridPos.X, p.GridPos.Y = 0, last.Y+last.H
		}
	}
	d.Panels = append(d.Panels, p)
	return p
}

// Dashboards returns all dashboards by the name of their file.
func Dashboards() map[string]*Dashboard {
	return map[string]*Dashboard{"memaudit-fleet.json": Overview(), "memaudit-machine.json": Machine()}
}

// PrometheusRule returns the object for the Prometheus operator with the groups of several rule files, including comments.
func PrometheusRule(files ...string) string {
	var b strings.Builder
	b.WriteString("# Made by make docs from deploy/prometheus.\napiVersion: monitoring.coreos.com/v1\nkind: PrometheusRule\nmetadata:\n" +
		"  name: memaudit\n  namespace: memaudit\n  labels: {app.kubernetes.io/name: memaudit}\nspec:\n  groups:\n")
	for _, text := range files {
		_, groups, _ := strings.Cut(text, "\ngroups:\n")
		for line := range strings.Lines(groups) {
			if strings.TrimSpace(line) != "" {
				b.WriteString("  ")
			}
			b.WriteString(line)
		}
	}
	return b.String()
}
