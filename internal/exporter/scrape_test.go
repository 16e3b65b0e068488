package exporter

import (
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus/testutil/promlint"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
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

// TestLint: the metrics are as Prometheus's own linter wants them.
func TestLint(t *testing.T) {
	problems, err := promlint.New(scraped(t, 32).Body).Lint()
	require.NoError(t, err)
	assert.Empty(t, problems)
}

// fields are the lines of a page, without those about the process, which change;
// numbers as their value, not as they are spelled.
func fields(t *testing.T, page string) []string {
	t.Helper()
	var out []string
	for line := range strings.Lines(page) {
		if strings.Contains(line, "process_") {
			continue
		}
		if i := strings.LastIndexByte(line, ' '); !strings.HasPrefix(line, "#") {
			v, err := strconv.ParseFloat(strings.TrimSpace(line[i:]), 64)
			require.NoError(t, err, line)
			line = line[:i] + " " + strconv.FormatFloat(v, 'g', -1, 64) + "\n"
		}
		out = append(out, line)
	}
	return out
}

// TestOpenMetrics: the page in OpenMetrics is what Prometheus's own library makes
// of the page in the text format.
func TestOpenMetrics(t *testing.T) {
	parser := expfmt.NewTextParser(model.UTF8Validation)
	families, err := parser.TextToMetricFamilies(scraped(t, 32).Body)
	require.NoError(t, err)
	require.Greater(t, len(families), 20)
	var want bytes.Buffer
	encoder := expfmt.NewEncoder(&want, expfmt.NewFormat(expfmt.TypeOpenMetrics))
	for _, f := range families {
		require.NoError(t, encoder.Encode(f))
	}
	require.NoError(t, encoder.(expfmt.Closer).Close())
	w := scraped(t, 32, "Accept", "application/openmetrics-text;version=1.0.0,text/plain;version=0.0.4;q=0.5")
	assert.Equal(t, "application/openmetrics-text; version=1.0.0; charset=utf-8", w.Header().Get("Content-Type"))
	got := w.Body.String()
	assert.Contains(t, got, "# TYPE process_cpu_seconds counter\nprocess_cpu_seconds_total ")
	assert.Equal(t, 1, strings.Count(got, "# EOF"))
	assert.True(t, strings.HasSuffix(got, "\n# EOF\n"))
	assert.ElementsMatch(t, fields(t, want.String()), fields(t, got))
}

// TestScrapeAccept: who gets which format, by what Prometheus 2 and 3, curl and a
// browser send.
func TestScrapeAccept(t *testing.T) {
	for accept, want := range map[string]string{
		"":    "text/plain; version=0.0.4; charset=utf-8",
		"*/*": "text/plain; version=0.0.4; charset=utf-8",
		"text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8":                                                                                      "text/plain; version=0.0.4; charset=utf-8",
		"application/openmetrics-text;version=1.0.0,application/openmetrics-text;version=0.0.1;q=0.75,text/plain;version=0.0.4;q=0.5,*/*;q=0.1":                "application/openmetrics-text; version=1.0.0; charset=utf-8",
		"application/vnd.google.protobuf;proto=io.prometheus.client.MetricFamily;encoding=delimited;q=0.7,text/plain;version=0.0.4;q=0.3,*/*;q=0.2":            "text/plain; version=0.0.4; charset=utf-8",
		"application/openmetrics-text;version=1.0.0;escaping=allow-utf-8;q=0.5,text/plain;version=1.0.0;escaping=allow-utf-8;q=0.3,text/plain;q=0.2,*/*;q=0.1": "application/openmetrics-text; version=1.0.0; charset=utf-8",
	} {
		assert.Equal(t, want, scraped(t, 1, "Accept", accept).Header().Get("Content-Type"), accept)
	}
}

// TestScrapeCompressed: a compressed page is the same page, for clients that take
// it and no others, of whatever length.
func TestScrapeCompressed(t *testing.T) {
	for _, modules := range []int{0, 1, 32, 4096} {
		p := &currentPage{}
		p.publish(Outcome{Report: made(modules, 33, first, up)})
		for _, accept := range []string{"text/plain", "application/openmetrics-text"} {
			plain := served(t, p, "/metrics", "Accept", accept)
			packed := served(t, p, "/metrics", "Accept", accept, "Accept-Encoding", "deflate, gzip;q=0.8")
			require.Equal(t, "gzip", packed.Header().Get("Content-Encoding"))
			assert.Equal(t, strconv.Itoa(packed.Body.Len()), packed.Header().Get("Content-Length"))
			assert.Less(t, packed.Body.Len(), plain.Body.Len())
			r, err := gzip.NewReader(packed.Body)
			require.NoError(t, err)
			r.Multistream(false)
			body, err := io.ReadAll(r)
			require.NoError(t, err, "checksum and length fit")
			assert.Equal(t, fields(t, plain.Body.String()), fields(t, string(body)))
		}
	}
	for _, encoding := range []string{"", "identity", "gzip;q=0", "br", "xgzip", "deflate"} {
		w := scraped(t, 1, "Accept-Encoding", encoding)
		assert.Empty(t, w.Header().Get("Content-Encoding"), encoding)
		assert.Contains(t, w.Body.String(), "\nprocess_start_time_seconds ")
	}
}

// TestScrapeAgain: of two audits each page is its own, and a page that was handed
// out is not written over by the next scrape.
func TestScrapeAgain(t *testing.T) {
	p := &currentPage{}
	p.publish(Outcome{Report: made(2, 3, first, up)})
	before := served(t, p, "/metrics").Body.String()
	assert.Equal(t, fields(t, before), fields(t, served(t, p, "/metrics").Body.String()))
	p.publish(Outcome{Report: made(5, 3, second, up)})
	assert.Equal(t, 5, strings.Count(served(t, p, "/metrics").Body.String(), "\nmemaudit_dimm_info{"))
	assert.Equal(t, 2, strings.Count(before, "\nmemaudit_dimm_info{"))
}

// TestReportNotWritten: a report that cannot be written is an error to the client,
// not an empty page.
func TestReportNotWritten(t *testing.T) {
	p := &currentPage{}
	p.publish(Outcome{Report: made(1, 1, first, up)})
	p.current.Load().json = func() ([]byte, error) { return []byte("{"), errors.New("no such value") }
	w := served(t, p, "/report.json")
	assert.Equal(t, http.StatusInternalServerError, w.Code)
	assert.Equal(t, "the report could not be written: no such value\n", w.Body.String())
	assert.Equal(t, http.StatusOK, served(t, p, "/report").Code)
}

// TestWrittenOnce: a form is written for the first who asks, and once.
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
