//go:build corpus

package cli

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"memaudit.example/memaudit/internal/audit/verdict"
	"memaudit.example/memaudit/internal/cli/assess"
	"memaudit.example/memaudit/internal/report"
	"memaudit.example/memaudit/internal/report/formats"
	"memaudit.example/memaudit/internal/tools/corpustest"
)

var updateCorpus = flag.Bool("update-corpus", false, "rewrite the tables of testdata/corpus")

// audited is one text of the corpus and what memaudit makes of it.
type audited struct {
	name   string
	report report.Report
}

// tally counts the results of a corpus by rule.
type tally struct {
	machines, failed int
	results          map[string]map[string]int
}

// audit audits one text; false when it could not be read.
func (c *tally) audit(t *testing.T, with *textAuditor, name string, data []byte) (audited, bool) {
	doc, failed := with.document(t, data)
	if doc == nil {
		c.failed++
		t.Logf("%s: %v", name, failed)
		return audited{}, false
	}
	var out bytes.Buffer
	with.program.Stdout = &out
	status := statusOf(with.program.finishReport(with.flags, doc, failed))
	if failed == nil && doc.Verdict.Status != report.StatusUnknown {
		assert.Equal(t, report.ExitOK, status, name)
	}
	if c.machines%12 == 0 {
		sameMachine(t, with, name, data, doc)
	}
	a := audited{name: name}
	require.NoError(t, json.Unmarshal(out.Bytes(), &a.report), name)
	c.add(t, name, &a.report)
	return a, true
}

// sameMachine checks that other serial numbers, and memory devices in the opposite order, give the same findings.
func sameMachine(t *testing.T, with *textAuditor, name string, text []byte, doc *report.Report) {
	t.Helper()
	blocks := strings.Split(string(text), "\n\n")
	var rows []int
	for i, b := range blocks {
		if strings.Contains(b, "\nMemory Device\n") {
			rows = append(rows, i)
		}
	}
	reversed := slices.Clone(blocks)
	for i, at := range rows {
		reversed[at] = blocks[rows[len(rows)-1-i]]
	}
	n := 0
	serials := serialLine.ReplaceAllFunc(text, func(line []byte) []byte {
		n++
		key, _, _ := strings.Cut(string(line), ":")
		return fmt.Appendf(nil, "%s: OTHER%04d", key, n)
	})
	for what, changed := range map[string][]byte{"rows in the opposite order": []byte(strings.Join(reversed, "\n\n")), "other serial numbers": serials} {
		t.Run(what, func(t *testing.T) {
			if other, _ := with.document(t, changed); assert.NotNil(t, other, "%s: %s", name, what) {
				assert.ElementsMatch(t, failuresOf(doc), failuresOf(other), "%s: %s", name)
			}
		})
	}
}

var serialLine = regexp.MustCompile(`(?m)^\t(Serial Number|Asset Tag): .*$`)

// failuresOf lists what fails, with its severity.
func failuresOf(r *report.Report) []string {
	var out []string
	for i := range r.Findings {
		if f := &r.Findings[i]; f.Result == "fail" {
			out = append(out, fmt.Sprint(f.Rule, " ", f.Subject, " ", f.Severity))
		}
	}
	return out
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
	auditor, err := p.loadAuditor(f)
	require.NoError(t, err)
	return &textAuditor{p, f, auditor}
}

// document returns the report on a text, nil if none would be printed; the error lists what could not be read.
func (a *textAuditor) document(t *testing.T, text []byte) (*report.Report, error) {
	t.Helper()
	a.program.Stdin = bytes.NewReader(text)
	sys, failed := a.program.readSystem(&a.flags.input)
	if !showFailed(failed, sys, formats.JSON) {
		return nil, failed
	}
	j, err := a.auditor.Assess(sys)
	require.NoError(t, err)
	if failed == nil && report.NothingRead(sys.Sources) {
		failed = notAudited(errors.New("nothing was read"), "")
	}
	doc := a.auditor.Advised(j, a.program.reportOptions(&a.flags.input, a.flags.criteria(failed)))
	return &doc, failed
}

func (c *tally) add(t *testing.T, name string, r *report.Report) {
	c.machines++
	slots(t, name, r)
	for _, f := range r.Findings {
		if c.results[f.Rule] == nil {
			c.results[f.Rule] = map[string]int{}
		}
		outcome := string(f.Result)
		if outcome == "fail" {
			outcome = string(f.Severity)
		}
		c.results[f.Rule][outcome]++
		assert.NotEqual(t, "error", string(f.Result), "%s: %s %s: %s", name, f.Rule, f.Subject, string(f.Reason))
	}
}

// slots checks that no machine shows more sockets than its table has, or two DIMMs in one place.
func slots(t *testing.T, name string, r *report.Report) {
	t.Helper()
	inv := &r.Inventory
	taken := map[string]string{}
	for _, s := range inv.Slots {
		if s.State != "populated" || s.Technology.Text() != "dram" || r.Machine.Virtual.Or(false) || s.Channel == nil {
			continue
		}
		if s.Socket != nil && len(inv.Sockets) > 0 {
			assert.Less(t, *s.Socket, len(inv.Sockets), "%s: slot %s", name, s.Handle)
		}
		if s.Slot != nil {
			place := fmt.Sprintf("%s %d %d", or(s.Socket), *s.Channel, *s.Slot)
			assert.Empty(t, taken[place], "%s: slots %s and %s share a place", name, taken[place], s.Handle)
			taken[place] = s.Handle.String()
		}
	}
}

// TestCorpusTexts audits every dmidecode text: none panics, breaks a rule, or ends in a status missing from
// docs/interface.md. Critical findings are in a list that was reviewed by hand; the servers' results are in a table, so
// that a change shows in review. The same machine in another order gives the same failures.
func TestCorpusTexts(t *testing.T) {
	for _, source := range []string{corpustest.Servers, corpustest.Workstations, corpustest.Others, corpusFiles} {
		t.Run(source, func(t *testing.T) {
			t.Parallel()
			c := &tally{results: map[string]map[string]int{}}
			with := newTextAuditor(t)
			var all []audited
			eachText(t, source, func(name string, data []byte) {
				if a, ok := c.audit(t, with, name, data); ok {
					all = append(all, a)
				}
			})
			assert.LessOrEqual(t, c.failed*1000, c.machines+c.failed, "more than 0.1 %% of the texts were not read")
			reviewed(t, source, all)
			if source == corpustest.Servers {
				sameTable(t, "memory-rules.txt", c.table())
			}
		})
	}
}

// table counts the results of the memory and NUMA rules, one subject (machine, socket, slot) one count. A rule that is
// applicable nowhere has no row.
func (c *tally) table() string {
	results := []string{"pass", "info", "warning", "critical", "unknown", "not_applicable"}
	var b strings.Builder
	b.WriteString("# Made from the servers of linuxhw/DMI by make corpus-summary; read the diff. One count a subject (machine, socket,\n" +
		"# slot). info, warning and critical are failures. A rule that is applicable nowhere has no row.\n")
	fmt.Fprintf(&b, "%-30s %6s %6s %8s %9s %8s %15s\n", "rule", "pass", "info", "warning", "critical", "unknown", "not_applicable")
	for _, rule := range slices.Sorted(maps.Keys(c.results)) {
		counts := c.results[rule]
		if !strings.HasPrefix(rule, "memory.") && !strings.HasPrefix(rule, "numa.") || len(counts) == 1 && counts["not_applicable"] > 0 {
			continue
		}
		fmt.Fprintf(&b, "%-30s", rule)
		for i, width := range []int{6, 6, 8, 9, 8, 15} {
			fmt.Fprintf(&b, " %*d", width, counts[results[i]])
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// sameTable compares a table with the one in testdata/corpus.
func sameTable(t *testing.T, name, made string) {
	t.Helper()
	path := filepath.Join(corpustest.Root(t), "testdata", "corpus", name)
	if *updateCorpus {
		require.NoError(t, os.WriteFile(path, []byte(made), 0o644))
	}
	reviewed := contentOf(t, path)
	assert.Equal(t, string(reviewed), made, "verdicts changed: make corpus-summary, and read the diff of testdata/corpus/%s", name)
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
			f(filepath.Join(filepath.Base(filepath.Dir(path)), filepath.Base(path)), contentOf(t, path))
		}
	}
}

// statusOf returns the exit status for an error.
func statusOf(err error) int {
	var e *exitError
	switch {
	case err == nil:
		return report.ExitOK
	case errors.As(err, &e):
		return e.status
	default:
		return report.ExitUsage
	}
}

// Lists of findings that were reviewed by hand, below testdata/corpus.
const (
	criticalFindings = "critical-findings.tsv"
	lostMemory       = "lost-memory.tsv"
)

// reviewed checks that every critical finding of a source, and every finding of lost memory, is in the list
// that was reviewed by hand, and that every entry has a machine.
func reviewed(t *testing.T, source string, all []audited) {
	critical := func(f *verdict.Finding) bool { return f.Severity == "critical" }
	lost := func(f *verdict.Finding) bool { return f.Rule == "memory.capacity.visible" }
	reviewedIn(t, criticalFindings, source, all, critical)
	reviewedIn(t, lostMemory, source, all, lost)
}

func reviewedIn(t *testing.T, file, source string, all []audited, concerns func(*verdict.Finding) bool) {
	list := reviewedList(t, file, source)
	for _, a := range all {
		for _, f := range a.report.Findings {
			if f.Result != "fail" || !concerns(&f) {
				continue
			}
			key := strings.TrimSuffix(filepath.Base(a.name), ".txt") + "\t" + f.Rule + "\t" + f.Subject.String()
			assert.Contains(t, list, key, "%s (%s): not reviewed: look at it, then add it to testdata/corpus/%s: %s",
				a.name, a.report.Machine.Product.Text(), file, string(f.Found))
			delete(list, key)
		}
	}
	assert.Empty(t, list, "%s: reviewed, and found no more", file)
}

// reviewedList reads the lines of one source: record, rule and subject to the
// reason.
func reviewedList(t *testing.T, file, source string) map[string]string {
	raw := contentOf(t, filepath.Join(corpustest.Root(t), "testdata", "corpus", file))
	out := map[string]string{}
	for line := range strings.Lines(string(raw)) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		col := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		require.Len(t, col, 6, line)
		require.NotEmpty(t, col[5], "no reason: %s", line)
		if strings.Contains(source, col[0]) {
			out[col[2]+"\t"+col[3]+"\t"+col[4]] = col[5]
		}
	}
	return out
}

// TestDevicesOfTrees checks the GPUs, network adapters and drives of real machines' trees. A capture without their nodes says
// nothing of them, and one node needs none.
func TestDevicesOfTrees(t *testing.T) {
	for name, want := range map[string]map[string]int{
		"hwloc-32em64t-2n8c+dax+nvme+mic+dimms.tar.bz2": {"pass": 3, "fail": 1},
		"hwloc-nvidiagpunumanodes.tar.bz2":              {"unknown": 6},
		"nto-worker2.tar.gz":                            {"pass": 7},
		"ghw-accel-nvidia.tar.gz":                       {"not_applicable": 1},
	} {
		t.Run(name, func(t *testing.T) {
			_, out, errs := run(nil, "check", "--snapshot", corpustest.Dir(t, "sysfs/"+name), "--format", "json")
			got := map[string]int{}
			for _, f := range verdictsOf(t, out) {
				if f.Rule == "device.node" {
					got[f.Result]++
				}
			}
			assert.Equal(t, want, got, errs)
		})
	}
}
