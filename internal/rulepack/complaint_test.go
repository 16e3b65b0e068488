package rulepack_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/memaudit/memaudit/internal/rulepack"
)

// TestComplaintsCarryPlaces: every complaint names file, line and column.
func TestComplaintsCarryPlaces(t *testing.T) {
	src := `rules:
  - id: site.memory.size
    title: enough memory
    subjekt: machine
`
	_, faults := rulepack.ParsePack("site.yaml", []byte(src))
	require.Len(t, faults, 1)
	assert.Equal(t, 4, faults[0].Line)
	assert.Equal(t, 5, faults[0].Column)
	assert.Contains(t, faults[0].Text, `unknown key "subjekt"`)

	src = `rules:
  - id: site.memory.size
    title: enough memory
    check: memory.installed_byte > 5
    severity: info
    why: because
    citation: {vendor: us, title: our rules}
    cases: []
`
	p, faults := rulepack.ParsePack("site.yaml", []byte(src))
	require.Empty(t, faults)
	out := p.Validate()
	require.NotEmpty(t, out)
	assert.Equal(t, "site.yaml:4:18: check: undefined field 'installed_byte', expected a fact of rules/facts.md", out[0].String())
	assert.Contains(t, out.Error(), "no case that expects pass")
}

// TestMarksFitThePicture: a mark belongs to a socket, is short, and has no braces
// but those of the empty channels.
func TestMarksFitThePicture(t *testing.T) {
	for _, c := range []struct{ name, subject, mark, says string }{
		{name: "words", subject: "socket", mark: "no memory"},
		{name: "the channels without a DIMM", subject: "socket", mark: "'{empty_channels}'"},
		{name: "another subject", subject: "machine", mark: "no memory", says: "site.yaml:5:11: rule site.a.b: a mark stands below a socket's picture, and the subject is machine"},
		{name: "too long", subject: "socket", mark: "words that nobody can put below the picture of one socket", says: "site.yaml:5:11: rule site.a.b: a mark of 57 letters, at most 40 fit"},
		{name: "other braces", subject: "socket", mark: "'{slots} empty'", says: `site.yaml:5:11: rule site.a.b: mark "{slots} empty", the only braces known are {empty_channels}`},
	} {
		src := "rules:\n  - id: site.a.b\n    title: t\n    subject: " + c.subject + "\n    mark: " + c.mark + "\n    check: memory.installed_bytes > 5\n    severity: info\n    why: w\n    uncited: true\n    cases: []\n"
		p, faults := rulepack.ParsePack("site.yaml", []byte(src))
		require.Empty(t, faults, c.name)
		var marks []string
		for _, f := range p.Validate() {
			if strings.Contains(f.Text, "mark") {
				marks = append(marks, f.String())
			}
		}
		if c.says == "" {
			assert.Empty(t, marks, c.name)
		} else {
			assert.Equal(t, []string{c.says}, marks, c.name)
		}
	}
}

// TestPlanningAndCitations: what a rule is to a plan and what it may cite are words
// that mean something.
func TestPlanningAndCitations(t *testing.T) {
	for _, c := range []struct{ name, lines, says string }{
		{name: "nothing said", lines: ""},
		{name: "layout with what goes with it", lines: "    planning: [layout, order, purchase, permits]\n"},
		{name: "another word", lines: "    planning: [layuot]\n", says: `"layuot" is not a word of planning`},
		{name: "order without layout", lines: "    planning: [running, order]\n", says: "planning order goes with layout only"},
		{name: "two kinds", lines: "    planning: [layout, running]\n", says: "planning is one of layout, running and modules"},
		{name: "a topic", lines: "    cite_sources: [channels, speed]\n"},
		{name: "no topic", lines: "    cite_sources: [colours]\n", says: `"colours" is not a topic`},
		{name: "a standard", lines: "    citation: {vendor: DMTF, title: DSP0134, authority: standard}\n"},
		{name: "a class's cost", lines: "    effect: {text: t, source: s, beside: class}\n"},
		{name: "beside what is not drawn", lines: "    effect: {text: t, source: s, beside: clock}\n", says: `an effect stands beside "clock", expected class or nothing`},
		{name: "no authority", lines: "    citation: {vendor: DMTF, title: DSP0134, authority: maker}\n", says: `authority "maker" is neither standard nor third`},
	} {
		src := "rules:\n  - id: site.a.b\n    title: t\n    subject: machine\n    check: memory.installed_bytes > 5\n    severity: info\n    why: w\n    uncited: true\n" +
			c.lines + "    cases: []\n"
		p, faults := rulepack.ParsePack("site.yaml", []byte(src))
		require.Empty(t, faults, c.name)
		said := ""
		for _, f := range p.Validate() {
			if strings.Contains(f.Text, "planning") || strings.Contains(f.Text, "topic") || strings.Contains(f.Text, "authority") || strings.Contains(f.Text, "beside") {
				said += f.Text
			}
		}
		if c.says == "" {
			assert.Empty(t, said, c.name)
			continue
		}
		assert.Contains(t, said, c.says, c.name)
	}
}
