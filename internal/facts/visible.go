package facts

import (
	"slices"
	"strings"

	"github.com/memaudit/memaudit/internal/fact"
	"github.com/memaudit/memaudit/internal/inventory"
)

// hidden is the installed memory that the system does not see; without a
// kernel, that firmware gives no addresses to.
func hidden(m *Machine) Value {
	if !m.visible().Known() && m.sys.Memory.MappedBytes.Known() {
		return unmapped(m)
	}
	return unseen(m)
}

// unseen is the installed memory that the kernel does not see. A system that
// sees more than the modules hold proves the list of modules incomplete, so
// that nothing can be concluded.
func unseen(m *Machine) Value {
	seen := m.visible()
	installed, visible := of(m.topo.InstalledBytes), of(seen)
	return m.complete(derived(func() any {
		return max(0, m.topo.InstalledBytes.Value-seen.Value)
	}, installed, visible, positive(installed)))
}

// visible is what the kernel sees: its own best account, else any other that was
// read. One that was judged and refused (a guest of Xen) is not replaced.
func (m *Machine) visible() fact.Fact[int64] {
	k := &m.sys.Memory
	if k.VisibleBytes.Known() || k.VisibleBytes.State == fact.Refused {
		return k.VisibleBytes
	}
	return fact.First(k.MapBytes, k.BlockBytes, k.TotalBytes, k.VisibleBytes)
}

// complete turns v into an unknown when more memory is visible than installed.
func (m *Machine) complete(v Value) Value {
	installed, visible := m.topo.InstalledBytes, m.visible()
	if v.Known() && visible.Value > installed.Value+installed.Value/100 {
		return Value{state: fact.Conflicting, from: v.from, more: v.more,
			Reason: "the system sees " + gib(visible.Value) + ", more than the " + gib(installed.Value) + " of the listed modules"}
	}
	return v
}

// reserved is what firmware and kernel normally keep for themselves: 4 % of
// the memory or 2 GiB, whichever is larger.
func reserved(installed int64) int64 { return max(installed/25, 2<<30) }

// mirrored is true when just half or a third of the installed memory is
// visible, false when all of it is but for what is normally reserved. Any
// other share (rank sparing, a failed module, a kernel option) decides
// nothing.
func mirrored(m *Machine) Value {
	h := unseen(m)
	if !h.Known() {
		return h
	}
	installed := m.topo.InstalledBytes.Value
	lost := h.v.(int64)
	if lost <= reserved(installed) {
		h.v = false
		return h
	}
	if o := m.memoryOptions(); o.Known() && len(o.v.([]string)) > 0 {
		return Missing(fact.Refused, "the kernel was told to leave memory alone: "+join(o.v.([]string)), "boot without the option")
	}
	for _, parts := range []int64{2, 3} {
		visible := installed - lost
		if visible <= installed/parts && visible >= installed/parts-reserved(installed/parts) {
			h.v = true
			return h
		}
	}
	return Value{state: fact.Absent, from: h.from, more: h.more, KnownBy: "export the BIOS settings and pass them to the audit",
		Reason: gib(lost) + " of " + gib(installed) + " are missing, which is neither a normal reservation nor a mirror"}
}

// memoryOptions are the kernel options that take memory away.
func (m *Machine) memoryOptions() Value {
	return via(m.sys.NUMA.Options, func(options []string) any {
		out := []string{}
		for _, o := range options {
			if strings.HasPrefix(o, "mem=") || strings.HasPrefix(o, "memmap=") {
				out = append(out, o)
			}
		}
		return out
	})
}

// The words of SMBIOS (DSP0134 7.17) for the error correction of an array.
const (
	eccNone   = "None"
	eccParity = "Parity"
)

// noArray says why nothing is known of the memory arrays.
func (m *Machine) noArray() Value {
	if m.listed() {
		return Missing(fact.Absent, "SMBIOS lists memory devices without an array that would declare their error correction", "load the platform's EDAC driver")
	}
	return m.noPopulation()
}

// usedArrays are the arrays that hold DRAM; all of them when no module names
// its array. Firmware declares "None" for the empty array of a second
// processor.
func (m *Machine) usedArrays() []inventory.Array {
	var out []inventory.Array
	for _, a := range m.sys.Arrays {
		for i := range m.sys.Slots {
			if s := &m.sys.Slots[i]; s.Array == a.Handle && isDRAM(s) {
				out = append(out, a)
				break
			}
		}
	}
	if out == nil {
		return m.sys.Arrays
	}
	return out
}

// eccOn says whether errors are corrected. A driver of the memory controller
// itself loads only with correction on and is the best witness; next an array
// that declares none; a declared correction alone is indirect.
func eccOn(m *Machine) Value {
	native := edacNative(m)
	if native.v == true {
		modes := edacModes(m)
		list, _ := modes.v.([]string)
		native.v = !slices.Contains(list, eccNone)
		native.Certainty = min(native.Certainty, fact.Direct)
		return native
	}
	if len(m.sys.Arrays) == 0 {
		return m.noArray()
	}
	facts := []Value{}
	for _, a := range m.usedArrays() {
		v := of(a.ECC)
		if v.v == eccNone || v.v == eccParity {
			return derived(func() any { return false }, v)
		}
		if v.Known() && !slices.Contains([]string{"Single-bit ECC", "Multi-bit ECC", "CRC"}, v.v.(string)) {
			return Missing(fact.Unstated, "firmware calls the error correction "+v.v.(string), "load the platform's EDAC driver")
		}
		facts = append(facts, v)
	}
	if m.sys.Firmware.Lost != nil {
		return m.noPopulation()
	}
	out := derived(func() any { return true }, facts...)
	if out.Known() {
		out.Certainty = min(out.Certainty, fact.Indirect)
	}
	return out
}
