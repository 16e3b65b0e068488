package exporter

import (
	"context"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"syscall"
	"time"

	"github.com/fsnotify/fsnotify"
)

// watched are the files whose change causes a reload and the folders that are watched for them. Folders are
// watched because a file is usually replaced, and because the target of a symbolic link can change without an
// event of its own (Kubernetes replaces "..data" next to it).
type watched struct {
	folders []string
	files   func() []string
	// seen holds the state of each file at the last check.
	seen map[string]string
	// at is the device and inode of each folder when it was last watched, "" if there was none.
	at map[string]string
}

// recheck is the time between two checks of folders and files without an event: a folder that was renamed and
// created again, or one below which another file system was mounted, causes none.
const recheck = 10 * time.Second

// changedFile returns the name of a file that changed since the last check, "" if none did. Other files
// in the same folders do not count.
func (w *watched) changedFile() (name string) {
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
	return fmt.Sprint(st.Size(), " ", st.ModTime().UnixNano(), " ", inodeOf(st))
}

func inodeOf(st fs.FileInfo) string {
	if sys, ok := st.Sys().(*syscall.Stat_t); ok {
		return fmt.Sprint(sys.Dev, " ", sys.Ino)
	}
	return "unknown"
}

func (w *watched) watchFolders(with *fsnotify.Watcher, log *slog.Logger) {
	for _, dir := range w.folders {
		now := ""
		st, err := os.Stat(dir)
		if err == nil {
			now = inodeOf(st)
		}
		was, known := w.at[dir]
		if known && now == was {
			continue
		}
		if w.at == nil {
			w.at = map[string]string{}
		}
		w.at[dir] = now
		_ = with.Remove(dir) // the folder that was there before
		if err == nil {
			err = with.Add(dir)
		}
		switch {
		case err != nil:
			log.Warn("folder is not watched", "folder", dir, "error", err)
		case known:
			log.Warn("folder was replaced and is watched again; if the daemon may not read the new one, restart it", "folder", dir)
		}
	}
}

// watchFiles sends an event when a file changes, and checks again at each interval of again. A folder that
// cannot be watched is logged; SIGHUP and the interval still work.
func watchFiles(ctx context.Context, what *watched, to chan<- auditEvent, again time.Duration, log *slog.Logger) {
	if len(what.folders) == 0 {
		return
	}
	w, err := fsnotify.NewWatcher()
	if err != nil {
		log.Warn("configuration is not watched", "error", err)
		return
	}
	what.watchFolders(w, log)
	what.changedFile()
	go func() {
		defer func() { _ = w.Close() }()
		tick := time.NewTicker(again)
		defer tick.Stop()
		relayChanges(ctx, w, what, to, tick.C, log)
	}()
}

func relayChanges(ctx context.Context, w *fsnotify.Watcher, what *watched, to chan<- auditEvent, again <-chan time.Time, log *slog.Logger) {
	look := func() {
		what.watchFolders(w, log)
		if name := what.changedFile(); name != "" {
			sendEvent(ctx, to, auditEvent{"changed: " + name, true})
		}
	}
	for {
		select {
		case <-ctx.Done():
			return
		case <-again:
			look()
		case e, ok := <-w.Events:
			if !ok {
				return
			}
			if e.Op != fsnotify.Chmod {
				look()
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

func sendEvent(ctx context.Context, to chan<- auditEvent, e auditEvent) {
	select {
	case to <- e:
	case <-ctx.Done():
	}
}
