//go:build !js

package redfish

import (
	"bytes"
	"cmp"
	"context"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"memaudit.example/memaudit/internal/model/fact"
	"memaudit.example/memaudit/internal/model/strictjson"
)

// number is a JSON number, also in quotation marks, as some BMCs send it. Any other value, also null, is
// unknown.
type number struct {
	value float64
	known bool
}

// UnmarshalJSON never fails: a value of another type is not known.
func (n *number) UnmarshalJSON(data []byte) error {
	v, err := strconv.ParseFloat(strings.TrimSpace(strings.Trim(string(data), `"`)), 64)
	*n = number{v, err == nil}
	return nil
}

func (n number) wholeWithin(least, most int64) (int64, bool) {
	if !n.known || n.value < float64(least) || n.value > float64(most) || n.value != float64(int64(n.value)) {
		return 0, false
	}
	return int64(n.value), true
}

// positiveInteger returns an integer from 1 to limit, 0 for any other value.
func (n number) positiveInteger(limit int64) int64 {
	v, _ := n.wholeWithin(1, limit)
	return v
}

func (c *client) getResource(ctx context.Context, path string, limit int64, v any) ([]byte, *Problem) {
	r, p := c.sendRequest(ctx, http.MethodGet, path, nil, limit)
	if p != nil {
		return nil, p
	}
	if p := c.decodeReply("GET "+printablePath(path), r, v); p != nil {
		return nil, p
	}
	return r.body, nil
}

// decodeReply decodes an answer into v, which must not be read if there is a problem. A property with a type that the schema
// does not have is ignored; the other properties are kept.
func (c *client) decodeReply(op string, r *httpReply, v any) *Problem {
	if p := refusalProblem(op, r); p != nil {
		return p
	}
	body := bytes.TrimPrefix(bytes.TrimSpace(r.body), []byte("\xef\xbb\xbf"))
	if len(body) == 0 {
		return newProblem(fact.SourceTruncated, op, "the answer is empty, expected a JSON object")
	}
	if body[0] != '{' {
		return newProblem(fact.SourceMalformed, op, "the answer is not a JSON object")
	}
	err := strictjson.InTime(c.decodeLimit, func() error { return json.Unmarshal(body, v) })
	var other *json.UnmarshalTypeError
	var syntax *json.SyntaxError
	switch {
	case err == nil, errors.As(err, &other):
		return nil
	case errors.Is(err, strictjson.ErrTooSlow), errors.Is(err, errTooMany):
		return newProblem(fact.SourceRefused, op, "the answer %v", err)
	case errors.As(err, &syntax) && syntax.Offset >= int64(len(body)):
		return newProblem(fact.SourceTruncated, op, "the answer ends after %d bytes, inside its JSON", len(body))
	case errors.As(err, &syntax):
		return newProblem(fact.SourceMalformed, op, "the answer is not JSON from byte %d on", syntax.Offset)
	default:
		return newProblem(fact.SourceMalformed, op, "the answer is not JSON that can be read")
	}
}

// members are those of a collection. A list of three-byte elements is refused before it becomes a hundred times larger in
// memory.
type members[T any] []T

var errTooMany = fmt.Errorf("lists more than %d members", maxMembers)

// UnmarshalJSON ignores what is no list, and members of another type, as the decoder ignores other properties.
func (m *members[T]) UnmarshalJSON(data []byte) error {
	*m = nil
	dec := json.NewDecoder(bytes.NewReader(data))
	if start, err := dec.Token(); err != nil || start != json.Delim('[') {
		return err
	}
	for dec.More() {
		if len(*m) == maxMembers {
			return errTooMany
		}
		var one T
		if err := dec.Decode(&one); err != nil && !errors.As(err, new(*json.UnmarshalTypeError)) {
			return err
		}
		*m = append(*m, one)
	}
	return nil
}

func (c *client) memberPaths(ctx context.Context, path string) ([]string, *Problem) {
	links, p := readPages[resourceLink](ctx, c, path)
	var out []string
	for _, m := range links {
		if at := m.targetPath(); at != "" {
			out = append(out, at)
		}
	}
	return out, p
}

// A further page that is not there is not an absent collection.
func readPages[T any](ctx context.Context, c *client, path string) ([]T, *Problem) {
	var out []T
	seen := map[string]bool{}
	for range maxPages {
		var page struct {
			Members members[T] `json:"Members"`
			Next    string     `json:"Members@odata.nextLink"`
		}
		if _, p := c.getResource(ctx, path, maxAnswer, &page); p != nil {
			if len(seen) > 0 && p.State == fact.SourceAbsent {
				p.State = fact.SourceTruncated
			}
			return nil, p
		}
		seen[path] = true
		if out = append(out, page.Members...); len(out) > maxMembers {
			return nil, newProblem(fact.SourceRefused, "GET "+printablePath(path), "a collection of more than %d members", maxMembers)
		}
		if path = page.Next; path == "" || seen[path] {
			return out, nil
		}
	}
	return nil, newProblem(fact.SourceRefused, "GET "+printablePath(path), "a collection of more than %d pages", maxPages)
}

// Read reads one machine's data from a service. It returns no error: what could not be read is in
// Problems of the answer. The session is closed in any case.
func Read(ctx context.Context, o Options, who Identity) *Answer {
	c := newClient(o)
	defer c.close()
	return c.readService(ctx, who)
}

func (c *client) readService(ctx context.Context, who Identity) *Answer {
	a := &Answer{Insecure: c.o.Insecure}
	ctx, cancel := context.WithTimeout(ctx, c.o.totalTimeout())
	defer cancel()
	// The service root requires no login (DSP0266 "Authentication requirements"). If something in front demands one, it can only be Basic.
	r, p := c.sendRequest(ctx, http.MethodGet, rootPath, nil, maxAnswer)
	asksBasic := func(v string) bool { return len(v) >= 5 && strings.EqualFold(v[:5], "basic") }
	if p == nil && r.status == http.StatusUnauthorized && slices.ContainsFunc(r.header.Values("WWW-Authenticate"), asksBasic) {
		c.basic = true
		r, p = c.sendRequest(ctx, http.MethodGet, rootPath, nil, maxAnswer)
	}
	root := &serviceRoot{}
	if p == nil {
		p = c.decodeReply("GET "+rootPath, r, root)
	}
	if p == nil && root.Systems.targetPath() == "" {
		p = newProblem(fact.SourceMalformed, "GET "+rootPath, "not a Redfish service root: it names no systems")
	}
	if a.recordProblem(p) || a.recordProblem(c.openSession(ctx, root)) {
		return a
	}
	c.readResources(ctx, root, who, a)
	if text := c.closeSession(ctx); text != "" {
		a.recordNote("%s", text)
	}
	return a
}

// readResources reads the machine's resources, the most important ones first: BIOS settings, the registry, without which
// some vendors' settings are only codes, then the modules, which are also in SMBIOS and need a request each
// on many services, and the event log. Data that was read before a service fails is kept.
func (c *client) readResources(ctx context.Context, root *serviceRoot, who Identity, a *Answer) {
	s, p := c.findSystem(ctx, root, who, a)
	if a.recordProblem(p) {
		return
	}
	a.Found = true
	registry := ""
	if at := cmp.Or(s.Bios.targetPath(), s.Oem.Hp.Links.BIOS.targetPath()); at == "" {
		a.recordNote("the service offers no BIOS settings")
	} else if registry, p = c.readBIOS(ctx, at, a); a.recordProblem(p) && p.last {
		return
	}
	if p := c.readRegistry(ctx, root, registry, a); a.recordProblem(p) && p.last {
		return
	}
	if at := s.Memory.targetPath(); at == "" {
		a.recordNote("the service offers no memory inventory")
	} else if p := c.readMemory(ctx, root, at, a); a.recordProblem(p) && p.last {
		return
	}
	if at := s.MemorySummary.Metrics.targetPath(); at != "" {
		if p := c.readTotalCounts(ctx, at, a); a.recordProblem(p) && p.last {
			return
		}
	}
	c.readEvents(ctx, root, s, a)
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

func (o *Options) totalTimeout() time.Duration {
	if o.Timeout > 0 {
		return o.Timeout
	}
	return DefaultTimeout
}
