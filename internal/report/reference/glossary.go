package reference

import (
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"memaudit.example/memaudit/internal/audit/knowledge"
)

// glossaryFile has the words of docs/glossary.md, which explain knows, too.
const glossaryFile = "explain/glossary.tsv"

type term struct {
	names   []string
	meaning string
}

func glossary(k fs.FS) ([]term, error) {
	raw, err := fs.ReadFile(k, glossaryFile)
	if err != nil {
		return nil, fmt.Errorf("read the glossary: %w", err)
	}
	var out []term
	for line := range strings.Lines(string(raw)) {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		names, meaning, ok := strings.Cut(line, "\t")
		if !ok {
			return nil, fmt.Errorf("read %s: %q: expected a word, a tab and its meaning", glossaryFile, line)
		}
		out = append(out, term{strings.Split(names, ", "), meaning})
	}
	return out, nil
}

// termsOf lists the terms that a word refers to, ignoring case: only the one of this name if there is one, otherwise those of
// whose first name it is a part ("numa" of "NUMA node").
func (e *Explainer) termsOf(word string) []term {
	var out []term
	same := func(name string) bool { return strings.EqualFold(name, word) }
	for _, t := range e.terms {
		if slices.ContainsFunc(t.names, same) {
			return []term{t}
		}
		if slices.ContainsFunc(strings.Fields(t.names[0]), same) {
			out = append(out, t)
		}
	}
	return out
}

// termPage is the data of the page about a term, with the rules, settings and platforms that have the word in their names.
func (e *Explainer) termPage(t *term, asked string) map[string]any {
	var topic *knowledge.Topic
	for _, name := range t.names {
		if topic = e.topic(name); topic != nil {
			break
		}
	}
	var also []string
	for _, id := range e.ids() {
		if slices.Contains(strings.FieldsFunc(id, func(r rune) bool { return r == '.' || r == '_' || r == '-' }), strings.ToLower(asked)) {
			also = append(also, id)
		}
	}
	return map[string]any{"Names": t.names, "Meaning": strings.ReplaceAll(t.meaning, "`", ""), "Topic": topic, "Also": also}
}

// Glossary returns the page docs/glossary.md.
func Glossary(k fs.FS) (string, error) {
	terms, err := glossary(k)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	b.WriteString("# Glossary\n\nMade by `go generate ./...` from rules/" + glossaryFile + "; `memaudit explain WORD` prints the same.\n\n| word | meaning |\n| --- | --- |\n")
	for _, t := range terms {
		fmt.Fprintf(&b, "| %s | %s |\n", strings.Join(t.names, ", "), t.meaning)
	}
	return b.String(), nil
}

func names(t *knowledge.Topic, word string) bool {
	return slices.ContainsFunc(t.For, func(pattern string) bool {
		match, _ := path.Match(pattern, word)
		return match
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
