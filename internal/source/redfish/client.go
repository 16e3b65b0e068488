//go:build !js

// Package redfish reads a machine's BIOS settings and memory inventory from its BMC (DMTF DSP0266, DSP2046). It
// sends only GET requests, except for the POST and DELETE of its own session. It follows the service's links
// and limits the size of each answer and of all together, the number of requests, and the time of each request
// and of the complete reading.
package redfish

import (
	"bytes"
	"cmp"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/base64"
	"errors"
	"io"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"syscall"
	"time"

	"memaudit.example/memaudit/internal/model/fact"
)

type client struct {
	o    Options
	http *http.Client
	// token is the session's token, session the path at which it is deleted.
	token, session string
	// basic sends user name and password with every request, because the service has no sessions.
	basic bool
	// timeLimit is the time limit of the current request.
	timeLimit time.Duration
	// requestLimit is the time limit of a request with its answer, decodeLimit that for decoding one.
	requestLimit, decodeLimit time.Duration
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
	c := &client{o: o, requestLimit: requestTimeout, decodeLimit: decodeTimeout, secrets: []string{o.Password}, sleep: sleepUnlessDone}
	c.http = &http.Client{Transport: t, CheckRedirect: c.checkRedirect}
	return c
}

func (c *client) close() { c.http.CloseIdleConnections() }

func sleepUnlessDone(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(d):
		return nil
	}
}

type errRedirect struct{ text string }

func (e *errRedirect) Error() string { return e.text }

func (c *client) checkRedirect(next *http.Request, before []*http.Request) error {
	switch {
	case !c.sameOrigin(next.URL):
		return &errRedirect{"redirected to another host (" + printableText(next.URL.Host) + "), which is not followed"}
	case before[0].Method != http.MethodGet:
		return &errRedirect{"a " + before[0].Method + " was redirected, which is not followed"}
	case len(before) > maxRedirects:
		return &errRedirect{"redirected more than " + strconv.Itoa(maxRedirects) + " times"}
	default:
		return nil
	}
}

func (c *client) sameOrigin(u *url.URL) bool {
	port := func(u *url.URL) string { return cmp.Or(u.Port(), "443") }
	return u.Scheme == c.o.Base.Scheme && strings.EqualFold(u.Hostname(), c.o.Base.Hostname()) && port(u) == port(c.o.Base)
}

// resolveLink returns the URL of a link. A link to another host is refused.
func (c *client) resolveLink(link string) (*url.URL, *Problem) {
	ref, err := url.Parse(link)
	if err != nil {
		return nil, newProblem(fact.SourceMalformed, "", "a link of the service is not an address")
	}
	u := c.o.Base.ResolveReference(ref)
	if !c.sameOrigin(u) || u.User != nil {
		return nil, newProblem(fact.SourceRefused, "", "a link of the service leads to another host (%s), which is not followed", printableText(u.Host))
	}
	u.Fragment = ""
	return u, nil
}

type httpReply struct {
	status int
	header http.Header
	body   []byte
}

// sendRequest sends a request, and repeats it while the service answers that it is busy (503).
func (c *client) sendRequest(ctx context.Context, method, link string, body []byte, limit int64) (*httpReply, *Problem) {
	u, p := c.resolveLink(link)
	if p != nil {
		return nil, p
	}
	op := method + " " + printablePath(u.Path)
	for try := 0; ; try++ {
		r, p := c.sendOnce(ctx, method, u, body, limit, op)
		if p != nil || r.status != http.StatusServiceUnavailable {
			return r, p
		}
		if p := c.waitForRetry(ctx, op, r.header, try); p != nil {
			return nil, p
		}
	}
}

// waitForRetry waits before a request is repeated, as long as the service requires. It returns a problem if the
// request was repeated maxRetries times, or if the deadline is earlier.
func (c *client) waitForRetry(ctx context.Context, op string, h http.Header, try int) *Problem {
	wait := retryAfter(h.Get("Retry-After"), time.Second<<try)
	busy := newProblem(fact.SourceRefused, op, "the service is busy (503)").markFinal()
	switch end, bounded := ctx.Deadline(); {
	case try >= maxRetries:
		busy.Text += ", also when asked " + strconv.Itoa(maxRetries) + " times more"
		return busy
	case bounded && time.Until(end) <= wait:
		busy.Text += " and asks to wait " + wait.String() + ", longer than the deadline leaves"
		return busy
	}
	if c.sleep(ctx, wait) != nil {
		return c.contextProblem(ctx, op)
	}
	return nil
}

// retryAfter reads the header Retry-After, in seconds or as a date; other is used if it is neither.
func retryAfter(v string, other time.Duration) time.Duration {
	if n, err := strconv.Atoi(strings.TrimSpace(v)); err == nil && n >= 0 {
		return max(time.Duration(min(n, 1<<20))*time.Second, 100*time.Millisecond)
	}
	if t, err := http.ParseTime(v); err == nil {
		return max(time.Until(t), 100*time.Millisecond)
	}
	return other
}

// sendOnce sends one request with its own time limit and reads the answer. The end of the session has no
// share in the limits of the reading.
func (c *client) sendOnce(ctx context.Context, method string, u *url.URL, body []byte, limit int64, op string) (*httpReply, *Problem) {
	if c.asked++; method != http.MethodDelete && (c.asked > maxRequests || c.spent >= maxTotal) {
		return nil, newProblem(fact.SourceRefused, op, "more than %d requests or %d bytes for one machine", maxRequests, maxTotal).markFinal()
	}
	c.timeLimit = min(c.requestLimit, c.o.totalTimeout())
	switch {
	case limit == maxRegistry:
		c.timeLimit = min(registryTimeout, c.o.totalTimeout())
	case method == http.MethodDelete:
		c.timeLimit = logoutTimeout // even after the time limit of the reading: BMCs have few sessions
	}
	one, cancel := context.WithTimeout(ctx, c.timeLimit)
	defer cancel()
	req, err := http.NewRequestWithContext(one, method, u.String(), bytes.NewReader(body))
	if err != nil {
		return nil, newProblem(fact.SourceMalformed, op, "a link of the service is not an address")
	}
	// The headers that DSP0266 requires.
	req.Header.Set("Accept", "application/json")
	req.Header.Set("OData-Version", "4.0")
	req.Header.Set("User-Agent", "memaudit")
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	switch {
	case c.token != "":
		req.Header.Set("X-Auth-Token", c.token)
	case c.basic:
		req.SetBasicAuth(c.o.Username, c.o.Password)
	}
	resp, err := c.http.Do(req)
	if err != nil {
		return nil, c.requestProblem(ctx, op, err)
	}
	defer func() { _ = resp.Body.Close() }()
	if method == http.MethodDelete {
		return &httpReply{status: resp.StatusCode}, nil
	}
	data, p := c.readBody(ctx, op, resp, limit)
	if p != nil {
		return nil, p
	}
	return &httpReply{status: resp.StatusCode, header: resp.Header, body: data}, nil
}

// readBody reads the body of an answer. It reads at most one byte more than the limit.
func (c *client) readBody(ctx context.Context, op string, resp *http.Response, limit int64) ([]byte, *Problem) {
	limit = min(limit, maxTotal-c.spent)
	if resp.ContentLength > limit {
		return nil, newProblem(fact.SourceRefused, op, "the answer has %d bytes, more than the %d that are read", resp.ContentLength, limit)
	}
	data, err := io.ReadAll(io.LimitReader(resp.Body, limit+1))
	c.spent += int64(len(data))
	switch {
	case int64(len(data)) > limit:
		return nil, newProblem(fact.SourceRefused, op, "the answer is longer than the %d bytes that are read", limit)
	case err != nil && resp.Request.Context().Err() != nil && ctx.Err() == nil: // other answers may be faster
		return nil, newProblem(fact.SourceTruncated, op, "the answer is not complete after %s (%d bytes)", c.timeLimit, len(data))
	case errors.Is(err, io.ErrUnexpectedEOF):
		return nil, newProblem(fact.SourceTruncated, op, "the answer ends after %d bytes, before it is whole", len(data))
	case err != nil:
		return nil, c.requestProblem(ctx, op, err)
	default:
		return data, nil
	}
}

func (c *client) requestProblem(ctx context.Context, op string, err error) *Problem {
	var redirected *errRedirect
	var dns *net.DNSError
	var timeout net.Error
	switch {
	case ctx.Err() != nil:
		return c.contextProblem(ctx, op)
	case errors.As(err, &redirected):
		return newProblem(fact.SourceRefused, op, "%s", c.hideSecrets(redirected.text))
	case errors.As(err, &dns) && dns.IsNotFound:
		return newProblem(fact.SourceAbsent, op, "the host's name is not known here").markFinal()
	case errors.Is(err, syscall.ECONNREFUSED):
		return newProblem(fact.SourceAbsent, op, "connection refused: nothing listens there").markFinal()
	case errors.As(err, &timeout) && timeout.Timeout(), errors.Is(err, context.DeadlineExceeded):
		return newProblem(fact.SourceRefused, op, "no complete answer within %s", c.timeLimit).markFinal()
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, syscall.ECONNRESET):
		return newProblem(fact.SourceTruncated, op, "the service closed the connection without an answer").markFinal()
	}
	if p := certificate(op, err); p != nil {
		return p.markFinal()
	}
	var sent *url.Error
	if errors.As(err, &sent) {
		err = sent.Err // without the URL, which op names already
	}
	return newProblem(fact.SourceRefused, op, "%s", c.hideSecrets(err.Error())).markFinal()
}

func (c *client) contextProblem(ctx context.Context, op string) *Problem {
	if errors.Is(ctx.Err(), context.Canceled) {
		return newProblem(fact.SourceRefused, op, "interrupted").markFinal()
	}
	return newProblem(fact.SourceRefused, op, "not done within the %s that all of it may take", c.o.totalTimeout()).markFinal()
}

func certificate(op string, err error) *Problem {
	const trust = "give its authority's certificate as redfish.ca in the configuration"
	var unknown x509.UnknownAuthorityError
	var invalid x509.CertificateInvalidError
	var host x509.HostnameError
	var record tls.RecordHeaderError
	var verify *tls.CertificateVerificationError
	switch {
	case errors.As(err, &invalid) && invalid.Reason == x509.Expired:
		p := newProblem(fact.SourceRefused, op, "the service's certificate is not valid now").withHint("renew the certificate of the BMC, and check both clocks")
		if cert := invalid.Cert; cert != nil {
			p.Text = "the service's certificate is valid from " + cert.NotBefore.UTC().Format(time.DateOnly) + " to " + cert.NotAfter.UTC().Format(time.DateOnly) + ", not now"
		}
		return p
	case errors.As(err, &unknown):
		return newProblem(fact.SourceRefused, op, "certificate is not signed by a trusted CA").withHint(trust)
	case errors.As(err, &host):
		return newProblem(fact.SourceRefused, op, "the service's certificate is for another host name").withHint("use the name in the certificate, or renew it")
	case errors.As(err, &verify), errors.As(err, &invalid):
		return newProblem(fact.SourceRefused, op, "the service's certificate is not valid").withHint(trust)
	case strings.Contains(err.Error(), "protocol version"):
		return newProblem(fact.SourceRefused, op, "the service offers TLS 1.0 or 1.1 at most, expected 1.2 or later").
			withHint("update the firmware of the BMC; until then export the settings with the vendor's tool and give them with --bios FILE")
	case errors.As(err, &record):
		return newProblem(fact.SourceMalformed, op, "not a TLS server")
	default:
		return nil
	}
}

func (c *client) hideSecrets(text string) string {
	secrets := c.secrets
	for _, oneLine := range append(secrets[:len(secrets):len(secrets)], c.token, base64.StdEncoding.EncodeToString([]byte(c.o.Username+":"+c.o.Password))) {
		if oneLine != "" {
			text = strings.ReplaceAll(text, oneLine, "***")
		}
	}
	return printableText(text)
}

func refusalProblem(op string, r *httpReply) *Problem {
	switch {
	case r.status >= 200 && r.status < 300:
		return nil
	case r.status == http.StatusUnauthorized:
		return newProblem(fact.SourceDenied, op, "the service does not accept user name and password (401)").withHint("check the credentials' file")
	case r.status == http.StatusForbidden:
		return newProblem(fact.SourceDenied, op, "this user may not read it (403)").withHint("give the user the right to log in and to read")
	case r.status == http.StatusNotFound, r.status == http.StatusGone:
		return newProblem(fact.SourceAbsent, op, "the service has no such resource (%d)", r.status)
	case r.status >= 300 && r.status < 400:
		return newProblem(fact.SourceRefused, op, "redirected without a Location header (%d)", r.status)
	default:
		return newProblem(fact.SourceRefused, op, "the service answers %d %s", r.status, http.StatusText(r.status))
	}
}
