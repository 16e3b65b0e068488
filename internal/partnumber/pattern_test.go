package partnumber

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestBeginning: a text is named only where every match begins with it.
func TestBeginning(t *testing.T) {
	for match, want := range map[string]string{
		"^CT(?P<sz>4|8)G4": "CT", "^M(?P<f>393|386)A": "M", "^AB*C": "A", "^AB": "AB",
		"^(HY)?MP": "", "^A?B": "", "^A{0,1}B": "", "^A*B": "", "^A|B": "", "^[AB]C": "", "AB": "", "^(?i)ab": "", "(?i)^ab": "", "^": "", "^.": "",
	} {
		got, err := beginning(match)
		require.NoError(t, err, match)
		assert.Equal(t, want, got, match)
	}
}
