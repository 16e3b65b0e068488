package smbios

import (
	"strings"
	"testing"
)

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

// seeds adds the synthetic tables and those of real machines.
func seeds(f *testing.F, add func([]byte)) {
	for _, b := range made() {
		add(b.Dump())
		add(b.Table())
	}
}

// FuzzTable decodes random data as a file and as a bare table.
func FuzzTable(f *testing.F) {
	seeds(f, func(b []byte) { f.Add(b) })
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
