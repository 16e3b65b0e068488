package smbios

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"memaudit.example/memaudit/internal/source/smbios/smbiostest"
)

func printedText(version string, typ, length int, lines ...string) string {
	return fmt.Sprintf("# dmidecode %s\nSMBIOS 3.5.0 present.\n\nHandle 0x0001, DMI type %d, %d bytes\nTitle\n\t%s\n", version, typ, length, strings.Join(lines, "\n\t"))
}

// TestDuplicates checks that only two arrays, devices or mappings with one handle can be confused; the end marker and
// inactive structures often share a handle.
func TestDuplicates(t *testing.T) {
	for _, c := range []struct {
		types    [2]uint8
		problem  bool
		harmless bool
	}{
		{[2]uint8{16, 16}, true, false}, {[2]uint8{17, 17}, true, false}, {[2]uint8{19, 19}, true, false},
		{[2]uint8{7, 7}, true, true}, {[2]uint8{16, 17}, true, true}, {[2]uint8{17, 200}, true, true}, {[2]uint8{125, 125}, true, true},
		{[2]uint8{128, 128}, true, true}, {[2]uint8{17, 126}, false, false}, {[2]uint8{126, 200}, false, false}, {[2]uint8{126, 126}, false, false},
	} {
		b := smbiostest.New(3, 2)
		b.System(smbiostest.System{Manufacturer: "M"})
		for i, typ := range c.types {
			b.NextHandle(9)
			b.Add(typ, append(make([]byte, 0x50), byte(i)))
		}
		b.NextHandle(1000)
		var found []Problem
		for _, p := range Decode(nil, b.Table()).Problems {
			if p.Code == CodeDuplicateHandle {
				found = append(found, p)
			}
		}
		if require.Equal(t, c.problem, len(found) == 1, "%v: %v", c.types, found); c.problem {
			assert.Equal(t, c.harmless, found[0].Harmless, c.types)
		}
	}
}

// TestCounts checks that missing structures are harmless if the table has its end, or as many structures as
// announced, and that a text that ends early was truncated.
func TestCounts(t *testing.T) {
	harmless := func(table *Table, code string) string {
		for _, p := range table.Problems {
			if p.Code == code {
				return fmt.Sprint(p.Harmless)
			}
		}
		return "none"
	}
	b := small(2, 8)
	b.Count = 1
	assert.Equal(t, "true", harmless(parse(t, b.Dump()), CodeCount), "one is announced, five are there")
	for _, kind := range []struct {
		noEnd bool
		count int
		codes [2]string // of the count, of the end
	}{{false, 5, [2]string{"none", "none"}}, {false, 9, [2]string{"true", "none"}}, {true, 4, [2]string{"none", "true"}},
		{true, 5, [2]string{"false", "false"}}} {
		b := small(2, 8)
		b.NoEnd, b.Count = kind.noEnd, kind.count
		table := parse(t, b.Dump())
		assert.Equal(t, [2]string{harmless(table, CodeCount), harmless(table, CodeNoEndMarker)}, kind.codes, kind)
	}
	b = small(3, 2)
	b.NoEnd = true
	assert.Equal(t, "false", harmless(parse(t, b.Dump()), CodeNoEndMarker), "nothing is announced")
	empty := smbiostest.New(2, 8)
	empty.NoEnd = true
	nothing := parse(t, empty.Dump())
	assert.Zero(t, nothing.EntryPoint.Structures)
	assert.Equal(t, [2]string{"false", "none"}, [2]string{harmless(nothing, CodeNoStructures), harmless(nothing, CodeNoEndMarker)},
		"none announced and none found do not agree on anything")
	assert.Equal(t, "true", harmless(DecodeEntries([][]byte{{16, 15, 1, 0, 3, 3, 3, 0, 0, 0, 4, 0xFE, 0xFF, 1, 0, 0, 0}}), CodeNoEndMarker))
	text := func(announced int, end string) *Table {
		return parse(t, []byte(fmt.Sprintf("# dmidecode 3.4\n%d structures occupying 100 bytes.\n\nHandle 0x0001, DMI type 1, 27 bytes\nSystem Information\n\tFamily: F\n\n%s", announced, end)))
	}
	const end = "Handle 0x0002, DMI type 127, 4 bytes\nEnd Of Table\n"
	assert.Equal(t, "none", harmless(text(2, end), CodeCount))
	assert.Equal(t, "true", harmless(text(1, end), CodeCount), "more than announced")
	assert.Equal(t, "false", harmless(text(3, end), CodeCount), "fewer: lines are missing")
	assert.Equal(t, "false", harmless(text(3, ""), CodeCount))
}
