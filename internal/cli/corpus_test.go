//go:build corpus

package cli

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/memaudit/memaudit/internal/corpustest"
	"github.com/memaudit/memaudit/internal/report"
)

var updateCorpus = flag.Bool("update-corpus", false, "rewrite the tables of testdata/corpus")

// audited is one text of the corpus and what memaudit makes of it.
type audited struct {
	name   string
	text   []byte
	raw    string
	report report.Report
}

// tally counts the results of a corpus by rule.
type tally struct {
	machines, failed int
	// rows counts populated DRAM slots, mapped those with a socket and a
	// channel (on a front-side bus with a channel).
	rows, mapped int
	results      map[string]map[string]int
	examples     map[string][]string
	// fires counts the machines on which each rule fails, by source.
	fires  *fires
	source string
}

// audit runs a check over one text; false when it could not be read.
func (c *tally) audit(t *testing.T, name string, data []byte) (audited, bool) {
	status, out, errs := run(data, "check", "--smbios", "-", "--format", "json", "--fail-on", "never")
	if status == report.ExitNotAudited && out == "" {
		c.failed++
		t.Logf("%s: %s", name, strings.TrimSpace(errs))
		return audited{}, false
	}
	assert.Equal(t, report.ExitOK, status, "%s: %s", name, errs)
	a := audited{name: name, text: data, raw: out}
	require.NoError(t, json.Unmarshal([]byte(out), &a.report), name)
	c.add(t, name, &a.report)
	return a, true
}

func (c *tally) add(t *testing.T, name string, r *report.Report) {
	c.machines++
	c.slots(t, name, r)
	c.fires.add(c.source, r)
	for _, f := range r.Findings {
		if c.results[f.Rule] == nil {
			c.results[f.Rule] = map[string]int{}
		}
		if f.Result == "fail" {
			c.examples[f.Rule] = append(c.examples[f.Rule], fmt.Sprintf("%s %s: %v", name, f.Subject, deref(f.Found)))
		}
		c.results[f.Rule][outcome(&f)]++
		if f.Result == "error" {
			t.Errorf("%s: %s %s: %v", name, f.Rule, f.Subject, deref(f.Reason))
		}
	}
}

// outcome is a finding's result, a failure by its severity.
func outcome(f *report.Finding) string {
	if f.Result == "fail" {
		return f.Severity
	}
	return f.Result
}

// slots counts the mapped slots and checks that no machine shows more sockets
// than its table has, or two DIMMs in one place.
func (c *tally) slots(t *testing.T, name string, r *report.Report) {
	t.Helper()
	inv := &r.Inventory
	chipset := len(inv.Population.Sockets) == 1 && inv.Population.Sockets[0].Socket == nil
	taken := map[string]string{}
	for _, s := range inv.Slots {
		if s.State != "populated" || s.Technology == nil || *s.Technology != "dram" || ofGuest(r) {
			continue
		}
		c.rows++
		if s.Channel == nil || s.Socket == nil && !chipset {
			continue
		}
		c.mapped++
		if s.Socket != nil && len(inv.Sockets) > 0 {
			assert.Less(t, *s.Socket, len(inv.Sockets), "%s: slot %s", name, s.Handle)
		}
		if s.Slot == nil {
			continue
		}
		place := fmt.Sprint(number(s.Socket), *s.Channel, *s.Slot)
		assert.Empty(t, taken[place], "%s: slots %s and %s share a place", name, taken[place], s.Handle)
		taken[place] = s.Handle
	}
}

func ofGuest(r *report.Report) bool { return r.Machine.Virtual != nil && *r.Machine.Virtual }

func number(n *int) int {
	if n == nil {
		return -1
	}
	return *n
}

func deref(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

// TestCorpusTexts audits every dmidecode text: none panics, breaks a rule, or
// ends in a status that docs/interface.md does not know. What is critical stands in
// a list that was reviewed by hand; the servers' verdicts stand in tables, so
// that a changed one shows in review.
func TestCorpusTexts(t *testing.T) {
	fires := newFires()
	t.Run("texts", func(t *testing.T) { corpusTexts(t, fires) })
	fires.captures(t)
	sameTable(t, "fires.tsv", fires.table(t))
}

func corpusTexts(t *testing.T, fires *fires) {
	for _, source := range []string{corpustest.Servers, corpustest.Workstations, corpustest.Others, corpusFiles} {
		t.Run(source, func(t *testing.T) {
			t.Parallel()
			c := &tally{results: map[string]map[string]int{}, examples: map[string][]string{}, fires: fires, source: source}
			var all []audited
			eachText(t, source, func(name string, data []byte) {
				if a, ok := c.audit(t, name, data); ok {
					all = append(all, a)
				}
			})
			assert.LessOrEqual(t, c.failed*1000, c.machines+c.failed, "more than 0.1 %% of the texts were not read")
			reviewed(t, source, all)
			if source == corpustest.Servers {
				c.servers(t, all)
			}
			c.print(t)
		})
	}
}

// corpusFiles stands for the texts that lie in the corpus one by one.
const corpusFiles = "files"

func eachText(t *testing.T, source string, f func(name string, data []byte)) {
	if source != corpusFiles {
		corpustest.Members(t, source, f)
		return
	}
	for _, pattern := range []string{"dmidecode-text/*.txt", "paired/*/dmidecode*.txt"} {
		for _, path := range corpustest.Glob(t, pattern) {
			data, err := os.ReadFile(path)
			require.NoError(t, err)
			f(filepath.Join(filepath.Base(filepath.Dir(path)), filepath.Base(path)), data)
		}
	}
}

func (c *tally) print(t *testing.T) {
	var ids []string
	for id := range c.results {
		ids = append(ids, id)
	}
	sort.Strings(ids)
	t.Logf("%d machines, %d not read; %d of %d populated DRAM slots mapped", c.machines, c.failed, c.mapped, c.rows)
	for _, id := range ids {
		r := c.results[id]
		t.Logf("%-34s pass %5d  critical %4d  warning %4d  info %4d  unknown %5d  n/a %5d", id, r["pass"], r["critical"], r["warning"], r["info"], r["unknown"], r["not_applicable"])
	}
	if os.Getenv("EXAMPLES") != "" {
		for _, id := range ids {
			for i, e := range c.examples[id] {
				if i < 12 {
					t.Logf("%s  %s", id, e)
				}
			}
		}
	}
}
