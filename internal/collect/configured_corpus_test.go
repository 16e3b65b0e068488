//go:build corpus

package collect

import (
	"encoding/csv"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"memaudit.example/memaudit/internal/model/fact"
	"memaudit.example/memaudit/internal/model/inventory"
	"memaudit.example/memaudit/internal/model/settings"
	"memaudit.example/memaudit/internal/source/bios"
	"memaudit.example/memaudit/internal/tools/corpustest"
	"memaudit.example/memaudit/rules"
)

var updateUnmapped = flag.Bool("update-unmapped", false, "rewrite testdata/bios")

// companions lists the registries of files; the other files are read alone.
var companions = map[string]string{"gigabyte-ami-megarac.json": "gigabyte-ami.json", "zt-systems-ami.json": "zt-systems-ami.json",
	"supermicro-gb300-arm.json": "supermicro-gb300.json"}

// corpusFiles lists the exports of the two folders.
func corpusFiles(t *testing.T) []string {
	t.Helper()
	var files []string
	for _, folder := range []string{"redfish", "bios-cli"} {
		found, err := filepath.Glob(filepath.Join(corpustest.Shared(t, "corpus"), folder, "*.*"))
		require.NoError(t, err)
		files = append(files, slices.DeleteFunc(found, func(f string) bool { return filepath.Ext(f) == ".md" })...)
	}
	require.Len(t, files, 49)
	return files
}

// corpusSystem returns the model of one file, with its registry if the corpus has it.
func corpusSystem(t *testing.T, file string) *inventory.System {
	t.Helper()
	tables, err := settings.LoadCompiled(rules.FS)
	require.NoError(t, err)
	in := Input{Tables: func() (settings.Tables, error) { return tables, nil }}
	names := []string{file}
	if r := companions[filepath.Base(file)]; r != "" {
		names = append(names, filepath.Join(filepath.Dir(file), "registries", r))
	}
	for _, name := range names {
		data, err := os.ReadFile(name)
		require.NoError(t, err)
		e, err := bios.Decode(name, data)
		require.NoError(t, err, name)
		in.Exports = append(in.Exports, Export{Source: inventory.SourceBIOS, Path: filepath.Base(name), Export: e})
	}
	return Collect(in)
}

// yard is one line of testdata/bios/yardstick.csv: an attribute of a file, its setting and the canonical value. The
// list was made from the tables of names in the knowledge and by reading the files, not from rules/settings. Without
// a value the attribute does not decide alone.
type yard struct{ file, setting, attribute, word string }

func yardstick(t *testing.T) []yard {
	t.Helper()
	f, err := os.Open(filepath.Join(corpustest.Root(t), "testdata", "bios", "yardstick.csv"))
	require.NoError(t, err)
	defer func() { _ = f.Close() }()
	rows, err := csv.NewReader(f).ReadAll()
	require.NoError(t, err)
	var out []yard
	for _, r := range rows[1:] {
		out = append(out, yard{r[0], r[1], r[2], r[3]})
	}
	return out
}

// TestCorpusSettings checks that at least 90 % of the settings in every file are mapped, and that no value is wrong.
func TestCorpusSettings(t *testing.T) {
	byFile := map[string][]yard{}
	for _, y := range yardstick(t) {
		byFile[y.file] = append(byFile[y.file], y)
	}
	total, mapped := 0, 0
	for _, file := range corpusFiles(t) {
		base := filepath.Base(file)
		sys := corpusSystem(t, file)
		contained, known := map[string]bool{}, map[string]bool{}
		var missing []string
		for _, y := range byFile[base] {
			contained[y.setting] = true
			f := sys.Settings[y.setting].Configured
			if pending := sys.Settings[y.setting].Pending; f.State == fact.Unread && pending.State != fact.Unread {
				f = pending // a batch of commands lists only pending values
			}
			if strings.Contains(f.Reason, "and under it") {
				delete(contained, y.setting) // inert: the export's own preset governs it
				continue
			}
			if !f.Known() {
				missing = append(missing, fmt.Sprintf("%s (%s): %s", y.setting, y.attribute, f.Reason))
				continue
			}
			known[y.setting] = true
			if want := y.word; want == "=" {
				assert.Equal(t, f.From.Raw, f.Value, "%s %s", base, y.setting)
			} else if want != "" && f.From.Field == y.attribute {
				assert.Equal(t, want, f.Value, "%s %s by %s", base, y.setting, y.attribute)
			}
		}
		total, mapped = total+len(contained), mapped+len(known)
		t.Logf("%-40s %2d of %2d %s", base, len(known), len(contained), strings.Join(missing, "; "))
		assert.GreaterOrEqual(t, len(known)*10, len(contained)*9, "%s: %s", base, strings.Join(missing, "; "))
	}
	t.Logf("all files: %d of %d", mapped, total)
}

// TestCorpusUnmapped compares how many attributes of each file are mapped with the committed numbers, so that a review
// shows changes; -v prints the names of the others.
func TestCorpusUnmapped(t *testing.T) {
	var b strings.Builder
	b.WriteString("# A BIOS export of ../shared, its attributes, how many are mapped, and how many of these have a value without a canonical word (make unmapped).\n")
	for _, file := range corpusFiles(t) {
		sys := corpusSystem(t, file)
		require.NotEmpty(t, sys.Exports, file)
		x := sys.Exports[0]
		fmt.Fprintf(&b, "%s\t%d\t%d\t%d\n", filepath.Base(file), x.Mapped+len(x.Unmapped), x.Mapped, len(x.Foreign))
		t.Logf("%s: not mapped: %q; without a word: %q", filepath.Base(file), x.Unmapped, x.Foreign)
	}
	golden := filepath.Join(corpustest.Root(t), "testdata", "bios", "unmapped.tsv")
	if *updateUnmapped {
		require.NoError(t, os.WriteFile(golden, []byte(b.String()), 0o644))
		return
	}
	want, err := os.ReadFile(golden)
	require.NoError(t, err)
	assert.Equal(t, string(want), b.String(), "make unmapped, and read the difference")
}

// TestCorpusHasNoIdentifiers checks that no value of an asset, owner, serial or password attribute leaves the decoder
// as evidence.
func TestCorpusHasNoIdentifiers(t *testing.T) {
	for _, file := range corpusFiles(t) {
		for id, s := range corpusSystem(t, file).Settings {
			for _, e := range append(s.Configured.Evidence(), s.Pending.Evidence()...) {
				lower := strings.ToLower(e.Field)
				for _, word := range []string{"asset", "owner", "serial", "password", "tag", "uuid"} {
					assert.NotContains(t, lower, word, "%s %s", file, id)
				}
			}
		}
	}
}
