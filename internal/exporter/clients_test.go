package exporter

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/memaudit/memaudit/internal/report"
)

// TestConnections: however many clients connect and say nothing, only so many
// stay connected, and whoever asks is answered.
func TestConnections(t *testing.T) {
	const most = 8
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "ok") }))
	c := newConnections(most)
	s.Config.ConnState = c.state
	s.Start()
	defer s.Close()
	var idle []net.Conn
	for range 10 * most {
		conn, err := net.Dial("tcp", s.Listener.Addr().String())
		require.NoError(t, err)
		defer conn.Close()
		idle = append(idle, conn)
	}
	for range 3 {
		answer, err := (&http.Client{Transport: &http.Transport{DisableKeepAlives: true}}).Get(s.URL)
		require.NoError(t, err)
		answer.Body.Close()
		assert.Equal(t, http.StatusOK, answer.StatusCode)
	}
	closed := 0
	for _, conn := range idle {
		require.NoError(t, conn.SetReadDeadline(time.Now().Add(20*time.Millisecond)))
		if _, err := conn.Read(make([]byte, 1)); err != nil && !errors.Is(err, net.ErrClosed) {
			var timeout net.Error
			if !errors.As(err, &timeout) || !timeout.Timeout() {
				closed++
			}
		}
	}
	assert.GreaterOrEqual(t, closed, 10*most-most)
	c.mu.Lock()
	defer c.mu.Unlock()
	assert.LessOrEqual(t, len(c.open), most)
	assert.LessOrEqual(t, len(c.idle), len(c.open))
}

// TestScrapeFailed: a client that went away is no error, anything else is.
func TestScrapeFailed(t *testing.T) {
	for _, c := range []struct {
		err  error
		says bool
	}{{fmt.Errorf("write: %w", syscall.EPIPE), false}, {&net.OpError{Op: "write", Err: syscall.ECONNRESET}, false}, {errors.New("two series with one name"), true}} {
		var out bytes.Buffer
		scrapeFailed(slog.New(slog.NewTextHandler(&out, nil)), c.err)
		assert.Equal(t, c.says, out.Len() > 0, c.err)
	}
}

// TestLacking: what a kernel's Landlock cannot take away is said.
func TestLacking(t *testing.T) {
	assert.Contains(t, lacking(0, false), "has no Landlock")
	assert.Contains(t, lacking(0, true), "has no Landlock")
	assert.Contains(t, lacking(3, false), "network")
	assert.Empty(t, lacking(3, true), "an audit asks the network")
	assert.Empty(t, lacking(4, false))
}

// TestChangesAreLogged: the line of an audit counts as the metrics do, and what
// began and ceased to fail is named once.
func TestChangesAreLogged(t *testing.T) {
	var out bytes.Buffer
	l := &loop{pages: &pages{}, log: slog.New(slog.NewTextHandler(&out, nil)), notify: func(string) {}, timer: time.NewTimer(time.Hour)}
	audit := func(failing ...string) string {
		out.Reset()
		r := made(1, 2, first, up)
		for _, subject := range failing {
			r.Findings = append(r.Findings, report.Finding{Rule: "memory.channel.populated", Subject: subject, Result: "fail", Severity: "warning"})
		}
		if len(failing) == 1 {
			r.Notices = []string{"waiver of setting.smt matches no failure"}
		}
		l.finished(Outcome{Report: r, Interval: time.Hour})
		return out.String()
	}
	text := audit("socket 0", "socket 1")
	assert.Contains(t, text, "pass=2 fail=1 unknown=0", "one rule for two subjects")
	assert.Contains(t, served(t, l.pages, "/metrics").Body.String(), `memaudit_rules{result="fail"} 1`)
	assert.Contains(t, text, `now_failing="[memory.channel.populated socket 0 memory.channel.populated socket 1]"`)
	text = audit("socket 1")
	assert.Contains(t, text, `now_failing=[] no_longer_failing="[memory.channel.populated socket 0]"`)
	assert.Contains(t, text, "matches no failure")
	text = audit("socket 1")
	assert.NotContains(t, text, "findings changed")
	assert.NotContains(t, text, "matches no failure")
}
