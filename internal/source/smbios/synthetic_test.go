package smbios

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"memaudit.example/memaudit/internal/source/smbios/smbiostest"
)

var update = flag.Bool("update", false, "write the committed texts with the installed dmidecode")

// server is a small two-socket machine with an empty slot.
func server(major, minor int) *smbiostest.Builder {
	b := smbiostest.New(major, minor)
	b.BIOS(smbiostest.BIOS{Vendor: "Example BIOS", Version: "1.2", Date: "01/02/2020", UEFI: true})
	b.System(smbiostest.System{Manufacturer: "Example", Product: "Server 2S", Serial: "S1", UUID: [16]byte{1, 2, 3, 4}})
	b.Board(smbiostest.Board{Manufacturer: "Example", Product: "Board", Chassis: 3})
	b.Chassis(smbiostest.Chassis{Manufacturer: "Example", Height: 2})
	for _, name := range []string{"CPU1", "CPU2"} {
		b.CPU(smbiostest.CPU{
			Socket: name, Manufacturer: "Intel", Version: "Intel(R) Xeon(R)", ID: 0xBFEBFBFF00050654,
			MHz: 2100, MaxMHz: 4000, Upgrade: 0x36, Cores: 16, Enabled: 16, Threads: 32, Characteristics: 0xFC,
		})
	}
	array := b.Array(smbiostest.Array{Devices: 3})
	for i, locator := range []string{"DIMM_A1", "DIMM_A2", "DIMM_B1"} {
		d := smbiostest.DIMM{Array: array, Locator: locator, Bank: "NODE 0"}
		if i != 1 {
			d.Bytes, d.Speed, d.Configured, d.Rank = 16<<30, 2666, 2400, 2
			d.Manufacturer, d.Part, d.Serial = "Samsung", "M393A2K43BB1-CTD   ", "1234"
			d.MinMV, d.MaxMV, d.ConfiguredMV = 1200, 1350, 1200
			d.ManufacturerID = 0xCE80
		}
		b.MemoryDevice(d)
	}
	b.Mapping(smbiostest.Mapping{Array: array, Start: 0, End: 32<<30 - 1, Width: 2})
	return b
}

// oddities is a table of the fields' edge cases, at least those in the notes on SMBIOS.
func oddities() *smbiostest.Builder {
	b := smbiostest.New(3, 3)
	b.BIOS(smbiostest.BIOS{Vendor: "Example", VirtualMachine: true})
	b.System(smbiostest.System{Manufacturer: "HPE", Product: "  Server Gen10 \xe9"})
	b.CPU(smbiostest.CPU{Socket: "Proc 1", Manufacturer: "AMD", Family: 0x6B, ID: 0x178BFBFF00A10F11, Cores: 96, Enabled: 96, Threads: 192})
	b.CPU(smbiostest.CPU{Socket: "Proc 2", Manufacturer: "Intel", Cores: 300, Enabled: 300, Threads: 600})
	b.CPU(smbiostest.CPU{Socket: "Proc 3", Empty: true, Cores: 255, Length: 0x28, Family: 0x1D})
	b.CPU(smbiostest.CPU{Socket: "Proc 4", Family: 0x101, Manufacturer: "Ampere", State: 3})
	array := b.Array(smbiostest.Array{Devices: 20, MaxBytes: 1 << 43})
	for _, d := range []smbiostest.DIMM{
		{Locator: "empty"},
		{Locator: "unknown size", SizeUnknown: true},
		{Locator: "extended", Bytes: 128 << 30},
		{Locator: "short extended", RawSize: 0x7FFF, Length: 0x1C},
		{Locator: "extended 0", RawSize: 0x7FFF},
		{Locator: "kilobytes", Bytes: 512 << 10},
		{Locator: "kilobytes 0", RawSize: 0x8000},
		{Locator: "no speed", Bytes: 1 << 30},
		{Locator: "speeds", Bytes: 1 << 30, Speed: 0xFFFF + 100, Configured: 0xFFFF + 50},
		{Locator: "speeds short", Bytes: 1 << 30, Speed: 0xFFFF, Configured: 0xFFFF, Length: 0x54},
		{Locator: "rank 0 set unknown", Bytes: 1 << 30, Set: 0xFF},
		{Locator: "set 4", Bytes: 1 << 30, Set: 4, Rank: 8},
		{Locator: "optane", Bytes: 128 << 30, Technology: 7, Detail: 1<<7 | 1<<12, Modes: 1<<3 | 1<<4, NonVolatile: 126 << 30, Firmware: "01.02"},
		{Locator: "lrdimm", Bytes: 64 << 30, Type: 0x22, Detail: 1<<7 | 1<<15, TotalBits: 80},
		{Locator: "hbm", Bytes: 16 << 30, Type: 0x20, FormFactor: 0x10},
		{Locator: "fbd", Bytes: 4 << 30, Type: 0x14, FormFactor: 0x0F},
		{Locator: "2.1", Bytes: 1 << 30, Length: 0x15},
		{Locator: "2.3", Bytes: 1 << 30, Speed: 667, Manufacturer: "M", Length: 0x1B},
		{Locator: "voltages", Bytes: 1 << 30, MinMV: 1350, MaxMV: 1500, ConfiguredMV: 1250},
		{Locator: "error", Bytes: 1 << 30, Error: 0xFFFF},
	} {
		d.Array = array
		b.MemoryDevice(d)
	}
	b.Mapping(smbiostest.Mapping{Array: array, End: 8<<40 - 1})
	b.Add(126, []byte{1, 2, 3, 4})
	b.Add(20, []byte{0, 0, 0, 0, 0xFF, 0xFF, 0x0F, 0, 7, 0, 27, 0, 1, 0, 0xFF})
	b.Add(20, []byte{0, 0, 0, 0, 0xFF, 0xFF, 0x0F, 0, 7, 0, 27, 0, 0xFF, 2, 1})
	return b
}

// management is a table of structures that are not decoded and do not affect the others.
func management() *smbiostest.Builder {
	b := smbiostest.New(3, 5)
	b.System(smbiostest.System{Manufacturer: "Example"})
	b.NextHandle(0x100)
	b.Add(7, []byte{1, 0x80, 1, 0, 0x81, 0, 0x81, 0, 0, 0, 0, 0, 6, 5, 8, 0, 0, 0, 0x80, 0, 0, 0, 0x80}, "L1")
	b.Add(7, []byte{1, 0x6A, 3, 0xFF, 0x7F, 0x80, 0x80, 0, 0, 0, 0}, "L3")
	b.Add(18, []byte{6, 3, 3, 0, 0, 0, 0, 0, 0, 0, 0x80, 0x10, 0, 0, 0, 1, 0, 0, 0})
	b.Add(37, []byte{1, 4, 2, 2, 0x11, 0x11, 2, 0x12, 0x11})
	b.Add(38, []byte{1, 0x20, 0x20, 0xFF, 0xA3, 0x0C, 0, 0, 0, 0, 0, 0, 0x10, 0})
	b.Add(38, []byte{4, 0x20, 0x20, 0xFF, 0x20, 0, 0, 0, 0, 0, 0, 0})
	b.Add(41, []byte{1, 0x85, 1, 0, 0, 3, 0x19}, "NIC 1")
	b.Add(41, []byte{1, 0x03, 2, 0xFF, 0xFF, 0xFF, 0xFF}, "Video")
	b.Add(42, hostInterface())
	b.Add(42, []byte{0x40, 1, 2, 1, 4, 200, 1, 2, 3})
	b.Add(43, []byte{'I', 'N', 'T', 'C', 2, 0, 1, 0, 2, 0, 0, 0, 0, 0, 1, 8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}, "TPM 2.0")
	b.Add(44, []byte{4, 0, 3, 2, 0xAA, 0xBB, 0xCC})
	b.Add(45, []byte{1, 2, 0, 3, 0, 4, 5, 6, 0, 0, 0xA0, 0, 0, 0, 0, 0, 1, 0, 4, 0},
		"BIOS", "1.0", "id", "2020-01-02", "Example", "0.9")
	b.Add(221, []byte{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16}, "one", " ", "three: 3")
	return b
}

// hostInterface is the body of a type 42: a USB v2 device with a record of Redfish over IP.
func hostInterface() []byte {
	redfish := make([]byte, 91, 95)
	copy(redfish[16:], []byte{1, 1, 169, 254, 3, 1})
	copy(redfish[34:], []byte{255, 255, 255, 0})
	copy(redfish[50:], []byte{1, 1, 169, 254, 3, 2})
	redfish[84], redfish[85], redfish[90] = 0xBB, 0x01, 4
	redfish = append(redfish, "bmc1"...)
	b := []byte{0x40, 0x0D, 4, 0x0D, 0x6B, 0x04, 0xB0, 0xFF, 0, 0x02, 0x11, 0x22, 0x33, 0x44, 0xAB}
	return append(append(b, 1, 4, byte(len(redfish))), redfish...)
}

func made() map[string]*smbiostest.Builder {
	return map[string]*smbiostest.Builder{
		"2.0": server(2, 0), "2.3": server(2, 3), "2.5": server(2, 5), "2.6": server(2, 6), "2.7": server(2, 7),
		"2.8": server(2, 8), "3.0": server(3, 0), "3.2": server(3, 2), "3.3": server(3, 3), "3.5": server(3, 5),
		"oddities": oddities(), "management": management(),
	}
}

// What dmidecode's text of synthetic tables must be read as what memaudit decodes from them. The committed texts are
// of dmidecode 3.4; they are compared with the output of an installed one, and rewritten with -update.
func TestSyntheticAgreesWithDmidecode(t *testing.T) {
	for name, b := range made() {
		t.Run(name, func(t *testing.T) {
			dump := b.Dump()
			file := filepath.Join("..", "..", "..", "testdata", "smbios", "made-"+name+".dmidecode.txt")
			if *update {
				require.NoError(t, os.WriteFile(file, withoutPath(runDmidecode(t, dump)), 0o644))
			}
			text, err := os.ReadFile(file)
			require.NoError(t, err)
			ours := parse(t, dump)
			theirs := parse(t, text)
			d, n := compareTables(name, ours, theirs)
			assert.Empty(t, d)
			least := 60
			if name == "management" {
				least = 10 // the system alone is decoded
			}
			assert.Greater(t, n, least)
		})
	}
}

// withoutPath drops the line that names the temporary file.
func withoutPath(text string) []byte {
	var out []string
	for _, l := range strings.Split(text, "\n") {
		if strings.HasPrefix(l, "Reading SMBIOS/DMI data from file") {
			l = "Reading SMBIOS/DMI data from file made.bin."
		}
		out = append(out, l)
	}
	return []byte(strings.Join(out, "\n"))
}

// An installed dmidecode must print the synthetic tables like the committed texts, and its hexadecimal output must be
// decoded as the tables themselves.
func TestSyntheticInstalledDmidecode(t *testing.T) {
	for name, b := range made() {
		t.Run(name, func(t *testing.T) {
			dump := b.Dump()
			ours := parse(t, dump)
			hex := parse(t, []byte(runDmidecode(t, dump, "-u")))
			d, _ := compareTables(name, ours, hex)
			assert.Empty(t, d, "-u")
			text := string(withoutPath(runDmidecode(t, dump)))
			if !strings.HasPrefix(text, "# dmidecode 3.4\n") {
				t.Skip("the committed texts are of dmidecode 3.4")
			}
			file := filepath.Join("..", "..", "..", "testdata", "smbios", "made-"+name+".dmidecode.txt")
			want, err := os.ReadFile(file)
			require.NoError(t, err)
			assert.Equal(t, string(want), text)
		})
	}
}
