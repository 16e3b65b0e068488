package plan

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"memaudit.example/memaudit/internal/model/humanize"
	"memaudit.example/memaudit/internal/model/inventory"
)

// slotForms are the names that a slot answers to.
const slotForms = "accepted are a locator or its end (A1 of DIMM_A1), BANK/LOCATOR, or a handle such as 0x1100"

// findSlot returns the one slot of a name. It accepts what reports print: the locator, its end, the
// locator with its bank or its processor, the handle, the subject of a finding. Case, spaces and signs
// do not matter. The closest reading that fits any slot decides; one that fits several slots is an error.
func findSlot(sys *inventory.System, name string) (int, error) {
	name = strings.Trim(name, " \t'\"")
	words := nameWords(name)
	if len(words) == 0 {
		return none, fmt.Errorf("a slot has no name; %s", slotForms)
	}
	var found []int
	for _, accepts := range []func(full string) bool{
		func(full string) bool { return strings.EqualFold(full, name) },
		func(full string) bool { return full == handleOf(name) },
		func(full string) bool { return bareName(full) == bareName(name) },
		func(full string) bool { return !isHandle(full) && endsIn(bareName(full), bareName(name)) },
		func(full string) bool { return !isHandle(full) && endsAbridged(nameWords(full), words) },
	} {
		if found = slotsCalled(sys, accepts); len(found) > 0 {
			break
		}
	}
	switch {
	case len(found) == 1:
		return found[0], nil
	case len(found) == 0 && strings.Contains(name, ","):
		return none, fmt.Errorf("no slot %q: for several slots repeat the option; %s", name, slotForms)
	case len(found) == 0:
		return none, fmt.Errorf("no slot %q%s; %s", name, closest(sys, name), slotForms)
	}
	var names []string
	for _, i := range found {
		own := sys.Slots[i].Name()
		if len(slotsCalled(sys, func(n string) bool { return n == own })) != 1 {
			own = sys.Slots[i].Handle.String()
		}
		names = append(names, own)
	}
	return none, fmt.Errorf("slot %q is %d slots: say %s", name, len(found), humanize.Truncated(mostNamed, names))
}

func slotsCalled(sys *inventory.System, accepted func(name string) bool) []int {
	var out []int
	for i := range sys.Slots {
		if slices.ContainsFunc(slotNames(sys, i), accepted) {
			out = append(out, i)
		}
	}
	return out
}

// slotNames are the names that a slot answers to. Its bank's label is one if labels repeat: P0 CHANNEL A, which may have
// one slot only.
func slotNames(sys *inventory.System, slot int) []string {
	s := &sys.Slots[slot]
	out := []string{s.Handle.String()}
	l, bank := s.Locator.Or(""), s.BankLocator.Or("")
	if l != "" {
		out = append(out, l)
	}
	if l != "" && bank != "" {
		out = append(out, bank+"/"+l)
	}
	if s.Unique != "" {
		out = append(out, s.Unique, bank)
	}
	return out
}

var nameWord = regexp.MustCompile(`[A-Z]+|[0-9]+`)

// nameWords are the runs of letters and of digits of a name, in capitals: DIMM, A, 1 of DIMM_A1.
func nameWords(name string) []string { return nameWord.FindAllString(strings.ToUpper(name), -1) }

// bareName is a name in capitals without spaces and signs.
func bareName(name string) string { return strings.Join(nameWords(name), "") }

// endsIn reports whether a bare name ends in another one that does not begin within a number.
func endsIn(full, end string) bool {
	head, ok := strings.CutSuffix(full, end)
	return ok && (head == "" || !isDigit(end[0]) || !isDigit(head[len(head)-1]))
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

// endsAbridged reports whether a name ends in words with letters left out between them: PROC 1 DIMM 4 in
// 1/4. A number between them is never left out.
func endsAbridged(full, words []string) bool {
	for len(words) > 0 {
		if len(full) == 0 {
			return false
		}
		last := full[len(full)-1]
		full = full[:len(full)-1]
		switch {
		case last == words[len(words)-1], !isDigit(last[0]) && strings.HasSuffix(last, words[len(words)-1]):
			words = words[:len(words)-1]
		case isDigit(last[0]):
			return false
		}
	}
	return true
}

var handleForm = regexp.MustCompile(`(?i)^(?:slot )?(?:0x([0-9a-f]{1,4})|([0-9a-f]{4}))(?: \(.*\))?$`)

// handleOf returns the handle in a name, as slotNames prints it: of "0x1100", "1100" and "slot 0x1100 (DIMM_A1)"; ""
// if there is none.
func handleOf(name string) string {
	m := handleForm.FindStringSubmatch(name)
	if m == nil {
		return ""
	}
	n, _ := strconv.ParseUint(m[1]+m[2], 16, 16) // at most four digits
	return inventory.Handle(uint16(n)).String()
}

func isHandle(name string) bool { return strings.HasPrefix(name, "0x") && handleOf(name) == name }

// closest returns the slot whose label differs least. A handle is proposed only for a name like a handle and for a
// slot without a label.
func closest(sys *inventory.System, name string) string {
	best, least := "", math.MaxInt
	wanted := bareName(name)
	for i := range sys.Slots {
		for _, n := range slotNames(sys, i) {
			if isHandle(n) && handleOf(name) == "" && sys.Slots[i].Locator.Or("") != "" {
				continue
			}
			if d := humanize.Distance(bareName(n), wanted); d < least {
				best, least = n, d
			}
		}
	}
	if best == "" {
		return ""
	}
	return fmt.Sprintf(" (the nearest is %q)", best)
}
