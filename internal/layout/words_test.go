package layout_test

import (
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

// function is a function of a package that is not exported and has a short name.
var function = regexp.MustCompile(`(?m)^func ([a-z]\w{0,4})[\[(]`)

// shortNames are short names that stand in several packages and mean something else
// in each. The list may only become shorter.
var shortNames = map[string][]string{
	"alike": {"collect", "facts", "plan"},
	"join":  {"collect", "facts", "plan"},
	"list":  {"bios", "facts", "report"},
	"named": {"patch", "place"},
	"names": {"plan", "settings"},
	"of":    {"collect", "facts"},
	"rank":  {"place", "platform"},
	"text":  {"collect", "place"},
	"truth": {"plan", "report"},
	"word":  {"collect", "report"},
	"words": {"facts", "settings"},
}

// oneMeaning are short names that mean the same wherever they stand.
var oneMeaning = []string{"main", "init", "attr", "guest", "idsOf", "known", "sum", "upTo"}

// TestShortNamesMeanOneThing: a function of five letters or fewer is named for what
// it does and not by a word that another package uses for something else.
func TestShortNamesMeanOneThing(t *testing.T) {
	packages := map[string][]string{}
	for name, text := range texts(t) {
		if !strings.HasSuffix(name, ".go") || !strings.HasPrefix(name, "internal/") {
			continue
		}
		dir := strings.TrimPrefix(path.Dir(name), "internal/")
		for _, m := range function.FindAllStringSubmatch(text, -1) {
			if !slices.Contains(oneMeaning, m[1]) && !slices.Contains(packages[m[1]], dir) {
				packages[m[1]] = append(packages[m[1]], dir)
			}
		}
	}
	for name, in := range packages {
		slices.Sort(in)
		if len(in) < 2 {
			delete(packages, name)
		}
	}
	assert.Equal(t, shortNames, packages, "name each function for what it does; take from the list what is no longer so")
}

// negated is "is no number" where English has "is not a number".
var negated = regexp.MustCompile(`\b(?:that|which|who|what|What) (?:is|are) no [a-zA-Z]+`)

// TestCommentsInPlainEnglish: comments say "that is not a number", not "that is no number".
func TestCommentsInPlainEnglish(t *testing.T) {
	for name, text := range texts(t) {
		if !strings.HasSuffix(name, ".go") {
			continue
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
