package main

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const source = `package p

import "errors"

type counter struct{ most int }

func F(n int, ok bool) (int, error) {
	err := errors.New("x")
	_ = err.Error()
	if n > 3 && ok {
		return n, err
	}
	return 0, nil
}

func (c *counter) full(n int) bool {
	return n >= c.most ||
		n == 9
}

type flag bool

// G gives a type of its own: a choice of forms does not fit there.
func G(n int) flag { return n >= least }

func H(n int) bool { return n == 5 }

func Last(n int) int {
	for i := 0; ; i++ {
		if i == n {
			return i
		}
	}
}

var least = 7
`

// names are the changes of source.
var names = []string{
	"F\tn > 3 && ok\t!(n > 3 && ok)", "F\tn > 3 && ok\tn > 3 || ok", "F\tn > 3\tn >= 3", "F\tn > 3\tn > 4", "F\terr\tnil",
	"counter.full\tn >= c.most || n == 9\tn >= c.most && n == 9", "counter.full\tn >= c.most\tn > c.most",
	"counter.full\tn == 9\tn != 9", "counter.full\tn == 9\tn == 10",
	"G\tn >= least\tn > least", "H\tn == 5\tn != 5", "H\tn == 5\tn == 6",
	"Last\ti == n\t!(i == n)", "Last\ti == n\ti != n",
}

// TestChanges: operators, bounds, conditions and returned errors, each at its
// place, in its function.
func TestChanges(t *testing.T) {
	found, err := changesIn("p.go", []byte(source))
	require.NoError(t, err)
	var got []string
	for _, c := range found {
		assert.Equal(t, c.Old, source[c.From:c.To])
		assert.GreaterOrEqual(t, c.From, c.Site.From)
		assert.LessOrEqual(t, c.To, c.Site.To)
		got = append(got, strings.TrimPrefix(c.String(), "p.go\t"))
	}
	assert.ElementsMatch(t, names, got)
}

// TestSchema: beside a condition stand its changed forms, an inner one inside
// the source's own; a return has its other before it. The lines stay.
func TestSchema(t *testing.T) {
	found, err := changesIn("p.go", []byte(source))
	require.NoError(t, err)
	for i := range found {
		found[i].Number = i + 1
	}
	text := schemaText("p.go", []byte(source), found)
	assert.Contains(t, text, "if gomutateOn(5) { return n, nil }; /*line p.go:11:1*/return n, err\n")
	assert.Contains(t, text, "gomutateOn(6) && (n >= c.most && n == 9) ||")
	files := token.NewFileSet()
	file, err := parser.ParseFile(files, "p.go", text, parser.ParseComments)
	require.NoError(t, err)
	lines := map[string]int{}
	for _, decl := range file.Decls {
		if f, ok := decl.(*ast.FuncDecl); ok {
			lines[f.Name.Name] = files.Position(f.Pos()).Line
		}
	}
	assert.Equal(t, map[string]int{"F": 7, "full": 16, "G": 24, "H": 26, "Last": 28}, lines)
	n := strings.Count(text, "gomutateOn(")
	assert.Equal(t, len(found), n)
}

// TestMutate runs a module whose tests notice the bound and not the error, and
// never look at one function; it takes a reason for what is listed. A change that the choice of forms does not fit is tried alone.
func TestMutate(t *testing.T) {
	t.Chdir(t.TempDir())
	t.Setenv("GOFLAGS", "-trimpath")
	for name, text := range map[string]string{"go.mod": "module p\n\ngo 1.26\n", "p.go": source,
		"p_test.go": `package p

import "testing"

func TestF(t *testing.T) {
	for n, want := range map[int]int{3: 0, 4: 4, 5: 5} {
		if got, _ := F(n, true); got != want {
			t.Fatal(n, got)
		}
	}
	if got, _ := F(4, false); got != 0 {
		t.Fatal(got)
	}
}

func TestFull(t *testing.T) {
	c := counter{most: 3}
	if c.full(2) || !c.full(3) || !c.full(4) || !(&counter{most: 10}).full(9) || (&counter{most: 20}).full(10) {
		t.Fatal("full")
	}
}

func TestG(t *testing.T) {
	if !G(7) || G(6) {
		t.Fatal("G")
	}
}

func TestLast(t *testing.T) {
	if Last(0) != 0 || Last(2) != 2 {
		t.Fatal("Last")
	}
}
`} {
		require.NoError(t, os.WriteFile(name, []byte(text), 0o600))
	}
	var out bytes.Buffer
	survivors, err := mutate(&out, []string{"."}, mutationPlan{known: map[string]bool{}})
	require.NoError(t, err)
	assert.Equal(t, 3, survivors, out.String())
	assert.Contains(t, out.String(), "p.go:11\tF\terr\tnil\n")
	assert.Contains(t, out.String(), "p.go:26\tH\tn == 5\tn != 5\tno test comes here\n")
	assert.Contains(t, out.String(), "14 tried, 11 noticed, 0 do not compile, 0 with a reason, 3 not noticed")

	earlier := filepath.Join(t.TempDir(), "earlier")
	require.NoError(t, os.WriteFile(earlier, out.Bytes(), 0o600))
	left, err := readLeft(earlier)
	require.NoError(t, err)
	list := filepath.Join(t.TempDir(), "reasons.tsv")
	require.NoError(t, os.WriteFile(list, []byte("# why\np.go\tF\terr\tnil\tnobody asks\np.go\tG\terr\tnil\tanother function's\n"), 0o600))
	known, err := readReasons(list)
	require.NoError(t, err)
	out.Reset()
	survivors, err = mutate(&out, []string{"."}, mutationPlan{known: known, left: left})
	require.NoError(t, err)
	assert.Equal(t, 2, survivors)
	assert.Contains(t, out.String(), "3 tried, 0 noticed, 0 do not compile, 1 with a reason, 2 not noticed")
	require.NoError(t, os.WriteFile(list, []byte("p.go\tF\terr\tnil\t\n"), 0o600))
	_, err = readReasons(list)
	require.Error(t, err, "no reason")
}

// TestSample: the same seed draws the same changes.
func TestSample(t *testing.T) {
	draw := func(seed uint64) []change {
		all := make([]change, 20)
		for i := range all {
			all[i].Line = i
		}
		return sampled(all, mutationPlan{sample: 5, seed: seed})
	}
	first := draw(1)
	assert.Equal(t, first, draw(1), "the same seed")
	assert.Len(t, draw(2), 5)
	assert.NotEqual(t, first, draw(2))
}

// TestInFiles: only the changes of the files that were named are tried, all without names.
func TestInFiles(t *testing.T) {
	all := []change{{File: "p/a.go", Line: 1}, {File: "p/b.go", Line: 2}, {File: "p/a.go", Line: 3}}
	assert.Equal(t, []change{{File: "p/a.go", Line: 1}, {File: "p/a.go", Line: 3}}, inFiles(slices.Clone(all), listed("a.go,c.go")))
	assert.Equal(t, all, inFiles(slices.Clone(all), listed("")))
}

// TestBounded: a changed program has the bounds on memory and processor time, whichever
// shell sets them.
func TestBounded(t *testing.T) {
	b := binary{path: "/bin/sh", dir: t.TempDir()}
	out, _, err := b.run(2*time.Second, nil, "-c", "ulimit -v; ulimit -t")
	require.NoError(t, err)
	assert.Equal(t, "3000000\n3\n", string(out))
}

// TestReasons: each reason is given to a change that the sources still have, once.
func TestReasons(t *testing.T) {
	t.Chdir(filepath.Join("..", "..", ".."))
	text, err := os.ReadFile("internal/tools/gomutate/reasons.tsv")
	require.NoError(t, err)
	known, err := readReasons("internal/tools/gomutate/reasons.tsv")
	require.NoError(t, err)
	assert.Len(t, known, strings.Count(string(text), "\ninternal/"), "a reason given twice")
	found := map[string]map[string]bool{}
	for reason := range known {
		dir := filepath.Dir(strings.Split(reason, "\t")[0])
		if found[dir] == nil {
			found[dir] = map[string]bool{}
			changes, err := changesOf(dir)
			require.NoError(t, err)
			for i := range changes {
				found[dir][changes[i].String()] = true
			}
		}
		assert.True(t, found[dir][reason], "no such change: %s", reason)
	}
}
