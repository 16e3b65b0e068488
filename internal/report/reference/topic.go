package reference

import (
	"slices"
	"strings"

	"memaudit.example/memaudit/internal/audit/knowledge"
)

func names(t *knowledge.Topic, word string) bool {
	return slices.ContainsFunc(t.For, func(pattern string) bool {
		head, behind := strings.CutPrefix(pattern, "*")
		stem, before := strings.CutSuffix(head, "*")
		switch {
		case behind && before:
			return strings.Contains(word, stem)
		case before:
			return strings.HasPrefix(word, stem)
		case behind:
			return strings.HasSuffix(word, stem)
		default:
			return word == pattern
		}
	})
}

func (e *Explainer) topic(word string) *knowledge.Topic {
	i := slices.IndexFunc(e.topics, func(t knowledge.Topic) bool { return names(&t, word) })
	if i < 0 {
		return nil
	}
	return &e.topics[i]
}

func (e *Explainer) measuredOf(word string) []string {
	var out []string
	if t := e.topic(word); t != nil {
		for i := range t.Measured {
			out = append(out, t.Measured[i].Text+" ["+t.Measured[i].Source.Line()+"]")
		}
	}
	return out
}
