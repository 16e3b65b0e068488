package text

import (
	"slices"
	"strconv"
	"strings"

	"github.com/memaudit/memaudit/internal/model/fact"
	"github.com/memaudit/memaudit/internal/model/inventory"
	"github.com/memaudit/memaudit/internal/model/prose"
	"github.com/memaudit/memaudit/internal/report"
)

// slotMap prints the slots of all processors with the channels side by side.
func (p *printer) slotMap(inv *report.Inventory, findings []report.Finding) {
	if len(inv.Slots) == 0 {
		p.noSlots(inv)
		return
	}
	d := &drawing{inv: inv, findings: findings, room: p.width - mapIndent, failed: failedSlots(findings)}
	for _, key := range d.sockets() {
		d.failed = append(d.failed, d.starved(key)...)
	}
	blocks := d.blocks()
	if len(blocks) > 0 {
		if p.tight == tightest {
			d.withoutUnused(blocks)
		}
		p.wrap(0, d.legend())
		p.newline()
		p.blocks(blocks)
		if classes := d.classes(); classes != "" {
			lines := linesClasses
			if p.tight == tightest && d.classCost() == "" {
				lines = 1
			}
			p.shortened(lines, lines*(p.width-2), classes, func(s string) { p.wrap(2, "  "+s); p.newline() })
		}
		p.newline()
	}
	p.unplaced(inv)
}

// blocks prints blocks side by side as far as they fit.
func (p *printer) blocks(blocks []slotPicture) {
	for len(blocks) > 0 {
		n, widths := p.fit(blocks)
		p.row(blocks[:n], widths)
		if blocks = blocks[n:]; len(blocks) > 0 && p.tight < tightest {
			p.newline()
		}
	}
}

// fit returns how many blocks the next row has, and their widths, which are all the widest's. Rows
// are kept even: four blocks are printed as two and two, not as three and one.
func (p *printer) fit(blocks []slotPicture) (int, []int) {
	n := perRow(blocks, p.width-mapIndent)
	rows := (len(blocks) + n - 1) / n
	n = (len(blocks) + rows - 1) / rows
	return min(n, len(blocks)), slices.Repeat([]int{widestOf(blocks)}, len(blocks))
}

func (p *printer) row(blocks []slotPicture, widths []int) {
	height := 0
	for i := range blocks {
		height = max(height, len(blocks[i].lines))
	}
	for y := -1; y < height; y++ {
		at := mapIndent
		for i := range blocks {
			line := ""
			switch {
			case y < 0:
				line = blocks[i].title()
			case y < len(blocks[i].lines):
				line = blocks[i].lines[y]
			}
			if line != "" {
				p.to(at)
				p.put(line)
			}
			at += widths[i] + mapGap
		}
		p.newline()
	}
}

// noSlots prints why there is no picture, and of a guest whose the DIMMs are.
func (p *printer) noSlots(inv *report.Inventory) {
	why := "the SMBIOS table lists no memory device"
	for i := range inv.Sources {
		s := &inv.Sources[i]
		if s.Name == inventory.SourceSMBIOS && s.State != string(fact.SourceOK) {
			why = "the source smbios is " + s.State
			if s.Detail != nil {
				why += " (" + *s.Detail + ")"
			}
		}
	}
	if len(inv.Sources) == 0 {
		why = "nothing was read"
	}
	p.section("SLOTS", "none known: "+why)
	if m := inv.Machine.Virtual; m != nil && *m {
		p.field(0, "", "a virtual machine's memory is what the hypervisor grants; its DIMMs are the host's")
	}
	p.newline()
}

// unplaced prints the slots without a channel, which are in no block, with the reasons.
func (p *printer) unplaced(inv *report.Inventory) {
	byKind := map[string][]string{}
	var kinds, reasons []string
	for i := range inv.Slots {
		s := &inv.Slots[i]
		if s.Channel != nil {
			continue
		}
		kind := unplacedKind(s)
		if _, seen := byKind[kind]; !seen {
			kinds = append(kinds, kind)
		}
		byKind[kind] = append(byKind[kind], unplacedCell(s, kind))
		if r := report.OrEmpty(s.Mapping.Reason); r != "" && kind != kindOther && !slices.Contains(reasons, r) {
			reasons = append(reasons, r)
		}
	}
	if len(kinds) == 0 {
		return
	}
	p.wrap(0, "slots without a known channel, in the table's order, in GiB: . empty, ? unknown")
	p.newline()
	for _, kind := range kinds {
		p.to(mapIndent)
		p.put(kind)
		at := p.col + 2
		for part := range slices.Chunk(byKind[kind], p.perLine(byKind[kind])) {
			p.to(at)
			p.wrap(at, strings.TrimSuffix(strings.Join(part, " "), ","))
			p.newline()
		}
	}
	p.brief(mapIndent, "reason", strings.Join(reasons, "; "), linesReason)
	p.newline()
}

// perLine returns how many cells a line has: all if they fit or are at most countedSlots, else
// countedSlots.
func (p *printer) perLine(cells []string) int {
	if len(strings.Join(cells, " ")) <= p.width-p.col-2 || len(cells) <= countedSlots {
		return len(cells)
	}
	return countedSlots
}

// countedSlots is the largest number of slots that can be counted at a glance, and one in which
// boards count.
const countedSlots = 16

// unplacedCell returns the size of a slot, with unit and kind if it is not system memory: a ROM has
// less than a GiB.
func unplacedCell(s *report.Slot, kind string) string {
	if kind != kindOther || s.SizeBytes == nil {
		return cellSize(s)
	}
	return strings.TrimSpace(report.OrEmpty(s.Type)+" "+prose.Size(*s.SizeBytes)) + ","
}

const kindOther = "not system memory"

func unplacedKind(s *report.Slot) string {
	switch technology := report.OrEmpty(s.Technology); technology {
	case string(inventory.Flash), string(inventory.Other):
		return kindOther
	case string(inventory.NVDIMM), string(inventory.CXL), string(inventory.HBM):
		return technology
	}
	if s.Socket != nil {
		return "socket " + strconv.Itoa(*s.Socket)
	}
	return "no socket known"
}
