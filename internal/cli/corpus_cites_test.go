//go:build corpus

package cli

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/memaudit/memaudit/internal/audit/verdict"
	"github.com/memaudit/memaudit/internal/report"
	"github.com/memaudit/memaudit/internal/tools/corpustest"
)

// fitting checks that a failure cites a document without a mark only if it is a standard, names the product, or is by
// the vendor of the machine or its CPU: by the names alone, not by the code that marks.
func fitting(t *testing.T, name string, r *report.Report, f *verdict.Finding) {
	t.Helper()
	c := f.Citation
	if c == nil || c.Standing != "" || slices.Contains([]string{"DMTF", "Linux kernel"}, c.Vendor) {
		return
	}
	fits := sameMaker(c.Vendor, string(r.Machine.Vendor)) || namedIn(c.Title, string(r.Machine.Product)) || madeProcessor(c.Vendor, r)
	assert.True(t, fits, "%s: %s cites %s without a mark", name, f.Rule, c.Vendor)
}

// makersNames are the spellings of the vendors whose documents are cited.
var makersNames = []*regexp.Regexp{
	regexp.MustCompile(`(?i)^dell\b`), regexp.MustCompile(`(?i)^(hp|hpe|hewlett)\b`), regexp.MustCompile(`(?i)^(lenovo|ibm|thinkstation)\b`),
	regexp.MustCompile(`(?i)^(sun|oracle)\b`), regexp.MustCompile(`(?i)^fujitsu\b`), regexp.MustCompile(`(?i)^super ?micro\b`),
	regexp.MustCompile(`(?i)^cisco\b`), regexp.MustCompile(`(?i)^huawei\b`), regexp.MustCompile(`(?i)^giga-?byte\b`), regexp.MustCompile(`(?i)^intel\b`),
	regexp.MustCompile(`(?i)^apple\b`), regexp.MustCompile(`(?i)^xfusion\b`),
}

func sameMaker(a, b string) bool {
	return slices.ContainsFunc(makersNames, func(m *regexp.Regexp) bool { return m.MatchString(a) && m.MatchString(b) })
}

// processorNames are words in the names of processors, by vendor.
var processorNames = map[string]*regexp.Regexp{
	"Intel":  regexp.MustCompile(`(?i)intel|xeon|pentium|celeron|core|atom`),
	"AMD":    regexp.MustCompile(`(?i)amd|epyc|opteron|ryzen|threadripper`),
	"Ampere": regexp.MustCompile(`(?i)ampere|altra`),
}

func madeProcessor(vendor string, r *report.Report) bool {
	for i := range r.Inventory.Sockets {
		for v := range strings.SplitSeq(vendor, ", ") {
			if name := processorNames[v]; name != nil && name.MatchString(string(r.Inventory.Sockets[i].Model)) {
				return true
			}
		}
	}
	return false
}

// modelNumber is the part of a model's name that its documents have in their titles.
var modelNumber = regexp.MustCompile(`\d{3,}|[A-Z]\d{2}`)

// namedIn reports whether the title of a document names a product or board by its number.
func namedIn(title, names string) bool {
	return slices.ContainsFunc(modelNumber.FindAllString(names, -1), func(n string) bool { return strings.Contains(title, n) })
}

// productNames are the names of product and board in a text of dmidecode.
var productNames = regexp.MustCompile(`\tProduct Name: .*`)

// TestSistersAreMarked compares the title of each document that a server's problem rests on with the server's name:
// without a mark it is about this model, or a standard. Few servers are told another vendor's document.
func TestSistersAreMarked(t *testing.T) {
	with, servers, foreign := newTextAuditor(t), 0, 0
	corpustest.Members(t, corpustest.Servers, func(name string, data []byte) {
		r, _ := with.document(t, data)
		if r == nil {
			return
		}
		problem, another := false, false
		for i := range r.Problems {
			p := &r.Problems[i]
			problem = problem || p.Above()
			c := p.Members[0].Citation
			if c == nil || p.Settings() {
				continue
			}
			another = another || p.Above() && p.Standing == verdict.OtherVendor
			if p.Standing == "" && !slices.Contains([]string{"DMTF", "Linux kernel"}, c.Vendor) {
				names := strings.Join(productNames.FindAllString(string(data), -1), "")
				assert.True(t, namedIn(c.Title, names), "%s:%s is told %s without a mark", name, names, c.Line())
			}
		}
		if problem {
			servers++
		}
		if another {
			foreign++
		}
	})
	require.Positive(t, servers)
	assert.LessOrEqual(t, foreign*100, servers*8)
}
