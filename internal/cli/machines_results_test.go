package cli

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/memaudit/memaudit/internal/machinetest"
	"github.com/memaudit/memaudit/internal/verdict"
)

const resultsHead = `# What every rule says of every example machine, with the machine's profile. Made by make golden.
# Each letter is one finding or, with a number, so many: p pass, f fail, u unknown, e error, - not applicable.
`

var resultLetters = map[string]string{
	string(verdict.Pass): "p", string(verdict.Fail): "f", string(verdict.Unknown): "u", string(verdict.Error): "e", string(verdict.NotApplicable): "-",
}

// TestMachineResults asserts the result of every rule on every machine, a line
// per rule, so that a new rule is one new line.
func TestMachineResults(t *testing.T) {
	t.Parallel()
	all := machinetest.All()
	head, cells := []string{"rule"}, map[string][]string{}
	for i, m := range all {
		head = append(head, m.Name)
		_, out := checkAs(t, &m, "json")
		counts := map[string]map[string]int{}
		for _, v := range verdictsOf(t, out) {
			if counts[v.Rule] == nil {
				counts[v.Rule] = map[string]int{}
			}
			counts[v.Rule][v.Result]++
		}
		for rule, n := range counts {
			if cells[rule] == nil {
				cells[rule] = make([]string, len(all))
			}
			cells[rule][i] = resultCell(t, rule, n)
		}
	}
	var b strings.Builder
	b.WriteString(resultsHead + strings.Join(head, "\t") + "\n")
	for _, rule := range slices.Sorted(maps.Keys(cells)) {
		b.WriteString(rule + "\t" + strings.Join(cells[rule], "\t") + "\n")
	}
	golden(t, filepath.Join(machinesDir, "results.tsv"), b.String())
}

// resultCell prints how many findings of a rule have each result.
func resultCell(t *testing.T, rule string, counts map[string]int) string {
	t.Helper()
	var out []string
	for _, result := range slices.Sorted(maps.Keys(counts)) {
		letter, ok := resultLetters[result]
		if !ok {
			t.Errorf("%s: a result %q, which the table has no letter for", rule, result)
		}
		if n := counts[result]; n > 1 {
			letter += fmt.Sprint(n)
		}
		out = append(out, letter)
	}
	return strings.Join(out, " ")
}
