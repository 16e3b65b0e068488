package exporter

import (
	"log/slog"
	"time"

	"github.com/coreos/go-systemd/v22/daemon"

	"github.com/memaudit/memaudit/internal/report"
)

// notifier returns a function that sends a state to systemd, if systemd asked for it.
func notifier(log *slog.Logger) func(string) {
	return func(state string) {
		if _, err := daemon.SdNotify(false, state); err != nil {
			log.Warn("telling systemd", "error", err)
		}
	}
}

// reloading is the message at the start of a reload for services of Type=notify-reload; READY=1
// ends the reload.
func reloading() string { return "RELOADING=1\n" + daemon.SdNotifyMonotonicUsec() }

// watchdogTime returns the interval within which systemd expects a message, 0 if it expects none.
func watchdogTime(log *slog.Logger) time.Duration {
	d, err := daemon.SdWatchdogEnabled(false)
	if err != nil {
		log.Warn("systemd's watchdog", "error", err)
	}
	return d
}

// status is the text that systemctl status shows.
func status(r *report.Report) string { return r.Verdict.Line() }
