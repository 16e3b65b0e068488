package exporter

import (
	"context"
	"log/slog"
	"math/rand/v2"
	"os"
	"time"
)

// Config is what the daemon needs of its caller.
type Config struct {
	// Audit does one audit; with reload it reads configuration and rules anew
	// before. It is never called twice at a time.
	Audit func(ctx context.Context, reload bool) Outcome
	// Watch are the folders that hold the files whose change asks for a reload,
	// WatchFiles the files of the moment.
	Watch      []string
	WatchFiles func() []string
	// Reload asks for one, as SIGHUP does.
	Reload <-chan os.Signal
	// Again asks for an audit, and says why.
	Again <-chan string
	Web   WebOptions
	// Idle is called when an audit has been stored and the next is not yet due.
	Idle func()
	// Readable are the files and folders that an audit reads beside /sys and
	// /proc; with Sandbox the daemon can read nothing else. Network says that
	// audits ask a host over the network.
	Sandbox  bool
	Readable []string
	Network  bool
	// Settle is how long the machine is left alone after an event, 0 for a
	// second: a processor that goes takes many files with it.
	Settle time.Duration
	Log    *slog.Logger
}

const (
	// defaultSettle is Config.Settle when nobody chose one.
	defaultSettle = time.Second
	// stuck is how long an audit may take before the watchdog is no longer told
	// that all is well; a controller may take two minutes to answer.
	stuckAfter = 10 * time.Minute
	// grace is what an audit and the clients get at the end.
	shutdownGrace = 5 * time.Second
)

// auditLoop is the daemon's one goroutine that decides: it starts audits, one at a
// time, and stores what they come to.
type auditLoop struct {
	audit  func(ctx context.Context, reload bool) Outcome
	events <-chan auditEvent
	pages  *currentPage
	log    *slog.Logger
	// notify tells the service manager.
	notify   func(state string)
	watchdog time.Duration
	settle   time.Duration
	idle     func()

	timer    *time.Timer
	due      time.Time
	done     chan Outcome
	running  bool
	started  time.Time
	reload   bool
	interval time.Duration
}

// auditEvent is a reason to audit before the next is due.
type auditEvent struct {
	why    string
	reload bool
}

// run audits until the context ends.
func (l *auditLoop) run(ctx context.Context) {
	l.done = make(chan Outcome, 1)
	l.timer = time.NewTimer(0)
	defer l.timer.Stop()
	l.due = time.Now()
	l.notify("READY=1\nSTATUS=the first audit is running")
	ping, stop := l.pings()
	defer stop()
	for {
		select {
		case <-ctx.Done():
			l.finish()
			return
		case e := <-l.events:
			l.asked(e)
		case <-l.timer.C:
			l.start(ctx)
		case out := <-l.done:
			l.finished(out)
			if l.idle != nil {
				l.idle()
			}
		case <-ping:
			if !l.running || time.Since(l.started) < stuckAfter {
				l.notify("WATCHDOG=1")
			}
		}
	}
}

// pings ticks at half the watchdog's time, never without one.
func (l *auditLoop) pings() (<-chan time.Time, func()) {
	if l.watchdog <= 0 {
		return nil, func() {}
	}
	t := time.NewTicker(l.watchdog / 2)
	return t.C, t.Stop
}

// asked brings the next audit forward. Events that come while one is due or
// running are one more audit in all.
func (l *auditLoop) asked(e auditEvent) {
	l.log.Debug("audit asked for", "why", e.why)
	if e.reload && !l.reload {
		l.reload = true
		l.notify(reloading())
	}
	l.schedule(l.settle)
}

// schedule sets the next audit no later than after a time.
func (l *auditLoop) schedule(after time.Duration) {
	if at := time.Now().Add(after); l.due.IsZero() || at.Before(l.due) {
		l.due = at
		l.timer.Reset(after)
	}
}

// start begins an audit, or waits for the one that runs.
func (l *auditLoop) start(ctx context.Context) {
	if l.running {
		l.due = time.Time{}
		l.schedule(l.settle)
		return
	}
	reload := l.reload
	l.running, l.started, l.due, l.reload = true, time.Now(), time.Time{}, false
	go func() {
		out := l.audit(ctx, reload)
		l.done <- out
	}()
}

// finished stores an outcome and sets the next audit.
func (l *auditLoop) finished(out Outcome) {
	l.running = false
	l.interval = out.Interval
	before := l.pages.current.Load()
	l.pages.publish(out)
	ready := "READY=1\n"
	if l.reload {
		ready = "" // another reload waits
	}
	took := time.Since(l.started).Round(time.Microsecond)
	switch {
	case out.Report == nil || out.Report.NothingRead():
		l.failed(out, took)
		l.notify(ready + "STATUS=the last audit failed")
	case out.Err != nil:
		l.log.Error("audit done in part; what could not be read is unknown", append(counts(out.Report), "error", out.Err, "took", took)...)
		l.notify(ready + "STATUS=" + status(out.Report) + "; not everything could be read")
		logChanges(l.log, before, l.pages.current.Load())
	default:
		l.log.Info("audit done", append(counts(out.Report), "took", took)...)
		l.notify(ready + "STATUS=" + status(out.Report))
		logChanges(l.log, before, l.pages.current.Load())
	}
	l.schedule(jittered(l.interval))
}

// failed says what is served after an audit that read nothing.
func (l *auditLoop) failed(out Outcome, took time.Duration) {
	served := "nothing is served yet"
	if old := l.pages.current.Load(); old != nil {
		served = "the audit of " + old.report.GeneratedAt + " stays, marked as outdated"
	}
	l.log.Error("audit failed; "+served, "error", out.Err, "took", took)
}

// finish gives an audit that runs a moment to end.
func (l *auditLoop) finish() {
	l.notify("STOPPING=1")
	if !l.running {
		return
	}
	select {
	case <-l.done:
	case <-time.After(shutdownGrace):
		l.log.Warn("an audit was still running")
	}
}

// jittered spreads a fleet: daemons that started together should not ask their
// machines, or their controllers, together for ever.
func jittered(d time.Duration) time.Duration {
	return d - d/10 + rand.N(d/5+1)
}
