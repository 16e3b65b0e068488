package exporter

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"syscall"

	"github.com/fsnotify/fsnotify"
)

// watched are the files whose change causes a reload and the folders that are watched for them.
// Folders are watched because a file is usually replaced, and because a symbolic link can lead
// elsewhere without an event of its own (Kubernetes replaces "..data" beside it).
type watched struct {
	folders []string
	files   func() []string
	// seen holds the state of each file at the last check.
	seen map[string]string
}

// changed returns the name of a file that changed since the last check, "" if none did. Other files
// in the same folders do not count.
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

// contentState returns a text that changes with the content of a file, without reading it: size,
// time of modification, device and inode. It is "" if there is no file.
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

// watchFiles sends an event when a file changes. A folder that cannot be watched is logged; SIGHUP
// and the interval still work.
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

// relayChanges turns changes into events until the context ends or the watcher is closed.
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
			// For example, events were lost because the queue was full: assume a change.
			sendEvent(ctx, to, auditEvent{"changed: " + err.Error(), true})
		}
	}
}

// sendEvent delivers an event unless the context ends first.
func sendEvent(ctx context.Context, to chan<- auditEvent, e auditEvent) {
	select {
	case to <- e:
	case <-ctx.Done():
	}
}
