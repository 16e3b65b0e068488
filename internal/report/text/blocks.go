package text

import (
	"slices"
	"strconv"
	"strings"

	"github.com/memaudit/memaudit/internal/audit/verdict"
	"github.com/memaudit/memaudit/internal/model/inventory"
	"github.com/memaudit/memaudit/internal/report"
	"github.com/memaudit/memaudit/internal/report/printable"
	"github.com/memaudit/memaudit/internal/report/wording"
)

// The width at which the lines below a grid are wrapped, chosen so that two blocks fit side by
// side.
const (
	leastStatus = 36
	mostStatus  = 56
)

func (d *drawing) statusWidth() int {
	switch {
	case d.wide:
		return d.room
	case d.many:
		return leastStatus
	}
	return max(leastStatus, min((d.room-mapGap)/2, mostStatus))
}

// legend explains the signs that the grids use.
func (d *drawing) legend() string {
	s := "slots in GiB: . empty, ? unknown"
	var n, c, h bool
	for i := range d.inv.Slots {
		switch report.OrEmpty(d.inv.Slots[i].Technology) {
		case string(inventory.NVDIMM):
			n = true
		case string(inventory.CXL):
			c = true
		case string(inventory.HBM):
			h = true
		}
	}
	for _, e := range []struct {
		used bool
		text string
	}{{n, ", n NVDIMM"}, {c, ", c CXL"}, {h, ", h HBM"}, {len(d.failed) > 0, ", ! wrong"}} {
		if e.used {
			s += e.text
		}
	}
	return s + "; MT/s: million transfers per second"
}

// classes explains the class letters that the blocks print, each once.
func (d *drawing) classes() string {
	var out []string
	for i := range d.inv.Population.Sockets {
		class := report.OrEmpty(d.inv.Population.Sockets[i].Class)
		line := class + ": " + wording.Grade(class)
		if wording.Grade(class) != "" && !slices.Contains(out, line) {
			out = append(out, line)
		}
	}
	if cost := d.classCost(); cost != "" && len(out) == 1 {
		out[0] += "; " + cost
	}
	if len(out) == 0 {
		return ""
	}
	slices.Sort(out)
	return "class " + strings.Join(out, "; ")
}

// classCost returns what a document says about the cost of the machine's class, if that finding
// follows from another one and is therefore not printed.
func (d *drawing) classCost() string {
	for i := range d.findings {
		f := &d.findings[i]
		if f.Effect != nil && f.Effect.Beside == verdict.BesideClass && f.Result == string(verdict.Fail) && report.OrEmpty(f.CausedBy) != "" {
			return f.Effect.Text
		}
	}
	return ""
}

// blocks draws every processor. Equal processors share one picture with the slot names of the
// first, unless there are only two and both fit side by side.
func (d *drawing) blocks() []slotPicture {
	keys := d.sockets()
	d.many = len(keys) > 2
	out := make([]slotPicture, 0, len(keys))
	seen := map[string]int{}
	for _, k := range keys {
		b := d.block(k, false)
		body := strings.Join(b.lines, "\n")
		if at, ok := seen[body]; ok && k != wording.NoSocket {
			out[at].ids = append(out[at].ids, b.ids...)
			continue
		}
		seen[body] = len(out)
		out = append(out, b)
	}
	if len(keys) == 2 {
		if both := []slotPicture{d.block(keys[0], true), d.block(keys[1], true)}; perRow(both, d.room) == 2 {
			return both
		}
	}
	return d.named(out)
}

// unused tells whether a socket is known to have no processor and no module in its slots.
func (d *drawing) unused(id int) bool {
	for i := range d.inv.Slots {
		if s := &d.inv.Slots[i]; wording.SocketID(s.Socket) == id && s.State != string(inventory.SlotEmpty) {
			return false
		}
	}
	return slices.ContainsFunc(d.inv.Sockets, func(s report.Socket) bool {
		return s.ID == id && s.Populated != nil && !*s.Populated
	})
}

// withoutUnused reduces the blocks of unused sockets to their titles.
func (d *drawing) withoutUnused(blocks []slotPicture) {
	for i := range blocks {
		b := &blocks[i]
		if len(b.ids) == 0 || slices.ContainsFunc(b.ids, func(id int) bool { return !d.unused(id) }) {
			continue
		}
		b.lines = nil
		if b.name = strings.TrimPrefix(b.name+", its slots are empty", ", "); len(b.ids) > 1 { // the slots that were named are not shown
			b.name = "(no processors), their slots are empty"
		}
		if printable.Columns(b.title()) > d.room {
			b.name = "slots empty"
		}
	}
}

// named draws the blocks with the names of their slots.
func (d *drawing) named(blocks []slotPicture) []slotPicture {
	out := make([]slotPicture, len(blocks))
	for i := range blocks {
		ids := blocks[i].ids
		if len(ids) == 0 {
			out[i] = d.block(wording.NoSocket, true)
			continue
		}
		out[i] = d.block(ids[0], true)
		if out[i].ids = ids; len(ids) > 1 {
			out[i].name = "names of " + strings.TrimSpace("socket "+strconv.Itoa(ids[0])+" "+out[i].name)
		}
		if printable.Columns(out[i].title()) > d.room {
			out[i].name = ""
		}
	}
	if !d.wide && perRow(out, d.room) == 1 {
		d.wide = true
		return d.named(out)
	}
	return out
}

// sockets lists what gets a block: none if no slot is placed, else the sockets with placed slots
// and, unless slots are placed outside the sockets (NoSocket), all other sockets.
func (d *drawing) sockets() []int {
	var keys []int
	add := func(k int) {
		if !slices.Contains(keys, k) {
			keys = append(keys, k)
		}
	}
	for i := range d.inv.Slots {
		if s := &d.inv.Slots[i]; s.Channel != nil {
			add(wording.SocketID(s.Socket))
		}
	}
	if len(keys) == 0 {
		return nil
	}
	if !slices.Contains(keys, wording.NoSocket) {
		for i := range d.inv.Sockets {
			add(d.inv.Sockets[i].ID)
		}
	}
	slices.Sort(keys)
	return keys
}

// block draws one processor.
func (d *drawing) block(key int, named bool) slotPicture {
	b := slotPicture{}
	if key == wording.NoSocket {
		b.name = "memory of all processors"
	} else {
		b.ids = []int{key}
		b.name = d.socketName(key)
	}
	slots := d.placed(key)
	g := newGrid(slots, d.failed, wording.Boards(d.inv, slots))
	b.lines = g.draw(d.room, named)
	width := d.statusWidth()
	for _, line := range b.lines {
		width = max(width, printable.Columns(line))
	}
	b.lines = append(b.lines, foldPieces(d.status(key), width)...)
	for _, m := range d.marks(key) {
		b.lines = append(b.lines, "! "+m)
	}
	return b
}

// socketName returns firmware's designation of a socket, and a note if the socket is empty.
func (d *drawing) socketName(id int) string {
	for i := range d.inv.Sockets {
		s := &d.inv.Sockets[i]
		if s.ID != id {
			continue
		}
		name := printable.Clean(report.OrEmpty(s.Designation))
		if label := report.Misnamed(d.inv)[id]; label != "" {
			name += " (slots " + printable.Clean(label) + ")"
		}
		if s.Populated != nil && !*s.Populated {
			name = strings.TrimSpace(name + " (no processor)")
		}
		return name
	}
	return ""
}

// foldPieces joins pieces with commas into lines of at most this width, unless a single piece is
// wider.
func foldPieces(pieces []string, width int) []string {
	var out []string
	line := ""
	for _, s := range pieces {
		switch {
		case line == "":
			line = s
		case printable.Columns(line)+2+printable.Columns(s) <= width:
			line += ", " + s
		default:
			out, line = append(out, line), s
		}
	}
	if line != "" {
		out = append(out, line)
	}
	return out
}

// slotPicture is the picture of one processor's memory: a title and lines below.
type slotPicture struct {
	ids   []int
	name  string
	lines []string
}

// title names the sockets: "socket 0  CPU1", "sockets 0,2-4".
func (b *slotPicture) title() string {
	noun := "socket "
	if len(b.ids) > 1 {
		noun = "sockets "
	}
	if len(b.ids) == 0 {
		return b.name
	}
	t := noun + report.CPUList(b.ids)
	if b.name != "" {
		t += "  " + b.name
	}
	return t
}

func (b *slotPicture) width() int {
	w := printable.Columns(printable.Clean(b.title()))
	for _, line := range b.lines {
		w = max(w, printable.Columns(printable.Clean(line)))
	}
	return w
}

// The layout of the picture of the slots.
const (
	mapIndent = 2
	mapGap    = 4
	// linesClasses and linesReason limit the lines for the meaning of the classes and for the
	// reasons of slots without a position.
	linesClasses = 2
	linesReason  = 2
)

// perRow returns how many blocks fit side by side.
func perRow(blocks []slotPicture, room int) int {
	return max(1, (room+mapGap)/(widestOf(blocks)+mapGap))
}

func widestOf(blocks []slotPicture) int {
	widest := 1
	for i := range blocks {
		widest = max(widest, blocks[i].width())
	}
	return widest
}
