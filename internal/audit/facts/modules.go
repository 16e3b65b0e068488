package facts

import (
	"fmt"
	"math/bits"

	"github.com/memaudit/memaudit/internal/model/fact"
	"github.com/memaudit/memaudit/internal/model/humanize"
	"github.com/memaudit/memaudit/internal/model/inventory"
)

// moduleGaps names what is missing of modules that have channels of their own: an empty slot, a module smaller
// than the largest, fewer modules than the processors take. Firmware may list packages or all memory as one
// entry instead; then equal rows do not show the number of modules.
func moduleGaps(m *Machine) Value {
	p, ok := m.population.Platform.Get()
	switch {
	case !ok:
		return valueOf(m.population.Platform)
	case p.OwnChannels == "":
		return PlainValue([]string{})
	case !m.listed():
		return m.noPopulation()
	}
	from := []Value{valueOf(m.population.Platform)}
	gaps := []string{}
	rows, largest := 0, int64(0)
	for i := range m.sys.Slots {
		s := &m.sys.Slots[i]
		switch {
		case s.Technology.Or(inventory.DRAM) != inventory.DRAM:
			continue
		case s.State == inventory.SlotUnknown:
			return Missing(fact.Unstated, s.Unsized(), s.SizeBytes.KnownBy)
		case s.State == inventory.SlotEmpty:
			gaps = append(gaps, m.slotName(i)+" is empty")
		default:
			from = append(from, valueOf(s.SizeBytes))
			largest = max(largest, s.SizeBytes.Or(0))
		}
		rows++
	}
	for i, s := range m.modules() {
		if s.SizeBytes.Or(0) < largest {
			gaps = append(gaps, m.slotName(i)+" has "+humanize.Size(s.SizeBytes.Or(0))+", others have "+humanize.Size(largest))
		}
	}
	processors := len(m.population.Populations)
	want := p.ModulesPerSocket * processors
	if len(gaps) > 0 || want == 0 || rows == want {
		return derived(func() any { return gaps }, from...)
	}
	if each := rows / processors; rows > want || rows%processors == 0 && bits.OnesCount(uint(each)) == 1 {
		return Missing(fact.Absent, fmt.Sprintf("firmware lists %s for %s, and no document says whether each is one %s module", humanize.Plural(rows, "device"), humanize.Plural(processors, "processor"), p.OwnChannels), "")
	}
	gaps = append(gaps, fmt.Sprintf("%s for the %d places of %s", humanize.Plural(rows, p.OwnChannels+" module"), want, humanize.Plural(processors, "processor")))
	out := derived(func() any { return gaps }, from...)
	out.Unverified = out.Unverified || p.Unverified["modules_per_socket"]
	return out
}
