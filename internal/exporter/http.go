package exporter

import (
	"bytes"
	"log/slog"
	"net/http"
	"time"

	"github.com/memaudit/memaudit/internal/report/html"
)

// Limits for clients. Every answer comes from memory, so a client that takes longer than this is
// not reading.
const (
	headerTimeout = 5 * time.Second
	readTimeout   = 10 * time.Second
	writeTimeout  = 30 * time.Second
	// idleTimeout is longer than usual scrape intervals.
	idleTimeout    = 2 * time.Minute
	maxHeaderBytes = 64 << 10
)

// newServer returns a server with these limits.
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

// handler routes requests to the pages.
func (p *currentPage) handler(w *WebOptions, log *slog.Logger) http.Handler {
	mux := http.NewServeMux()
	get := func(path string, h http.Handler) { mux.Handle("GET "+path, h) }
	get(w.MetricsPath, p.scrape(time.Now(), log))
	if !w.NoReport {
		get("/report", p.negotiate(asHTML, asText, asJSON))
		get("/report.txt", p.serve(asText))
		get("/report.json", p.serve(asJSON))
	}
	get("/-/healthy", constantAnswer("memaudit is healthy.\n"))
	get("/-/ready", p.audited(constantAnswer("memaudit is ready.\n")))
	if w.MetricsPath != "/" {
		get("/{$}", landing(w))
	}
	return asDeclared(mux)
}

// asDeclared tells browsers not to guess the type of an answer and to send no referrer.
func asDeclared(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("X-Content-Type-Options", "nosniff")
		w.Header().Set("Referrer-Policy", "no-referrer")
		next.ServeHTTP(w, r)
	})
}

// serve answers with one form of the last audit.
func (p *currentPage) serve(f servedForm) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		current := p.current.Load()
		if current == nil {
			notYet(w)
			return
		}
		body, err := f.of(current)()
		if err != nil {
			http.Error(w, "the report could not be written: "+err.Error(), http.StatusInternalServerError)
			return
		}
		w.Header().Set("Content-Type", f.kind)
		w.Header().Set("Cache-Control", "no-cache")
		w.Header().Set("Content-Security-Policy", html.Policy)
		http.ServeContent(w, r, "", current.at, bytes.NewReader(body))
	})
}

// constantAnswer always answers with the same text.
func constantAnswer(text string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		_, _ = w.Write([]byte(text)) // a client that went away is no matter
	})
}

// negotiate answers with the form that the client prefers.
func (p *currentPage) negotiate(forms ...servedForm) http.Handler {
	kinds := make([]string, len(forms))
	for i, f := range forms {
		kinds[i] = f.kind
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Add("Vary", "Accept")
		p.serve(forms[preferred(r, kinds...)]).ServeHTTP(w, r)
	})
}
