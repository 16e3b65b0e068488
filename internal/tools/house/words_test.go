package house

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestPagesAreCitedByTheirPackage: who reads the code that a page of docs describes is
// led to the page. Where pages that texts name are not there, TestPagesThatTextsNameAreHere
// says so.
func TestPagesAreCitedByTheirPackage(t *testing.T) {
	all := texts(t)
	for page, owner := range map[string]string{
		"docs/interface.md": "internal/report", "docs/kernel.md": "internal/effective", "docs/population.md": "internal/population",
		"docs/measure.md": "internal/measure", "docs/threat-model.md": "internal/host",
	} {
		assert.Contains(t, all, page)
		cited := false
		for name, text := range all {
			cited = cited || strings.HasPrefix(name, owner+"/") && strings.HasSuffix(name, ".go") &&
				slices.ContainsFunc(commentsOf(name, text), func(c string) bool { return strings.Contains(c, page) })
		}
		assert.True(t, cited, "no comment in %s names %s", owner, page)
	}
}

// clearAlone are short names of a package's level that are not exported and say without
// their file what they are. A name that is not here needs a longer one.
var clearAlone = map[string]string{
	"main":  "Go's own",
	"anyIn": "any of a list is in a set",
	"attr":  "an XML or HTML attribute, the usual short form",
	"dayOf": "a time's day",
	"inMiB": "a number in MiB",
	"isDir": "a predicate", "isTar": "a predicate", "isROM": "a predicate", "isHPE": "a predicate", "isX86": "a predicate",
	"known": "a reading whose state is the word known",
	"mbind": "the system call",
	"none":  "a slot without a module in a layout",
	"noMSR": "no model-specific register, with the reason",
	"onBar": "a share's place on the drawn bar",
	"pairs": "a YAML mapping's keys with their values",
	"triad": "STREAM's kernel",
	"try":   "one change of internal/tools/gomutate",
	"maxCA": "the bound of a certificate authority's file",
	"alike": "of two modules, beside unsure and different",
	"gib":   "the unit", "mib": "the unit",
}

// mostShortFunctions and mostShortOthers bound short exported names, which stand behind
// their package's ("prose.GiB", "smbios.Parse", "host.CPU"); mostShortOwn bounds the types,
// variables and constants that a package keeps to itself, most of them internal/plan's
// for what its search weighs and moves (board, shape, trial, twins). The numbers may only fall.
const mostShortFunctions, mostShortOthers, mostShortOwn = 61, 163, 6

// shortNames lists the names of five letters or fewer that a file declares for its
// package, methods apart.
func shortNames(t *testing.T, name, text string) (functions, others []string) {
	file, err := parser.ParseFile(token.NewFileSet(), name, text, parser.SkipObjectResolution)
	require.NoError(t, err)
	add := func(to *[]string, id *ast.Ident) {
		if len(id.Name) <= 5 && id.Name != "_" {
			*to = append(*to, id.Name)
		}
	}
	for _, d := range file.Decls {
		if fn, ok := d.(*ast.FuncDecl); ok && fn.Recv == nil {
			add(&functions, fn.Name)
		}
		gen, ok := d.(*ast.GenDecl)
		if !ok {
			continue
		}
		for _, spec := range gen.Specs {
			switch spec := spec.(type) {
			case *ast.TypeSpec:
				add(&others, spec.Name)
			case *ast.ValueSpec:
				for _, id := range spec.Names {
					add(&others, id)
				}
			}
		}
	}
	return functions, others
}

// TestShortNames: a name of five letters or fewer is clear where it is used, and
// not by a word that another package uses for something else. Helpers of tests are left out.
func TestShortNames(t *testing.T) {
	var functions, others, own []string
	used := map[string]bool{}
	for name, text := range texts(t) {
		dir := path.Dir(name)
		if !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") || !strings.HasPrefix(name, "internal/") ||
			strings.HasSuffix(dir, "test") || dir == "internal/fact/want" {
			continue
		}
		short, rest := shortNames(t, name, text)
		for _, id := range short {
			if token.IsExported(id) {
				functions = append(functions, path.Base(dir)+"."+id)
				continue
			}
			used[id] = true
			assert.NotEmpty(t, clearAlone[id], "%s: func %s: a name that says what it does where it is called", name, id)
		}
		for _, id := range rest {
			used[id] = true
			switch {
			case token.IsExported(id):
				others = append(others, dir+"."+id)
			case clearAlone[id] == "":
				own = append(own, dir+"."+id)
			}
		}
	}
	for name := range clearAlone {
		assert.True(t, used[name], "nothing is called %s any more", name)
	}
	for _, c := range []struct {
		names []string
		most  int
	}{{functions, mostShortFunctions}, {others, mostShortOthers}, {own, mostShortOwn}} {
		slices.Sort(c.names)
		names := slices.Compact(c.names) // a kernel in two files, each for its processors
		assert.LessOrEqual(t, len(names), c.most, "short names: %s", names)
		t.Log(len(names), "of", c.most)
	}
}

// negated is "is no number" where English has "is not a number".
var negated = regexp.MustCompile(`\b(?:that|which|who|what|What) (?:is|are) no [a-zA-Z]+`)

// late is "the text behind the object" where English has "after": what stands behind
// something is hidden by it, or is its ground.
var late = regexp.MustCompile(`\b(?:text|texts|fields|bytes|byte|mark|address|entries|change|families|first|first one) behind\b`)

// literal is German in English words: "of before" where English has "previous", and
// "stands there" where it has "is listed" or "as written".
var literal = regexp.MustCompile(`\bof before\b|\bstands? there\b`)

// TestCommentsInPlainEnglish: comments say "that is not a number", not "that is no
// number", and what comes next stands "after" and not "behind"; messages too.
func TestCommentsInPlainEnglish(t *testing.T) {
	for name, text := range texts(t) {
		if !strings.HasSuffix(name, ".go") {
			continue
		}
		for line := range strings.Lines(text) {
			if !strings.Contains(line, " behind") {
				continue
			}
			for _, phrase := range late.FindAllString(line, -1) {
				t.Errorf("%s: %q: write \"after\"", name, phrase)
			}
		}
		for _, c := range commentsOf(name, text) {
			if !strings.Contains(c, " no ") && !strings.Contains(c, "stand") && !strings.Contains(c, "of before") {
				continue
			}
			for _, phrase := range literal.FindAllString(c, -1) {
				if name != "internal/tools/house/words_test.go" {
					t.Errorf("%s: %q: write what it means", name, phrase)
				}
			}
			for _, phrase := range negated.FindAllString(c, -1) {
				last := phrase[strings.LastIndex(phrase, " ")+1:]
				if !slices.Contains([]string{"longer", "more", "less", "better", "worse", "larger", "smaller"}, last) {
					t.Errorf("%s: %q: write \"not a\"", name, phrase)
				}
			}
		}
	}
}

// TestGlossary: each of the project's own words in ARCHITECTURE names a type that is
// declared, and the package's comments use the word.
func TestGlossary(t *testing.T) {
	all := texts(t)
	rows := regexp.MustCompile("(?m)^\\| ([a-z ]+) \\| [^|]+ \\| `([a-z]+)\\.(\\w+)` \\|$").FindAllStringSubmatch(all["ARCHITECTURE.md"], -1)
	require.Len(t, rows, 10)
	for _, row := range rows {
		word, dir, name := strings.TrimPrefix(row[1], "to "), "internal/"+row[2]+"/", row[3]
		declared, used := false, false
		for file, text := range all {
			if strings.HasPrefix(file, dir) && strings.HasSuffix(file, ".go") {
				declared = declared || strings.Contains(text, "\ntype "+name+" struct") || strings.Contains(text, "\ntype "+name+"[")
				used = used || slices.ContainsFunc(commentsOf(file, text), func(c string) bool { return strings.Contains(strings.ToLower(c), word) })
			}
		}
		assert.True(t, declared, "%s: no type %s in %s", row[1], name, dir)
		assert.True(t, used, "no comment of %s uses the word %s", dir, word)
	}
}
