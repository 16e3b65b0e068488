package report

import (
	"slices"
	"strconv"
	"strings"

	"memaudit.example/memaudit/internal/advice/plan"
	"memaudit.example/memaudit/internal/model/ddr"
	"memaudit.example/memaudit/internal/model/humanize"
	"memaudit.example/memaudit/internal/model/inventory"
)

// StepLine is one line of an advice's steps: those of one kind at one processor, or at several with equally named
// slots.
type StepLine struct {
	Text string
	// Steps are the indexes of the steps that the line covers.
	Steps []int
	// buy is the line where the modules are to be bought, "" for one module and for any other step.
	buy string
	// each begins the line if it is about several processors: "on each of CPU1 and CPU2: ". Else step is one of the steps,
	// and names are the slots of all.
	each  string
	step  *plan.Step
	names []string
}

// StepLines gathers an advice's steps into lines, in the order in which they are
// carried out, or what is installed last; inv is the machine's.
func StepLines(steps []plan.Step, inv *Inventory) []StepLine {
	b := stepBoard{inv: inv, slots: map[string]*inventory.Slot{}, whole: len(MisnamedSockets(inv)) > 0}
	for i := range inv.Slots {
		b.slots[inv.Slots[i].Handle.String()] = &inv.Slots[i]
	}
	actions := installsLast(b.rotationsOf(steps))
	var out []StepLine
	for from := 0; from < len(actions); {
		to := from + 1
		for to < len(actions) && actions[to].groupingKey() == actions[from].groupingKey() {
			to++
		}
		out = append(out, b.runLines(actions[from:to])...)
		from = to
	}
	if len(steps) > 0 && steps[0].ToChannel != nil {
		out[len(out)-1].Text += "; the manual says which slot of a channel is filled first"
	}
	return out
}

// stepBoard has the machine's slots by handle; whole is set if labels are not to be shortened.
type stepBoard struct {
	inv   *Inventory
	slots map[string]*inventory.Slot
	whole bool
}

func (b *stepBoard) namesOfSlots(handles ...string) []string {
	out := make([]string, len(handles))
	for i, h := range handles {
		out[i] = "slot " + h
		if s := b.slots[h]; s != nil {
			out[i] = s.Name()
		}
	}
	return out
}

// action is one action: a step, or those in which the modules of two or more slots change places.
type action struct {
	plan.Step
	// steps are the indexes of the steps.
	steps []int
	// slots are the names of three or more slots of which each gets the module of the next.
	slots []string
}

// A swap is one step of two slots; changeRound are several of three slots or more.
const (
	swap        = "swap"
	changeRound = "round"
)

// rotationsOf joins the swaps in which more than two modules change places.
func (b *stepBoard) rotationsOf(steps []plan.Step) []action {
	var out []action
	for i := 0; i < len(steps); i++ {
		d := action{Step: steps[i], steps: []int{i}}
		if steps[i].Do == swap {
			slots, n := swapRing(steps[i:])
			for k := 1; k < n; k++ {
				d.steps = append(d.steps, i+k)
			}
			if i += n - 1; n > 1 {
				d.Do, d.slots = changeRound, b.namesOfSlots(slots...)
			}
		}
		out = append(out, d)
	}
	return out
}

// installsLast moves the steps that install modules behind the others, those of equal modules together, so that what is
// to be bought is named once. They fill slots that no step takes a module from.
func installsLast(actions []action) []action {
	order := map[string]int{} // of the kinds of modules; 0 for other steps
	for i := range actions {
		if d := &actions[i]; d.Do == plan.Install && order[d.groupingKey()] == 0 {
			order[d.groupingKey()] = len(order) + 1
		}
	}
	slices.SortStableFunc(actions, func(x, y action) int { return order[x.groupingKey()] - order[y.groupingKey()] })
	return actions
}

// swapRing returns the handles of the slots whose modules the swaps at the beginning of the steps pass round:
// the module of each slot goes to the slot before it in the list, that of the first to the last. n is
// the number of these steps.
func swapRing(steps []plan.Step) (slots []string, n int) {
	first, to := steps[0].From, steps[0].To
	came := map[string]string{first: to, to: first}
	for n = 1; n < len(steps) && steps[n].Do == swap; n++ {
		x, y := steps[n].From, steps[n].To
		if _, known := came[x]; !known {
			x, y = y, x
		}
		from, inside := came[x]
		if _, both := came[y]; both || !inside {
			break
		}
		came[x], came[y] = y, from
	}
	slots = []string{first}
	for at := came[first]; at != first; at = came[at] {
		slots = append(slots, at)
	}
	return slots, n
}

func (d *action) groupingKey() string {
	return string(d.Do) + strings.Join(d.slots, "\n") + "\n" + ModuleWords(d.Module) + "\n" + d.Setting
}

type stepGroup struct {
	steps []int
	// names are the slots in order: of a move or a swap the two of each.
	names []string
}

// runLines makes lines of consecutive actions of one kind. Modules that move from
// one processor to another have a line each: their order counts.
func (b *stepBoard) runLines(actions []action) []StepLine {
	var groups []stepGroup
	at := map[int]int{}
	for i := range actions {
		s := &actions[i].Step
		owner, one := b.stayingProcessor(s)
		n, ok := at[owner]
		if !one || !ok {
			n = len(groups)
			groups = append(groups, stepGroup{})
			if one {
				at[owner] = n
			}
		}
		e := &groups[n]
		names := actions[i].slots
		if names == nil {
			names = b.stepNames(s)
		}
		e.steps, e.names = append(e.steps, actions[i].steps...), append(e.names, names...)
		if !one { // what comes after it may need the slot that it frees
			at = map[int]int{}
		}
	}
	return joinStepGroups(&actions[0].Step, groups, b.whole)
}

// stayingProcessor is the processor that a step stays with; one is false for a move or a
// swap between two.
func (b *stepBoard) stayingProcessor(s *plan.Step) (owner int, one bool) {
	if s.ToChannel != nil {
		to, from := s.ToChannel.SocketID(), s.FromChannel.SocketID()
		return to, s.FromChannel == nil || from == to
	}
	owner, one = -1, true
	for i, h := range []string{s.From, s.To, s.At} {
		if h == "" {
			continue
		}
		o := -1
		if slot := b.slots[h]; slot != nil && slot.Socket != nil {
			o = *slot.Socket
		}
		one = one && (i == 0 || s.From == "" || o == owner)
		owner = o
	}
	return owner, one
}

func (b *stepBoard) stepNames(s *plan.Step) []string {
	switch {
	case s.FromChannel != nil:
		return []string{b.inv.channelName(s.FromChannel), b.inv.channelName(s.ToChannel)}
	case s.ToChannel != nil:
		return []string{b.inv.channelName(s.ToChannel)}
	}
	switch s.Do {
	case "set":
		return nil
	case "move", swap:
		return b.namesOfSlots(s.From, s.To)
	case "remove":
		return b.namesOfSlots(s.From)
	case "exchange":
		return b.namesOfSlots(s.At)
	default:
		return b.namesOfSlots(s.To)
	}
}

// joinStepGroups joins groups of steps whose slots have the same names after the processors' own: "PROC 1 DIMM 3" and
// "PROC 2 DIMM 3". Labels stay complete if the names in them are other processors' in the picture.
func joinStepGroups(s *plan.Step, groups []stepGroup, whole bool) []StepLine {
	var out []StepLine
	var fills, all []string
	for i := 0; i < len(groups); {
		group := groups[i : i+1]
		var heads []string
		rest := groups[i].names
		for j := i + 2; j <= len(groups); j++ {
			h, r, ok := splitHeads(groups[i:j])
			if !ok || whole {
				break
			}
			group, heads, rest = groups[i:j], h, r
		}
		line, fill := StepLine{Text: describeGroup(s, rest), step: s, names: rest}, slotNames(rest)
		if heads != nil {
			if len(heads) > 2 {
				heads = humanize.Spans(heads)
			}
			each := "on each of " + humanize.List(heads)
			line.each = each + ": "
			line.Text, fill = line.each+line.Text, fill+" "+each
		}
		for _, e := range group {
			line.Steps, all = append(line.Steps, e.steps...), append(all, e.names...)
		}
		slices.Sort(line.Steps)
		out, fills = append(out, line), append(fills, fill)
		i += len(group)
	}
	if s.Do == plan.Install && s.ToChannel == nil && len(all) > 1 {
		if len(fills) == len(groups) {
			fills = []string{slotNames(all)}
		}
		return []StepLine{installLine(s.Module, out, len(all), strings.Join(fills, "; "))}
	}
	return out
}

// installLine joins the lines that install the same module: how many there are, and all their slots.
func installLine(m *plan.Module, lines []StepLine, n int, slots string) StepLine {
	var out StepLine
	for _, l := range lines {
		out.Steps = append(out.Steps, l.Steps...)
	}
	slices.Sort(out.Steps)
	modules := strconv.Itoa(n) + " x " + ModuleWords(m)
	if modules == strconv.Itoa(n)+" x a module" {
		modules = humanize.Plural(n, "module")
	}
	out.Text, out.buy = "install "+modules+" in "+slots, "buy "+modules+"; fill "+slots
	return out
}

// splitHeads splits the names of several groups into a head that differs between
// them, one for each, and rests that are the same.
func splitHeads(groups []stepGroup) (heads, rests []string, ok bool) {
	for n := range groups {
		e, next := &groups[n], &groups[(n+1)%len(groups)]
		if len(e.names) != len(next.names) {
			return nil, nil, false
		}
		for i, name := range e.names {
			head := name[:headEnd(name, next.names[i])]
			rest := strings.TrimLeft(name[len(head):], "-_ :.")
			if head == "" || rest == "" {
				return nil, nil, false
			}
			if i == 0 {
				heads = append(heads, head)
			}
			if n == 0 {
				rests = append(rests, rest)
			}
			if heads[n] != head || rests[i] != rest {
				return nil, nil, false
			}
		}
	}
	return heads, rests, true
}

// headEnd is the end of the word in which two names first differ; 0 if they are equal.
func headEnd(name, other string) int {
	at := 0
	for at < len(name) && at < len(other) && name[at] == other[at] {
		at++
	}
	if name == other {
		return 0
	}
	for at < len(name) && alphanumeric(name[at]) {
		at++
	}
	return at
}

// channelWords describes what is done with the channels of these names: of a move the two of each.
func channelWords(s *plan.Step, names []string) string {
	var ways humanize.Groups[string]
	if s.FromChannel == nil {
		var equal humanize.Groups[string] // channels that get the same number of modules
		for _, name := range names {
			ways.Add(name, name)
		}
		for _, name := range ways.Names {
			equal.Add(strconv.Itoa(len(ways.Of[name])), name)
		}
		return "install " + humanize.List(humanize.Each(equal.Names, func(n string) string {
			how := ModuleWords(s.Module) + " on " + channelNames(equal.Of[n])
			if n != "1" {
				how = n + " x " + how
			}
			return how
		}))
	}
	for way := range slices.Chunk(names, 2) {
		ways.Add(" from "+way[0]+" to "+way[1], way[0])
	}
	for i, way := range ways.Names {
		n := len(ways.Of[way])
		ways.Names[i] = strconv.Itoa(n) + way
		if i == 0 {
			ways.Names[i] = humanize.Plural(n, "module") + " (" + ModuleWords(s.Module) + ")" + way
		}
	}
	return "move " + humanize.List(ways.Names)
}

// channelNames lists channels: "each of CPU1 channels 0, 1 and 2".
func channelNames(names []string) string {
	head := names[0][:strings.LastIndex(names[0], " ")+1]
	if len(names) == 1 || slices.ContainsFunc(names, func(n string) bool { return !strings.HasPrefix(n, head) }) {
		return humanize.List(names)
	}
	numbers := make([]string, len(names))
	for i, n := range names {
		numbers[i] = n[len(head):]
	}
	return "each of " + strings.TrimSuffix(head, " ") + "s " + humanize.List(numbers)
}

// ChannelName is the board's name of a socket's channel, otherwise its number.
func (inv *Inventory) ChannelName(socket *int, channel int) string {
	if p := inv.PopulationOf(SocketID(socket)); p != nil && channel < len(p.ChannelNames) {
		return p.ChannelNames[channel]
	}
	return strconv.Itoa(channel)
}

func (inv *Inventory) channelName(c *plan.Channel) string {
	name := "channel " + inv.ChannelName(c.Socket, c.Channel)
	if c.Socket != nil && len(inv.Sockets) > 1 {
		name = inv.SocketName(*c.Socket) + " " + name
	}
	return name
}

func describeGroup(s *plan.Step, names []string) string {
	if s.ToChannel != nil {
		return channelWords(s, names)
	}
	switch s.Do {
	case "set":
		return describeSetting(s)
	case "move":
		var moves []string
		for way := range slices.Chunk(names, 2) {
			moves = append(moves, way[0]+" to "+way[1])
		}
		return "move " + humanize.List(moves)
	case swap:
		var pairs []string
		for i := 0; i+1 < len(names); i += 2 {
			pairs = append(pairs, names[i]+" and "+names[i+1])
		}
		return "swap the modules of " + strings.Join(pairs, ", of ")
	case changeRound:
		var moves []string
		for i, to := range names[:len(names)-1] {
			moves = append(moves, names[i+1]+" to "+to)
		}
		return "take the module out of " + names[0] + ", move " + humanize.List(moves) + ", and put it into " + names[len(names)-1]
	case "remove":
		return "take out " + slotNames(names)
	case "exchange":
		module := ModuleWords(s.Module)
		if len(names) > 1 && s.Module != nil && s.Module.SizeBytes != nil {
			module = strconv.Itoa(len(names)) + " x " + module
		}
		return "replace " + slotNames(names) + " with " + module
	default:
		return "install " + ModuleWords(s.Module) + " in " + slotNames(names)
	}
}

// slotNames lists slots: "Main Board/CPU 0 DIMM B1, C1 and D1".
func slotNames(names []string) string { return humanize.List(humanize.Spans(names)) }

// ModuleWords describes a module: "2 GiB dual-rank DDR3-1333 RDIMM"; "a module" if nothing is known of it.
func ModuleWords(m *plan.Module) string {
	if m == nil {
		return "a module"
	}
	out := "a module"
	if m.SizeBytes != nil {
		out = humanize.Size(*m.SizeBytes)
	}
	if m.Ranks != nil {
		out += " " + humanize.Ranked(*m.Ranks)
	}
	if m.Type != "" {
		out += " " + string(m.Type)
	}
	switch {
	case m.RatedMTs == nil:
	case m.Type != "" && (ddr.HasRate(string(m.Type), *m.RatedMTs) || !ddr.Listed(string(m.Type))):
		out += "-" + strconv.Itoa(ddr.Nominal(*m.RatedMTs))
	default: // without a kind, or a speed that no module of the kind is sold by
		out += " for " + strconv.Itoa(*m.RatedMTs) + " MT/s"
	}
	if m.Kind != "" {
		out += " " + m.Kind
	}
	return out
}

// describeSetting describes a change and how to make it: a tool's command line, the menus of BIOS setup, or both, of which
// one is enough.
func describeSetting(s *plan.Step) string {
	var ways []string
	if s.Tool != "" {
		command := s.Command
		if !strings.HasPrefix(command, s.Tool+" ") {
			command = s.Tool + ": " + command
		}
		ways = append(ways, command)
	}
	if s.Menu != "" {
		ways = append(ways, "BIOS setup: "+s.Menu)
	}
	return "set " + s.Setting + " to " + s.Value + " (" + strings.Join(ways, "; or ") + ")"
}

// MisnamedSockets returns, for each socket whose slots' labels begin with another socket's name, that beginning: a
// ThinkStation P920 has CPU1_DIMM_1 at its CPU0. It is empty for most machines.
func MisnamedSockets(inv *Inventory) map[int]string {
	out := map[int]string{}
	for i := range inv.Slots {
		s := &inv.Slots[i]
		label, own, other := s.Locator.Or(""), 0, 0
		if s.Socket == nil || label == "" || out[*s.Socket] != "" {
			continue
		}
		for j := range inv.Sockets {
			switch n := namePrefixLength(label, inv.Sockets[j].Designation.Or("")); {
			case inv.Sockets[j].ID == *s.Socket:
				own = n
			case n > 0:
				other = n
			}
		}
		if own == 0 && other > 0 {
			out[*s.Socket] = label[:other]
		}
	}
	return out
}

// namePrefixLength returns the length of the processor's name at the beginning of a label, ignoring blanks and signs: 4 of
// CPU1_DIMM_1 by "CPU 1". It is 0 if the label begins otherwise, or the name does not end in a number: "CPU" does not
// distinguish processors. It allocates nothing: every slot is checked against every processor.
func namePrefixLength(label, name string) int {
	if name == "" || !isDigit(name[len(name)-1]) {
		return 0
	}
	at := 0
	for i := range len(name) {
		if !alphanumeric(name[i]) {
			continue
		}
		for at < len(label) && !alphanumeric(label[at]) {
			at++
		}
		if at == len(label) || smallLetter(label[at]) != smallLetter(name[i]) {
			return 0
		}
		at++
	}
	if at == len(label) || isDigit(label[at]) { // CPU1 is not a beginning of CPU11
		return 0
	}
	return at
}

func alphanumeric(c byte) bool {
	return isDigit(c) || smallLetter(c) >= 'a' && smallLetter(c) <= 'z'
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

func smallLetter(c byte) byte {
	if c >= 'A' && c <= 'Z' {
		return c + 'a' - 'A'
	}
	return c
}
