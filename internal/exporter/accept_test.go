package exporter

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/assert"
)

// What real clients send, and the examples of RFC 9110, 12.5.1.
func TestNegotiate(t *testing.T) {
	p := &currentPage{}
	says := func(s string) func() ([]byte, error) { return func() ([]byte, error) { return []byte(s), nil } }
	p.current.Store(&auditPage{html: says("html"), text: says("text"), json: says("json")})
	h := p.negotiate(asHTML, asText, asJSON)
	for accept, want := range map[string]string{
		"": "html", "*/*": "html", "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8": "html",
		"application/json": "json", "application/json, text/plain, */*": "text", "text/plain": "text", "text/*": "html",
		"text/html;q=0.1, text/plain;q=0.5": "text", "text/html;q=0, */*": "text", "image/*, */*;q=0": "html", "image/png": "html", "text/plain;q=2": "html",
		"text/*;q=0.3, text/html;q=0.7, text/html;level=1, text/html;level=2;q=0.4, */*;q=0.5": "html", "TEXT/PLAIN": "text",
		"text/html;q=0.9, text/plain;q=1": "text", "text/html;q=0.9, text/plain;q=1.0001": "html",
	} {
		w, r := httptest.NewRecorder(), httptest.NewRequest(http.MethodGet, "/report", nil)
		if accept != "" {
			r.Header.Set("Accept", accept)
		}
		h.ServeHTTP(w, r)
		assert.Equal(t, want, w.Body.String(), accept)
		assert.Equal(t, "Accept", w.Header().Get("Vary"))
	}
}
