package exporter

import (
	"compress/gzip"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus/testutil/promlint"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// scraped is a daemon's page of metrics for a client that sends these headers.
func scraped(t testing.TB, modules int, header ...string) *httptest.ResponseRecorder {
	t.Helper()
	p := &currentPage{}
	p.publish(Outcome{Report: made(modules, 33, first, up)})
	return served(t, p, "/metrics", header...)
}

// TestLint checks the metrics with Prometheus's linter, and that the page has those of the process and of Go.
func TestLint(t *testing.T) {
	page := scraped(t, 32).Body.String()
	problems, err := promlint.New(strings.NewReader(page)).Lint()
	require.NoError(t, err)
	assert.Empty(t, problems)
	for _, name := range []string{"process_cpu_seconds_total", "process_start_time_seconds", "go_goroutines", `memaudit_source_up{source="smbios"}`} {
		assert.Contains(t, page, "\n"+name+" ")
	}
}

// TestScrapeFormats checks that a client that accepts OpenMetrics gets it, and one that accepts gzip gets a
// compressed page.
func TestScrapeFormats(t *testing.T) {
	open := scraped(t, 1, "Accept", "application/openmetrics-text;version=1.0.0,text/plain;version=0.0.4;q=0.5")
	assert.Contains(t, open.Header().Get("Content-Type"), "application/openmetrics-text; version=1.0.0; charset=utf-8")
	assert.Contains(t, open.Body.String(), "# TYPE process_cpu_seconds counter\nprocess_cpu_seconds_total ")
	assert.True(t, strings.HasSuffix(open.Body.String(), "\n# EOF\n"))
	packed := scraped(t, 1, "Accept-Encoding", "gzip")
	assert.Equal(t, "gzip", packed.Header().Get("Content-Encoding"))
	r, err := gzip.NewReader(packed.Body)
	require.NoError(t, err)
	body, err := io.ReadAll(r)
	require.NoError(t, err)
	assert.Contains(t, string(body), "\nmemaudit_audit_failed 0\n")
}

// TestScrapeAgain checks that each of two audits has its own page, and that a page in use is not overwritten by the
// next scrape.
func TestScrapeAgain(t *testing.T) {
	p := &currentPage{}
	p.publish(Outcome{Report: made(2, 3, first, up)})
	before := served(t, p, "/metrics").Body.String()
	p.publish(Outcome{Report: made(5, 3, second, up)})
	assert.Equal(t, 5, strings.Count(served(t, p, "/metrics").Body.String(), "\nmemaudit_dimm_info{"))
	assert.Equal(t, 2, strings.Count(before, "\nmemaudit_dimm_info{"))
}

// TestReportNotWritten checks that a report that cannot be written is an error for the client, not an empty page.
func TestReportNotWritten(t *testing.T) {
	p := &currentPage{}
	p.publish(Outcome{Report: made(1, 1, first, up)})
	p.current.Load().json = func() ([]byte, error) { return []byte("{"), errors.New("no such value") }
	w := served(t, p, "/report.json")
	assert.Equal(t, http.StatusInternalServerError, w.Code)
	assert.Equal(t, "the report could not be written: no such value\n", w.Body.String())
	assert.Equal(t, http.StatusOK, served(t, p, "/report").Code)
}

// TestWrittenOnce checks that a format is written for the first client, and once.
func TestWrittenOnce(t *testing.T) {
	r := made(1, 1, first, up)
	p := newPage(r)
	r.Memaudit.Version = "9.9.9"
	one, err := p.json()
	require.NoError(t, err)
	assert.Contains(t, string(one), `"version": "9.9.9"`, "written when asked for")
	two, err := p.json()
	require.NoError(t, err)
	assert.Same(t, &one[0], &two[0])
}

// BenchmarkScrape is one scrape of a machine of 32 modules and 8 nodes, through
// everything but the network.
func BenchmarkScrape(b *testing.B) {
	p := &currentPage{}
	p.publish(Outcome{Report: made(32, 33, first, up)})
	h := p.handler(&WebOptions{MetricsPath: "/metrics"}, quiet)
	b.ReportAllocs()
	for b.Loop() {
		w := httptest.NewRecorder()
		w.Body = nil
		h.ServeHTTP(discard{w}, httptest.NewRequest(http.MethodGet, "/metrics", nil))
	}
}

type discard struct{ http.ResponseWriter }

func (discard) Write(b []byte) (int, error) { return io.Discard.Write(b) }
