package settings

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestCanonicalAndBack checks that the table's values apply to a preset too if it has any; otherwise the vendor's
// value is kept. A number is a rate only if the entry marks it.
func TestCanonicalAndBack(t *testing.T) {
	coded, named := Attribute{Values: map[string]string{"2": "Custom", "3": "Fast"}}, Attribute{}
	for _, c := range []struct {
		id    string
		a     Attribute
		value string
		word  string
		ok    bool
	}{
		{"workload_profile", named, "Low Latency", "Low Latency", true}, {"workload_profile", named, "", "", false},
		{"workload_profile", coded, "2", "Custom", true}, {"workload_profile", coded, "Custom", "", false},
		{"workload_profile", Attribute{Values: map[string]string{"2": "Custom"}}, "4", "", false},
		{"turbo", Attribute{Values: map[string]string{"On": Enabled}}, "on", Enabled, true}, {"turbo", named, "On", "", false},
		{"memory_speed", Attribute{Numbers: true}, "2933 MHz", "2933", true}, {"memory_speed", Attribute{Numbers: true}, "fast", "", false},
		{"memory_speed", named, "2933", "", false},
	} {
		s, _ := Lookup(c.id)
		word, ok := c.a.Canonical(s, c.value)
		assert.Equal(t, c.ok, ok, c)
		if ok {
			assert.Equal(t, c.word, word, c)
		}
	}
	preset, _ := Lookup("workload_profile")
	turbo, _ := Lookup("turbo")
	assert.Equal(t, []string{"Custom"}, named.Words(preset, "Custom"))
	assert.Equal(t, []string{"2"}, coded.Words(preset, "Custom"))
	assert.Empty(t, named.Words(turbo, Enabled))
}
