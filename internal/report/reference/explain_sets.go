package reference

import (
	"maps"
	"slices"

	"github.com/memaudit/memaudit/internal/model/fact"
	"github.com/memaudit/memaudit/internal/model/inventory"
	"github.com/memaudit/memaudit/internal/model/prose"
	"github.com/memaudit/memaudit/internal/report"
	"github.com/memaudit/memaudit/internal/report/page"
	"github.com/memaudit/memaudit/internal/topology/place"
)

// Rules that are judged by the slot sets of the product's manual.
const (
	slotOrder = "memory.slot.order"
	slotCount = "memory.count.supported"
)

// slotSets lists for which numbers of modules the machine's manual has a set of slots, and whether it
// prints the set or memaudit derived it from an order of filling.
func (e *Explainer) slotSets(doc *report.Report) []page.Block {
	m := inventory.Machine{Product: fact.Known(report.OrEmpty(doc.Machine.Product), fact.Direct, fact.Evidence{})}
	sets := place.ReadSets(e.knowledge, &m)
	if sets == nil {
		return nil
	}
	var fields []page.Field
	for _, n := range slices.Sorted(maps.Keys(sets.Rows)) {
		row := sets.Rows[n]
		if row.Source == "" {
			continue
		}
		how := row.Grade + ": " + sets.Document(n)
		if row.Printed {
			how += ", set printed"
		}
		fields = append(fields, page.Field{Name: prose.Count(n, "DIMM"), Value: how})
	}
	if len(fields) == 0 {
		return nil
	}
	return []page.Block{{Text: "What its manual says of a number of DIMMs per CPU:"}, {Indent: 2, Fields: fields}}
}
