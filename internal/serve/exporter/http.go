package exporter

import (
	"bytes"
	"html/template"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	"github.com/prometheus/exporter-toolkit/web"

	"memaudit.example/memaudit/internal/report/html"
	"memaudit.example/memaudit/internal/report/metrics"
)

// Limits for clients. Every answer comes from memory, so a client that takes longer than this is not reading.
const (
	headerTimeout = 5 * time.Second
	readTimeout   = 10 * time.Second
	writeTimeout  = 30 * time.Second
	// idleTimeout is longer than usual scrape intervals.
	idleTimeout    = 2 * time.Minute
	maxHeaderBytes = 64 << 10
)

func newServer(handler http.Handler, log *slog.Logger) *http.Server {
	protocols := new(http.Protocols)
	protocols.SetHTTP1(true)
	return &http.Server{
		Protocols: protocols,
		Handler:   handler, ReadHeaderTimeout: headerTimeout, ReadTimeout: readTimeout, WriteTimeout: writeTimeout,
		IdleTimeout: idleTimeout, MaxHeaderBytes: maxHeaderBytes, ErrorLog: slog.NewLogLogger(log.Handler(), slog.LevelWarn),
		ConnState: newConnections(maxConnections).state,
	}
}

func (p *currentPage) handler(w *WebOptions, log *slog.Logger) http.Handler {
	mux := http.NewServeMux()
	get := func(path string, h http.Handler) { mux.Handle("GET "+path, h) }
	get(w.MetricsPath, p.scrape(log))
	if !w.NoReport {
		get("/report", p.serve(asHTML))
		get("/report.txt", p.serve(asText))
		get("/report.json", p.serve(asJSON))
	}
	runbook := sync.OnceValues(w.Runbook)
	get("/runbook", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := runbook()
		answer(w, r, "text/html; charset=utf-8", time.Time{}, body, err)
	}))
	get("/-/healthy", constantAnswer("memaudit is healthy.\n"))
	get("/-/ready", p.audited(constantAnswer("memaudit is ready.\n")))
	if w.MetricsPath != "/" {
		get("/{$}", p.landing(w))
	}
	return asDeclared(mux)
}

// maxScrapes is how many scrapes are answered at the same time.
const maxScrapes = 40

// scrape answers with the metrics of the last audit and of this process. Before the first audit it
// answers 503: a page without the audit's metrics would resolve alerts that still hold.
func (p *currentPage) scrape(log *slog.Logger) http.Handler {
	registry := prometheus.NewRegistry()
	registry.MustRegister(collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}), collectors.NewGoCollector(),
		metrics.Collector(func() []metrics.Family { return p.current.Load().families }))
	return p.audited(promhttp.HandlerFor(registry, promhttp.HandlerOpts{
		ErrorLog: slog.NewLogLogger(log.Handler(), slog.LevelError), MaxRequestsInFlight: maxScrapes, EnableOpenMetrics: true}))
}

func (p *currentPage) audited(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if p.current.Load() == nil {
			w.Header().Set("Retry-After", "1")
			http.Error(w, "no audit has been done yet", http.StatusServiceUnavailable)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// landing serves exporter-toolkit's first page: the machine's status in a sentence, unless reports are not
// served, and links to the other pages.
func (p *currentPage) landing(w *WebOptions) http.Handler {
	links := []web.LandingLinks{{Address: strings.TrimPrefix(w.MetricsPath, "/"), Text: "Metrics", Description: "for Prometheus"}}
	if !w.NoReport {
		links = append(links, web.LandingLinks{Address: "report", Text: "Report", Description: "the last audit"},
			web.LandingLinks{Address: "report.txt", Text: "Report (text)"}, web.LandingLinks{Address: "report.json", Text: "Report (JSON)"})
	}
	links = append(links, web.LandingLinks{Address: "runbook", Text: "Runbook", Description: "all alerts and rules"}, web.LandingLinks{Address: "-/healthy", Text: "Health"}, web.LandingLinks{Address: "-/ready", Text: "Readiness"})
	return http.HandlerFunc(func(answer http.ResponseWriter, r *http.Request) {
		says := "Audit of memory population and BIOS settings"
		if current := p.current.Load(); current != nil && !w.NoReport {
			says = current.sentence()
		}
		// The template of exporter-toolkit does not escape.
		page, err := web.NewLandingPage(web.LandingConfig{Name: "memaudit", Description: template.HTMLEscapeString(says),
			Links: slices.Clone(links), Profiling: "false", ExtraCSS: landingStyle})
		if err != nil {
			http.Error(answer, err.Error(), http.StatusInternalServerError)
			return
		}
		page.ServeHTTP(answer, r)
	})
}

// landingStyle adds dark colours to the style of exporter-toolkit's page.
const landingStyle = `:root { color-scheme: light dark; } h2 { font-size: 1.25rem; overflow-wrap: anywhere; } li { padding: .2rem 0; }`

// asDeclared tells browsers not to guess the type of an answer and to send no referrer.
func asDeclared(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("X-Content-Type-Options", "nosniff")
		w.Header().Set("Referrer-Policy", "no-referrer")
		next.ServeHTTP(w, r)
	})
}

// servedForm is one form in which the last audit is served: its media type and the function of
// auditPage that returns it.
type servedForm struct {
	mediaType string
	of        func(*auditPage) func() ([]byte, error)
}

// The forms in which reports are served.
var (
	asHTML = servedForm{"text/html; charset=utf-8", func(c *auditPage) func() ([]byte, error) { return c.html }}
	asText = servedForm{"text/plain; charset=utf-8", func(c *auditPage) func() ([]byte, error) { return c.text }}
	asJSON = servedForm{"application/json", func(c *auditPage) func() ([]byte, error) { return c.json }}
)

func (p *currentPage) serve(f servedForm) http.Handler {
	return p.audited(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		current := p.current.Load()
		body, err := f.of(current)()
		answer(w, r, f.mediaType, current.at, body, err)
	}))
}

func answer(w http.ResponseWriter, r *http.Request, mediaType string, at time.Time, body []byte, err error) {
	if err != nil {
		http.Error(w, "the page could not be written: "+err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", mediaType)
	w.Header().Set("Cache-Control", "no-cache")
	w.Header().Set("Content-Security-Policy", html.Policy)
	http.ServeContent(w, r, "", at, bytes.NewReader(body))
}

func constantAnswer(text string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		_, _ = w.Write([]byte(text)) // a client that disconnected is no error
	})
}
