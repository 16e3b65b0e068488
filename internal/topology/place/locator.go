package place

import (
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"unicode"

	"memaudit.example/memaudit/internal/model/compiled"
	"memaudit.example/memaudit/internal/model/fact"
)

type labelField uint8

// The fields of a label, with their names between braces in rules/slots/locators.yaml.
const (
	fieldCPU         labelField = iota // {cpu}: processor number in the locator
	fieldCPULetter                     // {C}: processor as a letter
	fieldBankCPU                       // {p}: processor number in the bank locator
	fieldNode                          // {node}: socket, controller or nothing, by rule
	fieldController                    // {ctl}: memory controller within the processor
	fieldChannel                       // {chan}: channel number
	fieldLetter                        // {L}: channel letter
	fieldSlot                          // {slot}: slot within the channel
	fieldBankSlot                      // {bslot}: the same in the bank locator
	fieldSlotLetter                    // {S}: slot within the channel as a letter
	fieldNumber                        // {num}: printed number that needs a slot map
	fieldBoard                         // {board}: memory board or cartridge
	fieldBoardLetter                   // {B}: memory board as a letter
	fieldSkip                          // {_}: digits without meaning
	fieldAny                           // {x}: one character without meaning
	fieldCount
)

// captured are the values of the fields plus one, 0 for a field that the label does not have.
type captured [fieldCount]int32

func (c *captured) fieldValue(f labelField) (int, bool) {
	return max(int(c[f])-1, 0), c[f] != 0
}

func (c *captured) agreesWith(later *captured) bool {
	for f, v := range c[:fieldSkip] {
		if v != 0 && later[f] != v {
			return false
		}
	}
	return true
}

var (
	numberFields = map[string]labelField{"cpu": fieldCPU, "p": fieldBankCPU, "node": fieldNode, "ctl": fieldController, "chan": fieldChannel, "slot": fieldSlot,
		"bslot": fieldBankSlot, "num": fieldNumber, "board": fieldBoard, "_": fieldSkip}
	letterFields = map[string]labelField{"C": fieldCPULetter, "L": fieldLetter, "S": fieldSlotLetter, "B": fieldBoardLetter, "x": fieldAny}
)

// matchLabel matches a whole label against a pattern of locators.yaml and stores the fields in c. Literals
// compare without case, a blank matches any number of blanks, a ~ any number of separators or none, {name} matches up to three digits or one letter,
// {name:1} one digit, {name=2} matches nothing and sets 2, and a leading * skips any prefix. After a mismatch c
// is undefined.
func matchLabel(pattern, label string, c *captured) bool {
	if rest, ok := strings.CutPrefix(pattern, "*"); ok {
		before := *c
		for i := range label {
			if matchLabel(rest, label[i:], c) {
				return true
			}
			*c = before
		}
		return false
	}
	for p := 0; p < len(pattern); p++ {
		n := 1 // characters of the label that match
		switch pattern[p] {
		case ' ':
			n = len(label) - len(strings.TrimLeft(label, " "))
		case '~':
			label = strings.TrimLeft(label, " -_.")
			continue
		case '{':
			name, _, _ := strings.Cut(pattern[p+1:], "}")
			p += len(name) + 1
			if f, v, constant := constantField(name); constant {
				c[f] = v + 1
				continue
			}
			n = captureField(name, label, c)
		default:
			if label == "" || unicode.ToLower(rune(label[0])) != unicode.ToLower(rune(pattern[p])) {
				return false
			}
		}
		if n == 0 {
			return false
		}
		label = label[n:]
	}
	return label == ""
}

func constantField(name string) (f labelField, v int32, ok bool) {
	name, digit, constant := strings.Cut(name, "=")
	if !constant || len(digit) != 1 || !isDigit(digit[0]) {
		return 0, 0, false
	}
	f, known := numberFields[name]
	return f, int32(digit[0] - '0'), known && f != fieldSkip
}

func captureField(name, s string, c *captured) int {
	name, one := strings.CutSuffix(name, ":1")
	if f, letter := letterFields[name]; letter {
		if s == "" || f != fieldAny && (s[0] < 'A' || s[0] > 'Z') {
			return 0
		}
		c[f] = int32(s[0]) - 'A' + 1
		return 1
	}
	f, ok := numberFields[name]
	if !ok {
		return 0
	}
	limit := 3
	if one {
		limit = 1
	}
	n, v := 0, int32(0)
	for n < len(s) && n < limit && isDigit(s[n]) {
		v = v*10 + int32(s[n]-'0')
		n++
	}
	c[f] = v + 1
	return n
}

func isDigit(b byte) bool { return b >= '0' && b <= '9' }

// LocatorRule is one entry of rules/slots/locators.yaml: the labels it matches, and the meaning of their node
// number.
type LocatorRule struct {
	ID string `yaml:"id"`
	// Locators and Banks are patterns, at least one of which must match; without Banks every bank locator
	// matches.
	Locators []string `yaml:"locator"`
	Banks    []string `yaml:"bank"`
	// Vendors and Models limit the rule to vendors and normalised products; empty for all.
	Vendors []string `yaml:"vendor"`
	Models  []string `yaml:"model"`
	// Node is the meaning of {node}: socket, controller, auto or ignore.
	Node    string   `yaml:"node"`
	Options []string `yaml:"options"`
}

// LocatorPart is the part of the compiled knowledge with the label patterns.
const LocatorPart = "locators"

func loadLocatorRules(k fs.FS, id identity) ([]LocatorRule, error) {
	rules, err := compiled.Part[[]LocatorRule](k, LocatorPart)
	if err != nil {
		return nil, fmt.Errorf("read locator patterns: %w", err)
	}
	return slices.DeleteFunc(slices.Clone(rules), func(r LocatorRule) bool { return !id.isVendor(r.Vendors) || !id.isModel(r.Models) }), nil
}

func (r *LocatorRule) hasOption(option string) bool { return slices.Contains(r.Options, option) }

func (r *LocatorRule) bankGives(field string) bool {
	return slices.ContainsFunc(r.Banks, func(pattern string) bool { return strings.Contains(pattern, field) })
}

// If both labels contain the same field, the values must be equal.
func (r *LocatorRule) matchBothLabels(locator, bank string) (captured, bool) {
	var c captured
	if !matchAny(r.Locators, locator, &c) {
		return captured{}, false
	}
	if len(r.Banks) == 0 {
		return c, true
	}
	after := c
	if !matchAny(r.Banks, bank, &after) || !c.agreesWith(&after) {
		return captured{}, false
	}
	return after, true
}

// matchAny tries the patterns of a list; an empty pattern matches an empty label, "*" any.
func matchAny(patterns []string, label string, c *captured) bool {
	for _, pattern := range patterns {
		if pattern == "*" || pattern == "" && label == "" {
			return true
		}
		if try := *c; pattern != "" && matchLabel(pattern, label, &try) {
			*c = try
			return true
		}
	}
	return false
}

func firstMatch(rules []LocatorRule, locator, bank string) (int, captured) {
	for r := range rules {
		if c, ok := rules[r].matchBothLabels(locator, bank); ok {
			return r, c
		}
	}
	return -1, captured{}
}

// applyHPE applies the positions of HPE's OEM structure type 202, which take precedence over every label. What
// it leaves open (the CPU; before Gen11 the slot within the channel) stays as labelled. Gen10 numbers
// controllers over the machine, so they are ranked within their CPU.
func (pl *placer) applyHPE() {
	within := pl.hpeCountsWithinControllers()
	owners := make(map[int][]int) // controllers of each CPU, including those with only empty slots
	for i := range pl.sys.Slots {
		if h := pl.sys.Slots[i].HPE; h != nil && h.Channel >= 0 && h.Controller >= 0 {
			owners[h.Processor] = insertSorted(owners[h.Processor], h.Controller)
		}
	}
	for i := range pl.sys.Slots {
		h := pl.sys.Slots[i].HPE
		if h == nil || h.Channel < 0 {
			continue
		}
		o := &pl.out[i]
		socket := o.Socket
		if h.Processor >= 0 && !pl.fsb {
			socket = h.Processor
		}
		channel, controller := h.Channel, slices.Index(owners[h.Processor], h.Controller)
		if (socket == Unplaced && !pl.fsb) || (within && (controller < 0 || pl.controllers < 2)) {
			continue
		}
		if within {
			channel += controller * (pl.channels / pl.controllers)
		}
		slot := h.Index
		if slot < 0 {
			slot = o.Slot
		}
		if pl.controllers > 0 && len(owners[h.Processor]) != pl.controllers {
			controller = Unplaced
		}
		*o = Placement{Socket: socket, Controller: controller, Channel: channel, Slot: slot,
			Source: sourceHPE, Certainty: fact.Direct, Rule: "hpe-202"}
	}
	pl.dropSharedSlots()
}

func (pl *placer) hpeCountsWithinControllers() bool {
	owner := make(map[slotPlace]int)
	for i := range pl.sys.Slots {
		h := pl.sys.Slots[i].HPE
		if h == nil || h.Channel < 0 || h.Controller < 0 {
			continue
		}
		at := slotPlace{h.Processor, h.Channel, 0}
		if c, seen := owner[at]; seen && c != h.Controller {
			return true
		}
		owner[at] = h.Controller
	}
	return false
}

func (pl *placer) dropSharedSlots() {
	taken, shared := map[slotPlace]bool{}, map[slotPlace]bool{}
	for i := range pl.out {
		if o := &pl.out[i]; o.Source == sourceHPE {
			at := slotPlace{o.Socket, o.Channel, o.Slot}
			shared[pl.channelPlace(i)] = shared[pl.channelPlace(i)] || taken[at]
			taken[at] = true
		}
	}
	for i := range pl.out {
		if pl.out[i].Source == sourceHPE && shared[pl.channelPlace(i)] {
			pl.out[i].Slot = Unplaced
		}
	}
}
