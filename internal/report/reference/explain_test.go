package reference_test

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"memaudit.example/memaudit/internal/audit/knowledge"
	"memaudit.example/memaudit/internal/report"
	"memaudit.example/memaudit/internal/report/printable"
	"memaudit.example/memaudit/internal/report/reference"
	"memaudit.example/memaudit/internal/report/text"
	"memaudit.example/memaudit/internal/tools/reporttest"
	"memaudit.example/memaudit/rules"
)

// builtin explains the built-in knowledge to all tests.
var builtin = sync.OnceValues(func() (*reference.Explainer, error) {
	packs, err := reference.BuiltinPacks()
	if err != nil {
		return nil, err
	}
	return reference.NewExplainer(rules.FS, packs)
})

func explainer(t *testing.T) *reference.Explainer {
	t.Helper()
	e, err := builtin()
	require.NoError(t, err)
	return e
}

// explained returns the page of a word as it is printed, and its parts; nil for a word without a page.
func explained(t *testing.T, e *reference.Explainer, word string, doc *report.Report) *outline {
	t.Helper()
	o := &outline{Page: text.NewPage(text.Options{}), at: "about", parts: map[string]string{}}
	require.NoError(t, e.Explain(o, word, doc, true), word)
	if o.kind == "" && len(o.parts) == 0 {
		return nil
	}
	require.NoError(t, o.Write(&o.printed))
	return o
}

// outline records what a page has of each part, "" for a part without a word in it.
type outline struct {
	*text.Page
	printed  strings.Builder
	at, kind string
	parts    map[string]string
}

func (o *outline) Head(level int, kind, name string) {
	o.Page.Head(level, kind, name)
	switch {
	case level == 2:
		o.kind = kind
	case !strings.HasPrefix(name, "For "): // which is within the part
		o.at = name
		o.parts["order"] += name + "\n"
	}
}

func (o *outline) Text(s string) { o.Page.Text(s); o.parts[o.at] += s }

func (o *outline) Field(indent int, name, value string, code bool) {
	o.Page.Field(indent, name, value, code)
	o.parts[o.at] += value + "\n"
}

func (o *outline) Table(heads []string, rows [][]string) {
	o.Page.Table(heads, rows)
	o.parts[o.at] += fmt.Sprint(rows)
}

func (o *outline) Example(s string) {
	o.Page.Example(s)
	if o.at == "about" {
		o.parts["drawing"] += s
	} else {
		o.parts[o.at] += s
	}
}

// Every rule, setting, platform and term has a page that names it, within 80 columns except for addresses, which are
// not wrapped.
func TestEveryWordIsExplained(t *testing.T) {
	e := explainer(t)
	words := e.KnownWords()
	assert.Greater(t, len(words), 150)
	for _, word := range words {
		require.True(t, e.Knows(word), word)
		out := explained(t, e, word, nil).printed.String()
		head, _, _ := strings.Cut(out, "\n\n")
		assert.Contains(t, strings.ToLower(strings.Join(strings.Fields(head), " ")), word)
		for line := range strings.Lines(out) {
			line = strings.TrimSuffix(line, "\n")
			assert.Equal(t, strings.TrimRight(line, " "), line, word)
			if !strings.Contains(line, "://") {
				assert.LessOrEqual(t, printable.Columns(line), 80, "%s: %s", word, line)
			}
		}
	}
	for _, word := range []string{"Operating Mode", "Patrol Scrubbing", "MWAIT", "Hyperthreading Technology", "transparent huge pages",
		"xGMI Link Width Control", "P-State Control", "Early Snoop", "CCX as NUMA", "PCIe Ten Bit Tag Support", "Logical Processors", "RelaxedOrdering_006D"} { // of menus and documentation
		assert.True(t, e.Knows(word), word)
	}
	for _, word := range []string{"no.such.rule", "setting.memory.channel.populated", "setting."} {
		assert.Nil(t, explained(t, e, word, nil))
		assert.False(t, e.Knows(word))
	}
	assert.Equal(t, explained(t, e, "smt", nil).printed.String(), explained(t, e, "setting.smt", nil).printed.String(), "a setting is found by its rule's id too")
}

// A topic explains something that exists, in a drawing that fits; every rule and
// setting has one.
func TestTopics(t *testing.T) {
	topics, err := knowledge.ReadTopics(rules.FS)
	require.NoError(t, err)
	e := explainer(t)
	for _, topic := range topics {
		assert.NotEmpty(t, topic.What)
		assert.NotEmpty(t, topic.Drawing, topic.What)
		for line := range strings.Lines(topic.Drawing) {
			assert.LessOrEqual(t, len(strings.TrimSuffix(line, "\n")), 76, line)
		}
		for _, m := range topic.Measured {
			assert.NotEmpty(t, m.Source.Vendor, m.Text)
			assert.NotEmpty(t, m.Source.Place, m.Text)
			assert.Contains(t, m.Text, "(", "under which conditions?")
			assert.NotEmpty(t, m.Rows, m.Text)
		}
		for _, pattern := range topic.For {
			stem := strings.Trim(pattern, "*")
			assert.True(t, e.Knows(pattern) || slices.ContainsFunc(e.KnownWords(), func(w string) bool {
				return stem != pattern && strings.Contains(w, stem)
			}), pattern)
		}
	}
}

// parts are the parts of every page, in this order, after the definition and its drawing.
func parts(word string) []string {
	if strings.Contains(word, ".") {
		return []string{"Why it matters", "How to fix it", "This machine", "Rules"}
	}
	return []string{"Why it matters", "Measured effects", "This machine", "How to change it", "Documents"}
}

// cited is the end of a line of figures: whose they are.
var cited = regexp.MustCompile(`\[[^]]+, [^]]+\]( \[[^]]+\])?$`)

// TestEveryPageHasEveryPart checks that every rule, setting and platform has a definition, a drawing, why it matters,
// how it is changed, and what this machine has; a setting and a platform also the measurements with their conditions
// and sources, or that there are none, and the documents.
func TestEveryPageHasEveryPart(t *testing.T) {
	e := explainer(t)
	doc := reporttest.Report(reporttest.Bad(t))
	measured := 0
	for _, word := range e.KnownWords() {
		for _, doc := range []*report.Report{nil, doc} {
			page := explained(t, e, word, doc)
			if page.kind == "word" {
				continue // a term has its meaning
			}
			have := page.parts
			assert.Greater(t, len(strings.Fields(have["about"])), 15, "%s: what is it?", word)
			assert.NotEmpty(t, strings.TrimSpace(have["drawing"]), "%s: no drawing", word)
			order := have["order"]
			for _, name := range parts(word) {
				assert.Greater(t, len(strings.TrimSpace(have[name])), 3, "%s: %s", word, name)
				_, after, ok := strings.Cut(order, name+"\n")
				assert.True(t, ok, "%s: %q is missing or out of order in %q", word, name, have["order"])
				order = after
			}
			for line := range strings.Lines(have["Measured effects"]) {
				if line = strings.TrimSpace(line); line != "no document on record measured what it costs" {
					assert.Regexp(t, cited, line, "%s: whose figures?", word)
					measured++
				}
			}
			if doc == nil {
				assert.Contains(t, have["This machine"], "no machine given")
			} else {
				assert.NotContains(t, have["This machine"], "no machine given")
			}
		}
	}
	assert.Greater(t, measured, 100)
}
