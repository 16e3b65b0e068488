package exporter

import (
	"context"
	"log/slog"

	"github.com/fsnotify/fsnotify"
)

// watch sends an event when anything in the folders changes. Folders and not
// files, since a file is usually replaced; a folder that cannot be watched is
// said and left out: SIGHUP and the interval remain.
func watch(ctx context.Context, dirs []string, to chan<- event, log *slog.Logger) {
	if len(dirs) == 0 {
		return
	}
	w, err := fsnotify.NewWatcher()
	if err != nil {
		log.Warn("configuration is not watched", "error", err)
		return
	}
	for _, dir := range dirs {
		if err := w.Add(dir); err != nil {
			log.Warn("folder is not watched", "folder", dir, "error", err)
		}
	}
	go func() {
		defer func() { _ = w.Close() }()
		for {
			select {
			case <-ctx.Done():
				return
			case e, ok := <-w.Events:
				if !ok {
					return
				}
				if e.Op != fsnotify.Chmod {
					send(ctx, to, event{"changed: " + e.Name, true})
				}
			case err, ok := <-w.Errors:
				if !ok {
					return
				}
				// The queue ran over: something changed.
				send(ctx, to, event{"changed: " + err.Error(), true})
			}
		}
	}()
}

// send hands over an event, or leaves it when the daemon ends.
func send(ctx context.Context, to chan<- event, e event) {
	select {
	case to <- e:
	case <-ctx.Done():
	}
}
