package text

import (
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// cpuTime is what this process has used: other work of the machine must not count.
func cpuTime(t *testing.T) time.Duration {
	t.Helper()
	var u syscall.Rusage
	require.NoError(t, syscall.Getrusage(syscall.RUSAGE_SELF, &u))
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// TestLongWord checks that a word is cut at the width, in linear time. A name of a megabyte, from an export or a
// capture, once took a minute because the rest was counted again for each line.
func TestLongWord(t *testing.T) {
	wrapped := func(word string) string {
		p := &printer{width: 20}
		p.wrap(4, word)
		return string(p.buf)
	}
	assert.Equal(t, "    "+strings.Repeat("A", 16)+"\n    "+strings.Repeat("A", 16)+"\n    AAAA", wrapped(strings.Repeat("A", 36)))
	assert.Equal(t, "    "+strings.Repeat("字", 8)+"\n    字", wrapped(strings.Repeat("字", 9)))
	address := "https://" + strings.Repeat("a", 36)
	assert.Equal(t, "    "+address, wrapped(address))

	before := cpuTime(t)
	assert.Len(t, wrapped(strings.Repeat("A", 1<<20)), (1<<20)/16*21-1)
	assert.Less(t, cpuTime(t)-before, 5*time.Second)
}
