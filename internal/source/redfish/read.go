//go:build !js

package redfish

import (
	"context"
	"crypto/x509"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"memaudit.example/memaudit/internal/model/fact"
)

// Read reads one machine's data from a service. It returns no error: what could not be read is in
// Problems of the answer. The session is closed in any case.
func Read(ctx context.Context, o Options, who Identity) *Answer {
	c := newClient(o)
	defer c.close()
	return c.read(ctx, who)
}

func (c *client) read(ctx context.Context, who Identity) *Answer {
	a := &Answer{Insecure: c.o.Insecure}
	ctx, cancel := context.WithTimeout(ctx, c.o.timeout())
	defer cancel()
	// The service root requires no login (DSP0266 "Authentication requirements"). If something in front demands one, it can only be Basic.
	r, p := c.do(ctx, http.MethodGet, rootPath, nil, maxAnswer)
	asksBasic := func(v string) bool { return len(v) >= 5 && strings.EqualFold(v[:5], "basic") }
	if p == nil && r.status == http.StatusUnauthorized && slices.ContainsFunc(r.header.Values("WWW-Authenticate"), asksBasic) {
		c.basic = true
		r, p = c.do(ctx, http.MethodGet, rootPath, nil, maxAnswer)
	}
	root := &serviceRoot{}
	if p == nil {
		p = c.decode("GET "+rootPath, r, root)
	}
	if p == nil && root.Systems.path() == "" {
		p = problem(fact.SourceMalformed, "GET "+rootPath, "not a Redfish service root: it names no systems")
	}
	if a.failed(p) {
		return a
	}
	if a.failed(c.login(ctx, root)) {
		return a
	}
	c.all(ctx, root, who, a)
	if text := c.logout(ctx); text != "" {
		a.note("%s", text)
	}
	return a
}

// all reads the machine's resources, the most important ones first: BIOS settings, the registry, without which
// some vendors' settings are only codes, then the modules, which are also in SMBIOS and need a request each
// on many services, and the event log. Data that was read before a service fails is kept.
func (c *client) all(ctx context.Context, root *serviceRoot, who Identity, a *Answer) {
	s, p := c.system(ctx, root, who, a)
	if a.failed(p) {
		return
	}
	a.Found = true
	registry := ""
	if at := s.bios(); at == "" {
		a.note("the service offers no BIOS settings")
	} else if registry, p = c.bios(ctx, at, a); a.failed(p) && p.last {
		return
	}
	if p := c.registry(ctx, root, registry, a); a.failed(p) && p.last {
		return
	}
	if at := s.Memory.path(); at == "" {
		a.note("the service offers no memory inventory")
	} else if p := c.memory(ctx, root, at, a); a.failed(p) && p.last {
		return
	}
	if at := s.MemorySummary.Metrics.path(); at != "" {
		if p := c.total(ctx, at, a); a.failed(p) && p.last {
			return
		}
	}
	c.events(ctx, root, s, a)
}

// Limits of one reading.
const (
	// DefaultTimeout is the time limit of the complete reading. A BMC needs a second for some
	// resources, and a machine can have 64 modules.
	DefaultTimeout = 2 * time.Minute
	// requestTimeout is the time limit of one request with its answer; registryTimeout is that of
	// the attribute registry, which has some megabytes.
	requestTimeout  = 15 * time.Second
	registryTimeout = 30 * time.Second
	logoutTimeout   = 5 * time.Second
	// decodeTimeout is the time limit for decoding one answer, which takes a fraction of a second.
	decodeTimeout = 5 * time.Second
	// maxAnswer and maxRegistry limit a resource and an attribute registry, in bytes. The largest
	// that were seen have 1 MiB and 5 MiB.
	maxAnswer   = 2 << 20
	maxRegistry = 8 << 20
	maxHeader   = 64 << 10
	// maxTotal limits all answers together, in bytes, maxRequests the number of requests.
	maxTotal    = 32 << 20
	maxRequests = 1000
	// maxMembers limits the members of a collection, maxPages its pages: more are an error.
	maxMembers   = 512
	maxPages     = 32
	maxRetries   = 3
	maxRedirects = 3
)

// Options are the address of the service and the settings of the connection.
type Options struct {
	// Base is the service's scheme, host and port, as ParseURL returns them.
	Base               *url.URL
	Username, Password string
	// Roots are the trusted certificate authorities, by default those of the system.
	Roots *x509.CertPool
	// System names one of the service's systems by the last step of its path, its Id or its Name.
	// If it is "", the system that matches the machine is taken.
	System string
	// Insecure does not verify the certificate.
	Insecure bool
	// Timeout is the time limit of the complete reading, by default DefaultTimeout.
	Timeout time.Duration
	// KnownRegistry, if set, returns an attribute registry that was read earlier, or nil.
	KnownRegistry func(name string) []byte
}

// ParseURL checks the address of a service, such as https://bmc.example, and returns it without a
// path. The error never contains the address, because that may contain a password.
func ParseURL(text string) (*url.URL, error) {
	u, err := url.Parse(text)
	// The text may contain a password: it is never printed.
	switch {
	case err != nil:
		return nil, fmt.Errorf("not an address, expected https://HOST")
	case u.User != nil:
		return nil, fmt.Errorf("holds a user name or a password, expected https://HOST and a file with the credentials")
	case u.Scheme == "http":
		return nil, fmt.Errorf("http would send the password in the clear, expected https://HOST")
	case u.Scheme != "https" || u.Hostname() == "":
		return nil, fmt.Errorf("expected https://HOST or https://HOST:PORT")
	case u.RawQuery != "" || u.Fragment != "":
		return nil, fmt.Errorf("holds a query or a fragment, expected https://HOST")
	}
	switch strings.Trim(u.Path, "/") {
	case "", "redfish", "redfish/v1":
	default:
		return nil, fmt.Errorf("names a resource, expected https://HOST: the service's own links are followed")
	}
	return &url.URL{Scheme: "https", Host: u.Host}, nil
}

func (o *Options) timeout() time.Duration {
	if o.Timeout > 0 {
		return o.Timeout
	}
	return DefaultTimeout
}
