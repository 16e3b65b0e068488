package text

import (
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
	p.units(p.label(0, "platform"), append(wording.Platform(m), beside...))
}
