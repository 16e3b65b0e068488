// Package eventlog holds what the entries of a BMC's event log say of memory, from the files of rules/events.
package eventlog

import (
	"io/fs"
	"regexp"
	"slices"
	"strings"
	"sync"

	"memaudit.example/memaudit/internal/model/datafile"
	"memaudit.example/memaudit/internal/model/settings"
	"memaudit.example/memaudit/rules"
)

// Says is what an entry says of the module.
type Says string

// The words, described in rules/events/messages.yaml.
const (
	Corrected   Says = "corrected"
	Threshold   Says = "threshold"
	Limit       Says = "limit"
	Uncorrected Says = "uncorrected"
	Repaired    Says = "repaired"
	Failed      Says = "failed"
)

// Values lists the words.
func (Says) Values() []Says {
	return []Says{Corrected, Threshold, Limit, Uncorrected, Repaired, Failed}
}

type file struct {
	Schema   int                        `yaml:"schema"`
	Sources  map[string]settings.Source `yaml:"sources"`
	Messages []message                  `yaml:"messages"`
	Places   []slotName                 `yaml:"places"`
}

type message struct {
	ID     string `yaml:"id,omitempty"`
	Code   string `yaml:"code,omitempty"`
	Text   string `yaml:"text,omitempty"`
	Says   Says   `yaml:"says"`
	Source string `yaml:"source"`

	id, code, text *regexp.Regexp
}

type slotName struct {
	Match string `yaml:"match"`
	Name  string `yaml:"name"`

	match *regexp.Regexp
}

// Entry holds the properties of a log's entry that tell what it is about (DSP0268 LogEntry).
type Entry struct {
	// IDs are MessageId, EventId and the maker's own, EntryCode the IPMI event of a sensor of type Memory.
	IDs             []string
	EntryCode, Text string
}

// Find returns what an entry says of memory, and the slot that its text names: "" for none, several with " or ". It is
// false for an entry about anything else.
func (e *Entry) Find() (says Says, place string, ok bool) {
	t := table()
	i := slices.IndexFunc(t.Messages, func(m message) bool { return m.matches(e) })
	if i < 0 {
		return "", "", false
	}
	return t.Messages[i].Says, t.findPlace(e.Text), true
}

func (m *message) matches(e *Entry) bool {
	switch {
	case m.id != nil:
		return slices.ContainsFunc(e.IDs, func(id string) bool {
			return m.id.MatchString(id[strings.LastIndex(id, ".")+1:]) // IDRAC.2.8.MEM0001
		})
	case m.code != nil:
		return m.code.MatchString(e.EntryCode)
	default:
		return m.text.MatchString(e.Text)
	}
}

// maxPlaces is the number of slots that one message is read for.
const maxPlaces = 8

func (f *file) findPlace(text string) string {
	for i := range f.Places {
		var names []string
		for _, m := range f.Places[i].match.FindAllStringSubmatchIndex(text, maxPlaces) {
			name := string(f.Places[i].match.ExpandString(nil, f.Places[i].Name, text, m))
			if !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
		if names != nil {
			return strings.Join(names, " or ")
		}
	}
	return ""
}

// table is read when a log is: few machines have one.
var table = sync.OnceValue(func() *file {
	raw, err := fs.ReadFile(rules.FS, "events/messages.yaml")
	if err != nil {
		panic(err)
	}
	f, out := datafile.Parse("events/messages.yaml", raw), &file{}
	if out.read(f); len(f.Faults) > 0 {
		panic(f.Faults)
	}
	return out
})

// Validate checks a file: expressions compile, words and sources are known.
func Validate(f *datafile.File) { new(file).read(f) }

func (f *file) read(from *datafile.File) {
	at := from.Place(0)
	if at.Require("schema", "sources", "messages", "places"); !from.Decode(0, f) {
		return
	}
	at.Key("schema").OneOf("1")
	for key := range f.Sources {
		at.Key("sources").Key(key).Require("vendor", "title", "place")
	}
	for i := range f.Messages {
		m, message := &f.Messages[i], at.Key("messages").Item(i)
		message.Require("says", "source")
		message.Key("says").OneOf(words...)
		if _, listed := f.Sources[m.Source]; !listed {
			message.Key("source").RecordFault("source %s is not listed under sources", m.Source)
		}
		m.id, m.code, m.text = expression(message, "id", m.ID, "^(?i:", ")$"), expression(message, "code", m.Code, "(?i)", ""), expression(message, "text", m.Text, "(?i)", "")
		if m.id == nil && m.code == nil && m.text == nil {
			message.RecordFault("expected one of id, code and text")
		}
	}
	for i := range f.Places {
		p, place := &f.Places[i], at.Key("places").Item(i)
		place.Require("match", "name")
		p.match = expression(place, "match", p.Match, "(?i)", "")
	}
}

var words = func() (out []string) {
	for _, w := range Says("").Values() {
		out = append(out, string(w))
	}
	return out
}()

// expression compiles the expression of a key, nil without one.
func expression(at datafile.Place, key, text, before, after string) *regexp.Regexp {
	if text == "" {
		return nil
	}
	re, err := regexp.Compile(before + text + after)
	if err != nil {
		at.Key(key).RecordFault("%v", err)
	}
	return re
}
