// Package settings defines the vocabulary of BIOS settings: the canonical IDs and values that rules, reports and metrics
// use. Its tables translate vendors' attribute names and values to them, and back to the command or menu path for
// changing a setting.
package settings

import (
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"sync"

	"memaudit.example/memaudit/internal/model/lazy"
	"memaudit.example/memaudit/rules"
)

// The files of the vocabulary. They are always the built-in ones: canonical values are part of the interface and the same
// for every site.
const (
	vocabularyFile = "settings/vocabulary.tsv"
	includesFile   = "settings/includes.tsv"
)

type wordlist struct {
	settings []Setting
	// at finds a setting by its id.
	at       map[string]int
	includes map[string][]inclusion
}

// vocabulary reads the embedded files at first use. It panics if they are broken, which a test excludes.
var vocabulary = sync.OnceValue(func() *wordlist {
	v, err := readVocabulary(rules.FS)
	if err != nil {
		panic(err)
	}
	return v
})

// kindWords and figureWords are the names of kinds and figures in the file.
var (
	kindWords   = map[string]Kind{"switch": Switch, "choice": Choice, "rate": Rate, "name": VendorName}
	figureWords = map[string]Figures{"": NoFigures, "count": Counts, "hours": Hours}
)

func readVocabulary(k fs.FS) (*wordlist, error) {
	v := &wordlist{settings: make([]Setting, 0, 96), at: make(map[string]int, 96), includes: make(map[string][]inclusion, 32)}
	if err := eachRow(k, vocabularyFile, v.addSetting); err != nil {
		return nil, err
	}
	return v, eachRow(k, includesFile, v.addInclusion)
}

func eachRow(k fs.FS, file string, visit func(cells []string) error) error {
	raw, err := fs.ReadFile(k, file)
	if err != nil {
		return fmt.Errorf("settings: %w", err)
	}
	n := 0
	for line := range strings.Lines(string(raw)) {
		n++
		if strings.HasPrefix(line, "#") {
			continue
		}
		cells := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		if len(cells) != 5 {
			return fmt.Errorf("settings: %s:%d: %d columns, expected 5", file, n, len(cells))
		}
		if err := visit(cells); err != nil {
			return fmt.Errorf("settings: %s:%d: %w", file, n, err)
		}
	}
	return nil
}

func (v *wordlist) addSetting(cells []string) error {
	s := Setting{ID: cells[0], Words: strings.Fields(cells[3]), Title: cells[4]}
	var known, fits bool
	s.Kind, known = kindWords[cells[1]]
	s.Figures, fits = figureWords[cells[2]]
	switch _, twice := v.at[s.ID]; {
	case s.ID == "" || s.Title == "":
		return fmt.Errorf("a setting has an id and a title")
	case twice:
		return fmt.Errorf("two lines have the id %s", s.ID)
	case !known:
		return fmt.Errorf("%s: kind %q, expected switch, choice, rate or name", s.ID, cells[1])
	case !fits:
		return fmt.Errorf("%s: figures %q, expected count, hours or nothing", s.ID, cells[2])
	case (s.Kind == Choice || s.Kind == Rate) != (len(s.Words) > 0):
		return fmt.Errorf("%s: choices and rates have words, and no others", s.ID)
	}
	v.at[s.ID] = len(v.settings)
	v.settings = append(v.settings, s)
	return nil
}

func (v *wordlist) addInclusion(cells []string) error {
	at, ok := v.at[cells[0]]
	if !ok {
		return fmt.Errorf("%s is not a setting of %s", cells[0], vocabularyFile)
	}
	s, g := &v.settings[at], inclusion{word: cells[1], others: strings.Fields(cells[2]), fulfils: cells[4] == "yes"}
	if cells[4] != "" && !g.fulfils {
		return fmt.Errorf("%s: fulfils %q, expected yes or nothing", s.ID, cells[4])
	}
	g.others = slices.DeleteFunc(g.others, func(w string) bool {
		period := w == "hours" && s.Figures == Hours
		g.hours = g.hours || period
		return period
	})
	for _, w := range append(slices.Clone(g.others), g.word) {
		if !s.Accepts(w) || w == Auto {
			return fmt.Errorf("%s: %q is not one of its words", s.ID, w)
		}
	}
	v.includes[s.ID] = append(v.includes[s.ID], g)
	return nil
}

// inclusion is a value that includes others: a row of rules/settings/includes.tsv.
type inclusion struct {
	word   string
	others []string
	// hours is set if it also includes every period in hours.
	hours bool
	// fulfils is set if any of the others satisfies a recommendation of the value.
	fulfils bool
}

func (g *inclusion) covers(general, special string) bool {
	return g.word == general && (slices.Contains(g.others, special) || g.hours && hoursPattern().MatchString(special))
}

// IDs returns the canonical ids in the order of reports.
func IDs() []string {
	all := vocabulary().settings
	ids := make([]string, len(all))
	for i := range all {
		ids[i] = all[i].ID
	}
	return ids
}

// All returns the vocabulary in the order of reports.
func All() []Setting { return slices.Clone(vocabulary().settings) }

// Lookup returns the setting with this id.
func Lookup(id string) (Setting, bool) {
	v := vocabulary()
	at, ok := v.at[id]
	if !ok {
		return Setting{}, false
	}
	return v.settings[at], true
}

// Kind is the kind of values of a setting.
type Kind uint8

// The kinds.
const (
	// Switch has the values enabled and disabled.
	Switch Kind = iota
	// Choice has the values of its list.
	Choice
	// Rate has named values and rates: "1866" is in MT/s for memory_speed and in MHz for uncore_frequency.
	Rate
	// VendorName keeps the vendor's value, the name of a preset.
	VendorName
)

// Words that settings of several kinds have.
const (
	Enabled  = "enabled"
	Disabled = "disabled"
	// Auto leaves the choice to firmware: the setting alone does not show the result.
	Auto = "auto"
)

// Setting is one entry of the vocabulary: a row of rules/settings/vocabulary.tsv.
type Setting struct {
	ID string
	// Title describes the setting.
	Title string
	Kind  Kind
	// Words are the canonical values of a Choice or Rate besides Auto.
	Words []string
	// Figures are the numbers that are also values.
	Figures Figures
}

// OfSystem reports whether a setting is Linux's own, which BIOS setup has no option for.
func OfSystem(id string) bool {
	return id == "idle_states" || id == "iommu_passthrough" || id == "numa_balancing"
}

// Figures are the numbers that a setting accepts besides its named values.
type Figures uint8

// The figures of a setting.
const (
	NoFigures Figures = iota
	// Counts of things: "16".
	Counts
	// Hours are periods: "24h".
	Hours
)

// ratePattern, countPattern and hoursPattern match numeric values: a rate in MT/s or MHz, a number of cores, a period in
// hours.
var (
	ratePattern  = lazy.Pattern(`^[1-9][0-9]{2,4}$`)
	countPattern = lazy.Pattern(`^[1-9][0-9]{0,2}$`)
	hoursPattern = lazy.Pattern(`^[1-9][0-9]?h$`)
)

// Accepts reports whether a value is a canonical value of the setting.
func (s Setting) Accepts(value string) bool {
	switch {
	case value == "":
		return false
	case s.Kind == VendorName, value == Auto:
		return true
	case s.Kind == Switch:
		return value == Enabled || value == Disabled
	case s.Kind == Rate && ratePattern().MatchString(value),
		s.Figures == Counts && countPattern().MatchString(value),
		s.Figures == Hours && hoursPattern().MatchString(value):
		return true
	default:
		return slices.Contains(s.Words, value)
	}
}

// Expected lists the values that Accepts accepts, for error messages.
func (s Setting) Expected() []string {
	switch s.Kind {
	case Switch:
		return []string{Enabled, Disabled, Auto}
	case VendorName:
		return []string{"the vendor's own name"}
	case Choice, Rate:
		return append(slices.Clone(s.Words), Auto)
	default:
		return nil
	}
}

// Compatible reports whether the configured and the effective canonical value of a setting are compatible. They need not be
// equal: Auto leaves the choice to firmware, a general value includes a specific one, and Linux cannot distinguish some
// values (rules/settings/includes.tsv). It is true for unknown settings.
func Compatible(id, configured, effective string) bool {
	if configured == effective || configured == Auto || effective == Auto {
		return true
	}
	s, ok := Lookup(id)
	if !ok || s.Kind == VendorName {
		return true // the name of a preset does not show what it sets
	}
	if s.Kind == Rate && ratePattern().MatchString(configured) != ratePattern().MatchString(effective) {
		return true // a rate and a name such as "max" do not contradict each other
	}
	return slices.ContainsFunc(vocabulary().includes[id], func(g inclusion) bool {
		return g.covers(configured, effective) || g.covers(effective, configured)
	})
}

// Satisfies reports whether a canonical value is one of the recommended values, or a specific one that a recommended value
// includes: C6 by the name of ACPI's C2 if C6 is recommended, or SNC2 if SNC is. If the list also has one of the specific
// values, only equal values satisfy it.
func Satisfies(id string, want []string, value string) bool {
	return slices.Contains(want, value) || slices.ContainsFunc(vocabulary().includes[id], func(g inclusion) bool {
		named := slices.ContainsFunc(g.others, func(w string) bool { return slices.Contains(want, w) })
		return g.fulfils && !named && slices.Contains(want, g.word) && g.covers(g.word, value)
	})
}
