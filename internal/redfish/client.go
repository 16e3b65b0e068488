package redfish

import (
	"context"
	"crypto/tls"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/memaudit/memaudit/internal/fact"
)

// client asks one service.
type client struct {
	o    Options
	http *http.Client
	// token is the session's; session its path, to be deleted.
	token, session string
	// basic sends user name and password with every request, because the
	// service has no sessions.
	basic bool
	// patience is how long the present request may take.
	patience time.Duration
	// spent counts bytes of answers, asked counts requests.
	spent int64
	asked int
	// hide are words that no text may hold: secrets and identifiers.
	hide []string
	// sleep waits, or until the context ends.
	sleep func(context.Context, time.Duration) error
}

func newClient(o Options) *client {
	t := &http.Transport{
		// No proxy of the environment: it would get the credentials' traffic.
		Proxy:                  nil,
		TLSClientConfig:        &tls.Config{RootCAs: o.Roots, InsecureSkipVerify: o.Insecure, MinVersion: tls.VersionTLS12}, // insecure only by flag, and said in the report
		MaxResponseHeaderBytes: maxHeader,
		MaxIdleConnsPerHost:    1,
		TLSHandshakeTimeout:    requestTimeout,
	}
	c := &client{o: o, hide: []string{o.Password}, sleep: sleepUnlessDone}
	c.http = &http.Client{Transport: t, CheckRedirect: c.redirect}
	return c
}

// close drops idle connections.
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

// errRedirect is a redirect that is not followed.
type errRedirect struct{ text string }

func (e *errRedirect) Error() string { return e.text }

// redirect follows within the service only, and never with a body.
func (c *client) redirect(next *http.Request, before []*http.Request) error {
	switch {
	case !c.own(next.URL):
		return &errRedirect{"redirected to another host (" + printable(next.URL.Host) + "), which is not followed"}
	case before[0].Method != http.MethodGet:
		return &errRedirect{"a " + before[0].Method + " was redirected, which is not followed"}
	case len(before) > maxRedirects:
		return &errRedirect{"redirected more than " + strconv.Itoa(maxRedirects) + " times"}
	default:
		return nil
	}
}

// own reports whether an address is the service's: scheme, host and port.
func (c *client) own(u *url.URL) bool {
	return u.Scheme == c.o.Base.Scheme && strings.EqualFold(u.Hostname(), c.o.Base.Hostname()) && portOf(u) == portOf(c.o.Base)
}

func portOf(u *url.URL) string {
	if p := u.Port(); p != "" {
		return p
	}
	return "443"
}

// resolve makes a link of the service a path of its own origin.
func (c *client) resolve(link string) (*url.URL, *Problem) {
	ref, err := url.Parse(link)
	if err != nil || link == "" {
		return nil, problem(fact.SourceMalformed, "", "a link of the service is not an address")
	}
	u := c.o.Base.ResolveReference(ref)
	if !c.own(u) || u.User != nil {
		return nil, problem(fact.SourceRefused, "", "a link of the service leads to another host (%s), which is not followed", printable(u.Host))
	}
	u.Fragment = ""
	return u, nil
}

// httpReply is one answer, read up to its limit.
type httpReply struct {
	status int
	header http.Header
	body   []byte
}
