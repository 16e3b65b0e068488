package reference

import (
	"strings"

	"github.com/memaudit/memaudit/internal/place"
	"github.com/memaudit/memaudit/internal/report/page"
)

// placers is what places the slots of platforms, as seen on real machines: a
// table of platform, source, id and number of machines, tab-separated.
type placers struct {
	rows [][]string
	maps map[string]place.MapInfo
}

func readPlacers(seen []byte, maps map[string]place.MapInfo) placers {
	out := placers{maps: maps}
	for line := range strings.Lines(string(seen)) {
		cols := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		if len(cols) == 4 && !strings.HasPrefix(line, "#") {
			out.rows = append(out.rows, cols)
		}
	}
	return out
}

// of lists what places the slots of one platform.
func (p *placers) of(id string) []page.Block {
	t := &page.Table{Heads: []string{"by", "id", "for", "checked by", "machines seen"}}
	for _, row := range p.rows {
		if row[0] != id {
			continue
		}
		cells := []page.Cell{{Text: strings.ReplaceAll(row[1], "_", " ")}, {Text: row[2]}, {}, {}, {Text: row[3]}}
		if m, ok := p.maps[row[2]]; ok {
			cells[1].Link = "../" + m.File
			cells[2].Text, cells[3].Text = strings.Join(m.Models, ", "), checks(m.Check)
		} else if row[1] == "locator" || row[1] == "bank_locator" || row[1] == "slot_map" {
			cells[1].Link = "../slots/locators.yaml"
		}
		t.Rows = append(t.Rows, cells)
	}
	head := page.Block{Head: &page.Head{Level: 2, Kind: "slots", Name: "Slot maps and labels"}}
	if len(t.Rows) == 0 {
		return []page.Block{head, {Text: "No machine of this platform was among those whose slots were placed; a label that names its channel is read all the same."}}
	}
	return []page.Block{head, {Text: "What placed the slots of this platform on the machines that were read:"}, {Table: t}}
}

// checks says in words how a map was checked.
func checks(words []string) string {
	var out []string
	for _, w := range words {
		switch w {
		case "doc":
			out = append(out, "vendor's document")
		case "field":
			out = append(out, "machines' dumps")
		case "label":
			out = append(out, "label file")
		case "infer":
			out = append(out, "analogy only, never above info")
		default:
			out = append(out, w)
		}
	}
	return strings.Join(out, ", ")
}
