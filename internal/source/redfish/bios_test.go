package redfish

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"io"
	"math/big"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const biosPath = "/redfish/v1/Systems/FCH123456/Bios"

// TestNoAttributes checks that a Bios resource without attributes has no settings and is not a failure, and that one
// with an empty object, as before the host's first start, is kept as it is.
func TestNoAttributes(t *testing.T) {
	for body, kept := range map[string]bool{
		`{"Id":"Bios"}`:                        false,
		`{"Id":"Bios","Attributes":null}`:      false,
		`{"Id":"Bios","Attributes":{}}`:        true,
		`{"Id":"Bios","Attributes":{"A":1}}`:   true,
		`{"@odata.type":"#HpBios.1.0.HpBios"}`: true,
	} {
		b := newBMC(t)
		b.tree[biosPath] = body
		a := b.ask(t, nil)
		require.NoError(t, a.Err(), body)
		assert.Equal(t, kept, a.BIOS != nil, body)
		note := "the service's BIOS resource holds no attributes"
		assert.Equal(t, !kept, assert.ObjectsAreEqual([]string{note}, a.Notes), "%s: %v", body, a.Notes)
	}
}

// TestRegistryInPlace checks that a registry is accepted in place of its file resource if it has attributes.
func TestRegistryInPlace(t *testing.T) {
	const at = "/redfish/v1/Registries/biosattributeregistry.v1_0_0/"
	for entries, linked := range map[string]bool{`{"Attributes":[{"AttributeName":"A"}]}`: false, `null,"Attributes":[{"AttributeName":"A"}]`: false, `{"Attributes":[]}`: true, `[]`: true, `null`: true} {
		b := newBMC(t)
		b.tree[at] = `{"Registry":"BiosAttributeRegistry.1.0.0","RegistryEntries":` + entries + `,"Location":[{"Language":"en","Uri":"/registries/en"}]}`
		a := b.ask(t, nil)
		require.NoError(t, a.Err())
		want := b.tree[at]
		if linked {
			want = b.tree["/registries/en"]
		}
		assert.Equal(t, want, string(a.BIOS.Registry), entries)
	}
}

// TestDellJobWaits checks that a BIOS job of an iDRAC that has not run yet is found, and that finished jobs, other
// kinds and an unreadable queue are not.
func TestDellJobWaits(t *testing.T) {
	for queue, want := range map[string]bool{
		`{"Members":[{"@odata.id":"/redfish/v1/Managers/iDRAC.Embedded.1/Jobs/JID_1"}]}`:                       false,
		`{"Members":[{"JobType":"BIOSConfiguration","JobState":"Scheduled"}]}`:                                 true,
		`{"Members":[{"JobType":"BIOSConfiguration","JobState":"Completed"}]}`:                                 false,
		`{"Members":[{"JobType":"FirmwareUpdate","JobState":"Scheduled"}]}`:                                    false,
		`{"Members":[{"JobType":"FirmwareUpdate","JobState":"Completed"}],"Members@odata.nextLink":"/jobs/2"}`: true,
		"": false,
	} {
		b := newBMC(t)
		tree := map[string]string{}
		for path, body := range b.tree {
			tree[strings.ReplaceAll(path, "FCH123456", "System.Embedded.1")] = strings.ReplaceAll(body, "FCH123456", "System.Embedded.1")
		}
		if b.tree = tree; queue != "" {
			b.tree[dellJobs] = queue
			b.tree["/jobs/2"] = `{"Members":[{"JobType":"BIOSConfiguration","JobState":"Scheduled"}]}`
		}
		a := b.ask(t, nil)
		require.NoError(t, a.Err())
		require.NotNil(t, a.BIOS)
		assert.Equal(t, want, a.BIOS.JobWaits, queue)
		assert.Equal(t, queue == "" || strings.Contains(queue, "JID_1"), strings.Contains(strings.Join(a.Notes, " "), "the job queue was not read"), queue)
	}
}

// issued is a self-signed certificate for 127.0.0.1 with an elliptic curve key: signing with httptest's RSA key took
// half of the test time.
func issued(from, to time.Time) (tls.Certificate, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return tls.Certificate{}, err
	}
	tmpl := &x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "bmc"}, NotBefore: from, NotAfter: to,
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, IsCA: true, BasicConstraintsValid: true,
		KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign}
	der, err := x509.CreateCertificate(rand.Reader, tmpl, tmpl, &key.PublicKey, key)
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}, err
}

// valid is the certificate of all controllers that have no other.
var valid = sync.OnceValues(func() (tls.Certificate, error) {
	return issued(time.Now().Add(-time.Hour), time.Now().Add(time.Hour))
})

// TestOnlySessionsAreDeleted checks that only members of the sessions collection are deleted, whatever a service
// calls its new session.
func TestOnlySessionsAreDeleted(t *testing.T) {
	for location, deleted := range map[string]bool{
		"/redfish/v1/SessionService/Sessions/77":                                                  true,
		"/redfish/v1/SessionService/Sessions/77/":                                                 true,
		"/redfish/v1/Sessions/77":                                                                 true,
		"https://10.0.0.1:8443/redfish/v1/SessionService/Sessions/admin%40dom":                    true,
		"/redfish/v1/Systems/FCH123456":                                                           false,
		"/redfish/v1/AccountService/Accounts/2":                                                   false,
		"/redfish/v1/SessionService/Sessions":                                                     false,
		"/redfish/v1/SessionService/Sessions/":                                                    false,
		"/redfish/v1/SessionService/Sessions/../../Systems/FCH123456":                             false,
		"/redfish/v1/SessionService/Sessions/..%2f..%2fSystems%2fFCH123456":                       false,
		"/redfish/v1/SessionService/Sessions/%252e%252e":                                          false,
		"/redfish/v1/SessionService/Sessions/77/Actions":                                          false,
		"/redfish/v1/SessionService/Sessions/..":                                                  false,
		"/redfish/v1/EventService/Subscriptions/Sessions":                                         false,
		"/redfish/v1/SessionService/Sessions//77":                                                 false,
		"https://evil.example/redfish/v1/Chassis/1?x=/redfish/v1/SessionService/Sessions/77":      false,
		"https://evil.example/redfish/v1/SessionService/Sessions/77/../../../Managers/1/LogServi": false,
	} {
		b := newBMC(t)
		b.front = func(w http.ResponseWriter, r *http.Request) bool {
			if r.Method == http.MethodPost {
				w.Header()["Location"] = []string{location}
				w.Header().Set("X-Auth-Token", token)
				w.WriteHeader(http.StatusCreated)
			}
			return r.Method == http.MethodPost
		}
		a := Read(t.Context(), b.options(t), Identity{Products: []string{"Server 1"}})
		require.NoError(t, a.Err(), location)
		var sent []string
		for _, r := range b.requests {
			if strings.HasPrefix(r, "DELETE ") {
				sent = append(sent, r)
			}
		}
		assert.Equal(t, deleted, len(sent) == 1, "%s: %v", location, sent)
		assert.Equal(t, deleted, !strings.Contains(a.Detail(), "stays open until it times out"), location)
	}
}

// same answers every request with the same bytes, except for the service root and the collection of systems, so that
// everything they lead to is reached.
type sameAnswer []byte

func (s sameAnswer) RoundTrip(r *http.Request) (*http.Response, error) {
	body := []byte(s)
	switch r.URL.Path {
	case rootPath:
		body = []byte(`{"Systems":{"@odata.id":"/s"},"Registries":{"@odata.id":"/r"}}`)
	case "/s":
		body = []byte(`{"Members":[{"@odata.id":"/x"}]}`)
	}
	return &http.Response{StatusCode: http.StatusOK, Header: http.Header{}, Body: io.NopCloser(bytes.NewReader(body)), ContentLength: -1, Request: r}, nil
}

// FuzzAnswer checks that a read ends within its limits and without a panic, whatever a service sends.
func FuzzAnswer(f *testing.F) {
	for _, body := range machine() {
		f.Add([]byte(body))
	}
	f.Add([]byte(`{"Bios":{"@odata.id":"/x"},"Memory":{"@odata.id":"/x"},"Attributes":{"A":1},"AttributeRegistry":"x",
		"@Redfish.Settings":{"SettingsObject":{"@odata.id":"/x"}},"Members":[{"@odata.id":"/x"}],"Members@odata.nextLink":"/y",
		"Location":[{"Uri":"/x"}],"CapacityMiB":"1e9","Status":"OK"}`))
	f.Fuzz(func(t *testing.T, body []byte) {
		c := newClient(Options{Base: &url.URL{Scheme: "https", Host: "bmc.example"}, Username: user, Password: password, Timeout: time.Second})
		c.http.Transport = sameAnswer(body)
		a := c.readService(context.Background(), Identity{})
		if len(a.DIMMs) > maxModules || c.spent > maxTotal+1 || c.asked > maxRequests+1 {
			t.Fatalf("%d modules, %d bytes, %d requests", len(a.DIMMs), c.spent, c.asked)
		}
		if strings.Contains(a.Detail(), password) {
			t.Fatal(a.Detail())
		}
	})
}
