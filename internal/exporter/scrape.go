package exporter

import (
	"bytes"
	"compress/gzip"
	"log/slog"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/memaudit/memaudit/internal/report/metrics"
)

// maxScrapes is how many scrapes are answered at the same time.
const maxScrapes = 40

// scrape answers with the metrics of the last audit and of the process. Before the first audit, and
// when maxScrapes are being answered, it answers 503: a page without the audit's metrics would
// resolve alerts that still hold.
func (p *currentPage) scrape(began time.Time, log *slog.Logger) http.Handler {
	busy := make(chan struct{}, maxScrapes)
	return p.audited(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		select {
		case busy <- struct{}{}:
			defer func() { <-busy }()
		default:
			http.Error(w, "already answering "+strconv.Itoa(maxScrapes)+" scrapes", http.StatusServiceUnavailable)
			return
		}
		which := preferred(r, expositions[0].kind, expositions[1].kind)
		format := &expositions[which]
		own := append(metrics.Append(nil, process(began), format.as), format.end...)
		h := w.Header()
		h.Set("Content-Type", format.kind)
		h.Add("Vary", "Accept")
		h.Add("Vary", "Accept-Encoding")
		if err := answer(w, takesGzip(r), p.current.Load().metrics[which](), own); err != nil {
			scrapeFailed(log, err)
		}
	}))
}

// packers keeps gzip writers between scrapes, because each uses more memory than a page.
var packers = sync.Pool{New: func() any {
	w, _ := gzip.NewWriterLevel(nil, gzip.BestSpeed) // no error: the level is valid
	return w
}}

// answer sends the parts of a page, compressed if packed is set. It compresses quickly and not
// well.
func answer(w http.ResponseWriter, packed bool, parts ...[]byte) error {
	body := bytes.Join(parts, nil)
	if packed {
		w.Header().Set("Content-Encoding", "gzip")
		var out bytes.Buffer
		packer := packers.Get().(*gzip.Writer)
		packer.Reset(&out)
		_, _ = packer.Write(body) // to memory, which cannot fail
		_ = packer.Close()
		packers.Put(packer)
		body = out.Bytes()
	}
	w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	_, err := w.Write(body)
	return err
}

// takesGzip tells whether a client accepts gzip (RFC 9110, 12.5.3).
func takesGzip(r *http.Request) bool {
	for entry := range strings.SplitSeq(strings.Join(r.Header.Values("Accept-Encoding"), ","), ",") {
		parts := strings.Split(entry, ";")
		if strings.EqualFold(strings.TrimSpace(parts[0]), "gzip") {
			return weightOf(parts[1:]) > 0
		}
	}
	return false
}
