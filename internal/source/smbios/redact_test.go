package smbios_test

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"memaudit.example/memaudit/internal/source/smbios"
	"memaudit.example/memaudit/internal/source/smbios/smbiostest"
)

// stars replaces a text by as many stars.
var stars = smbios.Hide{
	Text: func(b []byte) []byte { return bytes.Repeat([]byte("*"), len(b)) },
	UUID: func(b []byte) []byte { return bytes.Repeat([]byte{0xAB}, len(b)) },
}

func secretTable() *smbiostest.Builder {
	b := smbiostest.New(2, 7)
	b.System(smbiostest.System{Manufacturer: "Maker", Product: "P1", Serial: "SECRET-1"})
	b.Chassis(smbiostest.Chassis{Manufacturer: "Maker", Serial: "SECRET-2", AssetTag: "SECRET-2"})
	b.CPU(smbiostest.CPU{Socket: "CPU1", Manufacturer: "Intel", Version: "Xeon"})
	a := b.Array(smbiostest.Array{Devices: 1})
	b.MemoryDevice(smbiostest.DIMM{Array: a, Locator: "A1", Bytes: 8 << 30, Serial: "SECRET-3", AssetTag: "TAG-SECRET-4", Part: "M393"})
	b.Add(11, []byte{2}, "SECRET-5", "more SECRET-6")
	b.Add(221, []byte("SECRET-7 in the bytes"), "SECRET-8")
	b.End()
	return b
}

// TestRedact checks that secrets are removed and everything else is kept.
func TestRedact(t *testing.T) {
	b := secretTable()
	for name, data := range map[string][]byte{"dump": b.Dump(), "table": b.Table(), "cut": b.Table()[:len(b.Table())-30]} {
		t.Run(name, func(t *testing.T) {
			out, err := smbios.Redact(data, stars)
			require.NoError(t, err)
			assert.Len(t, out, len(data))
			assert.NotContains(t, string(out), "SECRET")
			before, err := smbios.Parse(data)
			require.NoError(t, err)
			after, err := smbios.Parse(out)
			require.NoError(t, err)
			assert.Equal(t, before.Problems, after.Problems)
			d := listed(after)[0]
			assert.Equal(t, "M393", d.PartNumber.Or(""))
			assert.Equal(t, "********", d.Serial.Or(""))
			y, _ := after.System()
			assert.Equal(t, "P1", y.Product.Or(""))
			assert.Equal(t, "Maker", y.Manufacturer.Or(""))
		})
	}
}

// TestRedactText checks that dmidecode's texts state the same memory after redaction, and no identifying value.
func TestRedactText(t *testing.T) {
	texts, err := filepath.Glob(filepath.Join("..", "..", "..", "testdata", "smbios", "*.dmidecode.txt"))
	require.NoError(t, err)
	require.NotEmpty(t, texts)
	for _, name := range texts {
		data, err := os.ReadFile(name)
		require.NoError(t, err)
		out, err := smbios.Redact(data, stars)
		require.NoError(t, err, name)
		before, err := smbios.Parse(data)
		require.NoError(t, err)
		after, err := smbios.Parse(out)
		require.NoError(t, err)
		want, got := listed(before), listed(after)
		for i := range want {
			assert.Equal(t, want[i].PartNumber, got[i].PartNumber)
			assert.Equal(t, want[i].Locator, got[i].Locator)
			if serial := want[i].Serial.Or(""); serial != "" {
				assert.Equal(t, strings.Repeat("*", len(serial)), got[i].Serial.Or(""))
			}
		}
	}
}

// TestRedactBytes checks that of a structure's bytes in dmidecode's hexadecimal rows only the header stays, in the
// first row and in the next.
func TestRedactBytes(t *testing.T) {
	text := "# dmidecode 3.3\nHandle 0x0001, DMI type 1, 27 bytes\nSystem Information\n\tManufacturer: Maker\n\n" +
		"Handle 0x12DD, DMI type 221, 20 bytes\nOEM-specific Type\n\tHeader and Data:\n" +
		"\t\tDD 14 DD 12 F1 F2 F3 F4 F5 F6 F7 F8 F9 FA FB FC\n\t\tA1 A2 A3 A4\n"
	out, err := smbios.Redact([]byte(text), stars)
	require.NoError(t, err)
	assert.Contains(t, string(out), "\t\tDD 14 DD 12"+strings.Repeat(" 00", 12)+"\n\t\t00 00 00 00\n")
}

// TestRedactRefuses checks that input that is not a table, or would become a different one, is refused.
func TestRedactRefuses(t *testing.T) {
	_, err := smbios.Redact([]byte("hello\n"), stars)
	require.ErrorIs(t, err, smbios.ErrUnrecognised)
	zeros := smbios.Hide{UUID: stars.UUID, Text: func(b []byte) []byte { return make([]byte, len(b)) }}
	b := smbiostest.New(3, 2)
	b.System(smbiostest.System{Manufacturer: "Maker", Serial: "SECRET", SKU: "K"})
	b.MemoryDevice(smbiostest.DIMM{Array: b.Array(smbiostest.Array{Devices: 1})})
	_, err = smbios.Redact(b.Table(), zeros)
	require.Error(t, err)
}

// TestRedactBetween checks that data between structures is blanked, unless it decides where they are.
func TestRedactBetween(t *testing.T) {
	for header, goes := range map[[2]byte]bool{{8, 3}: true, {200, 2}: false} {
		b := smbiostest.New(3, 2)
		b.System(smbiostest.System{Manufacturer: "Maker", Serial: "SECRET"})
		b.Raw(append(header[:], "junk\x00\x00"...)...)
		a := b.Array(smbiostest.Array{Devices: 1})
		b.MemoryDevice(smbiostest.DIMM{Array: a, Bytes: 1 << 30})
		b.End()
		out, err := smbios.Redact(b.Table(), stars)
		require.NoError(t, err)
		assert.Equal(t, !goes, bytes.Contains(out, []byte("junk")), header)
		assert.NotContains(t, string(out), "SECRET")
		before, err := smbios.Parse(b.Table())
		require.NoError(t, err)
		after, err := smbios.Parse(out)
		require.NoError(t, err)
		assert.Equal(t, before.Problems, after.Problems, header)
	}
}

// TestRedactLines checks that of a text the titles and what an audit reads stay, and that other values and shell
// prompts are removed.
func TestRedactLines(t *testing.T) {
	const text = "root@host-7:~# dmidecode\n# dmidecode 3.3\n\nHandle 0x0001, DMI type 1, 27 bytes\nSystem Information\n" +
		"    Manufacturer: Maker @ Home\n\tSerial Number: SECRET\n\n" +
		"Handle 0x000B, DMI type 11, 5 bytes\nOEM Strings\n\tString 1: CA FE CA FE\n\tSerial Number: SECRET\n\t\tSECRET item of the list\n\n" +
		"Handle 0x000C, DMI type ?, 5 bytes\nOther\n\tString 1: SECRET\n"
	const want = "xxxxxxxxxxxxxx xxxxxxxxx\n# dmidecode 3.3\n\nHandle 0x0001, DMI type 1, 27 bytes\nSystem Information\n" +
		"    Manufacturer: Maker @ Home\n\tSerial Number: ******\n\n" +
		"Handle 0x000B, DMI type 11, 5 bytes\nOEM Strings\n\tString 1: xx xx xx xx\n\tSerial Number: xxxxxx\n\t\txxxxxx xxxx xx xxx xxxx\n\n" +
		"Handle 0x000C, DMI type ?, 5 bytes\nOther\n\tString 1: xxxxxx\n"
	out, err := smbios.Redact([]byte(text), stars)
	require.NoError(t, err)
	assert.Equal(t, want, string(out))

	// Redacted data must not become a structure.
	forging := smbios.Hide{UUID: stars.UUID, Text: func(b []byte) []byte {
		return append([]byte("\nHandle 0x0002, DMI type 17, 40 bytes\n"), b...)[:len(b)]
	}}
	_, err = smbios.Redact([]byte("# dmidecode 3.3\n\nHandle 0x0001, DMI type 1, 27 bytes\nSystem Information\n\tSerial Number: "+strings.Repeat("S", 60)+"\n"), forging)
	require.Error(t, err)
}

func FuzzRedact(f *testing.F) {
	f.Add(secretTable().Dump())
	f.Add(secretTable().Table())
	f.Add([]byte("# dmidecode 3.3\nHandle 0x0001, DMI type 1, 27 bytes\nSystem Information\n\tSerial Number: SECRET\n\tUUID: x\n\nHandle 0x0002, DMI type 221, 8 bytes\nOEM\n\tHeader and Data:\n\t\tDD 08 02 00 01 02 03 04\n\tStrings:\n\t\tSECRET\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		before, err := smbios.Parse(data)
		if err != nil {
			return
		}
		out, err := smbios.Redact(slices.Clone(data), stars)
		if err != nil {
			return
		}
		after, err := smbios.Parse(out)
		require.NoError(t, err)
		require.Len(t, out, len(data))
		if len(before.Problems) > 0 {
			return // what is damaged may fall apart elsewhere
		}
		require.Len(t, after.Structures, len(before.Structures))
		for i := range before.Structures {
			require.Equal(t, before.Structures[i].Type, after.Structures[i].Type)
			require.Equal(t, before.Structures[i].Handle, after.Structures[i].Handle)
		}
	})
}

// listed returns the memory devices of a table.
func listed(t *smbios.Table) (out []smbios.MemoryDevice) {
	for d := range t.EachMemoryDevice() {
		out = append(out, *d)
	}
	return out
}
