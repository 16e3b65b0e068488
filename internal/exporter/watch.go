package exporter

import (
	"context"
	"fmt"
	"log/slog"
	"os"
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
	seen map[string]string
}

// changed names a file that is another than before, "" for none. A neighbour in
// the same folder is not ours.
func (w *watched) changed() (name string) {
	now := map[string]string{}
	for _, file := range w.files() {
		now[file] = contentState(file)
		if now[file] != w.seen[file] {
			name = file
		}
	}
	for file, was := range w.seen {
		if now[file] != was {
			name = file
		}
	}
	w.seen = now
	return name
}

// contentState tells contents apart without reading them; "" for no file.
func contentState(name string) string {
	st, err := os.Stat(name)
	if err != nil {
		return ""
	}
	text := fmt.Sprint(st.Size(), " ", st.ModTime().UnixNano())
	if sys, ok := st.Sys().(*syscall.Stat_t); ok {
		text += fmt.Sprint(" ", sys.Dev, " ", sys.Ino)
	}
	return text
}

// watchFiles sends an event when a file changes. A folder that cannot be watched is
// said and left out: SIGHUP and the interval remain.
func watchFiles(ctx context.Context, what *watched, to chan<- auditEvent, log *slog.Logger) {
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
		relayChanges(ctx, w, what, to)
	}()
}

// relayChanges turns what a watcher tells into events until it is closed.
func relayChanges(ctx context.Context, w *fsnotify.Watcher, what *watched, to chan<- auditEvent) {
	for {
		select {
		case <-ctx.Done():
			return
		case e, ok := <-w.Events:
			if !ok {
				return
			}
			if e.Op == fsnotify.Chmod {
				continue
			}
			if name := what.changed(); name != "" {
				sendEvent(ctx, to, auditEvent{"changed: " + name, true})
			}
		case err, ok := <-w.Errors:
			if !ok {
				return
			}
			// The queue ran over: something changed.
			sendEvent(ctx, to, auditEvent{"changed: " + err.Error(), true})
		}
	}
}

// sendEvent hands over an event, or leaves it when the daemon ends.
func sendEvent(ctx context.Context, to chan<- auditEvent, e auditEvent) {
	select {
	case to <- e:
	case <-ctx.Done():
	}
}
