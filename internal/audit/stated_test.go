package audit

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"github.com/memaudit/memaudit/internal/audit/facts"
	"github.com/memaudit/memaudit/internal/audit/rulepack"
	"github.com/memaudit/memaudit/internal/model/fact"
	"github.com/memaudit/memaudit/internal/model/inventory"
	"github.com/memaudit/memaudit/internal/topology/platform"
	"github.com/memaudit/memaudit/internal/topology/population"
	"github.com/memaudit/memaudit/rules"
)

var update = flag.Bool("update", false, "rewrite golden files")

// The content of the packs is repeated in testdata: a document's table (cells), when a condition is true
// (conditions.yaml), and which machines a pack covers (machines.tsv). The tests here compare the packs with them;
// `make mutate` shows that no change goes unnoticed.

// statedCell is one cell of a document's table.
type statedCell struct {
	profile, setting string
	want             rulepack.Words
	level            string
	// printed is the document's text and its place.
	printed, file string
}

// statedCells reads testdata/cells: one file a document, tab-separated.
func statedCells(t *testing.T) map[[2]string]statedCell {
	t.Helper()
	files, err := filepath.Glob("testdata/cells/*.tsv")
	require.NoError(t, err)
	out := map[[2]string]statedCell{}
	for _, name := range files {
		for n, c := range tsv(t, name, 5) {
			cell := statedCell{c[0], c[1], strings.Split(c[2], "|"), c[3], c[4], name}
			key := [2]string{c[0], c[1]}
			assert.Empty(t, out[key].file, "%s line %d: %s %s stands twice", name, n+1, c[0], c[1])
			assert.NotEmpty(t, cell.printed, "%s line %d: what the document prints is missing", name, n+1)
			out[key] = cell
		}
	}
	return out
}

// tsv reads a file of lines with a fixed number of columns; lines that begin
// with # are comments.
func tsv(t *testing.T, name string, columns int) [][]string {
	t.Helper()
	data, err := os.ReadFile(name)
	require.NoError(t, err)
	var out [][]string
	for n, line := range strings.Split(strings.TrimSuffix(string(data), "\n"), "\n") {
		if strings.HasPrefix(line, "#") || line == "" {
			continue
		}
		c := strings.Split(line, "\t")
		require.Len(t, c, columns, "%s:%d", name, n+1)
		out = append(out, c)
	}
	return out
}

// LoadedPacks are read once for all tests, including those outside the package, and changed by none.
var LoadedPacks = sync.OnceValues(func() ([]*rulepack.Pack, error) { return rulepack.LoadBuiltin(rules.FS) })

func builtinPacks(t *testing.T) []*rulepack.Pack {
	t.Helper()
	packs, err := LoadedPacks()
	require.NoError(t, err)
	return packs
}

// TestStatedCells checks every stated cell against the profiles. A profile has
// all of its rows stated, and no other; those made of registries have theirs
// there.
func TestStatedCells(t *testing.T) {
	stated := statedCells(t)
	have := map[[2]string]bool{}
	for _, p := range builtinPacks(t) {
		for _, q := range p.Profiles {
			for _, w := range q.Table() {
				key := [2]string{q.ID, w.ID}
				have[key] = true
				c := stated[key]
				if generated(q.ID) {
					assert.Empty(t, c.file, "%s %s is a copy of what its registry says", q.ID, w.ID)
					continue
				}
				require.NotEmpty(t, c.file, "%s %s is not stated: its table stands a second time, as the document prints it, in internal/audit/testdata/cells", q.ID, w.ID)
				assert.Equal(t, [2]any{c.want, c.level}, [2]any{w.Want, w.Level}, "%s %s, printed: %s (%s)", q.ID, w.ID, c.printed, c.file)
			}
		}
	}
	for key, c := range stated {
		assert.True(t, have[key], "%s: no profile %s has a row %s", c.file, key[0], key[1])
	}
}

// condition describes when an expression of a profile is true.
type condition struct {
	If    string `yaml:"if"`
	Cases []struct {
		Facts yaml.Node `yaml:"facts"`
		Gives string    `yaml:"gives"`
	} `yaml:"cases"`
}

func conditions(t *testing.T) map[string]condition {
	t.Helper()
	data, err := os.ReadFile("testdata/conditions.yaml")
	require.NoError(t, err)
	var list []condition
	require.NoError(t, yaml.Unmarshal(data, &list))
	out := map[string]condition{}
	for _, c := range list {
		out[c.If] = c
	}
	return out
}

// complaint returns the contradiction between a condition's cases and an expression, "" for none.
func (c *condition) complaint(expr string) string {
	var programs facts.Programs
	for i := range c.Cases {
		s, err := (&rulepack.Case{Facts: c.Cases[i].Facts}).Scope()
		if err != nil {
			return err.Error()
		}
		got := "unknown"
		if holds, o := programs.Bool(s, expr); o.Err != nil {
			return o.Err.Error()
		} else if o.Val != nil {
			got = fmt.Sprint(holds)
		}
		if got != c.Cases[i].Gives {
			return fmt.Sprintf("case %d gives %s, expected %s", i+1, got, c.Cases[i].Gives)
		}
	}
	return ""
}

// TestStatedConditions checks that every condition of a profile or of its rows has cases, which are true, and that no
// case is left of a removed one.
func TestStatedConditions(t *testing.T) {
	stated, used := conditions(t), map[string]bool{}
	for expr, c := range stated {
		assert.Empty(t, c.complaint(expr), expr)
		assert.GreaterOrEqual(t, len(c.Cases), 2, expr)
	}
	ask := func(what, expr string) {
		if expr == "" {
			return
		}
		used[expr] = true
		assert.Contains(t, stated, expr, "%s: its condition has no cases in internal/audit/testdata/conditions.yaml", what)
	}
	for _, p := range builtinPacks(t) {
		for _, q := range p.Profiles {
			ask(q.ID, q.Applies)
			for _, w := range q.Table() {
				ask(q.ID+" "+w.ID, w.Applies)
			}
		}
	}
	for expr := range stated {
		assert.True(t, used[expr], "internal/audit/testdata/conditions.yaml: no profile has the condition %s", expr)
	}
}

// identity is what a pack's `for` is compared with; firmware is the family of its BIOS, written after the
// platform (milan@A42).
type identity struct{ vendor, product, platform, firmware string }

const machinesFile = "testdata/machines.tsv"

// identities reads the machines of machines.tsv with the packs expected for them.
func identities(t *testing.T) (list []identity, heard []string) {
	t.Helper()
	for _, c := range tsv(t, machinesFile, 4) {
		platform, firmware, _ := strings.Cut(c[2], "@")
		list, heard = append(list, identity{c[0], c[1], platform, firmware}), append(heard, c[3])
	}
	return list, heard
}

// matcher is one `for`, or the products or the firmware that a profile's
// document names.
type matcher struct {
	name            string
	match           *rulepack.Match
	named, firmware []string
}

// matchers lists every `for` of the packs once: that of a file, and those of
// single rules and profiles.
func matchers(packs []*rulepack.Pack) []matcher {
	var out []matcher
	for _, p := range packs {
		file := strings.TrimSuffix(p.File, ".yaml")
		if p.For != nil {
			out = append(out, matcher{name: file, match: p.For})
		}
		count := map[string]int{}
		own := func(id string, m *rulepack.Match) {
			if count[id]++; m != nil && m != p.For {
				out = append(out, matcher{name: fmt.Sprintf("%s#%s.%d", file, id, count[id]), match: m})
			}
		}
		for _, r := range p.Rules {
			own(r.ID, r.For)
		}
		for _, q := range p.Profiles {
			own(q.ID, q.For)
			if len(q.Named) > 0 && !slices.ContainsFunc(out, func(m matcher) bool { return slices.Equal(m.named, q.Named) }) {
				out = append(out, matcher{name: file + "#named." + q.ID, named: q.Named})
			}
			if len(q.Firmware) > 0 && !slices.ContainsFunc(out, func(m matcher) bool { return slices.Equal(m.firmware, q.Firmware) }) {
				out = append(out, matcher{name: file + "#firmware." + q.ID, firmware: q.Firmware})
			}
		}
	}
	return out
}

// speaks reports whether a matcher matches a machine.
func (m *matcher) speaks(r *auditRun) bool {
	switch {
	case m.match != nil:
		return r.matches(m.match, false)
	case m.firmware != nil:
		return r.runs(m.firmware)
	default:
		return r.named(&rulepack.ProfileSpec{Named: m.named})
	}
}

// runFor is an audit of a machine of which only the identity is known.
func runFor(e *Engine, i identity) *auditRun {
	known := func(s string) fact.Fact[string] {
		if s == "-" || s == "" {
			return fact.Fact[string]{}
		}
		return fact.Known(s, fact.Direct, fact.Evidence{})
	}
	sys, topo := &inventory.System{Settings: map[string]inventory.Setting{}}, &population.Result{}
	sys.Machine.Vendor, sys.Machine.Product, sys.Machine.BIOSVersion = known(i.vendor), known(i.product), known(i.firmware)
	if i.platform != "-" {
		topo.Platform = fact.Known(&platform.Platform{ID: i.platform, Verified: true}, fact.Direct, fact.Evidence{})
	}
	return newRun(e, sys, topo, Options{Asked: true})
}

// TestPacksCover checks every `for` against the machines of machines.tsv: which packs, rules and profiles
// apply to each. -update rewrites the table; read its diff, which shows a machine that gets another's advice.
func TestPacksCover(t *testing.T) {
	list, heard := identities(t)
	all := matchers(builtinPacks(t))
	var out strings.Builder
	out.WriteString("# vendor, product, platform (@ firmware) and the packs (file), rules and profiles (file#id) whose `for` speaks of the machine.\n" +
		"# The first three columns are written by hand, the last by make golden. A - is not known.\n")
	for i, id := range list {
		var names []string
		run := runFor(nil, id)
		for _, m := range all {
			if m.speaks(run) {
				names = append(names, m.name)
			}
		}
		now := strings.Join(names, " ")
		if !*update {
			assert.Equal(t, heard[i], now, "%v", id)
		}
		platform := strings.TrimSuffix(id.platform+"@"+id.firmware, "@")
		fmt.Fprintf(&out, "%s\t%s\t%s\t%s\n", id.vendor, id.product, platform, now)
	}
	if *update {
		require.NoError(t, os.WriteFile(machinesFile, []byte(out.String()), 0o644))
	}
}
