package audit_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/memaudit/memaudit/internal/audit"
	"github.com/memaudit/memaudit/internal/audit/verdict"
	"github.com/memaudit/memaudit/internal/collect/collecttest"
	"github.com/memaudit/memaudit/internal/model/fact"
	"github.com/memaudit/memaudit/internal/model/inventory"
	"github.com/memaudit/memaudit/internal/tools/corpustest"
	"github.com/memaudit/memaudit/internal/tools/machinetest"
	"github.com/memaudit/memaudit/internal/topology/population"
	"github.com/memaudit/memaudit/rules"
)

// TestErasure checks that the unknown is never a pass: whichever facts of an example machine are erased, of one part
// or of all that have them, one or two, no rule that failed passes. The unit tests use every eighth kind of fact of
// three machines, and some pairs.
func TestErasure(t *testing.T) {
	e := builtin(t)
	pairs := 4
	if corpustest.Stage {
		pairs = 200
	}
	for _, m := range corpustest.Sample(machinetest.Sample(t), 3) {
		t.Run(m.Name, func(t *testing.T) {
			held := &erasure{engine: e, sys: collecttest.Collected(t, m.Tree()), every: 1, pairs: pairs}
			held.hold(t)
			t.Logf("%d audits", held.audits)
		})
	}
}

// verdicts returns the results of an audit by rule and subject.
type verdicts map[[2]string]verdict.Result

func verdictsOf(t *testing.T, e *audit.Engine, sys *inventory.System) verdicts {
	t.Helper()
	out := verdicts{}
	for _, f := range run(t, e, sys, population.Derive(sys, rules.FS), audit.Options{}).Findings {
		out[[2]string{f.Rule, f.Subject.String()}] = f.Result
	}
	return out
}

// erasure audits a machine without some of its facts.
type erasure struct {
	engine *audit.Engine
	sys    *inventory.System
	// every is the number of parts with one kind of fact per part that is erased alone; the first and the last always
	// are.
	every int
	// pairs of facts, of single parts and of whole kinds, are erased together.
	pairs int
	// audits counts what was held.
	audits int
	failed verdicts
}

// hold erases each kind of fact everywhere, parts of it one by one, and pairs.
func (h *erasure) hold(t *testing.T) {
	t.Helper()
	h.failed = verdicts{}
	for key, result := range verdictsOf(t, h.engine, h.sys) {
		if result == verdict.Fail {
			h.failed[key] = result
		}
	}
	if len(h.failed) == 0 {
		return
	}
	fields := erasable(h.sys)
	names := corpustest.Sample(slices.Sorted(maps.Keys(fields)), 8)
	for _, name := range names {
		h.without(t, name+" everywhere", fields[name])
		for _, n := range h.parts(len(fields[name])) {
			h.without(t, fmt.Sprintf("%s of part %d", name, n), fields[name][n:n+1])
		}
	}
	random := rand.New(rand.NewPCG(20, 26))
	for range h.pairs {
		one, other := names[random.IntN(len(names))], names[random.IntN(len(names))]
		h.without(t, one+" and "+other+" everywhere", slices.Concat(fields[one], fields[other]))
		i, j := random.IntN(len(fields[one])), random.IntN(len(fields[other]))
		h.without(t, fmt.Sprintf("%s of part %d and %s of part %d", one, i, other, j), []eraser{fields[one][i], fields[other][j]})
	}
}

// parts lists the parts that are erased one by one. On machines with hundreds of slots, and in the unit tests, only
// the first and the last are.
func (h *erasure) parts(n int) []int {
	out := []int{0}
	if corpustest.Stage && len(h.sys.Sockets) <= 2 {
		for i := h.every; i < n-1; i += h.every {
			out = append(out, i)
		}
	}
	if n > 1 {
		out = append(out, n-1)
	}
	return out
}

// without audits the machine without the facts.
func (h *erasure) without(t *testing.T, what string, facts []eraser) {
	t.Helper()
	restore := erase(facts)
	defer restore()
	h.audits++
	for key, now := range verdictsOf(t, h.engine, h.sys) {
		if now == verdict.Pass && h.failed[key] == verdict.Fail {
			assert.Fail(t, "a failure passes where a fact is missing", "%s of %s, erased: %s", key[0], key[1], what)
		}
	}
}

// eraser erases one fact and returns a function that restores it.
type eraser func() (restore func())

// erase erases facts; they are restored in reverse order, since a pair may be of one fact.
func erase(facts []eraser) (restore func()) {
	var undo []func()
	for _, f := range facts {
		undo = append(undo, f())
	}
	return func() {
		for _, f := range slices.Backward(undo) {
			f()
		}
	}
}

// erasable lists a machine's known facts by the name of their field.
func erasable(sys *inventory.System) map[string][]eraser {
	out := map[string][]eraser{}
	collectErasers(reflect.ValueOf(sys).Elem(), "", out)
	for i := range sys.Slots {
		s := &sys.Slots[i]
		if s.State == inventory.SlotPopulated {
			out["Slots.SizeBytes"] = append(out["Slots.SizeBytes"], func() func() {
				before := *s
				s.State, s.SizeBytes = inventory.SlotUnknown, fact.Unknown[int64](fact.Unstated, "erased", "")
				return func() { *s = before }
			})
		}
	}
	return out
}

// collectErasers finds all facts of the model. A module's size is erased with its slot's state, which is not a fact.
func collectErasers(v reflect.Value, name string, out map[string][]eraser) {
	switch {
	case strings.HasPrefix(v.Type().Name(), "Fact["):
		if v.FieldByName("State").Interface() == fact.OK && name != "Slots.SizeBytes" {
			out[name] = append(out[name], func() func() {
				before := reflect.ValueOf(v.Interface())
				v.SetZero()
				v.FieldByName("State").Set(reflect.ValueOf(fact.Unstated))
				v.FieldByName("Reason").SetString("erased")
				return func() { v.Set(before) }
			})
		}
	case v.Kind() == reflect.Slice:
		for i := range v.Len() {
			collectErasers(v.Index(i), name, out)
		}
	case v.Kind() == reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				collectErasers(v.Field(i), strings.TrimPrefix(name+"."+v.Type().Field(i).Name, "."), out)
			}
		}
	}
}
