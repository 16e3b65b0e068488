package report

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"memaudit.example/memaudit/internal/model/fact"
	"memaudit.example/memaudit/internal/model/figure"
	"memaudit.example/memaudit/internal/model/inventory"
	"memaudit.example/memaudit/internal/topology/place"
)

// TestNothingRead checks that a source that was read, even in part, counts, and that one that is absent, denied or
// refused does not.
func TestNothingRead(t *testing.T) {
	for state, nothing := range map[fact.SourceState]bool{fact.SourceOK: false, fact.SourcePartial: false, fact.SourceAbsent: true, fact.SourceMalformed: true} {
		r := &Report{}
		assert.True(t, r.NothingRead(), "no source")
		r.Inventory.Sources = []inventory.Source{{Name: "dmi", State: fact.SourceAbsent}, {Name: "smbios", State: state}}
		assert.Equal(t, nothing, r.NothingRead(), state)
	}
}

// TestFigureWithoutUnstatedFields checks that a node, threads and passes that a tool does not report are null
// (docs/interface.md, Measurement).
func TestFigureWithoutUnstatedFields(t *testing.T) {
	none := buildFigure(&inventory.Measured{CPUNode: inventory.NoNode, MemoryNode: inventory.NoNode})
	assert.Nil(t, none.CPUNode)
	assert.Nil(t, none.MemoryNode)
	assert.Nil(t, none.Threads)
	assert.Empty(t, none.Value)
	assert.Nil(t, none.Low)
	one := buildFigure(&inventory.Measured{Figure: figure.Figure{Count: 1, Median: 3, Low: 2, High: 4}, Threads: 1})
	assert.Equal(t, []any{new(0), new(0), new(1), new(3.0), new(2.0), new(4.0)}, []any{one.CPUNode, one.MemoryNode, one.Threads, one.Value, one.Low, one.High})
}

// TestErrorsLeaveOutWhatWasNotCounted checks that missing counts are not zero, and that the controller's counters are
// marked as its own.
func TestErrorsLeaveOutWhatWasNotCounted(t *testing.T) {
	counted := fact.Known(int64(0), fact.Direct, fact.Evidence{})
	assert.Nil(t, buildErrors(&place.Errors{}))
	one := buildErrors(&place.Errors{Uncorrected: counted})
	assert.Equal(t, []string{"", "0"}, []string{one.Corrected.Text(), one.Uncorrected.Text()})
	assert.Equal(t, inventory.SourceEDAC, one.Source)
	assert.NotNil(t, buildErrors(&place.Errors{Corrected: counted}))
	assert.Equal(t, inventory.SourceRedfish, buildErrors(&place.Errors{Corrected: counted, By: place.ByController}).Source)
}

// TestNodeWithoutCPUs checks that a node without CPUs has an empty list, and one whose CPUs are not known null.
func TestNodeWithoutCPUs(t *testing.T) {
	nodes := buildNodes([]inventory.Node{{CPUs: sure([]int{})}, {}, {CPUs: sure([]int{0, 1, 4})}})
	text, err := json.Marshal([]any{nodes[0].CPUs, nodes[1].CPUs, nodes[2].CPUs})
	require.NoError(t, err)
	assert.Equal(t, `["",null,"0-1,4"]`, string(text))
}
