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

	"github.com/memaudit/memaudit/internal/model/fact"
	"github.com/memaudit/memaudit/internal/source/redfish"
)

const (
	// defaultAskInterval is the time between two readings of a management
	// controller: what it says changes when somebody works on the machine.
	defaultAskInterval = 6 * time.Hour
	// leastAskInterval is the shortest that may be asked for.
	leastAskInterval = time.Minute
	// askPatience is how long an audit waits for a controller. One that takes
	// longer joins the next audit.
	askPatience = 20 * time.Second
	// leastAskRetry is the time until a controller that failed is asked again; it
	// doubles up to the interval.
	leastAskRetry = 5 * time.Minute
)

// bmcAsker asks a BMC for the daemon: beside the audits, so that
// one that hangs holds nothing up, and rarely, since controllers are slow and
// few sessions fit into them. It is for one goroutine at a time.
type bmcAsker struct {
	now func() time.Time
	ask func(context.Context, redfish.Options, redfish.Identity) *redfish.Answer
	// patience is askPatience, and less in tests.
	patience time.Duration
	// again asks for an audit, when an answer came after one went on without it.
	again chan string

	running *asking
	// last is the answer in force, without its registry; about is what it was
	// asked of, next when it is asked anew, retry how long after a failure.
	last     *redfish.Answer
	about    string
	next     time.Time
	retry    time.Duration
	registry packedRegistry
}

// asking is one reading of a controller; answer is there once done is closed.
type asking struct {
	about  string
	done   chan struct{}
	stop   context.CancelFunc
	answer *redfish.Answer
	// late says that an audit went on without it.
	late bool
}

func newAsker(now func() time.Time) *bmcAsker {
	return &bmcAsker{now: now, ask: redfish.Read, patience: askPatience, again: make(chan string, 1)}
}

// expire has the controller asked at the next audit.
func (a *bmcAsker) expire() { a.next = time.Time{} }

// read gives the answer in force, and asks for a new one when it is time.
// revision stands for what else makes an answer one of the past.
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
			a.joinLater(r)
		}
	}
	if a.last == nil || a.about != about {
		return &redfish.Answer{Insecure: o.Insecure, Problems: []redfish.Problem{{State: fact.SourceRefused,
			Text: "the BMC has not answered yet; an audit follows when it does"}}}
	}
	return a.copied()
}

// subjectOf tells apart what was asked of whom. It is a digest, for a password is
// part of it.
func subjectOf(o *redfish.Options, who *redfish.Identity, revision string) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%s %q %t %q %q %q %q", o.Base, o.System, o.Insecure, o.Username, o.Password, fmt.Sprintf("%q", *who), revision))
	return string(sum[:])
}

// start begins a reading.
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

// take puts an answer in force.
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

// joinLater asks for another audit as soon as the answer is there.
func (a *bmcAsker) joinLater(r *asking) {
	if r.late {
		return
	}
	r.late = true
	go func() {
		<-r.done
		select {
		case a.again <- "the BMC answered":
		default: // one is asked for already
		}
	}()
}

// copied is the answer in force for one audit, which may add to it.
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

// end stops a reading and gives it a moment to return its session.
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

// packedRegistry keeps one attribute registry, which has megabytes and does not
// change while its name and the running firmware stay the same.
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
		return // without it, it is read anew
	}
	p.name, p.data = name, b.Bytes()
}

// unpack gives the registry of a name, nil for any other.
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
