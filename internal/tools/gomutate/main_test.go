package main

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/memaudit/memaudit/internal/corpustest"
)

const source = `package p

import "errors"

func F(n int, ok bool) (int, error) {
	err := errors.New("x")
	_ = err.Error()
	if n > 3 && ok {
		return n, err
	}
	return 0, nil
}
`

// TestChanges: operators, bounds, conditions and returned errors, each at its
// place.
func TestChanges(t *testing.T) {
	found, err := changesIn("p.go", []byte(source))
	require.NoError(t, err)
	var got []string
	for _, c := range found {
		assert.Equal(t, c.Old, source[c.From:c.To])
		got = append(got, c.Old+" -> "+c.New)
	}
	assert.ElementsMatch(t, []string{"n > 3 && ok -> !(n > 3 && ok)", "n > 3 && ok -> n > 3 || ok", "n > 3 -> n >= 3", "n > 3 -> n > 4", "err -> nil"}, got)
}

// TestMutate runs a module whose test notices the bound and not the error, and
// takes a reason for what is listed. Each change costs two builds: here two are tried,
// in make corpus all, and all once more with the reason.
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
`} {
		require.NoError(t, os.WriteFile(name, []byte(text), 0o600))
	}
	var out bytes.Buffer
	some := plan{known: map[string]bool{}, sample: 2, seed: 3}
	tried := "2 tried, 1 noticed"
	if corpustest.Stage {
		some.sample, tried = 0, "5 tried, 4 noticed"
	}
	survivors, err := mutate(&out, []string{"."}, some)
	require.NoError(t, err)
	assert.Equal(t, 1, survivors, out.String())
	assert.Contains(t, out.String(), "p.go:9\terr\tnil\n")
	assert.Contains(t, out.String(), tried)
	list := filepath.Join(t.TempDir(), "reasons.tsv")
	require.NoError(t, os.WriteFile(list, []byte("# why\np.go\terr\tnil\tnobody asks\n"), 0o600))
	known, err := readReasons(list)
	require.NoError(t, err)
	assert.Equal(t, map[string]bool{"p.go\terr\tnil": true}, known)
	if corpustest.Stage {
		survivors, err = mutate(&out, []string{"."}, plan{known: known})
		require.NoError(t, err)
		assert.Zero(t, survivors)
	}
	require.NoError(t, os.WriteFile(list, []byte("p.go\terr\tnil\t\n"), 0o600))
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
		return sampled(all, plan{sample: 5, seed: seed})
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
