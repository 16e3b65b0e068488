package exporter

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"slices"
	"time"

	"github.com/coreos/go-systemd/v22/activation"
	"github.com/coreos/go-systemd/v22/daemon"
	"github.com/landlock-lsm/go-landlock/landlock"
	"github.com/prometheus/exporter-toolkit/web"
	"golang.org/x/sys/unix"
)

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
	go relayRequests(ctx, c.Reload, c.Again, events)
	watchFiles(ctx, &watched{folders: c.Watch, files: c.WatchFiles}, events, recheck, c.Log)
	if c.Sandbox {
		restrictProcess(c.Readable, c.Network, c.Log)
	}
	servers := serveAll(listeners, handler, &c.Web, c.Log, stop)
	l := &auditLoop{audit: c.Audit, events: events, pages: p, log: c.Log, notify: newNotifier(c.Log), watchdog: watchdogTime(c.Log),
		settle: cmp.Or(c.Settle, defaultSettle), idle: c.Idle}
	l.run(ctx)
	err = shutDownServers(servers, shutdownGrace)
	if cause := context.Cause(ctx); !errors.Is(cause, context.Canceled) {
		err = errors.Join(cause, err)
	}
	return err
}

func relayRequests(ctx context.Context, reloads <-chan os.Signal, again <-chan string, to chan<- auditEvent) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-reloads:
			sendEvent(ctx, to, auditEvent{"reload asked for", true})
		case why := <-again:
			sendEvent(ctx, to, auditEvent{why, false})
		}
	}
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
