package rulepack

import (
	"fmt"
	"io/fs"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/memaudit/memaudit/internal/model/settings"
)

// presetReader loads the values of the presets that profiles name; a table that several name is read once.
type presetReader struct {
	fsys   fs.FS
	tables map[string]*settings.Table
}

func newPresetReader(fsys fs.FS) *presetReader {
	return &presetReader{fsys: fsys, tables: map[string]*settings.Table{}}
}

// table reads a vendor's table of settings.
func (r *presetReader) table(name string) (*settings.Table, error) {
	if t := r.tables[name]; t != nil {
		return t, nil
	}
	t, err := settings.OpenTable(r.fsys, name)
	r.tables[name] = t
	return t, err
}

// fill sets the value of every row that leaves it to a preset to what the vendor's table says that the preset
// writes. The table is the only place for it: a row that repeats it is an error.
func (r *presetReader) fill(p *Pack) Complaints {
	var out Complaints
	for _, q := range p.Profiles {
		words, fault := r.words(q)
		if fault != "" {
			out = out.add(complaintAt(p.File, keyOrRule(q.node, "written_by"), fmt.Sprintf("profile %s: %s", q.ID, fault)))
			continue
		}
		table := valueOfKey(q.node, "settings")
		for i := range q.Settings {
			w := &q.Settings[i]
			if n, fault := w.fill(words[w.ID], keyOrRule(table, w.ID)); fault != "" {
				out = out.add(complaintAt(p.File, n, fmt.Sprintf("profile %s: %s", q.ID, fault)))
			}
		}
	}
	return out
}

// words returns those of the preset that a profile names; none if it names none.
func (r *presetReader) words(q *ProfileSpec) (words map[string]string, fault string) {
	if q.WrittenBy == nil {
		return nil, ""
	}
	preset := q.WrittenBy.Preset
	if preset == "" {
		preset = q.Preset
	}
	t, err := r.table(q.WrittenBy.Settings)
	if err != nil {
		return nil, err.Error()
	}
	if words = t.Meaning(preset); words == nil {
		return nil, fmt.Sprintf("the table of %s does not say what preset %q writes, expected %s", t.Vendor, preset, orNothing(t.Meant()))
	}
	return words, ""
}

// orNothing lists the expected words.
func orNothing(words []string) string {
	if len(words) == 0 {
		return "no preset: it says so of none"
	}
	return "one of " + strings.Join(words, ", ")
}

// fill sets the preset's word; n is the position of an error, the row or the key.
func (w *WantedSetting) fill(word string, row *yaml.Node) (n *yaml.Node, fault string) {
	switch {
	case word == "" && len(w.Also) > 0:
		return keyOrRule(row, "also"), w.ID + " has also, which adds to the word of a preset, and no preset writes it: expected want"
	case word == "":
		return nil, ""
	case len(w.Want) > 0:
		return keyOrRule(row, "want"), fmt.Sprintf("%s has want, but the preset writes it (%s): expected no want, or also with what stands for the same", w.ID, word)
	}
	w.Want, w.Also = append(Words{word}, w.Also...), nil
	return nil, ""
}
