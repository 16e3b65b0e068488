package humanize

import (
	"regexp"
	"strconv"
	"strings"
	"sync"

	"memaudit.example/memaudit/internal/model/lazy"
)

// yamlWords replaces Go types in the YAML reader's errors with terms that a user of the file knows.
var yamlWords = sync.OnceValue(func() []yamlWord {
	var out []yamlWord
	for _, r := range [][2]string{
		{`field (\S+) already set in type \S+`, "key $1 is listed twice"},
		{`cannot unmarshal !!map into \[\]string`, "a mapping where a list was expected"},
		{`cannot unmarshal !!(map|seq) into string`, "more than one text where a text was expected"},
		{`did not find expected key`, "neither a key nor part of the value before it: look at quotes and indentation, here or below"},
		{`did not find expected '-' indicator`, "a list with a line that neither begins with - nor is indented below one that does: look at indentation, here or below"},
		{`did not find expected ',' or '([\]}])'`, "a comma or $1 is missing, here or below"},
		{`did not find expected node content`, "a value is missing, here or below"},
		{`(mapping values are not allowed)( in this context)?`, "$1 here: put a text with a colon in quotes"},
		{`(found a tab character that violates indentation)`, "$1, here or below: indent with spaces"},
	} {
		out = append(out, yamlWord{regexp.MustCompile(r[0]), r[1]})
	}
	return out
})

type yamlWord struct {
	pattern *regexp.Regexp
	word    string
}

var yamlLine = lazy.Pattern(`^line (\d+): `)

// yamlParser finds the errors that the reader places one line too early: it counts
// those of its parser from zero, those of its scanner from one.
var yamlParser = lazy.Pattern(`did not find expected (key|node content|<document start>|'-' indicator|',' or)`)

// YAMLError returns the line of an error of the YAML reader, 0 if it has none, and its text in terms of the file.
func YAMLError(err string) (line int, text string) {
	text = strings.TrimPrefix(strings.TrimPrefix(strings.Join(strings.Fields(err), " "), "yaml: "), "unmarshal errors: ")
	if m := yamlLine().FindStringSubmatch(text); m != nil {
		line, _ = strconv.Atoi(m[1])
		text = text[len(m[0]):]
		if yamlParser().MatchString(text) {
			line++
		}
	}
	for _, r := range yamlWords() {
		text = r.pattern.ReplaceAllString(text, r.word)
	}
	return line, text
}
