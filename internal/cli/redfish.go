package cli

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"memaudit.example/memaudit/internal/model/fact"
	"memaudit.example/memaudit/internal/source/redfish"
)

// Limits of the files for the BMC.
const (
	maxCredentials = 64 << 10
	maxCA          = 1 << 20
)

type controller struct {
	o        redfish.Options
	asker    *bmcAsker
	interval time.Duration
	revision string
	// answer is set once it was queried.
	answer *redfish.Answer
}

// controller checks all settings before the network is used; nil if no BMC is to be queried. The
// configuration's is that of the live machine and not queried for a capture.
func (f *inputFlags) controller() (*controller, error) {
	conf, flags := redfishConfig{}, f.redfish
	if f.conf != nil && f.conf.Redfish != nil {
		conf = *f.conf.Redfish
	}
	url, name := flags.url, "--redfish"
	if url == "" && f.isLiveSystem() {
		url, name = conf.URL, "configuration: redfish.url"
	}
	if url == "" {
		if flags.credentials != "" || flags.system != "" || flags.insecure {
			return nil, usageError("--redfish-credentials, --redfish-system and --redfish-insecure need --redfish URL or redfish.url in the configuration")
		}
		return nil, nil
	}
	base, err := redfish.ParseURL(url)
	if err != nil {
		return nil, usageError("%s: %w", name, err)
	}
	c := &controller{o: redfish.Options{Base: base, Insecure: flags.insecure, System: cmp.Or(flags.system, conf.System)}, asker: f.asker, interval: defaultAskInterval, revision: f.baselineState()}
	file := cmp.Or(flags.credentials, conf.Credentials)
	if file == "" {
		return nil, usageError("%s: no credentials, expected --redfish-credentials FILE with username and password", name)
	}
	if c.o.Username, c.o.Password, err = readCredentials(file); err != nil {
		return nil, usageError("redfish credentials: %w", err)
	}
	return c, c.configure(&conf)
}

func (c *controller) configure(conf *redfishConfig) error {
	if conf.Timeout != "" {
		d, err := time.ParseDuration(conf.Timeout)
		if err != nil || d <= 0 {
			return usageError("configuration: redfish.timeout %q, expected a duration such as 2m", conf.Timeout)
		}
		c.o.Timeout = d
	}
	if conf.Interval != "" {
		d, err := time.ParseDuration(conf.Interval)
		if err != nil || d < leastAskInterval {
			return usageError("configuration: redfish.interval %q, expected a duration such as 6h, at least %s", conf.Interval, leastAskInterval)
		}
		c.interval = d
	}
	if conf.CA == "" {
		return nil
	}
	pem, err := readBounded(conf.CA, maxCA)
	if err != nil {
		return usageError("configuration: redfish.ca: %s: %w", conf.CA, err)
	}
	c.o.Roots = x509.NewCertPool()
	if !c.o.Roots.AppendCertsFromPEM(pem) {
		return usageError("configuration: redfish.ca: %s: no certificate, expected PEM", conf.CA)
	}
	return nil
}

// queryBMC queries the BMC; an interrupt stops it and still logs out.
func (c *controller) queryBMC(who redfish.Identity) *redfish.Answer {
	if c.asker != nil {
		c.answer = c.asker.currentAnswer(c.o, who, c.interval, c.revision)
		return c.answer
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, unix.SIGTERM)
	defer stop()
	c.answer = redfish.Read(ctx, c.o, who)
	return c.answer
}

// queryFailure returns what could not be read from the BMC, nil if nothing failed or it was not queried.
func (c *controller) queryFailure() error {
	if c == nil || c.answer == nil || c.answer.Err() == nil {
		return nil
	}
	return notAudited(fmt.Errorf("--redfish %s: %w", c.o.Base, c.answer.Err()), c.answer.Hint())
}

// unavailableBMC represents a BMC of the daemon that cannot be queried, for example because its credentials cannot
// be read.
func unavailableBMC(why error) func(redfish.Identity) *redfish.Answer {
	p := &redfish.Problem{State: inputState(why).Source(), Text: why.Error()}
	return func(redfish.Identity) *redfish.Answer { return &redfish.Answer{Problems: []redfish.Problem{*p}} }
}

// baselineState identifies a version of the accepted hardware: it is saved again after the machine was
// serviced.
func (f *inputFlags) baselineState() string {
	st, err := os.Stat(f.baselineFile("", ""))
	if err != nil {
		return ""
	}
	return st.ModTime().String()
}

func joinInputErrors(a, b error) error {
	if a == nil {
		return b
	}
	if b == nil {
		return a
	}
	var e *exitError
	hint := ""
	if errors.As(a, &e) {
		hint = e.hint
	}
	return notAudited(fmt.Errorf("%w; %w", a, b), hint)
}

// readCredentials reads user name and password from a file that only its owner may read. No error contains any
// of its content.
func readCredentials(name string) (user, password string, err error) {
	// Do not block if the file is a pipe.
	f, err := os.OpenFile(name, os.O_RDONLY|unix.O_NONBLOCK, 0)
	if err != nil {
		return "", "", err
	}
	defer func() { _ = f.Close() }()
	st, err := f.Stat()
	switch {
	case err != nil:
		return "", "", err
	case !st.Mode().IsRegular():
		return "", "", fmt.Errorf("%s: not a regular file", name)
	case foreignOwner(st):
		owner, _ := ownerOf(st)
		return "", "", fmt.Errorf("%s: belongs to user %d, expected root or the user who runs memaudit", name, owner)
	case st.Mode().Perm()&0o077 != 0:
		return "", "", fmt.Errorf("%s: mode %04o lets users other than its owner read the password, expected 0600", name, st.Mode().Perm())
	}
	data, err := readAll(f, maxCredentials)
	if err != nil {
		return "", "", fmt.Errorf("%s: %w", name, withoutName(err))
	}
	return parseCredentials(name, data)
}

// parseCredentials reports where a malformed file is wrong, not how: the parser's errors would contain pieces
// of the password.
func parseCredentials(name string, data []byte) (user, password string, err error) {
	var c struct {
		Username string `yaml:"username"`
		Password string `yaml:"password"`
	}
	if err := decodeYAML(data, &c); err != nil {
		line, _, _ := strings.Cut(err.Error(), ":")
		return "", "", fmt.Errorf("%s: malformed at %s, expected a YAML file with username and password alone", name, line)
	}
	for _, field := range [][2]string{{"username", c.Username}, {"password", c.Password}} {
		if field[1] == "" {
			return "", "", fmt.Errorf("%s: no %s, expected a YAML file with username and password", name, field[0])
		}
	}
	return c.Username, c.Password, nil
}

const (
	// defaultAskInterval is the time between two readings of a BMC: its data change when the machine is
	// serviced.
	defaultAskInterval = 6 * time.Hour
	leastAskInterval   = time.Minute
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

func (a *bmcAsker) expireAnswer() { a.next = time.Time{} }

// currentAnswer returns the current answer, and starts a new query if it is due. revision identifies anything else that
// makes an answer outdated.
func (a *bmcAsker) currentAnswer(o redfish.Options, who redfish.Identity, interval time.Duration, revision string) *redfish.Answer {
	about := subjectOf(&o, &who, revision)
	if a.running != nil && a.running.about != about {
		a.running.stop()
		a.running = nil
	}
	if a.running == nil && (a.last == nil || a.about != about || !a.now().Before(a.next)) {
		a.running = a.startQuery(o, who, about)
	}
	if r := a.running; r != nil {
		select {
		case <-r.done:
			a.takeAnswer(r, interval)
		case <-time.After(a.patience):
			a.requestAudit(r)
		}
	}
	if a.last == nil || a.about != about {
		return &redfish.Answer{Insecure: o.Insecure, Problems: []redfish.Problem{{State: fact.SourceRefused,
			Text: "the BMC has not answered yet; an audit follows when it does"}}}
	}
	return a.copyAnswer()
}

// subjectOf identifies a query and its target. It is a digest, because it includes a password.
func subjectOf(o *redfish.Options, who *redfish.Identity, revision string) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%s %q %t %q %q %q %q", o.Base, o.System, o.Insecure, o.Username, o.Password, fmt.Sprintf("%q", *who), revision))
	return string(sum[:])
}

func (a *bmcAsker) startQuery(o redfish.Options, who redfish.Identity, about string) *asking {
	o.KnownRegistry = a.registry.unpack
	ctx, stop := context.WithCancel(context.Background())
	r := &asking{about: about, done: make(chan struct{}), stop: stop}
	go func() {
		defer close(r.done)
		r.answer = a.ask(ctx, o, who)
	}()
	return r
}

func (a *bmcAsker) takeAnswer(r *asking, interval time.Duration) {
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

func (a *bmcAsker) copyAnswer() *redfish.Answer {
	c := *a.last
	c.Problems, c.Notes = slices.Clone(c.Problems), slices.Clone(c.Notes)
	if c.BIOS != nil {
		b := *c.BIOS
		b.Registry = a.registry.unpack(b.RegistryName)
		c.BIOS = &b
	}
	return &c
}

func (a *bmcAsker) stopQuery(grace time.Duration) {
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
