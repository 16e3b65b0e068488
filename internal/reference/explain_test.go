package reference_test

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/memaudit/memaudit/internal/reference"
	"github.com/memaudit/memaudit/internal/report/printable"
	"github.com/memaudit/memaudit/internal/report/text"
	"github.com/memaudit/memaudit/internal/rulepack"
	"github.com/memaudit/memaudit/rules"
)

func explainer(t *testing.T) *reference.Explainer {
	t.Helper()
	packs, err := rulepack.LoadBuiltin(rules.FS)
	require.NoError(t, err)
	e, err := reference.NewExplainer(rules.FS, packs)
	require.NoError(t, err)
	return e
}

// Every rule, setting and platform has a page that names it, within 80 columns
// but for addresses, which stay whole.
func TestEveryWordIsExplained(t *testing.T) {
	e := explainer(t)
	words := e.Words()
	assert.Greater(t, len(words), 150)
	for _, word := range words {
		blocks := e.Explain(word, nil)
		require.NotEmpty(t, blocks, word)
		var out bytes.Buffer
		require.NoError(t, text.WriteBlocks(&out, blocks, text.Options{}))
		head, _, _ := strings.Cut(out.String(), "\n")
		assert.Contains(t, head, word)
		for line := range strings.Lines(out.String()) {
			line = strings.TrimSuffix(line, "\n")
			assert.Equal(t, strings.TrimRight(line, " "), line, word)
			if !strings.Contains(line, "://") {
				assert.LessOrEqual(t, printable.Columns(line), 80, "%s: %s", word, line)
			}
		}
	}
	assert.Nil(t, e.Explain("no.such.rule", nil))
	assert.Equal(t, e.Explain("smt", nil), e.Explain("setting.smt", nil), "a setting is found by its rule's id too")
}

// A topic explains something that exists, in a drawing that fits, and every rule about memory has one.
func TestTopics(t *testing.T) {
	topics, err := reference.Topics(rules.FS)
	require.NoError(t, err)
	e := explainer(t)
	for _, topic := range topics {
		assert.NotEmpty(t, topic.What)
		for line := range strings.Lines(topic.Drawing) {
			assert.LessOrEqual(t, len(strings.TrimSuffix(line, "\n")), 76, line)
		}
		for _, pattern := range topic.For {
			stem := strings.Trim(pattern, "*")
			assert.True(t, slices.ContainsFunc(e.Words(), func(w string) bool {
				return w == pattern || stem != pattern && strings.Contains(w, stem)
			}), pattern)
		}
	}
	for _, word := range e.Words() {
		if !strings.HasPrefix(word, "memory.") {
			continue
		}
		var out bytes.Buffer
		require.NoError(t, text.WriteBlocks(&out, e.Explain(word, nil), text.Options{Width: 400}))
		assert.True(t, slices.ContainsFunc(topics, func(topic reference.Topic) bool {
			return strings.Contains(out.String(), strings.TrimSpace(topic.What))
		}), "%s has no topic in rules/explain", word)
	}
}
