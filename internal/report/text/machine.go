package text

import (
	"memaudit.example/memaudit/internal/model/fact"
	"memaudit.example/memaudit/internal/model/inventory"
	"memaudit.example/memaudit/internal/model/nullable"
	"memaudit.example/memaudit/internal/report"
	"memaudit.example/memaudit/internal/report/wording"
)

// machine prints the lines that identify the machine. beside is printed after the platform.
func (p *printer) machine(inv *report.Inventory, beside ...string) {
	m := &inv.Machine
	pieces := []string{wording.Machine(m)}
	pieces = append(pieces, wording.Processors(inv.Sockets)...)
	pieces = append(pieces, wording.Capacities(inv)...)
	if s := wording.BIOS(&m.BIOS); s != "" {
		pieces = append(pieces, s)
	}
	p.units(p.label(0, "memaudit"), pieces)
	if m.Host.Known() {
		p.units(p.label(0, "host"), []string{m.Host.Value})
	}
	p.units(p.label(0, "platform"), append(platformLines(m), beside...))
}

func platformLines(m *inventory.Machine) []string {
	var out []string
	for _, s := range []nullable.String{m.Platform.ID, m.Platform.Name} {
		if s != "" {
			out = append(out, string(s))
		}
	}
	if len(out) == 0 {
		out = append(out, "not recognised")
	}
	if m.Platform.Certainty == fact.Indirect {
		out = append(out, "by one source only")
	}
	if m.Virtual.Or(false) {
		out = append(out, "virtual machine"+inBrackets(m.Hypervisor.Text()))
	}
	return out
}

func inBrackets(s string) string {
	if s == "" {
		return ""
	}
	return " (" + s + ")"
}
