package smbios

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"memaudit.example/memaudit/internal/source/smbios/smbiostest"
	"memaudit.example/memaudit/internal/tools/corpustest"
)

// many repeats a structure of a type with its minimum length.
func many(typ byte, n int) []byte {
	b := smbiostest.New(3, 2)
	b.System(smbiostest.System{Manufacturer: "Example"})
	b.NoEnd = true
	data := b.Table()
	for i := range n {
		s := make([]byte, minLength[typ]+2)
		s[0], s[1], s[2], s[3] = typ, minLength[typ], byte(i), byte(i>>8)
		data = append(data, s...)
	}
	return append(data, 127, 4, 0xFF, 0xFE, 0, 0)
}

// TestTooLarge checks that a table larger than any machine's is refused by name, as a file and as the kernel's table,
// and that of the largest machine is not.
func TestTooLarge(t *testing.T) {
	for typ, c := range map[byte]struct {
		most int
		says string
	}{typeMemoryDevice: {maxDevices, "4096 memory devices (type 17)"}, typeProcessor: {maxProcessors, "1024 processors (type 4)"},
		11: {maxStructures - 2, "65536 structures: handles have 16 bits"}} {
		table := parse(t, many(typ, c.most))
		assert.Equal(t, c.most, table.Count(typ))
		_, err := Parse(many(typ, c.most+1))
		require.ErrorIs(t, err, ErrTooLarge)
		require.ErrorContains(t, err, "more than any machine has: more than "+c.says)
		live := Decode(nil, many(typ, c.most+1))
		require.ErrorIs(t, live.Err, ErrTooLarge)
		assert.Empty(t, live.Structures)
		assert.Equal(t, []string{CodeTooLarge}, uniqueCodes(live))
		viewAll(live)
	}
}

// TestTooLongStrings checks that a string of many megabytes is refused, since a report would repeat it.
func TestTooLongStrings(t *testing.T) {
	for name, data := range map[string]func(n int) []byte{
		"binary": func(n int) []byte {
			b := smbiostest.New(3, 2)
			b.System(smbiostest.System{Product: strings.Repeat("A", n)})
			return b.Table()
		},
		"text": func(n int) []byte {
			return []byte("# dmidecode 3.3\nSMBIOS 3.2.0 present.\n\nHandle 0x0001, DMI type 1, 27 bytes\nSystem Information\n\tProduct Name: " + strings.Repeat("A", n) + "\n")
		},
	} {
		t.Run(name, func(t *testing.T) {
			parse(t, data(maxStrings-100))
			_, err := Parse(data(maxStrings + 1))
			require.ErrorIs(t, err, ErrTooLarge)
			require.ErrorContains(t, err, "more than 65536 bytes of strings in one structure")
		})
	}
}

// TestTooLargeText is the same for dmidecode's text.
func TestTooLargeText(t *testing.T) {
	text := func(n int) []byte {
		var b bytes.Buffer
		b.WriteString("# dmidecode 3.3\nSMBIOS 3.2.0 present.\n\n")
		for i := range n {
			fmt.Fprintf(&b, "Handle 0x%04X, DMI type 17, 40 bytes\nMemory Device\n\tSize: No Module Installed\n\n", i&0xFFFF)
		}
		return b.Bytes()
	}
	parse(t, text(maxDevices))
	far := 20_000
	if corpustest.Stage {
		far = 200_000
	}
	for _, n := range []int{maxDevices + 1, far} {
		_, err := Parse(text(n))
		require.ErrorIs(t, err, ErrTooLarge)
	}
}

// TestMemoryBound checks that decoding allocates at most 50 times the size of its input.
func TestMemoryBound(t *testing.T) {
	size := 1 << 20
	if corpustest.Stage {
		size = 8 << 20
	}
	for name, unit := range map[string]string{
		"memory devices": "\x11\x15\x00\x00" + strings.Repeat("\x00", 19), "smallest structures": "\x80\x04\x00\x00\x00\x00",
		"zeros": "\x00", "headers": "\x80\x04", "handles": "Handle 0x0011, DMI type 17, 40 bytes\n", "lines": "\ta:\n",
		"devices in text": "Handle 0x0011, DMI type 17, 40 bytes\nMemory Device\n\tSize: 4 GB\n\n", "shortest": "Handle 0x1, DMI type 1, 9\n",
	} {
		t.Run(name, func(t *testing.T) {
			data := []byte(strings.Repeat(unit, size/len(unit)))
			if strings.Contains(unit, "\n") {
				data = append([]byte("# dmidecode 3.3\nSMBIOS 3.2.0 present.\n\nHandle 0x0001, DMI type 1, 27 bytes\nSystem Information\n"), data...)
			}
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			table, err := Parse(data)
			runtime.ReadMemStats(&after)
			used := float64(after.TotalAlloc-before.TotalAlloc) / float64(len(data))
			t.Logf("%.1f bytes a byte, %v", used, err)
			assert.Less(t, used, 50.0)
			_ = table
		})
	}
}

// TestNoise checks that random bytes are not a table, whatever they begin with. Few of them contain so many zeros
// that structures seem to end.
func TestNoise(t *testing.T) {
	taken, thin, tables := 0, 0, uint64(400)
	if corpustest.Stage {
		tables = 4000
	}
	for seed := range tables {
		r := rand.New(rand.NewPCG(seed, 17))
		data := make([]byte, 5000)
		for i := range data {
			data[i] = byte(r.Uint32())
			if seed%4 != 0 && r.IntN(4) < int(seed%4) {
				data[i] = 0
			}
		}
		if seed%2 == 0 { // a header that may be
			data[0] = byte(r.IntN(46))
			data[1] = minLength[data[0]]
		}
		_, err := Parse(data)
		switch {
		case err != nil:
			require.ErrorIs(t, err, ErrUnrecognised)
		case seed%4 == 0:
			taken++
		default:
			thin++
		}
	}
	assert.Zero(t, taken)
	assert.Less(t, thin, int(tables)*3/100, "of three in four with a quarter to three quarters of zeros, half of them with a header")
}

// sane checks what must be true of every decoded table.
func sane(t *testing.T, table *Table, size int) {
	t.Helper()
	if len(table.Problems) > maxProblems {
		t.Fatalf("%d problems", len(table.Problems))
	}
	if len(table.Structures) > size/headerLength+1 {
		t.Fatalf("%d structures in %d bytes", len(table.Structures), size)
	}
	for i := range table.Structures {
		s := &table.Structures[i]
		if len(s.Data) > int(s.Length) || table.Lookup(s.Handle, s.Type) == nil {
			t.Fatalf("structure %d: %+v", i, s)
		}
	}
	viewAll(table)
	for _, d := range devicesOf(table) {
		if d.Size.Known() && (d.Size.Value < 0 || d.Size.Value == 0 && d.Installed.Value) {
			t.Fatalf("size %+v, installed %+v", d.Size, d.Installed)
		}
	}
}

// viewAll decodes every typed view.
func viewAll(t *Table) {
	t.BIOS()
	t.System()
	t.Boards()
	t.Chassis()
	t.Processors()
	t.MemoryArrays()
	devicesOf(t)
	t.ArrayMappings()
	t.DeviceMappings()
	t.HPEDIMMLocations()
}

// FuzzTable decodes random data as a file and as a bare table.
func FuzzTable(f *testing.F) {
	for _, b := range made() {
		f.Add(b.Dump())
		f.Add(b.Table())
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		sane(t, Decode(nil, data), len(data))
		sane(t, DecodeEntries([][]byte{data, data[len(data)/2:]}), 2*len(data))
		if table, err := Parse(data); err == nil {
			sane(t, table, len(data))
		}
	})
}

// FuzzEntryPoint decodes a valid table with a random entry point.
func FuzzEntryPoint(f *testing.F) {
	for _, b := range made() {
		f.Add(b.EntryPoint())
	}
	table := server(2, 8).Table()
	f.Fuzz(func(t *testing.T, entry []byte) {
		sane(t, Decode(entry, table), len(table))
		sane(t, decodeDump(append(entry[:len(entry):len(entry)], table...)), len(table)+len(entry))
	})
}

// FuzzText decodes random data as dmidecode's text.
func FuzzText(f *testing.F) {
	for name := range made() {
		f.Add(madeText(f, name))
	}
	f.Add("Handle 0x0001\n\tDMI type 17, 84 bytes.\n\tMemory Device\n\t\tSize: 16 GB\n")
	f.Fuzz(func(t *testing.T, text string) {
		if table, err := parseText([]byte(text)); err == nil {
			sane(t, table, len(text))
		}
		if strings.Contains(text, "Handle 0x") {
			_, _ = Parse([]byte(text))
		}
	})
}
