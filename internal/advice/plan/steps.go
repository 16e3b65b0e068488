package plan

import (
	"cmp"
	"io/fs"
	"math/bits"
	"slices"
	"strconv"
	"strings"

	"memaudit.example/memaudit/internal/model/ddr"
	"memaudit.example/memaudit/internal/model/fact"
	"memaudit.example/memaudit/internal/model/inventory"
)

// Only modules of another kind than the layout has there leave their slot, so as few as possible are touched.
func (b *board) stepsToLayout(layout []int) []Step {
	var out, moves, installs []Step
	spare := make([][]int, len(b.kinds))
	for _, i := range b.order {
		if k := b.at[i]; k != none && layout[i] != k {
			spare[k] = append(spare[k], i)
		}
	}
	come := b.moduleSources(layout, spare)
	for _, i := range b.order {
		switch k := layout[i]; {
		case k == none || b.at[i] == k:
		case come[i] != none:
			moves = append(moves, Step{Do: Move, FromSlot: come[i], ToSlot: i, LikeSlot: none})
		default:
			installs = append(installs, Step{Do: Install, FromSlot: none, ToSlot: i, LikeSlot: b.kinds[k].like})
		}
	}
	occupied := make([]bool, len(b.at))
	for i, k := range b.at {
		occupied[i] = k != none
	}
	for _, s := range slices.Concat(spare...) {
		occupied[s] = false
		out = append(out, Step{Do: Remove, FromSlot: s, ToSlot: none, LikeSlot: none})
	}
	var joined []Step
	for _, s := range slices.Concat(out, orderMoves(moves, occupied), installs) {
		at := slices.IndexFunc(joined, func(r Step) bool { return s.Do == Install && r.Do == Remove && r.FromSlot == s.ToSlot })
		if at < 0 {
			joined = append(joined, s)
			continue
		}
		joined[at] = Step{Do: Exchange, FromSlot: s.ToSlot, ToSlot: s.ToSlot, LikeSlot: s.LikeSlot}
	}
	return joined
}

// moduleSources returns for each slot of a layout the slot that its module comes from, none for one that stays or is
// bought, and takes these modules out of spare (for each kind, the slots whose modules leave them). A unit's own
// modules come first: another unit gets them only if it has no use for them itself. If the populated slots stay the
// same, all modules that move do so in cycles; then modules that change places with each other are preferred, because
// two are swapped in one step.
func (b *board) moduleSources(layout []int, spare [][]int) []int {
	come := slices.Repeat([]int{none}, len(layout))
	circles := slices.EqualFunc(b.at, layout, func(now, then int) bool { return (now == none) == (then == none) })
	for _, wanted := range [...]struct{ own, back bool }{{true, true}, {true, false}, {false, true}, {false, false}} {
		if wanted.back && !circles {
			continue
		}
		for _, i := range b.order {
			k := layout[i]
			if k == none || b.at[i] == k || come[i] != none {
				continue
			}
			nth := slices.IndexFunc(spare[k], func(s int) bool {
				return (!wanted.own || b.unitOfSlot(s) == b.unitOfSlot(i)) && (!wanted.back || layout[s] == b.at[i])
			})
			if nth >= 0 {
				come[i] = spare[k][nth]
				spare[k] = slices.Delete(spare[k], nth, nth+1)
			}
		}
	}
	return come
}

func (b *board) unitOfSlot(slot int) int {
	for i := range b.units {
		if _, ok := slices.BinarySearchFunc(b.units[i].slots, slot, b.compareRank); ok {
			return i
		}
	}
	return none
}

// Each move goes into a slot that is empty by then. Modules that wait for one another are swapped.
func orderMoves(moves []Step, occupied []bool) []Step {
	var out []Step
	for len(moves) > 0 {
		m := moves[max(0, slices.IndexFunc(moves, func(m Step) bool { return !occupied[m.ToSlot] }))]
		next := m
		if occupied[m.ToSlot] { // what is in the way comes out of the other slot then
			moves[slices.IndexFunc(moves, func(o Step) bool { return o.FromSlot == m.ToSlot })].FromSlot = m.FromSlot
			next = Step{Do: Swap, FromSlot: m.ToSlot, ToSlot: m.FromSlot, LikeSlot: none}
		} else {
			occupied[m.FromSlot], occupied[m.ToSlot] = false, true
		}
		out = append(out, next)
		moves = slices.DeleteFunc(moves, func(o Step) bool { return o.ToSlot == m.ToSlot || o.ToSlot == o.FromSlot })
	}
	return out
}

// ApplySteps returns a copy of the machine after the steps. Modules move with everything that firmware reports about them
// except their running speed and voltage, which only the next boot shows, as it does the memory of each node; the
// data of the kernel's driver about the slots are dropped.
func ApplySteps(sys *inventory.System, steps []Step) *inventory.System {
	out := *sys
	out.Measurements, out.Accepted, out.EDAC = nil, nil, nil // a machine that does not exist yet was not measured
	out.Slots, out.Nodes = slices.Clone(sys.Slots), slices.Clone(sys.Nodes)
	for _, s := range steps {
		switch s.Do {
		case Move:
			moveModule(&out.Slots[s.ToSlot], &out.Slots[s.FromSlot])
			clearSlot(&out.Slots[s.FromSlot])
		case Swap:
			first := out.Slots[s.FromSlot]
			moveModule(&out.Slots[s.FromSlot], &out.Slots[s.ToSlot])
			moveModule(&out.Slots[s.ToSlot], &first)
		case Remove:
			clearSlot(&out.Slots[s.FromSlot])
		case Install, Exchange:
			moveModule(&out.Slots[s.ToSlot], &sys.Slots[s.LikeSlot])
		}
	}
	out.Memory.MappedBytes = fact.Fact[int64]{}
	restoreVisible(&out.Memory, installedBytes(sys), installedBytes(&out))
	if len(steps) > 0 {
		forgetBoot(&out)
	}
	return &out
}

// forgetBoot drops what only a boot shows: the speeds of modules and the memory of nodes.
func forgetBoot(sys *inventory.System) {
	for i := range sys.Slots { // a table without the field does not get it by a boot
		s := &sys.Slots[i]
		if s.ConfiguredMV = unreadUntilBoot(); s.ConfiguredMTs.State != fact.Absent {
			s.ConfiguredMTs = unreadUntilBoot()
		}
	}
	for i := range sys.Nodes {
		sys.Nodes[i].MemoryBytes = fact.Unknown[int64](fact.Unread, nextBoot, "")
	}
}

// restoreVisible adapts the memory that the system sees to a changed capacity, both in bytes. What firmware and
// kernel reserve keeps its size; if more is missing (a mirror or a spare), it is the same part of the capacity.
// Unchanged figures with twice the modules would look like a mirror.
func restoreVisible(m *inventory.Memory, before, after int64) {
	if before == 0 || before == after {
		return
	}
	for _, seen := range []*fact.Fact[int64]{&m.TotalBytes, &m.MapBytes, &m.BlockBytes, &m.VisibleBytes} {
		lost := before - seen.Value
		switch {
		case !seen.Known():
		case lost > before/mirrorShare:
			seen.Value = int64(float64(seen.Value) / float64(before) * float64(after))
		default:
			seen.Value = max(0, after-lost)
		}
	}
}

// mirrorShare: if more than one part in so many is missing, that is more than firmware and kernel
// keep. A mirror or a spare takes a quarter at least.
const mirrorShare = 5

func installedBytes(sys *inventory.System) int64 {
	var n int64
	for i := range sys.Slots {
		if s := &sys.Slots[i]; s.HoldsDRAM() {
			n += s.SizeBytes.Or(0)
		}
	}
	return n
}

// What belongs to the slot stays: handle, array, labels, stated positions, the place in the table. Which addresses the module
// gets only the next boot shows.
func moveModule(to, module *inventory.Slot) {
	slot := *to
	*to = *module
	to.Handle, to.Array, to.Row, to.HPE, to.BMC = slot.Handle, slot.Array, slot.Row, slot.HPE, slot.BMC
	to.Locator, to.BankLocator, to.Unique, to.DeviceSet = slot.Locator, slot.BankLocator, slot.Unique, slot.DeviceSet
	to.FormFactor, to.Range = slot.FormFactor, nil
	if !slot.FormFactor.Known() {
		to.FormFactor = module.FormFactor
	}
}

func clearSlot(s *inventory.Slot) {
	*s = inventory.Slot{
		Handle: s.Handle, Array: s.Array, Row: s.Row, HPE: s.HPE, BMC: s.BMC,
		Locator: s.Locator, BankLocator: s.BankLocator, Unique: s.Unique, DeviceSet: s.DeviceSet, FormFactor: s.FormFactor,
		Soldered: s.Soldered, Technology: s.Technology, State: inventory.SlotEmpty,
	}
}

const nextBoot = "only the next boot shows"

func unreadUntilBoot() fact.Fact[int] {
	return fact.Unknown[int](fact.Unread, nextBoot, "")
}

// Traits are what modules of a kind have in common, the widths in bits. What is not known is the zero value.
type Traits struct {
	Bytes                        int64
	Type, FormFactor             string
	Ranks, DataWidth, TotalWidth int
	RatedMTs, MinMV              int
	Registered, LoadReduced      Answer
}

// Answer is 1 for yes, -1 for no, 0 if it is not known.
type Answer int

// AnswerOf returns the answer that a fact gives.
func AnswerOf(f fact.Fact[bool]) Answer {
	switch v, ok := f.Get(); {
	case !ok:
		return 0
	case v:
		return 1
	default:
		return -1
	}
}

// TraitsOf returns the traits of a slot's module.
func TraitsOf(s *inventory.Slot) Traits {
	return Traits{
		Bytes: s.SizeBytes.Or(0), Type: s.Type.Or(""), FormFactor: s.FormFactor.Or(""), Ranks: s.Ranks.Or(0), DataWidth: s.DataWidth.Or(0),
		TotalWidth: s.TotalWidth.Or(0), RatedMTs: s.RatedMTs.Or(0), MinMV: s.MinMV.Or(0), Registered: AnswerOf(s.Registered), LoadReduced: AnswerOf(s.LoadReduced),
	}
}

// Fits reports whether a module has the size, type and ranks of what is wanted, and is not known to be slower or of
// another buffer type.
func (t *Traits) Fits(wants *Traits) bool {
	return t.Bytes > 0 && t.Bytes == wants.Bytes && t.Type != "" && t.Type == wants.Type && t.Ranks > 0 && t.Ranks == wants.Ranks &&
		(t.RatedMTs <= 0 || ddr.Nominal(t.RatedMTs) >= wants.RatedMTs) && agreeIfKnown(t.DataWidth, wants.DataWidth) && agreeIfKnown(t.TotalWidth, wants.TotalWidth) &&
		agreeIfKnown(t.Registered, wants.Registered) && agreeIfKnown(t.LoadReduced, wants.LoadReduced)
}

func agreeIfKnown[T ~int](x, y T) bool { return x == 0 || y == 0 || x == y }

// Memory runs at highest MT/s at most; 0 if that is not known.
func (t Traits) limitedToSpeed(highest int) Traits {
	t.RatedMTs = ddr.Nominal(t.RatedMTs)
	if highest > 0 {
		t.RatedMTs = min(t.RatedMTs, highest)
	}
	return t
}

// The largest and then those with most ranks come first, as every document with an order requires.
func (b *board) sortIntoKinds() string {
	highest := b.population.HighestMTs()
	of := make([]Traits, len(b.sys.Slots))
	for _, i := range b.order {
		s := &b.sys.Slots[i]
		if s.Soldered.Or(false) || s.State == inventory.SlotEmpty {
			continue
		}
		if t := s.Technology.Or(inventory.DRAM); t != inventory.DRAM {
			if t == inventory.NVDIMM {
				return "persistent modules have an order of their own, which is not planned"
			}
			continue
		}
		if s.State == inventory.SlotUnknown || !s.SizeBytes.Known() {
			return "the size of the module in " + b.slotName(i) + " is not known"
		}
		of[i] = TraitsOf(s).limitedToSpeed(highest)
		k := slices.IndexFunc(b.kinds, func(k moduleKind) bool { return k.traits == of[i] })
		if k < 0 {
			k, b.kinds = len(b.kinds), append(b.kinds, moduleKind{traits: of[i], like: i})
		}
		b.kinds[k].count++
		b.at[i] = k
	}
	if len(b.kinds) == 0 {
		return "no module is known"
	}
	slices.SortStableFunc(b.kinds, func(x, y moduleKind) int {
		return cmp.Or(cmp.Compare(y.traits.Bytes, x.traits.Bytes), cmp.Compare(y.traits.Ranks, x.traits.Ranks))
	})
	for i, k := range b.at {
		if k != none {
			b.at[i] = slices.IndexFunc(b.kinds, func(k moduleKind) bool { return k.traits == of[i] })
		}
	}
	for k := range b.kinds {
		if bytes := b.kinds[k].traits.Bytes; k == 0 || bytes != b.kinds[k-1].traits.Bytes {
			b.distinct = append(b.distinct, bytes)
		}
		b.size = append(b.size, len(b.distinct)-1)
	}
	return ""
}

// modulesFile lists which memory a platform takes and its sizes.
const modulesFile = "platforms/modules.tsv"

type moduleSize struct {
	bytes int64
	// ranks as the platform's document or an installed module gives them, 0 for
	// not known.
	ranks int
}

func moduleRow(k fs.FS, kind, name string) (memory, sizes string) {
	raw, err := fs.ReadFile(k, modulesFile)
	if err != nil {
		return "", ""
	}
	for line := range strings.Lines(string(raw)) {
		if c := strings.Split(strings.TrimSuffix(line, "\n"), "\t"); len(c) == 5 && c[0] == kind && c[1] == name {
			return c[2], c[3]
		}
	}
	return "", ""
}

// PlatformMemory is the kind of memory that a platform takes, in SMBIOS's terms, "" if no row has it.
func PlatformMemory(k fs.FS, id string) string {
	memory, _ := moduleRow(k, "platform", id)
	return memory
}

// sizesFor lists the document's sizes, otherwise those in the standard of its memory, and those installed with their ranks.
func sizesFor(k fs.FS, id, memory string, sys *inventory.System) []moduleSize {
	of, sizes := moduleRow(k, "platform", id)
	if of != memory || sizes == "" {
		_, sizes = moduleRow(k, "memory", memory)
	}
	out := parseSizes(sizes)
	for _, s := range sys.Slots {
		if !s.HoldsDRAM() || s.SizeBytes.Or(0) == 0 {
			continue
		}
		at := slices.IndexFunc(out, func(m moduleSize) bool { return m.bytes == s.SizeBytes.Value })
		if at < 0 {
			at, out = len(out), append(out, moduleSize{bytes: s.SizeBytes.Value})
		}
		out[at].ranks = s.Ranks.Or(out[at].ranks)
	}
	slices.SortFunc(out, func(x, y moduleSize) int { return cmp.Compare(y.bytes, x.bytes) })
	return out
}

// parseSizes reads sizes in GiB, each with its ranks if a document gives them: "4:1 8:2 16:4".
func parseSizes(text string) []moduleSize {
	var out []moduleSize
	for word := range strings.FieldsSeq(text) {
		size, ranks, _ := strings.Cut(word, ":")
		n, err := strconv.ParseFloat(size, 64)
		if err != nil || n <= 0 {
			continue
		}
		m := moduleSize{bytes: int64(n * (1 << 30))}
		m.ranks, _ = strconv.Atoi(ranks)
		out = append(out, m)
	}
	return out
}

// If firmware prints DDR2 for modules of 1333 MT/s, DRAM or nothing, the platform's document decides, if it has one kind.
func existingModule(s inventory.Slot, documented string) inventory.Slot {
	switch kind := MemoryKind(documented, &s); kind {
	case s.Type.Or(""):
	case "":
		s.Type = fact.Unknown[string](fact.Malformed, "firmware's word for the kind of memory does not go with the speed or the platform", "")
	default:
		s.Type = fact.Known(kind, fact.Indirect, fact.Evidence{})
	}
	return s
}

// MemoryKind is the kind of memory that firmware's word for a module, its rated speed and the platform's document
// (PlatformMemory, "" for none) agree on; "" for none.
func MemoryKind(documented string, s *inventory.Slot) string {
	stated, mts := s.Type.Or(""), s.RatedMTs.Or(0)
	generation := strings.HasPrefix(stated, "DDR")
	switch {
	case stated == documented, documented == "" && generation:
		return stated
	case documented == "":
		return ""
	case generation && strings.HasPrefix(documented, stated+" "): // DDR2 for DDR2 FB-DIMM
		return documented
	case ddr.HasRate(stated, mts) != ddr.HasRate(documented, mts):
		if ddr.HasRate(stated, mts) {
			return stated
		}
		return documented
	case !generation && mts == 0:
		return documented
	default:
		return ""
	}
}

// ParseSize reads a module's size: a whole number with M, G or T, also as MiB, GB and so on, which all count by 1024.
// It returns 0 for anything else.
func ParseSize(text string) int64 {
	s := strings.ToUpper(strings.TrimSpace(text))
	s = strings.TrimSuffix(strings.TrimSuffix(s, "B"), "I")
	if s == "" {
		return 0
	}
	shift := strings.IndexByte("MGT", s[len(s)-1])
	n, err := strconv.ParseInt(strings.TrimSpace(s[:len(s)-1]), 10, 32)
	if shift < 0 || err != nil || n <= 0 || n > 1<<20 {
		return 0
	}
	return n << (20 + 10*shift)
}

// SizeOfModule reports whether modules of this size exist: powers of two, and since chips of 24 Gbit three times one
// of them (12 to 192 GiB).
func SizeOfModule(bytes int64) bool {
	if bytes%3 == 0 {
		return bytes >= 12<<30 && bytes <= 192<<30 && bits.OnesCount64(uint64(bytes/3)) == 1
	}
	return bytes <= 1<<40 && bits.OnesCount64(uint64(bytes)) == 1
}
