package audit

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/memaudit/memaudit/internal/audit/rulepack"
	"github.com/memaudit/memaudit/internal/audit/verdict"
	"github.com/memaudit/memaudit/internal/model/fact"
	"github.com/memaudit/memaudit/internal/model/inventory"
	"github.com/memaudit/memaudit/internal/topology/platform"
	"github.com/memaudit/memaudit/internal/topology/population"
)

const coverageFile = "testdata/coverage.tsv"

// noDocument marks an intent that no known document covers.
const noDocument = "no document"

// TestCoverage lists the documented profile that 45 common servers get for each intent. The first three columns are
// written by hand. A star marks a document of the vendor that names other machines and is used by analogy; without
// one, a caret marks the CPU vendor's, a tilde another vendor's or the software's, a question mark operators'
// publications.
func TestCoverage(t *testing.T) {
	e := NewEngine(builtinPacks(t))
	shipped, err := os.ReadFile(coverageFile)
	require.NoError(t, err)
	var out []string
	machines, cells := 0, map[string]int{}
	for line := range strings.Lines(string(shipped)) {
		line = strings.TrimSuffix(line, "\n")
		if strings.HasPrefix(line, "#") {
			out = append(out, line)
			continue
		}
		f := strings.Split(line, "\t")
		require.GreaterOrEqual(t, len(f), 3, line)
		machines++
		row := f[:3]
		for _, cell := range coverageOf(t, e, f[0], f[1], f[2]) {
			row = append(row, cell)
			cells[kindOfCell(cell)]++
		}
		out = append(out, strings.Join(row, "\t"))
	}
	got := strings.Join(out, "\n") + "\n"
	all := machines * len(rulepack.Intents)
	t.Logf("of %d cells %d have the vendor's document, %d one by analogy, %d the CPU vendor's, %d another's, %d practice, %d none",
		all, cells[""], cells["*"], cells["^"], cells["~"], cells["?"], cells[noDocument])
	if *update {
		require.NoError(t, os.WriteFile(coverageFile, []byte(got), 0o644))
		return
	}
	assert.Equal(t, string(shipped), got, "make golden, and read the difference")
	assert.Equal(t, 45, machines)
	assert.GreaterOrEqual(t, all-cells[noDocument]-cells["?"], 260, "cells with a document")
}

// kindOfCell returns the mark of a profile, or that there is none.
func kindOfCell(cell string) string {
	_, mark, _ := strings.Cut(cell, " ")
	if cell == noDocument {
		return noDocument
	}
	return mark
}

// otherMark returns the mark for a document that the machine's vendor did not write.
func otherMark(p *rulepack.ProfileSpec) string {
	switch maker := platform.VendorWord(p.Citation.Vendor); {
	case strings.Contains(p.ID, "practice"):
		return "?"
	case maker == platform.VendorWord("AMD"), maker == platform.VendorWord("Intel"):
		return "^"
	default:
		return "~"
	}
}

// coverageOf names the profile of each intent for a machine.
func coverageOf(t *testing.T, e *Engine, vendor, product, id string) []string {
	at := fact.Evidence{Source: "test"}
	sys := &inventory.System{Machine: inventory.Machine{Vendor: fact.Known(vendor, fact.Direct, at), Product: fact.Known(product, fact.Direct, at)}}
	topo := &population.Result{Platform: fact.Known(&platform.Platform{ID: id}, fact.Direct, at)}
	r := newRun(e, sys, topo, Options{Asked: true})
	var cells []string
	for _, intent := range rulepack.Intents {
		p, _ := r.resolve(intent)
		switch {
		case p == nil:
			cells = append(cells, noDocument)
		case r.standing(p) == verdict.Practice:
			for _, other := range e.profiles { // no document of the maker is passed over
				applies, _ := r.profileApplies(other)
				assert.False(t, applies && other.Serves(intent) && r.standing(other) != verdict.Practice, "%s %s: %s, and not %s", product, intent, other.ID, p.ID)
			}
			cells = append(cells, p.ID+" "+otherMark(p))
		case r.standing(p) == verdict.Analogous:
			cells = append(cells, p.ID+" *")
		default:
			cells = append(cells, p.ID)
		}
	}
	return cells
}
