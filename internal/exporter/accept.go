package exporter

import (
	"net/http"
	"strconv"
	"strings"
)

// servedForm is one way in which the last audit is served.
type servedForm struct {
	kind string
	of   func(*auditPage) func() ([]byte, error)
}

// The forms of a report.
var (
	asHTML = servedForm{"text/html; charset=utf-8", func(c *auditPage) func() ([]byte, error) { return c.html }}
	asText = servedForm{"text/plain; charset=utf-8", func(c *auditPage) func() ([]byte, error) { return c.text }}
	asJSON = servedForm{"application/json", func(c *auditPage) func() ([]byte, error) { return c.json }}
)

// preferred is which of several media types a client likes best (RFC 9110,
// 12.5.1); of equals the one it names, then the first, which is also for those who
// take none of them.
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

// quality is how much a client wants a media type, from 0 to 1: the most
// specific of its ranges that fits decides. exact says how specific that is, 3
// for the type by name and 0 for none.
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

// weightOf reads the parameter q, which is 1 when it is absent and 0 when it
// is not a number.
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
