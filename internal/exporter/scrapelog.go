package exporter

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"syscall"
)

// scrapeLog is what the handler of the metrics says. A client that went away in
// the middle of an answer is no fault of ours.
type scrapeLog struct{ log *slog.Logger }

// Println logs an error of promhttp.
func (l scrapeLog) Println(v ...any) {
	level := slog.LevelError
	for _, one := range v {
		if err, ok := one.(error); ok && goneAway(err) {
			level = slog.LevelDebug
		}
	}
	l.log.Log(context.Background(), level, "scrape", "error", fmt.Sprint(v...))
}

// goneAway reports whether a client closed its connection or stopped reading.
func goneAway(err error) bool {
	return errors.Is(err, syscall.EPIPE) || errors.Is(err, syscall.ECONNRESET) || errors.Is(err, os.ErrDeadlineExceeded)
}
