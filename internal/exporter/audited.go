package exporter

import "net/http"

// audited holds an answer back until there is an audit to speak of.
func (p *currentPage) audited(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if p.current.Load() == nil {
			notYet(w)
			return
		}
		next.ServeHTTP(w, r)
	})
}

func notYet(w http.ResponseWriter) {
	w.Header().Set("Retry-After", "1")
	http.Error(w, "no audit has been done yet", http.StatusServiceUnavailable)
}
