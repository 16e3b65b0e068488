package place

import (
	"io/fs"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"memaudit.example/memaudit/internal/model/inventory"
	"memaudit.example/memaudit/rules"
)

// TestSetNumbers checks the slot numbers in the rows for every processor.
func TestSetNumbers(t *testing.T) {
	at := func(channel, slot int) *Placement { return &Placement{Channel: channel, Slot: slot} }
	for _, c := range []struct {
		numbering, label string
		at               *Placement
		want             int
	}{
		{"", "DIMM_B4", at(3, 0), 4},
		{"", "D0", at(0, 0), 0},
		{"", "DIMM A", at(0, 0), -1},
		{"+12", "DIMM 12", at(3, 0), 12},
		{"+12", "DIMM 13", at(0, 0), 1},
		{"+12", "DIMM 48", at(3, 0), 12},
		{"33-n", "DIMM 14", at(4, 0), 14},
		{"33-n", "DIMM 19", at(0, 0), 14},
		{"33-n", "DIMM 30", at(4, 0), 3},
		{"letters", "P2-DIMME1", at(0, 0), 101},
		{"letters", "DIMM_B2", at(1, 1), 202},
		{"letters", "DIMM_B2", at(1, -1), -1},
		{"letters", "DIMM_B2", &Placement{Channel: 1, Slot: 1, Unverified: true}, -1},
		{"letters from 0", "DIMM_P1_I0", at(0, 0), 101},
		{"2 boards", "Board 1, DIMM 1A", at(-1, -1), 101},
		{"2 boards", "Board 4, DIMM 8A", at(-1, -1), 208},
		{"2 boards", "DIMM 8A", at(-1, -1), -1},
	} {
		s := &Sets{numbering: c.numbering}
		assert.Equal(t, c.want, s.SlotNumber(c.label, c.at), "%s %s", c.numbering, c.label)
	}
	for _, c := range []struct {
		numbering, word string
		want            int
	}{
		{"", "12", 12},
		{"", "A1", -1},
		{"letters", "A1", 101},
		{"letters", "C2", 302},
		{"letters", "2C", 302},
		{"letters", "A0", -1},
		{"letters from 0", "A0", 101},
		{"letters from 0", "C1", 302},
		{"2 boards", "1/8", 108},
		{"2 boards", "2/1", 201},
		{"2 boards", "8", -1},
	} {
		assert.Equal(t, c.want, (&Sets{numbering: c.numbering}).parseSlot(c.word), "%s %s", c.numbering, c.word)
	}
}

// TestOrderOfSets checks that one slot is first if every set with only one of the two has it.
func TestOrderOfSets(t *testing.T) {
	s := &Sets{Rows: map[int]SetRow{
		1: {Sets: [][]int{{1}}},
		2: {Sets: [][]int{{1, 2}}, Modes: [][]int{{5, 6}}},
		3: {Sets: [][]int{{1, 2, 3}, {1, 2, 4}}},
		4: {Sets: [][]int{{1, 2, 3, 4}}},
	}}
	for _, c := range []struct{ x, y, want int }{
		{x: 1, y: 2, want: -1},
		{x: 2, y: 1, want: 1},
		{x: 2, y: 4, want: -1},
		{x: 3, y: 4, want: 0}, // the sets differ
		{x: 5, y: 6, want: 0}, // no set has either; modes tell nothing
		{x: -1, y: 1, want: 0},
	} {
		assert.Equal(t, c.want, s.CompareOrder(c.x, c.y), "%d and %d", c.x, c.y)
	}
}

// TestSetsOfProducts checks that a version after a model's name makes another model; a type number or a longer form
// of the same name does not.
func TestSetsOfProducts(t *testing.T) {
	for _, c := range []struct {
		product   string
		analogous bool
		one       [][]int // for four modules
	}{
		{"ThinkSystem SR630 V2 -[7Z71CTO1WW]-", false, [][]int{{3, 7, 10, 14}}},
		{"System x3550 M5 -[8869AC1]-", true, [][]int{{1, 4, 9, 12}}},
		{"System x3500 M5 -[5464AC1]-", false, [][]int{{1, 4, 9, 12}}},
		{"SUN BLADE X6270 M2 SERVER MODULE", false, [][]int{{2, 5, 7, 8}}},
		{"UCSC-C240-M5SX", false, nil}, // the manual has no row for four
		{"X9DRW", false, [][]int{{101, 201, 301, 401}}},
		{"ThinkSystem SR860 V4", false, [][]int{{3, 7, 10, 14}, {1, 5, 12, 16}}},
		{"X9DRi-LN4+/X9DR3-LN4+", false, [][]int{{101, 201, 301, 401}}},
		{"X9DRD-7LN4F(-JBOD)/X9DRD-EF", false, [][]int{{101, 201, 301, 401}}},
	} {
		s := ReadSets(rules.FS, &inventory.Machine{Product: known(c.product)})
		require.NotNil(t, s, c.product)
		assert.Equal(t, c.analogous, s.Analogous, c.product)
		assert.Equal(t, c.one, s.Rows[4].Sets, c.product)
	}
	of := func(product, board string) *Sets {
		return ReadSets(rules.FS, &inventory.Machine{Product: known(product), Board: known(board)})
	}
	require.NotNil(t, of("Super Server", "X10DRL-i"), "the board bears the slots")
	assert.True(t, of("Super Server", "X10DRL-i").Analogous)
	assert.Equal(t, [][]int{{1, 2, 3, 4, 5, 6}}, of("PowerEdge R740", "X9DRW").Rows[6].Sets, "the product goes first")
	assert.Nil(t, of("Super Server", "X10DRL-CT"))
	for _, other := range []string{"ThinkSystem SR850 V3", "PowerEdge R7100", "ProLiant DL360 Gen12", "PowerEdge C6520 II"} {
		assert.Nil(t, ReadSets(rules.FS, &inventory.Machine{Product: known(other)}), other)
	}
}

// TestSetsJoinSlotMaps checks that the slots of every row are slots of the maps of the block's products, on each
// processor by the block's numbering.
func TestSetsJoinSlotMaps(t *testing.T) {
	raw, err := fs.ReadFile(rules.FS, setsFile)
	require.NoError(t, err)
	joined := 0
	for block := range strings.SplitSeq("\n"+string(raw), "\nset\t") {
		if strings.HasPrefix(strings.TrimSpace(block), "#") {
			continue
		}
		head := strings.Split(strings.SplitN(block, "\n", 2)[0], "\t")
		if len(head) > 3 && strings.HasPrefix(head[3], lettered) {
			continue // the labels say the channel: no map is needed
		}
		maps := mapsOf(t, head)
		if len(maps) > 0 { // of others the table names slots by number alone
			joined++
		}
		for _, model := range strings.Split(head[1]+";"+head[2], ";") {
			if sets := ReadSets(rules.FS, &inventory.Machine{Product: known(model)}); model != "" && sets != nil {
				joins(t, head[0], sets, maps)
			}
		}
	}
	assert.GreaterOrEqual(t, joined, 25)
}

// patternsOf are the label patterns of each vendor with sets.
var patternsOf = map[string][]string{"Dell Inc.": {"dell", "dell-number"}, "HP": {"hp", "hp-single"}, "IBM": {"lenovo", "ibm-bank"},
	"Oracle": {"oracle"}, "FUJITSU": {"fujitsu-channel-number"}}

// mapsOf finds the slot maps of a block's products.
func mapsOf(t *testing.T, head []string) (out []*slotMap) {
	t.Helper()
	for _, model := range strings.Split(head[1]+";"+head[2], ";") {
		for vendor, patterns := range patternsOf {
			id := identifyMachine(&inventory.Machine{Vendor: known(vendor), Product: known(model)})
			for _, rule := range patterns {
				if m, err := findSlotMap(rules.FS, id, rule, 0); err == nil && m.Unknown == "" && !slices.ContainsFunc(out, func(o *slotMap) bool { return o.ID == m.ID }) {
					out = append(out, m)
				}
			}
		}
	}
	return out
}

// joins checks that the largest set that fits a map consists of its slots, and that the second processor's slots are
// named like the first one's.
func joins(t *testing.T, block string, sets *Sets, maps []*slotMap) {
	t.Helper()
	for _, m := range maps {
		have := map[int]bool{}
		for _, slots := range m.Groups {
			for _, n := range slots {
				have[n] = true
				if m.Offset > 0 {
					label := "DIMM " + strconv.Itoa(n+m.Offset)
					if got := sets.SlotNumber(label, &Placement{}); sets.numbering != "33-n" {
						assert.Equal(t, n, got, "%s: %s by map %s", block, label, m.ID)
					}
				}
			}
		}
		for n, row := range sets.Rows {
			for _, set := range row.Sets {
				if n > len(have) {
					continue // another product of the block has more slots
				}
				for _, slot := range set {
					assert.True(t, have[slot], "%s: slot %d of %d modules is not in map %s", block, slot, n, m.ID)
				}
				if row.Grade == "balanced" {
					assert.Len(t, perChannel(m, set), 1, "%s: %d modules are balanced in the document, not on map %s", block, n, m.ID)
				}
			}
		}
	}
}

// perChannel are the different numbers of slots of a set on the channels that have any.
func perChannel(m *slotMap, set []int) map[int]bool {
	out := map[int]bool{}
	for _, slots := range m.Groups {
		n := 0
		for _, slot := range slots {
			if slices.Contains(set, slot) {
				n++
			}
		}
		if n > 0 {
			out[n] = true
		}
	}
	return out
}

// TestDocumentOfSets checks that a sister model's document is marked as such.
func TestDocumentOfSets(t *testing.T) {
	rows := map[int]SetRow{2: {Source: "the manual"}}
	assert.Equal(t, "the manual", (&Sets{Rows: rows}).Document(2))
	assert.Equal(t, "the manual (manual of a sister model)", (&Sets{Rows: rows, Analogous: true}).Document(2))
	of := map[int]SetRow{1: {Source: "M", Sister: true}, 2: {Source: "N", Derived: true}, 3: {Source: "O", Sister: true, Derived: true}}
	assert.Equal(t, "M (manual of a sister model)", (&Sets{Rows: of}).Document(1))
	assert.Equal(t, "N (set derived, not printed)", (&Sets{Rows: of}).Document(2))
	assert.Equal(t, "O (manual of a sister model, set derived, not printed)", (&Sets{Rows: of}).Document(3))
	assert.Equal(t, "M", (&Sets{Rows: of}).SisterManual("M (manual of a sister model)"))
	assert.Empty(t, (&Sets{Rows: of}).SisterManual("N (set derived, not printed)"))
	assert.Empty(t, (&Sets{Rows: rows}).Document(3))
	assert.Empty(t, (&Sets{Rows: rows, Analogous: true}).Document(3))
}

// TestFillOrder checks which slot of a channel is first in the boards' documents: the blue one, or that farthest from
// the processor, is the second of the S1200SP and the first of the others.
func TestFillOrder(t *testing.T) {
	at := &Placement{}
	for board, labels := range map[string][]string{
		"S1200SP":   {"DIMM_A2", "DIMM_A1"},
		"S2600WTTR": {"DIMM_C1", "DIMM_C2", "DIMM_C3"},
		"S5000PAL0": {"ONBOARD DIMM_D1", "ONBOARD DIMM_D2"},
		"MD80-TM0":  {"DIMM_P1_E0", "DIMM_P1_E1", "DIMM_P1_E2"},
	} {
		o := ReadFillOrder(rules.FS, &inventory.Machine{Board: known(board), Product: known("ParX T404i G6 Server")})
		require.NotNil(t, o, board)
		for turn, label := range labels {
			assert.Equal(t, turn, o.FillPosition(label, at), "%s %s", board, label)
		}
		assert.Contains(t, o.Source, ", ")
	}
	// No document that was read describes these, whatever their labels.
	for _, board := range []string{"S1200RP", "S1200BTL", "S2600WFT", "W2600CR", "S5500HCV", "X11SSL-F", "X8DTU", "S2600CW2"} {
		assert.Nil(t, ReadFillOrder(rules.FS, &inventory.Machine{Board: known(board), Product: known(board)}), board)
	}
	o := ReadFillOrder(rules.FS, &inventory.Machine{Product: known("S1200SP")})
	require.NotNil(t, o, "firmware may name the board as the product")
	assert.Equal(t, []string{"Intel, Server Board S1200SP Family Technical Product Specification, 3.3.1.1, p19", "https://www.easymanua.ls/intel/s1200spl/manual?p=33"}, []string{o.Source, o.URL})
	assert.Nil(t, ReadFillOrder(rules.FS, &inventory.Machine{}))
	assert.Nil(t, ReadFillOrder(nil, &inventory.Machine{Board: known("S1200SP")}))
	assert.Nil(t, ReadFillOrder(fstest.MapFS{}, &inventory.Machine{Board: known("S1200SP")}))
}

// TestTurn checks that a label is the document's with another channel; any other label, and a slot with an uncertain
// place, has no position in the order.
func TestTurn(t *testing.T) {
	at := &Placement{}
	intel, digits := &FillOrder{labels: []string{"DIMM_A1", "DIMM_A2"}}, &FillOrder{labels: []string{"DIMM1B", "DIMM1A"}}
	for _, c := range []struct {
		order *FillOrder
		label string
		want  int
	}{
		{intel, "DIMM_A1", 0},
		{intel, "DIMM_H2", 1},
		{intel, " dimm_h2 ", 1},
		{intel, "CPU2_DIMM_A2", 1},
		{intel, "ONBOARD DIMM_A2", 1},
		{intel, "XDIMM_A2", Unplaced},
		{intel, "2DIMM_A2", Unplaced},
		{intel, "ZDIMM_A2", Unplaced},
		{intel, "aDIMM_A2", Unplaced},
		{intel, "DIMM_Z2", 1},
		{intel, "DIMM_A3", Unplaced},
		{intel, "DIMM_12", Unplaced},
		{intel, "DIMM_-2", Unplaced},
		{intel, "DIMM_AA2", Unplaced},
		{intel, "ChannelA-DIMM1", Unplaced},
		{intel, "A1", Unplaced},
		{intel, "", Unplaced},
		{digits, "DIMM4A", 1},
		{digits, "DIMM4B", 0},
		{digits, "P1_DIMM4b", 0},
		{digits, "DIMMAB", Unplaced},
		{nil, "DIMM_A1", Unplaced},
		{&FillOrder{labels: []string{"1"}}, "DIMM_A1", Unplaced},
	} {
		assert.Equal(t, c.want, c.order.FillPosition(c.label, at), c.label)
	}
	for name, unsure := range map[string]Placement{
		"no channel": {Channel: Unplaced}, "no slot": {Slot: Unplaced}, "not verified": {Unverified: true}, "doubted": {Doubt: "two in one place"},
	} {
		assert.Equal(t, Unplaced, intel.FillPosition("DIMM_A1", &unsure), name)
	}
}

// TestLenovoMachineType checks products that are a machine type, with the name in the version (linuxhw/DMI,
// ThinkStation D20 4155K4U).
func TestLenovoMachineType(t *testing.T) {
	m := inventory.Machine{Vendor: known("LENOVO"), Product: known("4155K4U"), ProductVersion: known("ThinkStation D20"), Family: known("NONE")}
	id := identifyMachine(&m)
	assert.Contains(t, id.models, "lenovo thinkstation d20")
	slotMap, err := findSlotMap(rules.FS, id, "lenovo-ws-number", 12)
	require.NoError(t, err)

	assert.Equal(t, "thinkstation-d20", slotMap.ID)
	m.Vendor = known("Dell Inc.")
	assert.NotContains(t, identifyMachine(&m).models, "dell thinkstation d20")
}

// TestCompileRefuses checks that patterns that can never match, or are listed twice, are reported with their place.
func TestCompileRefuses(t *testing.T) {
	for conflict, file := range map[string]string{
		`slots/locators.yaml:2:27: a: "DIMM{" has no closing brace`:               "schema: 1\nrules: [{id: a, locator: ['DIMM{']}]",
		`slots/locators.yaml:2:27: a: "{foo}" has the unknown field {foo}`:        "schema: 1\nrules: [{id: a, locator: ['{foo}']}]",
		`slots/locators.yaml:2:27: a: "{cpu=12}A" has the unknown field {cpu=12}`: "schema: 1\nrules: [{id: a, locator: ['{cpu=12}A']}]",
		`slots/locators.yaml:2:37: a: this id is used twice`:                      "schema: 1\nrules: [{id: a, locator: [A]}, {id: a, locator: [B]}]",
	} {
		_, err := LocatorRules(fstest.MapFS{locatorYAML: {Data: []byte(file)}})
		require.ErrorContains(t, err, conflict)
	}
	for conflict, file := range map[string]string{
		"slots/x.yaml: x.yaml#one and two are both for v r900, pattern p": "{vendor: v, maps: [{id: one, models: [R900], locators: [p]}, {id: two, models: [r900], locators: [p]}]}",
		"field modles not found": "{vendor: v, maps: [{id: one, modles: [R900]}]}",
	} {
		_, err := MapIndex(fstest.MapFS{"slots/x.yaml": {Data: []byte(file)}})
		require.ErrorContains(t, err, conflict)
	}
}

// TestIdentify checks that names as firmware prints them, punctuation included, find the same key.
func TestIdentify(t *testing.T) {
	for _, tt := range []struct{ vendor, product, want string }{
		{"IBM", "System x3650 M5: -[8871AC1]-", "lenovo x3650 m5"},
		{"IBM", "IBM System x3550 M4 Server -[7914AC1]-", "lenovo x3550 m4"},
		{"LENOVO", "LENOVO System x3250 M6 -[3943AC1]-", "lenovo x3250 m6"},
		{"Oracle Corporation", "ORACLE SERVER X9-2L", "oracle x92l"},
		{"Dell Inc.", "OEM-R 720xd", "dell 720xd"},
		{"HP", "ProLiant DL360 Gen9,", "hp dl360 gen9"},
		{"Supermicro", "X9DRi-LN4+", "supermicro x9driln4+"},
	} {
		id := identifyMachine(&inventory.Machine{Vendor: known(tt.vendor), Product: known(tt.product)})
		assert.Equal(t, tt.want, id.models[0], tt.product)
	}
	id := identifyMachine(&inventory.Machine{Vendor: known("IBM"), Product: known("System x3650 M5: -[8871AC1]-")})
	m, err := findSlotMap(rules.FS, id, "lenovo", 24)
	if assert.NoError(t, err) {
		assert.Equal(t, "lenovo-m5-12", m.ID)
	}
}
