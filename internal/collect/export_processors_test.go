package collect

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"memaudit.example/memaudit/internal/model/fact"
	"memaudit.example/memaudit/internal/model/inventory"
)

// TestExportProcessors checks the processors from Dell's exports (Proc1Id is family, model and
// stepping in hexadecimal, as in the BIOS resources of R650, R6615 and R670). They are used only if no
// other source lists any.
func TestExportProcessors(t *testing.T) {
	t.Parallel()
	dell := func(attributes string) string {
		return `{"@odata.id": "/redfish/v1/Systems/System.Embedded.1/Bios", "Attributes": {"SystemModelName": "PowerEdge R6615", "SysProfile": "Custom", "ProcTurboMode": "Enabled"` + attributes + `}}`
	}
	const first = `, "Proc1Brand": "AMD EPYC 9454P 48-Core Processor               ", "Proc1Id": "19-11-1", "Proc1NumCores": 48`
	sys := collected(t, Input{}, dell(first+`, "Proc2Brand": "", "Proc2Id": ""`))
	require.Len(t, sys.Sockets, 1, "an empty place is none")
	s := sys.Sockets[0]
	assert.Equal(t, []int{0, -1, 25, 17, 1, 48}, []int{s.ID, s.Handle, s.Family.Value, s.Model.Value, s.Stepping.Value, s.Cores.Value})
	assert.Equal(t, "AMD EPYC 9454P 48-Core Processor", s.Brand.Value)
	assert.Equal(t, "AuthenticAMD", s.Vendor.Value)
	for _, f := range []fact.Certainty{s.Family.Certainty, s.Vendor.Certainty, s.Brand.Certainty, s.Cores.Certainty, s.Populated.Certainty} {
		assert.Equal(t, fact.Indirect, f)
	}
	assert.Equal(t, fact.Evidence{Source: inventory.SourceBIOS, Path: "a", Field: "Proc1Id", Raw: "19-11-1"}, s.Family.From)

	two := collected(t, Input{}, dell(`, "Proc0Brand": "Intel(R) Xeon(R) 6710E", "Proc0Id": "6-AF-3", "Proc1Brand": "Intel(R) Xeon(R) 6710E", "Proc1Id": "6-AF-3"`)).Sockets
	require.Len(t, two, 2, "from 17G on Dell counts from 0")
	assert.Equal(t, []int{0, 1, 175}, []int{two[0].ID, two[1].ID, two[1].Model.Value})

	for name, text := range map[string]string{
		"no brand": dell(`, "Proc1Id": "19-11-1"`), "no number": dell(`, "Proc1Brand": "AMD EPYC 9454P", "Proc1Id": "19-11"`),
		"no hexadecimal": dell(`, "Proc1Brand": "AMD EPYC 9454P", "Proc1Id": "19-1x-1"`), "nobody's": dell(`, "Proc1Brand": "Example 1", "Proc1Id": "6-6A-6"`),
		"another maker's names": `{"Attributes": {"ProcTurbo": "Enabled", "WorkloadProfile": "Custom", "Proc1Brand": "AMD EPYC 9454P", "Proc1Id": "19-11-1"}}`,
		"wishes":                `{"@odata.id": "/redfish/v1/Systems/System.Embedded.1/Bios/Settings", "Attributes": {"ProcTurboMode": "Enabled"` + first + `}}`,
	} {
		assert.Empty(t, collected(t, Input{}, text).Sockets, name)
	}
}
