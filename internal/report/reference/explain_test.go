package reference_test

import (
	"bytes"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/memaudit/memaudit/internal/report"
	"github.com/memaudit/memaudit/internal/report/page"
	"github.com/memaudit/memaudit/internal/report/printable"
	"github.com/memaudit/memaudit/internal/report/reference"
	"github.com/memaudit/memaudit/internal/report/reporttest"
	"github.com/memaudit/memaudit/internal/report/text"
	"github.com/memaudit/memaudit/rules"
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

// explained returns the page of a word without a machine, created once for all tests.
func explained(t *testing.T, e *reference.Explainer, word string) []page.Block {
	t.Helper()
	blocks, ok := said[word]
	if !ok {
		blocks = explainedFor(t, e, word, nil)
		said[word] = blocks
	}
	return blocks
}

// explainedFor returns the page of a word for a machine.
func explainedFor(t *testing.T, e *reference.Explainer, word string, doc *report.Report) []page.Block {
	t.Helper()
	require.True(t, e.Knows(word), word)
	blocks, err := e.Explain(word, doc)
	require.NoError(t, err, word)
	return blocks
}

var said = map[string][]page.Block{}

// Every rule, setting, platform and term has a page that names it, within 80 columns except for addresses, which are
// not wrapped.
func TestEveryWordIsExplained(t *testing.T) {
	e := explainer(t)
	words := e.Words()
	assert.Greater(t, len(words), 150)
	for _, word := range words {
		blocks := explained(t, e, word)
		require.NotEmpty(t, blocks, word)
		var out bytes.Buffer
		require.NoError(t, text.WriteBlocks(&out, blocks, text.Options{}))
		head, _, _ := strings.Cut(out.String(), "\n")
		assert.Contains(t, strings.ToLower(head), word)
		for line := range strings.Lines(out.String()) {
			line = strings.TrimSuffix(line, "\n")
			assert.Equal(t, strings.TrimRight(line, " "), line, word)
			if !strings.Contains(line, "://") {
				assert.LessOrEqual(t, printable.Columns(line), 80, "%s: %s", word, line)
			}
		}
	}
	for _, word := range []string{"no.such.rule", "setting.memory.channel.populated", "setting."} {
		blocks, err := e.Explain(word, nil)
		require.NoError(t, err)
		assert.Nil(t, blocks)
		assert.False(t, e.Knows(word))
	}
	assert.Equal(t, explained(t, e, "smt"), explainedFor(t, e, "setting.smt", nil), "a setting is found by its rule's id too")
}

// A topic explains something that exists, in a drawing that fits; every rule and
// setting has one.
func TestTopics(t *testing.T) {
	topics, err := reference.Topics(rules.FS)
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
			assert.True(t, e.Knows(pattern) || slices.ContainsFunc(e.Words(), func(w string) bool {
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

// shape is what a page has of each part, "" for a part without a word in it.
func shape(blocks []page.Block) map[string]string {
	out, at := map[string]string{}, "about"
	for i := range blocks {
		b := &blocks[i]
		switch {
		case b.Head != nil && strings.HasPrefix(b.Head.Name, "For "): // within the part
		case b.Head != nil && b.Head.Level == 3:
			at = b.Head.Name
			out["order"] += at + "\n"
		case at == "about" && b.Example != "":
			out["drawing"] += b.Example
		case b.Table != nil:
			out[at] += fmt.Sprint(b.Table.Rows)
		default:
			out[at] += b.Text + b.Example
			for _, f := range b.Fields {
				out[at] += f.Value + "\n"
			}
		}
	}
	return out
}

// TestEveryPageHasEveryPart checks that every rule, setting and platform has a definition, a drawing, why it matters,
// how it is changed, and what this machine has; a setting and a platform also the measurements with their conditions
// and sources, or that there are none, and the documents.
func TestEveryPageHasEveryPart(t *testing.T) {
	e := explainer(t)
	inputs := reporttest.Inputs()
	doc := reporttest.Report(inputs["bad"])
	measured := 0
	for _, word := range e.Words() {
		for _, doc := range []*report.Report{nil, doc} {
			blocks := explained(t, e, word)
			if doc != nil {
				blocks = explainedFor(t, e, word, doc)
			}
			if blocks[0].Head.Kind == "word" {
				continue // a term has its meaning
			}
			have := shape(blocks)
			assert.Greater(t, len(strings.Fields(have["about"])), 15, "%s: what is it?", word)
			assert.NotEmpty(t, strings.TrimSpace(have["drawing"]), "%s: no drawing", word)
			order := have["order"]
			for _, name := range parts(word) {
				assert.Greater(t, len(strings.TrimSpace(have[name])), 5, "%s: %s", word, name)
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
				assert.Contains(t, have["This machine"], "none was named")
			} else {
				assert.NotContains(t, have["This machine"], "none was named")
			}
		}
	}
	assert.Greater(t, measured, 100)
}
