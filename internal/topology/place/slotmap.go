package place

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"

	yaml "go.yaml.in/yaml/v3"

	"memaudit.example/memaudit/internal/model/compiled"
	"memaudit.example/memaudit/internal/model/datafile"
	"memaudit.example/memaudit/internal/model/fact"
	"memaudit.example/memaudit/internal/model/settings"
)

// slotMap maps the slot numbers of one product line to channels, for labels that do not show them. It is one
// line of a file in rules/slots.
type slotMap struct {
	ID     string   `yaml:"id"`
	Models []string `yaml:"models"`
	// Locators are the locator rules whose number the map resolves.
	Locators []string `yaml:"locators"`
	// Groups has one entry per channel: its slot numbers in filling order.
	Groups [][]int `yaml:"groups"`
	// Second replaces Groups on the second and later CPUs.
	Second [][]int `yaml:"second"`
	// Offset is added to the numbers for each further CPU.
	Offset int `yaml:"offset"`
	// PerBoard is added to the numbers for each further memory board or riser, on which numbers restart.
	PerBoard int `yaml:"per_board"`
	// Controllers names the memory controller of each channel; empty if no document gives it.
	Controllers []int `yaml:"controllers"`
	// Unordered is true if it is unknown which slot of a channel is first.
	Unordered bool `yaml:"unordered"`
	// Unknown is the reason why the machine must not be placed; "" if it may be.
	Unknown string `yaml:"unknown"`
	// SocketsOnly is true if the CPU is known but the channel is not; Sockets is the number of CPU sockets for
	// which that is so.
	SocketsOnly bool `yaml:"sockets_only"`
	Sockets     int  `yaml:"sockets"`
	// PartWired is true if the board does not wire all channels of a CPU, so that the CPU's number of channels
	// does not apply.
	PartWired bool `yaml:"part_wired"`
	// Slots is the number of slots of the machine that the map is for, if two boards share a name; 0 is any.
	Slots int `yaml:"slots"`
	// Check is how the map was verified: doc, field, label, first, count, infer.
	Check   []string `yaml:"check"`
	Sources []string `yaml:"sources"`
	Note    string   `yaml:"note"`
}

// MapPart is the part of the compiled knowledge with the slot map for each product and pattern.
const MapPart = "slots"

var errNoSlotMap = errors.New("no slot map for this product")

// A map for the machine's number of slots takes precedence. Only its line is parsed.
func findSlotMap(k fs.FS, id identity, rule string, slots int) (*slotMap, error) {
	index, err := compiled.Part[map[string]string](k, MapPart)
	if err != nil {
		return nil, fmt.Errorf("read index of slot maps: %w", err)
	}
	for _, model := range id.models {
		where := index[model+"\t"+boardRule(rule, slots)]
		if where == "" {
			where = index[model+"\t"+rule]
		}
		if where != "" {
			return readSlotMap(k, where)
		}
	}
	return nil, errNoSlotMap
}

func boardRule(rule string, slots int) string {
	if slots == 0 {
		return rule
	}
	return rule + "/" + strconv.Itoa(slots)
}

func findInIndex(index, prefix string) string {
	at := strings.Index(index, "\n"+prefix)
	if at < 0 {
		return ""
	}
	line, _, _ := strings.Cut(index[at+1+len(prefix):], "\n")
	return line
}

func readSlotMap(k fs.FS, where string) (*slotMap, error) {
	file, id, _ := strings.Cut(where, "#")
	raw, err := fs.ReadFile(k, "slots/"+file)
	if err != nil {
		return nil, fmt.Errorf("read slot map %s: %w", where, err)
	}
	line := findInIndex(string(raw), "  - {id: "+id+",")
	if line == "" {
		return nil, fmt.Errorf("read slot map %s: listed in the index and missing in %s", where, file)
	}
	var m slotMap
	if err := yaml.Unmarshal([]byte("{id: "+id+","+line), &m); err != nil {
		return nil, fmt.Errorf("read slot map %s: %w", where, err)
	}
	return &m, nil
}

// slotCertainty returns Indirect for a slot that no document, dump, label or number of slots confirms: of a map whose first
// slots alone are documented, any but these. slot counts the slots of a channel from 0.
func (m *slotMap) slotCertainty(slot int) fact.Certainty {
	if len(m.Check) == 0 || slices.Contains(m.Check, "infer") && (slot != 0 || !slices.Contains(m.Check, "first")) {
		return fact.Indirect
	}
	return fact.Corroborated
}

func (m *slotMap) locateSlot(socket, number int) (channel, slot int, ok bool) {
	number -= m.Offset * max(socket, 0)
	groups := m.Groups
	if socket > 0 && m.Second != nil {
		groups = m.Second
	}
	for c, slots := range groups {
		for s, n := range slots {
			if n == number {
				return c, s, true
			}
		}
	}
	return Unplaced, Unplaced, false
}

func (m *slotMap) owningProcessor(number, sockets int) (int, bool) {
	if m.Offset == 0 && m.Second == nil {
		return Unplaced, false
	}
	for s := range sockets {
		if _, _, ok := m.locateSlot(s, number); ok {
			return s, true
		}
	}
	return Unplaced, false
}

func (m *slotMap) channelDepth() int {
	d := 0
	for _, slots := range slices.Concat(m.Groups, m.Second) {
		d = max(d, len(slots))
	}
	return d
}

type locatorFile struct {
	Schema int           `yaml:"schema"`
	Rules  []LocatorRule `yaml:"rules"`
}

type mapFile struct {
	Schema int       `yaml:"schema"`
	Vendor string    `yaml:"vendor"`
	Maps   []slotMap `yaml:"maps"`
}

const locatorYAML = "slots/locators.yaml"

// LocatorRules reads slots/locators.yaml. It returns nil if the file does not exist.
func LocatorRules(k fs.FS) ([]LocatorRule, error) {
	raw, err := fs.ReadFile(k, locatorYAML)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	f := datafile.Parse(locatorYAML, raw)
	var rules []LocatorRule
	if len(f.Docs) > 0 {
		rules = ValidatePatterns(f)
	}
	if len(f.Faults) > 0 {
		return nil, f.Faults
	}
	return rules, nil
}

const fieldWords = "cpu, p, node, ctl, chan, slot, bslot, num, board, _, x, C, L, S, B"

func checkPattern(pattern string) error {
	for rest := pattern; ; {
		_, after, ok := strings.Cut(rest, "{")
		if !ok {
			return nil
		}
		name, tail, closed := strings.Cut(after, "}")
		if !closed {
			return errors.New("has no closing brace")
		}
		plain := strings.TrimSuffix(name, ":1")
		_, number := numberFields[plain]
		_, letter := letterFields[plain]
		if _, _, constant := constantField(name); !number && !letter && !constant {
			return fmt.Errorf("has the unknown field {%s}, expected one of %s", name, fieldWords)
		}
		rest = tail
	}
}

// MapIndex returns the slot map ("file#id") for each product and pattern; the key is both, separated by a tab.
func MapIndex(k fs.FS) (map[string]string, error) {
	out := map[string]string{}
	names, _ := fs.Glob(k, "slots/*.yaml") // the only error is a malformed pattern
	for _, name := range names {
		if name == locatorYAML || name == "slots/sources.yaml" {
			continue
		}
		raw, err := fs.ReadFile(k, name)
		if err != nil {
			return nil, err
		}
		var file mapFile
		if err := datafile.Decode(raw, &file); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		for i := range file.Maps {
			if err := file.Maps[i].addToIndex(out, file.Vendor, path.Base(name)); err != nil {
				return nil, fmt.Errorf("%s: %w", name, err)
			}
		}
	}
	return out, nil
}

func (m *slotMap) addToIndex(entries map[string]string, vendor, file string) error {
	for _, model := range m.Models {
		for _, rule := range m.Locators {
			key := strings.TrimSpace(modelKey(vendor, model)) + "\t" + boardRule(rule, m.Slots)
			if other, twice := entries[key]; twice {
				return fmt.Errorf("%s and %s are both for %s", other, m.ID, strings.ReplaceAll(key, "\t", ", pattern "))
			}
			entries[key] = file + "#" + m.ID
		}
	}
	return nil
}

// SiteFolder is where knowledge with a site's files added keeps those that exist beside a built-in file of the same name.
const SiteFolder = "site/"

// Known are the names that slot maps may use: the keys of documents and the ids of label patterns.
type Known struct{ sources, patterns map[string]bool }

// ReadKnown reads them from the knowledge.
func ReadKnown(k fs.FS) Known {
	known := Known{map[string]bool{}, map[string]bool{}}
	for _, folder := range []string{"slots/", SiteFolder} {
		var documents citationsFile
		var labels locatorFile
		for name, into := range map[string]any{"sources.yaml": &documents, "locators.yaml": &labels} {
			if raw, err := fs.ReadFile(k, folder+name); err == nil {
				if f := datafile.Parse(name, raw); len(f.Docs) > 0 {
					f.Decode(0, into)
				}
			}
		}
		for key := range documents.Sources {
			known.sources[key] = true
		}
		for _, rule := range labels.Rules {
			known.patterns[rule.ID] = true
		}
	}
	return known
}

type citationsFile struct {
	Schema  int                        `yaml:"schema"`
	Sources map[string]settings.Source `yaml:"sources"`
}

// ValidateSources checks the documents behind slot maps.
func ValidateSources(f *datafile.File) {
	var file citationsFile
	if f.Place(0).Require("schema", "sources"); !f.Decode(0, &file) {
		return
	}
	f.Place(0).Key("schema").OneOf("1")
	for key := range file.Sources {
		f.Place(0).Key("sources").Key(key).Require("title")
	}
}

// ValidateMaps checks a file of slot maps: known documents and patterns, unique slots, and groups that agree.
func ValidateMaps(f *datafile.File, data []byte, known Known) {
	var file mapFile
	at := f.Place(0)
	if at.Require("schema", "maps"); !f.Decode(0, &file) {
		return
	}
	at.Key("schema").OneOf("1")
	for i := range file.Maps {
		m, entry := &file.Maps[i], at.Key("maps").Item(i)
		entry.Require("id", "models", "locators", "check", "sources")
		entry.Key("id").Match(`^[a-z0-9][a-z0-9.-]*$`, "small letters, digits, dots and dashes")
		entry.Key("check").OneOf("doc", "field", "label", "first", "count", "infer")
		entry.FaultIf(!bytes.Contains(data, []byte("\n  - {id: "+m.ID+",")),
			"%s: a map is one line that begins with two spaces and - {id: %s,", m.ID, m.ID)
		for j, s := range m.Sources {
			entry.Key("sources").Item(j).FaultIf(len(known.sources) > 0 && !known.sources[s],
				"%s: source %s is not in sources.yaml beside the maps", m.ID, s)
		}
		for j, id := range m.Locators {
			entry.Key("locators").Item(j).FaultIf(len(known.patterns) > 0 && !known.patterns[id],
				"%s: %s is not a pattern of locators.yaml", m.ID, id)
		}
		entry.FaultIf(m.Unknown == "" && len(m.Groups) == 0, "%s: needs groups, or unknown with the reason", m.ID)
		for key, channels := range map[string]int{"second": len(m.Second), "controllers": len(m.Controllers)} {
			entry.Key(key).FaultIf(channels > 0 && channels != len(m.Groups),
				"%s: %s has %d channels, groups %d", m.ID, key, channels, len(m.Groups))
		}
		const mostSlots = 4
		for key, groups := range map[string][][]int{"groups": m.Groups, "second": m.Second} {
			seen := map[int]bool{}
			for i, channel := range groups {
				entry.Key(key).Item(i).FaultIf(len(channel) > mostSlots,
					"%s: a channel of %d slots, expected at most %d", m.ID, len(channel), mostSlots)
				for j, slot := range channel {
					entry.Key(key).Item(i).Item(j).FaultIf(seen[slot], "%s: slot %d is listed twice in %s", m.ID, slot, key)
					seen[slot] = true
				}
			}
		}
	}
}

// ValidatePatterns reads label patterns and checks that ids are unique and the fields of a pattern known.
func ValidatePatterns(f *datafile.File) []LocatorRule {
	var file locatorFile
	at := f.Place(0)
	if at.Require("schema", "rules"); !f.Decode(0, &file) {
		return nil
	}
	at.Key("schema").OneOf("1")
	seen := map[string]bool{}
	for i, r := range file.Rules {
		rule := at.Key("rules").Item(i)
		rule.Require("id", "locator")
		rule.Key("id").Match(`^[a-z0-9][a-z0-9-]*$`, "small letters, digits and dashes")
		rule.Key("id").FaultIf(seen[r.ID], "%s: this id is used twice", r.ID)
		seen[r.ID] = true
		if r.Node != "" {
			rule.Key("node").OneOf("socket", "controller", "auto", "ignore")
		}
		if len(r.Options) > 0 {
			rule.Key("options").OneOf("base0", "slot0", "pair", "boards", "cards", "cartridges")
		}
		for key, patterns := range map[string][]string{"locator": r.Locators, "bank": r.Banks} {
			for j, p := range patterns {
				where := rule.Key(key).Item(j)
				where.Match(`^[^|\t]*$`, "a label without | and tab")
				if err := checkPattern(p); err != nil {
					where.RecordFault("%s: %q %v", r.ID, p, err)
				}
			}
		}
	}
	return file.Rules
}
