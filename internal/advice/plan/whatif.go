package plan

import (
	"cmp"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"memaudit.example/memaudit/internal/audit/verdict"
	"memaudit.example/memaudit/internal/model/fact"
	"memaudit.example/memaudit/internal/model/humanize"
	"memaudit.example/memaudit/internal/model/inventory"
	"memaudit.example/memaudit/internal/topology/population"
)

// Change is one planned change. Slots are named by locator, by BANK/LOCATOR if locators repeat, or by handle.
type Change struct {
	Do       StepKind
	From, To string
	// Bytes is the size of a module that is installed.
	Bytes int64
}

// Outcome compares a machine with what it would be. Before has the running speed of the memory, After the expected one.
type Outcome struct {
	Before       Reaches   `json:"before"`
	After        Reaches   `json:"after"`
	FindingsGone []Failure `json:"findings_gone"`
	FindingsNew  []Failure `json:"findings_new"`
}

// WhatIf is a copy of the machine after the changes, in order, and what was taken for
// granted of new modules. Two moves in a row, from one full slot to another and back, are
// a swap. A slot that does not exist, an empty one to take from and a full one to put
// into are errors.
func WhatIf(sys *inventory.System, topo *population.Result, changes []Change) (out *inventory.System, taken []string, err error) {
	out = sys
	for len(changes) > 0 {
		c := changes[0]
		step, swapped := findSwap(out, changes)
		if changes = changes[1:]; swapped {
			changes = changes[1:]
		} else if step, err = resolveChange(out, topo, c); err != nil {
			return nil, nil, err
		}
		out = ApplySteps(out, []Step{step})
		if step.Do != Install {
			continue
		}
		unlike := func(o inventory.Slot) bool {
			return o.HoldsDRAM() && o.SizeBytes.Or(0) == c.Bytes && TraitsOf(&o) != TraitsOf(&out.Slots[step.LikeSlot])
		}
		if s := &out.Slots[step.ToSlot]; s.SizeBytes.Value != c.Bytes {
			// Of a size that is not installed only the size is known.
			s.SizeBytes = fact.Known(c.Bytes, fact.Direct, fact.Evidence{})
			s.Ranks = fact.Unknown[int](fact.Unstated, "the ranks of the module to be installed in "+out.Slots[step.ToSlot].Name()+" are not known", "")
		} else if slices.ContainsFunc(sys.Slots, unlike) {
			like := s.Type.Or("DIMM")
			if ranks, ok := s.Ranks.Get(); ok {
				like = humanize.Ranked(ranks) + " " + like
			}
			taken = append(taken, fmt.Sprintf("the modules of %s differ; the one in %s is taken to be like that in %s: %s",
				humanize.Size(c.Bytes), out.Slots[step.ToSlot].Name(), out.Slots[step.LikeSlot].Name(), like))
		}
	}
	return out, taken, nil
}

// findSwap is the step in which two modules change places, if the first two changes are that.
func findSwap(sys *inventory.System, changes []Change) (Step, bool) {
	if len(changes) < 2 || changes[0].Do != Move || changes[1].Do != Move {
		return Step{}, false
	}
	var slots [4]int
	for i, name := range [...]string{changes[0].From, changes[0].To, changes[1].From, changes[1].To} {
		var err error
		if slots[i], err = findSlot(sys, name); err != nil || sys.Slots[slots[i]].State != inventory.SlotPopulated {
			return Step{}, false // resolve says what is wrong
		}
	}
	return Step{Do: Swap, FromSlot: slots[0], ToSlot: slots[1], LikeSlot: none}, slots[0] != slots[1] && slots[0] == slots[3] && slots[1] == slots[2]
}

func resolveChange(sys *inventory.System, topo *population.Result, c Change) (Step, error) {
	s := Step{Do: c.Do, FromSlot: none, ToSlot: none, LikeSlot: none}
	var err error
	if c.Do != Install {
		if s.FromSlot, err = findSlot(sys, c.From); err != nil {
			return s, err
		}
		if sys.Slots[s.FromSlot].State != inventory.SlotPopulated {
			return s, fmt.Errorf("%s holds no module to %s; filled are %s", sys.Slots[s.FromSlot].Name(), c.Do, filledSlots(sys))
		}
	}
	if c.Do != Remove {
		if s.ToSlot, err = findSlot(sys, c.To); err != nil {
			return s, err
		}
		if to := &sys.Slots[s.ToSlot]; to.State != inventory.SlotEmpty {
			swap := ""
			if s.Do == Move && s.FromSlot != s.ToSlot && to.State == inventory.SlotPopulated {
				swap = ", or swap the two: --move A=B --move B=A"
			}
			return s, fmt.Errorf("%s is not empty: move or remove its module first%s", to.Name(), swap)
		}
	}
	if c.Do == Install {
		if s.LikeSlot = sampleModule(sys, topo, c.Bytes, s.ToSlot); s.LikeSlot == none {
			return s, fmt.Errorf("the machine holds no module that one to be installed could be like")
		}
	}
	return s, nil
}

// mostNamed bounds the slots that an error lists.
const mostNamed = 16

func filledSlots(sys *inventory.System) string {
	var out []string
	for i := range sys.Slots {
		if sys.Slots[i].State == inventory.SlotPopulated {
			out = append(out, sys.Slots[i].Name())
		}
	}
	return cmp.Or(humanize.Truncated(mostNamed, out), "none")
}

// sampleModule is best of the same channel, else of the same processor, and of another size if there is none of this.
func sampleModule(sys *inventory.System, topo *population.Result, bytes int64, to int) int {
	best, least := none, math.MaxInt
	for i := range sys.Slots {
		s := &sys.Slots[i]
		if !s.HoldsDRAM() {
			continue
		}
		far := 0
		for weight, differs := range []bool{topo.Placements[i].Channel != topo.Placements[to].Channel,
			topo.Placements[i].Socket != topo.Placements[to].Socket, s.SizeBytes.Or(0) != bytes} {
			if differs {
				far += 1 << weight
			}
		}
		if far < least {
			best, least = i, far
		}
	}
	return best
}

// Compare audits what a machine would be and checks it against what it is.
func Compare(sys *inventory.System, topo *population.Result, found *verdict.Audit, after *inventory.System, p Pipeline) (Outcome, error) {
	next := topo.WithRunningClock().WithModules(sys, after, p.Rules)
	p.seats = controllersOfNodes(sys, topo)
	assignNodeMemory(after, next, p.seats)
	audited, err := p.Verdicts(after, next, p.isShownInWhatIf)
	if err != nil {
		return Outcome{}, err
	}
	out := Outcome{Before: reachesOf(topo), After: reachesOf(next)}
	before, then := collectFailures(found.Findings, p.isShownInWhatIf), collectFailures(audited.Findings, p.isShownInWhatIf)
	then = p.onlyRepeated(then, before)
	out.Before.Findings, out.After.Findings = append(out.Before.Findings, before...), append(out.After.Findings, then...)
	out.FindingsGone, out.FindingsNew = append([]Failure{}, goneFailures(before, then)...), append([]Failure{}, goneFailures(then, before)...)
	return out, nil
}

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
		func(full string) bool { return full == handleInName(name) },
		func(full string) bool { return bareName(full) == bareName(name) },
		func(full string) bool { return !isHandle(full) && endsInBareName(bareName(full), bareName(name)) },
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
		return none, fmt.Errorf("no slot %q%s; %s", name, closestSlotName(sys, name), slotForms)
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

// The bank's label is one if labels repeat: P0 CHANNEL A, which may have one slot only.
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

func bareName(name string) string { return strings.Join(nameWords(name), "") }

// endsInBareName reports whether a bare name ends in another one that does not begin within a number.
func endsInBareName(full, end string) bool {
	head, ok := strings.CutSuffix(full, end)
	return ok && (head == "" || !isDigit(end[0]) || !isDigit(head[len(head)-1]))
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

// PROC 1 DIMM 4 ends in 1/4: letters may be left out between the words, a number never.
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

// handleInName is 1100 of "0x1100", "1100" and "slot 0x1100 (DIMM_A1)", as slotNames prints it.
func handleInName(name string) string {
	m := handleForm.FindStringSubmatch(name)
	if m == nil {
		return ""
	}
	n, _ := strconv.ParseUint(m[1]+m[2], 16, 16) // at most four digits
	return inventory.Handle(uint16(n)).String()
}

func isHandle(name string) bool { return strings.HasPrefix(name, "0x") && handleInName(name) == name }

// A handle is proposed only for a name like a handle and for a slot without a label.
func closestSlotName(sys *inventory.System, name string) string {
	best, least := "", math.MaxInt
	wanted := bareName(name)
	for i := range sys.Slots {
		for _, n := range slotNames(sys, i) {
			if isHandle(n) && handleInName(name) == "" && sys.Slots[i].Locator.Or("") != "" {
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
