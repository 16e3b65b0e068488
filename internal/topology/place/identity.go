package place

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"unicode"

	"memaudit.example/memaudit/internal/model/inventory"
	"memaudit.example/memaudit/internal/topology/platform"
)

// identity is the machine's vendor and product as spelled in the index of slot maps: lower case, without words
// that firmware adds arbitrarily.
type identity struct {
	vendor, boardVendor string
	// models are the keys for looking up a slot map, best first.
	models []string
}

// anyBoard replaces the vendor in the keys of boards sold under several vendors' names, or under none.
const anyBoard = "board"

func identifyMachine(m *inventory.Machine) identity {
	id := identity{vendor: platform.VendorWord(m.Vendor.Or("")), boardVendor: platform.VendorWord(m.BoardVendor.Or(""))}
	id.add(id.vendor, m.Product.Or(""))
	id.add(id.boardVendor, m.Board.Or(""))
	id.add(id.vendor, m.Board.Or(""))
	id.add(anyBoard, m.Board.Or(""))
	if id.vendor == "lenovo" {
		// The product is a machine type ("4223AU4"), and its name is in the version.
		id.add(id.vendor, m.ProductVersion.Or(""))
		id.add(id.vendor, m.Family.Or(""))
	}
	return id
}

// Names are the names of a machine that documents are found by.
type Names struct {
	// Makers are the normalised vendors of the system and of its board, which may bear another vendor's name.
	Makers []string
	// Models are the names of the product and of its board, and the product that a board number belongs to.
	Models []string
}

// NamesOf lists the names of a machine, without unknown ones.
func NamesOf(k fs.FS, m *inventory.Machine) Names {
	var n Names
	add := func(to *[]string, name string) {
		if name != "" && !slices.Contains(*to, name) {
			*to = append(*to, name)
		}
	}
	add(&n.Makers, platform.VendorWord(m.Vendor.Or("")))
	add(&n.Makers, platform.VendorWord(m.BoardVendor.Or("")))
	for _, name := range []string{m.Product.Or(""), m.Board.Or("")} {
		add(&n.Models, name)
		if vendor, rest, _ := strings.Cut(name, " "); slices.Contains(n.Makers, platform.VendorWord(vendor)) {
			add(&n.Models, rest) // "IBM System x3550 M4 Server"
		}
	}
	if product := boardProduct(k, m.Board.Or("")); product != "" {
		add(&n.Models, product)
		add(&n.Makers, boardsMaker)
	}
	return n
}

// boardsMaker is the vendor of all boards in slots/boards.tsv.
const boardsMaker = "dell"

// A machine may have another name than the product of its board.
func boardProduct(k fs.FS, board string) string {
	if k == nil || len(board) < len("072T6D") {
		return ""
	}
	raw, _ := fs.ReadFile(k, "slots/boards.tsv")
	product, _, _ := strings.Cut(findInIndex(string(raw), strings.TrimSpace(board)+"\t"), "\t")
	return product
}

func (id *identity) add(vendor, product string) {
	if key := modelKey(vendor, product); key != "" && !slices.Contains(id.models, key) {
		id.models = append(id.models, key)
	}
}

func (id identity) isVendor(list []string) bool {
	return len(list) == 0 || slices.Contains(list, id.vendor) || slices.Contains(list, id.boardVendor)
}

func (id identity) isModel(list []string) bool {
	return len(list) == 0 || slices.ContainsFunc(id.models, func(m string) bool { return slices.Contains(list, m) })
}

// modelNoise are words in product names that do not identify the board.
const modelNoise = ",poweredge,proliant,thinksystem,thinkserver,system,server,ibm,lenovo,hp,hpe,dell,emc," +
	"flex,compute,node,workstation,tower,bladecenter,primergy,sun,fire,oracle,idataplex,x,oemr,blade,module,eserver,netra,super,"

// modelKey is "dell r710", "hp dl380 gen9" or "lenovo x3550 m4", "" without a distinctive word. Punctuation is ignored: firmware
// prints "System x3650 M5: -[8871AC1]-".
func modelKey(vendor, product string) string {
	product, machineType, _ := strings.Cut(product, "-[")
	machineType, _, _ = strings.Cut(machineType, "]")
	key := make([]byte, 0, len(vendor)+len(product)+1)
	key = append(key, vendor...)
	told := false
	for word := range strings.FieldsSeq(strings.ToLower(product)) {
		word = plainWord(word)
		if word == "" || strings.Contains(modelNoise, ","+word+",") {
			continue
		}
		key = append(append(key, ' '), word...)
		told = true
	}
	if !told && len(machineType) < len("7946") {
		return ""
	}
	if !told { // "IBM System x -[79463AM]-": only the machine type is left
		key = append(append(key, ' '), strings.ToLower(machineType[:len("7946")])...)
	}
	return string(key)
}

func plainWord(word string) string {
	return strings.Map(func(r rune) rune {
		if r == '+' || unicode.IsLetter(r) || unicode.IsDigit(r) {
			return r
		}
		return -1
	}, word)
}

// slotGroup is the set of slots that one rule matched. Whether numbers start at 0 or 1, and whether letters
// restart or continue, shows only over all of them.
type slotGroup struct {
	*placer
	rule  *LocatorRule
	slots []int
}

func (pl *placer) memorySlots() int {
	n := 0
	for i := range pl.sys.Slots {
		if pl.sys.Slots[i].Technology.Or(inventory.DRAM) != inventory.Flash {
			n++
		}
	}
	return n
}

func (g *slotGroup) hasField(f labelField) bool {
	return slices.ContainsFunc(g.slots, func(i int) bool { _, ok := g.labels[i].fieldValue(f); return ok })
}

// numberingBase is 0 if the rule defines it so or a label of the group has 0, otherwise 1.
func (g *slotGroup) numberingBase(f labelField) int {
	option := "base0"
	if f == fieldSlot || f == fieldBankSlot {
		option = "slot0"
	}
	if g.rule.hasOption(option) {
		return 0
	}
	for _, i := range g.slots {
		if v, ok := g.labels[i].fieldValue(f); ok && v == 0 {
			return 0
		}
	}
	return 1
}

func (g *slotGroup) distinctValues(f labelField) []int {
	var values []int
	for _, i := range g.slots {
		if v, ok := g.labels[i].fieldValue(f); ok {
			values = insertSorted(values, v)
		}
	}
	return values
}

func insertSorted(values []int, v int) []int {
	if at, found := slices.BinarySearch(values, v); !found {
		return slices.Insert(values, at, v)
	}
	return values
}

func (g *slotGroup) failGroup(reason string, all bool) {
	for _, i := range g.slots {
		g.dropPosition(i, reason, all)
	}
}

func (pl *placer) groupOfRule(r *LocatorRule) *slotGroup {
	var slots []int
	for i := range pl.labels {
		if pl.labels[i].rule == r {
			slots = append(slots, i)
		}
	}
	if slots == nil {
		return nil
	}
	return &slotGroup{placer: pl, rule: r, slots: slots}
}

func (g *slotGroup) derivePositions(k fs.FS) {
	var m *slotMap
	if g.hasField(fieldNumber) {
		var err error
		if m, err = findSlotMap(k, g.id, g.rule.ID, g.memorySlots()); err != nil {
			reason := err.Error()
			if errors.Is(err, errNoSlotMap) {
				reason = fmt.Sprintf("the label gives a number only, and no slot map of %q is known", g.sys.Machine.Product.Or(g.sys.Machine.Board.Or("this machine")))
			}
			g.resolveSockets(nil)
			g.failGroup(reason, false)
			return
		}
	}
	if m != nil && m.Unknown != "" {
		g.resolveUnknown(m)
		return
	}
	g.resolveSockets(m)
	switch {
	case m != nil:
		g.channelsFromMap(m)
	case g.rule.hasOption("boards"):
		g.channelsFromBoards()
	case g.rule.hasOption("cartridges"), g.rule.hasOption("cards"):
		g.socketsFromCartridges()
	case g.rule.hasOption("pair"):
		g.channelsFromPairs(fieldController, fieldLetter, g.labelSource("{L}"))
	case g.hasField(fieldLetter):
		g.channelsFromLetters()
	case g.hasField(fieldChannel):
		g.channelsFromNumbers()
	}
	if m == nil {
		g.slotNumbers()
		g.channelLabels()
	}
}

func (g *slotGroup) resolveUnknown(m *slotMap) {
	if !m.SocketsOnly || len(g.present) != m.Sockets {
		g.failGroup(m.Unknown, true)
		return
	}
	g.resolveSockets(nil)
	g.failGroup(m.Unknown, false)
	for _, i := range g.slots {
		g.out[i].PartWired = m.PartWired
	}
}
