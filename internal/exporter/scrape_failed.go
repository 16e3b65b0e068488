package exporter

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"syscall"
)

// scrapeFailed logs an answer that could not be sent. A client that went away in
// the middle of it is not a fault of ours.
func scrapeFailed(log *slog.Logger, err error) {
	level := slog.LevelError
	if goneAway(err) {
		level = slog.LevelDebug
	}
	log.Log(context.Background(), level, "scrape", "error", err)
}

// goneAway reports whether a client closed its connection or stopped reading.
func goneAway(err error) bool {
	return errors.Is(err, syscall.EPIPE) || errors.Is(err, syscall.ECONNRESET) || errors.Is(err, os.ErrDeadlineExceeded)
}
