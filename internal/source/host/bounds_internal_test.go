package host

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestPathsBelowTheRoot checks that no path leaves the root, and that a path with a NUL byte or a newline is
// rejected.
func TestPathsBelowTheRoot(t *testing.T) {
	for path, want := range map[string]string{"/proc/cpuinfo": "proc/cpuinfo", "/a": "a", "/": "", "": "", "a": "", "/..": "", "/a/../b": "", "/a//b": "", "/./a": "", "/a\x00b": "", "\x00/a": "", "/a/": "", "/...": "..."} {
		got, err := relative(path)
		assert.Equal(t, want, got, "%q", path)
		assert.Equal(t, want == "", err != nil, "%q", path)
	}
	assert.Equal(t, []int{limitNotes, LimitInputs, maxMember}, []int{maxMemberOf(notesName), maxMemberOf(InputsFolder + "a"), maxMemberOf("proc/cpuinfo")})
	assert.True(t, leadsTo("sys/devices", "sys/devices/system"))
	assert.False(t, leadsTo("sys/dev", "sys/devices/system"), "a part of a name")
	assert.False(t, leadsTo("sys/devices/system", "sys/devices/system"))
}
