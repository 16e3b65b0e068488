//go:build corpus

package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"memaudit.example/memaudit/internal/report"
	"memaudit.example/memaudit/internal/tools/corpustest"
)

// worded lists the texts of a report.
func worded(r *report.Report) []string {
	var out []string
	for i := range r.Findings {
		f := &r.Findings[i]
		out = append(out, strings.Join([]string{f.Rule, f.Subject.String(), outcome(f), f.Certainty.String(), string(f.Found), string(f.Expected), string(f.Remedy)}, " | "))
	}
	return out
}

// judgedOtherwise are the findings that differ between a dump and its text; the list may only shrink.
var judgedOtherwise = map[string]string{
	"beelink-eq12 firmware.smbios.wellformed": "the table has no end marker; dmidecode prints what it holds and says nothing, as of a text of some types only",
}

// TestDumpAndTextGiveOneVerdict checks that a machine's dump and dmidecode's text of it have the same verdict, for
// the dumps of the corpus. internal/collect compares the inventories.
func TestDumpAndTextGiveOneVerdict(t *testing.T) {
	with, listed := newTextAuditor(t), map[string]bool{}
	compare := func(name string, dump, text []byte) {
		one, _ := with.document(t, dump)
		two, _ := with.document(t, text)
		require.Equal(t, one == nil, two == nil, name)
		if one == nil {
			return
		}
		for _, line := range append(lacking(worded(one), worded(two)), lacking(worded(two), worded(one))...) {
			rule, _, _ := strings.Cut(line, " ")
			key := name + " " + rule
			listed[key] = true
			assert.Contains(t, judgedOtherwise, key, line)
		}
	}
	machines := 0
	for _, name := range corpustest.Glob(t, "smbios-bin/*.dmidecode.txt") {
		stem := strings.TrimSuffix(name, ".dmidecode.txt")
		if filepath.Base(stem) == "hyperv" {
			continue // dmidecode stops at a data block behind the OEM strings, the table goes on
		}
		dump, err := os.ReadFile(stem + ".bin")
		if err != nil {
			dump, err = os.ReadFile(stem + ".dmi")
		}
		require.NoError(t, err)
		text, err := os.ReadFile(name)
		require.NoError(t, err)
		compare(filepath.Base(stem), dump, text)
		machines++
	}
	require.Greater(t, machines, 30)
	for key := range judgedOtherwise {
		assert.Contains(t, listed, key, "has the same result now")
	}
}

// lacking lists what the first has and the second has not.
func lacking(a, b []string) []string {
	left := map[string]int{}
	for _, line := range b {
		left[line]++
	}
	var out []string
	for _, line := range a {
		if left[line]--; left[line] < 0 {
			out = append(out, line)
		}
	}
	return out
}
