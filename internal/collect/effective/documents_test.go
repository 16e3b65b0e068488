package effective_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"memaudit.example/memaudit/internal/audit/facts"
	"memaudit.example/memaudit/internal/audit/rulepack"
	"memaudit.example/memaudit/internal/collect/collecttest"
	"memaudit.example/memaudit/internal/model/inventory"
	"memaudit.example/memaudit/internal/source/host/hosttest"
	"memaudit.example/memaudit/rules"
)

// builtinRows are the rows of every built-in profile.
func builtinRows(t *testing.T) map[string]*rulepack.ProfileSpec {
	t.Helper()
	packs, err := rulepack.LoadCompiled(rules.FS)
	require.NoError(t, err)
	out := map[string]*rulepack.ProfileSpec{}
	for _, pack := range packs {
		for _, p := range pack.Profiles {
			out[p.ID] = p
		}
	}
	return out
}

// judgedAs is the result of a row without an export.
func judgedAs(s inventory.Setting, p *rulepack.ProfileSpec, w *rulepack.WantedSetting) (result, reason string) {
	value, _ := facts.ValueFor(s, w.ID, w.Want, p.Face)
	switch {
	case !value.Known():
		return "unknown", value.Reason
	case slices.Contains(w.Want, value.Text()):
		return "pass", ""
	default:
		return "fail", ""
	}
}

// TestRowsByWhoDecided checks in the situations of the kernel's documents that no row with a literal BIOS value
// passes if something other than firmware decided; rows fail whoever decided, except for a value that every kernel
// sets by itself.
func TestRowsByWhoDecided(t *testing.T) {
	t.Parallel()
	all, byOthers, asked := builtinRows(t), 0, 0
	for _, s := range answered(t) {
		for id, p := range all {
			for _, w := range p.Table() {
				if w.ID != s.setting {
					continue
				}
				asked++
				result, reason := judgedAs(s.got, p, &w)
				firmware := s.who == inventory.DecidedFirmware || s.who == inventory.DecidedHardware
				switch {
				case result == "pass" && p.Face == facts.BasisConfigured:
					assert.True(t, firmware || strings.HasSuffix(w.ID, "_prefetch"), "%s %s: %s (%s)", id, w.ID, s.name, s.source)
				case result == "fail" && !firmware:
					byOthers++
					assert.NotEqual(t, "x2apic", w.ID, "%s: %s", id, s.name)
				}
				assert.Equal(t, result == "unknown", reason != "", "%s %s: %s", id, w.ID, s.name)
			}
		}
	}
	t.Logf("%d rows asked, %d failed by others than firmware", asked, byOthers)
	assert.Greater(t, byOthers, 100, "the running state counts whoever decided")
}

// TestFoundingPapersWithoutExport checks the rows of the two papers that measured running systems against the
// kernel's documents (docs/kernel.md), with expectations derived by hand: a state that contradicts the row fails it,
// whoever decided.
func TestFoundingPapersWithoutExport(t *testing.T) {
	t.Parallel()
	west := hosttest.Westmere
	reg := func(f hosttest.Files, address uint32, value uint64) hosttest.Files {
		return hosttest.Registers(f, map[uint32]uint64{address: value}, 0, 1, 2, 3)
	}
	acpi := func(names ...string) hosttest.Files {
		return idle(west, "acpi_idle", append([]string{polling, "C1 0 enabled ACPI FFH INTEL MWAIT 0x0"}, names...)...)
	}
	ida := func(on bool) hosttest.Files {
		f := flagless(scaled(west, "acpi-cpufreq"), "ida")
		if on {
			f = hosttest.Flags(f, "ida")
		}
		return f
	}
	threads := capable(withSMT(1, "notsupported", "0"), 4, 8, 0)
	c3, c6 := "C3 0 enabled MWAIT 0x10", "C6 0 enabled MWAIT 0x20"
	nhm := []string{polling, "C1 0 enabled MWAIT 0x00", "C1E 0 enabled MWAIT 0x01"}
	all := builtinRows(t)
	for _, c := range []struct {
		profile, setting, name string
		files                  hosttest.Files
		result, says           string
	}{
		// SMT: the running threads, and who disabled them.
		{"dell-11g/hpc", "smt", "SMT runs", withSMT(2, "on", "1"), "fail", ""},
		{"dell-11g/hpc", "smt", "off in the setup", threads, "pass", ""},
		{"dell-11g/hpc", "smt", "off by nosmt", hosttest.Options(withSMT(1, "off", "0"), "nosmt"), "pass", ""},

		// Turbo: the flag is the copy made at boot; boost=0 was set by an administrator.
		{"dell-11g/max-performance", "turbo", "on", ida(true), "pass", ""},
		{"dell-11g/max-performance", "turbo", "no flag: the setup, for the row asks processors with Turbo alone", ida(false), "fail", ""},
		{"dell-11g/max-performance", "turbo", "firmware's bit", reg(ida(false), 0x1A0, miscTurbo), "fail", ""},
		{"dell-11g/max-performance", "turbo", "boost=0 at run time", boosted(ida(true), "0"), "fail", ""},
		{"dell-11g/max-performance", "turbo", "no_turbo=1 at run time", intelTurbo(true, "1"), "fail", ""},
		{"dell-11g/max-performance", "turbo", "boost=0, by whom nothing shows", boosted(ida(false), "0"), "fail", ""},
		{"dell-11g/energy-efficiency", "turbo", "on", ida(true), "fail", ""},

		// C-states: acpi_idle lists firmware's, intel_idle its own.
		{"dell-11g/balanced", "c_states", "intel_idle uses them", idle(west, "intel_idle", append(nhm, c3, c6)...), "pass", ""},
		{"dell-11g/balanced", "c_states", "acpi_idle, C1 alone", acpi(), "fail", ""},
		{"dell-11g/balanced", "c_states", "off by cpupower", acpi("C2 1 enabled ACPI FFH INTEL MWAIT 0x10"), "fail", ""},
		{"dell-11g/balanced", "c_states", "off, on a kernel that does not say since when", acpi("C2 1 - ACPI FFH INTEL MWAIT 0x10"), "fail", ""},
		{"dell-11g/balanced", "c_states", "processor.max_cstate=1", hosttest.Options(acpi(), "processor.max_cstate=1"), "fail", ""},
		{"dell-11g/balanced", "c_states", "idle=poll", hosttest.Options(idle(west, "none"), "idle=poll"), "fail", ""},
		{"dell-11g/low-latency", "c_states", "acpi_idle lists C2", acpi("C2 0 enabled ACPI FFH INTEL MWAIT 0x10"), "fail", ""},
		{"dell-11g/low-latency", "c_states", "intel_idle has a table of its own", idle(west, "intel_idle", append(nhm, c3, c6)...), "fail", ""},
		{"dell-11g/low-latency", "c_states", "intel_idle left out what firmware does not list", idle(west, "intel_idle", append(nhm, "C3 1 disabled MWAIT 0x10", "C6 1 disabled MWAIT 0x20")...), "pass", ""},
		{"dell-11g/low-latency", "c_states", "off by cpupower", acpi("C2 1 enabled ACPI FFH INTEL MWAIT 0x10"), "pass", ""},

		// C1E: intel_idle clears firmware's bit and uses the state itself.
		{"dell-11g/low-latency", "c1e", "intel_idle's own entry", reg(idle(west, "intel_idle", append(nhm, c6)...), 0x1FC, 0), "fail", ""},
		{"dell-11g/low-latency", "c1e", "acpi_idle, firmware's bit set", reg(acpi("C2 0 enabled ACPI FFH INTEL MWAIT 0x10"), 0x1FC, 2), "fail", ""},
		{"dell-11g/balanced", "c1e", "acpi_idle, firmware's bit clear", reg(acpi("C2 0 enabled ACPI FFH INTEL MWAIT 0x10"), 0x1FC, 0), "fail", ""},
		{"dell-11g/balanced", "c1e", "the entry switched off at run time", idle(west, "intel_idle", polling, "C1 0 enabled MWAIT 0x00", "C1E 1 enabled MWAIT 0x01", c6), "fail", ""},

		// Who scales frequencies.
		{"dell-11g/balanced", "power_policy", "acpi-cpufreq needs firmware's _PSS", scaled(west, "acpi-cpufreq"), "fail", ""},
		{"dell-11g/max-performance", "power_policy", "no driver: firmware scales, which of its profiles does not show", hosttest.Notes(west.Tree(hosttest.TwoSockets), "names\t/"+hosttest.CPUDir+"cpufreq"), "unknown", ""},

		// The register of the prefetchers, which the kernel does not change; Data Reuse has none.
		{"dell-11g/hpc", "dcu_stream_prefetch", "bit set", reg(west.Tree(hosttest.TwoSockets), 0x1A4, 4), "fail", ""},
		{"dell-11g/hpc", "dcu_stream_prefetch", "bit clear", reg(west.Tree(hosttest.TwoSockets), 0x1A4, 0), "pass", ""},
		{"dell-11g/hpc", "data_reuse", "no public register", west.Tree(hosttest.TwoSockets), "unknown", ""},

		// Node interleaving: the kernel finds no SRAT, unless numa=off hides it.
		{"dell-11g/hpc", "node_interleave", "a node a socket", west.Tree(hosttest.TwoSockets), "pass", ""},
		{"dell-11g/hpc", "node_interleave", "one node over two sockets", interleaved(west), "fail", ""},
		{"dell-11g/hpc", "node_interleave", "numa=off, firmware's table there", hosttest.Options(hosttest.Nodes(west.Tree(hosttest.TwoSockets), "0-3"), "numa=off"), "pass", ""},
		{"dell-11g/hpc", "node_interleave", "numa=off, no table", hosttest.Options(interleaved(west), "numa=off"), "unknown", "the command line turns NUMA off"},
		{"fujitsu-westmere-ex/hpc", "node_interleave", "one node over two sockets", interleaved(west), "fail", ""},
		{"fujitsu-westmere-ex/hpc", "node_interleave", "numa=off, no table", hosttest.Options(interleaved(west), "numa=off"), "unknown", "the command line turns NUMA off"},

		// Fujitsu's other rows: no kernel shows them, or the modules' table does.
		{"fujitsu-westmere-ex/hpc", "controller_interleave", "not visible", west.Tree(hosttest.TwoSockets), "unknown", ""},
		{"fujitsu-westmere-ex/hpc", "hemisphere_mode", "not visible", west.Tree(hosttest.TwoSockets), "unknown", ""},
		{"fujitsu-westmere-ex/hpc", "memory_speed", "modules below their speed, for whatever reason", modules(west.Tree(hosttest.TwoSockets), 16384, [2]int{2666, 2400}), "unknown", "runs at 2400 of 2666 MT/s"},
		{"fujitsu-westmere-ex/hpc", "memory_ras_mode", "mem= hides memory", hosttest.Options(modules(west.Tree(hosttest.TwoSockets), 16384, [2]int{1333, 1333}).Without("sys/firmware/memmap/"), "mem=8G"), "unknown", "limits the memory"},
	} {
		p := all[c.profile]
		require.NotNil(t, p, c.profile)
		i := slices.IndexFunc(p.Table(), func(w rulepack.WantedSetting) bool { return w.ID == c.setting })
		require.GreaterOrEqual(t, i, 0, c.setting)
		row := p.Table()[i]
		result, reason := judgedAs(collecttest.Collected(t, c.files).Settings[c.setting], p, &row)
		assert.Equal(t, c.result, result, "%s %s: %s: %s", c.profile, c.setting, c.name, reason)
		assert.Contains(t, reason, c.says, "%s %s: %s", c.profile, c.setting, c.name)
	}
}
