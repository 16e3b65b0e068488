package exporter

import (
	"context"
	"fmt"
	"io/fs"
	"log/slog"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/coreos/go-systemd/v22/daemon"
	"github.com/fsnotify/fsnotify"

	"memaudit.example/memaudit/internal/model/humanize"
	"memaudit.example/memaudit/internal/report"
)

// Config is what Serve needs from its caller.
type Config struct {
	// Audit does one audit. If reload is set, it reads configuration and rules again first. Calls never overlap.
	Audit func(ctx context.Context, reload bool) Outcome
	// Watch lists the folders that are watched for changes. WatchFiles returns the files whose change causes a reload;
	// it is called again after every event, because files can be added to the folders.
	Watch      []string
	WatchFiles func() []string
	// Reload delivers requests to reload, for example SIGHUP.
	Reload <-chan os.Signal
	// Again delivers requests for an audit, each with its reason.
	Again <-chan string
	Web   WebOptions
	// Idle, if set, is called after each audit, once its outcome is stored.
	Idle func()
	// Sandbox makes the daemon drop all rights that it does not need. Readable are the files and folders that
	// audits read in addition to /sys, /proc and /dev/cpu; Network is set if audits connect to other hosts.
	Sandbox  bool
	Readable []string
	Network  bool
	// Settle is how long to wait after an event before the audit starts, as several files may change at once; 0 means one
	// second.
	Settle time.Duration
	Log    *slog.Logger
}

const (
	defaultSettle = time.Second
	// stuckAfter is how long an audit may run before systemd's watchdog is no longer notified. A
	// BMC alone may take two minutes.
	stuckAfter = 10 * time.Minute
	// shutdownGrace is how long a running audit, and then the clients, get to finish at the end.
	shutdownGrace = 5 * time.Second
)

// auditLoop starts audits, one at a time, and stores their outcomes. All decisions are made in the
// one goroutine that runs it.
type auditLoop struct {
	Config
	events   <-chan auditEvent
	pages    *currentPage
	notify   func(state string)
	watchdog time.Duration

	timer    *time.Timer
	due      time.Time
	done     chan Outcome
	running  bool
	started  time.Time
	reload   bool
	interval time.Duration
}

type auditEvent struct {
	why    string
	reload bool
}

func (l *auditLoop) run(ctx context.Context) {
	l.done = make(chan Outcome, 1)
	l.timer = time.NewTimer(0)
	defer l.timer.Stop()
	l.due = time.Now()
	l.notify("READY=1\nSTATUS=the first audit is running")
	ping, stop := l.watchdogTicks()
	defer stop()
	for {
		select {
		case <-ctx.Done():
			l.awaitAudit()
			return
		case e := <-l.events:
			// All events that arrive while an audit is scheduled or running lead to one more audit.
			l.Log.Debug("audit asked for", "why", e.why)
			if e.reload && !l.reload {
				l.reload = true
				l.notify("RELOADING=1\n" + daemon.SdNotifyMonotonicUsec()) // as Type=notify-reload asks; READY=1 ends the reload
			}
			l.scheduleAudit(l.Settle)
		case <-l.timer.C:
			l.startAudit(ctx)
		case out := <-l.done:
			l.finishAudit(out)
			if l.Idle != nil {
				l.Idle()
			}
		case <-ping:
			if !l.running || time.Since(l.started) < stuckAfter {
				l.notify("WATCHDOG=1")
			}
		}
	}
}

// watchdogTicks returns a channel that ticks at half the watchdog's time, or never if there is no watchdog.
func (l *auditLoop) watchdogTicks() (<-chan time.Time, func()) {
	if l.watchdog <= 0 {
		return nil, func() {}
	}
	t := time.NewTicker(l.watchdog / 2)
	return t.C, t.Stop
}

func (l *auditLoop) scheduleAudit(after time.Duration) {
	if at := time.Now().Add(after); l.due.IsZero() || at.Before(l.due) {
		l.due = at
		l.timer.Reset(after)
	}
}

func (l *auditLoop) startAudit(ctx context.Context) {
	if l.running {
		l.due = time.Time{}
		l.scheduleAudit(l.Settle)
		return
	}
	reload := l.reload
	l.running, l.started, l.due, l.reload = true, time.Now(), time.Time{}, false
	go func() {
		out := l.Audit(ctx, reload)
		l.done <- out
	}()
}

func (l *auditLoop) finishAudit(out Outcome) {
	l.running = false
	l.interval = out.Interval
	before := l.pages.current.Load()
	l.pages.publishOutcome(out)
	ready := "READY=1\n"
	if l.reload {
		ready = "" // another reload was requested meanwhile
	}
	took := time.Since(l.started).Round(time.Microsecond)
	switch {
	case out.Report == nil || out.Report.NothingRead():
		served := "nothing is served yet"
		if old := l.pages.current.Load(); old != nil {
			served = "the audit of " + old.report.GeneratedAt + " stays, marked as outdated"
		}
		l.Log.Error("audit failed; "+served, "error", out.Err, "took", took)
		l.notify(ready + "STATUS=the last audit failed")
	case out.Err != nil:
		l.Log.Error("audit done in part; what could not be read is unknown", append(verdictCounts(out.Report), "error", out.Err, "took", took)...)
		l.notify(ready + "STATUS=" + out.Report.Verdict.Line() + "; not everything could be read")
		logChanges(l.Log, before, l.pages.current.Load())
	default:
		l.Log.Info("audit done", append(verdictCounts(out.Report), "took", took)...)
		l.notify(ready + "STATUS=" + out.Report.Verdict.Line())
		logChanges(l.Log, before, l.pages.current.Load())
	}
	l.scheduleAudit(jitterInterval(l.interval))
}

func (l *auditLoop) awaitAudit() {
	l.notify("STOPPING=1")
	if !l.running {
		return
	}
	select {
	case <-l.done:
	case <-time.After(shutdownGrace):
		l.Log.Warn("an audit was still running")
	}
}

// jitterInterval changes an interval by up to 10 % at random, so that daemons that started together do
// not keep asking their machines and controllers at the same moments.
func jitterInterval(d time.Duration) time.Duration {
	return d - d/10 + rand.N(d/5+1)
}

// UnreadNotice starts the notice of a report about sources that could not be read.
const UnreadNotice = "not everything could be read: "

func verdictCounts(r *report.Report) []any {
	n := r.Summary // checks, as the report counts them
	return []any{"verdict", r.Verdict.Status, "sentence", r.Verdict.Sentence, "pass", n.Pass, "fail", n.Fail, "unknown", n.Unknown, "error", n.Error}
}

// logChanges logs the numbered problems that are new, each with its fix, and those that are gone. After the first audit
// these are all problems. New notices, for example about the configuration, are logged too.
func logChanges(log *slog.Logger, before, now *auditPage) {
	var old report.Report
	if before != nil {
		old = *before.report
	}
	found := without(problemKeys(now.report), problemKeys(&old))
	for i := range now.report.Problems {
		if p := &now.report.Problems[i]; slices.Contains(found, problemKey(p)) {
			log.Warn("problem", "severity", p.Severity, "rule", p.Rule, "where", p.Where, "sentence", p.Sentence, "fix", p.Fix)
		}
	}
	if gone := without(problemKeys(&old), problemKeys(now.report)); len(gone) > 0 {
		log.Info("problems fixed", "problems", gone)
	}
	for _, n := range without(now.report.Notices, old.Notices) {
		if !strings.HasPrefix(n, UnreadNotice) { // the log line about the audit has it
			log.Warn("notice", "text", n)
		}
	}
}

func problemKeys(r *report.Report) []string {
	var out []string
	for i := range r.Problems {
		if p := &r.Problems[i]; p.IsAboveNote() {
			out = append(out, problemKey(p))
		}
	}
	return out
}

// problemKey identifies a problem without what changes at each audit, such as a count of errors.
func problemKey(p *report.Problem) string { return humanize.Joined(" ", p.Rule, p.Where) }

func without(list, others []string) []string {
	return slices.DeleteFunc(slices.Clone(list), func(s string) bool { return slices.Contains(others, s) })
}

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
	look := func() {
		what.watchFolders(w, log)
		if name := what.changedFile(); name != "" {
			sendEvent(ctx, to, auditEvent{"changed: " + name, true})
		}
	}
	go func() {
		defer func() { _ = w.Close() }()
		tick := time.NewTicker(again)
		defer tick.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
				look()
			case e := <-w.Events:
				if e.Op != fsnotify.Chmod {
					look()
				}
			case err := <-w.Errors: // for example, events were lost because the queue was full: assume a change
				sendEvent(ctx, to, auditEvent{"changed: " + err.Error(), true})
			}
		}
	}()
}

func sendEvent(ctx context.Context, to chan<- auditEvent, e auditEvent) {
	select {
	case to <- e:
	case <-ctx.Done():
	}
}
