package collect

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/memaudit/memaudit/internal/model/fact"
	"github.com/memaudit/memaudit/internal/model/inventory"
	"github.com/memaudit/memaudit/internal/model/prose"
	"github.com/memaudit/memaudit/internal/source/host"
	"github.com/memaudit/memaudit/internal/source/redfish"
	"github.com/memaudit/memaudit/internal/source/smbios"
)

// listedMemory checks the list of modules against what cannot be otherwise: no kernel sees more
// memory than the machine has, and memory modules are system memory.
func (c *collector) listedMemory() {
	if c.table == nil {
		return
	}
	c.misusedArrays()
	c.shortList()
}

// unlisted records that modules are missing from the table's list.
func (c *collector) unlisted(code, text string) {
	f := &c.sys.Firmware
	p := inventory.Problem{Code: code, Text: text}
	f.Problems = append(f.Problems, p)
	if f.Lost == nil {
		f.Lost = &p
	}
	c.saySource(text)
	c.partialSource()
}

// misusedArrays finds arrays that state another use than system memory and hold modules. They are
// not counted as memory, so the modules of other arrays are not all there is.
func (c *collector) misusedArrays() {
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
		if _, other := uses[array]; !other || !d.Array.Known() || !isModule(d, structureOf(17, d.Handle, c.table)) {
			continue
		}
		if names[array] == nil {
			arrays = append(arrays, array)
		}
		names[array] = append(names[array], d.Locator.Or(inventory.HandleText(d.Handle)))
	}
	for _, array := range arrays {
		c.unlisted(inventory.ProblemUse, fmt.Sprintf("memory array %s states the use %q, expected %q, and holds modules (%s)",
			inventory.HandleText(array), uses[array], systemMemory, strings.Join(names[array], ", ")))
	}
}

// isModule tells whether the device is a DRAM module with a size.
func isModule(d *smbios.MemoryDevice, s structure) bool {
	return d.Installed.Or(false) && d.Size.Or(0) > 0 && strings.Contains(d.FormFactor.Or(""), "DIMM") &&
		strings.Contains(d.Type.Or(""), "DDR") && technology(s, d).Or(inventory.Other) == inventory.DRAM
}

// shortList finds a table that lists less memory than the kernel sees. Everything that may hold some
// of what the kernel sees is counted: modules of any kind, and what a processor has on its package.
// A guest's memory is the hypervisor's, whatever its table lists.
func (c *collector) shortList() {
	if c.facts == nil || c.sys.Machine.Virtual.Or(false) || c.privileged() || c.sys.Firmware.Lost != nil {
		return
	}
	listed, ok := c.listedBytes()
	seen := c.seenBytes()
	if ok && seen.Known() && seen.Value > listed+listed/100 {
		c.unlisted(inventory.ProblemShort, fmt.Sprintf("the modules in the SMBIOS table have %s, and the kernel sees %s (%s)",
			prose.ExactSize(listed), prose.Rounded(seen.Value), seen.From.Path))
	}
}

// listedBytes returns the capacity of all modules that the table lists and of the memory on the
// processors' packages; false if it lists none or the size of one is not known.
func (c *collector) listedBytes() (int64, bool) {
	sum := c.packageMemory() * int64(max(1, len(c.sys.Running())))
	any := false
	for i := range c.sys.Slots {
		s := &c.sys.Slots[i]
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

// seenBytes returns the memory that the kernel surely sees on modules: firmware's map, else MemTotal.
// The size of memory blocks is too coarse. Nodes that have no CPUs may be of another kind of memory.
func (c *collector) seenBytes() fact.Fact[int64] {
	m := &c.sys.Memory
	seen := m.TotalBytes
	if m.MapBytes.Known() && m.MapBytes.Value > seen.Or(0) {
		seen = m.MapBytes
	}
	for i := range c.sys.Nodes {
		n := &c.sys.Nodes[i]
		if !notOnModules(n) && n.HasCPU.Or(false) {
			continue
		}
		bytes, ok := n.MemoryBytes.Get()
		if !ok {
			return fact.Blame[int64](n.MemoryBytes)
		}
		seen.Value -= bytes
	}
	return seen
}

// anothersTable compares a table that was given as a file with the machine's tree. What they disagree
// about is a doubt: the table may be another machine's.
func (c *collector) anothersTable() {
	f := &c.sys.Firmware
	if !c.given || c.table == nil || c.facts == nil {
		return
	}
	own := c.treeIdentity()
	same, differs := redfish.SameIdentifiers(c.tableIdentity(), own)
	if same {
		f.Compared = true
		return
	}
	var says []string
	compare := func(comparable bool, doubt string) {
		f.Compared = f.Compared || comparable
		if doubt != "" {
			says = append(says, doubt)
		}
	}
	compare(differs != "", differs)
	compare(c.productsDiffer())
	compare(c.boardsDiffer())
	compare(c.modelsDiffer())
	compare(c.packagesDiffer())
	compare(c.capacitiesDiffer())
	if len(says) == 0 {
		return
	}
	f.Doubt = "the SMBIOS file may be another machine's: " + strings.Join(says, "; ")
	c.saySource(f.Doubt)
	c.partialSource()
}

// tableIdentity returns the identifiers that the table states; none where serial numbers are hashes.
func (c *collector) tableIdentity() redfish.Identity {
	if c.sys.Redacted {
		return redfish.Identity{}
	}
	y, _ := c.table.System()
	return redfish.Identity{Serial: y.Serial.Or(""), UUID: y.UUID.Or("")}
}

// treeIdentity returns the identifiers that the tree states.
func (c *collector) treeIdentity() redfish.Identity {
	if c.sys.Redacted {
		return redfish.Identity{}
	}
	return redfish.Identity{Serial: c.facts.DMIID.ProductSerial.V, UUID: c.facts.DMIID.ProductUUID.V}
}

// productsDiffer compares the product's names.
func (c *collector) productsDiffer() (comparable bool, doubt string) {
	y, _ := c.table.System()
	return namesDiffer("machine", []string{statedText(y.Product)}, c.facts.DMIID.Product)
}

// boardsDiffer compares the board's names. A blade has several boards.
func (c *collector) boardsDiffer() (comparable bool, doubt string) {
	var names []string
	for _, b := range c.table.Boards() {
		names = append(names, statedText(b.Product))
	}
	return namesDiffer("board", names, c.facts.DMIID.Board)
}

func namesDiffer(what string, names []string, tree host.Value[string]) (comparable bool, doubt string) {
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

// modelNumber matches the words of a brand string that tell models apart: "E5-2670", "X5670", "7742".
var modelNumber = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`[A-Z0-9-]*[0-9]{3}[A-Z0-9-]*`) })

// modelsDiffer compares the processors by CPUID, else by the numbers in their brand strings.
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

// modelNumbers returns the model numbers of a brand string, without its clock.
func modelNumbers(brand string) []string {
	brand, _, _ = strings.Cut(strings.ToUpper(brand), "@")
	return modelNumber().FindAllString(brand, -1)
}

// packagesDiffer compares the number of processors that run. The kernel may run on fewer than there
// are where it was told so or CPUs are offline, and on Arm its packages may be clusters.
func (c *collector) packagesDiffer() (comparable bool, doubt string) {
	packages, ok := c.sys.CPU.Packages.Get()
	running := c.sys.Running()
	if !ok || len(running) == 0 || running[0].Handle < 0 || c.privileged() || !strings.HasPrefix(c.sys.Machine.Architecture.Or("x86"), "x86") {
		return false, ""
	}
	fewer := len(packages) < len(running)
	if fewer && (c.hasOption("maxcpus=", "nr_cpus=", "possible_cpus=") || len(c.sys.CPU.Online.Value) < len(c.sys.CPU.Present.Value)) {
		return false, ""
	}
	if len(packages) == len(running) {
		return true, ""
	}
	return true, fmt.Sprintf("it lists %s, and the kernel runs on %d", prose.Count(len(running), "running processor"), len(packages))
}

// capacitiesDiffer compares the modules' capacity with the memory that the kernel sees: it never sees
// more, and much less only where an option takes it away.
func (c *collector) capacitiesDiffer() (comparable bool, doubt string) {
	listed, ok := c.listedBytes()
	seen := c.seenBytes()
	if !ok || !seen.Known() || c.privileged() || c.hasOption("mem=", "memmap=") {
		return false, ""
	}
	if seen.Value <= listed+listed/100 && listed-seen.Value <= max(listed/25, 2<<30) {
		return true, ""
	}
	return true, fmt.Sprintf("its modules have %s, and the kernel sees %s", prose.ExactSize(listed), prose.Rounded(seen.Value))
}

// hasOption tells whether the kernel's command line has an option that begins so.
func (c *collector) hasOption(beginnings ...string) bool {
	options, _ := c.sys.NUMA.Options.Get()
	return slices.ContainsFunc(options, func(o string) bool {
		return slices.ContainsFunc(beginnings, func(b string) bool { return strings.HasPrefix(o, b) })
	})
}

// partialSource notes that the table is not to be taken as it stands.
func (c *collector) partialSource() {
	for i := range c.sys.Sources {
		if s := &c.sys.Sources[i]; s.Name == inventory.SourceSMBIOS && s.State == fact.SourceOK {
			s.State = fact.SourcePartial
		}
	}
}
