package exporter

import (
	"fmt"
	"log/slog"
	"time"

	"github.com/coreos/go-systemd/v22/daemon"

	"github.com/memaudit/memaudit/internal/report"
	"github.com/memaudit/memaudit/internal/report/metrics"
	"github.com/memaudit/memaudit/internal/verdict"
)

// notifier tells systemd, when it asked to be told.
func notifier(log *slog.Logger) func(string) {
	return func(state string) {
		if _, err := daemon.SdNotify(false, state); err != nil {
			log.Warn("telling systemd", "error", err)
		}
	}
}

// reloading begins what Type=notify-reload waits for; READY=1 ends it.
func reloading() string { return "RELOADING=1\n" + daemon.SdNotifyMonotonicUsec() }

// watchdogTime is how often systemd wants to hear, 0 for never.
func watchdogTime(log *slog.Logger) time.Duration {
	d, err := daemon.SdWatchdogEnabled(false)
	if err != nil {
		log.Warn("systemd's watchdog", "error", err)
	}
	return d
}

// status is what systemctl status shows.
func status(r *report.Report) string {
	n := metrics.RulesByResult(r)
	return fmt.Sprintf("%d failed, %d unknown, %d passed", n[verdict.Fail], n[verdict.Unknown], n[verdict.Pass])
}
