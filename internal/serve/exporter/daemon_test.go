package exporter

import (
	"context"
	"errors"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// rehearsal is a loop whose audits are counted and whose messages to systemd are
// kept.
type rehearsal struct {
	audits, reloads, running, most atomic.Int32
	lasts                          time.Duration
	fails                          atomic.Bool
	events                         chan auditEvent
	told                           chan string
	stop                           context.CancelFunc
	pages                          *currentPage
}

// begin starts a loop; call it inside a synctest bubble.
func (d *rehearsal) begin(t *testing.T, interval, watchdog time.Duration) {
	d.events, d.told, d.pages = make(chan auditEvent), make(chan string, 1000), &currentPage{}
	ctx, stop := context.WithCancel(t.Context())
	d.stop = stop
	l := &auditLoop{events: d.events, pages: d.pages, watchdog: watchdog, notify: func(s string) { d.told <- s },
		Config: Config{Log: quiet, Settle: time.Second, Audit: func(_ context.Context, reload bool) Outcome {
			d.most.Store(max(d.most.Load(), d.running.Add(1)))
			defer d.running.Add(-1)
			d.audits.Add(1)
			if reload {
				d.reloads.Add(1)
			}
			time.Sleep(d.lasts)
			if d.fails.Load() {
				return Outcome{Err: errors.New("broken"), Interval: interval}
			}
			return Outcome{Report: made(1, 1, time.Now(), up), Interval: interval}
		}}}
	go l.run(ctx)
}

// messages returns the messages so far.
func (d *rehearsal) messages() []string {
	var all []string
	for {
		select {
		case m := <-d.told:
			all = append(all, m)
		default:
			return all
		}
	}
}

func TestInterval(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := &rehearsal{lasts: 20 * time.Millisecond}
		d.begin(t, 5*time.Minute, 0)
		synctest.Wait()
		assert.Equal(t, int32(1), d.audits.Load(), "at start")
		time.Sleep(4 * time.Minute)
		assert.Equal(t, int32(1), d.audits.Load())
		time.Sleep(24 * time.Hour)
		assert.InDelta(t, 288, d.audits.Load(), 10, "every five minutes, give or take")
		d.stop()
		synctest.Wait()
		messages := d.messages()
		assert.Equal(t, "READY=1\nSTATUS=the first audit is running", messages[0])
		assert.Equal(t, "READY=1\nSTATUS=OK: no problem found", messages[1])
		assert.Equal(t, "STOPPING=1", messages[len(messages)-1])
	})
}

// TestOneAtATime checks that many events cause one audit, that those during an audit cause one more, and that audits
// never overlap.
func TestOneAtATime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := &rehearsal{lasts: 10 * time.Second}
		d.begin(t, time.Hour, 0)
		for range 500 {
			d.events <- auditEvent{why: "cpu offline"}
			time.Sleep(10 * time.Millisecond)
		}
		time.Sleep(30 * time.Second)
		assert.Equal(t, int32(2), d.audits.Load())
		assert.Equal(t, int32(1), d.most.Load())
		assert.Equal(t, int32(0), d.reloads.Load())
		d.stop()
	})
}

func TestReload(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := &rehearsal{}
		d.begin(t, time.Hour, 0)
		time.Sleep(time.Minute)
		d.messages()
		d.events <- auditEvent{"SIGHUP", true}
		d.events <- auditEvent{why: "memory online"}
		time.Sleep(time.Minute)
		assert.Equal(t, int32(2), d.audits.Load())
		assert.Equal(t, int32(1), d.reloads.Load())
		messages := d.messages()
		require.Len(t, messages, 2)
		assert.Regexp(t, `^RELOADING=1\nMONOTONIC_USEC=\d+`, messages[0])
		assert.Contains(t, messages[1], "READY=1\n")
		d.stop()
	})
}

// TestFailure checks that a failure is reported, and that the next audit starts at its time.
func TestFailure(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := &rehearsal{}
		d.begin(t, time.Minute, 0)
		time.Sleep(time.Second)
		good := d.pages.current.Load()
		d.fails.Store(true)
		time.Sleep(2 * time.Minute)
		messages := d.messages()
		assert.Equal(t, "READY=1\nSTATUS=the last audit failed", messages[len(messages)-1])
		stays := d.pages.current.Load()
		assert.Equal(t, good.report.GeneratedAt, stays.report.GeneratedAt)
		assert.NotEmpty(t, stays.report.Outdated)
		d.fails.Store(false)
		time.Sleep(2 * time.Minute)
		messages = d.messages()
		assert.Equal(t, "READY=1\nSTATUS=OK: no problem found", messages[len(messages)-1])
		d.stop()
	})
}

// TestWatchdog checks that systemd is notified as long as audits end, and no longer when one hangs.
func TestWatchdog(t *testing.T) {
	count := func(messages []string) (n int) {
		for _, m := range messages {
			if m == "WATCHDOG=1" {
				n++
			}
		}
		return n
	}
	synctest.Test(t, func(t *testing.T) {
		d := &rehearsal{}
		d.begin(t, time.Hour, 30*time.Second)
		time.Sleep(time.Hour)
		assert.InDelta(t, 240, count(d.messages()), 1, "no audit is taking long, none runs")
		d.stop()
	})
	synctest.Test(t, func(t *testing.T) {
		d := &rehearsal{lasts: 3 * time.Hour}
		d.begin(t, time.Minute, 30*time.Second)
		time.Sleep(2 * time.Hour)
		assert.Equal(t, 39, count(d.messages()), "every 15 s, and no longer once the audit has taken ten minutes")
		d.stop()
		time.Sleep(2 * time.Hour)
	})
}

// TestWatch checks that a replaced file, or a changed link, is a change, that a neighbour is not, and that missing
// folders do no harm.
func TestWatch(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	events := make(chan auditEvent)
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	named := &watched{folders: []string{at("none"), dir}, files: func() []string { return []string{at("memaudit.yaml"), at("linked.yaml"), at("gone")} }}
	require.NoError(t, os.Mkdir(at("1"), 0o755))
	require.NoError(t, os.Mkdir(at("2"), 0o755))
	require.NoError(t, os.WriteFile(at("1/linked.yaml"), nil, 0o600))
	require.NoError(t, os.WriteFile(at("2/linked.yaml"), nil, 0o600))
	require.NoError(t, os.Symlink("1", at("..data")))
	require.NoError(t, os.Symlink("..data/linked.yaml", at("linked.yaml")))
	watchFiles(ctx, named, events, time.Hour, quiet)
	expect := func(name string) {
		t.Helper()
		select {
		case e := <-events:
			assert.True(t, e.reload)
			assert.Equal(t, "changed: "+at(name), e.why)
		case <-time.After(10 * time.Second):
			t.Fatal("no event for " + name)
		}
	}
	for range 3 {
		require.NoError(t, os.WriteFile(at("neighbour"), []byte("x"), 0o600))
		require.NoError(t, os.WriteFile(at(".memaudit.yaml.swp"), []byte("x"), 0o600))
		require.NoError(t, os.Remove(at("neighbour")))
	}
	tmp := filepath.Join(t.TempDir(), "memaudit.yaml")
	require.NoError(t, os.WriteFile(tmp, []byte("profile: hpc\n"), 0o600))
	require.NoError(t, os.Rename(tmp, at("memaudit.yaml")))
	expect("memaudit.yaml")
	require.NoError(t, os.Symlink("2", at("..tmp")))
	require.NoError(t, os.Rename(at("..tmp"), at("..data")))
	expect("linked.yaml")
	require.NoError(t, os.Remove(at("memaudit.yaml")))
	expect("memaudit.yaml")
	select {
	case e := <-events:
		assert.Fail(t, "one event too many", e.why)
	case <-time.After(50 * time.Millisecond):
	}
}

// TestShutdown checks that an answer that does not end is cut off with a message, and that there is no message
// otherwise.
func TestShutdown(t *testing.T) {
	for _, hangs := range []bool{false, true} {
		asked, stop := make(chan struct{}), make(chan struct{})
		s := &http.Server{Handler: http.HandlerFunc(func(http.ResponseWriter, *http.Request) { close(asked); <-stop })}
		l, err := net.Listen("tcp", "127.0.0.1:0")
		require.NoError(t, err)
		go func() { _ = s.Serve(l) }()
		answered := make(chan error, 1)
		if hangs {
			go func() {
				answer, err := http.Get("http://" + l.Addr().String())
				if err == nil {
					_ = answer.Body.Close()
				}
				answered <- err
			}()
			<-asked
		}
		err = shutDownServers([]*http.Server{s}, 20*time.Millisecond)
		if hangs {
			require.ErrorIs(t, err, context.DeadlineExceeded)
			require.Error(t, <-answered, "the client is not left waiting")
		} else {
			require.NoError(t, err)
		}
		close(stop)
	}
}
