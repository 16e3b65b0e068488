package smbios

import (
	"encoding/binary"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// madeText returns dmidecode's text of a synthetic table.
func madeText(t testing.TB, name string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("..", "..", "..", "testdata", "smbios", "made-"+name+".dmidecode.txt"))
	require.NoError(t, err)
	return string(data)
}

// The meaning of the text must not depend on changes made by a terminal, a mail program or a wiki.
func TestTextVariants(t *testing.T) {
	for _, name := range []string{"3.2", "oddities", "management"} {
		text := madeText(t, name)
		want := views(parse(t, []byte(text)))
		for variant, changed := range map[string]string{
			"carriage returns": strings.ReplaceAll(text, "\n", "\r\n"),
			"spaces":           strings.ReplaceAll(text, "\t", "        "),
			"quoted":           "    " + strings.ReplaceAll(strings.ReplaceAll(text, "\t", "    "), "\n", "\n    "),
			"no last newline":  strings.TrimRight(text, "\n"),
			"byte order mark":  "\xEF\xBB\xBF" + text,
			"utf-16":           utf16Text(text, binary.LittleEndian),
			"utf-16 BE":        utf16Text(text, binary.BigEndian),
			"log around it":    "$ sudo dmidecode\n" + text + "\n$ lscpu\nSize: 4 GB\nVendor: other\n",
			"old handle lines": oldHandleLines(text),
			"messages between": strings.ReplaceAll(text, " bytes\n", " bytes\nInvalid entry length (16). Fixed up to 11.\n"),
		} {
			t.Run(name+" "+variant, func(t *testing.T) {
				table := parse(t, []byte(changed))
				assert.Equal(t, want, views(table))
			})
		}
	}
}

func utf16Text(s string, order binary.AppendByteOrder) string {
	b := order.AppendUint16(nil, 0xFEFF)
	for _, u := range utf16.Encode([]rune(s)) {
		b = order.AppendUint16(b, u)
	}
	return string(b)
}

// oldHandleLines writes the type on a line of its own, as versions before 2.7.
func oldHandleLines(text string) string {
	var out []string
	inside := false
	for _, l := range strings.Split(text, "\n") {
		if handle, typ, ok := strings.Cut(l, ", DMI"); ok {
			inside = true
			out = append(out, handle, "\tDMI"+typ+".")
			continue
		}
		if l == "" && inside {
			continue
		}
		if inside {
			l = "\t" + l
		}
		out = append(out, l)
	}
	return strings.Join(out, "\n")
}

func TestTextErrors(t *testing.T) {
	for _, c := range []struct {
		name, text string
		want       error
		says       string
	}{
		{"empty", "", ErrEmpty, "empty input"},
		{"blank", " \n\t\n", ErrEmpty, "empty input"},
		{"denied", "# dmidecode 3.4\nScanning /dev/mem for entry point.\n/dev/mem: Permission denied\n", ErrDenied, "/dev/mem: Permission denied"},
		{"denied sysfs", "# dmidecode 3.3\n/sys/firmware/dmi/tables/smbios_entry_point: Permission denied\nScanning /dev/mem for entry point.\n/dev/mem: Permission denied\n", ErrDenied, "Permission denied"},
		{"lockdown", "# dmidecode 3.4\nScanning /dev/mem for entry point.\n/dev/mem: Operation not permitted\n", ErrDenied, "Operation not permitted"},
		{"no smbios", "# dmidecode 3.4\nScanning /dev/mem for entry point.\n# No SMBIOS nor DMI entry point found, sorry.\n", ErrNoTable, "No SMBIOS nor DMI entry point found"},
		{"no /dev/mem", "# dmidecode 3.4\nScanning /dev/mem for entry point.\n/dev/mem: No such file or directory\n", ErrNoTable, "No such file"},
		{"bare denied", "/dev/mem: Permission denied\n", ErrDenied, "Permission denied"},
		{"quiet", "Memory Device\n\tTotal Width: 72 bits\n\tSize: 16 GB\n\nMemory Device\n\tSize: 16 GB\n", ErrNoHandles, "-q"},
		{"other text", "hello\nworld\n", ErrUnrecognised, `starts with "hello"`},
		{"lscpu", "Architecture:            x86_64\nCPU(s): 4\n", ErrUnrecognised, "expected dmidecode's text"},
		{"zeros", strings.Repeat("\x00", 400), ErrUnrecognised, "data start with 00 00"},
		{"ELF", "\x7fELF\x02\x01\x01\x00\x00\x00\x00\x00\x00\x00", ErrUnrecognised, "7f 45 4c 46"},
	} {
		t.Run(c.name, func(t *testing.T) {
			table, err := Parse([]byte(c.text))
			require.ErrorIs(t, err, c.want)
			require.ErrorContains(t, err, c.says)
			assert.Nil(t, table)
		})
	}
}

// A header without structures is an empty SMBIOS table.
func TestTextWithoutStructures(t *testing.T) {
	table := parse(t, []byte("# dmidecode 3.4\nGetting SMBIOS data from sysfs.\nSMBIOS 3.2.0 present.\n\n"))
	assert.Empty(t, table.Structures)
	assert.Equal(t, []string{CodeNoStructures}, uniqueCodes(table))
}

func TestTextOldLabels(t *testing.T) {
	text := `# dmidecode 2.12
SMBIOS 2.8 present.

Handle 0x0011, DMI type 17, 40 bytes
Memory Device
	Array Handle: 0x0010
	Error Information Handle: Not Provided
	Total Width: 72 bits
	Data Width: 64 bits
	Size: 8192 MB
	Form Factor: DIMM
	Set: None
	Locator: A1
	Bank Locator: Not Specified
	Type: DDR3
	Type Detail: Synchronous Registered (Buffered)
	Speed: 1333 MHz (0.8 ns)
	Manufacturer: 00CE00B300CE
	Serial Number: 1
	Asset Tag: 2
	Part Number: M393B1K70CH0-YH9
	Rank: 2
	Configured Clock Speed: 1067 MHz
	Minimum voltage:  1.35 V
	Maximum voltage:  1.5 V
	Configured voltage:  1.35 V
`
	d := devicesOf(parse(t, []byte(text)))[0]
	assert.Equal(t, knownField(1333), d.Speed)
	assert.Equal(t, knownField(1067), d.ConfiguredSpeed)
	assert.Equal(t, [3]Field[int]{knownField(1350), knownField(1500), knownField(1350)},
		[3]Field[int]{d.MinVoltage, d.MaxVoltage, d.ConfiguredVoltage})
	assert.Equal(t, knownField[int64](8<<30), d.Size)
	assert.Equal(t, Field[string]{}, d.Technology)
}

// A truncated text must not look complete, even if it does not state the number of structures (as from SMBIOS 3.0
// on), or has only one kind of structures and no end.
func TestTextCut(t *testing.T) {
	text := madeText(t, "2.8")
	table := parse(t, []byte(text[:len(text)/2]))
	require.Equal(t, []string{CodeCount, CodeNoEndMarker}, uniqueCodes(table))
	assert.False(t, table.Problems[0].Harmless)

	const array = "\nHandle 0x0010, DMI type 16, 23 bytes\nPhysical Memory Array\n\tUse: System Memory\n\tNumber Of Devices: 2\n"
	device := func(handle string) string {
		return "\nHandle " + handle + ", DMI type 17, 84 bytes\nMemory Device\n\tArray Handle: 0x0010\n\tSize: 8 GB\n"
	}
	const end = "\nHandle 0x0020, DMI type 127, 4 bytes\nEnd Of Table\n"
	one, two := array+device("0x0011"), array+device("0x0011")+device("0x0012")
	for _, c := range []struct {
		name, header, text string
		want               []string
	}{
		{"whole", "Table at 0x000E0000.\n", two + end, nil},
		{"all types, no end", "Table at 0x000E0000.\n", two, []string{CodeNoEndMarker}},
		{"all types, a device less", "Table at 0x000E0000.\n", one, []string{CodeNoEndMarker, CodeCount}},
		{"some types", "", two, nil},
		{"some types, a device less", "", one, []string{CodeCount}},
		{"devices alone", "", device("0x0011"), nil},
		{"firmware announces too many", "", one + end, []string{CodeDevices}},
	} {
		t.Run(c.name, func(t *testing.T) {
			table := parse(t, []byte("# dmidecode 3.4\nSMBIOS 3.2.0 present.\n"+c.header+c.text))
			assert.Equal(t, c.want, uniqueCodes(table))
			for _, p := range table.Problems {
				assert.False(t, p.Harmless, p.Text)
			}
		})
	}
}

func TestTextProblems(t *testing.T) {
	text := `# dmidecode 3.3
SMBIOS 2.7 present.
3 structures occupying 90 bytes.

Handle 0x0001, DMI type 17, 34 bytes
Memory Device
	Array Handle: 0x0099
	Size: 1024 MB
	Form Factor: <OUT OF SPEC>
	Locator: <BAD INDEX>

Handle 0x0099, DMI type 1, 27 bytes
System Information
	Manufacturer: X
	<TRUNCATED>

Handle 0xZZZZ, DMI type 1, 27 bytes

Handle 0x0100, DMI type 999, 27 bytes

Handle 0x0101, DMI type 127, 4 bytes
End Of Table

Invalid entry length (0). DMI table is broken! Stop.

Wrong DMI structures count: 3 announced, only 2 decoded.
Wrong DMI structures length: 90 bytes announced, only 80 bytes available.
`
	table := parse(t, []byte(text))
	assert.Equal(t, []string{
		CodeTruncated, CodeText, CodeZeroLength, CodeCount, CodeLength, CodeDanglingHandle, CodeOutOfSpec, CodeStringIndex,
	}, uniqueCodes(table))
	d := devicesOf(table)[0]
	assert.Equal(t, Malformed, d.FormFactor.Status)
	assert.Equal(t, Malformed, d.Locator.Status)
	wide := parse(t, []byte("# dmidecode 3.3\n\nHandle 0x0001, DMI type 1, 27 bytes\nSystem Information\n\tFamily: F\n\nHandle 0x10011, DMI type 17, 40 bytes\nMemory Device\n\tSize: 1 GB\n\n"))
	assert.Empty(t, devicesOf(wide), "a handle of five digits is none")
}

// TestTextsThatWereLaidOutAnew checks that the changes mail programs, forums and wikis make to a text do not change
// its meaning.
func TestTextsThatWereLaidOutAnew(t *testing.T) {
	plain := madeText(t, "2.8")
	want := parse(t, []byte(plain))
	lines := regexp.MustCompile(`(?m)^`)
	for name, text := range map[string]string{
		"an empty line after each":    strings.ReplaceAll(plain, "\n", "\n\n"),
		"one empty line between all":  regexp.MustCompile(`\n+`).ReplaceAllString(plain, "\n\n"),
		"lines of spaces between all": strings.ReplaceAll(plain, "\n", "\n   \n"),
		"no-break spaces":             strings.ReplaceAll(strings.ReplaceAll(plain, "\t", "        "), " ", "\u00a0"),
		"no-break spaces of Latin-1":  strings.ReplaceAll(strings.ReplaceAll(plain, "\t", "    "), " ", "\xa0"),
		"spaces for tabs":             strings.ReplaceAll(plain, "\t", "    "),
		"no indentation":              strings.ReplaceAll(plain, "\t", ""),
		"quoted":                      lines.ReplaceAllString(plain, "> "),
		"quoted twice":                lines.ReplaceAllString(plain, ">> "),
		"quoted without a space":      lines.ReplaceAllString(plain, ">"),
		"quoted, empty lines":         strings.ReplaceAll(lines.ReplaceAllString(plain, "> "), "\n", "\n\n"),
		"CR LF":                       strings.ReplaceAll(plain, "\n", "\r\n"),
		"CR LF and empty lines":       strings.ReplaceAll(plain, "\n", "\r\n\r\n"),
		"zero-width spaces":           strings.ReplaceAll(plain, "\n", "\u200b\n"),
	} {
		t.Run(name, func(t *testing.T) {
			got := parse(t, []byte(text))
			assert.Equal(t, devicesOf(want), devicesOf(got))
			assert.Equal(t, want.Processors(), got.Processors())
			assert.Equal(t, want.MemoryArrays(), got.MemoryArrays())
			assert.Equal(t, uniqueCodes(want), uniqueCodes(got))
		})
	}
	for name, text := range map[string]string{
		"handles alone":    strings.Join(regexp.MustCompile(`(?m)^Handle .*$`).FindAllString(plain, -1), "\n"),
		"fields elsewhere": regexp.MustCompile(`(?m)^\t.*\n`).ReplaceAllString(plain, ""),
	} {
		t.Run(name, func(t *testing.T) {
			_, err := Parse([]byte(text))
			require.ErrorIs(t, err, ErrNoFields)
		})
	}
	cut := regexp.MustCompile(`(Memory Device\n)(\t.*\n)+`).ReplaceAllString(plain, "$1")
	table := parse(t, []byte(cut))
	require.Contains(t, uniqueCodes(table), CodeText)
}

// TestRedactQuoted checks that identifiers are removed from a quoted text too.
func TestRedactQuoted(t *testing.T) {
	text := "> Handle 0x0001, DMI type 1, 27 bytes\n> System Information\n> \tSerial Number: SECRET1\n> \tFamily: F\n"
	stars := Hide{UUID: func(b []byte) []byte { return b }, Text: func(b []byte) []byte { return []byte(strings.Repeat("*", len(b))) }}
	out, err := Redact([]byte(text), stars)
	require.NoError(t, err)
	assert.NotContains(t, string(out), "SECRET1")
	assert.Contains(t, string(out), "Family: F")
}
