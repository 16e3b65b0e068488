package facts

import (
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/memaudit/memaudit/internal/model/fact"
)

// reading is a value with these readings.
func reading(paths ...string) Value {
	v := PlainValue(true)
	for i, path := range paths {
		if e := (fact.Evidence{Path: path}); i == 0 {
			v.from = e
		} else {
			v.more = append(v.more, e)
		}
	}
	return v
}

func paths(v Value) []string {
	out := []string{}
	for _, e := range v.Evidence() {
		out = append(out, e.Path)
	}
	return out
}

// TestDerived checks that a derived value has all sources that it depends on, up to a limit, the lowest certainty,
// and no document if one of its facts has none.
func TestDerived(t *testing.T) {
	of := func(from ...Value) Value { return derived(func() any { return 1 }, from...) }
	for _, c := range []struct {
		name string
		from []Value
		want []string
	}{
		{"nothing", nil, []string{}},
		{"no readings", []Value{PlainValue(1), PlainValue(2)}, []string{}},
		{"the second's", []Value{PlainValue(1), reading("a", "b")}, []string{"a", "b"}},
		{"both", []Value{reading("a"), reading("b")}, []string{"a", "b"}},
		{"both with further ones", []Value{reading("a", "b"), reading("c", "d")}, []string{"a", "b", "c", "d"}},
		{"one twice", []Value{reading("a"), reading("a")}, []string{"a"}},
		{"one that has nothing after one that has", []Value{reading("a"), PlainValue(1)}, []string{"a"}},
	} {
		assert.Equal(t, c.want, paths(of(c.from...)), c.name)
	}
	var many []Value
	for i := range 3 * maxEvidence {
		many = append(many, reading(strconv.Itoa(i)))
	}
	assert.Len(t, paths(of(many...)), 1+maxEvidence)
	var pairs []string
	for i := range maxEvidence {
		pairs = append(pairs, "first "+strconv.Itoa(i))
	}
	full := reading(pairs...) // room for one more
	assert.Len(t, paths(of(full, reading("a", "b", "c"))), 1+maxEvidence)

	almost := reading(pairs[1:]...) // room for two
	assert.Equal(t, append(paths(almost), "a", "b"), paths(of(almost, reading("a", "b", "c"))))
	for i := range 20 {
		full.more = append(full.more, fact.Evidence{Path: "more " + strconv.Itoa(i)})
	}
	assert.Equal(t, paths(full), paths(of(full, reading("a", "b"))), "a fact may have more readings than are added to it")

	own := []fact.Evidence{{Path: "kept"}, {Path: "not overwritten"}}
	first := PlainValue(1)
	first.from, first.more = fact.Evidence{Path: "a"}, own[:1]
	of(first, reading("b"))
	assert.Equal(t, "not overwritten", own[1].Path, "the readings of a fact stay its own")

	sureOf, guess, weak := reading("a"), reading("b"), reading("c")
	guess.Unverified, weak.Certainty = true, fact.Indirect
	for _, c := range []struct {
		from       []Value
		unverified bool
		certainty  fact.Certainty
	}{
		{[]Value{sureOf, sureOf}, false, fact.Direct}, {[]Value{guess, sureOf}, true, fact.Direct}, {[]Value{sureOf, guess}, true, fact.Direct},
		{[]Value{sureOf, weak}, false, fact.Indirect}, {[]Value{weak, sureOf}, false, fact.Indirect},
	} {
		v := of(c.from...)
		assert.Equal(t, c.unverified, v.Unverified)
		assert.Equal(t, c.certainty, v.Certainty)
	}
}
