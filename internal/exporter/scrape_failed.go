package exporter

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"syscall"
)

// scrapeFailed logs that an answer could not be sent; at debug level if the client went away.
func scrapeFailed(log *slog.Logger, err error) {
	level := slog.LevelError
	if goneAway(err) {
		level = slog.LevelDebug
	}
	log.Log(context.Background(), level, "scrape", "error", err)
}

// goneAway tells whether a client closed its connection or stopped reading.
func goneAway(err error) bool {
	return errors.Is(err, syscall.EPIPE) || errors.Is(err, syscall.ECONNRESET) || errors.Is(err, os.ErrDeadlineExceeded)
}
