package cli

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/memaudit/memaudit/internal/report"
	"github.com/memaudit/memaudit/internal/report/text"
	"github.com/memaudit/memaudit/internal/tools/corpustest"
	"github.com/memaudit/memaudit/internal/tools/machinetest"
)

// plainWords are capital letters that need no explanation for a sysadmin: units, vendors, standards bodies,
// placeholders of the command line, and the report's own leading words.
var plainWords = []string{
	"BIOS", "CPU", "DIMM", "RDIMM", "LRDIMM", "UDIMM", "DDR", "GiB", "MiB", "KiB", "GB", "MB", "MT", "MHz", "GHz", "mV", "OS", "URL", "FILE", "DIR", "JSON", "SUM", "SCP", "PCI", "RAM", "DRAM", "ID", "DMI", "PATCH",
	"AMD", "IBM", "HP", "HPE", "EMC", "DMTF", "DSP0134", "EPYC", "PRIMERGY", "FUJITSU", "NVIDIA", "OSU", "GT", "ES", "EX", "EP",
	"OK", "CRITICAL", "WARNING", "INFO", "PASS", "UNKNOWN", "ERROR", "ADVICE", "NOTE", "WAIVED", "SOURCES", "SLOTS", "PASSED", "NOT", "APPLICABLE",
}

// onlySmall keeps small letters.
func onlySmall(r rune) rune {
	if unicode.IsLower(r) {
		return r
	}
	return -1
}

var (
	manyCapitals  = regexp.MustCompile(`\b[A-Za-z]*[A-Z][A-Za-z]*[A-Z][A-Za-z]*\b`)
	explainedWord = regexp.MustCompile(`(\S+):\s`)
)

// unexplained returns the abbreviations of a report that its legend does not explain, except for plain words, strings
// of the machine's firmware, and titles of documents.
func unexplained(t *testing.T, doc *report.Report, printed string) []string {
	t.Helper()
	own, err := json.Marshal([]any{doc.Machine, doc.Inventory.Sockets, doc.Inventory.Slots})
	require.NoError(t, err)
	cited := []string{string(own)}
	for i := range doc.Findings {
		if c := doc.Findings[i].Citation; c != nil {
			cited = append(cited, c.Line())
		}
	}
	for i := range doc.Advice {
		cited = append(cited, doc.Advice[i].Source)
	}
	known := strings.Join(cited, " ")
	at := strings.LastIndex(printed, "\nglossary ")
	if at < 0 {
		at = len(printed)
	}
	explained := map[string]bool{}
	for _, m := range explainedWord.FindAllStringSubmatch(printed[at:], -1) {
		for part := range strings.SplitSeq(m[1], "-") {
			explained[strings.ToLower(part)] = true
		}
	}
	var out []string
	for _, word := range manyCapitals.FindAllString(printed[:at], -1) {
		if small := len(strings.Map(onlySmall, word)); 2*small > len(word) {
			continue // a name: HyperTransport, SysProfile
		}
		singular := strings.TrimSuffix(word, "s")
		switch {
		case slices.Contains(plainWords, word), slices.Contains(plainWords, singular), slices.Contains(out, word):
		case strings.Contains(known, word), explained[strings.ToLower(word)], explained[strings.ToLower(singular)]:
		default:
			out = append(out, word)
		}
	}
	return out
}

// TestAbbreviationsAreExplained checks that every abbreviation of the full report is in its glossary.
func TestAbbreviationsAreExplained(t *testing.T) {
	t.Parallel()
	for _, m := range corpustest.Sample(machinetest.Sample(t), 2) {
		t.Run(m.Name, func(t *testing.T) {
			t.Parallel()
			for _, profile := range []string{"", "low-latency"} {
				doc := judgedOnce(t, m.Name, profile)
				var verbose strings.Builder
				require.NoError(t, text.Write(&verbose, doc, text.Options{Verbose: true, Width: 160}))
				assert.Empty(t, unexplained(t, doc, verbose.String()), "with -v")
			}
		})
	}
}
