//go:build corpus

package cli

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sort"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/memaudit/memaudit/internal/audit/verdict"
	"github.com/memaudit/memaudit/internal/cli/assess"
	"github.com/memaudit/memaudit/internal/report"
	"github.com/memaudit/memaudit/internal/report/formats"
	"github.com/memaudit/memaudit/internal/tools/corpustest"
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
	// several counts physical machines with more than one slot, recognised those of
	// them whose platform is.
	several, recognised int
	// warned counts the failures at warning or above, ownCited those of them that cite a document of the machine's
	// own vendor.
	warned, ownCited int
	results          map[string]map[string]int
	examples         map[string][]string
	// fires counts the machines on which each rule fails, by source.
	fires  *fires
	source string
	// lines are the lengths of the reports for the terminal; read counts the texts, compared the repeated audits.
	lines          []int
	read, compared int
}

// audit audits one text; false when it could not be read.
func (c *tally) audit(t *testing.T, with *textAuditor, name string, data []byte) (audited, bool) {
	doc, failed := with.document(t, data)
	if doc == nil {
		c.failed++
		t.Logf("%s: %v", name, failed)
		c.again(t, name, data, statusOf(failed), "")
		return audited{}, false
	}
	status, out := with.print(t, doc, failed)
	if failed == nil && doc.Verdict.Status != report.StatusUnknown {
		assert.Equal(t, report.ExitOK, status, name)
	}
	c.lines = append(c.lines, fits(t, name, doc))
	c.again(t, name, data, status, out)
	a := audited{name: name, text: data, raw: out}
	require.NoError(t, json.Unmarshal([]byte(out), &a.report), name)
	c.add(t, name, &a.report)
	return a, true
}

// again runs the program itself on every eighth text twice more: the same text gives the same bytes and the same
// status. With SAME=10 every text is audited ten times in all (half an hour).
func (c *tally) again(t *testing.T, name string, data []byte, status int, out string) {
	every, times := 8, 2
	if n, err := strconv.Atoi(os.Getenv("SAME")); err == nil && n > 1 {
		every, times = 1, n-1
	}
	if c.read++; c.read%every != 0 {
		return
	}
	for range times {
		c.compared++
		again, printed, errs := run(data, "check", "--smbios", "-", "--format", "json", "--fail-on", "never")
		if again != status || printed != out {
			t.Errorf("%s: two audits of one text differ: status %d and %d, %s", name, status, again, errs)
			return
		}
	}
}

// textAuditor audits one text after the other with rules that are loaded once, by the
// way of check: one audit is worth several tests.
type textAuditor struct {
	program *Program
	flags   *checkFlags
	auditor *assess.Auditor
}

func newTextAuditor(t *testing.T) *textAuditor {
	t.Helper()
	p, _, _ := newProgram(nil)
	f := &checkFlags{failOn: report.FailNever}
	f.input.smbios, f.output.format = "-", formats.JSON
	auditor, err := p.auditor(f)
	require.NoError(t, err)
	return &textAuditor{p, f, auditor}
}

// document returns the report on a text, nil if none would be printed; the error lists what could not be read.
func (a *textAuditor) document(t *testing.T, text []byte) (*report.Report, error) {
	t.Helper()
	a.program.Stdin = bytes.NewReader(text)
	sys, failed := a.program.system(&a.flags.input)
	if !showFailed(failed, sys, formats.JSON) {
		return nil, failed
	}
	j, err := a.auditor.Assess(sys)
	require.NoError(t, err)
	if failed == nil && nothingRead(sys) {
		failed = notAudited(errors.New("nothing was read"), "")
	}
	doc := a.auditor.Advised(j, a.program.reportOptions(&a.flags.input).By(a.flags.criteria(failed)))
	return &doc, failed
}

// print returns the report as JSON, with its exit status.
func (a *textAuditor) print(t *testing.T, doc *report.Report, failed error) (int, string) {
	t.Helper()
	var out bytes.Buffer
	a.program.Stdout = &out
	return statusOf(a.program.finish(a.flags, doc, failed)), out.String()
}

func (c *tally) add(t *testing.T, name string, r *report.Report) {
	c.machines++
	c.slots(t, name, r)
	if !ofGuest(r) && len(r.Inventory.Slots) > 1 {
		c.several++
		if r.Machine.Platform.ID != "" {
			c.recognised++
		}
	}
	c.fires.add(c.source, r)
	for _, f := range r.Findings {
		if c.results[f.Rule] == nil {
			c.results[f.Rule] = map[string]int{}
		}
		if f.Result == "fail" {
			c.examples[f.Rule] = append(c.examples[f.Rule], fmt.Sprintf("%s %s: %v", name, f.Subject, string(f.Found)))
		}
		c.results[f.Rule][outcome(&f)]++
		if f.Result == "fail" && f.Severity != "info" {
			c.warned++
			if slices.Contains([]string{citeOwn, verdict.Generation, verdict.Sister}, citedOf(r, &f)) {
				c.ownCited++
			}
		}
		if f.Result == "error" {
			t.Errorf("%s: %s %s: %v", name, f.Rule, f.Subject, string(f.Reason))
		}
	}
}

// outcome is a finding's result, a failure by its severity.
func outcome(f *verdict.Finding) string {
	if f.Result == "fail" {
		return string(f.Severity)
	}
	return string(f.Result)
}

// slots counts the mapped slots and checks that no machine shows more sockets
// than its table has, or two DIMMs in one place.
func (c *tally) slots(t *testing.T, name string, r *report.Report) {
	t.Helper()
	inv := &r.Inventory
	chipset := len(inv.Population.Sockets) == 1 && inv.Population.Sockets[0].Socket == nil
	taken := map[string]string{}
	for _, s := range inv.Slots {
		if s.State != "populated" || s.Technology == "" || string(s.Technology) != "dram" || ofGuest(r) {
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

// TestCorpusTexts audits every dmidecode text: none panics, breaks a rule, or ends in a status missing from
// docs/interface.md. Critical findings are in a list that was reviewed by hand; the servers' verdicts are in tables,
// so that a change shows in review. A text audited again gives the same bytes, and text output fits its screen.
func TestCorpusTexts(t *testing.T) {
	fires, figures := newFires(), &corpusFigures{of: map[string][]shareFigure{}}
	t.Run("texts", func(t *testing.T) { corpusTexts(t, fires, figures) })
	fires.captures(t)
	sameTable(t, "fires.tsv", fires.table(t))
	sameTable(t, "figures.tsv", figures.table(t))
	sameTable(t, "citations.tsv", fires.cites.table(t))
}

func corpusTexts(t *testing.T, fires *fires, figures *corpusFigures) {
	for _, source := range []string{corpustest.Servers, corpustest.Workstations, corpustest.Others, corpusFiles} {
		t.Run(source, func(t *testing.T) {
			t.Parallel()
			c := &tally{results: map[string]map[string]int{}, examples: map[string][]string{}, fires: fires, source: source}
			with := newTextAuditor(t)
			var all []audited
			eachText(t, source, func(name string, data []byte) {
				if a, ok := c.audit(t, with, name, data); ok {
					all = append(all, a)
				}
			})
			assert.Positive(t, c.compared)
			shortEnough(t, c.lines)
			assert.LessOrEqual(t, c.failed*1000, c.machines+c.failed, "more than 0.1 %% of the texts were not read")
			reviewed(t, source, all)
			figures.add(source, c.figures(source)...)
			if source == corpustest.Servers {
				figures.add(source, c.servers(t, all)...)
			}
			c.print(t)
		})
	}
}

// corpusFiles has the texts that are single files of the corpus.
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
