package collect_test

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/memaudit/memaudit/internal/fact"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/memaudit/memaudit/internal/collect"
	"github.com/memaudit/memaudit/internal/host"
	"github.com/memaudit/memaudit/internal/host/hosttest"
	"github.com/memaudit/memaudit/internal/inventory"
	"github.com/memaudit/memaudit/internal/settings"
	"github.com/memaudit/memaudit/internal/smbios"
	"github.com/memaudit/memaudit/internal/smbios/smbiostest"
)

// part is a processor model for test trees.
type part struct {
	vendor, brand string
	family, model int
}

// Processors of every kind that the decision tables tell apart.
var (
	nocona    = part{"GenuineIntel", "Intel(R) Xeon(TM) CPU 3.00GHz", 15, 4}
	sossaman  = part{"GenuineIntel", "Genuine Intel(R) CPU 2.00GHz", 6, 14}
	harper    = part{"GenuineIntel", "Intel(R) Xeon(R) CPU E5450 @ 3.00GHz", 6, 23}
	dunning   = part{"GenuineIntel", "Intel(R) Xeon(R) CPU X7460 @ 2.66GHz", 6, 29}
	westmere  = part{"GenuineIntel", "Intel(R) Xeon(R) CPU X5670 @ 2.93GHz", 6, 44}
	ivybridge = part{"GenuineIntel", "Intel(R) Xeon(R) CPU E5-2690 v2 @ 3.00GHz", 6, 62}
	haswell   = part{"GenuineIntel", "Intel(R) Xeon(R) CPU E5-2697 v3 @ 2.60GHz", 6, 63}
	broadwell = part{"GenuineIntel", "Intel(R) Xeon(R) CPU E5-2697 v4 @ 2.30GHz", 6, 79}
	skylake   = part{"GenuineIntel", "Intel(R) Xeon(R) Gold 6148 CPU @ 2.40GHz", 6, 85}
	sapphire  = part{"GenuineIntel", "Intel(R) Xeon(R) Platinum 8480+", 6, 143}
	cpumax    = part{"GenuineIntel", "Intel(R) Xeon(R) CPU Max 9480", 6, 143}
	granite   = part{"GenuineIntel", "Intel(R) Xeon(R) 6980P", 6, 173}
	k8        = part{"AuthenticAMD", "AMD Opteron(tm) Processor 285", 15, 33}
	fam10h    = part{"AuthenticAMD", "AMD Opteron(tm) Processor 6174", 16, 9}
	naples    = part{"AuthenticAMD", "AMD EPYC 7601 32-Core Processor", 23, 1}
	rome      = part{"AuthenticAMD", "AMD EPYC 7742 64-Core Processor", 23, 49}
	arm       = part{"ARM", "Neoverse-N1", 8, 3340}
)

// tree is the sys and proc of a regular machine of these processors.
func (p part) tree(m hosttest.Machine) hosttest.Files {
	m.Vendor, m.Brand = p.vendor, p.brand
	f := m.Files().Without("sys/devices/system/memory/")
	// The kernel manages less than firmware maps.
	total, err := strconv.Atoi(strings.Fields(f["proc/meminfo"])[1])
	if err != nil {
		panic(err)
	}
	f["proc/meminfo"] = fmt.Sprintf("MemTotal:       %d kB\n", total-total/64)
	f["proc/cpuinfo"] = strings.NewReplacer("cpu family\t: 6\nmodel\t\t: 143",
		fmt.Sprintf("cpu family\t: %d\nmodel\t\t: %d", p.family, p.model)).Replace(f["proc/cpuinfo"])
	return f
}

// Folders and files that the tests take away or replace.
const (
	acpi    = "sys/firmware/acpi/tables/"
	nodeDir = "sys/devices/system/node/"
	cpuDir  = "sys/devices/system/cpu/"
	dmiID   = "sys/devices/virtual/dmi/id/"
	dmiTab  = "sys/firmware/dmi/tables/DMI"
	dmiEP   = "sys/firmware/dmi/tables/smbios_entry_point"
	cmdline = "proc/cmdline"
	cpuinfo = "proc/cpuinfo"
)

// nodes replaces the nodes of a tree: one node for each list of CPUs.
func nodes(f hosttest.Files, lists ...string) hosttest.Files {
	f = f.Without(nodeDir)
	all := make([]int, len(lists))
	for i, list := range lists {
		all[i] = i
		dir := fmt.Sprintf("%snode%d/", nodeDir, i)
		f[dir+"cpulist"] = list + "\n"
		f[dir+"meminfo"] = fmt.Sprintf("Node %d MemTotal: 1048576 kB\n", i)
		f[dir+"distance"] = strings.TrimSpace(strings.Repeat("10 ", len(lists))) + "\n"
	}
	for _, name := range []string{"online", "possible", "has_cpu", "has_memory"} {
		f[nodeDir+name] = hosttest.List(all)
	}
	return f
}

// options appends to the command line.
func options(f hosttest.Files, words string) hosttest.Files {
	return f.With(hosttest.Files{cmdline: "BOOT_IMAGE=/vmlinuz ro " + words + "\n"})
}

// flags adds flags of the processor.
func flags(f hosttest.Files, words string) hosttest.Files {
	return f.With(hosttest.Files{cpuinfo: strings.ReplaceAll(f[cpuinfo], "flags\t\t: ", "flags\t\t: "+words+" ")})
}

// notes adds what memaudit's own captures say of paths that are no files.
func notes(f hosttest.Files, lines ...string) hosttest.Files {
	head := f["memaudit-notes"]
	if head == "" {
		head = "memaudit-notes 1\n"
	}
	return f.With(hosttest.Files{"memaudit-notes": head + strings.Join(lines, "\n") + "\n"})
}

// registers notes registers of some CPUs.
func registers(f hosttest.Files, values map[uint32]uint64, cpus ...int) hosttest.Files {
	for _, cpu := range cpus {
		for reg, v := range values {
			f = notes(f, fmt.Sprintf("msr\t/dev/cpu/%d/msr\t0x%x\t0x%x", cpu, reg, v))
		}
	}
	return f
}

// table puts an SMBIOS table into a tree.
func table(f hosttest.Files, b *smbiostest.Builder) hosttest.Files {
	return f.With(hosttest.Files{dmiTab: string(b.Table()), dmiEP: string(b.EntryPoint())})
}

// capture opens a tree as a capture in memory.
func capture(t *testing.T, f hosttest.Files) *host.Root {
	t.Helper()
	root, err := host.OpenCapture("test", bytes.NewReader(f.Tar(t, "")))
	require.NoError(t, err)
	t.Cleanup(func() { _ = root.Close() })
	return root
}

// collected is the model of a tree.
func collected(t *testing.T, f hosttest.Files) *inventory.System {
	t.Helper()
	sys := collect.Collect(collect.Input{Root: capture(t, f)})
	inVocabulary(t, sys)
	return sys
}

// inVocabulary holds every effective value and every decision against the
// canonical words.
func inVocabulary(t *testing.T, sys *inventory.System) {
	t.Helper()
	for id, s := range sys.Settings {
		entry, ok := settings.Lookup(id)
		assert.True(t, ok, "setting %s is not in the vocabulary", id)
		for _, f := range []fact.Fact[string]{s.Effective, s.DecidedBy} {
			assert.True(t, f.Known() || f.Reason != "", "setting %s: no reason", id)
			assert.True(t, !f.Known() || len(f.Evidence()) > 0 && f.Certainty > fact.None, "setting %s: no evidence", id)
		}
		if v, ok := s.Effective.Get(); ok {
			assert.True(t, entry.Accepts(v) && v != settings.Auto, "setting %s: %q is no word of it", id, v)
		}
		if who, ok := s.DecidedBy.Get(); ok {
			assert.Contains(t, []string{"firmware", "command line", "administrator", "kernel", "hypervisor"}, who)
		}
	}
}

// decoded is the model of an SMBIOS file alone.
func decoded(t *testing.T, b *smbiostest.Builder) *inventory.System {
	t.Helper()
	return collect.Collect(collect.Input{SMBIOS: parsed(t, b.Dump())})
}

func parsed(t *testing.T, data []byte) *smbios.Table {
	t.Helper()
	table, err := smbios.Parse(data)
	require.NoError(t, err)
	return table
}

// wanted is what a fact must be: a value with its certainty, or a state with a
// part of its reason.
type wanted[T any] struct {
	value     T
	certainty fact.Certainty
	state     fact.State
	reason    string
}

func is[T any](v T, c fact.Certainty) wanted[T] {
	return wanted[T]{value: v, certainty: c, state: fact.OK}
}

func not[T any](s fact.State, reason string) wanted[T] {
	return wanted[T]{state: s, reason: reason}
}

// check compares a fact with what it must be. A known fact must rest on
// something, an unknown one must say why.
func (w wanted[T]) check(t *testing.T, got fact.Fact[T]) {
	t.Helper()
	if !assert.Equal(t, wanted[T]{w.value, w.certainty, w.state, ""}, wanted[T]{got.Value, got.Certainty, got.State, ""}, got.Reason) {
		return
	}
	if got.Known() {
		assert.NotEmpty(t, got.Evidence(), "a known fact without evidence")
		assert.Empty(t, got.Reason)
		return
	}
	assert.NotEmpty(t, w.reason, "the test must name the reason")
	assert.Contains(t, got.Reason, w.reason)
}

// effective is the effective face of a setting.
func effective(s *inventory.System, id string) fact.Fact[string] {
	return s.Settings[id].Effective
}

// paths lists the files behind a fact, once each.
func paths(evidence []fact.Evidence) []string {
	var out []string
	for _, e := range evidence {
		if !slices.Contains(out, e.Path) {
			out = append(out, e.Path)
		}
	}
	return out
}

// withoutFlag takes a flag of the processor away.
func withoutFlag(info, flag string) string {
	return strings.ReplaceAll(info, " "+flag+" ", " ")
}
