package audit_test

import (
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/memaudit/memaudit/internal/audit"
	"github.com/memaudit/memaudit/internal/collect/collecttest"
	"github.com/memaudit/memaudit/internal/corpustest"
	"github.com/memaudit/memaudit/internal/fact"
	"github.com/memaudit/memaudit/internal/inventory"
	"github.com/memaudit/memaudit/internal/machinetest"
	"github.com/memaudit/memaudit/internal/population"
	"github.com/memaudit/memaudit/internal/verdict"
	"github.com/memaudit/memaudit/rules"
)

// TestErasure: what is not known is never a pass. Whichever fact of an example
// machine is taken away, from one part or from all that have it, no rule that
// failed passes. The unit tests take every fourth kind of fact of a few machines.
func TestErasure(t *testing.T) {
	e := builtin(t)
	for _, m := range machinetest.Sample(t) {
		t.Run(m.Name, func(t *testing.T) {
			holdErasure(t, e, collecttest.Collected(t, m.Tree()))
		})
	}
}

// verdicts are the results of an audit by rule and subject.
type verdicts map[[2]string]verdict.Result

func verdictsOf(t *testing.T, e *audit.Engine, sys *inventory.System) verdicts {
	t.Helper()
	out := verdicts{}
	for _, f := range run(t, e, sys, population.Derive(sys, rules.FS), audit.Options{}).Findings {
		out[[2]string{f.Rule, f.Subject}] = f.Result
	}
	return out
}

// holdErasure audits a machine without each of its facts in turn: everywhere,
// on the first and on the last part that has it.
func holdErasure(t *testing.T, e *audit.Engine, sys *inventory.System) {
	t.Helper()
	whole := verdictsOf(t, e, sys)
	if !slices.Contains(slices.Collect(maps.Values(whole)), verdict.Fail) {
		return
	}
	fields := erasable(sys)
	for _, name := range corpustest.Sample(slices.Sorted(maps.Keys(fields)), 4) {
		all := fields[name]
		held := []struct {
			where string
			facts []eraser
		}{{"everywhere", all}, {"on the first", all[:1]}, {"on the last", all[len(all)-1:]}}
		if len(sys.Sockets) > 2 {
			held = held[:1] // hundreds of slots
		}
		for _, c := range held {
			restore := erase(c.facts)
			for key, now := range verdictsOf(t, e, sys) {
				if now == verdict.Pass && whole[key] == verdict.Fail {
					assert.Fail(t, "a failure passes where a fact is missing", "%s of %s, %s erased %s", key[0], key[1], name, c.where)
				}
			}
			restore()
		}
	}
}

// eraser takes one fact away and gives back what undoes that.
type eraser func() (restore func())

func erase(facts []eraser) (restore func()) {
	var undo []func()
	for _, f := range facts {
		undo = append(undo, f())
	}
	return func() {
		for _, f := range undo {
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

// collectErasers walks the model for facts. A module's size goes with its
// slot's state, which is no fact of its own.
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
