package cli

import (
	"cmp"
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"time"

	"golang.org/x/sys/unix"

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
	if url == "" && f.live() {
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

// read queries the BMC; an interrupt stops it and still logs out.
func (c *controller) read(who redfish.Identity) *redfish.Answer {
	if c.asker != nil {
		c.answer = c.asker.read(c.o, who, c.interval, c.revision)
		return c.answer
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, unix.SIGTERM)
	defer stop()
	c.answer = redfish.Read(ctx, c.o, who)
	return c.answer
}

// failure returns what could not be read from the BMC, nil if nothing failed or it was not queried.
func (c *controller) failure() error {
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
