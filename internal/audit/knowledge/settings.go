package knowledge

import (
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/memaudit/memaudit/internal/model/settings"
)

// settings checks that every entry's source is listed in the file, every id is in the vocabulary and every
// value is one of its words.
func (c *checker) settings(doc *yaml.Node) {
	top := pairs(doc)
	sources := pairs(orEmpty(top["sources"]))
	known := func(entry *yaml.Node, what string) {
		if s := pairs(entry)["source"]; s != nil && sources[s.Value] == nil {
			c.fault(s, what, "source %s is not listed under sources", s.Value)
		}
	}
	for id, list := range pairs(orEmpty(top["settings"])) {
		what := "settings." + id
		setting, ok := settings.Lookup(id)
		if !ok {
			c.fault(list, what, "is not in rules/settings/vocabulary.tsv")
		}
		for _, entry := range itemsOf(list) {
			known(entry, what)
			e := pairs(entry)
			if e["attribute"] == nil && e["menu"] == nil {
				c.fault(entry, what, "needs an attribute or a menu path")
			}
			if ok {
				c.words(entry, what, setting)
			}
		}
	}
	for _, entry := range itemsOf(top["masters"]) {
		known(entry, "masters")
		c.master(entry)
	}
	for _, key := range []string{"commands", "generations"} {
		for _, entry := range itemsOf(top[key]) {
			known(entry, key)
		}
	}
}

// words checks that the meanings of an attribute's values are words of the setting.
func (c *checker) words(entry *yaml.Node, what string, setting settings.Setting) {
	values := pairs(orEmpty(pairs(entry)["values"]))
	if len(values) == 0 && setting.Kind != settings.VendorName {
		c.fault(entry, what, "needs values: the vendor's word and one of %s", strings.Join(setting.Expected(), ", "))
	}
	for vendor, word := range values {
		if word.Value != settings.Next && !setting.Accepts(word.Value) {
			c.fault(word, what, "%s is %q, expected one of %s", vendor, word.Value, strings.Join(setting.Expected(), ", "))
		}
	}
}

// master checks that a preset names settings of the vocabulary, and that its values imply words of settings
// that it locks.
func (c *checker) master(entry *yaml.Node) {
	m := pairs(entry)
	locked := map[string]bool{}
	for _, id := range append(itemsOf(m["locks"]), orEmpty(m["setting"])) {
		locked[id.Value] = true
		if _, ok := settings.Lookup(id.Value); !ok {
			c.fault(id, "masters", "%s is not in rules/settings/vocabulary.tsv", id.Value)
		}
	}
	for preset, words := range pairs(orEmpty(m["means"])) {
		for id, word := range pairs(words) {
			switch setting, _ := settings.Lookup(id); {
			case !locked[id]:
				c.fault(word, "masters", "%s means a word of %s, which it does not lock", preset, id)
			case !setting.Accepts(word.Value):
				c.fault(word, "masters", "%s makes %s %q, expected one of %s", preset, id, word.Value, strings.Join(setting.Expected(), ", "))
			}
		}
	}
}
