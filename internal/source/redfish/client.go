//go:build !js

// Package redfish reads a machine's BIOS settings and memory inventory from its BMC (DMTF DSP0266, DSP2046). It
// sends only GET requests, except for the POST and DELETE of its own session. It follows the service's links
// and limits the size of each answer and of all together, the number of requests, and the time of each request
// and of the complete reading.
package redfish

import (
	"context"
	"crypto/tls"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/memaudit/memaudit/internal/model/fact"
)

// client reads from one service.
type client struct {
	o    Options
	http *http.Client
	// token is the session's token, session the path at which it is deleted.
	token, session string
	// basic sends user name and password with every request, because the service has no sessions.
	basic bool
	// timeLimit is the time limit of the current request.
	timeLimit time.Duration
	// spent is the number of bytes of all answers, asked the number of requests.
	spent int64
	asked int
	// secrets lists secrets and identifiers, which no text may contain.
	secrets []string
	// sleep waits for a time or until the context ends.
	sleep func(context.Context, time.Duration) error
}

func newClient(o Options) *client {
	t := &http.Transport{
		// Never a proxy from the environment: credentials would pass through it.
		Proxy:                  nil,
		TLSClientConfig:        &tls.Config{RootCAs: o.Roots, InsecureSkipVerify: o.Insecure, MinVersion: tls.VersionTLS12}, // unverified only with --redfish-insecure, and the report says so
		MaxResponseHeaderBytes: maxHeader,
		MaxIdleConnsPerHost:    1,
		TLSHandshakeTimeout:    requestTimeout,
	}
	c := &client{o: o, secrets: []string{o.Password}, sleep: sleepUnlessDone}
	c.http = &http.Client{Transport: t, CheckRedirect: c.redirect}
	return c
}

// close closes idle connections.
func (c *client) close() { c.http.CloseIdleConnections() }

func sleepUnlessDone(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-t.C:
		return nil
	}
}

// errRedirect is the error for a redirect that is not followed.
type errRedirect struct{ text string }

func (e *errRedirect) Error() string { return e.text }

// redirect allows up to maxRedirects redirects, of GET requests and within the service.
func (c *client) redirect(next *http.Request, before []*http.Request) error {
	switch {
	case !c.sameOrigin(next.URL):
		return &errRedirect{"redirected to another host (" + printable(next.URL.Host) + "), which is not followed"}
	case before[0].Method != http.MethodGet:
		return &errRedirect{"a " + before[0].Method + " was redirected, which is not followed"}
	case len(before) > maxRedirects:
		return &errRedirect{"redirected more than " + strconv.Itoa(maxRedirects) + " times"}
	default:
		return nil
	}
}

// sameOrigin reports whether a URL has the scheme, host and port of the service.
func (c *client) sameOrigin(u *url.URL) bool {
	return u.Scheme == c.o.Base.Scheme && strings.EqualFold(u.Hostname(), c.o.Base.Hostname()) && portOf(u) == portOf(c.o.Base)
}

func portOf(u *url.URL) string {
	if p := u.Port(); p != "" {
		return p
	}
	return "443"
}

// resolve returns the URL of a link. A link to another host is refused.
func (c *client) resolve(link string) (*url.URL, *Problem) {
	ref, err := url.Parse(link)
	if err != nil {
		return nil, problem(fact.SourceMalformed, "", "a link of the service is not an address")
	}
	u := c.o.Base.ResolveReference(ref)
	if !c.sameOrigin(u) || u.User != nil {
		return nil, problem(fact.SourceRefused, "", "a link of the service leads to another host (%s), which is not followed", printable(u.Host))
	}
	u.Fragment = ""
	return u, nil
}

// httpReply is one answer with its complete body.
type httpReply struct {
	status int
	header http.Header
	body   []byte
}
