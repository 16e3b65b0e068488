package bios

import (
	"testing"

	"github.com/stretchr/testify/require"

	"memaudit.example/memaudit/internal/model/strictjson"
)

// TestPartsInTime checks that a part of a BMC's answer that is not decoded in its time is named.
func TestPartsInTime(t *testing.T) {
	for _, what := range []string{"resource", "settings object", "registry"} {
		_, err := decodePart(0, what, []byte(`{"Attributes":{"NumaNodes":"4"}}`))
		require.ErrorIs(t, err, strictjson.ErrTooSlow)
		require.ErrorContains(t, err, what+": takes too long to decode")
	}
}
