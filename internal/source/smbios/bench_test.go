package smbios

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/memaudit/memaudit/internal/source/smbios/smbiostest"
)

// large is a machine with four sockets and 128 DIMMs, 267 structures.
func large() *smbiostest.Builder {
	b := smbiostest.New(3, 7)
	b.BIOS(smbiostest.BIOS{Vendor: "Example", Version: "1.0", Date: "01/01/2025", UEFI: true})
	b.System(smbiostest.System{Manufacturer: "Example", Product: "Server 4S"})
	for i := range 4 {
		b.CPU(smbiostest.CPU{Socket: fmt.Sprintf("CPU%d", i+1), Manufacturer: "Intel", Cores: 60, Enabled: 60, Threads: 120})
	}
	for range 4 {
		array := b.Array(smbiostest.Array{Devices: 32, MaxBytes: 16 << 40})
		mapping := b.Mapping(smbiostest.Mapping{Array: array, End: 4<<40 - 1})
		for i := range 32 {
			device := b.MemoryDevice(smbiostest.DIMM{
				Array: array, Bytes: 128 << 30, Type: 0x22, Locator: fmt.Sprintf("DIMM_%c%d", 'A'+i/2, i%2+1), Bank: "NODE 1",
				Speed: 5600, Configured: 4800, Manufacturer: "Samsung", Serial: fmt.Sprintf("%08X", i), AssetTag: "none",
				Part: "M321RAGA0B20-CWKZJ", Rank: 4, MinMV: 1100, MaxMV: 1100, ConfiguredMV: 1100, Firmware: "n/a",
			})
			b.Add(20, []byte{
				0, 0, 0, 0, 0xFF, 0xFF, 0x1F, 0, byte(device), byte(device >> 8), byte(mapping), byte(mapping >> 8), 1, 0, 0,
				0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
			})
		}
	}
	return b
}

func BenchmarkDecode128(b *testing.B) {
	l := large()
	entry, table := l.EntryPoint(), l.Table()
	b.SetBytes(int64(len(table)))
	b.ReportAllocs()
	for b.Loop() {
		t := Decode(entry, table)
		if len(devicesOf(t)) != 128 || len(t.MemoryArrays()) != 4 || len(t.Processors()) != 4 {
			b.Fatal("not all was decoded")
		}
	}
}

func BenchmarkText(b *testing.B) {
	text := largeText()
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		t, err := Parse(text)
		require.NoError(b, err)
		if len(devicesOf(t)) != 128 {
			b.Fatal("not all was decoded")
		}
	}
}

// largeText is 128 devices, 150 KB, as dmidecode prints them.
func largeText() []byte {
	var out bytes.Buffer
	out.WriteString("# dmidecode 3.4\nSMBIOS 3.3.0 present.\n\n")
	for i := range 128 {
		fmt.Fprintf(&out, "Handle 0x%04X, DMI type 17, 92 bytes\nMemory Device\n", 0x1100+i)
		d := devicesOf(Decode(nil, large().Table()))[i]
		lines := renderDevice(d)
		for _, key := range slices.Sorted(maps.Keys(lines)) {
			fmt.Fprintf(&out, "\t%s: %s\n", key, lines[key])
		}
		out.WriteString("\n")
	}
	return out.Bytes()
}
