package wording

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/memaudit/memaudit/internal/audit/verdict"
)

// TestCosts checks that the document is printed once, and that the model's figures name the model themselves.
func TestCosts(t *testing.T) {
	for _, c := range []struct {
		effect *verdict.Effect
		want   string
	}{
		{effect: nil, want: ""},
		{effect: &verdict.Effect{Text: "a third of the bandwidth"}, want: "a third of the bandwidth"},
		{effect: &verdict.Effect{Text: "70 % was measured", Source: "FTS-WEX"}, want: "70 % was measured (FTS-WEX)"},
		{effect: &verdict.Effect{Text: "33 % is left (population model)", Source: "memaudit's population model"}, want: "33 % is left (population model)"},
	} {
		assert.Equal(t, c.want, Costs(c.effect))
	}
}
