package rulepack_test

import (
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"time"

	"memaudit.example/memaudit/internal/audit/rulepack"
	"memaudit.example/memaudit/internal/model/compiled"
	"memaudit.example/memaudit/internal/model/datafile"
	"memaudit.example/memaudit/internal/tools/corpustest"
)

// patience limits the parsing and the checking of one pack, with room for a machine that fuzzes on every core.
const patience = 20 * time.Second

// greedy is the number of repeated elements, smaller in the unit tests by a factor: they exceed the same limit, and
// those without a limit cost as much for their length.
func greedy(many, fewer int) int {
	if corpustest.Stage {
		return many
	}
	return many / fewer
}

// greedyKeys are the keys of one mapping: five times as many as are read, in make corpus a hundred times.
func greedyKeys() int { return greedy(100_000, 20) }

// hostilePacks are small packs, each broken or too large in one way, created once for all tests.
var hostilePacks = sync.OnceValue(makeHostilePacks)

func makeHostilePacks() map[string]string {
	const head = "rules:\n  - {id: a.b, title: t, subject: machine, severity: info, why: w, uncited: true, "
	rule := func(check string) string { return head + "check: '" + check + "'}\n" }
	withCase := func(check, facts string) string {
		return head + "check: '" + check + "', cases: [{name: c, expect: pass, facts: " + facts + "}]}\n"
	}
	withText := func(text string) string {
		return head + "check: 'false', found: '" + text + "', cases: [{name: c, expect: fail, facts: {memory: {options: [" + strings.Repeat("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa, ", 100) + "]}}}]}\n"
	}
	bomb := "document:\n  a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n"
	for i := 1; i <= 12; i++ {
		bomb += fmt.Sprintf("  a%d: &a%d [%s]\n", i, i, strings.TrimSuffix(strings.Repeat(fmt.Sprintf("*a%d, ", i-1), 10), ", "))
	}
	merges := "document:\n  m0: &m0 {title: t}\n"
	for i := 1; i <= 24; i++ {
		merges += fmt.Sprintf("  m%d: &m%d {<<: [*m%d, *m%d]}\n", i, i, i-1, i-1)
	}
	mib := strings.Repeat("a", greedy(1<<20, 4))
	return map[string]string{
		"empty":                    "",
		"not a mapping":            "[1, 2]\n",
		"null":                     "null\n",
		"null rule":                "rules: [null]\nprofiles: [~]\n",
		"unknown key":              "rules: [{id: a.b, colour: red}]\n",
		"wrong type":               "rules: {id: a.b}\n",
		"two documents":            "rules: []\n---\nrules: [1]\n",
		"tags":                     "rules: !!set {a: b}\nfor: !!binary aGVsbG8=\n",
		"alias bomb":               bomb + "rules: *a12\n",
		"alias bomb unused":        bomb,
		"merge bomb":               merges + "rules:\n  - {<<: *m24, id: a.b, check: 'true'}\n",
		"merge of itself":          "rules:\n  - &r {<<: *r, id: a.b}\n",
		"alias of itself":          "rules: &r [*r]\n",
		"facts of itself":          head + "check: 'true', cases: [{name: c, expect: pass, facts: &f {machine: *f}}]}\n",
		"facts deep":               withCase("true", strings.Repeat("{machine: ", 200)+"1"+strings.Repeat("}", 200)),
		"yaml deep":                strings.Repeat("[", 9000) + strings.Repeat("]", 9000),
		"expression long":          rule(strings.Repeat("true && ", 60000) + "true"),
		"expression deep":          rule(strings.Repeat("(", 5000) + "true" + strings.Repeat(")", 5000)),
		"expression nots":          rule(strings.Repeat("!", 100000) + "true"),
		"expression lists":         rule(strings.Repeat("[", 3000) + strings.Repeat("]", 3000) + ".size() == 1"),
		"text long":                rule(`"` + mib + `" == ""`),
		"loops nested":             withCase("[1,2,3,4,5,6,7,8,9].all(a, [1,2,3,4,5,6,7,8,9].all(b, [1,2,3,4,5,6,7,8,9].all(c, [1,2,3,4,5,6,7,8,9].all(d, [1,2,3,4,5,6,7,8,9].all(e, [1,2,3,4,5,6,7,8,9].all(f, [1,2,3,4,5,6,7,8,9].all(g, a+b+c+d+e+f+g > 0)))))))", "{}"),
		"lists.range":              withCase("lists.range(2000000000).size() > 0", "{}"),
		"range of ranges":          withCase("lists.range(100000).map(x, lists.range(100000)).size() > 0", "{}"),
		"text doubled":             withCase(strings.Repeat("[", 30)+`"aaaaaaaaaaaaaaaa"`+strings.Repeat("].map(x, x + x)[0]", 30)+".size() > 0", "{}"),
		"join":                     withCase(`lists.range(100000).map(x, "aaaaaaaaaaaaaaaa").join(",").size() > 0`, "{}"),
		"replace":                  withCase(`"aaaaaaaaaaaaaaaa".replace("a", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa").replace("a", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa").replace("a", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa").replace("a", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa").size() > 0`, "{}"),
		"format":                   withCase(`"%1000000000d".format([1]).size() > 0`, "{}"),
		"format precise":           withCase(`"%.1000000000f".format([1.0]).size() > 0`, "{}"),
		"pattern":                  withCase(`"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaa".matches("((a{0,30}){0,30}){0,30}")`, "{}"),
		"pattern wide":             withCase(`"a".matches("(x{1000}){1000}")`, "{}"),
		"pattern broken":           withCase(`"a".matches("(")`, "{}"),
		"divide":                   withCase("1 / 0 == 1 || 1 % 0 == 1 || -9223372036854775807 - 2 < 0", "{}"),
		"negative size":            withText("{{gib -9223372036854775807}}{{plural -9223372036854775807 `x`}}"),
		"each of each":             withText("{{words (each .slots `{{words (each .. `)}}"),
		"text of texts":            withText(strings.Repeat("{{words .memory.options}}", 600)),
		"text in depth":            withText(strings.Repeat("{{if true}}", 1400) + strings.Repeat("{{end}}", 1400)),
		"brackets in depth":        withText("{{" + strings.Repeat("(", 7000) + "1" + strings.Repeat(")", 7000) + "}}"),
		"text of 20 kB":            withText("{{1}}" + strings.Repeat("x", 20_000)),
		"range":                    withText("{{range 1000000000}}x{{end}}"),
		"template of itself":       withText("{{define `a`}}{{template `a`}}{{end}}{{template `a`}}"),
		"format of a text":         withText("{{printf `%1000000000d` 1}}"),
		"text of a fact":           withText("{{words (each .slots .machine.vendor)}}"),
		"pattern of a text":        withText("{{words (matching .memory.options `(x{1000}){1000}`)}}"),
		"size overflow":            withCase("memory.installed_bytes > 0", "{memory: {installed_bytes: 9223372036854775807Ti}}"),
		"facts wrong":              withCase("true", "[1]"),
		"facts null":               withCase("true", "{machine: null, slots: [null], sockets: null}"),
		"facts of a list":          withCase("slots.size() > 0", "{slots: {a: 1}}"),
		"many rules":               "rules:\n" + strings.Repeat("  - {id: a.b, check: 'true'}\n", greedy(3000, 5)),
		"many cases":               head + "check: 'true', cases: [" + strings.Repeat("{name: c, expect: pass, facts: {}}, ", greedy(3000, 5)) + "]}\n",
		"profile":                  "profiles:\n  - {id: p, intent: balanced, settings: {smt: {want: [a, b], level: info}, smt2: ~, turbo: {want: {a: b}}}}\n",
		"rules and cases by alias": "document:\n  c: &c {name: c, expect: pass, facts: {}}\n  r: &r {id: a.b, check: 'true', cases: [" + strings.Repeat("*c, ", greedy(20_000, 5)) + "]}\nrules: [" + strings.Repeat("*r, ", greedy(20_000, 5)) + "]\n",
		"facts by alias": head + "check: 'true', cases: [{name: c, expect: pass, facts: {sockets: [" + strings.Repeat("&s {controllers: ["+strings.Repeat("{}, ", 3000)+"]}, ", 1) +
			strings.Repeat("*s, ", 3000) + "]}}]}\n",
		"merges doubled":        head + "check: 'true', cases: [{name: c, expect: pass, facts: " + doubledMerges() + "}]}\n",
		"keys":                  "document: {" + keys(greedyKeys()) + "}\n",
		"keys of facts":         withCase("true", "{"+keys(greedyKeys())+"}"),
		"keys of remedies":      head + "check: 'true', remedies: {" + keys(greedyKeys()) + "}}\n",
		"unknown keys":          "{" + keys(1000) + "}\n",
		"many long expressions": "rules:\n" + strings.Repeat("  - {id: a.b, check: '"+strings.Repeat("true && ", 1500)+"true'}\n", greedy(200, 10)),
		"costly cases":          head + "check: '" + nested(5) + "', cases: [" + strings.Repeat("{name: c, expect: pass, facts: {}}, ", 2000) + "]}\n",
		"profile list":          "profiles:\n  - {id: p, settings: [1, 2]}\n",
		"severity":              head + "check: 'true', severity: '\"x\"'}\n",
		"control":               "rules:\n  - {id: \"a\x00b\", title: \"\x1b[31m\"}\n",
		"bom":                   "\ufeffrules: []\n",
		"not utf-8":             "rules:\n  - {id: \xff\xfe}\n",
	}
}

// doubledMerges merges each mapping twice into the next.
func doubledMerges() string {
	out := "{machine: {}}"
	for range 12 {
		out = "{<<: " + out + ", <<: " + out + "}"
	}
	return out
}

// keys returns this many keys of a mapping.
func keys(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "k%d: '1', ", i)
	}
	return b.String()
}

// nested returns loops nested this many levels deep.
func nested(n int) string {
	out := "true"
	for i := range n {
		out = fmt.Sprintf("[1,2,3,4,5,6,7,8,9].all(x%d, %s)", i, out)
	}
	return out
}

// tryPack parses, checks and compiles one pack within patience, and returns
// what is wrong with it.
func tryPack(t testing.TB, data []byte) datafile.Complaints {
	t.Helper()
	start := time.Now()
	pack, faults := rulepack.ParsePack("fuzz.yaml", data)
	if pack == nil && len(faults) == 0 {
		t.Fatal("neither a pack nor a complaint")
	}
	if pack != nil && len(faults) == 0 {
		faults = pack.Validate()
		faults = append(faults, rulepack.ValidateSet([]*rulepack.Pack{pack})...)
		if len(faults) == 0 {
			roundTrip(t, pack)
		}
	}
	for _, f := range faults {
		if f.Text == "" || f.Line < 1 || f.Column < 1 {
			t.Errorf("complaint without text or place: %+v", f)
		}
	}
	if d := time.Since(start); d > patience {
		t.Errorf("%d bytes took %v", len(data), d)
	}
	return faults
}

// roundTrip compiles a pack without faults and reads it back.
func roundTrip(t testing.TB, pack *rulepack.Pack) {
	t.Helper()
	blob, _, err := rulepack.Compile([]*rulepack.Pack{pack})
	if err != nil {
		return
	}
	back, err := rulepack.LoadCompiled(fstest.MapFS{compiled.File(rulepack.Part): {Data: blob}})
	if err != nil || len(back) != 1 || len(back[0].Rules) != len(pack.Rules) {
		t.Errorf("%d packs of %d rules come back: %v", len(back), len(pack.Rules), err)
	}
}

// seedSize bounds the packs that a fuzzer starts from.
const seedSize = 64 << 10

// TestHostilePacks tries the packs that are too large for a seed, and checks which limit stops the large ones. The
// most expensive is tried in make corpus.
func TestHostilePacks(t *testing.T) {
	tooMany := fmt.Sprintf("a mapping of %d keys", greedyKeys())
	bounds := map[string]string{
		"alias bomb": "holds more than", "alias bomb unused": "holds more than", "rules and cases by alias": "holds more than",
		"facts by alias": "holds more than", "merge bomb": "holds more than", "alias of itself": "nest deeper than",
		"facts of itself": "nest deeper than", "yaml deep": "nest deeper than", "keys": tooMany,
		"keys of facts": tooMany, "keys of remedies": tooMany, "unknown keys": "more errors than",
		"expression long": "size exceeds", "text long": "size exceeds", "expression deep": "recursion", "expression nots": "size exceeds",
		"loops nested": "cost limit", "lists.range": "exceeds maximum", "range of ranges": "exceeds maximum", "costly cases": "cost more than",
		"pattern wide": "repeat count", "text of texts": "more than 1048576 bytes", "text of 20 kB": "at most 16384 are read", "range": "alone",
		"template of itself": "defines no other", "format of a text": "not defined", "text of a fact": "in quotes", "pattern of a text": "repeat count",
		"facts deep": "machine",
	}
	for name, text := range hostilePacks() {
		want, bounded := bounds[name]
		if len(text) <= seedSize && !bounded {
			continue
		}
		if name == "costly cases" && !corpustest.Stage {
			continue // seconds
		}
		t.Run(name, func(t *testing.T) {
			faults := tryPack(t, []byte(text))
			if bounded && !strings.Contains(faults.Error(), want) {
				t.Errorf("no complaint has %q: %.300s", want, faults.Error())
			}
		})
	}
}

// FuzzPack parses, checks and compiles arbitrary bytes as a file of rules: no
// panic, no hang, every complaint with its place.
func FuzzPack(f *testing.F) {
	for _, text := range hostilePacks() {
		if len(text) <= seedSize {
			f.Add([]byte(text))
		}
	}
	for _, data := range corpustest.Seeds(shipped(f), 8) {
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) { tryPack(t, data) })
}

// shipped are the built-in packs, one file each.
func shipped(t testing.TB) [][]byte {
	t.Helper()
	packs, err := rulepack.BuiltinPacks()
	if err != nil {
		t.Fatal(err)
	}
	var out [][]byte
	for _, p := range packs {
		data, err := os.ReadFile("../../../rules/" + p.File)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, data)
	}
	return out
}
