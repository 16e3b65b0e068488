package exporter

import (
	"bytes"
	"log/slog"
	"net/http"
	"strings"
	"time"

	"github.com/memaudit/memaudit/internal/report/html"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// Bounds of a client: a scrape is answered from memory, so whoever needs longer
// is not reading.
const (
	headerTimeout = 5 * time.Second
	readTimeout   = 10 * time.Second
	writeTimeout  = 30 * time.Second
	// idleTimeout is longer than the intervals at which one usually scrapes.
	idleTimeout    = 2 * time.Minute
	maxHeaderBytes = 64 << 10
	// maxScrapes is how many scrapes are answered at one time.
	maxScrapes = 40
)

// newServer bounds what a client can hold.
func newServer(handler http.Handler, log *slog.Logger) *http.Server {
	return &http.Server{
		Handler: handler, ReadHeaderTimeout: headerTimeout, ReadTimeout: readTimeout, WriteTimeout: writeTimeout,
		IdleTimeout: idleTimeout, MaxHeaderBytes: maxHeaderBytes, ErrorLog: slog.NewLogLogger(log.Handler(), slog.LevelWarn),
		ConnState: newConnections(maxConnections).state,
	}
}

// handler serves the pages.
func (p *pages) handler(w *Web, log *slog.Logger) (http.Handler, error) {
	registry := prometheus.NewRegistry()
	if err := registry.Register(p); err != nil {
		return nil, err
	}
	if err := registry.Register(newProcess(time.Now())); err != nil {
		return nil, err
	}
	mux := http.NewServeMux()
	get := func(path string, h http.Handler) { mux.Handle("GET "+path, h) }
	get(w.MetricsPath, p.audited(promhttp.HandlerFor(registry, promhttp.HandlerOpts{EnableOpenMetrics: true, MaxRequestsInFlight: maxScrapes,
		ErrorLog: scrapeLog{log}, ErrorHandling: promhttp.HTTPErrorOnError})))
	if !w.NoReport {
		get("/report", p.negotiate(asHTML, asText, asJSON))
		get("/report.txt", p.serve(asText))
		get("/report.json", p.serve(asJSON))
	}
	get("/-/healthy", say("memaudit is healthy.\n"))
	get("/-/ready", p.audited(say("memaudit is ready.\n")))
	if w.MetricsPath != "/" {
		get("/{$}", landing(w))
	}
	return plain(mux), nil
}

// plain tells browsers to take every answer for what it says it is.
func plain(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("X-Content-Type-Options", "nosniff")
		w.Header().Set("Referrer-Policy", "no-referrer")
		next.ServeHTTP(w, r)
	})
}

// serve hands out one form of the last audit.
func (p *pages) serve(f form) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		current := p.current.Load()
		if current == nil {
			notYet(w)
			return
		}
		w.Header().Set("Content-Type", f.kind)
		w.Header().Set("Cache-Control", "no-cache")
		w.Header().Set("Content-Security-Policy", html.Policy)
		http.ServeContent(w, r, "", current.at, bytes.NewReader(f.of(current)))
	})
}

// audited holds an answer back until there is an audit to speak of: a page of
// metrics without one would resolve the alerts of before.
func (p *pages) audited(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if p.current.Load() == nil {
			notYet(w)
			return
		}
		next.ServeHTTP(w, r)
	})
}

func notYet(w http.ResponseWriter) {
	w.Header().Set("Retry-After", "1")
	http.Error(w, "no audit has been done yet", http.StatusServiceUnavailable)
}

// say answers with a constant.
func say(text string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		_, _ = w.Write([]byte(text)) // a client that went away is no matter
	})
}

// negotiate hands out the form that the client likes best (RFC 9110, 12.5.1);
// of equals the one it names, then the first, which is also for those who take
// none of them.
func (p *pages) negotiate(forms ...form) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		accept := strings.Join(r.Header.Values("Accept"), ",")
		best, most, named := forms[0], 0.0, 0
		for _, f := range forms {
			if q, exact := quality(accept, f.kind); q > most || q > 0 && q == most && exact > named {
				best, most, named = f, q, exact
			}
		}
		w.Header().Add("Vary", "Accept")
		p.serve(best).ServeHTTP(w, r)
	})
}
