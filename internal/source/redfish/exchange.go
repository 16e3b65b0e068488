//go:build !js

package redfish

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/memaudit/memaudit/internal/model/fact"
)

// do sends a request, and repeats it while the service answers that it is busy (503).
func (c *client) do(ctx context.Context, method, link string, body []byte, limit int64) (*httpReply, *Problem) {
	u, p := c.resolve(link)
	if p != nil {
		return nil, p
	}
	op := method + " " + printablePath(u.Path)
	for try := 0; ; try++ {
		r, p := c.once(ctx, method, u, body, limit, op)
		if p != nil || r.status != http.StatusServiceUnavailable {
			return r, p
		}
		if p := c.backoff(ctx, op, r.header, try); p != nil {
			return nil, p
		}
	}
}

// backoff waits before a request is repeated, as long as the service requires. It returns a problem if the
// request was repeated maxRetries times, or if the deadline is earlier.
func (c *client) backoff(ctx context.Context, op string, h http.Header, try int) *Problem {
	wait := retryAfter(h.Get("Retry-After"), time.Second<<try)
	busy := problem(fact.SourceRefused, op, "the service is busy (503)").final()
	end, bounded := ctx.Deadline()
	switch {
	case try >= maxRetries:
		busy.Text += ", also when asked " + strconv.Itoa(maxRetries) + " times more"
		return busy
	case bounded && time.Until(end) <= wait:
		busy.Text += " and asks to wait " + wait.String() + ", longer than the deadline leaves"
		return busy
	}
	if c.sleep(ctx, wait) != nil {
		return c.ended(ctx, op)
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

// once sends one request with its own time limit and reads the answer. The end of the session has no
// share in the limits of the reading.
func (c *client) once(ctx context.Context, method string, u *url.URL, body []byte, limit int64, op string) (*httpReply, *Problem) {
	if c.asked++; method != http.MethodDelete && (c.asked > maxRequests || c.spent >= maxTotal) {
		return nil, problem(fact.SourceRefused, op, "more than %d requests or %d bytes for one machine", maxRequests, maxTotal).final()
	}
	c.timeLimit = min(requestTimeout, c.o.timeout())
	switch {
	case limit == maxRegistry:
		c.timeLimit = min(registryTimeout, c.o.timeout())
	case method == http.MethodDelete:
		c.timeLimit = logoutTimeout // even after the time limit of the reading: BMCs have few sessions
	}
	one, cancel := context.WithTimeout(ctx, c.timeLimit)
	defer cancel()
	req, err := http.NewRequestWithContext(one, method, u.String(), bytes.NewReader(body))
	if err != nil {
		return nil, problem(fact.SourceMalformed, op, "a link of the service is not an address")
	}
	c.setHeaders(req, body)
	resp, err := c.http.Do(req)
	if err != nil {
		return nil, c.failed(ctx, op, err)
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

// setHeaders sets the headers that DSP0266 requires.
func (c *client) setHeaders(req *http.Request, body []byte) {
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
}

// readBody reads the body of an answer. It reads at most one byte more than the limit.
func (c *client) readBody(ctx context.Context, op string, resp *http.Response, limit int64) ([]byte, *Problem) {
	limit = min(limit, maxTotal-c.spent)
	if resp.ContentLength > limit {
		return nil, problem(fact.SourceRefused, op, "the answer has %d bytes, more than the %d that are read", resp.ContentLength, limit)
	}
	data, err := io.ReadAll(io.LimitReader(resp.Body, limit+1))
	c.spent += int64(len(data))
	switch {
	case int64(len(data)) > limit:
		return nil, problem(fact.SourceRefused, op, "the answer is longer than the %d bytes that are read", limit)
	case errors.Is(err, io.ErrUnexpectedEOF):
		return nil, problem(fact.SourceTruncated, op, "the answer ends after %d bytes, before it is whole", len(data))
	case err != nil:
		return nil, c.failed(ctx, op, err)
	default:
		return data, nil
	}
}
