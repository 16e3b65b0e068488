package exporter

import (
	"bytes"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/landlock-lsm/go-landlock/landlock"
	landlocksys "github.com/landlock-lsm/go-landlock/landlock/syscall"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"memaudit.example/memaudit/internal/audit/verdict"
	"memaudit.example/memaudit/internal/report"
	"memaudit.example/memaudit/internal/tools/reporttest"
)

// stuckClient reads nothing until it is released.
type stuckClient struct {
	http.ResponseWriter
	once   sync.Once
	in     *sync.WaitGroup
	resume chan struct{}
}

func (s *stuckClient) Write(b []byte) (int, error) {
	s.once.Do(s.in.Done)
	<-s.resume
	return s.ResponseWriter.Write(b)
}

// TestScrapeLimit checks that 40 clients that do not read use 40 answers, and that the next one gets an error.
func TestScrapeLimit(t *testing.T) {
	p := &currentPage{}
	p.publishOutcome(Outcome{Report: made(1, 1, first, up)})
	h := p.newHandler(&WebOptions{MetricsPath: "/metrics"}, quiet)
	ask := func(w http.ResponseWriter) { h.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/metrics", nil)) }
	var in, done sync.WaitGroup
	resume := make(chan struct{})
	for range 40 {
		in.Add(1)
		done.Go(func() { ask(&stuckClient{ResponseWriter: httptest.NewRecorder(), in: &in, resume: resume}) })
	}
	in.Wait()
	w := httptest.NewRecorder()
	ask(w)
	assert.Equal(t, http.StatusServiceUnavailable, w.Code)
	close(resume)
	done.Wait()
	w = httptest.NewRecorder()
	ask(w)
	assert.Equal(t, http.StatusOK, w.Code)
}

// givenUp records what a sandbox would restrict.
type givenUp struct {
	paths, network      int
	fails, networkFails bool
}

func (g *givenUp) RestrictPaths(...landlock.Rule) error {
	g.paths++
	if g.fails {
		return errors.New("no landlock")
	}
	return nil
}

func (g *givenUp) RestrictNet(...landlock.Rule) error {
	g.network++
	if g.networkFails {
		return errors.New("no landlock")
	}
	return nil
}

// TestSandboxNetwork checks that files are always restricted, and the network exactly if no audit connects to a host.
func TestSandboxNetwork(t *testing.T) {
	for _, c := range []struct {
		network bool
		want    int
	}{{false, 1}, {true, 0}} {
		g := &givenUp{}
		applyLandlock(g, nil, c.network, quiet)
		assert.Equal(t, givenUp{paths: 1, network: c.want}, *g, "audits ask the network: %v", c.network)
	}
}

// TestSandboxRefused checks that what the kernel does not restrict is reported, and that only what was restricted is
// reported as such.
func TestSandboxRefused(t *testing.T) {
	for want, g := range map[string]*givenUp{"no sandbox for files": {fails: true}, "no sandbox for the network": {networkFails: true}, "msg=sandboxed": {}} {
		var out bytes.Buffer
		applyLandlock(g, nil, false, slog.New(slog.NewTextHandler(&out, &slog.HandlerOptions{Level: slog.LevelDebug})))
		assert.Contains(t, out.String(), want, want)
		assert.Equal(t, 1, strings.Count(out.String(), "msg="), out.String())
	}
}

// TestConnections checks that idle clients are limited in number, and that every request is answered.
func TestConnections(t *testing.T) {
	const most = 8
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "ok") }))
	c := newConnections(most)
	s.Config.ConnState = c.trackState
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

// TestChangesAreLogged checks that the line of an audit has the counts of the metrics, and that new and fixed
// problems are logged once.
func TestChangesAreLogged(t *testing.T) {
	var out bytes.Buffer
	l := &auditLoop{Config: Config{Log: slog.New(slog.NewTextHandler(&out, nil))}, pages: &currentPage{}, notify: func(string) {}, timer: time.NewTimer(time.Hour)}
	audit := func(failing ...string) string {
		out.Reset()
		r := made(1, 2, first, up)
		// Neither is a failure that a site is woken for (docs/interface.md: fail-on is warning).
		r.Findings = append(r.Findings, verdict.Finding{Rule: "settings.pending", Result: "fail", Severity: "info"},
			verdict.Finding{Rule: "setting.smt", Result: "unknown", Severity: "critical"})
		for _, subject := range failing {
			r.Findings = append(r.Findings, verdict.Finding{Rule: "memory.channel.populated", Subject: reporttest.Subject(subject), Result: "fail", Severity: "warning"})
		}
		if len(failing) == 1 {
			r.Notices = []string{"waiver of setting.smt matches no failure"}
		}
		r.Summary.Fail, r.Summary.Unknown = 1+len(failing), 1
		r.MakeVerdict(report.Criteria{})
		l.finishAudit(Outcome{Report: r, Interval: time.Hour})
		return out.String()
	}
	text := audit("socket 0", "socket 1")
	assert.Contains(t, text, "pass=2 fail=3 unknown=1", "the checks of the report, two for two subjects")
	assert.Contains(t, served(t, l.pages, "/metrics").Body.String(), `memaudit_rules{result="fail"} 2`)
	assert.Contains(t, text, `level=WARN msg=problem severity=warning rule=memory.channel.populated where="sockets 0 and 1" sentence="fails memory.channel.populated" fix=""`)
	assert.Equal(t, 1, strings.Count(text, "msg=problem"), "not what is only info")
	text = audit("socket 1")
	assert.Contains(t, text, `where="socket 1"`)
	assert.Contains(t, text, `msg="problems fixed" problems="[memory.channel.populated sockets 0 and 1]"`)
	assert.Contains(t, text, "matches no failure")
	text = audit("socket 1")
	assert.NotContains(t, text, "problem")
	assert.NotContains(t, text, "matches no failure")
}

// TestLacking checks that what a kernel's Landlock cannot restrict is reported.
func TestLacking(t *testing.T) {
	assert.Contains(t, lackingRights(0, false), "has no Landlock")
	assert.Contains(t, lackingRights(0, true), "has no Landlock")
	assert.Contains(t, lackingRights(3, false), "network")
	assert.Empty(t, lackingRights(3, true), "an audit asks the network")
	assert.Empty(t, lackingRights(4, false))
	// Version 1 restricts files, and nothing else is requested of it here (Documentation/userspace-api/landlock.rst).
	assert.Empty(t, lackingRights(1, true))
	assert.Contains(t, lackingRights(1, false), "network")
	for version, says := range map[int]bool{0: true, 3: true, 4: false} {
		var out bytes.Buffer
		warnLacking(version, false, slog.New(slog.NewTextHandler(&out, nil)))
		assert.Equal(t, says, strings.Contains(out.String(), "not sandboxed in full"), version)
	}
	theirs, _ := landlocksys.LandlockGetABIVersion()
	assert.Equal(t, max(theirs, 0), landlockVersion(), "as go-landlock reads it")
}
