// Package conntrack stands in for github.com/mwitkow/go-conntrack, which
// prometheus/common's HTTP client asks for its dialer. memaudit links that client
// with exporter-toolkit and never dials through it; the original brings
// golang.org/x/net/trace and with it html/template, whose look-up of methods by
// name keeps every exported method of the program alive: 4 MB. Here nothing is
// counted and nothing traced.
package conntrack

import (
	"context"
	"net"
)

// DialContext is the function that a transport dials with.
type DialContext = func(ctx context.Context, network, address string) (net.Conn, error)

// DialerOpt is one option of a dialer.
type DialerOpt func(*DialContext)

// DialWithDialContextFunc dials with a function of the caller's.
func DialWithDialContextFunc(dial DialContext) DialerOpt {
	return func(d *DialContext) { *d = dial }
}

// DialWithTracing is taken and does nothing.
func DialWithTracing() DialerOpt { return func(*DialContext) {} }

// DialWithName is taken and does nothing: no metrics carry the name.
func DialWithName(string) DialerOpt { return func(*DialContext) {} }

// NewDialContextFunc is a function that dials: the caller's own, or the
// standard library's.
func NewDialContextFunc(options ...DialerOpt) DialContext {
	dial := (&net.Dialer{}).DialContext
	for _, set := range options {
		set(&dial)
	}
	return dial
}
