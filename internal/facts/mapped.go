package facts

import (
	"slices"

	"github.com/memaudit/memaudit/internal/fact"
	"github.com/memaudit/memaudit/internal/inventory"
)

// unmapped is the installed memory that firmware itself gave no addresses to,
// for an input without a kernel. Firmware's account is believed where all but
// what is normally reserved is mapped, and where the difference is whole
// modules; any other total is the account's own fault as often as the
// memory's.
func unmapped(m *Machine) Value {
	installed, mapped := of(m.topo.InstalledBytes), of(m.sys.Memory.MappedBytes)
	v := derived(func() any { return max(0, m.topo.InstalledBytes.Value-m.sys.Memory.MappedBytes.Value) }, installed, mapped, positive(installed))
	if !v.Known() {
		return v
	}
	doubt := func(reason string) Value {
		v.v, v.state, v.Reason, v.KnownBy = nil, fact.Conflicting, reason, "run memaudit on the machine itself, where the kernel says what it sees"
		return v
	}
	total, given := m.topo.InstalledBytes.Value, m.sys.Memory.MappedBytes.Value
	lost := v.v.(int64)
	account := "firmware maps " + gib(given) + " of " + gib(total)
	switch {
	case given > total+total/100:
		return doubt(account + ", more than the listed modules hold")
	case lost <= reserved(total):
		return v
	case m.sys.Memory.MappedEnd <= 4*gibibyte:
		return doubt(account + " and no address above 4 GiB: it does not list the rest")
	case lost%(64*gibibyte) == 0 && given < 64*gibibyte:
		return doubt(account + ", which is what 36 address bits leave of it")
	case !m.wholeModules(lost):
		return doubt(account + ", and the difference is not the size of whole modules")
	}
	silent := m.silentModules()
	if name := m.listedTwice(silent); name != "" {
		return doubt(account + ", but " + name + " is listed twice")
	}
	var silentBytes int64
	for _, i := range silent {
		silentBytes += m.sys.Slots[i].SizeBytes.Or(0)
	}
	switch {
	case silentBytes == lost:
		v.Certainty = fact.Corroborated
		for _, i := range silent {
			said := of(m.sys.Slots[i].Mapped)
			v.rest(&said)
		}
	case m.oneModule(lost):
		return doubt(account + ", one module less, and no module is without an address range or a running speed beside its neighbours")
	}
	return v
}

const gibibyte = int64(1) << 30

// oneModule reports whether a single module has this capacity.
func (m *Machine) oneModule(bytes int64) bool {
	return slices.ContainsFunc(m.sys.Slots, func(s inventory.Slot) bool { return isDRAM(&s) && s.SizeBytes.Or(0) == bytes })
}

// maxSums bounds the capacities that wholeModules keeps: modules of one machine
// come in few sizes.
const maxSums = 1 << 14

// wholeModules reports whether some of the modules have this capacity together.
func (m *Machine) wholeModules(bytes int64) bool {
	sums := map[int64]bool{0: true}
	for i := range m.sys.Slots {
		s := &m.sys.Slots[i]
		if !isDRAM(s) {
			continue
		}
		var more []int64
		for sum := range sums {
			if next := sum + s.SizeBytes.Value; next <= bytes {
				more = append(more, next)
			}
		}
		for _, sum := range more {
			sums[sum] = true
		}
		if len(sums) > maxSums {
			return false
		}
	}
	return sums[bytes]
}

// silentModules are those, by index, that firmware gives no address range or no
// running speed, where it gives both to others.
func (m *Machine) silentModules() []int {
	var out []int
	running, ranged := false, false
	for i := range m.sys.Slots {
		if s := &m.sys.Slots[i]; isDRAM(s) {
			running, ranged = running || s.ConfiguredMTs.Known(), ranged || s.Mapped.Or(false)
		}
	}
	for i := range m.sys.Slots {
		s := &m.sys.Slots[i]
		stopped, outside := s.ConfiguredMTs.State == fact.Unstated, s.Mapped.Known() && !s.Mapped.Value
		if isDRAM(s) && (running && stopped || ranged && outside) {
			out = append(out, i)
		}
	}
	return out
}

// listedTwice names a module without an address range that has both labels of
// another one, or one of them and an array that does not exist: Phytium's
// FT-2000/4 lists a module a second time like that.
func (m *Machine) listedTwice(silent []int) string {
	for _, i := range silent {
		s := &m.sys.Slots[i]
		for j := range m.sys.Slots {
			o := &m.sys.Slots[j]
			if i == j || !isDRAM(o) || !s.Locator.Known() || !s.BankLocator.Known() {
				continue
			}
			locator, bank := s.Locator.Value == o.Locator.Value, s.BankLocator.Value == o.BankLocator.Value
			if locator && bank || (locator || bank) && !m.hasArray(s.Array) && m.hasArray(o.Array) {
				return m.slotName(i)
			}
		}
	}
	return ""
}

func (m *Machine) hasArray(handle uint16) bool {
	return slices.ContainsFunc(m.sys.Arrays, func(a inventory.Array) bool { return a.Handle == handle })
}

// silentNames are the modules that firmware leaves out of its account, where
// they make up the memory that it does not map.
func silentNames(m *Machine) Value {
	v := unmapped(m)
	if !v.Known() {
		return v
	}
	names := []string{}
	if v.Certainty == fact.Corroborated {
		for _, i := range m.silentModules() {
			names = append(names, m.slotName(i))
		}
	}
	v.v = names
	return v
}
