package effective

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"memaudit.example/memaudit/internal/model/ddr"
	"memaudit.example/memaudit/internal/model/fact"
	"memaudit.example/memaudit/internal/model/inventory"
)

// memorySpeed derives the memory speed setting: the maximum if all modules run at their rated speed. Slower modules can
// be limited by the processor, the population or the setting; which one is unknown here.
func (m *Machine) memorySpeed() fact.Fact[string] {
	if m.System.Machine.Virtual.Or(false) {
		return fact.Unknown[string](fact.Refused, "a hypervisor makes up the memory modules of its guest", "audit the host", m.System.Machine.Virtual.From)
	}
	if !m.System.Firmware.SMBIOS.Known() {
		return fact.UnknownFrom[string](m.System.Firmware.SMBIOS)
	}
	var at []fact.Evidence
	for s := range inventory.Pointers(m.System.Slots) {
		if s.State != inventory.SlotPopulated || s.Technology.Known() && s.Technology.Value != inventory.DRAM {
			continue
		}
		if !s.Technology.Known() {
			return fact.UnknownFrom[string](s.Technology)
		}
		rated, configured := &s.RatedMTs, &s.ConfiguredMTs
		switch {
		case !configured.Known():
			return fact.UnknownFrom[string](*configured)
		case !rated.Known():
			return fact.UnknownFrom[string](*rated)
		case configured.Value < rated.Value && !ddr.SameSpeed(configured.Value, rated.Value):
			return fact.Unknown[string](fact.Absent, fmt.Sprintf("%s runs at %d of %d MT/s; whether a setting, the processor or the population limits it does not show",
				s.Locator.Or("a module"), ddr.Nominal(configured.Value), ddr.Nominal(rated.Value)), fact.BIOSOrBMC, configured.From, rated.From)
		}
		at = append(at, configured.From, rated.From)
	}
	if len(at) == 0 {
		return fact.Unknown[string](fact.Absent, "no memory module is listed", "", m.System.Firmware.SMBIOS.From)
	}
	if p := cmp.Or(m.System.Firmware.Lost, m.System.Firmware.Short); p != nil {
		return fact.Unknown[string](fact.Truncated, "modules may be missing from the list: "+p.Text, "", m.System.Firmware.SMBIOS.From)
	}
	return fact.Known("max", fact.Corroborated, at[0], at[1:min(len(at), 4)]...)
}

// Shares of the installed memory that the system sees (docs/kernel.md,
// Mirroring, sparing, lockstep): about one half is full mirroring, one third mirroring in three.
const (
	mirrorTolerance = 0.04
	reservedBytes   = 2 << 30
)

// memoryRASMode derives mirroring from the share of the installed memory that the system sees, and
// lockstep from the correction mode that the EDAC driver of Sandy Bridge to Broadwell shows. If all
// memory is visible, only mirroring and rank sparing are excluded.
func (m *Machine) memoryRASMode() fact.Fact[string] {
	switch {
	case m.Kernel == nil:
		return m.NoKernel("the memory that the system sees")
	case m.System.Machine.Virtual.Or(false):
		return fact.Unknown[string](fact.Refused, "a hypervisor makes up the memory of its guest", "audit the host", m.System.Machine.Virtual.From)
	}
	// The kernel's message about the EFI memory map, in which mirrored memory is marked as more reliable (UEFI 2.5,
	// EFI_MEMORY_MORE_RELIABLE). If all of it is, the capacity shows full mirroring.
	if part := m.Kernel.KernelLog.Mirrored; part.Known() && part.Value.Mirrored != part.Value.All {
		return fact.Known("mirror_partial", fact.Direct, part.From)
	}
	if f := m.deriveLockstep(); f.Known() {
		return f
	}
	return m.deriveMirroring()
}

// deriveLockstep reads the correction modes of sb_edac: S8ECD8ED is lockstep, S4ECD4ED independent channels.
func (m *Machine) deriveLockstep() fact.Fact[string] {
	var found fact.Fact[string]
	for controller := range inventory.Pointers(m.System.EDAC) {
		if !strings.HasPrefix(controller.Name.Or(""), "Sandy Bridge") && !strings.HasPrefix(controller.Name.Or(""), "Ivy Bridge") &&
			!strings.HasPrefix(controller.Name.Or(""), "Haswell") && !strings.HasPrefix(controller.Name.Or(""), "Broadwell") {
			return fact.Fact[string]{}
		}
		for j := range controller.DIMMs {
			word, ok := map[string]string{"S8ECD8ED": "lockstep", "S4ECD4ED": "independent"}[controller.DIMMs[j].Mode.Or("")]
			switch {
			case !ok, found.Known() && found.Value != word:
				return fact.Fact[string]{}
			case !found.Known():
				found = fact.Known(word, fact.Direct, controller.DIMMs[j].Mode.From, controller.Name.From)
			}
		}
	}
	if found.Or("") != "independent" {
		return found
	}
	// Independent channels can still be mirrored.
	if share := m.deriveMirroring(); share.Known() {
		return share
	}
	switch installed, ok := m.installedBytes(); {
	case !ok:
		found.Certainty = fact.Indirect
	case !m.allVisible(installed):
		return fact.Fact[string]{}
	default:
		found.Certainty = fact.Corroborated
	}
	return found
}

// installedBytes is false if a slot cannot be counted or the table is not the machine's own.
func (m *Machine) installedBytes() (int64, bool) {
	var sum int64
	if p := m.System.Firmware.Lost; !m.OwnTable || p != nil && p.Code != inventory.ProblemShort {
		return 0, false
	}
	for s := range inventory.Pointers(m.System.Slots) {
		size, ok := s.SizeBytes.Get()
		switch technology := s.Technology.Or(inventory.Other); {
		case s.State == inventory.SlotEmpty, technology == inventory.Flash:
		case s.State != inventory.SlotPopulated || !ok || technology != inventory.DRAM:
			return 0, false
		default:
			sum += size
		}
	}
	return sum, sum > 0
}

// allVisible allows for the part that firmware and kernel reserve, which is smaller than a spare rank.
func (m *Machine) allVisible(installed int64) bool {
	visible, ok := m.System.Memory.VisibleBytes.Get()
	missing := installed - visible
	return ok && missing >= 0 && (float64(missing) <= mirrorTolerance*float64(installed) || missing <= reservedBytes && missing < m.smallestRank())
}

// smallestRank returns the size in bytes of the smallest rank, the least that rank sparing removes.
// Modules with an unknown number of ranks count with four, the most of modules that are not stacked.
func (m *Machine) smallestRank() int64 {
	least := int64(math.MaxInt64)
	for s := range inventory.Pointers(m.System.Slots) {
		if size := s.SizeBytes.Or(0); size != 0 {
			least = min(least, size/int64(max(s.Ranks.Or(4), 1)))
		}
	}
	return least
}

// deriveMirroring derives the mode from the share of the memory that is visible. Half of it alone is not conclusive: sparing
// also leaves half in some layouts (1-1|1-1 in Fujitsu, Memory Performance of Westmere-EX based Systems, 2011).
func (m *Machine) deriveMirroring() fact.Fact[string] {
	installed, ok := m.installedBytes()
	visible, marked := m.System.Memory.VisibleBytes, m.Kernel.KernelLog.Mirrored
	limited := slices.ContainsFunc(m.System.NUMA.Options.Or(nil), func(o string) bool { return strings.HasPrefix(o, "mem=") || strings.HasPrefix(o, "memmap=") })
	switch {
	case !ok:
		return fact.Unknown[string](fact.Unread, "the installed memory is not known, so the visible memory cannot be compared with it", fact.OwnTableOrBIOS)
	case !visible.Known():
		return fact.UnknownFrom[string](visible)
	case limited && visible.From.Path != m.System.Memory.MapBytes.From.Path: // the option does not change firmware's map
		return fact.Unknown[string](fact.Refused, "the command line limits the memory that the system uses", "boot without the option", m.System.NUMA.Cmdline.From)
	}
	at := fact.At(inventory.SourceSMBIOS, inventory.TablePath, strconv.FormatInt(installed, 10)+" bytes in DRAM modules")
	share := float64(visible.Value) / float64(installed)
	half, third := share > 0.5*(1-mirrorTolerance)-0.01 && share <= 0.5, share > (1-mirrorTolerance)/3-0.01 && share <= 1.0/3
	switch {
	case half && marked.Known() && marked.Value.Mirrored == marked.Value.All: // in firmware's memory map
		return fact.Known("mirror_full", fact.Corroborated, visible.From, at)
	case half:
		return unobservable("half of the installed memory is visible, which is what mirroring leaves, and sparing of one of two ranks or modules too", visible.From, at)
	case third:
		return fact.Known("mirror_full", fact.Indirect, visible.From, at)
	case m.allVisible(installed):
		return unobservable("all memory is visible, which excludes mirroring and rank sparing; lockstep and ADDDC take none away", visible.From, at)
	default:
		return unobservable(fmt.Sprintf("%.0f %% of the installed memory is visible: neither all of it nor a mirror's half", share*100), visible.From, at)
	}
}

// patrolScrub derives whether the driver of the memory controllers shows a scrub rate. There is no
// canonical word for the rate itself.
func (m *Machine) patrolScrub() derived {
	controllers := m.Kernel.EDAC.Controllers
	list, ok := controllers.Get()
	if !ok {
		f := fact.UnknownFrom[string](controllers)
		f.KnownBy = fact.BIOSOrBMC
		return derived{effective: f}
	}
	var found fact.Fact[string]
	for i := range list {
		rate := list[i].ScrubRate
		word := fact.Convert(rate, func(bytes int64) string {
			if bytes == 0 {
				return disabledWord
			}
			return enabledWord
		})
		switch {
		case !word.Known():
			return derived{effective: unobservable("the driver of the memory controllers does not state the scrub rate", rate.From)}
		case i == 0:
			found = word
		case word.Value != found.Value:
			return derived{effective: fact.Unknown[string](fact.Conflicting, fmt.Sprintf("the memory controllers differ: %s bytes/s at %s, %s at %s",
				found.From.Raw, found.From.Path, rate.From.Raw, rate.From.Path), "", found.From, rate.From)}
		}
	}
	return derived{found, unknownDecider("firmware set the rate, or it was changed since boot", found.From)}
}
