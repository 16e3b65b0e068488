package cli

import (
	"bytes"
	"context"
	"os"
	"regexp"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/memaudit/memaudit/internal/serve/exporter"
)

// smapsOfPIE is the beginning of what the kernel says of a program that may lie
// anywhere: its relocated data are read-only and are not what the file holds.
const smapsOfPIE = `55d0c0000000-55d0c0400000 r-xp 00000000 08:01 131 /usr/bin/a program
Size:               4096 kB
Rss:                2048 kB
Anonymous:             0 kB
VmFlags: rd ex mr mw me
55d0c0400000-55d0c0500000 r--p 00400000 08:01 131 /usr/bin/a program
Rss:                1024 kB
Anonymous:            64 kB
55d0c0500000-55d0c0600000 rw-p 00500000 08:01 131 /usr/bin/a program
Anonymous:             0 kB
55d0c0600000-55d0c0700000 r--p 00600000 08:01 131 /usr/bin/a program (deleted)
Anonymous:             0 kB
55d0c0700000-55d0c0800000 r--p 00000000 08:01 140 /usr/lib/x
Anonymous:             0 kB
55d0c0800000-55d0c0900000 ---p 00000000 08:01 131 /usr/bin/a program
Anonymous:             0 kB
7ffd0000000-7ffd0010000 rw-p 00000000 00:00 0 [stack]
Anonymous:             0 kB
`

// TestUnchanged: what may be given back is the program's own file, read-only, and
// nothing that was ever written.
func TestUnchanged(t *testing.T) {
	assert.Equal(t, []memoryArea{{0x55d0c0000000, 0x55d0c0400000}}, unchanged(strings.NewReader(smapsOfPIE), "/usr/bin/a program"))
	assert.Empty(t, unchanged(strings.NewReader("nonsense r-xp 0 0 0 /bin/x\nAnonymous: 0 kB\n"), "/bin/x"))
	assert.Empty(t, unchanged(strings.NewReader(""), ""))
}

// TestInOneGo: nothing is collected from the begin of an audit until it is published, and
// collection is as before after that.
func TestInOneGo(t *testing.T) {
	before := debug.SetGCPercent(whileWaiting)
	defer debug.SetGCPercent(before)
	percent := func() int {
		now := debug.SetGCPercent(-1)
		debug.SetGCPercent(now)
		return now
	}
	var kept []byte
	collections := func() uint32 {
		var now runtime.MemStats
		runtime.ReadMemStats(&now)
		return now.NumGC
	}
	var began uint32
	litter := func() {
		for range 10 << 10 {
			kept = make([]byte, 1<<10)
		}
	}
	audit, idle := inOneGo(func(_ context.Context, reload bool) exporter.Outcome {
		began = collections()
		litter()
		return exporter.Outcome{Interval: map[bool]time.Duration{true: time.Second}[reload]}
	})
	assert.Equal(t, time.Second, audit(t.Context(), true).Interval)
	litter() // as publishing does
	assert.Equal(t, began, collections())
	assert.Negative(t, percent())
	idle()
	assert.Len(t, kept, 1<<10)
	assert.Greater(t, collections(), began)
	assert.Equal(t, whileWaiting, percent())
}

var residentFile = regexp.MustCompile(`RssFile:\s+(\d+) kB`)

// TestGiveBack: after it most of the program is no longer resident, and the
// program still runs.
func TestGiveBack(t *testing.T) {
	resident := func() int {
		status, err := os.ReadFile("/proc/self/status")
		require.NoError(t, err)
		found := residentFile.FindSubmatch(status)
		require.NotNil(t, found, "Linux 4.5 and newer")
		kB, err := strconv.Atoi(string(found[1]))
		require.NoError(t, err)
		return kB
	}
	_, want, _ := run(nil, "rules", "list", "--format", "json")
	before := resident()
	giveBack()
	after := resident()
	t.Logf("%d kB, then %d kB", before, after)
	assert.Less(t, after, before*2/3)
	_, got, _ := run(nil, "rules", "list", "--format", "json")
	assert.True(t, bytes.Equal([]byte(want), []byte(got)))
}
