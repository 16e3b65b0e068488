package platform

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/memaudit/memaudit/internal/collect/collecttest"
	"github.com/memaudit/memaudit/internal/model/fact"
	"github.com/memaudit/memaudit/internal/model/inventory"
	"github.com/memaudit/memaudit/rules"
)

// TestIdentities checks that the processors of a machine are those in its sockets, and that what firmware lacks comes
// from the kernel, CPUID as a unit.
func TestIdentities(t *testing.T) {
	known := collecttest.Known[int]
	word := collecttest.Known[string]
	kernel := inventory.CPU{Vendor: word(Intel), Family: known(6), Model: known(85), Stepping: known(7), Brand: word("Intel(R) Xeon(R) Gold 6252N CPU @ 2.30GHz")}
	there, gone := collecttest.Known(true), collecttest.Known(false)
	arm := inventory.CPU{Brand: word("Kunpeng 920")}
	for _, c := range []struct {
		name    string
		cpu     inventory.CPU
		sockets []inventory.Socket
		want    []cpuIdentity
	}{
		{"firmware's", kernel, []inventory.Socket{{Populated: there, Vendor: word(AMD), Family: known(23), Model: known(49), Stepping: known(0), Brand: word("AMD EPYC 7742")}},
			[]cpuIdentity{{AMD, 23, 49, 0, "AMD EPYC 7742", ""}}},
		{"an empty socket, and one of which nobody knows", kernel, []inventory.Socket{{Populated: gone, Brand: word("old")}, {Brand: word("old")}, {Populated: there}},
			[]cpuIdentity{{Intel, 6, 85, 7, "Intel(R) Xeon(R) Gold 6252N CPU @ 2.30GHz", ""}}},
		{"no sockets", kernel, nil, []cpuIdentity{{Intel, 6, 85, 7, "Intel(R) Xeon(R) Gold 6252N CPU @ 2.30GHz", ""}}},
		{"no sockets, a brand alone", arm, nil, []cpuIdentity{{"", -1, -1, -1, "Kunpeng 920", ""}}},
		{"nothing", inventory.CPU{}, nil, []cpuIdentity{}},
		{"a family without a model", kernel, []inventory.Socket{{Populated: there, Family: known(15), Stepping: known(1), Brand: word("Xeon 5120")}},
			[]cpuIdentity{{Intel, 6, 85, 7, "Xeon 5120", ""}}},
		{"family 0 is a number", kernel, []inventory.Socket{{Populated: there, Vendor: word("ARM"), Family: known(0), Model: known(0), Stepping: known(0), Brand: word("Neoverse 1")}},
			[]cpuIdentity{{"ARM", 0, 0, 0, "Neoverse 1", ""}}},
		{"a brand that names no processor", kernel, []inventory.Socket{{Populated: there, Brand: word("Not Specified")}},
			[]cpuIdentity{{Intel, 6, 85, 7, "Intel(R) Xeon(R) Gold 6252N CPU @ 2.30GHz", ""}}},
		{"a maker that is part of the name", arm, []inventory.Socket{{Populated: there, Manufacturer: word("HUAWEI"), Brand: word("Kunpeng 920 3211K")}},
			[]cpuIdentity{{"", -1, -1, -1, "HUAWEI Kunpeng 920 3211K", ""}}},
		{"no maker", arm, []inventory.Socket{{Populated: there, Brand: word("Kunpeng 920 3211K")}}, []cpuIdentity{{"", -1, -1, -1, "Kunpeng 920 3211K", ""}}},
		{"a maker of x86 is none", inventory.CPU{}, []inventory.Socket{{Populated: there, Manufacturer: word("Intel"), Brand: word("Xeon E5-2670")}},
			[]cpuIdentity{{Intel, -1, -1, -1, "Xeon E5-2670", ""}}},
	} {
		have := []cpuIdentity{}
		for _, id := range identities(&inventory.System{CPU: c.cpu, Sockets: c.sockets}) {
			have = append(have, id.cpuIdentity)
		}
		assert.Equal(t, c.want, have, c.name)
	}
}

// TestIdentityRestsOn checks that recognition depends on CPUID if it is known, otherwise on the brand.
func TestIdentityRestsOn(t *testing.T) {
	cpuid, brand := fact.Evidence{Field: "family"}, fact.Evidence{Field: "brand"}
	s := inventory.Socket{Brand: fact.Known("Xeon E5-2670", fact.Direct, brand)}
	assert.Equal(t, brand, identifySocket(&s, &inventory.CPU{}).from)
	s.Family, s.Model = fact.Known(6, fact.Direct, cpuid), fact.Known(45, fact.Direct, cpuid)
	assert.Equal(t, cpuid, identifySocket(&s, &inventory.CPU{}).from)
}

// TestSameMemory checks that each kind of module is listed once, of populated slots only.
func TestSameMemory(t *testing.T) {
	of := func(kinds ...string) *inventory.System {
		sys := &inventory.System{Slots: []inventory.Slot{{State: inventory.SlotEmpty, Type: collecttest.Known("DDR4")}}}
		for _, kind := range kinds {
			sys.Slots = append(sys.Slots, inventory.Slot{State: inventory.SlotPopulated, Type: collecttest.Known(kind), FormFactor: collecttest.Known("DIMM")})
		}
		return sys
	}
	assert.True(t, SameMemory(of("DDR5"), of("DDR5", "DDR5")))
	assert.False(t, SameMemory(of("DDR5"), of("DDR5", "Logical non-volatile device")))
	assert.Equal(t, "DDR5 DIMM ", identifyMachine(of("DDR5", "DDR5")).memory)
}

// TestIndexRows checks how a row of the index is compared with a processor.
func TestIndexRows(t *testing.T) {
	row := IndexRow{Family: 6, Model: 85, Steppings: []int{4, 7}, Vendor: Intel}
	for _, c := range []struct {
		p           cpuIdentity
		same, known bool
	}{
		{cpuIdentity{family: 6, model: 85, stepping: 7}, true, true}, {cpuIdentity{family: 6, model: 85, stepping: 0}, false, true},
		{cpuIdentity{family: 6, model: 85, stepping: -1}, true, true}, {cpuIdentity{family: 6, model: 0, stepping: 4}, false, true},
		{cpuIdentity{family: 0, model: 85, stepping: 4}, false, true}, {cpuIdentity{family: -1, model: 85}, false, false}, {cpuIdentity{family: 6, model: -1}, false, false},
	} {
		same, known := row.cpuid(&c.p)
		assert.Equal(t, []bool{c.same, c.known}, []bool{same, known}, "%+v", c.p)
	}
	for _, c := range []struct {
		row, processor string
		want           bool
	}{{Intel, Intel, true}, {Intel, AMD, false}, {AMD, Intel, false}, {Intel, "", true}, {"HiSilicon", "ARM", true}, {"ARM", Intel, false}, {Intel, "ARM", false}} {
		r := IndexRow{Vendor: c.row}
		assert.Equal(t, c.want, r.vendorFits(&cpuIdentity{vendor: c.processor}), "%s for %s", c.row, c.processor)
	}
	m := &machineIdentity{product: "PowerEdge R610", memory: "DDR3 DIMM "}
	for _, c := range []struct {
		product, memory string
		want            bool
	}{{"", "", true}, {"R610", "", true}, {"R710", "", false}, {"", "DDR3", true}, {"", "DDR4", false}, {"R610", "DDR3", true}} {
		r := IndexRow{Product: c.product, Memory: c.memory}
		assert.Equal(t, c.want, r.conditions(m), "%+v", c)
	}
}

// TestProductName checks that product and board are listed once.
func TestProductName(t *testing.T) {
	for want, m := range map[string][2]string{"R610": {"R610", ""}, "X9DR3-F": {"X9DR3-F", "X9DR3-F"}, "Super Server X11DPi-N": {"Super Server", "X11DPi-N"}, "X9": {"", "X9"}} {
		have := ProductName(&inventory.Machine{Product: collecttest.Known(m[0]), Board: collecttest.Known(m[1])})
		assert.Equal(t, want, have)
	}
}

// TestVersionFits checks that the generation in the brand must be that of the CPUID, and that a brand without one is
// accepted.
func TestVersionFits(t *testing.T) {
	for _, c := range []struct {
		key           string
		family, model int
		want          bool
	}{
		{"intel xeon e5-2620", 6, 45, true}, {"intel xeon e5-2620", 6, 79, false}, {"intel xeon e5-2620 v4", 6, 79, true}, {"intel xeon e3-1230 v2", 6, 58, true},
		{"intel xeon e7-4870", 6, 47, true}, {"intel xeon e7-4890 v2", 6, 47, false}, {"intel xeon e5-2620", 15, 45, false},
		{"intel xeon e5-2620", -1, 79, true}, {"intel xeon e5-2620", 6, -1, true}, {"intel xeon e5-2620", 0, 45, false}, {"intel xeon e5-2620", 6, 0, false},
		{"intel xeon e5-2620 v7", 6, 45, false}, {"intel xeon e5-2620 v9", 6, 45, false}, {"intel xeon e5-2620 v-1", 6, 45, false},
		{"intel xeon gold 6252n", 6, 85, true}, {"intel xeon w-2145", 6, 85, true}, {"intel xeon e-2488", 6, 183, true}, {"intel core i7-920", 6, 26, true},
	} {
		assert.Equal(t, c.want, versionFits(c.key, &cpuIdentity{family: c.family, model: c.model}), "%s %d/%d", c.key, c.family, c.model)
	}
	assert.True(t, (&Processor{Number: "X7560", Codename: "Nehalem EX"}).CountsLinks())
	assert.True(t, (&Processor{Number: "E7-4890 v2", Codename: "Ivy Bridge"}).CountsLinks())
	assert.False(t, (&Processor{Number: "E5-2680 v2", Codename: "Ivy Bridge"}).CountsLinks())
}

// TestBoards checks that the first board whose pattern matches the product is used, none for a machine without a
// name, and that a measurement without a product applies to all.
func TestBoards(t *testing.T) {
	boards := []Board{{Product: "R610"}, {Product: ".*", MaxMTs: 1066}}
	assert.Same(t, &boards[0], FindBoard(boards, "PowerEdge R610"))
	assert.Same(t, &boards[1], FindBoard(boards, "PowerEdge R710"))
	assert.Nil(t, FindBoard(boards, ""))
	assert.Nil(t, FindBoard(boards[:1], "PowerEdge R710"))
	p := &Platform{Detail: Detail{Measured: []Measurement{{Source: "any"}, {Source: "one", Product: "R610"}}}}
	for product, want := range map[string][]string{"PowerEdge R610": {"any", "one"}, "PowerEdge R710": {"any"}, "": {"any"}} {
		var have []string
		for _, m := range p.MeasuredOn(product) {
			have = append(have, m.Source)
		}
		assert.Equal(t, want, have, product)
	}
	p.Citation, p.Documents = Citation{Key: "A", Vendor: "Dell", Title: "Memory"}, []Document{{Citation: Citation{Key: "B", Vendor: "HP", Title: "DIMMs"}}, {Citation: Citation{Key: "C", Vendor: "HP"}}}
	for key, want := range map[string]string{"A": "Dell, Memory", "B": "HP, DIMMs", "C": "C", "D": "D"} {
		assert.Equal(t, want, p.Document(key))
	}
	p.Citation.Title = ""
	assert.Equal(t, "A", p.Document("A"))
	for kind, want := range map[string]bool{"rdimm-1r2r": true, "lrdimm": true, "udimm": false, "mrdimm": false} {
		assert.Equal(t, want, (&Platform{Speeds: map[string][]int{kind: {1333}}}).TakesRegistered(), kind)
	}
	assert.False(t, (&Platform{}).TakesRegistered())
}

// TestGuests checks that a guest has no slots, and that a physical machine or one of unknown kind has.
func TestGuests(t *testing.T) {
	sys := &inventory.System{Sockets: collecttest.Sockets(1, AMD, 23, 49, 0, "AMD EPYC 7742 64-Core Processor")}
	for _, c := range []struct {
		virtual fact.Fact[bool]
		want    bool
	}{{collecttest.Known(true), false}, {collecttest.Known(false), true}, {fact.Fact[bool]{}, true}} {
		sys.Machine.Virtual = c.virtual
		assert.Equal(t, c.want, Recognise(sys, rules.FS).Known())
	}
}
