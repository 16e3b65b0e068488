//go:build !js

package redfish

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/base64"
	"errors"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"syscall"
	"time"

	"github.com/memaudit/memaudit/internal/model/fact"
)

// failed explains why a request got no answer.
func (c *client) failed(ctx context.Context, op string, err error) *Problem {
	var redirected *errRedirect
	var dns *net.DNSError
	var timeout net.Error
	switch {
	case ctx.Err() != nil:
		return c.ended(ctx, op)
	case errors.As(err, &redirected):
		return problem(fact.SourceRefused, op, "%s", c.scrub(redirected.text))
	case errors.As(err, &dns) && dns.IsNotFound:
		return problem(fact.SourceAbsent, op, "the host's name is not known here").final()
	case errors.Is(err, syscall.ECONNREFUSED):
		return problem(fact.SourceAbsent, op, "connection refused: nothing listens there").final()
	case errors.As(err, &timeout) && timeout.Timeout(), errors.Is(err, context.DeadlineExceeded):
		return problem(fact.SourceRefused, op, "no whole answer within %s", c.timeLimit).final()
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, syscall.ECONNRESET):
		return problem(fact.SourceTruncated, op, "the service closed the connection without an answer").final()
	}
	if p := certificate(op, err); p != nil {
		return p.final()
	}
	var sent *url.Error
	if errors.As(err, &sent) {
		err = sent.Err // without the URL, which op names already
	}
	return problem(fact.SourceRefused, op, "%s", c.scrub(err.Error())).final()
}

// ended explains that the context ended: its time was over, or the operator interrupted.
func (c *client) ended(ctx context.Context, op string) *Problem {
	if errors.Is(ctx.Err(), context.Canceled) {
		return problem(fact.SourceRefused, op, "interrupted").final()
	}
	return problem(fact.SourceRefused, op, "not done within the %s that all of it may take", c.o.timeout()).final()
}

// certificate explains a TLS error; it returns nil for any other error.
func certificate(op string, err error) *Problem {
	const trust = "give its authority's certificate as redfish.ca in the configuration"
	var unknown x509.UnknownAuthorityError
	var invalid x509.CertificateInvalidError
	var host x509.HostnameError
	var record tls.RecordHeaderError
	var verify *tls.CertificateVerificationError
	switch {
	case errors.As(err, &invalid) && invalid.Reason == x509.Expired:
		p := problem(fact.SourceRefused, op, "the service's certificate is not valid now").hint("renew the certificate of the BMC, and check both clocks")
		if invalid.Cert != nil {
			p.Text = "the service's certificate is valid from " + dayOf(invalid.Cert.NotBefore) + " to " + dayOf(invalid.Cert.NotAfter) + ", not now"
		}
		return p
	case errors.As(err, &unknown):
		return problem(fact.SourceRefused, op, "no authority known here vouches for the service's certificate").hint(trust)
	case errors.As(err, &host):
		return problem(fact.SourceRefused, op, "the service's certificate is for another host name").hint("use the name in the certificate, or renew it")
	case errors.As(err, &verify), errors.As(err, &invalid):
		return problem(fact.SourceRefused, op, "the service's certificate is not valid").hint(trust)
	case strings.Contains(err.Error(), "protocol version"):
		return problem(fact.SourceRefused, op, "the service offers TLS 1.0 or 1.1 at most, expected 1.2 or later").
			hint("update the firmware of the BMC; until then export the settings with the vendor's tool and give them with --bios FILE")
	case errors.As(err, &record):
		return problem(fact.SourceMalformed, op, "not a TLS server")
	default:
		return nil
	}
}

func dayOf(t time.Time) string { return t.UTC().Format(time.DateOnly) }

// scrub replaces secrets and identifiers in a text from outside, and makes it printable.
func (c *client) scrub(text string) string {
	secrets := c.secrets
	for _, oneLine := range append(secrets[:len(secrets):len(secrets)], c.token, base64.StdEncoding.EncodeToString([]byte(c.o.Username+":"+c.o.Password))) {
		if oneLine != "" {
			text = strings.ReplaceAll(text, oneLine, "***")
		}
	}
	return printable(text)
}

// refusal explains an answer with an error status; it returns nil for success.
func refusal(op string, r *httpReply) *Problem {
	switch {
	case r.status >= 200 && r.status < 300:
		return nil
	case r.status == http.StatusUnauthorized:
		return problem(fact.SourceDenied, op, "the service does not accept user name and password (401)").hint("check the credentials' file")
	case r.status == http.StatusForbidden:
		return problem(fact.SourceDenied, op, "this user may not read it (403)").hint("give the user the right to log in and to read")
	case r.status == http.StatusNotFound, r.status == http.StatusGone:
		return problem(fact.SourceAbsent, op, "the service has no such resource (%d)", r.status)
	case r.status >= 300 && r.status < 400:
		return problem(fact.SourceRefused, op, "redirected without an address (%d)", r.status)
	default:
		return problem(fact.SourceRefused, op, "the service answers %d %s", r.status, http.StatusText(r.status))
	}
}
