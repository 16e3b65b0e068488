package rulepack

import (
	"fmt"
	"os"
	"sync"
	"testing"
	"testing/fstest"

	"cel.dev/cel-go/common/types"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"memaudit.example/memaudit/internal/audit/facts"
	"memaudit.example/memaudit/internal/audit/verdict"
	"memaudit.example/memaudit/internal/model/compiled"
	"memaudit.example/memaudit/internal/tools/corpustest"
	"memaudit.example/memaudit/rules"
)

// TestCompiledRulesMeanTheSame runs every expression of every case twice, as
// the checker plans it and as the shipped artefact does: result and missing facts
// must agree. The artefact is planned without types, so that an unknown
// takes another way through the evaluator. The unit tests take every fourth rule,
// make corpus each.
func TestCompiledRulesMeanTheSame(t *testing.T) {
	packs, err := BuiltinPacks()
	require.NoError(t, err)
	compiledPacks, err := LoadCompiled(rules.FS)
	require.NoError(t, err)
	require.NotEmpty(t, compiledPacks)
	parsed := facts.Programs{Encoded: compiledPacks[0].Expressions}
	n := 0
	for _, p := range packs {
		for _, r := range corpustest.Sample(p.Rules, 4) {
			n += sameRule(t, &parsed, r)
		}
	}
	least := 200
	if corpustest.Stage {
		least = 800
	}
	assert.Greater(t, n, least, "expressions compared")
}

// BuiltinPacks are read once for all tests, including those outside the package, and changed by none.
var BuiltinPacks = sync.OnceValues(func() ([]*Pack, error) { return LoadBuiltin(os.DirFS("../../../rules")) })

// sameRule checks every case of a rule against both and returns how many expressions it compared.
func sameRule(t *testing.T, parsed *facts.Programs, r *Rule) int {
	t.Helper()
	exprs := map[string]*types.Type{r.Check: types.BoolType, r.Applies: types.BoolType}
	if verdict.Severity(r.Severity).Rank() == 0 {
		exprs[r.Severity] = types.StringType
	}
	n := 0
	var checked facts.Programs
	for src, want := range exprs {
		if src == "" {
			continue
		}
		known, err := parsed.Encoded(src, new(any))
		require.NoError(t, err)
		require.True(t, known, "not compiled: %s", src)
		for i := range r.Cases {
			n++
			c := &r.Cases[i]
			one, err := c.Scope()
			require.NoError(t, err)
			two, err := c.Scope()
			require.NoError(t, err)
			assert.Equal(t, evaluated(&checked, one, src, want), evaluated(parsed, two, src, want), "%s, case %q: %s", r.ID, c.Name, src)
		}
	}
	return n
}

func evaluated(programs *facts.Programs, s *facts.Scope, src string, want *types.Type) string {
	if want == types.StringType {
		text, err := programs.Word(s, src)
		return fmt.Sprint(text, err)
	}
	_, o := programs.Bool(s, src)
	return fmt.Sprint(o.Val, o.Missing, o.Err)
}

// evaluate runs a yes-or-no expression on facts as a case writes them.
func evaluate(t *testing.T, programs *facts.Programs, stated, src string) (string, []string) {
	t.Helper()
	var n yaml.Node
	require.NoError(t, yaml.Unmarshal([]byte(stated), &n))
	require.NotEmpty(t, n.Content)
	s, err := statedScope(n.Content[0])
	require.NoError(t, err)
	holds, o := programs.Bool(s, src)
	switch {
	case o.Err != nil:
		return "error: " + o.Err.Error(), nil
	case o.Val == nil:
		return "unknown", o.Missing
	case holds:
		return "true", nil
	default:
		return "false", nil
	}
}

// compiledAhead encodes expressions the way the shipped artefact does.
func compiledAhead(t *testing.T, sources []string) *facts.Programs {
	t.Helper()
	pack := &Pack{File: "test.yaml"}
	for _, src := range sources {
		pack.Rules = append(pack.Rules, &Rule{ID: "a.b.c", Subject: facts.SubjectMachine, Check: src, Severity: "info", pack: pack})
	}
	blob, pieces, err := Compile([]*Pack{pack})
	require.NoError(t, err)
	packs, err := LoadCompiled(fstest.MapFS{compiled.File(Part): {Data: blob}, compiled.File(PiecesPart): {Data: pieces}})
	require.NoError(t, err)
	return &facts.Programs{Encoded: packs[0].Expressions}
}

// TestUnknownsSpread checks that a missing fact makes a result unknown exactly if it could change it.
func TestUnknownsSpread(t *testing.T) {
	const three = `{sockets: [{dimms: 6}, {}, {dimms: 3}], socket: {dimms: 6, sizes: [4, 8]}, machine: {virtual: false}}`
	tests := []struct{ src, want string }{
		// and, or, not
		{`machine.virtual && machine.numa`, "false"},
		{`machine.numa && machine.virtual`, "false"},
		{`!machine.virtual && machine.numa`, "unknown"},
		{`!machine.virtual || machine.numa`, "true"},
		{`machine.numa || !machine.virtual`, "true"},
		{`machine.virtual || machine.numa`, "unknown"},
		{`!machine.numa`, "unknown"},
		{`machine.numa || !machine.numa`, "unknown"},
		// comparisons and arithmetic
		{`socket.bytes > 0`, "unknown"},
		{`socket.bytes == socket.bytes`, "unknown"},
		{`socket.dimms + socket.channels_total > 0`, "unknown"},
		{`socket.bytes / 0 > 1`, "unknown"},
		{`machine.product.contains("R610")`, "unknown"},
		{`socket.bytes in [1, 2]`, "unknown"},
		{`socket.dimms in socket.dpc`, "unknown"},
		{`socket.dpc.size() == 0`, "unknown"},
		// conditional
		{`machine.numa ? true : false`, "unknown"},
		{`machine.virtual ? machine.numa : true`, "true"},
		// all and exists over a list with one silent element
		{`sockets.all(s, s.dimms > 0)`, "unknown"},
		{`sockets.all(s, s.dimms > 3)`, "false"},
		{`sockets.exists(s, s.dimms > 3)`, "true"},
		{`sockets.exists(s, s.dimms > 6)`, "unknown"},
		{`sockets.exists_one(s, s.dimms > 3)`, "unknown"},
		{`sockets.filter(s, s.dimms > 3).size() == 1`, "unknown"},
		{`sockets.map(s, s.dimms).size() == 3`, "unknown"}, // a list made of an unknown is one
		{`sockets.map(s, s.dimms)[1] == 6`, "unknown"},
		{`sockets.map(s, s.dimms)[0] == 6`, "unknown"},
		{`sockets.size() == 3`, "true"},
		{`sockets[1].dimms == 6`, "unknown"},
		{`sockets[0].dimms == sockets[2].dimms`, "false"},
		{`socket.sizes.all(n, n > 1)`, "true"},
		{`socket.sizes.all(n, n > socket.bytes)`, "unknown"},
		// a list that is not known at all
		{`slots.all(s, s.size_bytes > 0)`, "unknown"},
		{`slots.exists(s, s.size_bytes > 0)`, "unknown"},
		{`slots.size() == 0`, "unknown"},
		{`socket.controllers.all(c, c.size_bytes == socket.controllers[0].size_bytes)`, "unknown"},
		// asking whether a fact is known is always answered
		{`has(socket.bytes)`, "false"},
		{`has(socket.dimms)`, "true"},
		{`has(sockets[1].dimms)`, "false"},
		{`has(settings.turbo)`, "false"},
		{`!has(socket.bytes) || socket.bytes > 0`, "true"},
	}
	var sources []string
	for _, c := range tests {
		sources = append(sources, c.src)
	}
	lean := compiledAhead(t, sources)
	for _, c := range tests {
		got, missing := evaluate(t, &facts.Programs{}, three, c.src)
		assert.Equal(t, c.want, got, "%s (missing %v)", c.src, missing)
		again, same := evaluate(t, lean, three, c.src)
		assert.Equal(t, []any{got, missing}, []any{again, same}, "%s, compiled ahead of time", c.src)
		if got == "unknown" {
			assert.NotEmpty(t, missing, c.src)
		}
	}
}

// TestTexts checks what a text prints, above all of what is not known.
func TestTexts(t *testing.T) {
	var n yaml.Node
	require.NoError(t, yaml.Unmarshal([]byte(`{sockets: [{id: 0, dimms: 6}, {id: 1}], socket: {dimms: 1, sizes: [4, 8], locators: [A1, B1, C1, D1], slots: 0, share_low: 0.5, share_high: 2.0}}`), &n))
	s, err := statedScope(n.Content[0])
	require.NoError(t, err)
	var programs facts.Programs
	for text, want := range map[string]string{
		"{no template} %d": "{no template} %d", "{{.socket.bytes}} of {{gib .socket.bytes}}, {{words .socket.empty}}": "not known of not known, not known",
		"{{.socket.dimms}} {{.socket.share_high}}": "1 2", "{{percent .socket.share_low}}": "50 %", `{{plural .socket.dimms "DIMM"}}`: "1 DIMM",
		`a {{plural .socket.bytes "byte"}}`: "not known", "a{{if .socket.bytes}}b{{end}}": "not known", "{{if and (known .socket.bytes) (gt .socket.bytes 1)}}a{{else}}b{{end}}": "b",
		"{{if is .socket.slots}}a{{else if is .socket.dimms 2 1}}b{{end}}": "b", "{{if in 4 .socket.sizes}}{{len .socket.sizes}}{{end}}": "2", "{{if not .socket.empty}}a{{end}}": "not known",
		"{{listed .socket.locators}}; {{words (list .socket.sizes .socket.bytes 3)}}": "A1; B1; C1; and 1 more; 4, 8 and 3", `{{join .socket.sizes "+"}}`: "4+8",
		"{{words (each .sockets `CPU {{add .id 1}}: {{.dimms}}`)}}": "CPU 1: 6 and CPU 2: not known", "{{words (each .sockets `{{if gt .dimms 1}}x{{end}}`)}}": "not known",
		"{{words (each .socket.sizes `{{if gt . 4}}{{.}}{{end}}`)}} {{half (index .socket.sizes 0)}}": "8 2", "{{words .sockets.id}} {{words .sockets.dimms}}": "0 and 1 not known",
		`{{words (matching .socket.locators "^[AB]")}} {{matching "ab" "b"}} {{if matching "ab" "c"}}x{{end}}`: "A1 and B1 ab ", "{{if differ .socket.sizes}}a{{end}}{{channels_empty .socket.sizes}}": "achannels 4 and 8 are empty",
	} {
		require.NoError(t, programs.CheckText(text), text)
		got, err := programs.Text(s, text)
		require.NoError(t, err, text)
		assert.Equal(t, want, got, text)
	}
}

// TestMissingNamesTheFact checks that an unknown names every missing fact.
func TestMissingNamesTheFact(t *testing.T) {
	for _, c := range []struct {
		src  string
		want []string
	}{
		{`machine.numa && socket.bytes > 0`, []string{"machine.numa", "socket.bytes"}},
		{`sockets.all(s, s.dimms > 0)`, []string{"sockets[1].dimms"}},
		{`settings.turbo == "enabled"`, []string{"settings.turbo"}},
		{`platform.recommended_dimms.size() > 0`, []string{"platform.recommended_dimms"}},
	} {
		got, missing := evaluate(t, &facts.Programs{}, `{sockets: [{dimms: 6}, {}]}`, c.src)
		assert.Equal(t, "unknown", got, c.src)
		assert.Equal(t, c.want, missing, c.src)
	}
}

// TestNullIsNotAValue checks that null, also in a list of objects, is a missing fact, and that a merged mapping can
// remove a fact.
func TestNullIsNotAValue(t *testing.T) {
	got, missing := evaluate(t, &facts.Programs{}, `{socket: {<<: &all {dimms: 6, bytes: 1Gi, controllers: []}, bytes: null, controllers: null}}`,
		`socket.dimms == 6 && socket.bytes > 0 && socket.controllers.size() > 0`)
	assert.Equal(t, "unknown", got)
	assert.Equal(t, []string{"socket.bytes", "socket.controllers"}, missing)
}

// TestCaseFactsAreChecked checks that a case cannot state a fact that does not exist or a value of another type.
func TestCaseFactsAreChecked(t *testing.T) {
	tests := []struct{ facts, want string }{
		{`{sockett: {dimms: 1}}`, "unknown variable"},
		{`{socket: {dimm: 1}}`, `socket has no fact "dimm", expected one of dimms, `},
		{`{socket: {dimms: six}}`, "not a whole number"},
		{`{socket: {populated: maybe}}`, "neither true nor false"},
		{`{socket: 6}`, "mapping"},
		{`{sockets: {dimms: 6}}`, "list"},
		{`{socket: {sizes: 6}}`, "expected a list"},
		{`{socket: {controllers: [{size: 1}]}}`, `no fact "size"`},
	}
	for _, c := range tests {
		var n yaml.Node
		require.NoError(t, yaml.Unmarshal([]byte(c.facts), &n))
		_, err := statedScope(n.Content[0])
		require.Error(t, err, c.facts)
		assert.Contains(t, err.Error(), c.want)
	}
}
