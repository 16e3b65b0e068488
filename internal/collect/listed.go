package collect

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"memaudit.example/memaudit/internal/model/ddr"
	"memaudit.example/memaudit/internal/model/fact"
	"memaudit.example/memaudit/internal/model/humanize"
	"memaudit.example/memaudit/internal/model/inventory"
	"memaudit.example/memaudit/internal/model/lazy"
	"memaudit.example/memaudit/internal/source/redfish"
	"memaudit.example/memaudit/internal/source/smbios"
)

func (c *collector) recordUnlisted(code, text string) {
	f := &c.sys.Firmware
	p := inventory.Problem{Code: code, Text: text}
	f.Problems = append(f.Problems, p)
	f.Lost = cmp.Or(f.Lost, &p)
	c.noteSource(text, true)
}

// checkArrayUses finds arrays that state another use than system memory but have slots for DRAM modules. These
// are not among the slots, so the slots are incomplete.
func (c *collector) checkArrayUses() {
	uses := map[uint16]string{}
	for _, a := range c.table.MemoryArrays() {
		if use, ok := a.Use.Get(); ok && use != systemMemory {
			uses[a.Handle] = use
		}
	}
	if len(uses) == 0 {
		return
	}
	names := map[uint16][]string{}
	var arrays []uint16
	for d := range c.table.EachMemoryDevice() {
		array := d.Array.Or(0)
		if _, other := uses[array]; !other || !d.Array.Known() || !takesModule(d, structureOf(17, d.Handle, c.table)) {
			continue
		}
		if names[array] == nil {
			arrays = append(arrays, array)
		}
		names[array] = append(names[array], d.Locator.Or(inventory.Handle(d.Handle).String()))
	}
	for _, array := range arrays {
		c.recordUnlisted(inventory.ProblemUse, fmt.Sprintf("memory array %s states the use %q, expected %q, and has slots for modules (%s)",
			inventory.Handle(array).String(), uses[array], systemMemory, strings.Join(names[array], ", ")))
	}
}

func takesModule(d *smbios.MemoryDevice, s structure) bool {
	return memoryTechnology(s, d).Or(inventory.Other) == inventory.DRAM &&
		(strings.Contains(d.FormFactor.Or(""), "DIMM") || strings.Contains(d.Type.Or(""), "DDR") && !isSoldered(s, d).Or(false))
}

// checkListedBytes detects a table that lists less memory than the kernel sees. Modules of any kind and memory
// on the processors' packages count. Guests are skipped: their memory is virtualised.
func (c *collector) checkListedBytes() {
	if c.facts == nil || c.sys.Machine.Virtual.Or(false) || c.isPrivilegedDomain() || c.sys.Firmware.Lost != nil {
		return
	}
	listed, ok := c.listedCapacity()
	if seen := c.visibleOnModules(); ok && seen.Known() && seen.Value > listed+listed/100 {
		c.recordUnlisted(inventory.ProblemShort, fmt.Sprintf("the modules in the SMBIOS table have %s, and the kernel sees %s (%s)",
			humanize.Size(listed), humanize.Size(seen.Value), seen.From.Path))
	}
}

// checkMapped finds reasons for doubt in a list of modules that no kernel confirms: firmware gives addresses to a module that
// is not listed, or to more memory than the modules have, by a module at least, or calls one non-volatile by a single bit.
func (c *collector) checkMapped() {
	if c.facts != nil || c.sys.Machine.Virtual.Or(false) {
		return
	}
	doubt := func(code, text string) { c.sys.Firmware.Short = &inventory.Problem{Code: code, Text: text} }
	least := int64(0)
	for s := range inventory.Pointers(c.sys.Slots) {
		if nonVolatileByBit(s) {
			doubt(inventory.ProblemBit, "a single bit makes the module in "+s.Name()+" non-volatile")
		}
		if n := s.SizeBytes.Or(0); least == 0 || n > 0 && n < least {
			least = n
		}
	}
	for _, r := range c.table.DeviceMappings() {
		if device, ok := r.Device.Get(); ok && r.Size.Or(0) > noRange && c.table.Count(17) > 0 && c.table.Lookup(device, 17) == nil {
			doubt(inventory.ProblemMapped, fmt.Sprintf("firmware maps %s to the memory device %s (type 20), which the table does not list", humanize.Size(r.Size.Value), inventory.Handle(device).String()))
		}
	}
	m := &c.sys.Memory
	if listed, ok := c.listedCapacity(); ok && m.MappedBytes.Known() && m.MappedDoubt == "" && m.MappedBytes.Value >= listed+max(least, listed/100) {
		doubt(inventory.ProblemMapped, fmt.Sprintf("firmware maps %s of memory (type 19), and the modules have %s", humanize.Size(m.MappedBytes.Value), humanize.Size(listed)))
	}
}

// listedCapacity returns the capacity in bytes of all modules in the table, and of the memory on the processors'
// packages if the kernel may see it among the modules' memory: it does not as a cache or on nodes of its own.
// It returns false if there are no modules or the size of one is unknown.
func (c *collector) listedCapacity() (int64, bool) {
	sum, any := int64(0), false
	if !slices.ContainsFunc(c.sys.Nodes, func(n inventory.Node) bool { return notOnModules(&n) || n.SideCacheBytes.Or(0) > 0 }) {
		sum = c.packageMemory() * int64(max(1, len(c.sys.Running())))
	}
	for s := range inventory.Pointers(c.sys.Slots) {
		if s.State == inventory.SlotEmpty || s.Technology.Or(inventory.Other) == inventory.Flash {
			continue
		}
		bytes, ok := s.SizeBytes.Get()
		if !ok {
			return 0, false
		}
		any, sum = true, sum+bytes
	}
	return sum, any
}

// visibleOnModules returns the size in bytes of the memory on modules that the kernel sees: firmware's map, or
// else MemTotal. The size of memory blocks is too coarse. Nodes without CPUs are subtracted, because
// they may be another kind of memory.
func (c *collector) visibleOnModules() fact.Fact[int64] {
	m := &c.sys.Memory
	seen := m.TotalBytes
	if m.MapBytes.Known() && m.MapBytes.Value > seen.Or(0) {
		seen = m.MapBytes
	}
	for n := range inventory.Pointers(c.sys.Nodes) {
		if !notOnModules(n) && n.HasCPU.Or(false) {
			continue
		}
		bytes, ok := n.MemoryBytes.Get()
		if !ok {
			return fact.UnknownFrom[int64](n.MemoryBytes)
		}
		seen.Value -= bytes
	}
	return seen
}

// compareTable doubts a table from a file that differs from the machine's tree: it may be another machine's.
func (c *collector) compareTable() {
	f := &c.sys.Firmware
	if !c.given || c.table == nil || c.facts == nil {
		return
	}
	if own := c.facts.SMBIOS; own.Table.Known() && c.table.Equal(smbios.Decode(own.EntryPoint.Value, own.Table.Value)) {
		f.Compared = true
		return
	}
	system, _ := c.table.System()
	d := c.facts.DMIID
	var differs string
	if !c.sys.Redacted { // redacted serial numbers are hashes
		var same bool
		same, differs = redfish.SameIdentifiers(redfish.Identity{Serial: system.Serial.Or(""), UUID: system.UUID.Or("")},
			redfish.Identity{Serial: d.ProductSerial.Value, UUID: d.ProductUUID.Value})
		if same {
			f.Compared = true
			return
		}
	}
	var doubts []string
	compare := func(comparable bool, doubt string) {
		f.Compared = f.Compared || comparable
		if doubt != "" {
			doubts = append(doubts, doubt)
		}
	}
	compare(differs != "", differs)
	compare(namesDiffer("machine", []string{statedText(system.Product)}, d.Product))
	var boards []string // a blade has several
	for _, b := range c.table.Boards() {
		boards = append(boards, statedText(b.Product))
	}
	compare(namesDiffer("board", boards, d.Board))
	compare(c.modelsDiffer())
	compare(c.packagesDiffer())
	compare(c.listsLess())
	if len(doubts) == 0 {
		return
	}
	f.Doubt = "the SMBIOS file may be another machine's: " + strings.Join(doubts, "; ")
	c.noteSource(f.Doubt, true)
}

func namesDiffer(what string, names []string, tree fact.Fact[string]) (comparable bool, doubt string) {
	own := identityFact(tree)
	names = slices.DeleteFunc(names, func(n string) bool { return n == "" })
	switch {
	case !own.Known() || len(names) == 0:
		return false, ""
	case slices.ContainsFunc(names, func(n string) bool { return sameProduct(n, own.Value) }):
		return true, ""
	default:
		return true, fmt.Sprintf("it calls the %s %q, and %s says %q", what, names[0], own.From.Path, own.Value)
	}
}

var modelNumber = lazy.Pattern(`[A-Z0-9-]*[0-9]{3}[A-Z0-9-]*`)

func (c *collector) modelsDiffer() (comparable bool, doubt string) {
	cpu := &c.sys.CPU
	for _, s := range c.sys.Running() {
		fromTable := s.Brand.From.Source == inventory.SourceSMBIOS
		if theirs, own := s.Brand.Or(""), cpu.Brand.Or(""); fromTable && theirs != "" && own != "" {
			a, b := modelNumbers(theirs), modelNumbers(own)
			if len(a) > 0 && len(b) > 0 {
				comparable = true
				if !slices.ContainsFunc(a, func(n string) bool { return slices.Contains(b, n) }) {
					return true, fmt.Sprintf("it lists %q, and the kernel runs on %q", theirs, own)
				}
			}
		}
		if s.Family.From.Source != inventory.SourceSMBIOS || !s.Family.Known() || !s.Model.Known() || !cpu.Family.Known() || !cpu.Model.Known() {
			continue
		}
		comparable = true
		if s.Family.Value != cpu.Family.Value || s.Model.Value != cpu.Model.Value {
			return true, fmt.Sprintf("it lists a processor of family %d model %d, and the kernel runs on family %d model %d",
				s.Family.Value, s.Model.Value, cpu.Family.Value, cpu.Model.Value)
		}
	}
	return comparable, ""
}

// modelNumbers returns the model numbers of a brand string ("E5-2670", "X5670", "7742"), without its clock.
func modelNumbers(brand string) []string {
	brand, _, _ = strings.Cut(strings.ToUpper(brand), "@")
	return modelNumber().FindAllString(brand, -1)
}

// packagesDiffer compares the number of running processors. The kernel may use fewer than there are
// because of an option or offline CPUs. On Arm its packages may be clusters, so they are not compared.
func (c *collector) packagesDiffer() (comparable bool, doubt string) {
	packages, ok := c.sys.CPU.Packages.Get()
	running := c.sys.Running()
	if !ok || len(running) == 0 || running[0].Handle < 0 || c.isPrivilegedDomain() || !strings.HasPrefix(c.sys.Machine.Architecture.Or("x86"), "x86") {
		return false, ""
	}
	fewer := len(packages) < len(running)
	if fewer && (c.hasOption("maxcpus=", "nr_cpus=", "possible_cpus=") || len(c.sys.CPU.Online.Value) < len(c.sys.CPU.Present.Value)) {
		return false, ""
	}
	if len(packages) == len(running) {
		return true, ""
	}
	return true, fmt.Sprintf("it lists %s, and the kernel runs on %d", humanize.Plural(len(running), "running processor"), len(packages))
}

// listsLess compares the modules' capacity with the memory that the kernel sees. Another machine's table is
// one that lists less: the kernel never sees memory that is not there. It often sees less than the modules, because of a failed
// module, mirroring or memory for graphics: that is a finding about this machine.
func (c *collector) listsLess() (comparable bool, doubt string) {
	listed, ok := c.listedCapacity()
	seen := c.visibleOnModules()
	if !ok || !seen.Known() || c.isPrivilegedDomain() {
		return false, ""
	}
	if seen.Value <= listed+listed/100 {
		return true, ""
	}
	return true, fmt.Sprintf("its modules have %s, and the kernel sees %s", humanize.Size(listed), humanize.Size(seen.Value))
}

func (c *collector) hasOption(beginnings ...string) bool {
	options, _ := c.sys.NUMA.Options.Get()
	return slices.ContainsFunc(options, func(o string) bool {
		return slices.ContainsFunc(beginnings, func(b string) bool { return strings.HasPrefix(o, b) })
	})
}

// checkModules records what firmware states of a module and what no module beside the others can be: another
// data width, a speed that its type does not have or that is far above its rating, more than its
// array takes.
func (c *collector) checkModules() {
	var modules []*inventory.Slot
	for i := range c.sys.Slots {
		if s := &c.sys.Slots[i]; s.State == inventory.SlotPopulated && s.Technology.Or(inventory.Other) == inventory.DRAM {
			modules = append(modules, s)
		}
	}
	width := commonestValue(modules, func(s *inventory.Slot) int { return s.DataWidth.Or(0) })
	speeds := [...]struct {
		name string
		of   func(s *inventory.Slot) fact.Fact[int]
	}{
		{"rated", func(s *inventory.Slot) fact.Fact[int] { return s.RatedMTs }},
		{"configured", func(s *inventory.Slot) fact.Fact[int] { return s.ConfiguredMTs }},
	}
	for _, s := range modules {
		if n := s.DataWidth.Or(0); n != 0 && width != 0 && n < width {
			c.recordImpossible(s, "has a data width of %d bits, and the others have %d", n, width)
		}
		for _, speed := range speeds {
			if f := speed.of(s); f.State == fact.Malformed && commonestValue(modules, func(o *inventory.Slot) int { return speed.of(o).Or(0) }) > 0 {
				c.recordImpossible(s, "has a %s speed that the others do not have: %s", speed.name, f.Reason)
			}
		}
		rated, running := s.RatedMTs.Or(0), s.ConfiguredMTs.Or(0)
		if most := commonestValue(modules, func(o *inventory.Slot) int { return o.RatedMTs.Or(0) }); rated > 0 && rated < most && running*2 > rated*3 {
			c.recordImpossible(s, "runs at %d MT/s and is rated %d", ddr.Nominal(running), ddr.Nominal(rated))
		}
	}
	most := map[uint16]smbios.Field[int64]{}
	for _, a := range c.table.MemoryArrays() {
		most[a.Handle] = a.MaxCapacity
	}
	for _, s := range modules {
		if limit, ok := most[s.Array].Get(); ok && limit > 0 && s.SizeBytes.Or(0) > limit {
			c.recordImpossible(s, "has %s, and its memory array takes %s", humanize.Size(s.SizeBytes.Value), humanize.Size(limit))
		}
	}
}

func (c *collector) recordImpossible(s *inventory.Slot, format string, args ...any) {
	f := &c.sys.Firmware
	f.Problems = append(f.Problems, inventory.Problem{Code: "module", Text: s.Name() + " " + fmt.Sprintf(format, args...)})
}

// commonestValue returns the value that more than half of the modules have, the zero value if there is none.
func commonestValue[T comparable](modules []*inventory.Slot, of func(s *inventory.Slot) T) T {
	counts := map[T]int{}
	for _, s := range modules {
		v := of(s)
		if counts[v]++; 2*counts[v] > len(modules) {
			return v
		}
	}
	return *new(T)
}

// mappedMemory reads which memory firmware mapped to addresses (DSP0134 7.20, 7.21). These structures are
// often boilerplate; if they contradict each other, they are ignored.
func (c *collector) mappedMemory() {
	m := &c.sys.Memory
	m.MappedBytes, m.MappedEnd = mappedRanges(c.table)
	c.mappedDevices()
	if m.MappedBytes.State == fact.Absent {
		if sum, end := c.deviceRanges(); end > 0 {
			m.MappedBytes, m.MappedEnd = fact.Known(sum, fact.Indirect, fact.At(inventory.SourceSMBIOS, inventory.TablePath, "ranges of type 20: "+fmt.Sprint(sum))), end
			m.MappedDoubt = "SMBIOS maps modules (type 20) and no arrays (type 19)"
		}
	}
	if m.MappedBytes.Known() {
		m.MappedDoubt = cmp.Or(m.MappedDoubt, c.mappedDoubt())
	}
}

// maxAddress is one more than the highest physical address of any processor (52 bits).
const maxAddress = 1 << 52

// addressSpan is a range of addresses in bytes; end is the first address after it.
type addressSpan struct{ start, end uint64 }

// mappedRanges returns the sum in bytes of the ranges of arrays with system memory, and the end of the last one.
func mappedRanges(t *smbios.Table) (fact.Fact[int64], int64) {
	other := map[uint16]bool{}
	for _, a := range t.MemoryArrays() {
		other[a.Handle] = a.Use.Known() && a.Use.Value != systemMemory
	}
	var spans []addressSpan
	var at fact.Evidence
	for _, r := range t.ArrayMappings() {
		if other[r.Array.Or(0)] {
			continue
		}
		at = structureOf(19, r.Handle, t).fieldEvidence("Range Size", fmt.Sprint(r.Size.Or(0)))
		if !r.Size.Known() || r.End.Value >= maxAddress {
			return fact.Unknown[int64](fact.Malformed, "a mapped range of SMBIOS (type 19) is not a range", fact.LiveKernel, at), 0
		}
		spans = append(spans, addressSpan{r.Start.Value, r.End.Value + 1})
	}
	if len(spans) == 0 {
		return fact.Unknown[int64](fact.Absent, "SMBIOS states no mapped ranges (type 19)", fact.LiveKernel), 0
	}
	slices.SortFunc(spans, func(a, b addressSpan) int { return cmp.Compare(a.start, b.start) })
	if spans[0].start != 0 {
		return fact.Unknown[int64](fact.Malformed, "the mapped ranges of SMBIOS (type 19) do not begin at address 0", fact.LiveKernel, at), 0
	}
	var sum, end uint64
	for _, s := range spans {
		if s.start < end {
			return fact.Unknown[int64](fact.Conflicting, "the mapped ranges of SMBIOS (type 19) overlap", fact.LiveKernel, at), 0
		}
		sum, end = sum+s.end-s.start, s.end
	}
	return fact.Known(int64(sum), fact.Indirect, at), int64(end)
}

// noRange: some firmware writes a range of at most this many bytes for "none".
const noRange = 4096

// mappedDevices records for each module whether it has a range of type 20, and the range that starts first.
func (c *collector) mappedDevices() {
	ranges, first, broken := map[uint16]int64{}, map[uint16]*inventory.Range{}, false
	for _, r := range c.table.DeviceMappings() {
		if device, ok := r.Device.Get(); ok && r.Size.Known() {
			ranges[device] += r.Size.Value
			if own := rangeOf(&r); own != nil && (first[device] == nil || own.Start < first[device].Start) {
				first[device] = own
			}
		}
		broken = broken || !r.Size.Known()
	}
	if len(ranges) == 0 || broken {
		return
	}
	for i := range c.sys.Slots {
		if s := &c.sys.Slots[i]; s.State == inventory.SlotPopulated {
			handle := uint16(s.Handle)
			n := ranges[handle]
			s.Range = first[handle]
			s.Mapped = fact.Known(n > noRange, fact.Indirect, structureOf(17, handle, c.table).fieldEvidence("range of type 20", fmt.Sprint(n)))
		}
	}
}

func rangeOf(r *smbios.DeviceMapping) *inventory.Range {
	if r.Size.Value <= noRange || r.End.Value >= maxAddress {
		return nil
	}
	out := &inventory.Range{Start: int64(r.Start.Value)}
	if position, depth := r.InterleavePosition.Or(0), r.InterleaveDepth.Or(0); position <= depth && depth > 1 {
		out.Position, out.Depth = position, depth
	}
	return out
}

// mappedDoubt returns what contradicts the sum of the array ranges, "" if nothing does: the sum of the device ranges, or an
// array with more devices than it announces.
func (c *collector) mappedDoubt() string {
	sum := c.sys.Memory.MappedBytes.Value
	if devices, end := c.deviceRanges(); end > 0 && (devices < sum-sum/100 || devices > sum+sum/100) {
		return fmt.Sprintf("SMBIOS maps %d MiB by arrays (type 19) and %d MiB by modules (type 20)", sum>>20, devices>>20)
	}
	listed := map[uint16]int{}
	for i := range c.sys.Slots {
		listed[c.sys.Slots[i].Array]++
	}
	for _, a := range c.sys.Arrays {
		if n, ok := a.Devices.Get(); ok && listed[a.Handle] > n {
			return fmt.Sprintf("SMBIOS lists %d memory devices of an array that has %d", listed[a.Handle], n)
		}
	}
	return ""
}

// deviceRanges returns the size in bytes of the memory that the ranges of type 20 cover, and the first address after them; 0
// if there are none or one of them is invalid.
func (c *collector) deviceRanges() (bytes, after int64) {
	own := map[uint16]bool{}
	for i := range c.sys.Slots {
		own[uint16(c.sys.Slots[i].Handle)] = true
	}
	var spans []addressSpan
	for _, r := range c.table.DeviceMappings() {
		if !r.Size.Known() || r.End.Value >= maxAddress {
			return 0, 0
		}
		if device, ok := r.Device.Get(); ok && own[device] {
			spans = append(spans, addressSpan{r.Start.Value, r.End.Value + 1})
		}
	}
	slices.SortFunc(spans, func(a, b addressSpan) int { return cmp.Compare(a.start, b.start) })
	var sum, end uint64
	for _, s := range spans {
		if s.end > end {
			sum += s.end - max(s.start, end)
			end = s.end
		}
	}
	return int64(sum), int64(end)
}
