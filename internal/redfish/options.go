package redfish

import (
	"crypto/x509"
	"fmt"
	"net/url"
	"strings"
	"time"
)

// Bounds of one reading.
const (
	// DefaultTimeout is for all of it; a controller needs a second for some
	// resources, and a machine has up to 64 modules.
	DefaultTimeout = 2 * time.Minute
	// requestTimeout is for one request with its answer, registryTimeout for the
	// attribute registry, which is some megabytes.
	requestTimeout  = 15 * time.Second
	registryTimeout = 30 * time.Second
	// logoutTimeout is for giving the session back, whatever happened before.
	logoutTimeout = 5 * time.Second
	// maxAnswer bounds one resource, maxRegistry the attribute registry: the
	// largest seen have 1 and 5 MiB.
	maxAnswer   = 2 << 20
	maxRegistry = 8 << 20
	// maxHeader bounds the header of an answer.
	maxHeader = 64 << 10
	// maxTotal bounds all answers together, maxRequests their number.
	maxTotal    = 32 << 20
	maxRequests = 1000
	// maxMembers bounds a collection, maxPages the pages it comes in.
	maxMembers = 512
	maxPages   = 32
	// maxRetries is how often a busy service is asked again.
	maxRetries = 3
	// maxRedirects within the service.
	maxRedirects = 3
)

// Options name the service and how to reach it.
type Options struct {
	// Base is the service's origin, as ParseURL gives it.
	Base               *url.URL
	Username, Password string
	// Roots are the authorities that vouch for the service; nil: the system's.
	Roots *x509.CertPool
	// System names one of the service's systems, by the last step of its path,
	// its Id or its Name; "" where the machine tells by itself.
	System string
	// Insecure leaves the certificate unverified.
	Insecure bool
	// Timeout bounds the whole reading; 0 is DefaultTimeout.
	Timeout time.Duration
	// KnownRegistry gives an attribute registry that was read before by its name,
	// nil for one that must be read; nil when none was.
	KnownRegistry func(name string) []byte
}

// ParseURL checks an address as https://bmc.example and gives its origin.
func ParseURL(text string) (*url.URL, error) {
	u, err := url.Parse(text)
	// The text may hold a password: it is never printed.
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

// Identity is what is known of the audited machine, to find it among the
// systems that a service manages, and to notice the controller of another
// machine.
type Identity struct {
	// Products are the names of product and board.
	Products []string
	// Serial is the system's number, Parts are those of board and chassis.
	Serial string
	Parts  []string
	// UUID is SMBIOS's.
	UUID string
}
