package collect_test

import (
	"fmt"
	"testing"

	"github.com/memaudit/memaudit/internal/fact"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/memaudit/memaudit/internal/collect"
	"github.com/memaudit/memaudit/internal/host/hosttest"
	"github.com/memaudit/memaudit/internal/inventory"
	"github.com/memaudit/memaudit/internal/smbios/smbiostest"
)

// sockets is a table with these processors.
func sockets(cpus ...smbiostest.CPU) *smbiostest.Builder {
	b := smbiostest.New(3, 2)
	b.System(smbiostest.System{Manufacturer: "Example Inc.", Product: "Server 1"})
	for i, c := range cpus {
		c.Socket = fmt.Sprintf("CPU%d", i+1)
		b.CPU(c)
	}
	return b
}

var (
	fitted   = smbiostest.CPU{Manufacturer: "Intel(R) Corporation", Version: skylake.brand, ID: skylake.signature(), Cores: 20, Enabled: 18, Threads: 36, Upgrade: 0x36, Characteristics: 4}
	disabled = smbiostest.CPU{Manufacturer: "Intel(R) Corporation", Version: skylake.brand, ID: skylake.signature(), State: 3, Characteristics: 4}
	empty    = smbiostest.CPU{Empty: true, Manufacturer: "Intel(R) Corporation", Version: "left over", Cores: 8}
)

// TestSocketOfTable: one structure in full.
func TestSocketOfTable(t *testing.T) {
	sys := decoded(t, sockets(fitted))
	require.Len(t, sys.Sockets, 1)
	s := sys.Sockets[0]
	assert.Equal(t, 0, s.ID)
	assert.Equal(t, 1, s.Handle)
	is("CPU1", fact.Direct).check(t, s.Designation)
	is(true, fact.Direct).check(t, s.Populated)
	is(true, fact.Direct).check(t, s.Enabled)
	is("GenuineIntel", fact.Direct).check(t, s.Vendor)
	is(skylake.brand, fact.Direct).check(t, s.Brand)
	is(6, fact.Direct).check(t, s.Family)
	is(85, fact.Direct).check(t, s.Model)
	is(0, fact.Direct).check(t, s.Stepping)
	is(20, fact.Direct).check(t, s.Cores)
	is(18, fact.Direct).check(t, s.CoresEnabled)
	is(36, fact.Indirect).check(t, s.Threads)
	is("Socket LGA3647-1", fact.Direct).check(t, s.Upgrade)
	assert.False(t, s.Package.Known())
}

// TestEmptySocket: what firmware left in the fields of an empty socket is not
// taken for a processor.
func TestEmptySocket(t *testing.T) {
	s := decoded(t, sockets(fitted, empty)).Sockets[1]
	is(false, fact.Direct).check(t, s.Populated)
	assert.False(t, s.Brand.Known())
	assert.False(t, s.Cores.Known())
	assert.False(t, s.Family.Known())
}

// TestDisabledProcessor: there, but not running.
func TestDisabledProcessor(t *testing.T) {
	s := decoded(t, sockets(fitted, disabled)).Sockets[1]
	is(true, fact.Direct).check(t, s.Populated)
	is(false, fact.Direct).check(t, s.Enabled)
}

// TestOldProcessor: an old structure has no counts, and says so.
func TestOldProcessor(t *testing.T) {
	b := smbiostest.New(2, 3)
	b.CPU(smbiostest.CPU{Socket: "CPU", Manufacturer: "AMD", Version: k8.brand, ID: k8.signature(), Cores: 2})
	s := decoded(t, b).Sockets[0]
	is("AuthenticAMD", fact.Direct).check(t, s.Vendor)
	not[int](fact.Absent, "SMBIOS 2.3 has no field").check(t, s.Cores)
	not[int](fact.Absent, "SMBIOS 2.3 has no field").check(t, s.Threads)
}

// TestPackages pairs firmware's processors with the kernel's packages.
func TestPackages(t *testing.T) {
	one, two := hosttest.Machine{Sockets: 1, CoresPerSocket: 2}, hosttest.Machine{Sockets: 2, CoresPerSocket: 2}
	gaps := skylake.tree(two)
	for cpu := range 4 {
		gaps[fmt.Sprintf("%scpu%d/topology/physical_package_id", cpuDir, cpu)] = fmt.Sprintln([]int{3, 3, 36, 36}[cpu])
	}
	disagree := "the kernel"
	for _, c := range []struct {
		name     string
		files    hosttest.Files
		b        *smbiostest.Builder
		want     []wanted[int]
		conflict bool
	}{
		{"equal", skylake.tree(two), sockets(fitted, fitted), []wanted[int]{is(0, fact.Corroborated), is(1, fact.Corroborated)}, false},
		{"ids with gaps", gaps, sockets(fitted, fitted), []wanted[int]{is(3, fact.Corroborated), is(36, fact.Corroborated)}, false},
		{"an empty socket between", skylake.tree(two), sockets(fitted, empty, fitted), []wanted[int]{is(0, fact.Corroborated), {}, is(1, fact.Corroborated)}, false},
		{"one disabled", skylake.tree(one), sockets(disabled, fitted), []wanted[int]{{}, is(0, fact.Corroborated)}, false},
		{"fewer packages", skylake.tree(one), sockets(fitted, fitted), []wanted[int]{not[int](fact.Conflicting, disagree), not[int](fact.Conflicting, disagree)}, true},
		{"more packages", skylake.tree(two), sockets(fitted), []wanted[int]{not[int](fact.Conflicting, disagree)}, true},
		{"all empty", skylake.tree(one), sockets(empty), []wanted[int]{not[int](fact.Conflicting, disagree)}, true},
		{"packages not captured", skylake.tree(two).Without(cpuDir+"cpu", cpuinfo), sockets(fitted, fitted), []wanted[int]{{}, {}}, false},
		{"guest", flags(skylake.tree(two), "hypervisor"), sockets(fitted, fitted, fitted), []wanted[int]{{}, {}, {}}, false},
		{"privileged domain of Xen", skylake.tree(one).With(hosttest.Files{"sys/hypervisor/type": "xen\n", "sys/hypervisor/properties/features": "b21\n"}), sockets(fitted, fitted), []wanted[int]{{}, {}}, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			sys := collected(t, table(c.files, c.b))
			require.Len(t, sys.Sockets, len(c.want))
			for i, w := range c.want {
				if w.state == fact.Unread && w.reason == "" {
					assert.Equal(t, fact.Unread, sys.Sockets[i].Package.State)
					continue
				}
				w.check(t, sys.Sockets[i].Package)
			}
			if !c.conflict {
				assert.Empty(t, sys.Conflicts)
				return
			}
			require.Len(t, sys.Conflicts, 1)
			assert.Equal(t, "running processors", sys.Conflicts[0].Fact)
			assert.Equal(t, inventory.SourceCPU, sys.Conflicts[0].Kept.Source)
		})
	}
}

// TestPackagesAsSockets: without a table the kernel's packages stand in.
func TestPackagesAsSockets(t *testing.T) {
	sys := collected(t, rome.tree(hosttest.Machine{Sockets: 2, CoresPerSocket: 3}))
	require.Len(t, sys.Sockets, 2)
	for i, s := range sys.Sockets {
		assert.Equal(t, []int{i, -1}, []int{s.ID, s.Handle})
		is(i, fact.Direct).check(t, s.Package)
		is(3, fact.Direct).check(t, s.CoresEnabled)
		is("AuthenticAMD", fact.Direct).check(t, s.Vendor)
		is(23, fact.Direct).check(t, s.Family)
		assert.False(t, s.Cores.Known(), "how many the part has the kernel does not say")
	}
}

// TestModelFromKernel fills in what firmware leaves out of a running processor.
func TestModelFromKernel(t *testing.T) {
	bare := smbiostest.CPU{Cores: 2}
	sys := collected(t, table(skylake.tree(hosttest.Machine{CoresPerSocket: 2}), sockets(bare)))
	is(85, fact.Direct).check(t, sys.Sockets[0].Model)
	is(skylake.brand, fact.Direct).check(t, sys.Sockets[0].Brand)
	alone := collect.Collect(collect.Input{SMBIOS: parsed(t, sockets(bare).Dump())}).Sockets[0]
	not[string](fact.Unstated, "names the processor's vendor").check(t, alone.Vendor)
	assert.False(t, alone.Model.Known())
}

// TestForeignProcessors: what is no central processor is no socket.
func TestForeignProcessors(t *testing.T) {
	b := sockets(fitted)
	math := make([]byte, 0x2C)
	math[1] = 4 // math processor
	b.Add(4, math)
	assert.Len(t, decoded(t, b).Sockets, 1)
}
