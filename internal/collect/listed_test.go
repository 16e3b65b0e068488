package collect_test

import (
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"memaudit.example/memaudit/internal/collect"
	"memaudit.example/memaudit/internal/collect/collecttest"
	"memaudit.example/memaudit/internal/model/fact"
	"memaudit.example/memaudit/internal/model/inventory"
	"memaudit.example/memaudit/internal/source/host/hosttest"
	"memaudit.example/memaudit/internal/source/smbios/smbiostest"
)

// TestShortList checks tables with less memory than the kernel sees. Other kinds of memory and guests
// are not conclusive.
func TestShortList(t *testing.T) {
	const g = int64(1) << 30
	listing := func(sizes ...int64) hosttest.Files {
		b := smbiostest.New(3, 2)
		b.System(smbiostest.System{Manufacturer: "Example Inc.", Product: "Server 1"})
		array := b.Array(smbiostest.Array{Devices: len(sizes)})
		for i, size := range sizes {
			b.MemoryDevice(smbiostest.DIMM{Array: array, Locator: "DIMM_A" + strconv.Itoa(i+1), Bytes: size})
		}
		return collecttest.Table(oneSocket(), b)
	}
	sys := collecttest.Collected(t, listing(16*g, 16*g)) // the tree has 64 GiB
	require.NotNil(t, sys.Firmware.Lost)
	assert.Equal(t, inventory.ProblemShort, sys.Firmware.Lost.Code)
	assert.Equal(t, "the modules in the SMBIOS table have 32 GiB, and the kernel sees 64 GiB (/sys/firmware/memmap)", sys.Firmware.Lost.Text)
	assert.Nil(t, sys.Firmware.LostProcessors())
	assert.False(t, sys.Firmware.Problems[len(sys.Firmware.Problems)-1].Harmless)
	state, detail := source(sys, inventory.SourceSMBIOS)
	assert.Equal(t, fact.SourcePartial, state)
	assert.Contains(t, detail, "the kernel sees 64 GiB")

	assert.Nil(t, collecttest.Collected(t, listing(32*g, 32*g)).Firmware.Lost)
	assert.Nil(t, collecttest.Collected(t, listing()).Firmware.Lost, "a table without modules does not show their memory")
	guest := listing(16 * g).With(hosttest.Files{"sys/hypervisor/type": "kvm\n", "sys/devices/virtual/dmi/id/sys_vendor": "QEMU\n"})
	b := smbiostest.New(3, 2)
	b.System(smbiostest.System{Manufacturer: "QEMU", Product: "Standard PC (Q35 + ICH9, 2009)"})
	b.MemoryDevice(smbiostest.DIMM{Array: b.Array(smbiostest.Array{Devices: 1}), Locator: "DIMM 0", Bytes: 16 << 30})
	assert.Nil(t, collecttest.Collected(t, collecttest.Table(guest, b)).Firmware.Lost)
}

// TestMisusedArray checks that slots for DRAM modules in an array with another use are reported, but not flash
// chips in an array of flash memory.
func TestMisusedArray(t *testing.T) {
	make := func(use byte, d smbiostest.DIMM) *inventory.System {
		b := smbiostest.New(3, 2)
		good := b.Array(smbiostest.Array{Devices: 1})
		b.MemoryDevice(smbiostest.DIMM{Array: good, Locator: "A1", Bytes: 16 << 30})
		d.Array = b.Array(smbiostest.Array{Use: use, Devices: 1})
		d.Locator = "B1"
		b.MemoryDevice(d)
		return collecttest.Decoded(t, b)
	}
	sys := make(4, smbiostest.DIMM{Bytes: 16 << 30})
	require.NotNil(t, sys.Firmware.Lost)
	assert.Regexp(t, `^memory array 0x[0-9A-F]{4} states the use "Video Memory", expected "System Memory", and has slots for modules \(B1\)$`, sys.Firmware.Lost.Text)
	assert.Len(t, sys.Slots, 1)
	assert.NotNil(t, make(7, smbiostest.DIMM{Bytes: 4 << 30, Type: 1}).Firmware.Lost, "a DIMM of another type, in an array called Cache Memory")
	assert.NotNil(t, make(7, smbiostest.DIMM{Bytes: 4 << 30, FormFactor: 1}).Firmware.Lost, "DDR4 of another form")
	assert.NotNil(t, make(7, smbiostest.DIMM{}).Firmware.Lost, "an empty slot for a DIMM")
	for name, ok := range map[string]*inventory.System{
		"system memory": make(3, smbiostest.DIMM{Bytes: 16 << 30}),
		"a flash chip":  make(5, smbiostest.DIMM{Bytes: 16 << 20, Type: 9, FormFactor: 1}),
	} {
		assert.Nil(t, ok.Firmware.Lost, name)
	}
}

// TestTableBesideATree checks that a table from a file is another machine's only if it lists less memory than the kernel
// sees: a kernel that sees less than the modules is a finding about this machine.
func TestTableBesideATree(t *testing.T) {
	const g = int64(1) << 30
	table := func(product string, sizes ...int64) *smbiostest.Builder {
		b := smbiostest.New(3, 2)
		b.System(smbiostest.System{Manufacturer: "Example Inc.", Product: product})
		array := b.Array(smbiostest.Array{Devices: len(sizes)})
		for i, size := range sizes {
			b.MemoryDevice(smbiostest.DIMM{Array: array, Locator: "DIMM_A" + strconv.Itoa(i+1), Bytes: size})
		}
		return b
	}
	own := table("Server 1", 32*g, 32*g)
	for _, c := range []struct {
		name  string
		own   *smbiostest.Builder // the tree's
		given *smbiostest.Builder
		doubt string
	}{
		{"as much as the kernel sees", own, table("Server 1", 32*g, 16*g, 16*g), ""},
		{"a module that the kernel does not see", own, table("Server 1", 32*g, 32*g, 16*g), ""},
		{"twice as much, as with mirroring", own, table("Server 1", 64*g, 64*g), ""},
		{"less than the kernel sees", own, table("Server 1", 32*g, 16*g), "the SMBIOS file may be another machine's: its modules have 48 GiB, and the kernel sees 64 GiB"},
		{"the tree's own table, however little it lists", table("Server 1", 16*g), table("Server 1", 16*g), ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			root := collecttest.Capture(t, collecttest.Table(oneSocket(), c.own)) // the kernel sees 64 GiB
			sys := collect.Collect(collect.Input{Root: root, SMBIOS: collecttest.Parsed(t, c.given.Dump())})
			assert.Equal(t, c.doubt, sys.Firmware.Doubt)
			assert.True(t, sys.Firmware.Compared)
		})
	}
}
