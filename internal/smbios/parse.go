package smbios

import (
	"bytes"
	"fmt"
)

// Parse decodes SMBIOS from a file's content: a `dmidecode --dump-bin` file, a
// bare structure table, or dmidecode's text. The table aliases data, which
// must not be changed afterwards.
//
// An error means that there is nothing to decode: ErrEmpty, ErrUnrecognised,
// ErrTooLarge, or what dmidecode's own words in the text say (ErrNoTable, ErrDenied,
// ErrNoHandles). Everything else is in the Table's Problems.
func Parse(data []byte) (*Table, error) {
	t, err := decodeAny(data)
	if err == nil && t.Err != nil {
		return nil, t.Err
	}
	return t, err
}

func decodeAny(data []byte) (*Table, error) {
	switch {
	case len(bytes.TrimSpace(data)) == 0:
		return nil, ErrEmpty
	case entryPointKind(data) != NoEntryPoint:
		return decodeDump(data), nil
	case isText(data):
		return parseText(data)
	default:
		return parseTable(data)
	}
}

// Decode decodes sysfs's smbios_entry_point and DMI. entryPoint is nil when it
// could not be read. The table aliases table.
func Decode(entryPoint, table []byte) *Table {
	t := &Table{Source: FromTable}
	announced := len(table)
	if entryPoint != nil {
		t.entryPoint(entryPoint)
		announced = t.announcedLength(len(table))
	}
	t.walk(0, table, announced)
	t.finish()
	return t
}

// DecodeEntries decodes single structures with their strings, as in
// /sys/firmware/dmi/entries/*/raw, in the order given. Offsets are as if the
// files stood one after another. The table aliases raws.
func DecodeEntries(raws [][]byte) *Table {
	t := &Table{Source: FromEntries}
	offset := 0
	for _, raw := range raws {
		t.walk(offset, raw, len(raw))
		offset += len(raw)
	}
	t.finish()
	return t
}

// decodeDump decodes an entry point with its table in one file. The address in
// the entry point is where the table is only if dmidecode wrote the dump:
// other tools keep the machine's physical address there.
func decodeDump(data []byte) *Table {
	t := &Table{Source: FromDump}
	t.entryPoint(data)
	table := data[t.start(data):]
	t.walk(0, table, t.announcedLength(len(table)))
	t.finish()
	return t
}

// start is the offset of the table in a dump.
func (t *Table) start(data []byte) int {
	for _, at := range []uint64{t.EntryPoint.Address, 0x20, 0x10} {
		if at < 0x0F || at >= uint64(len(data)) {
			continue
		}
		w := walker{data: data[at:]}
		if w.plausible(0, 2) {
			return int(at)
		}
	}
	return min(0x20, len(data))
}

// announcedLength compares the entry point's table length with the available
// one. The 64-bit entry point states the largest length only.
func (t *Table) announcedLength(available int) int {
	announced := t.EntryPoint.TableLength
	if t.EntryPoint.Kind == EntryPoint64 || t.EntryPoint.Kind == NoEntryPoint || announced == 0 {
		return available
	}
	if announced > available {
		t.problem(CodeLength, -1, false, "entry point announces a table of %d bytes, %d are there", announced, available)
	}
	return min(announced, available)
}

// parseTable decodes data that starts neither with an anchor nor as text.
func parseTable(data []byte) (*Table, error) {
	w := walker{data: data}
	if !w.plausible(0, 2) && !w.cutFirst() {
		return nil, fmt.Errorf("%w: data start with % x: expected a dmidecode --dump-bin file (_SM3_, _SM_, _DMI_), a structure table or dmidecode's text",
			ErrUnrecognised, data[:min(len(data), 8)])
	}
	return Decode(nil, data), nil
}

// cutFirst tells whether data are a table that is damaged or cut short right
// in its first structures: one believable header at the start, and no control
// characters among its strings.
func (w *walker) cutFirst() bool {
	if len(w.data) < headerLength || w.data[0] >= 46 || !plausibleHeader(w.data[0], w.data[1]) {
		return false
	}
	body := min(int(w.data[1]), len(w.data))
	end, ended := w.terminator(body)
	if !ended {
		end = len(w.data)
	}
	return !control(string(w.data[body:end]))
}
