package fleet

import (
	"slices"
	"strconv"
)

// queried returns a panel with instant queries.
func queried(kind, title, about string, exprs ...string) *Panel {
	p := &Panel{Type: kind, Title: title, Description: about, Datasource: chosen(), FieldConfig: fieldConfig{Defaults: map[string]any{}}}
	for i, expr := range exprs {
		p.Targets = append(p.Targets, Target{RefID: string(rune('A' + i)), Expr: expr, Datasource: chosen(), Instant: true, Format: "table"})
	}
	return p
}

// stat adds a panel with one number. limits are the values at which its colour changes.
func (d *Dashboard) stat(title, about, unit, expr string, limits ...colourStep) {
	p := queried("stat", title, about, expr)
	p.Targets[0].Format = "time_series"
	p.FieldConfig.Defaults = map[string]any{"unit": unit, "thresholds": thresholds(limits), "color": map[string]any{"mode": "thresholds"}}
	p.Options = map[string]any{
		"colorMode": "value", "graphMode": "none", "textMode": "auto",
		"reduceOptions": map[string]any{"calcs": []string{"lastNotNull"}, "fields": "", "values": false},
	}
	d.place(p, 4, 4)
}

// colourStep is the lowest value of a colour.
type colourStep struct {
	from   float64
	colour string
}

// Limits of numbers that should be 0.
var (
	redFromOne = []colourStep{{1, "red"}}
	doubtful   = []colourStep{{1, "orange"}}
)

func thresholds(limits []colourStep) map[string]any {
	steps := []map[string]any{{"color": "green", "value": nil}}
	if len(limits) == 0 {
		steps[0]["color"] = "text"
	}
	for _, l := range limits {
		steps = append(steps, map[string]any{"color": l.colour, "value": l.from})
	}
	return map[string]any{"mode": "absolute", "steps": steps}
}

// table adds a table of the labels of one query, in the given order; value is the heading of its value, "" to hide it.
func (d *Dashboard) table(width int, title, about, unit, value, expr string, labels ...string) *Panel {
	p := queried("table", title, about, expr)
	columns(p, value, labels)
	if unit != "" {
		p.FieldConfig.Defaults["unit"] = unit
	}
	return d.place(p, width, 8)
}

// columns shows the labels named, and the values when they have a heading.
func columns(p *Panel, value string, labels []string) {
	order, hide, rename := map[string]int{}, map[string]bool{"Time": true, "__name__": true}, map[string]string{}
	for i, l := range labels {
		order[l] = i
	}
	if value == "" {
		hide["Value"] = true
	} else {
		rename["Value"] = value
		order["Value"] = len(labels)
	}
	include := map[string]any{"names": append(append([]string{}, labels...), "Value")}
	p.Transforms = append(p.Transforms,
		transform{"filterFieldsByName", map[string]any{"include": include}},
		transform{"organize", map[string]any{"excludeByName": hide, "indexByName": order, "renameByName": rename}})
	p.Options = map[string]any{"showHeader": true, "cellHeight": "sm"}
	if slices.Contains(labels, "instance") {
		p.FieldConfig.Overrides = append(p.FieldConfig.Overrides, toMachine())
	}
}

// toMachine links a machine's name to its page and to its report, which the daemon serves with its metrics; a textfile has
// no report.
func toMachine() map[string]any {
	link := func(title, url string) map[string]any {
		return map[string]any{"title": title, "url": url, "targetBlank": true}
	}
	return map[string]any{
		"matcher": map[string]any{"id": "byName", "options": "instance"},
		"properties": []map[string]any{{"id": "links", "value": []map[string]any{
			link("The machine's page", "/d/memaudit-machine?var-datasource=${datasource}&var-instance=${__value.text:percentencode}"),
			link("The daemon's report", "http://${__value.text}/report"),
		}}},
	}
}

// joined adds a table of several queries joined by a label; each has a heading
// and a unit for its value.
func (d *Dashboard) joined(title, about string, labels []string, values [][3]string) {
	p := queried("table", title, about)
	order, rename, names := map[string]int{}, map[string]string{}, append([]string{}, labels...)
	for i, l := range labels {
		order[l] = i
	}
	p.FieldConfig.Defaults = map[string]any{}
	var units []map[string]any
	for i, v := range values {
		ref := string(rune('A' + i))
		p.Targets = append(p.Targets, Target{RefID: ref, Expr: v[2], Datasource: chosen(), Instant: true, Format: "table"})
		field := "Value #" + ref
		names = append(names, field)
		order[field], rename[field] = len(labels)+i, v[0]
		units = append(units, map[string]any{
			"matcher":    map[string]any{"id": "byName", "options": v[0]},
			"properties": []map[string]any{{"id": "unit", "value": v[1]}},
		})
	}
	// First the fields, then merge: rows are one when all their fields agree,
	// and the metrics' names do not.
	p.Transforms = []transform{
		{"filterFieldsByName", map[string]any{"include": map[string]any{"names": names}}},
		{"merge", map[string]any{}},
		{"organize", map[string]any{"excludeByName": map[string]bool{}, "indexByName": order, "renameByName": rename}},
	}
	p.Options = map[string]any{"showHeader": true, "cellHeight": "sm"}
	d.place(p, 24, 10)
	p.FieldConfig.Overrides = units
}

// series adds a curve over time.
func (d *Dashboard) series(width int, title, about, unit, legend, expr string) {
	p := queried("timeseries", title, about, expr)
	t := &p.Targets[0]
	t.Instant, t.Range, t.Format, t.LegendFormat = false, true, "time_series", legend
	p.FieldConfig.Defaults = map[string]any{"unit": unit, "min": 0, "custom": map[string]any{"lineWidth": 1, "fillOpacity": 10}}
	p.Options = map[string]any{"legend": map[string]any{"displayMode": "list", "placement": "bottom", "showLegend": true}, "tooltip": map[string]any{"mode": "multi"}}
	d.place(p, width, 8)
}

// formatLimit writes a limit into a query.
func formatLimit(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }
