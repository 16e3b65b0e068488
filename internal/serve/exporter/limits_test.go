package exporter

import (
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"

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
