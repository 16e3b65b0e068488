package redfish

import (
	"context"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"
)

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
	return answerOf(r, string(body)), nil
}

func answerOf(r *http.Request, body string) *http.Response {
	return &http.Response{StatusCode: http.StatusOK, Header: http.Header{}, Body: io.NopCloser(strings.NewReader(body)),
		ContentLength: -1, Request: r}
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
		a := c.read(context.Background(), Identity{})
		if len(a.DIMMs) > maxModules || c.spent > maxTotal+1 || c.asked > maxRequests+1 {
			t.Fatalf("%d modules, %d bytes, %d requests", len(a.DIMMs), c.spent, c.asked)
		}
		if strings.Contains(a.Detail(), password) {
			t.Fatal(a.Detail())
		}
	})
}
