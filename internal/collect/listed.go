package collect

import (
	"fmt"
	"strings"

	"github.com/memaudit/memaudit/internal/fact"
	"github.com/memaudit/memaudit/internal/inventory"
	"github.com/memaudit/memaudit/internal/prose"
	"github.com/memaudit/memaudit/internal/smbios"
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
		if _, other := uses[array]; !other || !d.Array.Known() || !isModule(d, c.said.of(17, d.Handle, c.table)) {
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
