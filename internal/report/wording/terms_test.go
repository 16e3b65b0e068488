package wording

import (
	"slices"
	"strings"
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

// TestTermsAreShort checks that the legend of a report has one or two lines, and names each term once.
func TestTermsAreShort(t *testing.T) {
	var names []string
	for _, term := range termsByName() {
		names = append(names, strings.ToLower(term.Name))
		assert.LessOrEqual(t, len(term.Name)+len(term.Meaning), 60, term.Name)
		assert.NotContains(t, term.Meaning, ";")
	}
	slices.Sort(names)
	assert.Len(t, slices.Compact(names), strings.Count(termsFile, "\n")-2, "an empty line of the file, or a duplicate name")
}
