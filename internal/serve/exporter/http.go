// Package exporter is the daemon. It keeps the last audit and serves it over HTTP. It starts the next one when the
// interval is over, or when the machine or the configuration changed. The audit itself is a function of the caller.
package exporter

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"html/template"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/coreos/go-systemd/v22/activation"
	"github.com/coreos/go-systemd/v22/daemon"
	"github.com/landlock-lsm/go-landlock/landlock"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	"github.com/prometheus/exporter-toolkit/web"
	"golang.org/x/sys/unix"

	"memaudit.example/memaudit/internal/report"
	"memaudit.example/memaudit/internal/report/html"
	"memaudit.example/memaudit/internal/report/metrics"
	"memaudit.example/memaudit/internal/report/printable"
	"memaudit.example/memaudit/internal/report/text"
	"memaudit.example/memaudit/internal/report/wording"
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
		ConnState: newConnections(maxConnections).trackState,
	}
}

func (p *currentPage) newHandler(w *WebOptions, log *slog.Logger) http.Handler {
	mux := http.NewServeMux()
	get := func(path string, h http.Handler) { mux.Handle("GET "+path, h) }
	get(w.MetricsPath, p.metricsHandler(log))
	if !w.NoReport {
		get("/report", p.formHandler("text/html; charset=utf-8", func(c *auditPage) ([]byte, error) { return c.html() }))
		get("/report.txt", p.formHandler("text/plain; charset=utf-8", func(c *auditPage) ([]byte, error) { return c.text() }))
		get("/report.json", p.formHandler("application/json", func(c *auditPage) ([]byte, error) { return c.json() }))
	}
	runbook := sync.OnceValues(w.Runbook)
	get("/runbook", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := runbook()
		writeAnswer(w, r, "text/html; charset=utf-8", time.Time{}, body, err)
	}))
	get("/-/healthy", constantAnswer("memaudit is healthy.\n"))
	get("/-/ready", p.requireAudit(constantAnswer("memaudit is ready.\n")))
	if w.MetricsPath != "/" {
		get("/{$}", p.landingPage(w))
	}
	return asDeclared(mux)
}

// maxScrapes is how many scrapes are answered at the same time.
const maxScrapes = 40

// metricsHandler answers with the metrics of the last audit and of this process. Before the first audit it
// answers 503: a page without the audit's metrics would resolve alerts that still hold.
func (p *currentPage) metricsHandler(log *slog.Logger) http.Handler {
	registry := prometheus.NewRegistry()
	registry.MustRegister(collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}), collectors.NewGoCollector(),
		metrics.Collector(func() []metrics.Family { return p.current.Load().families }))
	return p.requireAudit(promhttp.HandlerFor(registry, promhttp.HandlerOpts{
		ErrorLog: slog.NewLogLogger(log.Handler(), slog.LevelError), MaxRequestsInFlight: maxScrapes, EnableOpenMetrics: true}))
}

func (p *currentPage) requireAudit(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if p.current.Load() == nil {
			w.Header().Set("Retry-After", "1")
			http.Error(w, "no audit has been done yet", http.StatusServiceUnavailable)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// landingPage serves exporter-toolkit's first page: the machine's status in a sentence, unless reports are not
// served, and links to the other pages.
func (p *currentPage) landingPage(w *WebOptions) http.Handler {
	links := []web.LandingLinks{{Address: strings.TrimPrefix(w.MetricsPath, "/"), Text: "Metrics", Description: "for Prometheus"}}
	if !w.NoReport {
		links = append(links, web.LandingLinks{Address: "report", Text: "Report", Description: "the last audit"},
			web.LandingLinks{Address: "report.txt", Text: "Report (text)"}, web.LandingLinks{Address: "report.json", Text: "Report (JSON)"})
	}
	links = append(links, web.LandingLinks{Address: "runbook", Text: "Runbook", Description: "all alerts and rules"}, web.LandingLinks{Address: "-/healthy", Text: "Health"}, web.LandingLinks{Address: "-/ready", Text: "Readiness"})
	return http.HandlerFunc(func(answer http.ResponseWriter, r *http.Request) {
		says := "Audit of memory population and BIOS settings"
		if current := p.current.Load(); current != nil && !w.NoReport {
			says = current.verdictSentence()
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

func (p *currentPage) formHandler(mediaType string, form func(*auditPage) ([]byte, error)) http.Handler {
	return p.requireAudit(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		current := p.current.Load()
		body, err := form(current)
		writeAnswer(w, r, mediaType, current.at, body, err)
	}))
}

func writeAnswer(w http.ResponseWriter, r *http.Request, mediaType string, at time.Time, body []byte, err error) {
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

// Outcome is the result of one audit.
type Outcome struct {
	// Report is nil if nothing could be audited.
	Report *report.Report
	// Err is why the audit failed or is incomplete.
	Err error
	// Interval is the time until the next audit. It is part of the outcome because the configuration may change it.
	Interval time.Duration
}

// auditPage is one audit that is served. It does not change after it was stored, so a scrape takes
// no lock and sees a whole audit. Each form is written when the first client asks for it, because
// most audits are scraped and their reports never read.
type auditPage struct {
	report           *report.Report
	families         []metrics.Family
	html, text, json func() ([]byte, error)
	at               time.Time
}

type currentPage struct{ current atomic.Pointer[auditPage] }

// publishOutcome stores the outcome of an audit. A report that lacks some sources replaces the previous page, with
// what could not be read as unknown. After an audit that read nothing of the machine the previous page, if
// there is one, stays and is marked as outdated.
func (p *currentPage) publishOutcome(out Outcome) {
	old := p.current.Load()
	switch {
	case out.Report != nil && !out.Report.NothingRead():
		p.current.Store(newAuditPage(out.Report))
	case old != nil:
		r := *old.report
		r.MarkOutdated(out.Err)
		n := newAuditPage(&r)
		if out.Report != nil {
			ofSources := func(f metrics.Family) bool { return f.Name == metrics.SourceUp }
			from := metrics.FromReport(out.Report)
			if to, now := slices.IndexFunc(n.families, ofSources), slices.IndexFunc(from, ofSources); to >= 0 && now >= 0 {
				n.families[to] = from[now]
			}
		}
		p.current.Store(n)
	}
}

// newAuditPage returns a page whose forms are written once each, at the first use.
func newAuditPage(r *report.Report) *auditPage {
	form := func(write func(io.Writer, *report.Report) error) func() ([]byte, error) {
		return sync.OnceValues(func() ([]byte, error) {
			defer debug.FreeOSMemory() // as the daemon then mostly waits
			var out bytes.Buffer
			err := write(&out, r)
			return bytes.Clone(out.Bytes()), err
		})
	}
	at, _ := time.Parse(time.RFC3339, r.GeneratedAt)
	return &auditPage{report: r, families: metrics.FromReport(r), at: at, html: form(html.Write), json: form(report.WriteJSON),
		text: form(func(w io.Writer, r *report.Report) error { return text.Write(w, r, text.Options{}) })}
}

func (p *auditPage) verdictSentence() string {
	says := p.report.Verdict.Status.Word() + " " + wording.VerdictSentence(p.report)
	if p.report.Outdated != "" {
		says = "OUTDATED (" + p.report.Outdated + "): " + says
	}
	return printable.Clean(says) + " (audited " + p.report.GeneratedAt + ")"
}

// maxConnections is how many clients may be connected at the same time. Each costs about 20 KB, and
// no machine is scraped from that many places.
const maxConnections = 256

// connections limits the open connections of a server. When there is one too many, the one that has been idle longest
// is closed. A new connection is idle too, so it is itself closed if all others are being served.
type connections struct {
	most int
	mu   sync.Mutex
	// open holds all connections; idle lists those that are idle, the longest idle first.
	open map[net.Conn]bool
	idle []net.Conn
}

func newConnections(most int) *connections {
	return &connections{most: most, open: map[net.Conn]bool{}}
}

func (c *connections) trackState(conn net.Conn, s http.ConnState) {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch s {
	case http.StateNew:
		c.open[conn] = true
		// A client that has sent nothing yet is idle too.
		c.idle = append(c.idle, conn)
		if len(c.open) > c.most {
			victim := c.idle[0] // which may be the new one
			c.forgetIdle(victim)
			delete(c.open, victim)
			_ = victim.Close()
		}
	case http.StateIdle:
		c.forgetIdle(conn)
		c.idle = append(c.idle, conn)
	case http.StateActive:
		c.forgetIdle(conn)
	case http.StateClosed, http.StateHijacked:
		c.forgetIdle(conn)
		delete(c.open, conn)
	}
}

func (c *connections) forgetIdle(conn net.Conn) {
	c.idle = slices.DeleteFunc(c.idle, func(other net.Conn) bool { return other == conn })
}

// CheckWeb returns an error if a web configuration file (TLS, basic authentication) is not valid.
func CheckWeb(file string) error { return web.Validate(file) }

// Serve runs the daemon until the context ends or a listener fails. The end of the context is not an error.
func Serve(ctx context.Context, c Config) error {
	listeners, err := c.Web.openListeners()
	if err != nil {
		return err
	}
	p := &currentPage{}
	handler := p.newHandler(&c.Web, c.Log)
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	events := make(chan auditEvent)
	go func() {
		for {
			select {
			case <-ctx.Done():
				return
			case <-c.Reload:
				sendEvent(ctx, events, auditEvent{"reload asked for", true})
			case why := <-c.Again:
				sendEvent(ctx, events, auditEvent{why, false})
			}
		}
	}()
	watchFiles(ctx, &watched{folders: c.Watch, files: c.WatchFiles}, events, recheck, c.Log)
	if c.Sandbox {
		restrictProcess(c.Readable, c.Network, c.Log)
	}
	servers := serveAll(listeners, handler, &c.Web, c.Log, stop)
	c.Settle = cmp.Or(c.Settle, defaultSettle)
	l := &auditLoop{Config: c, events: events, pages: p, notify: newNotifier(c.Log), watchdog: watchdogTime(c.Log)}
	l.run(ctx)
	err = shutDownServers(servers, shutdownGrace)
	if cause := context.Cause(ctx); !errors.Is(cause, context.Canceled) {
		err = errors.Join(cause, err)
	}
	return err
}

func (w *WebOptions) openListeners() ([]net.Listener, error) {
	if w.SystemdSocket {
		return checkListeners(activation.Listeners())
	}
	var all []net.Listener
	for _, address := range w.Addresses {
		l, err := net.Listen("tcp", address)
		if err != nil {
			for _, l := range all {
				_ = l.Close()
			}
			return nil, fmt.Errorf("listen on %s: %w", address, err)
		}
		all = append(all, l)
	}
	return all, nil
}

// checkListeners returns the sockets that systemd opened. It is an error if there are none, or if one of
// them cannot accept connections, such as a datagram socket or a FIFO.
func checkListeners(listeners []net.Listener, err error) ([]net.Listener, error) {
	switch {
	case err != nil:
		return nil, fmt.Errorf("sockets of systemd: %w", err)
	case len(listeners) == 0:
		return nil, errors.New("systemd passed no socket, expected a .socket unit for this service")
	case slices.Contains(listeners, nil):
		return nil, errors.New("systemd passed a socket that does not accept connections, expected ListenStream= alone in the .socket unit")
	}
	return listeners, nil
}

func serveAll(listeners []net.Listener, handler http.Handler, w *WebOptions, log *slog.Logger, stop context.CancelCauseFunc) []*http.Server {
	servers := make([]*http.Server, 0, len(listeners))
	for _, l := range listeners {
		s := newServer(handler, log)
		servers = append(servers, s)
		go func() {
			err := web.Serve(l, s, &web.FlagConfig{WebConfigFile: &w.ConfigFile}, log)
			if !errors.Is(err, http.ErrServerClosed) {
				stop(fmt.Errorf("serve on %s: %w", l.Addr(), err))
			}
		}()
	}
	return servers
}

// shutDownServers waits up to most for requests to finish, then closes the connections and returns an error.
func shutDownServers(servers []*http.Server, most time.Duration) error {
	ctx, cancel := context.WithTimeout(context.Background(), most)
	defer cancel()
	var all error
	for _, s := range servers {
		if err := s.Shutdown(ctx); err != nil {
			all = errors.Join(all, err, s.Close())
		}
	}
	return all
}

func newNotifier(log *slog.Logger) func(string) {
	return func(state string) {
		if _, err := daemon.SdNotify(false, state); err != nil {
			log.Warn("telling systemd", "error", err)
		}
	}
}

// watchdogTime returns the interval within which systemd expects a message, 0 if it expects none.
func watchdogTime(log *slog.Logger) time.Duration {
	d, err := daemon.SdWatchdogEnabled(false)
	if err != nil {
		log.Warn("systemd's watchdog", "error", err)
	}
	return d
}

// WebOptions are the addresses and options of the daemon's web server.
type WebOptions struct {
	// Addresses are the TCP addresses to listen on, for example ":9822".
	Addresses []string
	// SystemdSocket uses the sockets that systemd opened instead of Addresses.
	SystemdSocket bool
	// ConfigFile is a web configuration file of exporter-toolkit: TLS, basic authentication.
	ConfigFile string
	// MetricsPath is the path at which metrics are served.
	MetricsPath string
	// NoReport serves metrics and the runbook but no reports.
	NoReport bool
	// Runbook returns the page that alerts link to, as HTML. It is called once, when a client asks for it.
	Runbook func() ([]byte, error)
}

// restrictProcess restricts this process for the rest of its life with Landlock. It can read only /sys, /proc, /dev/cpu and
// readable, and write nothing. Unless network is set, it can open no TCP connection and no TCP port. A kernel without
// Landlock, or with an older version, restricts what it can; the rest is logged.
func restrictProcess(readable []string, network bool, log *slog.Logger) {
	warnLacking(landlockVersion(), network, log)
	applyLandlock(landlock.V5.BestEffort(), readable, network, log)
}

func warnLacking(version int, network bool, log *slog.Logger) {
	if lacks := lackingRights(version, network); lacks != "" {
		log.Warn("not sandboxed in full: "+lacks, "expected", "Linux 5.13 with landlock among lsm=, 6.7 for the network")
	}
}

// landlockVersion returns the kernel's version of Landlock, 0 if there is none or it is switched
// off (landlock_create_ruleset(2) then returns -1).
func landlockVersion() int {
	version, _, _ := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, 0, 0, unix.LANDLOCK_CREATE_RULESET_VERSION)
	return max(int(version), 0)
}

// lackingRights names the rights that a version of Landlock cannot drop, "" if it can drop all that the daemon wants
// to. Restrictions of the network came with version 4.
func lackingRights(version int, network bool) string {
	switch {
	case version < 1:
		return "this kernel has no Landlock, so the daemon keeps its rights to files and network"
	case version < 4 && !network:
		return "this kernel's Landlock does not know the network"
	default:
		return ""
	}
}

type restricter interface {
	RestrictPaths(rules ...landlock.Rule) error
	RestrictNet(rules ...landlock.Rule) error
}

func applyLandlock(best restricter, readable []string, network bool, log *slog.Logger) {
	dirs, files := []string{"/sys", "/proc", "/dev/cpu"}, []string{"/dev/kmsg"}
	for _, name := range readable {
		st, err := os.Stat(name)
		switch {
		case err != nil: // does not exist, so no audit reads it
		case st.IsDir():
			dirs = append(dirs, name)
		default:
			files = append(files, name)
		}
	}
	if err := best.RestrictPaths(landlock.RODirs(dirs...).IgnoreIfMissing(), landlock.ROFiles(files...).IgnoreIfMissing()); err != nil {
		log.Warn("no sandbox for files", "error", err)
		return
	}
	if !network {
		if err := best.RestrictNet(); err != nil {
			log.Warn("no sandbox for the network", "error", err)
			return
		}
	}
	log.Debug("sandboxed", "folders", dirs, "files", files)
}
