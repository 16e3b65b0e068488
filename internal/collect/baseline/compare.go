package baseline

import (
	"encoding/hex"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"memaudit.example/memaudit/internal/model/fact"
	"memaudit.example/memaudit/internal/model/humanize"
	"memaudit.example/memaudit/internal/model/inventory"
)

// Missing returns the comparison with a baseline that could not be read: all of it is unknown, with the reason.
func Missing(path, reason string, knownBy fact.Input, state fact.State) *inventory.Baseline {
	return &inventory.Baseline{Path: path, Compared: []inventory.Compared{{
		Same: fact.Unknown[bool](state, reason, knownBy, fact.Evidence{Source: "baseline", Path: path})}}}
}

// Compare compares a machine with the accepted hardware. A value that was known then and is unknown now
// never counts as unchanged.
func Compare(path string, then *File, sys *inventory.System) *inventory.Baseline {
	c := &comparison{then: then, now: buildFile(sys, time.Time{}, then.Key), sys: sys, path: path}
	out := &inventory.Baseline{Path: path, SavedAt: then.SavedAt}
	if reason := c.otherMachine(); reason != "" {
		missing := Missing(path, reason, "save a baseline of this machine: memaudit baseline save", fact.Conflicting)
		out.Compared = missing.Compared
		return out
	}
	out.Compared = append(c.compareSlots(), c.compareMachine())
	return out
}

func (c *comparison) compareMachine() inventory.Compared {
	p := &subjectChanges{}
	if !c.isIdentified() {
		p.addUnknown("the system's UUID is not known now, so that this may be another machine")
	}
	if len(c.then.Slots) > 0 && (len(c.now.Slots) == 0 || c.sys.Firmware.Lost != nil) {
		p.addUnknown("firmware's list of slots is not known now, or not whole")
	}
	a, b := &c.then.Machine, &c.now.Machine
	switch {
	case a.BIOSVersion == "":
	case b.BIOSVersion == "":
		p.addUnknown("the BIOS version is not known now")
	case a.BIOSVersion != b.BIOSVersion || a.BIOSDate != "" && b.BIOSDate != "" && a.BIOSDate != b.BIOSDate:
		p.addChange(inventory.BIOSVersion, "BIOS "+printedVersion(a), "BIOS "+printedVersion(b))
	}
	now := map[int]*Socket{}
	for i := range c.now.Sockets {
		now[c.now.Sockets[i].ID] = &c.now.Sockets[i]
	}
	for then := range inventory.Pointers(c.then.Sockets) {
		switch have := now[then.ID]; {
		case have == nil, then.Populated != nil && have.Populated == nil, then.Model != "" && have.Model == "" && !socketEmpty(have):
			p.addUnknown("socket %d is not known now as it was then", then.ID)
		case then.Populated != nil && *then.Populated != *have.Populated:
			p.addChange(inventory.Processor, describeProcessor(then), describeProcessor(have))
		case then.Model == "", then.Model == have.Model:
		case then.Source != have.Source:
			p.addUnknown("the processor of socket %d is read from another source now (%s, then %s)", then.ID, have.Source, then.Source)
		default:
			p.addChange(inventory.Processor, describeProcessor(then), describeProcessor(have))
		}
	}
	switch {
	case len(c.then.Nodes) == 0 || slices.Equal(c.then.Nodes, c.now.Nodes):
	case len(c.now.Nodes) == 0:
		p.addUnknown("the NUMA nodes are not known now")
	default:
		p.addChange(inventory.NUMANodes, "NUMA nodes "+formatNumbers(c.then.Nodes), "NUMA nodes "+formatNumbers(c.now.Nodes))
	}
	c.compareMemory(p)
	c.compareSettings(p)
	return c.finishSubject(p)
}

func printedVersion(m *Machine) string {
	if m.BIOSDate == "" {
		return m.BIOSVersion
	}
	return m.BIOSVersion + " (" + m.BIOSDate + ")"
}

func socketEmpty(s *Socket) bool { return s.Populated != nil && !*s.Populated }

func describeProcessor(s *Socket) string {
	model := s.Model
	switch {
	case socketEmpty(s):
		model = "no processor"
	case model == "":
		model = "a processor"
	}
	return fmt.Sprintf("socket %d: %s", s.ID, model)
}

func formatNumbers(list []int) string {
	words := make([]string, 0, len(list))
	for _, n := range list {
		words = append(words, fmt.Sprint(n))
	}
	return strings.Join(words, ",")
}

// memoryViews are the views of the visible memory by their names in the file, the most complete first.
var memoryViews = []struct{ name, words string }{
	{"memory_map", "in firmware's memory map"}, {"blocks", "in online memory blocks"}, {"total", "in /proc/meminfo (MemTotal)"},
}

// compareMemory compares the visible memory by the best view that both sides have. Differences smaller than
// what firmware and kernel normally reserve are ignored: they vary between kernels.
func (c *comparison) compareMemory(p *subjectChanges) {
	for _, view := range memoryViews {
		then, now := c.then.Memory[view.name], c.now.Memory[view.name]
		if then == 0 || now == 0 {
			continue
		}
		text := func(n int64) string { return humanize.Size(n) + " visible " + view.words }
		// More than the kernel's page structures (64 bytes for each page of 4096, 1.6 %), less than one of 48 equal
		// modules; at least 512 MiB, for a crash kernel.
		switch allowed := max(then/50, 512<<20); {
		case now < then-allowed:
			p.addChange(inventory.MemoryLost, text(then), text(now))
		case now > then+allowed:
			p.addChange(inventory.MemoryGained, text(then), text(now))
		}
		return
	}
	if len(c.then.Memory) > 0 {
		p.addUnknown("the visible memory is not known now")
	}
}

func (c *comparison) compareSettings(p *subjectChanges) {
	unknown := 0
	for _, id := range slices.Sorted(maps.Keys(c.then.Settings)) {
		for _, view := range slices.Sorted(maps.Keys(c.then.Settings[id])) {
			then, now := c.then.Settings[id][view], c.now.Settings[id][view]
			switch {
			case now.Value != "" && now.Value != then.Value && now.Source != then.Source:
				p.addUnknown("setting %s (%s) is %s by %s, and was %s by %s", id, view, now.Value, now.Source, then.Value, then.Source)
			case now.Value == "":
				unknown++
				if unknown <= 3 {
					p.addUnknown("setting %s (%s) is not known now", id, view)
				}
			case now.Value != then.Value:
				p.addChange(inventory.SettingMoved, fmt.Sprintf("setting %s %s (%s)", id, then.Value, view), fmt.Sprintf("setting %s %s (%s)", id, now.Value, view))
			}
		}
	}
	if unknown > 3 {
		p.addUnknown("%d settings in all", unknown)
	}
}

type comparison struct {
	then, now *File
	sys       *inventory.System
	path      string
}

func (c *comparison) otherMachine() string {
	a, b := &c.then.Machine, &c.now.Machine
	for _, f := range []struct{ what, then, now string }{{"vendor", a.Vendor, b.Vendor}, {"product", a.Product, b.Product}} {
		if f.then != "" && f.now != "" && f.then != f.now {
			return fmt.Sprintf("the baseline is of another machine: its %s is %s, here it is %s", f.what, f.then, f.now)
		}
	}
	switch {
	case a.UUID != "" && b.UUID != "":
		if a.UUID != b.UUID && a.UUID != c.swappedUUID() {
			return "the baseline is of another machine: the system's UUID differs (a new main board has another one too)"
		}
	case a.Serial != "" && b.Serial != "" && a.Serial != b.Serial:
		return "the baseline is of another machine: the system's serial number differs (a new main board may have another one too)"
	}
	return ""
}

func (c *comparison) isIdentified() bool {
	a, b := &c.then.Machine, &c.now.Machine
	return a.UUID == "" && a.Serial == "" || a.UUID != "" && b.UUID != "" || a.Serial != "" && b.Serial != ""
}

// SMBIOS before 2.6 writes the first three fields of a UUID as big-endian numbers, so a BIOS update may change the order.
func (c *comparison) swappedUUID() string {
	id := normaliseID(string(c.sys.Machine.Identifiers.SystemUUID))
	b, err := hex.DecodeString(strings.ReplaceAll(id, "-", ""))
	if err != nil || len(b) != 16 {
		return ""
	}
	slices.Reverse(b[0:4])
	slices.Reverse(b[4:6])
	slices.Reverse(b[6:8])
	return newHasher(c.then.Key)("machine", fmt.Sprintf("%x-%x-%x-%x-%x", b[0:4], b[4:6], b[6:8], b[8:10], b[10:]))
}

type subjectChanges struct {
	subject inventory.Subject
	changes []inventory.Change
	unknown []string
}

func (p *subjectChanges) addChange(kind inventory.ChangeKind, then, now string) {
	p.changes = append(p.changes, inventory.Change{Kind: kind, Then: then, Now: now})
}

func (p *subjectChanges) addUnknown(format string, args ...any) {
	p.unknown = append(p.unknown, fmt.Sprintf(format, args...))
}

// A change counts even if other parts are unknown.
func (c *comparison) finishSubject(p *subjectChanges) inventory.Compared {
	at := fact.Evidence{Source: "baseline", Path: c.path, Field: p.subject.String(), Raw: "saved " + c.then.SavedAt}
	out := inventory.Compared{Subject: p.subject, Changes: p.changes}
	var then, now []string
	for _, change := range p.changes {
		then, now = append(then, change.Then), append(now, change.Now)
	}
	out.Then, out.Now = humanize.Truncated(atMost, then), humanize.Truncated(atMost, now)
	switch {
	case len(p.changes) > 0:
		out.Same = fact.Known(false, fact.Direct, at)
	case len(p.unknown) > 0:
		out.Same = fact.Unknown[bool](fact.Unread, "not comparable with the baseline: "+humanize.Truncated(atMost, p.unknown), fact.RootAsBefore, at)
	default:
		out.Same = fact.Known(true, fact.Direct, at)
	}
	return out
}

const atMost = 12
