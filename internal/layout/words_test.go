package layout_test

import (
	"go/token"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
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
				slices.ContainsFunc(comment.FindAllString(text, -1), func(c string) bool { return strings.Contains(c, page) })
		}
		assert.True(t, cited, "no comment in %s names %s", owner, page)
	}
}

// shortFunction is a function of five letters or fewer, methods apart.
var shortFunction = regexp.MustCompile(`(?m)^func ([A-Za-z]\w{0,4})[\[(]`)

// clearAlone are short names of functions that are not exported and say without their
// package what they do. A name that is not here needs a longer one.
var clearAlone = map[string]string{
	"main":  "Go's own",
	"anyIn": "any of a list is in a set",
	"attr":  "an XML or HTML attribute, the usual short form",
	"dayOf": "a time's day",
	"inMiB": "a number in MiB",
	"isDir": "a predicate", "isTar": "a predicate", "isROM": "a predicate", "isHPE": "a predicate", "isX86": "a predicate",
	"known": "a reading whose state is the word known",
	"mbind": "the system call",
	"noMSR": "no model-specific register, with the reason",
	"onBar": "a share's place on the drawn bar",
	"pairs": "a YAML mapping's keys with their values",
	"slug":  "the usual word for a name in small letters, digits and hyphens",
	"triad": "STREAM's kernel",
	"try":   "one change of internal/tools/gomutate",
}

// mostShortExported bounds short exported names, which stand behind their package's
// ("prose.GiB", "smbios.Parse"); the number may only fall.
const mostShortExported = 70

// TestShortNames: a function of five letters or fewer is clear where it is called, and
// not by a word that another package uses for something else. Helpers of tests are left out.
func TestShortNames(t *testing.T) {
	var exported []string
	used := map[string]bool{}
	for name, text := range texts(t) {
		dir := path.Dir(name)
		if !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") || !strings.HasPrefix(name, "internal/") ||
			strings.HasSuffix(dir, "test") || dir == "internal/fact/want" {
			continue
		}
		for _, m := range shortFunction.FindAllStringSubmatch(text, -1) {
			if token.IsExported(m[1]) {
				exported = append(exported, path.Base(dir)+"."+m[1])
				continue
			}
			used[m[1]] = true
			assert.NotEmpty(t, clearAlone[m[1]], "%s: func %s: a name that says what it does where it is called", name, m[1])
		}
	}
	for name := range clearAlone {
		assert.True(t, used[name], "no function is called %s any more", name)
	}
	slices.Sort(exported)
	exported = slices.Compact(exported) // a kernel in two files, each for its processors
	assert.LessOrEqual(t, len(exported), mostShortExported, "short exported names: %s", exported)
}

// negated is "is no number" where English has "is not a number".
var negated = regexp.MustCompile(`\b(?:that|which|who|what|What) (?:is|are) no [a-zA-Z]+`)

// late is "the text behind the object" where English has "after": what stands behind
// something is hidden by it, or is its ground.
var late = regexp.MustCompile(`\b(?:text|texts|fields|bytes|byte|mark|address|entries|change|families|first|first one) behind\b`)

// TestCommentsInPlainEnglish: comments say "that is not a number", not "that is no
// number", and what comes next stands "after" and not "behind"; messages too.
func TestCommentsInPlainEnglish(t *testing.T) {
	for name, text := range texts(t) {
		if !strings.HasSuffix(name, ".go") {
			continue
		}
		for _, phrase := range late.FindAllString(text, -1) {
			t.Errorf("%s: %q: write \"after\"", name, phrase)
		}
		for _, c := range comment.FindAllString(text, -1) {
			for _, phrase := range negated.FindAllString(c, -1) {
				last := phrase[strings.LastIndex(phrase, " ")+1:]
				if !slices.Contains([]string{"longer", "more", "less", "better", "worse", "larger", "smaller"}, last) {
					t.Errorf("%s: %q: write \"not a\"", name, phrase)
				}
			}
		}
	}
}
