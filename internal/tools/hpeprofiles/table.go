package hpeprofiles

import (
	"bufio"
	"fmt"
	"os"
	"strings"
)

// Workloads are the profiles of every registry, in the order of HPE's menu.
var Workloads = [...]string{"GeneralPowerEfficientCompute", "GeneralPeakFrequencyCompute", "GeneralThroughputCompute",
	"Virtualization-PowerEfficient", "Virtualization-MaxPerformance", "LowLatency", "MissionCritical",
	"TransactionalApplicationProcessing", "HighPerformanceCompute(HPC)", "DecisionSupport", "GraphicProcessing", "I/OThroughput"}

// Table holds the values that the workload profiles of one registry write, as HPE spells them.
type Table struct {
	// Registry is its id, Product the system it is of, ROM that system's
	// firmware with its date.
	Registry, Product, ROM string
	Rows                   []Row
}

// Row is one attribute. A cell that is empty: the profile leaves it alone.
type Row struct {
	Attribute, Default string
	Cells              []string
}

// untouched marks an empty cell.
const untouched = "."

// Text returns the table as committed: three lines about its origin, a header, and a line for each attribute, separated by
// tabs.
func (t *Table) Text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "# registry\t%s\n# product\t%s\n# rom\t%s\n", t.Registry, t.Product, t.ROM)
	fmt.Fprintf(&b, "attribute\tdefault\t%s\n", strings.Join(Workloads[:], "\t"))
	for _, r := range t.Rows {
		fmt.Fprintf(&b, "%s\t%s", r.Attribute, r.Default)
		for _, c := range r.Cells {
			if c == "" {
				c = untouched
			}
			b.WriteString("\t" + c)
		}
		b.WriteString("\n")
	}
	return b.String()
}

// ReadTable reads a committed table.
func ReadTable(file string) (*Table, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	t := &Table{}
	s := bufio.NewScanner(f)
	for n := 1; s.Scan(); n++ {
		if err := t.line(strings.Split(s.Text(), "\t")); err != nil {
			return nil, fmt.Errorf("%s:%d: %w", file, n, err)
		}
	}
	return t, s.Err()
}

func (t *Table) line(cells []string) error {
	origin := map[string]*string{"# registry": &t.Registry, "# product": &t.Product, "# rom": &t.ROM}
	switch field, ok := origin[cells[0]]; {
	case ok && len(cells) == 2:
		*field = cells[1]
		return nil
	case len(cells) != 2+len(Workloads):
		return fmt.Errorf("%d cells, expected %d", len(cells), 2+len(Workloads))
	case cells[0] == "attribute":
		return nil
	}
	row := Row{Attribute: cells[0], Default: cells[1]}
	for _, c := range cells[2:] {
		if c == untouched {
			c = ""
		}
		row.Cells = append(row.Cells, c)
	}
	t.Rows = append(t.Rows, row)
	return nil
}
