package verdict_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"memaudit.example/memaudit/internal/audit/verdict"
	"memaudit.example/memaudit/internal/model/fact"
	"memaudit.example/memaudit/internal/model/inventory"
)

// TestFindingIsRead checks that a finding read from its document is the finding that was written, and that what is not known is
// null in between.
func TestFindingIsRead(t *testing.T) {
	written := verdict.Finding{
		Rule: "memory.speed.expected", Result: verdict.Fail, Severity: verdict.Warning, Subject: inventory.SlotSubject(0x1101, "A1"), Found: "1066 < 1333",
		Effect: &verdict.Effect{Text: "-20 %"}, Advice: []string{"move"}, Certainty: fact.Corroborated,
		Evidence: []fact.Evidence{{Source: "smbios", Raw: "type 17 0x1101 Speed: 1066"}},
		Citation: &verdict.Citation{Vendor: "Dell", Title: "A Guide", Year: 2010}, Waiver: &verdict.Waiver{Reason: "spare"},
	}
	text, err := json.Marshal(&written)
	require.NoError(t, err)
	assert.Contains(t, string(text), `"expected":null`)
	assert.Contains(t, string(text), `"evidence":[{"source":"smbios","path":null,"raw":"type 17 0x1101 Speed: 1066"}]`)
	assert.Contains(t, string(text), `"citation":{"vendor":"Dell","title":"A Guide","year":2010,"place":null,"url":null,"standing":null}`)
	var read verdict.Finding
	require.NoError(t, json.Unmarshal(text, &read))
	assert.Equal(t, written, read)
	text, err = json.Marshal(verdict.Summary{Pass: 1})
	require.NoError(t, err)
	assert.Contains(t, string(text), `"worst_severity":null`)
}

// TestCitationLine checks that a version that begins with a digit gets a v, and that a document of another vendor is marked.
func TestCitationLine(t *testing.T) {
	for want, c := range map[string]*verdict.Citation{
		"":                                    nil,
		"Dell, A Guide":                       {Vendor: "Dell", Title: "A Guide"},
		"Dell, A Guide, v0.9, 2010, Table 2":  {Vendor: "Dell", Title: "A Guide", Version: "0.9", Year: 2010, Place: "Table 2"},
		"by analogy: Dell, A Guide, Rev. A":   {Vendor: "Dell", Title: "A Guide", Version: "Rev. A", Standing: verdict.Analogous},
		"general practice: Dell, A Guide, :1": {Vendor: "Dell", Title: "A Guide", Version: ":1", Standing: verdict.Practice},
	} {
		assert.Equal(t, want, c.Line())
	}
}
