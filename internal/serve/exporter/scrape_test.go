package exporter

import (
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
