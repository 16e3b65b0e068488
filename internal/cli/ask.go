package cli

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"fmt"
	"io"
	"slices"
	"time"

	"memaudit.example/memaudit/internal/model/fact"
	"memaudit.example/memaudit/internal/source/redfish"
)

const (
	// defaultAskInterval is the time between two readings of a BMC: its data change when the machine is
	// serviced.
	defaultAskInterval = 6 * time.Hour
	// leastAskInterval is the shortest permitted interval.
	leastAskInterval = time.Minute
	// askPatience is how long an audit waits for a BMC. A later answer is used by the next audit.
	askPatience = 20 * time.Second
	// leastAskRetry is the time until a BMC that failed is asked again; it doubles up to the interval.
	leastAskRetry = 5 * time.Minute
)

// bmcAsker queries a BMC for the daemon, concurrently with the audits, so that one that hangs does not block
// them, and rarely, because BMCs are slow and allow few sessions. It is not safe for concurrent use.
type bmcAsker struct {
	now func() time.Time
	ask func(context.Context, redfish.Options, redfish.Identity) *redfish.Answer
	// patience is askPatience, shorter in tests.
	patience time.Duration
	// again requests an audit when an answer arrives after one went on without it.
	again chan string

	running *asking
	// last is the current answer, without its registry; about identifies the query, next is when it is
	// repeated, retry the delay after a failure.
	last     *redfish.Answer
	about    string
	next     time.Time
	retry    time.Duration
	registry packedRegistry
}

type asking struct {
	about  string
	done   chan struct{}
	stop   context.CancelFunc
	answer *redfish.Answer
	// late is true if an audit went on without it.
	late bool
}

func newAsker(now func() time.Time) *bmcAsker {
	return &bmcAsker{now: now, ask: redfish.Read, patience: askPatience, again: make(chan string, 1)}
}

func (a *bmcAsker) expire() { a.next = time.Time{} }

// read returns the current answer, and starts a new query if it is due. revision identifies anything else that
// makes an answer outdated.
func (a *bmcAsker) read(o redfish.Options, who redfish.Identity, interval time.Duration, revision string) *redfish.Answer {
	about := subjectOf(&o, &who, revision)
	if a.running != nil && a.running.about != about {
		a.running.stop()
		a.running = nil
	}
	if a.running == nil && (a.last == nil || a.about != about || !a.now().Before(a.next)) {
		a.running = a.start(o, who, about)
	}
	if r := a.running; r != nil {
		select {
		case <-r.done:
			a.take(r, interval)
		case <-time.After(a.patience):
			a.requestAudit(r)
		}
	}
	if a.last == nil || a.about != about {
		return &redfish.Answer{Insecure: o.Insecure, Problems: []redfish.Problem{{State: fact.SourceRefused,
			Text: "the BMC has not answered yet; an audit follows when it does"}}}
	}
	return a.copied()
}

// subjectOf identifies a query and its target. It is a digest, because it includes a password.
func subjectOf(o *redfish.Options, who *redfish.Identity, revision string) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%s %q %t %q %q %q %q", o.Base, o.System, o.Insecure, o.Username, o.Password, fmt.Sprintf("%q", *who), revision))
	return string(sum[:])
}

func (a *bmcAsker) start(o redfish.Options, who redfish.Identity, about string) *asking {
	o.KnownRegistry = a.registry.unpack
	ctx, stop := context.WithCancel(context.Background())
	r := &asking{about: about, done: make(chan struct{}), stop: stop}
	go func() {
		defer close(r.done)
		r.answer = a.ask(ctx, o, who)
	}()
	return r
}

func (a *bmcAsker) take(r *asking, interval time.Duration) {
	r.stop()
	a.running, a.last, a.about = nil, r.answer, r.about
	if b := a.last.BIOS; b != nil {
		a.registry.pack(b.RegistryName, b.Registry)
		b.Registry = nil
	}
	if a.last.Err() == nil {
		a.next, a.retry = a.now().Add(interval), 0
		return
	}
	a.retry = min(max(2*a.retry, leastAskRetry), interval)
	a.next = a.now().Add(a.retry)
}

func (a *bmcAsker) requestAudit(r *asking) {
	if r.late {
		return
	}
	r.late = true
	go func() {
		<-r.done
		select {
		case a.again <- "the BMC answered":
		default: // one was requested already
		}
	}()
}

func (a *bmcAsker) copied() *redfish.Answer {
	c := *a.last
	c.Problems, c.Notes = slices.Clone(c.Problems), slices.Clone(c.Notes)
	if c.BIOS != nil {
		b := *c.BIOS
		b.Registry = a.registry.unpack(b.RegistryName)
		c.BIOS = &b
	}
	return &c
}

func (a *bmcAsker) end(grace time.Duration) {
	if a.running == nil {
		return
	}
	a.running.stop()
	select {
	case <-a.running.done:
	case <-time.After(grace):
	}
}

// packedRegistry caches one compressed attribute registry, which has megabytes and changes only with its name
// or the running firmware.
type packedRegistry struct {
	name string
	data []byte
}

func (p *packedRegistry) pack(name string, registry []byte) {
	if len(registry) == 0 || name == p.name {
		return
	}
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	_, err := w.Write(registry)
	if err != nil || w.Close() != nil {
		return // without it, it is read again
	}
	p.name, p.data = name, b.Bytes()
}

func (p *packedRegistry) unpack(name string) []byte {
	if name == "" || name != p.name {
		return nil
	}
	r, err := gzip.NewReader(bytes.NewReader(p.data))
	if err != nil {
		return nil
	}
	data, err := io.ReadAll(r)
	if err != nil {
		return nil
	}
	return data
}
