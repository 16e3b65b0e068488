//go:build corpus

package cli

import (
	"cmp"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/memaudit/memaudit/internal/audit/verdict"
	"github.com/memaudit/memaudit/internal/report"
	"github.com/memaudit/memaudit/internal/tools/corpustest"
)

// Columns of the table of citations.
const (
	citeOwn       = "own maker"
	citeProcessor = "processor's maker"
	citeStandard  = "standard"
	citeNone      = "none"
	citeUnmarked  = "unmarked"
)

var citeColumns = []string{citeOwn, verdict.Generation, verdict.Sister, citeProcessor, verdict.CPUVendor, citeStandard, verdict.Unread, verdict.OtherVendor, verdict.Practice, citeNone}

// cites counts whose documents the failures cite, by rule. What an unmarked one is
// comes from the names alone, not from the code that marks.
type cites map[string]map[string]int

func (c cites) add(r *report.Report) {
	for i := range r.Findings {
		f := &r.Findings[i]
		if f.Result != "fail" {
			continue
		}
		if c[f.Rule] == nil {
			c[f.Rule] = map[string]int{}
		}
		c[f.Rule][citedOf(r, f)]++
	}
}

func citedOf(r *report.Report, f *verdict.Finding) string {
	c := f.Citation
	switch {
	case c == nil:
		return citeNone
	case c.Standing != "":
		return string(c.Standing)
	case slices.Contains([]string{"DMTF", "Linux kernel"}, c.Vendor):
		return citeStandard
	case sameMaker(c.Vendor, string(r.Machine.Vendor)), namedIn(c.Title, string(r.Machine.Product)):
		return citeOwn
	case madeProcessor(c.Vendor, r):
		return citeProcessor
	}
	return citeUnmarked + ": " + c.Vendor
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
// without a mark it is about this model, or a standard. It logs the shares.
func TestSistersAreMarked(t *testing.T) {
	with, standings := newTextAuditor(t), map[string]int{}
	servers, foreign, mapped, rows := 0, 0, 0, 0
	corpustest.Members(t, corpustest.Servers, func(name string, data []byte) {
		r, _ := with.document(t, data)
		if r == nil {
			return
		}
		another := false
		for i := range r.Problems {
			p := &r.Problems[i]
			c := p.Members[0].Citation
			if c == nil || p.Settings() {
				continue
			}
			standings[p.Standing]++
			another = another || p.Above() && p.Standing == verdict.OtherVendor
			if p.Standing == "" && !slices.Contains([]string{"DMTF", "Linux kernel"}, c.Vendor) {
				names := strings.Join(productNames.FindAllString(string(data), -1), "")
				assert.True(t, namedIn(c.Title, names), "%s:%s is told %s without a mark", name, names, c.Line())
			}
		}
		if slices.ContainsFunc(r.Problems, func(p report.Problem) bool { return p.Above() }) {
			servers++
		}
		if another {
			foreign++
		}
		for i := range r.Inventory.Slots {
			if s := &r.Inventory.Slots[i]; s.State == "populated" && s.Technology == "dram" {
				rows++
				if s.Channel != nil {
					mapped++
				}
			}
		}
	})
	t.Logf("%d servers with a problem, %d are told another vendor's document; %v; %d of %d modules placed", servers, foreign, standings, mapped, rows)
	assert.LessOrEqual(t, foreign*100, servers*8)
}

// table lists the rules with the counts, and checks that every fitting citation is by the vendor of the machine
// or its CPU, or a standard.
func (c cites) table(t *testing.T) string {
	var b strings.Builder
	b.WriteString("# Whose document the failures on real machines cite, by rule. Made by make corpus-summary; read the diff.\n# rule\t" + strings.Join(citeColumns, "\t") + "\n")
	sum := map[string]int{}
	for _, rule := range slices.SortedFunc(maps.Keys(c), cmp.Compare[string]) {
		b.WriteString(rule)
		for _, column := range citeColumns {
			fmt.Fprintf(&b, "\t%d", c[rule][column])
			sum[column] += c[rule][column]
		}
		b.WriteString("\n")
		for kind, n := range c[rule] {
			assert.False(t, strings.HasPrefix(kind, citeUnmarked), "%s cites %d times without a mark: %s", rule, n, kind)
		}
	}
	b.WriteString("all")
	for _, column := range citeColumns {
		fmt.Fprintf(&b, "\t%d", sum[column])
	}
	b.WriteString("\n")
	return b.String()
}
