package smbios

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/memaudit/memaudit/internal/corpustest"
)

// difference is one field in which we and dmidecode do not say the same.
type difference struct {
	file, handle, field, ours, theirs string
}

func (d difference) String() string {
	return strings.Join([]string{d.file, d.handle, d.field, d.ours, d.theirs}, "\t")
}

// knownDifferences reads testdata/smbios/known-differences.tsv: the five
// columns of difference and the reason.
func knownDifferences(t *testing.T) map[string]string {
	t.Helper()
	name := filepath.Join("..", "..", "testdata", "smbios", "known-differences.tsv")
	data, err := os.ReadFile(name)
	require.NoError(t, err)
	known := map[string]string{}
	for i, l := range strings.Split(strings.TrimSpace(string(data)), "\n") {
		if i == 0 || strings.HasPrefix(l, "#") {
			continue
		}
		cols := strings.Split(l, "\t")
		require.Len(t, cols, 6, "%s: line %d", name, i+1)
		require.NotEmpty(t, cols[5], "%s: line %d has no reason", name, i+1)
		known[strings.Join(cols[:5], "\t")] = cols[5]
	}
	return known
}

// The decoder's values of every binary table must be the ones its own text
// parser reads from dmidecode's text of the same table, and must print as
// dmidecode prints them.
func TestOracleDmidecode(t *testing.T) {
	var found []difference
	fields := 0
	for _, name := range corpustest.Glob(t, "smbios-bin/*") {
		ext := filepath.Ext(name)
		if ext != ".bin" && ext != ".dmi" {
			continue
		}
		ours, ref := decodeFile(t, name), strings.TrimSuffix(name, ext)+".dmidecode.txt"
		text, err := os.ReadFile(ref)
		require.NoError(t, err)
		theirs, err := Parse(text)
		require.NoError(t, err)
		// The version of a bare table was guessed for the text.
		if !ours.Version.Known() {
			ours.Version = theirs.Version
		}
		d, n := compareTables(filepath.Base(name), ours, theirs)
		found = append(found, d...)
		fields += n
		d, n = compareLines(filepath.Base(name), ours, string(text))
		found = append(found, d...)
		fields += n
	}
	assert.Greater(t, fields, 30000)
	t.Logf("%d fields compared, %d differ", fields, len(found))
	checkKnown(t, found)
}

func checkKnown(t *testing.T, found []difference) {
	known := knownDifferences(t)
	var fresh []string
	for _, d := range found {
		if _, ok := known[d.String()]; !ok {
			fresh = append(fresh, d.String())
		}
		delete(known, d.String())
	}
	assert.Empty(t, fresh, "differences that are not in known-differences.tsv:\n%s", strings.Join(fresh, "\n"))
	for k := range known {
		t.Errorf("listed difference does not occur: %s", k)
	}
}

// decodeFile decodes a dump, or a bare table with the entry point beside it.
func decodeFile(t *testing.T, name string) *Table {
	t.Helper()
	data, err := os.ReadFile(name)
	require.NoError(t, err)
	entry, err := os.ReadFile(strings.TrimSuffix(name, ".dmi") + ".entry")
	if err == nil {
		return Decode(entry, data)
	}
	table, err := Parse(data)
	require.NoError(t, err)
	return table
}

// compareTables compares the typed views of two tables.
func compareTables(file string, a, b *Table) (out []difference, fields int) {
	if len(a.Structures) != len(b.Structures) {
		out = append(out, difference{file, "-", "structures", fmt.Sprint(len(a.Structures)), fmt.Sprint(len(b.Structures))})
	}
	va, vb := views(a), views(b)
	for i := range va {
		x, y := reflect.ValueOf(va[i]), reflect.ValueOf(vb[i])
		for j := range min(x.Len(), y.Len()) {
			handle := fmt.Sprintf("0x%04X", x.Index(j).FieldByName("Handle").Uint())
			compareStructs(x.Index(j), y.Index(j), x.Index(j).Type().Name(), func(field, ours, theirs string) {
				fields++
				if ours != theirs {
					out = append(out, difference{file, handle, field, ours, theirs})
				}
			})
		}
	}
	return out, fields
}

// views returns the slices of all typed views.
func views(t *Table) []any {
	bios, _ := t.BIOS()
	system, _ := t.System()
	return []any{
		[]BIOS{bios}, []System{system}, t.Boards(), t.Chassis(), t.Processors(), t.MemoryArrays(),
		devicesOf(t), t.ArrayMappings(), t.DeviceMappings(), t.HPEDIMMLocations(),
	}
}

func compareStructs(a, b reflect.Value, path string, report func(field, ours, theirs string)) {
	for i := range a.NumField() {
		f := a.Type().Field(i)
		report(path+"."+f.Name, show(a.Field(i)), show(b.Field(i)))
	}
}

// show prints a Field or Text by status and value; Raw is not compared, as
// dmidecode prints strings filtered.
func show(v reflect.Value) string {
	if v.Kind() == reflect.Struct && v.FieldByName("Status").IsValid() {
		return fmt.Sprintf("%v %v", v.FieldByName("Status"), v.FieldByName("Value"))
	}
	return fmt.Sprint(v)
}

// runDmidecode prints a dump with the installed dmidecode, or skips.
func runDmidecode(t *testing.T, dump []byte, args ...string) string {
	t.Helper()
	path, err := exec.LookPath("dmidecode")
	if err != nil {
		t.Skip("dmidecode is not installed")
	}
	file := filepath.Join(t.TempDir(), "dump.bin")
	require.NoError(t, os.WriteFile(file, dump, 0o600))
	var out bytes.Buffer
	cmd := exec.Command(path, append([]string{"--from-dump", file}, args...)...)
	cmd.Stdout, cmd.Stderr = &out, &out
	_ = cmd.Run() // its words are in the output
	return out.String()
}

// The same with the dmidecode of this machine, which also reads what -u prints
// into the same values.
func TestOracleInstalledDmidecode(t *testing.T) {
	for _, name := range corpustest.Glob(t, "smbios-bin/*.bin") {
		data, err := os.ReadFile(name)
		require.NoError(t, err)
		data = atAddress32(data)
		ours, err := Parse(data)
		require.NoError(t, err)
		hex, err := Parse([]byte(runDmidecode(t, data, "-u")))
		require.NoError(t, err, name)
		d, n := compareTables(filepath.Base(name), ours, hex)
		assert.Empty(t, d, "dmidecode -u")
		assert.Greater(t, n, 100)
	}
}

// atAddress32 gives a dump the table address dmidecode looks at.
func atAddress32(data []byte) []byte {
	data = bytes.Clone(data)
	var delta byte
	switch entryPointKind(data) {
	case EntryPoint32:
		for i := 0x18; i < 0x1C; i++ {
			delta += data[i]
			data[i] = 0
		}
		data[0x18] = 0x20
		data[0x15] += delta - 0x20
	case EntryPoint64, EntryPointLegacy, NoEntryPoint:
	}
	return data
}
