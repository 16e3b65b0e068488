package reference

import (
	"slices"

	"github.com/memaudit/memaudit/internal/report/page"
)

// topic is the first topic that explains a word, nil where there is none.
func (e *Explainer) topic(word string) *Topic {
	i := slices.IndexFunc(e.topics, func(t Topic) bool { return t.names(word) })
	if i < 0 {
		return nil
	}
	return &e.topics[i]
}

// about is what a word means, with its drawing.
func (e *Explainer) about(word, title string) []page.Block {
	out := []page.Block{{Text: title}}
	t := e.topic(word)
	if t == nil {
		return out
	}
	return append(out, page.Block{Text: t.What}, page.Block{Example: t.Drawing})
}

// measured adds what a word's topic says was measured to the effects of its rules
// or profiles.
func (e *Explainer) measured(word string, effects []page.Field) []page.Block {
	if t := e.topic(word); t != nil {
		for i := range t.Measured {
			m := &t.Measured[i]
			effects = append(effects, page.Field{Name: "-", Value: m.Text + " [" + m.Source.Line() + "]"})
		}
	}
	return effectsPart(effects)
}

// effectsPart says what was measured, or that nothing was.
func effectsPart(effects []page.Field) []page.Block {
	if len(effects) == 0 {
		effects = []page.Field{{Name: "-", Value: "no document on record measured what it costs"}}
	}
	return []page.Block{partHeading("Measured effects"), {Fields: effects, Indent: 2}}
}
