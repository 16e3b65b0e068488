package exporter

import "net/http"

// audited answers 503 until the first audit is done, and then lets next answer.
func (p *currentPage) audited(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if p.current.Load() == nil {
			notYet(w)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// notYet answers 503, to be asked again after a second.
func notYet(w http.ResponseWriter) {
	w.Header().Set("Retry-After", "1")
	http.Error(w, "no audit has been done yet", http.StatusServiceUnavailable)
}
