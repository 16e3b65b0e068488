package exporter

import (
	"bytes"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/landlock-lsm/go-landlock/landlock"
	"github.com/stretchr/testify/assert"
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
	p.publish(Outcome{Report: made(1, 1, first, up)})
	h := p.handler(&WebOptions{MetricsPath: "/metrics"}, quiet)
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
		restrict(g, nil, c.network, quiet)
		assert.Equal(t, givenUp{paths: 1, network: c.want}, *g, "audits ask the network: %v", c.network)
	}
}

// TestSandboxRefused checks that what the kernel does not restrict is reported, and that only what was restricted is
// reported as such.
func TestSandboxRefused(t *testing.T) {
	for want, g := range map[string]*givenUp{"no sandbox for files": {fails: true}, "no sandbox for the network": {networkFails: true}, "msg=sandboxed": {}} {
		var out bytes.Buffer
		restrict(g, nil, false, slog.New(slog.NewTextHandler(&out, &slog.HandlerOptions{Level: slog.LevelDebug})))
		assert.Contains(t, out.String(), want, want)
		assert.Equal(t, 1, strings.Count(out.String(), "msg="), out.String())
	}
}
