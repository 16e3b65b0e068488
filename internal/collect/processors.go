package collect

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"memaudit.example/memaudit/internal/model/fact"
	"memaudit.example/memaudit/internal/model/humanize"
	"memaudit.example/memaudit/internal/model/inventory"
	"memaudit.example/memaudit/internal/model/placeholder"
	"memaudit.example/memaudit/internal/source/smbios"
)

// fillSockets fills in the sockets: one for each central processor in SMBIOS (onePerSocket), including
// empty sockets; if SMBIOS lists none, one for each package of the kernel. In Xen's privileged domain
// the packages are virtual and are not used.
func (c *collector) fillSockets() {
	if c.table != nil {
		central := slices.DeleteFunc(c.onePerSocket(c.table.Processors()), func(p smbios.Processor) bool {
			kind, ok := p.Type.Get()
			return ok && kind != "Central Processor"
		})
		running := slices.ContainsFunc(central, func(p smbios.Processor) bool { return p.Populated.Or(false) && !isUndetected(&p) })
		seen := make(map[smbios.Processor]bool, len(central))
		central, numbers := inBoardOrder(central)
		for i, p := range central {
			c.addUnlistedSockets(numbers, i)
			s := structureOf(4, p.Handle, c.table)
			out := readSocket(s, &p, len(c.sys.Sockets))
			if running && isUndetected(&p) { // old desktop boards report their only processor as disabled
				out = inventory.Socket{ID: out.ID, Handle: out.Handle, Designation: out.Designation, Manufacturer: out.Manufacturer,
					Upgrade: out.Upgrade, Enabled: out.Enabled,
					Populated: fact.Known(false, fact.Indirect, s.fieldEvidence("Status", "Populated, "+p.State.Value), s.fieldEvidence("ID", "0"))}
			}
			like := p
			like.Handle = 0
			if seen[like] && out.Populated.Or(false) {
				out.Populated = fact.Unknown[bool](fact.Conflicting, "this processor and another one are equal in all but their handles, and may be one that is listed twice", "", s.fieldEvidence("Status", p.State.Or("")))
			}
			seen[like] = true
			c.sys.Sockets = append(c.sys.Sockets, out)
		}
	}
	packages, known := c.sys.CPU.Packages.Get()
	if c.isPrivilegedDomain() {
		known = false // the packages are virtual
	}
	if len(c.sys.Sockets) == 0 {
		if known {
			c.addPackages(packages)
		} else if c.facts == nil && c.table != nil {
			c.addSingleSocket()
		}
		return
	}
	if known && !c.sys.Machine.Virtual.Or(false) {
		c.joinPackages(packages)
	}
}

// inBoardOrder sorts processors by the numbers in their designations, if these differ only in the
// number, and returns the numbers: the X8DT3 and X8DT6 list CPU 2 before CPU 1, and call the slots P1
// and P2. Otherwise it keeps the table's order and returns no numbers.
func inBoardOrder(all []smbios.Processor) (sorted []smbios.Processor, numbers []int) {
	byHandle := make(map[uint16]int, len(all))
	name := ""
	for i := range all {
		designation := strings.TrimSpace(all[i].Designation.Or(""))
		letters := strings.TrimRight(designation, "0123456789")
		n, err := strconv.Atoi(designation[len(letters):])
		if err != nil || i > 0 && letters != name {
			return all, nil
		}
		byHandle[all[i].Handle], name = n, letters
	}
	slices.SortStableFunc(all, func(a, b smbios.Processor) int {
		return cmp.Compare(byHandle[a.Handle], byHandle[b.Handle])
	})
	for i := range all {
		numbers = append(numbers, byHandle[all[i].Handle])
	}
	return all, numbers
}

// addUnlistedSockets adds the empty sockets that firmware leaves out before the processor with this index.
// Example: a PRIMERGY RX600 S6 with two processors lists CPU1 and CPU3.
func (c *collector) addUnlistedSockets(numbers []int, i int) {
	if i == 0 || len(numbers) < 2 || numbers[0] > 1 || numbers[len(numbers)-1] > 8 { // no board has more sockets
		return
	}
	for n := numbers[i-1] + 1; n < numbers[i]; n++ {
		at := fact.At(inventory.SourceSMBIOS, inventory.TablePath, fmt.Sprintf("no processor %d between %d and %d", n, numbers[i-1], numbers[i]))
		c.sys.Sockets = append(c.sys.Sockets, inventory.Socket{ID: len(c.sys.Sockets), Handle: -1, Populated: fact.Known(false, fact.Indirect, at)})
	}
}

func readSocket(s structure, p *smbios.Processor, id int) inventory.Socket {
	out := inventory.Socket{ID: id, Handle: int(p.Handle),
		Designation:  textFact(s, "Socket Designation", p.Designation),
		Populated:    fieldFact(s, "Status", p.Populated, fact.Direct),
		Manufacturer: textFact(s, "Manufacturer", p.Manufacturer),
		Upgrade:      wordFact(s, "Upgrade", p.Upgrade),
		Enabled:      isEnabled(s, p)}
	if populated, ok := out.Populated.Get(); ok && !populated {
		return out // firmware leaves old text in the fields of an empty socket
	}
	out.Brand = textFact(s, "Version", p.Version)
	out.Series = wordFact(s, "Family", p.FamilyName)
	out.Cores = fieldFact(s, "Core Count", p.CoreCount, fact.Direct)
	out.CoresEnabled = fieldFact(s, "Core Enabled", p.CoresEnabled, fact.Direct)
	out.Threads = fieldFact(s, "Thread Count", p.ThreadCount, fact.Indirect)
	out.ThreadsEnabled = unknownField[int](s, "Thread Enabled", smbios.Missing)
	if out.Threads.Known() && s.version.AtLeast(3, 6) {
		out.ThreadsEnabled = fieldFact(s, "Thread Enabled", p.ThreadsEnabled, fact.Indirect)
	}
	if id, ok := p.CPUID.Get(); ok {
		at := s.fieldEvidence("ID", fmt.Sprintf("family %d model %d stepping %d", id.Family, id.Model, id.Stepping))
		out.Family = fact.Known(id.Family, fact.Direct, at)
		out.Model = fact.Known(id.Model, fact.Direct, at)
		out.Stepping = fact.Known(id.Stepping, fact.Direct, at)
	} else {
		out.Family = unknownField[int](s, "ID", p.CPUID.Status)
		out.Model, out.Stepping = out.Family, out.Family
	}
	out.Vendor = processorVendor(out)
	return out
}

// isUndetected reports whether firmware describes a socket as populated and disabled, with an ID of zeros
// and no version: it detected no processor there (Altus 1804). A processor that was disabled in setup
// keeps ID and version.
func isUndetected(p *smbios.Processor) bool {
	return p.Populated.Or(false) && strings.HasPrefix(p.State.Or(""), "Disabled") && p.ID.Status == smbios.Unstated &&
		p.Version.Status != smbios.Missing && (p.Version.Status != smbios.Known || placeholder.Is(p.Version.Value))
}

func isEnabled(s structure, p *smbios.Processor) fact.Fact[bool] {
	state := p.State.Or("")
	if !p.State.Known() || state == "Unknown" || state == "Other" {
		return unknownField[bool](s, "Status", smbios.Unstated)
	}
	return fact.Known(!strings.HasPrefix(state, "Disabled"), fact.Direct, s.fieldEvidence("Status", state))
}

var vendorWords = [...]struct{ word, vendor string }{
	{"intel", "GenuineIntel"}, {"amd", "AuthenticAMD"}, {"advanced micro", "AuthenticAMD"}, {"hygon", "HygonGenuine"},
	{"arm", "ARM"}, {"ampere", "ARM"}, {"hisilicon", "ARM"}, {"phytium", "ARM"}, {"nvidia", "ARM"}, {"cavium", "ARM"}, {"apm", "ARM"},
}

func processorVendor(s inventory.Socket) fact.Fact[string] {
	for _, f := range []fact.Fact[string]{s.Manufacturer, s.Brand} {
		text := strings.ToLower(f.Or(""))
		for _, v := range vendorWords {
			if strings.Contains(text, v.word) {
				return fact.Known(v.vendor, fact.Direct, f.From)
			}
		}
	}
	return fact.Unknown[string](fact.Unstated, "neither manufacturer nor brand string names the processor's vendor", "", s.Manufacturer.From)
}

// addPackages adds a socket for each of the kernel's packages if SMBIOS lists none. The kernel
// does not know empty sockets.
func (c *collector) addPackages(packages []inventory.Package) {
	cpu := &c.sys.CPU
	for i, p := range packages {
		c.sys.Sockets = append(c.sys.Sockets, inventory.Socket{ID: i, Handle: -1,
			Populated: fact.Known(true, fact.Direct, cpu.Packages.From),
			Enabled:   fact.Known(true, fact.Direct, cpu.Packages.From),
			Brand:     cpu.Brand, Vendor: cpu.Vendor, Family: cpu.Family, Model: cpu.Model, Stepping: cpu.Stepping,
			CoresEnabled: fact.Known(p.Cores, fact.Direct, cpu.Packages.From),
			Package:      fact.Known(p.ID, fact.Direct, cpu.Packages.From)})
	}
}

// addSingleSocket adds one socket if the table lists no processor (as `dmidecode -t memory` prints it) and
// a single array of a few unregistered modules: such a board has one processor. Rows without their array are an
// excerpt, which may leave slots out.
func (c *collector) addSingleSocket() {
	arrays := map[uint16]bool{}
	slots, packages := 0, 0
	for d := range c.table.EachMemoryDevice() {
		if d.Type.Or("") == "Flash" || isROM(d) {
			continue
		}
		arrays[d.Array.Or(0)] = true
		if slots++; strings.HasPrefix(d.Type.Or(""), "LPDDR") {
			packages++
		}
		if d.Detail.Or(0)&(smbios.DetailRegistered|smbios.DetailLRDIMM) != 0 || strings.Contains(d.Type.Or(""), "FB-DIMM") {
			return
		}
	}
	announced := 0
	for _, a := range c.table.MemoryArrays() {
		if a.Use.Or(systemMemory) == systemMemory {
			announced += a.Devices.Or(0)
		}
	}
	// No board with several processors has as few as four slots in one array.
	if len(arrays) != 1 || announced == 0 || packages != slots && max(slots, announced) > 4 {
		return
	}
	at := fact.At(inventory.SourceSMBIOS, inventory.TablePath, "no processor listed, one array of "+humanize.Plural(max(slots, announced), "slot"))
	c.sys.Sockets = append(c.sys.Sockets, inventory.Socket{ID: 0, Handle: -1,
		Populated: fact.Known(true, fact.Indirect, at), Enabled: fact.Known(true, fact.Indirect, at)})
}

// joinPackages assigns the kernel's packages to the sockets with running processors, in order, and fills
// in from the kernel what SMBIOS does not state. If their numbers differ, the kernel is right: no socket
// gets a package, and a conflict is recorded if both sources certainly describe the same machine.
func (c *collector) joinPackages(packages []inventory.Package) {
	running := c.sys.Running()
	at := c.sys.CPU.Packages.From
	if len(running) != len(packages) {
		reason := fmt.Sprintf("SMBIOS lists %d running processors, the kernel %d", len(running), len(packages))
		for i := range c.sys.Sockets {
			c.sys.Sockets[i].Package = fact.Unknown[int](fact.Conflicting, reason, "", at)
		}
		if c.sameMachine() {
			c.recordConflict("running processors", at, fact.At(inventory.SourceSMBIOS, inventory.TablePath, fmt.Sprint(len(running))), reason)
		}
		return
	}
	for i, s := range running {
		s.Package = fact.Known(packages[i].ID, fact.Corroborated, at)
		s.Vendor, s.Brand = fact.First(s.Vendor, c.sys.CPU.Vendor), fact.First(s.Brand, c.sys.CPU.Brand)
		s.Family, s.Model, s.Stepping = fact.First(s.Family, c.sys.CPU.Family), fact.First(s.Model, c.sys.CPU.Model), fact.First(s.Stepping, c.sys.CPU.Stepping)
	}
}

// onePerSocket removes processor structures that describe hardware threads. Apple's firmware writes one
// for each thread, "CPU-A (00)" to "CPU-B (33)" or with the same designation each time; the first of
// each socket is kept. Equal designations by other vendors are different processors in sockets of the
// same kind ("1366-pin LGA" twice), and all are kept.
func (c *collector) onePerSocket(all []smbios.Processor) []smbios.Processor {
	maker, _ := c.table.System()
	apple := strings.HasPrefix(strings.ToLower(maker.Manufacturer.Or("")), "apple")
	kept := make([]smbios.Processor, 0, len(all))
	first := make(map[string]int, 2)
	for p := range inventory.Pointers(all) {
		socket, numbered := stripThreadNumber(p.Designation.Or(""), apple)
		if populated, ok := p.Populated.Get(); !ok || !populated || socket == "" || !numbered && !apple {
			kept = append(kept, *p)
			continue
		}
		at, again := first[socket]
		if !again || kept[at].ID.Or(0) != p.ID.Or(0) || kept[at].Version.Or("") != p.Version.Or("") {
			first[socket] = len(kept)
			kept = append(kept, *p)
		}
	}
	if n := len(all) - len(kept); n > 0 {
		c.recordConflict("sockets", fact.Evidence{Source: inventory.SourceSMBIOS, Path: inventory.TablePath, Field: "type 4", Raw: fmt.Sprintf("%d sockets", len(kept))},
			fact.Evidence{Source: inventory.SourceSMBIOS, Path: inventory.TablePath, Field: "type 4", Raw: fmt.Sprintf("%d processors", len(all))},
			"the firmware writes one structure a hardware thread")
	}
	return kept
}

// stripThreadNumber removes the number of a hardware thread from a socket's designation: two digits in brackets
// ("CPU-A (00)"), and on Apple's machines any number, also between spaces ("CPU-A ( 0 )" of the
// MacPro3,1). On other machines a single digit in brackets is the number of the socket.
func stripThreadNumber(designation string, apple bool) (socket string, numbered bool) {
	designation = strings.TrimSpace(designation)
	at := strings.LastIndex(designation, " (")
	if at < 0 || !strings.HasSuffix(designation, ")") {
		return designation, false
	}
	number := strings.TrimSuffix(designation[at+len(" ("):], ")")
	if apple {
		number = strings.TrimSpace(number)
	} else if len(number) != len("00") {
		return designation, false
	}
	if number == "" || strings.Trim(number, "0123456789") != "" {
		return designation, false
	}
	return designation[:at], true
}
