package wording

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestTerms checks that an abbreviation is a separate word, in any case, alone or in a rule's or setting's id, and is
// explained once.
func TestTerms(t *testing.T) {
	for text, want := range map[string][]string{
		"":                                        nil,
		"the plumsy resmtart":                     nil,
		"QPI links, UPIs and QPI again":           {"QPI", "UPI"},
		"memory.ecc.active, upi_prefetch":         {"ECC", "UPI"},
		"C-states (NUMA-aware), FB-DIMM":          {"C-state", "NUMA", "FB-DIMM"},
		"dell-system-profiles/something-dapc":     {"DAPC"},
		"MT/s, DIMM_A1, CPU1, SNCX, xGMIs; a-b-c": {"xGMI"},
	} {
		var got []string
		for _, term := range TermsIn(text) {
			got = append(got, term.Name)
			assert.NotEmpty(t, term.Meaning)
		}
		assert.Equal(t, want, got, text)
	}
}
