package rulepack

import (
	"fmt"
	"sync"
	"testing"

	celast "cel.dev/cel-go/common/ast"
	"cel.dev/cel-go/common/types"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/memaudit/memaudit/internal/corpustest"
	"github.com/memaudit/memaudit/internal/facts"
	"github.com/memaudit/memaudit/internal/verdict"
	"github.com/memaudit/memaudit/rules"
)

// TestCompiledRulesMeanTheSame runs every expression of every case twice, as
// the checker plans it and as the shipped blob does: result, missing facts and
// texts must agree. The blob is planned without types, so that an unknown
// takes another way through the evaluator. The unit tests take every fourth rule,
// make corpus each.
func TestCompiledRulesMeanTheSame(t *testing.T) {
	packs, err := BuiltinPacks()
	require.NoError(t, err)
	compiledPacks, err := LoadCompiled(rules.FS)
	require.NoError(t, err)
	require.NotEmpty(t, compiledPacks)
	parsed := compiledPacks[0].expressions
	n := 0
	for _, p := range packs {
		for _, r := range corpustest.Sample(p.Rules, 4) {
			n += sameRule(t, parsed, r)
		}
	}
	least := 400
	if corpustest.Stage {
		least = 1000
	}
	assert.Greater(t, n, least, "expressions compared")
}

// BuiltinPacks are read once for all tests, those outside the package too, none of which changes them.
var BuiltinPacks = sync.OnceValues(func() ([]*Pack, error) { return LoadBuiltin(rules.FS) })

// TestCompiledRulesAreDescribedTheSame: a list that is read from the blob says
// what the sources say, the counts of the cases among it.
func TestCompiledRulesAreDescribedTheSame(t *testing.T) {
	packs, err := BuiltinPacks()
	require.NoError(t, err)
	compiledPacks, err := LoadCompiled(rules.FS)
	require.NoError(t, err)
	want, got := Describe(packs), Describe(compiledPacks)
	require.Len(t, got, len(want))
	require.Greater(t, len(want), 50)
	for i := range want {
		want[i].Rule, got[i].Rule = nil, nil
		require.Positive(t, want[i].Cases.Pass, want[i].ID)
		require.Equal(t, want[i], got[i], want[i].ID)
	}
	wanted, profiles := DescribeProfiles(packs), DescribeProfiles(compiledPacks)
	require.Len(t, profiles, len(wanted))
	for i := range wanted {
		wanted[i].spec, profiles[i].spec = nil, nil
		require.Equal(t, wanted[i], profiles[i], wanted[i].ID)
	}
}

// sameRule checks every case of a rule against both and returns how many expressions it compared.
func sameRule(t *testing.T, parsed *parsedExprs, r *Rule) int {
	t.Helper()
	exprs := map[string]*types.Type{r.Check: types.BoolType, r.Applies: types.BoolType, r.Found: types.StringType,
		r.Expected: types.StringType, r.Remedy: types.StringType}
	if verdict.Severity(r.Severity).Rank() == 0 {
		exprs[r.Severity] = types.StringType
	}
	if r.Effect != nil {
		exprs[r.Effect.Expr], exprs[r.Effect.SourceExpr] = types.StringType, types.StringType
	}
	n := 0
	for src, want := range exprs {
		if src == "" {
			continue
		}
		checked, err := facts.CompileExpr(src, want)
		require.NoError(t, err)
		lean, ok, err := parsed.program(src)
		require.NoError(t, err)
		require.True(t, ok, "not compiled: %s", src)
		for i := range r.Cases {
			n++
			c := &r.Cases[i]
			one, err := c.Scope()
			require.NoError(t, err)
			two, err := c.Scope()
			require.NoError(t, err)
			a, b := one.Eval(checked), two.Eval(lean)
			assert.Equal(t, fmt.Sprint(a.Val, a.Missing, a.Err), fmt.Sprint(b.Val, b.Missing, b.Err), "%s, case %q: %s", r.ID, c.Name, src)
		}
	}
	return n
}

// TestNumbersOfABlob: what is cut, counts more than there is or points at a text that is not
// there damages the blob, and reads as nothing.
func TestNumbersOfABlob(t *testing.T) {
	w := newBlobWriter()
	w.uint(300)
	w.int(-70)
	w.float(2.5)
	w.bool(true)
	whole := &blobReader{body: string(w.body)}
	assert.Equal(t, []any{uint64(300), int64(-70), 2.5, true}, []any{whole.uint(), whole.int(), whole.float(), whole.bool()})
	require.NoError(t, whole.err)
	assert.Empty(t, whole.body, "to the last byte")
	for name, read := range map[string]func(r *blobReader) bool{
		"number":        func(r *blobReader) bool { return r.uint() == 0 },
		"signed number": func(r *blobReader) bool { return r.int() == 0 },
		"float":         func(r *blobReader) bool { return r.float() == 0 },
		"text":          func(r *blobReader) bool { _ = r.text(); return r.err != nil },
		"list":          func(r *blobReader) bool { return r.texts() == nil },
	} {
		for _, body := range []string{"", "\x80", "\x02"} { // cut before and inside of a number; one more than the texts that there are
			if body == "\x02" && name != "text" && name != "list" {
				continue
			}
			r := &blobReader{body: body, strings: []string{"a", "b"}}
			assert.True(t, read(r), "%s of %q", name, body)
			require.ErrorIs(t, r.err, errBlob, "%s of %q", name, body)
		}
	}
	short := &blobReader{body: "1234567"}
	assert.Zero(t, short.float())
	require.ErrorIs(t, short.err, errBlob)
}

// TestDepthOfACompiledExpression: a blob cannot have the reader nest without end.
func TestDepthOfACompiledExpression(t *testing.T) {
	nested := func(depth int) error {
		w := newBlobWriter()
		for range depth - 1 {
			w.uint(nodeSelect)
			w.text("a")
		}
		w.uint(nodeNull)
		p := &parsedExprs{strings: w.strings, nodes: map[string]parsedNode{"a": {body: string(w.body)}}}
		_, ok, err := p.program("a")
		assert.True(t, ok)
		return err
	}
	require.NoError(t, nested(maxExprDepth))
	require.ErrorIs(t, nested(maxExprDepth+1), errBlob)
	require.ErrorIs(t, nested(50*maxExprDepth), errBlob)
}

// TestExpressionsThatCannotBeCompiled: a map is told of wherever it stands, and a function that
// there is not is told of when the expression is planned; neither gives half an expression.
func TestExpressionsThatCannotBeCompiled(t *testing.T) {
	for _, src := range []string{`{"a": 1} == {"a": 1}`, `size({"a": 1}) == 1`, `{"a": 1}.size() == 1`, `[{"a": 1}].size() == 1`, `{"a": 1}.a == 1`, `[1].all(x, {"a": x}.a == 1)`} {
		_, err := Compile([]*Pack{{Rules: []*Rule{{ID: "a.b", Check: src, Severity: "info"}}}})
		require.ErrorContains(t, err, "cannot be compiled", src)
	}
	w := newBlobWriter()
	w.uint(nodeCall)
	w.text("no_such_function")
	w.uint(0)
	prog, ok, err := (&parsedExprs{strings: w.strings, nodes: map[string]parsedNode{"a": {body: string(w.body)}}}).program("a")
	require.Error(t, err)
	assert.True(t, ok)
	assert.Nil(t, prog)
	r := &exprReader{blobReader: &blobReader{body: "\x63"}, fac: celast.NewExprFactory()}
	r.expr()
	require.ErrorIs(t, r.err, errBlob, "a kind of node that there is not")
}
