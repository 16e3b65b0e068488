package fleet

import (
	"encoding/csv"
	"io"
	"strconv"

	"memaudit.example/memaudit/internal/report/printable"
)

// Formats lists the values of --format.
func Formats() []string { return []string{"text", "html", "csv", "json"} }

// Options are the options of the text format.
type Options struct {
	// Width is in columns; 0 is 80.
	Width int
	// Section is one of Sections, "" for the overview.
	Section string
}

// Write prints the document in one of Formats.
func (d *Document) Write(w io.Writer, format string, o Options) error {
	switch format {
	case "html":
		return d.page(w)
	case "csv":
		out := csv.NewWriter(w)
		_ = out.Write(columns)
		for _, cells := range d.rows() {
			for i := range cells {
				cells[i] = printable.CSVCell(cells[i])
			}
			_ = out.Write(cells)
		}
		out.Flush()
		return out.Error()
	case "json":
		text, err := printable.EncodeJSON(d)
		if err != nil {
			return err
		}
		_, err = w.Write(text)
		return err
	default:
		return d.text(w, o)
	}
}

var columns = []string{"name", "product", "platform", "cpu", "bios", "memory_bytes", "population", "worst_severity", "failures", "relative_bandwidth",
	"measured_read_bytes_per_second", "measured_share_of_median", "verdict", "sentence", "relative_bandwidth_high"}

func (d *Document) rows() [][]string {
	measured := map[string]*Measured{}
	for i := range d.Measured {
		measured[d.Measured[i].Machine] = &d.Measured[i]
	}
	var out [][]string
	for i := range d.Machines {
		m := &d.Machines[i]
		row := append(append(machineRow(m), measured[m.Name].cells()...), m.verdictCells()...)
		out = append(out, append(row, share(m.RelativeBandwidthHigh)))
	}
	return out
}

func share(v *float64) string {
	if v == nil {
		return ""
	}
	return strconv.FormatFloat(*v, 'f', 2, 64)
}

func (m *Machine) verdictCells() []string {
	if m.Verdict == nil {
		return []string{"", ""}
	}
	return []string{m.Verdict.Status.Word(), printable.Clean(m.Verdict.Sentence)}
}

func machineRow(m *Machine) []string {
	bytes := ""
	if m.MemoryBytes != nil {
		bytes = strconv.FormatInt(*m.MemoryBytes, 10)
	}
	cells := []string{m.Name, string(m.Product), string(m.Platform), string(m.CPU), string(m.BIOS), bytes,
		string(m.Population), string(m.Worst), strconv.Itoa(m.Failures), share(m.RelativeBandwidth)}
	for i := range cells {
		cells[i] = printable.Clean(cells[i])
	}
	return cells
}
