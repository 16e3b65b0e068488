//go:build corpus

package cli

import (
	"encoding/json"
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/memaudit/memaudit/internal/audit/rulepack"
	"github.com/memaudit/memaudit/internal/report"
	"github.com/memaudit/memaudit/internal/tools/corpustest"
	"github.com/memaudit/memaudit/rules"
)

// firesCaptures is the column of captures in the table of what rules fire on.
const firesCaptures = "captures"

var firesColumns = []string{corpustest.Servers, corpustest.Workstations, corpustest.Others, corpusFiles, firesCaptures}

// fires counts, by rule and source, the machines on which the rule fails. The
// sources are counted side by side.
type fires struct {
	lock   sync.Mutex
	counts map[string]map[string]int
	cites  cites
}

func newFires() *fires { return &fires{counts: map[string]map[string]int{}, cites: cites{}} }

// add counts each rule once that fails on a machine, and what its failures cite.
func (f *fires) add(source string, r *report.Report) {
	f.lock.Lock()
	defer f.lock.Unlock()
	f.cites.add(r)
	seen := map[string]bool{}
	for i := range r.Findings {
		id := r.Findings[i].Rule
		if r.Findings[i].Result != "fail" || seen[id] {
			continue
		}
		seen[id] = true
		if f.counts[id] == nil {
			f.counts[id] = map[string]int{}
		}
		f.counts[id][source]++
	}
}

// report adds what a check prints as JSON.
func (f *fires) report(t *testing.T, source, out string) {
	t.Helper()
	var r report.Report
	require.NoError(t, json.Unmarshal([]byte(out), &r))
	f.add(source, &r)
}

// captures audits the captures of other projects.
func (f *fires) captures(t *testing.T) {
	for _, name := range slices.Concat(corpustest.Glob(t, "sysfs/*.tar.gz"), corpustest.Glob(t, "sysfs/*.tar.bz2")) {
		_, out, _ := run(nil, "check", "--snapshot", name, "--format", "json", "--fail-on", "never")
		if out != "" {
			f.report(t, firesCaptures, out)
		}
	}
}

// table lists the built-in rules that fail anywhere, with their counts.
func (f *fires) table(t *testing.T) string {
	var b strings.Builder
	b.WriteString("# On how many real machines a built-in rule fails, at any severity; the others fail on none. Made by make corpus-summary; read the diff.\n# rule\tpack")
	for _, c := range firesColumns {
		b.WriteString("\t" + strings.TrimSuffix(strings.TrimPrefix(filepath.Base(c), "linuxhw-"), ".tar.gz"))
	}
	b.WriteString("\n")
	for _, id := range builtinRules(t) {
		if len(f.counts[id.id]) == 0 {
			continue
		}
		b.WriteString(id.id + "\t" + id.pack)
		for _, c := range firesColumns {
			fmt.Fprintf(&b, "\t%d", f.counts[id.id][c])
		}
		b.WriteString("\n")
	}
	return b.String()
}

// builtinRule is a rule's id and the folder of its pack: general before a
// vendor's.
type builtinRule struct{ id, pack string }

func builtinRules(t testing.TB) []builtinRule {
	t.Helper()
	packs, err := rulepack.LoadCompiled(rules.FS)
	require.NoError(t, err)
	in := map[string]string{}
	for _, p := range packs {
		for i := range p.Rules {
			id, folder := p.Rules[i].ID, path.Dir(p.File)
			if in[id] == "" || folder == "general" {
				in[id] = folder
			}
		}
	}
	out := []builtinRule{}
	for id, folder := range in {
		out = append(out, builtinRule{id, folder})
	}
	slices.SortFunc(out, func(a, b builtinRule) int { return strings.Compare(a.id, b.id) })
	return out
}
