package effective

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/memaudit/memaudit/internal/fact"
	"github.com/memaudit/memaudit/internal/host"
	"github.com/memaudit/memaudit/internal/inventory"
)

// TestClearsVirtualization: the kernel takes vmx away from 5.6 on
// (arch/x86/kernel/cpu/feat_ctl.c) and svm from 6.7 on (arch/x86/kernel/cpu/amd.c); a
// release that is no number says nothing.
func TestClearsVirtualization(t *testing.T) {
	for _, c := range []struct {
		flag, release string
		want          bool
	}{
		{"vmx", "4.18.0-553.el8.x86_64", false}, {"vmx", "5.5.19", false}, {"vmx", "5.6", true}, {"vmx", "5.6.0-rc1", true}, {"vmx", "5.10.0-28-amd64", true}, {"vmx", "6.1.0", true},
		{"svm", "5.19.0", false}, {"svm", "6.6.30", false}, {"svm", "6.7", true}, {"svm", "6.12-generic", true}, {"svm", "7.0.0", true},
		{"vmx", "", false}, {"vmx", "6", false}, {"vmx", "6.x", false}, {"svm", "7.", false}, {"vmx", "x.9", false},
	} {
		m := &Machine{Kernel: &host.Facts{Kernel: &host.Kernel{}}}
		m.Kernel.Kernel.Release.V = c.release
		assert.Equal(t, c.want, m.clearsVirtualization(c.flag), c)
	}
}

// TestLessThanARank: what firmware reserves is less than the rank that sparing takes
// away; modules whose ranks are not stated may have four.
func TestLessThanARank(t *testing.T) {
	const gib = int64(1 << 30)
	sized := func(bytes int64, ranks fact.Fact[int]) inventory.Slot {
		return inventory.Slot{State: inventory.SlotPopulated, SizeBytes: fact.Known(bytes, fact.Direct, fact.Evidence{}), Ranks: ranks}
	}
	of := func(n int) fact.Fact[int] { return fact.Known(n, fact.Direct, fact.Evidence{}) }
	empty := inventory.Slot{State: inventory.SlotEmpty}
	for name, c := range map[string]struct {
		slots []inventory.Slot
		want  int64
	}{
		"one rank":     {[]inventory.Slot{sized(2*gib, of(1)), empty}, 2 * gib},
		"two ranks":    {[]inventory.Slot{empty, sized(2*gib, of(2)), sized(8*gib, of(2))}, gib},
		"not stated":   {[]inventory.Slot{sized(8*gib, fact.Fact[int]{}), sized(4*gib, of(1))}, 2 * gib},
		"none stated":  {[]inventory.Slot{sized(2*gib, of(0))}, 2 * gib},
		"empty stated": {[]inventory.Slot{sized(2*gib, of(1)), {SizeBytes: fact.Known[int64](0, fact.Direct, fact.Evidence{})}}, 2 * gib},
	} {
		m := &Machine{System: &inventory.System{Slots: c.slots}}
		assert.Equal(t, c.want, m.smallestRank(), name)
	}
	m := &Machine{System: &inventory.System{Slots: []inventory.Slot{sized(2*gib, of(2)), sized(2*gib, of(2)), sized(2*gib, of(2))}}}
	for visible, want := range map[int64]bool{6 * gib: true, 5*gib + 1: true, 5 * gib: false, 6*gib + 1: false} {
		m.System.Memory.VisibleBytes = fact.Known(visible, fact.Direct, fact.Evidence{})
		assert.Equal(t, want, m.whole(6*gib), visible)
	}
}

// TestEvidenceOfStates: name and disable are shown of each idle state, and the default
// where the kernel has that file (since 5.6).
func TestEvidenceOfStates(t *testing.T) {
	text := func(path string) host.Value[string] {
		return host.Value[string]{V: path, State: fact.OK, Path: path, Raw: path}
	}
	with := host.IdleState{Name: text("name"), Disabled: host.Value[bool]{State: fact.OK, Path: "disable", Raw: "0"}, DefaultStatus: text("default_status")}
	without := with
	without.DefaultStatus = host.Value[string]{State: fact.Absent, Path: "default_status"}
	var paths []string
	for _, e := range stateEvidence(with, without) {
		paths = append(paths, e.Path)
	}
	assert.Equal(t, []string{"name", "disable", "default_status", "name", "disable"}, paths)
}
