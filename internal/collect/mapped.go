package collect

import (
	"cmp"
	"fmt"
	"slices"

	"memaudit.example/memaudit/internal/model/fact"
	"memaudit.example/memaudit/internal/model/inventory"
	"memaudit.example/memaudit/internal/source/smbios"
)

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
