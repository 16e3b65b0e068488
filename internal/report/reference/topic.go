package reference

import (
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"memaudit.example/memaudit/internal/audit/verdict"
)

// topicsFile describes what rules and settings are about, with drawings.
const topicsFile = "explain/topics.yaml"

// Topic is an introduction to some words.
type Topic struct {
	// For are the ids that it explains; * at the end matches anything.
	For     []string `yaml:"for"`
	What    string   `yaml:"what"`
	Drawing string   `yaml:"drawing"`
	// Why is why a setting matters; rules have their own.
	Why string `yaml:"why"`
	// Measured are documented measurements, with their conditions.
	Measured []Measured `yaml:"measured"`
}

// Measured is one effect that a document measured.
type Measured struct {
	Text string `yaml:"text"`
	// Rows are the rows of the table of measured effects that Text is based on.
	Rows   []string         `yaml:"rows"`
	Source verdict.Citation `yaml:"source"`
}

// Topics reads the topics of the knowledge.
func Topics(k fs.FS) ([]Topic, error) {
	raw, err := fs.ReadFile(k, topicsFile)
	if err != nil {
		return nil, fmt.Errorf("read the topics: %w", err)
	}
	var file struct {
		Topics []Topic `yaml:"topics"`
	}
	if err := yaml.Unmarshal(raw, &file); err != nil {
		return nil, fmt.Errorf("read %s: %w", topicsFile, err)
	}
	return file.Topics, nil
}

func (t *Topic) names(word string) bool {
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

func (e *Explainer) topic(word string) *Topic {
	i := slices.IndexFunc(e.topics, func(t Topic) bool { return t.names(word) })
	if i < 0 {
		return nil
	}
	return &e.topics[i]
}

// measuredOf returns documented measurements of a word's topic, each with its document.
func (e *Explainer) measuredOf(word string) []string {
	var out []string
	if t := e.topic(word); t != nil {
		for i := range t.Measured {
			out = append(out, t.Measured[i].Text+" ["+t.Measured[i].Source.Line()+"]")
		}
	}
	return out
}
