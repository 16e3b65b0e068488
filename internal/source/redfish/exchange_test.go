package redfish

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"memaudit.example/memaudit/internal/model/fact"
)

// TestRetryAfter checks the delay that a busy service asks for, in seconds or as a date.
func TestRetryAfter(t *testing.T) {
	const other = 3 * time.Second
	for text, want := range map[string]time.Duration{
		"7": 7 * time.Second, " 7 ": 7 * time.Second, "0": 100 * time.Millisecond, "1048576": 1048576 * time.Second,
		"99999999": 1048576 * time.Second, "-1": other, "soon": other, "": other,
		"Wed, 21 Oct 2015 07:28:00 GMT": 100 * time.Millisecond,
	} {
		assert.Equal(t, want, retryAfter(text, other), "%q", text)
	}
	at := time.Now().Add(time.Hour).UTC().Format(http.TimeFormat)
	assert.InDelta(t, time.Hour.Seconds(), retryAfter(at, other).Seconds(), 60)
}

// TestOwn checks that scheme, host and port must all match the service's.
func TestOwn(t *testing.T) {
	c := &client{o: Options{Base: &url.URL{Scheme: "https", Host: "bmc.example"}}}
	for link, want := range map[string]bool{
		"https://bmc.example/x": true, "https://BMC.example:443/x": true, "/x": true, "x": true,
		"http://bmc.example/x": false, "http://bmc.example:443/x": false, "https://evil.example/x": false, "https://evil.example:443/x": false,
		"https://bmc.example:8443/x": false, "https://bmc.example.evil.example/x": false, "//evil.example/x": false, "https://u:p@bmc.example/x": false,
		"https://[::1": false, "/%zz": false,
	} {
		_, p := c.resolveLink(link)
		assert.Equal(t, want, p == nil, link)
	}
}

// TestRedirects checks that redirects are followed up to the limit.
func TestRedirects(t *testing.T) {
	for n, follows := range map[int]bool{maxRedirects: true, maxRedirects + 1: false} {
		b := newBMC(t)
		left := n
		b.front = func(w http.ResponseWriter, r *http.Request) bool {
			if left == 0 || r.URL.Path != biosPath {
				return false
			}
			left--
			http.Redirect(w, r, biosPath, http.StatusTemporaryRedirect)
			return true
		}
		assert.Equal(t, follows, b.ask(t, nil).Err() == nil, n)
	}
}

// TestLimitsOfAllAnswers checks the limits of requests and bytes per machine, and that the session is closed all the
// same.
func TestLimitsOfAllAnswers(t *testing.T) {
	for name, c := range map[string]struct {
		asked int
		spent int64
		reads bool
	}{
		"the last request":          {asked: maxRequests - 1, reads: true},
		"one request more":          {asked: maxRequests},
		"the last byte":             {spent: maxTotal - 2, reads: true},
		"a byte more":               {spent: maxTotal - 1},
		"nothing after all bytes":   {spent: maxTotal},
		"nothing after all of them": {spent: maxTotal + 1},
	} {
		t.Run(name, func(t *testing.T) {
			c2 := newClient(Options{Base: &url.URL{Scheme: "https", Host: "bmc.example"}})
			c2.http.Transport = sameAnswer("{}")
			c2.asked, c2.spent, c2.token, c2.session = c.asked, c.spent, token, "/redfish/v1/Sessions/1"
			r, p := c2.sendRequest(t.Context(), http.MethodGet, "/x", nil, maxAnswer)
			assert.Equal(t, c.reads, p == nil)
			if c.reads {
				assert.Equal(t, "{}", string(r.body))
			} else {
				assert.Equal(t, fact.SourceRefused, p.State)
				assert.Equal(t, c.asked >= maxRequests || c.spent >= maxTotal, strings.Contains(p.Text, "for one machine"), p.Text)
				assert.NotContains(t, p.Text, "-1")
			}
			assert.Empty(t, c2.closeSession(t.Context()))
			assert.Empty(t, c2.token)
		})
	}
}

// TestHeaders checks that the headers required by the protocol are sent, and a content type only with a body.
func TestHeaders(t *testing.T) {
	b := newBMC(t)
	types := map[string]string{}
	b.front = func(_ http.ResponseWriter, r *http.Request) bool {
		types[r.Method] = r.Header.Get("Content-Type")
		assert.Equal(t, "4.0", r.Header.Get("OData-Version"))
		assert.Equal(t, "application/json", r.Header.Get("Accept"))
		return false
	}
	require.NoError(t, b.ask(t, nil).Err())
	assert.Equal(t, map[string]string{"GET": "", "POST": "application/json", "DELETE": ""}, types)
}

// TestSessionEnd checks that a session that cannot be closed is reported with the reason; an expired one need not be
// closed.
func TestSessionEnd(t *testing.T) {
	for status, says := range map[int]bool{200: false, 202: false, 204: false, 404: false, 401: true, 403: true, 500: true} {
		b := newBMC(t)
		b.front = func(w http.ResponseWriter, r *http.Request) bool {
			if r.Method != http.MethodDelete {
				return false
			}
			b.open--
			w.WriteHeader(status)
			return true
		}
		a := b.ask(t, nil)
		require.NoError(t, a.Err())
		assert.Equal(t, says, strings.Contains(a.Detail(), "the session could not be closed and stays open"), status)
	}
	b := newBMC(t)
	b.front = func(_ http.ResponseWriter, r *http.Request) bool {
		if r.Method == http.MethodDelete {
			b.open--
			panic(http.ErrAbortHandler)
		}
		return false
	}
	assert.Contains(t, b.ask(t, nil).Detail(), "the session could not be closed and stays open")
}

// TestLogin checks that a session is used if the service offers one, otherwise Basic, and that a refused login is not
// tried again in another way.
func TestLogin(t *testing.T) {
	for name, c := range map[string]struct {
		status int
		token  string
		basic  bool
		fails  bool
	}{
		"created": {201, token, false, false}, "ok": {200, token, false, false}, "299": {299, token, false, false},
		"created without a token": {201, "", true, false}, "ok without a token": {200, "", true, false},
		"404": {404, "", true, false}, "405": {405, "", true, false}, "501": {501, "", true, false},
		"404 with a token": {404, token, true, false},
		"300":              {300, token, false, true}, "400": {400, "", false, true}, "401": {401, token, false, true}, "500": {500, "", false, true},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBMC(t)
			c2 := newClient(b.options(t))
			b.front = func(w http.ResponseWriter, r *http.Request) bool {
				w.Header().Set("X-Auth-Token", c.token)
				w.Header().Set("Location", "/redfish/v1/SessionService/Sessions/77")
				w.WriteHeader(c.status)
				return true
			}
			root := &serviceRoot{}
			root.Links.Sessions.ID = "/redfish/v1/SessionService/Sessions"
			p := c2.openSession(t.Context(), root)
			c2.close()
			assert.Equal(t, c.fails, p != nil)
			assert.Equal(t, c.basic, c2.basic)
			if !c.fails {
				assert.Equal(t, !c.basic, c2.session != "")
				assert.Equal(t, c.basic, c2.token == "")
			}
		})
	}
}

// TestSessionServiceOnly checks that a root that links only to the session service leads to its sessions.
func TestSessionServiceOnly(t *testing.T) {
	for _, service := range []string{"/redfish/v1/SessionService", "/redfish/v1/SessionService/"} {
		b := newBMC(t)
		b.tree[rootPath] = `{"Systems":{"@odata.id":"/redfish/v1/Systems"},"SessionService":{"@odata.id":"` + service + `"}}`
		a := b.ask(t, nil)
		require.NoError(t, a.Err())
		assert.Equal(t, 1, b.asked("POST /redfish/v1/SessionService/Sessions"))
		assert.Equal(t, 1, b.asked("DELETE /redfish/v1/SessionService/Sessions/77"))
	}
}

// TestBasicAtTheRoot checks that user name and password are sent with the root only if it requires them.
func TestBasicAtTheRoot(t *testing.T) {
	for demand, basic := range map[string]bool{`Basic realm="iDRAC"`: true, "basic": true, "Digest realm=x": false, "Bas": false, "": false} {
		b := newBMC(t)
		b.sessions = false
		b.front = func(w http.ResponseWriter, r *http.Request) bool {
			if r.URL.Path != rootPath || b.known(r) {
				return false
			}
			w.Header().Set("WWW-Authenticate", demand)
			w.WriteHeader(http.StatusUnauthorized)
			return true
		}
		a := b.ask(t, nil)
		assert.Equal(t, basic, a.Err() == nil, demand)
		if !basic {
			assert.Equal(t, fact.SourceDenied, a.State(), demand)
			assert.Equal(t, 1, b.asked("GET"), demand)
		}
	}
	b := newBMC(t)
	b.front = func(w http.ResponseWriter, r *http.Request) bool {
		w.Header().Set("WWW-Authenticate", "Basic")
		if r.URL.Path == rootPath {
			w.WriteHeader(http.StatusForbidden)
		}
		return r.URL.Path == rootPath
	}
	assert.Equal(t, fact.SourceDenied, b.ask(t, nil).State())
	assert.Equal(t, 1, b.asked("GET"), "what is forbidden is not asked for with the password")
}

// TestCertificates checks the messages for each fault of a certificate.
func TestCertificates(t *testing.T) {
	for says, err := range map[string]error{
		"is not valid now": x509.CertificateInvalidError{Reason: x509.Expired},
		"the service's certificate is valid from 2020-01-01 to 2021-01-01, not now": x509.CertificateInvalidError{Reason: x509.Expired, Cert: &x509.Certificate{
			NotBefore: time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC), NotAfter: time.Date(2021, 1, 1, 0, 0, 0, 0, time.UTC)}},
		"the service's certificate is not valid": x509.CertificateInvalidError{Reason: x509.NotAuthorizedToSign},
		"not signed by a trusted CA":             x509.UnknownAuthorityError{},
		"is for another host name":               x509.HostnameError{Certificate: &x509.Certificate{}, Host: "bmc"},
		"not a TLS server":                       tls.RecordHeaderError{Msg: "first record does not look like a TLS handshake"},
		"TLS 1.0 or 1.1 at most":                 errors.New("remote error: tls: protocol version not supported"),
	} {
		p := certificate("GET /x", fmt.Errorf("wrapped: %w", err))
		require.NotNil(t, p, says)
		assert.True(t, strings.HasSuffix(p.Text, says) || strings.Contains(p.Text, says), "%s: %s", says, p.Text)
	}
	assert.Nil(t, certificate("GET /x", errors.New("unexpected EOF")))
	assert.Equal(t, "the service's certificate is not valid", certificate("GET /x", x509.CertificateInvalidError{Reason: x509.NotAuthorizedToSign}).Text)
}

// TestSecretsOfErrors checks that an error of the network is reported without its URL, and that no text contains a
// secret.
func TestSecretsOfErrors(t *testing.T) {
	c := newClient(Options{Base: &url.URL{Scheme: "https", Host: "bmc.example"}, Username: user, Password: password})
	c.token, c.secrets = token, append(c.secrets, "FCH123456")
	p := c.requestProblem(t.Context(), "GET /x", &url.Error{Op: "Get", URL: "https://bmc.example/redfish/v1/Systems/FCH123456", Err: errors.New(`bad header "X": "` + token + `"`)})
	assert.Equal(t, `GET /x: bad header "X": "***"`, p.Error())
	assert.True(t, p.last)
	assert.Equal(t, "*** *** *** ***", c.hideSecrets(password+" "+token+" FCH123456 YXVkaXRvcjpzM2NyM3QtcGFzcy1XMFJE"))
	c.token, c.o.Password = "", ""
	assert.Equal(t, "left as it is", (&client{secrets: []string{""}}).hideSecrets("left as it is"), "no secret is in every text")
	assert.Equal(t, []string{password, "FCH123456"}, c.secrets)
}

// TestSlowAnswers checks that a body that does not end, one that takes long to decode, and one of more elements than any
// collection has cost themselves alone, and that the problem names the resource.
func TestSlowAnswers(t *testing.T) {
	const registry = "/redfish/v1/Registries"
	for name, c := range map[string]struct {
		path, body, says string
		dimms            int
	}{
		"settings that do not end": {biosPath, `{"Attributes":{"NumaNodes":"4"`,
			"GET /redfish/v1/Systems/ID/Bios: the answer is not complete after 400ms (30 bytes)", 2},
		"a registry that does not end": {registry, "{", "GET " + registry + ": the answer is not complete after 400ms (1 bytes)", 2},
		"600,000 members": {registry, `{"Members":[` + strings.Repeat("{},", 600_000) + "{}]}",
			"GET " + registry + ": the answer lists more than 512 members", 2},
		"600,000 modules": {"/redfish/v1/Systems/FCH123456/Memory", `{"Members":[` + strings.Repeat("{},", 600_000) + "{}]}",
			"GET /redfish/v1/Systems/ID/Memory: the answer lists more than 512 members", 0},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBMC(t)
			b.front = func(w http.ResponseWriter, r *http.Request) bool {
				if r.URL.Path != c.path {
					return false
				}
				_, _ = w.Write([]byte(c.body))
				_ = http.NewResponseController(w).Flush()
				if !strings.HasSuffix(c.body, "}") {
					<-r.Context().Done()
					panic(http.ErrAbortHandler) // not ended either when the client is gone
				}
				return true
			}
			c2 := newClient(b.options(t))
			defer c2.close()
			c2.requestLimit = 400 * time.Millisecond
			a := c2.readService(t.Context(), Identity{})
			require.Len(t, a.Problems, 1)
			assert.Equal(t, c.says, a.Err().Error())
			assert.Equal(t, fact.SourcePartial, a.State())
			assert.Len(t, a.DIMMs, c.dimms)
		})
	}
	t.Run("decoding", func(t *testing.T) {
		b := newBMC(t)
		b.sessions = false
		c := newClient(b.options(t))
		defer c.close()
		c.basic, c.decodeLimit = true, 20*time.Millisecond
		var stuck endless
		_, p := c.getResource(t.Context(), biosPath, maxAnswer, &stuck)
		require.NotNil(t, p)
		assert.Equal(t, "GET /redfish/v1/Systems/ID/Bios: the answer takes too long to decode (more than 20ms)", p.Error())
		assert.False(t, p.last, "the next answer may be read")
	})
}

// endless is a property whose decoding does not end while the test runs.
type endless struct{}

func (*endless) UnmarshalJSON([]byte) error { select {} }
