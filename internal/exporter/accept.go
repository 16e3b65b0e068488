package exporter

import (
	"net/http"
	"strconv"
	"strings"
)

// servedForm is one form in which the last audit is served: its media type and the function of
// auditPage that returns it.
type servedForm struct {
	kind string
	of   func(*auditPage) func() ([]byte, error)
}

// The forms in which reports are served.
var (
	asHTML = servedForm{"text/html; charset=utf-8", func(c *auditPage) func() ([]byte, error) { return c.html }}
	asText = servedForm{"text/plain; charset=utf-8", func(c *auditPage) func() ([]byte, error) { return c.text }}
	asJSON = servedForm{"application/json", func(c *auditPage) func() ([]byte, error) { return c.json }}
)

// preferred returns the index of the media type that a client prefers (RFC 9110, 12.5.1). Of types
// with the same weight it is the one that the client names more specifically, then the first. It is
// 0 for a client that accepts none of them.
func preferred(r *http.Request, kinds ...string) int {
	accept := strings.Join(r.Header.Values("Accept"), ",")
	best, most, named := 0, 0.0, 0
	for i, kind := range kinds {
		if q, exact := quality(accept, kind); q > most || q > 0 && q == most && exact > named {
			best, most, named = i, q, exact
		}
	}
	return best
}

// quality returns the weight, from 0 to 1, that an Accept header gives a media type: that of the
// most specific range that matches. exact says how specific the range is: 3 for the type itself, 2
// for "type/*", 1 for "*/*", 0 if none matches.
func quality(accept, kind string) (weight float64, exact int) {
	kind, _, _ = strings.Cut(kind, ";")
	group, _, _ := strings.Cut(kind, "/")
	for entry := range strings.SplitSeq(accept, ",") {
		parts := strings.Split(entry, ";")
		fits := 0
		switch strings.ToLower(strings.TrimSpace(parts[0])) {
		case kind:
			fits = 3
		case group + "/*":
			fits = 2
		case "*/*":
			fits = 1
		}
		if fits > exact {
			weight, exact = weightOf(parts[1:]), fits
		}
	}
	return weight, exact
}

// weightOf reads the parameter q: 1 if it is absent, 0 if it is not a number or above 1.
func weightOf(parameters []string) float64 {
	for _, p := range parameters {
		name, value, _ := strings.Cut(strings.TrimSpace(p), "=")
		if !strings.EqualFold(name, "q") {
			continue
		}
		q, err := strconv.ParseFloat(value, 64)
		if err != nil || !(q <= 1) { // NaN is a number to ParseFloat
			return 0
		}
		return max(q, 0)
	}
	return 1
}
