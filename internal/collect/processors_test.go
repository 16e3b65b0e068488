package collect_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"memaudit.example/memaudit/internal/collect"
	"memaudit.example/memaudit/internal/collect/collecttest"
	"memaudit.example/memaudit/internal/model/fact"
	"memaudit.example/memaudit/internal/model/fact/want"
	"memaudit.example/memaudit/internal/model/inventory"
	"memaudit.example/memaudit/internal/source/host/hosttest"
	"memaudit.example/memaudit/internal/source/smbios/smbiostest"
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
	fitted   = smbiostest.CPU{Manufacturer: "Intel(R) Corporation", Version: hosttest.Skylake.Brand, ID: hosttest.Skylake.Signature(), Cores: 20, Enabled: 18, Threads: 36, Upgrade: 0x36, Characteristics: 4}
	disabled = smbiostest.CPU{Manufacturer: "Intel(R) Corporation", Version: hosttest.Skylake.Brand, ID: hosttest.Skylake.Signature(), State: 3, Characteristics: 4}
	empty    = smbiostest.CPU{Empty: true, Manufacturer: "Intel(R) Corporation", Version: "left over", Cores: 8}
)

// TestPackages pairs firmware's processors with the kernel's packages.
func TestPackages(t *testing.T) {
	one, two := hosttest.Machine{Sockets: 1, CoresPerSocket: 2}, hosttest.Machine{Sockets: 2, CoresPerSocket: 2}
	gaps := hosttest.Skylake.Tree(two)
	for cpu := range 4 {
		gaps[fmt.Sprintf("%scpu%d/topology/physical_package_id", hosttest.CPUDir, cpu)] = fmt.Sprintln([]int{3, 3, 36, 36}[cpu])
	}
	disagree := "the kernel"
	for _, c := range []struct {
		name     string
		files    hosttest.Files
		b        *smbiostest.Builder
		want     []want.Fact[int]
		conflict bool
	}{
		{"equal", hosttest.Skylake.Tree(two), sockets(fitted, fitted), []want.Fact[int]{want.Is(0, fact.Corroborated), want.Is(1, fact.Corroborated)}, false},
		{"ids with gaps", gaps, sockets(fitted, fitted), []want.Fact[int]{want.Is(3, fact.Corroborated), want.Is(36, fact.Corroborated)}, false},
		{"an empty socket between", hosttest.Skylake.Tree(two), sockets(fitted, empty, fitted), []want.Fact[int]{want.Is(0, fact.Corroborated), {}, want.Is(1, fact.Corroborated)}, false},
		{"one disabled", hosttest.Skylake.Tree(one), sockets(disabled, fitted), []want.Fact[int]{{}, want.Is(0, fact.Corroborated)}, false},
		{"fewer packages", hosttest.Skylake.Tree(one), sockets(fitted, fitted), []want.Fact[int]{want.Not[int](fact.Conflicting, disagree), want.Not[int](fact.Conflicting, disagree)}, true},
		{"more packages", hosttest.Skylake.Tree(two), sockets(fitted), []want.Fact[int]{want.Not[int](fact.Conflicting, disagree)}, true},
		{"all empty", hosttest.Skylake.Tree(one), sockets(empty), []want.Fact[int]{want.Not[int](fact.Conflicting, disagree)}, true},
		{"packages not captured", hosttest.Skylake.Tree(two).Without(hosttest.CPUDir+"cpu", hosttest.CPUInfo), sockets(fitted, fitted), []want.Fact[int]{{}, {}}, false},
		{"guest", hosttest.Flags(hosttest.Skylake.Tree(two), "hypervisor"), sockets(fitted, fitted, fitted), []want.Fact[int]{{}, {}, {}}, false},
		{"privileged domain of Xen", hosttest.Skylake.Tree(one).With(hosttest.Files{"sys/hypervisor/type": "xen\n", "sys/hypervisor/properties/features": "b21\n"}), sockets(fitted, fitted), []want.Fact[int]{{}, {}}, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			sys := collecttest.Collected(t, collecttest.Table(c.files, c.b))
			require.Len(t, sys.Sockets, len(c.want))
			for i, w := range c.want {
				if w.State == fact.Unread && w.Reason == "" {
					assert.Equal(t, fact.Unread, sys.Sockets[i].Package.State)
					continue
				}
				w.Check(t, sys.Sockets[i].Package)
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

// TestModelFromKernel fills in what firmware leaves out of a running processor.
func TestModelFromKernel(t *testing.T) {
	bare := smbiostest.CPU{Cores: 2}
	sys := collecttest.Collected(t, collecttest.Table(hosttest.Skylake.Tree(hosttest.Machine{CoresPerSocket: 2}), sockets(bare)))
	want.Is(85, fact.Direct).Check(t, sys.Sockets[0].Model)
	want.Is(hosttest.Skylake.Brand, fact.Direct).Check(t, sys.Sockets[0].Brand)
	alone := collect.Collect(collect.Input{SMBIOS: collecttest.Parsed(t, sockets(bare).Dump())}).Sockets[0]
	want.Not[string](fact.Unstated, "names the processor's vendor").Check(t, alone.Vendor)
	assert.False(t, alone.Model.Known())
}

// TestForeignProcessors checks that only central processors are sockets.
func TestForeignProcessors(t *testing.T) {
	b := sockets(fitted)
	math := make([]byte, 0x2C)
	math[1] = 4 // math processor
	b.Add(4, math)
	assert.Len(t, collecttest.Decoded(t, b).Sockets, 1)
}

// TestUndetectedProcessor checks that a disabled processor without ID and version is an empty socket
// if another one runs, and that two indistinguishable processors are not counted as two.
func TestUndetectedProcessor(t *testing.T) {
	undetected := smbiostest.CPU{State: 3}
	named := undetected
	named.Version = hosttest.Skylake.Brand
	for name, c := range map[string]struct {
		second smbiostest.CPU
		want   bool
	}{"nameless": {undetected, false}, "with a version": {named, true}, "disabled in setup": {disabled, true}} {
		sys := collecttest.Decoded(t, sockets(fitted, c.second))
		require.Len(t, sys.Sockets, 2, name)
		assert.Equal(t, c.want, sys.Sockets[1].Populated.Value, name)
		assert.True(t, sys.Sockets[1].Populated.Known(), name)
	}
	assert.True(t, collecttest.Decoded(t, sockets(undetected)).Sockets[0].Populated.Value, "the only processor")
	b := smbiostest.New(3, 2)
	for range 2 {
		b.CPU(fitted)
	}
	twins := collecttest.Decoded(t, b)
	require.Len(t, twins.Sockets, 2)
	assert.True(t, twins.Sockets[0].Populated.Known())
	assert.Equal(t, fact.Conflicting, twins.Sockets[1].Populated.State)
}

// TestSocketOfList checks that a list of modules alone has one processor if one array has a few unregistered modules,
// but not if they are registered, too many, or in several arrays.
func TestSocketOfList(t *testing.T) {
	const unbuffered = 1<<7 | 1<<14
	for name, c := range map[string]struct {
		arrays, slots int
		detail        uint16
		want          int
	}{"few": {1, 4, unbuffered, 1}, "many": {1, 8, unbuffered, 0}, "registered": {1, 4, 0, 0}, "arrays": {2, 2, unbuffered, 0}} {
		b := smbiostest.New(3, 2)
		for range c.arrays {
			array := b.Array(smbiostest.Array{Devices: c.slots})
			for i := range c.slots {
				b.MemoryDevice(smbiostest.DIMM{Array: array, Bytes: 8 << 30, Detail: c.detail, Locator: fmt.Sprintf("DIMM%d", i)})
			}
		}
		assert.Len(t, collecttest.Decoded(t, b).Sockets, c.want, name)
	}
}

// TestUnlistedSockets checks that empty sockets left out by firmware are found by the numbers in the
// designations.
func TestUnlistedSockets(t *testing.T) {
	named := func(names ...string) *inventory.System {
		b := smbiostest.New(3, 2)
		for _, name := range names {
			c := fitted
			c.Socket = name
			b.CPU(c)
		}
		return collecttest.Decoded(t, b)
	}
	sys := named("CPU1", "CPU3")
	require.Len(t, sys.Sockets, 3)
	assert.False(t, sys.Sockets[1].Populated.Or(true))
	assert.Equal(t, 2, sys.Sockets[2].ID)
	assert.Len(t, named("CPU0", "CPU1").Sockets, 2)
	assert.Len(t, named("LGA2011", "LGA2013").Sockets, 2)
	assert.Len(t, named("CPU1", "Processor 3").Sockets, 2)
}

// threadsText is dmidecode's text of a machine with the given processor
// structures, shaped after real MacPro5,1 and MacBookPro8,1 dumps.
func threadsText(maker string, designations ...string) []byte {
	var b strings.Builder
	fmt.Fprintf(&b, "# dmidecode 3.3\nSMBIOS 2.4 present.\n\nHandle 0x0001, DMI type 1, 27 bytes\nSystem Information\n\tManufacturer: %s\n\tProduct Name: MacPro5,1\n\n", maker)
	for i, d := range designations {
		status := "Populated, Enabled"
		if strings.HasSuffix(d, " empty") {
			status = "Unpopulated"
		}
		id := "C2 06"
		if before, ok := strings.CutSuffix(d, " other"); ok {
			d, id = before, "C1 06"
		}
		fmt.Fprintf(&b, "Handle 0x%04X, DMI type 4, 35 bytes\nProcessor Information\n\tSocket Designation: %s\n\tType: Central Processor\n"+
			"\tManufacturer: Intel(R) Corporation\n\tID: %s 02 00 FF FB EB BF\n\tSignature: Type 0, Family 6, Model 44, Stepping 2\n"+
			"\tVersion: Intel(R) Xeon(R) CPU           X5680  @ 3.33GHz\n\tStatus: %s\n\n", 0x10+i, d, id, status)
	}
	return []byte(b.String())
}

func TestThreadsAreNoProcessors(t *testing.T) {
	var mac []string
	for i := range 24 {
		mac = append(mac, fmt.Sprintf(" CPU-%c (%02d)", 'A'+i/12, i%12))
	}
	for _, tt := range []struct {
		name, maker  string
		designations []string
		want         int
	}{
		{"a structure a thread", "Apple Inc.", mac, 2},
		{"one designation", "Apple Inc.", []string{"U2E1", "U2E1", "U2E1", "U2E1"}, 1},
		{"a structure a core, numbers between spaces", "Apple Inc.", []string{"CPU-A ( 0 )", "CPU-A ( 1 )", "CPU-A ( 2 )", "CPU-A ( 3 )", "CPU-B ( 3 )", "CPU-B ( 2 )", "CPU-B ( 1 )", "CPU-B ( 0 )"}, 2},
		{"a number that counts sockets", "HP", []string{"CPU (1)", "CPU (2)"}, 2},
		{"a number between spaces that counts sockets", "HP", []string{"CPU ( 1 )", "CPU ( 2 )"}, 2},
		{"two sockets of one kind", "HP", []string{"1366-pin LGA", "1366-pin LGA"}, 2},
		{"two sockets", "Apple Inc.", []string{"CPU A", "CPU B"}, 2},
		{"two threads", "Apple Inc.", []string{"U2E1", "U2E1"}, 1},
		{"two processors that differ", "Apple Inc.", []string{"U2E1", "U2E1 other"}, 2},
		{"no designations", "Apple Inc.", []string{"", ""}, 2},
		{"sockets without a processor", "Apple Inc.", []string{"U2E1 empty", "U2E1 empty"}, 2},
	} {
		t.Run(tt.name, func(t *testing.T) {
			sys := collecttest.Read(t, tt.name, threadsText(tt.maker, tt.designations...))
			require.Len(t, sys.Sockets, tt.want)
			for i := range sys.Sockets {
				assert.Equal(t, i, sys.Sockets[i].ID)
			}
			if tt.want < len(tt.designations) {
				require.NotEmpty(t, sys.Conflicts)
				assert.Equal(t, fmt.Sprintf("%d processors", len(tt.designations)), sys.Conflicts[0].Dropped.Raw)
			} else {
				assert.Empty(t, sys.Conflicts)
			}
		})
	}
}

// TestBoardOrder checks the X8DT3 and X8DT6, which list CPU 2 before CPU 1. Only designations that differ just in
// their numbers show the order of the sockets.
func TestBoardOrder(t *testing.T) {
	for _, listed := range [][2]string{
		{"CPU 2|CPU 1", "CPU 1|CPU 2"}, {"CPU10|CPU2|CPU1", "CPU1|CPU2|CPU10"}, {"CPU 2|CPU 1 empty", "CPU 2|CPU 1 empty"}, {"Proc 2|CPU 1", "Proc 2|CPU 1"},
		{"CPU2|CPU 1", "CPU2|CPU 1"}, {"B|A", "B|A"}, {"CPU 2|CPU", "CPU 2|CPU"}, {"2|1", "1|2"}, {"H2|G1", "H2|G1"},
	} {
		sys := collecttest.Read(t, listed[0], threadsText("Supermicro", strings.Split(listed[0], "|")...))
		var got []string
		for i := range sys.Sockets {
			assert.Equal(t, i, sys.Sockets[i].ID)
			got = append(got, sys.Sockets[i].Designation.Value)
		}
		assert.Equal(t, listed[1], strings.Join(got, "|"))
	}
}
