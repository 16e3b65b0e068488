package bios_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/memaudit/memaudit/internal/source/bios"
)

// TestWords checks a file that a person wrote while looking at BIOS setup.
func TestWords(t *testing.T) {
	for _, c := range []struct {
		name, text string
		// values are the values read by setting, problems those reported, in order.
		values   map[string]string
		problems []string
	}{
		{name: "colon", text: "smt: disabled\nturbo: enabled\n", values: map[string]string{"smt": "disabled", "turbo": "enabled"}},
		{name: "equals sign", text: "smt = disabled\n", values: map[string]string{"smt": "disabled"}},
		{name: "YAML's marks", text: "---\nsmt: \"disabled\"\nturbo: 'enabled'\n", values: map[string]string{"smt": "disabled", "turbo": "enabled"}},
		{name: "comments", text: "# seen on 2 March\n\nsmt: disabled # by hand\n", values: map[string]string{"smt": "disabled"}},
		{name: "a value of several words", text: "memory_ras_mode: full mirror\n", values: map[string]string{"memory_ras_mode": "full mirror"}},
		{name: "a line that says nothing", text: "smt: disabled\nturbo on\n", values: map[string]string{"smt": "disabled"}, problems: []string{"line 2: not setting: value"}},
	} {
		e := decoded(t, "words.yaml", c.text)
		require.Equal(t, bios.OwnWords, e.Format, c.name)
		values := map[string]string{}
		for _, a := range e.Attributes {
			assert.True(t, a.Stated, c.name)
			values[a.Name] = a.Value
		}
		assert.Equal(t, c.values, values, c.name)
		assert.Equal(t, c.problems, e.Problems, c.name)
		assert.False(t, e.Complete, "what a person left out is not absent: %s", c.name)
	}
}
