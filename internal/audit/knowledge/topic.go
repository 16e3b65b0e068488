package knowledge

import (
	"fmt"
	"io/fs"

	"memaudit.example/memaudit/internal/audit/verdict"
	"memaudit.example/memaudit/internal/model/datafile"
)

// topics describes what rules and settings are about, with drawings.
const topics = "explain/topics.yaml"

type topicFile struct {
	Topics []Topic `yaml:"topics"`
	// Documents are anchors of documents that several topics name.
	Documents []verdict.Citation `yaml:"documents"`
}

// Topic is an introduction to some words.
type Topic struct {
	// For are the ids that it explains; * at an end matches anything.
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

// ReadTopics reads the topics of the knowledge.
func ReadTopics(k fs.FS) ([]Topic, error) {
	raw, err := fs.ReadFile(k, topics)
	if err != nil {
		return nil, fmt.Errorf("read the topics: %w", err)
	}
	var file topicFile
	if err := datafile.Decode(raw, &file); err != nil {
		return nil, fmt.Errorf("read %s: %w", topics, err)
	}
	return file.Topics, nil
}

func validateTopics(f *datafile.File) {
	var file topicFile
	at := f.Place(0)
	if at.Require("topics"); !f.Decode(0, &file) {
		return
	}
	for i := range file.Topics {
		topic := at.Key("topics").Item(i)
		topic.Require("for", "what", "drawing")
		for j := range file.Topics[i].Measured {
			measured := topic.Key("measured").Item(j)
			measured.Require("text", "rows", "source")
			measured.Key("source").Require("vendor", "title", "place")
		}
	}
}
