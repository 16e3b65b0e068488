package reference

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/memaudit/memaudit/internal/model/nullable"
	"github.com/memaudit/memaudit/internal/report"
	"github.com/memaudit/memaudit/rules"
)

// TestSlotSetsMarkDerived checks that the page of the slot order shows for each number of modules whether the
// document prints the set or it is derived, and whose manual it is.
func TestSlotSetsMarkDerived(t *testing.T) {
	e := &Explainer{knowledge: rules.FS}
	of := func(product string) map[string]string {
		doc := &report.Report{}
		doc.Machine.Product = nullable.String(product)
		said := map[string]string{}
		for _, b := range e.slotSets(doc) {
			for _, f := range b.Fields {
				said[f.Name] = f.Value
			}
		}
		return said
	}
	assert.Equal(t, "listed: Dell, PowerEdge R610 Technical Guide p29 (set derived, not printed)", of("PowerEdge R610")["2 DIMMs"])
	assert.Contains(t, of("PowerEdge R710")["3 DIMMs"], "manual of a sister model")
	printed := of("PowerEdge M820")
	require.NotEmpty(t, printed)
	assert.Contains(t, printed["10 DIMMs"], ", set printed")
	assert.Empty(t, of("no such product"))
}
