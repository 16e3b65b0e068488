package exporter

import (
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus/testutil/promlint"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"memaudit.example/memaudit/internal/audit/verdict"
	"memaudit.example/memaudit/internal/model/fact"
	"memaudit.example/memaudit/internal/model/inventory"
	"memaudit.example/memaudit/internal/report"
)

// is is a known value.
func is[T any](v T) fact.Fact[T] { return fact.Known(v, fact.Direct, fact.Evidence{}) }

func ptr[T any](v T) *T { return &v }

// made is a report of a machine with the given numbers of modules and rules, with this time.
func made(modules, rules int, at time.Time, sources ...inventory.Source) *report.Report {
	r := &report.Report{Schema: report.SchemaReport, GeneratedAt: at.UTC().Format(time.RFC3339), Took: 4 * time.Millisecond}
	r.Memaudit.Version = "1.2.3"
	for i := range rules {
		r.Findings = append(r.Findings, verdict.Finding{Rule: fmt.Sprintf("memory.rule%d", i), Result: "pass", Severity: "info"})
	}
	r.Summary.Pass = rules
	for i := range modules {
		r.Inventory.Slots = append(r.Inventory.Slots, inventory.Slot{Handle: inventory.Handle(0x1100 + i), State: "populated",
			Locator: is(fmt.Sprintf("DIMM_%d", i)), Place: inventory.Place{Socket: ptr(i / 16), Channel: ptr(i % 8), Slot: ptr(i / 8 % 2)}, SizeBytes: is(int64(32 << 30)),
			RatedMTs: is(3200), ConfiguredMTs: is(2933), Manufacturer: is("Samsung"), PartNumber: is("M393A4K40DB3-CWE"), Ranks: is(2)})
	}
	for i := range 8 {
		r.Inventory.Nodes = append(r.Inventory.Nodes, report.Node{ID: i, Kind: "dram", MemoryBytes: is(int64(64 << 30)), Distances: []int{10, 11, 12, 13, 14, 15, 16, 17}})
	}
	r.Inventory.Sources = sources
	r.MakeVerdict(report.Criteria{})
	return r
}

var (
	quiet  = slog.New(slog.DiscardHandler)
	first  = time.Date(2026, 11, 20, 9, 0, 0, 0, time.UTC)
	second = first.Add(time.Hour)
	up     = inventory.Source{Name: "smbios", State: "ok"}
	down   = inventory.Source{Name: "smbios", State: "denied"}
)

// served fetches a path from the pages' handler.
func served(t testing.TB, p *currentPage, path string, header ...string) *httptest.ResponseRecorder {
	t.Helper()
	h := p.newHandler(&WebOptions{MetricsPath: "/metrics"}, quiet)
	r := httptest.NewRequest(http.MethodGet, path, nil)
	for i := 0; i+1 < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

// TestPartialAudit checks that what could be read is current next to what could not, and that a module that
// disappears while another source fails is noticed.
func TestPartialAudit(t *testing.T) {
	p := &currentPage{}
	p.publishOutcome(Outcome{Report: made(2, 3, first, up)})
	part := made(1, 1, second, up, inventory.Source{Name: "redfish", State: "refused"})
	part.Failed = "no answer"
	p.publishOutcome(Outcome{Report: part, Err: errors.New("no answer")})
	out := served(t, p, "/metrics").Body.String()
	for _, want := range []string{"memaudit_audit_failed 1", `memaudit_source_up{source="redfish"} 0`, `memaudit_source_up{source="smbios"} 1`,
		fmt.Sprintf("memaudit_audit_timestamp_seconds %v", float64(second.Unix())), `memaudit_rules{result="pass"} 1`} {
		assert.Contains(t, out, want+"\n")
	}
	assert.Equal(t, 1, strings.Count(out, "\nmemaudit_dimm_info{"))
	assert.Contains(t, served(t, p, "/report.json").Body.String(), second.Format(time.RFC3339))
	for _, path := range []string{"/report", "/report.txt", "/report.json"} {
		assert.NotContains(t, strings.ToLower(served(t, p, path).Body.String()), "outdated", path)
	}
}

// TestFailedAudit checks that after an audit that read nothing the previous one stays, and that every format says so,
// with its time and the reason.
func TestFailedAudit(t *testing.T) {
	p := &currentPage{}
	p.publishOutcome(Outcome{Report: made(2, 3, first, up)})
	nothing := made(0, 1, second, down)
	for _, out := range []Outcome{{Report: nothing, Err: errors.New("the tree is gone")}, {Err: errors.New("the tree is gone")}} {
		p.publishOutcome(out)
		page := served(t, p, "/metrics").Body.String()
		for _, want := range []string{"memaudit_audit_failed 1", fmt.Sprintf("memaudit_audit_timestamp_seconds %v", float64(first.Unix())), `memaudit_rules{result="pass"} 3`} {
			assert.Contains(t, page, want+"\n")
		}
		assert.Equal(t, out.Report == nil, strings.Contains(page, `memaudit_source_up{source="smbios"} 1`), "as the last audit met it, where it came so far")
		assert.Equal(t, 2, strings.Count(page, "\nmemaudit_dimm_info{"))
		for _, path := range []string{"/report", "/report.txt", "/report.json"} {
			body := strings.Join(strings.Fields(served(t, p, path).Body.String()), " ")
			assert.Contains(t, body, "this is the machine as of 2026-11-20T09:00:00Z", path)
			assert.Contains(t, body, "the tree is gone", path)
		}
		assert.Equal(t, http.StatusOK, served(t, p, "/-/ready").Code)
	}
	p.publishOutcome(Outcome{Report: made(4, 3, second, up)})
	out := served(t, p, "/metrics").Body.String()
	assert.Contains(t, out, "memaudit_audit_failed 0\n")
	assert.Contains(t, out, fmt.Sprintf("memaudit_audit_timestamp_seconds %v\n", float64(second.Unix())))
	assert.Equal(t, 4, strings.Count(out, "\nmemaudit_dimm_info{"))
	assert.NotContains(t, served(t, p, "/report.txt").Body.String(), "outdated")
}

// TestNothingYet checks that there is no page until an audit has read something, whatever the results before.
func TestNothingYet(t *testing.T) {
	p := &currentPage{}
	for _, out := range []Outcome{{Err: errors.New("no tree")}, {Report: made(0, 1, first, down), Err: errors.New("nothing")}} {
		p.publishOutcome(out)
		for _, path := range []string{"/metrics", "/report", "/report.txt", "/report.json", "/-/ready"} {
			assert.Equal(t, http.StatusServiceUnavailable, served(t, p, path).Code, path)
		}
	}
	part := made(3, 1, second, up, inventory.Source{Name: "bios", State: "absent"})
	p.publishOutcome(Outcome{Report: part, Err: errors.New("no export")})
	assert.Equal(t, 3, strings.Count(served(t, p, "/metrics").Body.String(), "\nmemaudit_dimm_info{"))
}

func TestHTTP(t *testing.T) {
	p := &currentPage{}
	for _, path := range []string{"/report", "/report.txt", "/report.json", "/-/ready", "/metrics"} {
		w := served(t, p, path)
		assert.Equal(t, http.StatusServiceUnavailable, w.Code, path)
		assert.Equal(t, "1", w.Header().Get("Retry-After"))
	}
	p.publishOutcome(Outcome{Report: made(2, 3, first, up)})
	for path, kind := range map[string]string{"/metrics": "text/plain", "/report": "text/html; charset=utf-8", "/report.txt": "text/plain; charset=utf-8", "/report.json": "application/json",
		"/-/healthy": "text/plain", "/-/ready": "text/plain", "/": "text/html"} {
		w := served(t, p, path)
		assert.Equal(t, http.StatusOK, w.Code, path)
		assert.True(t, strings.HasPrefix(w.Header().Get("Content-Type"), kind), path)
		assert.Equal(t, "nosniff", w.Header().Get("X-Content-Type-Options"), path)
		assert.NotEmpty(t, w.Body.String(), path)
	}
	assert.Equal(t, http.StatusNotFound, served(t, p, "/debug/pprof/").Code)
	assert.Equal(t, http.StatusNotFound, served(t, p, "/favicon.ico").Code)
	open := served(t, p, "/metrics", "Accept", "application/openmetrics-text;version=1.0.0")
	assert.Contains(t, open.Header().Get("Content-Type"), "application/openmetrics-text")
	assert.True(t, strings.HasSuffix(open.Body.String(), "# EOF\n"))
	h := p.newHandler(&WebOptions{MetricsPath: "/"}, quiet)
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest(http.MethodPost, "/report", strings.NewReader("x")))
	assert.Equal(t, http.StatusMethodNotAllowed, w.Code)
}

// scraped is a daemon's page of metrics for a client that sends these headers.
func scraped(t testing.TB, modules int, header ...string) *httptest.ResponseRecorder {
	t.Helper()
	p := &currentPage{}
	p.publishOutcome(Outcome{Report: made(modules, 33, first, up)})
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
