package exporter

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"strings"
	"syscall"

	"github.com/fsnotify/fsnotify"
)

// watched are the files whose change asks for a reload, and the folders that
// tell of it: a file is usually replaced, and one that is a link changes where it
// leads without an event of its own (Kubernetes swaps "..data" beside it).
type watched struct {
	folders []string
	files   func() []string
	// seen are the files as they were last.
	seen string
}

// changed reports whether a file is another than before. A neighbour in the same
// folder is none of ours.
func (w *watched) changed() bool {
	now := state(w.files())
	was := w.seen
	w.seen = now
	return now != was
}

// state tells contents apart without reading them.
func state(files []string) string {
	var b strings.Builder
	for _, name := range files {
		fmt.Fprintf(&b, "%q", name)
		if st, err := os.Stat(name); err == nil {
			fmt.Fprint(&b, " ", st.Size(), " ", st.ModTime().UnixNano())
			if sys, ok := st.Sys().(*syscall.Stat_t); ok {
				fmt.Fprint(&b, " ", sys.Dev, " ", sys.Ino)
			}
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// watch sends an event when a file changes. A folder that cannot be watched is
// said and left out: SIGHUP and the interval remain.
func watch(ctx context.Context, what *watched, to chan<- event, log *slog.Logger) {
	if len(what.folders) == 0 {
		return
	}
	w, err := fsnotify.NewWatcher()
	if err != nil {
		log.Warn("configuration is not watched", "error", err)
		return
	}
	for _, dir := range what.folders {
		if err := w.Add(dir); err != nil {
			log.Warn("folder is not watched", "folder", dir, "error", err)
		}
	}
	what.changed()
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
				if e.Op != fsnotify.Chmod && what.changed() {
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
