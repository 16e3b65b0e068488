package wording

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestWithoutBrackets(t *testing.T) {
	for s, want := range map[string]string{
		"":                "",
		"2 ranks (4 GiB)": "2 ranks",
		"8 GiB (channel 0 (A1), channel 1 (A2)) in A1": "8 GiB in A1",
		"an open (one, DIMM(s)":                        "an open (one, DIMM(s)",
	} {
		assert.Equal(t, want, WithoutBrackets(s))
	}
}
