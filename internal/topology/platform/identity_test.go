package platform

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/memaudit/memaudit/internal/collect/collecttest"
	"github.com/memaudit/memaudit/internal/model/fact"
	"github.com/memaudit/memaudit/internal/model/inventory"
	"github.com/memaudit/memaudit/rules"
)

// TestProductName checks that product and board are listed once.
func TestProductName(t *testing.T) {
	for want, m := range map[string][2]string{"R610": {"R610", ""}, "X9DR3-F": {"X9DR3-F", "X9DR3-F"}, "Super Server X11DPi-N": {"Super Server", "X11DPi-N"}, "X9": {"", "X9"}} {
		have := ProductName(&inventory.Machine{Product: collecttest.Known(m[0]), Board: collecttest.Known(m[1])})
		assert.Equal(t, want, have)
	}
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
