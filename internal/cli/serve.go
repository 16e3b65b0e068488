package cli

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"os"
	"os/signal"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/sys/unix"

	alerts "memaudit.example/memaudit/deploy/prometheus"
	"memaudit.example/memaudit/internal/report/html"
	"memaudit.example/memaudit/internal/serve/exporter"
)

const (
	// defaultInterval is the time between two audits.
	defaultInterval = 5 * time.Minute
	// leastInterval prevents continuous audits after a mistake in a unit.
	leastInterval = time.Second
	// askGrace is the time for ending a reading of a BMC.
	askGrace = 6 * time.Second
)

type serveFlags struct {
	checkFlags
	interval  time.Duration
	addresses []string
	web       exporter.WebOptions
	logLevel  string
	logFormat string
}

func (p *Program) serveCommand() *cobra.Command {
	f := &serveFlags{}
	cmd := &cobra.Command{
		Use:   "serve",
		Short: "audit at intervals, and serve metrics and reports over HTTP",
		Long: `serve audits at start, every --interval, on SIGHUP, and when configuration or rules
change. It serves the last audit: metrics for Prometheus, /report, /report.txt, /report.json, /runbook (what each alert and rule means),
/-/healthy and /-/ready. A scrape never audits. What an audit cannot read is unknown, and memaudit_audit_failed is 1; when it can
read nothing of the machine, the previous audit stays, marked as outdated. Before the
first audit every page answers 503.`,
		Args: nothing,
		RunE: func(cmd *cobra.Command, _ []string) error { return p.serve(cmd.Context(), f) },
	}
	f.input.register(cmd)
	f.input.registerHostName(cmd)
	f.registerRules(p, cmd)
	fl := cmd.Flags()
	fl.DurationVar(&f.interval, "interval", 0, "`TIME` between two audits, +/-10 % jitter (default 5m, or the configuration's)")
	fl.StringArrayVar(&f.addresses, "web.listen-address", []string{":9822"}, "`ADDRESS` to listen on, HOST:PORT or :PORT; repeatable")
	fl.StringVar(&f.web.ConfigFile, "web.config.file", "", "`FILE` with TLS and basic authentication, as for any Prometheus exporter")
	fl.StringVar(&f.web.MetricsPath, "web.telemetry-path", "/metrics", "`PATH` of the metrics")
	fl.BoolVar(&f.web.NoReport, "web.disable-report", false, "serve metrics alone: no /report, /report.txt, /report.json")
	fl.BoolVar(&f.web.SystemdSocket, "web.systemd-socket", false, "use systemd socket activation instead of --web.listen-address")
	fl.StringVar(&f.logLevel, "log.level", "info", "lowest `LEVEL` of the messages logged: "+strings.Join(logLevels(), ", "))
	fl.StringVar(&f.logFormat, "log.format", "logfmt", "`FORMAT` of messages: "+strings.Join(logFormats(), ", "))
	return cmd
}

func logLevels() []string  { return []string{"debug", "info", "warn", "error"} }
func logFormats() []string { return []string{"logfmt", "json"} }

func (f *serveFlags) check() error {
	if err := checkFlagWord("log.level", f.logLevel, logLevels()); err != nil {
		return err
	}
	if err := checkFlagWord("log.format", f.logFormat, logFormats()); err != nil {
		return err
	}
	if f.interval != 0 && f.interval < leastInterval {
		return usageError("--interval: %s, expected at least %s", f.interval, leastInterval)
	}
	if f.input.smbios == "-" || slices.Contains(f.input.bios, "-") {
		return usageError("standard input (-) can be read once only: expected a file")
	}
	if err := f.input.oneMachine(); err != nil {
		return err
	}
	for _, address := range f.addresses {
		if _, _, err := net.SplitHostPort(address); err != nil {
			return usageError("--web.listen-address: %q, expected HOST:PORT or :PORT", address)
		}
	}
	taken := []string{"/runbook", "/report", "/report.txt", "/report.json", "/-/healthy", "/-/ready"}
	if path := f.web.MetricsPath; !strings.HasPrefix(path, "/") || strings.ContainsAny(path, " {}?#") || slices.Contains(taken, path) {
		return usageError("--web.telemetry-path: %q, expected a path such as /metrics other than %s", path, strings.Join(taken, ", "))
	}
	if f.web.ConfigFile != "" {
		if err := exporter.CheckWeb(f.web.ConfigFile); err != nil {
			return usageError("--web.config.file %s: %w", f.web.ConfigFile, err)
		}
	}
	return nil
}

// memoryLimit is a soft limit of the daemon's memory in bytes: it mostly waits, so an audit may collect garbage
// more often.
const memoryLimit = 24 << 20

func (p *Program) serve(ctx context.Context, f *serveFlags) error {
	if err := f.check(); err != nil {
		return err
	}
	p.log = p.logger(f)
	f.input.asker = newAsker(p.Now)
	defer f.input.asker.end(askGrace)
	f.input.partNumbers = sync.OnceValues(p.partNumbers)
	a := &auditor{p: p, f: f}
	if err := a.load(); err != nil {
		return err
	}
	if _, err := f.input.controller(); err != nil {
		return err
	}
	var idle func()
	if p.OwnsProcess {
		debug.SetMemoryLimit(memoryLimit)
		debug.SetGCPercent(25) // a scrape leaves little, and an audit is rare
		idle = debug.FreeOSMemory
	}
	f.web.Addresses = f.addresses
	f.web.Runbook = func() ([]byte, error) { return p.runbook(&f.checkFlags) }
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt, unix.SIGTERM)
	defer stop()
	hup := make(chan os.Signal, 1)
	signal.Notify(hup, unix.SIGHUP)
	defer signal.Stop(hup)
	err := exporter.Serve(ctx, exporter.Config{
		Audit: a.audit, Reload: hup, Again: f.input.asker.again, Watch: a.watched(), WatchFiles: a.watchedFiles(), Web: f.web, Log: p.log,
		Idle: idle, Sandbox: p.OwnsProcess, Readable: a.readable(), Network: a.asksNetwork(),
	})
	if err != nil {
		return notAudited(err, "")
	}
	return nil
}

func (p *Program) logger(f *serveFlags) *slog.Logger {
	var level slog.Level
	_ = level.UnmarshalText([]byte(f.logLevel)) // one of logLevels
	o := &slog.HandlerOptions{Level: level}
	if f.logFormat == "json" {
		return slog.New(slog.NewJSONHandler(p.stderr(), o))
	}
	return slog.New(slog.NewTextHandler(p.stderr(), o))
}

func (p *Program) runbook(f *checkFlags) ([]byte, error) {
	e, err := p.explainer(f.rules, f.config)
	if err != nil {
		return nil, err
	}
	return e.Runbook(alerts.Page, html.Style())
}

// errReload is returned for a configuration that no longer loads.
var errReload = errors.New("the previous configuration stays in force")
