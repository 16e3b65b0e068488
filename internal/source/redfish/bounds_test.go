package redfish

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestPlainNames checks that the ID of a system is printed only if all machines of a vendor use it.
func TestPlainNames(t *testing.T) {
	for name, want := range map[string]bool{
		"1": true, "42": true, "Self": true, "System.Embedded.1": true, "system.embedded.12": true, "system.embedded.123": false, "System12345": false, "Node_123": false, "System_0": true, "Node0": true, "Node-1": true, "System": true,
		"abc": false, "CN7016A1B2": false, "Systems-CN7016": false, "SelfX": false, "": true,
	} {
		assert.Equal(t, want, plainName(name), name)
	}
	for text, want := range map[string]string{"a~ b": "a~ b", "a\x7fb": "a?b", "a\x80b": "a?b", "a\u20acb": "a?b", "a\tb": "a?b", strings.Repeat("x", maxShown): strings.Repeat("x", maxShown), strings.Repeat("x", maxShown+1): strings.Repeat("x", maxShown) + "..."} {
		assert.Equal(t, want, printable(text), "%q", text)
	}
}

// TestNumbers checks that only numbers from 1, or from 0, up to a limit are accepted.
func TestNumbers(t *testing.T) {
	for n, want := range map[number]int64{{1, true}: 1, {8, true}: 8, {9, true}: 0, {0, true}: 0, {-1, true}: 0, {1.5, true}: 0, {0.5, true}: 0, {4, false}: 0} {
		assert.Equal(t, want, n.integer(8), "%v", n)
		_, whole := n.whole(0, 8)
		assert.Equal(t, want > 0 || n == (number{0, true}), whole, "%v", n)
	}
}
