package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net"
	"os"
	"os/signal"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"
	"go.yaml.in/yaml/v3"
	"golang.org/x/sys/unix"

	alerts "memaudit.example/memaudit/deploy/prometheus"
	"memaudit.example/memaudit/internal/cli/assess"
	"memaudit.example/memaudit/internal/report"
	"memaudit.example/memaudit/internal/report/html"
	"memaudit.example/memaudit/internal/serve/exporter"
)

const (
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
		RunE: func(cmd *cobra.Command, _ []string) error { return p.runDaemon(cmd.Context(), f) },
	}
	f.input.registerFlags(cmd)
	f.input.registerHostName(cmd)
	f.registerRules(p, cmd)
	fl := cmd.Flags()
	fl.DurationVar(&f.interval, "interval", 0, "`TIME` between two audits, +/-10 % jitter (default 5m, or the configuration's)")
	fl.StringArrayVar(&f.addresses, "web.listen-address", []string{":9822"}, "`ADDRESS` to listen on, HOST:PORT or :PORT; repeatable")
	fl.StringVar(&f.web.ConfigFile, "web.config.file", "", "`FILE` with TLS and basic authentication, as for any Prometheus exporter")
	fl.StringVar(&f.web.MetricsPath, "web.telemetry-path", "/metrics", "`PATH` of the metrics")
	fl.BoolVar(&f.web.NoReport, "web.disable-report", false, "serve metrics alone: no /report, /report.txt, /report.json")
	fl.BoolVar(&f.web.SystemdSocket, "web.systemd-socket", false, "use systemd socket activation instead of --web.listen-address")
	registerWord(cmd, &f.logLevel, "log.level", "info", []string{"debug", "info", "warn", "error"}, "lowest `LEVEL` of the messages logged: %s")
	registerWord(cmd, &f.logFormat, "log.format", "logfmt", []string{"logfmt", "json"}, "`FORMAT` of messages: %s")
	return cmd
}

func (f *serveFlags) validate() error {
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

func (p *Program) runDaemon(ctx context.Context, f *serveFlags) error {
	if err := f.validate(); err != nil {
		return err
	}
	p.log = p.newLogger(f)
	f.input.asker = newAsker(p.Now)
	defer f.input.asker.stopQuery(askGrace)
	f.input.partNumbers = sync.OnceValues(p.partNumbers)
	a := &auditor{p: p, f: f}
	if err := a.loadRules(); err != nil {
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
	f.web.Runbook = func() ([]byte, error) { return p.runbookText(&f.checkFlags) }
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt, unix.SIGTERM)
	defer stop()
	hup := make(chan os.Signal, 1)
	signal.Notify(hup, unix.SIGHUP)
	defer signal.Stop(hup)
	err := exporter.Serve(ctx, exporter.Config{
		Audit: a.auditMachine, Reload: hup, Again: f.input.asker.again, Watch: a.watchedFolders(), WatchFiles: a.watchedFiles(), Web: f.web, Log: p.log,
		Idle: idle, Sandbox: p.OwnsProcess, Readable: a.readableFolders(), Network: a.asksNetwork(),
	})
	if err != nil {
		return notAudited(err, "")
	}
	return nil
}

func (p *Program) newLogger(f *serveFlags) *slog.Logger {
	var level slog.Level
	_ = level.UnmarshalText([]byte(f.logLevel)) // it knows the words of the flag
	o := &slog.HandlerOptions{Level: level}
	if f.logFormat == "json" {
		return slog.New(slog.NewJSONHandler(p.stderr(), o))
	}
	return slog.New(slog.NewTextHandler(p.stderr(), o))
}

func (p *Program) runbookText(f *checkFlags) ([]byte, error) {
	e, err := p.explainer(f)
	if err != nil {
		return nil, err
	}
	return e.Runbook(alerts.Page, html.StyleSheet())
}

// errReload is returned for a configuration that no longer loads.
var errReload = errors.New("the previous configuration stays in force")

// auditor does the daemon's audits with loaded rules. It is not safe for concurrent use.
type auditor struct {
	p       *Program
	f       *serveFlags
	machine *assess.Auditor
	// broken is why the configuration no longer loads, nil if it does.
	broken error
}

func (a *auditor) loadRules() error {
	before := a.f.input.conf
	machine, err := a.p.loadAuditor(&a.f.checkFlags)
	if err == nil {
		_, err = a.f.input.biosFiles() // too many
	}
	if err != nil {
		a.f.input.conf = before
		return err
	}
	a.machine = machine
	return nil
}

// auditMachine does one audit. An invalid configuration is loaded again each time.
func (a *auditor) auditMachine(_ context.Context, reload bool) exporter.Outcome {
	if reload || a.broken != nil {
		a.broken = a.loadRules()
		a.f.input.asker.expireAnswer()
	}
	doc, err := a.readAndAudit()
	if doc != nil && err != nil {
		doc.Notices = append(doc.Notices, exporter.UnreadNotice+err.Error())
	}
	return exporter.Outcome{Report: doc, Err: err, Interval: a.auditInterval()}
}

// readAndAudit reads the machine and audits it. A report is returned with an error if an input could not be read.
func (a *auditor) readAndAudit() (*report.Report, error) {
	began := a.p.Now()
	sys, failed := a.p.readSystem(&a.f.input)
	failed = joinInputErrors(failed, a.p.joinBaseline(&a.f.checkFlags, sys))
	if a.broken != nil {
		broken := a.broken
		if a.p.OwnsProcess && (errors.Is(broken, fs.ErrPermission) || strings.Contains(broken.Error(), fs.ErrPermission.Error())) {
			broken = fmt.Errorf("%w (the daemon gave up access to folders that it did not know at its start: restart to read a new folder)", broken)
		}
		failed = joinInputErrors(fmt.Errorf("reload: %w; %w", broken, errReload), failed)
	}
	if sys == nil {
		return nil, failed
	}
	a.machine.Options.Now = began
	j, err := a.machine.Assess(sys)
	if err != nil {
		return nil, err
	}
	failed = orNothing(failed, sys, "audit", "")
	doc := a.machine.Advised(j, a.p.reportOptions(&a.f.input, a.f.criteria(failed)))
	doc.Took = a.p.Now().Sub(began)
	return &doc, failed
}

func (a *auditor) auditInterval() time.Duration {
	if a.f.interval > 0 {
		return a.f.interval
	}
	if d, err := time.ParseDuration(a.f.input.conf.Interval); err == nil {
		return max(d, leastInterval)
	}
	return defaultInterval
}

// watchedFiles returns a function that lists the files of the configuration: the file itself, rules, exports,
// baseline, credentials. It is called in another goroutine than audits and uses the configuration as it was at
// start.
func (a *auditor) watchedFiles() func() []string {
	conf := a.f.input.conf
	rules := slices.Concat(conf.Rules, a.f.rules)
	named := slices.Concat([]string{a.configFile(), conf.Baseline, a.f.baseline, a.f.input.redfish.credentials}, conf.BIOS, a.f.input.bios)
	if r := conf.Redfish; r != nil {
		named = append(named, r.Credentials, r.CA)
	}
	return func() []string {
		_, files := rulePaths(rules)
		return append(files, named...)
	}
}

func (a *auditor) configFile() string {
	return cmp.Or(a.f.config, defaultConfig)
}

func (a *auditor) watchedFolders() []string {
	dirs, _ := rulePaths(slices.Concat(a.f.input.conf.Rules, a.f.rules))
	dir := filepath.Dir(a.configFile())
	if st, err := os.Stat(dir); err == nil && st.IsDir() {
		dirs = append(dirs, dir)
	}
	slices.Sort(dirs)
	return slices.Compact(dirs)
}

// readableFolders lists the folders that an audit or the web server reads. These are folders because a replaced file
// is another file.
func (a *auditor) readableFolders() []string {
	in := &a.f.input
	dirs := a.watchedFolders()
	if in.root != "" {
		dirs = append(dirs, in.root)
	}
	files := slices.Concat(in.bios, in.conf.BIOS, in.measuredFiles(), a.webFiles())
	files = append(files, in.snapshot, in.smbios, in.redfish.credentials, in.baselineFile(a.f.baseline, ""))
	if r := in.conf.Redfish; r != nil {
		files = append(files, r.Credentials, r.CA)
	}
	for _, name := range files {
		if name != "" {
			dirs = append(dirs, filepath.Dir(name))
		}
	}
	if a.asksNetwork() {
		dirs = append(dirs, "/etc/resolv.conf", "/etc/hosts", "/etc/nsswitch.conf", "/run/systemd/resolve", "/etc/ssl/certs", "/etc/ssl/ca-bundle.pem", "/etc/ssl/cert.pem",
			"/etc/pki/tls/certs", "/etc/pki/ca-trust", "/etc/ca-certificates", "/usr/share/ca-certificates", "/usr/local/share/ca-certificates")
	}
	slices.Sort(dirs)
	return slices.Compact(dirs)
}

func (a *auditor) asksNetwork() bool {
	return a.f.input.redfish.url != "" || a.f.input.isLiveSystem() && a.f.input.conf.Redfish != nil
}

// webFiles returns the web configuration and the certificates that it names, relative to it unless absolute.
func (a *auditor) webFiles() []string {
	name := a.f.web.ConfigFile
	if name == "" {
		return nil
	}
	var c struct {
		TLS struct {
			Cert string `yaml:"cert_file"`
			Key  string `yaml:"key_file"`
			CA   string `yaml:"client_ca_file"`
		} `yaml:"tls_server_config"`
	}
	files := []string{name}
	data, err := readBounded(name, maxConfigBytes)
	if err != nil || yaml.Unmarshal(data, &c) != nil {
		return files
	}
	for _, f := range []string{c.TLS.Cert, c.TLS.Key, c.TLS.CA} {
		if f != "" && !filepath.IsAbs(f) {
			f = filepath.Join(filepath.Dir(name), f)
		}
		files = append(files, f)
	}
	return files
}
