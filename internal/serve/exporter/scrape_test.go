package exporter

import (
	"compress/gzip"
	"io"
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
