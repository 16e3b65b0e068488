package exporter

import (
	"net/http"
	"strings"

	"github.com/memaudit/memaudit/internal/report/markup"
)

// landingLink is one link of the first page.
type landingLink struct{ address, text, description string }

// landing serves the first page, with links to the others. It does not use exporter-toolkit's page,
// whose template would keep every exported method in the binary and make it a fifth larger.
func landing(w *WebOptions) http.Handler {
	links := []landingLink{{strings.TrimPrefix(w.MetricsPath, "/"), "Metrics", "for Prometheus"}}
	if !w.NoReport {
		links = append(links, landingLink{"report", "Report", "the last audit for a person"}, landingLink{"report.txt", "Report (text)", "the last audit for a terminal"},
			landingLink{"report.json", "Report (JSON)", "the last audit for a program"})
	}
	links = append(links, landingLink{"-/healthy", "Health", ""}, landingLink{"-/ready", "Readiness", ""})
	page := landingPage(links)
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = w.Write(page) // a client that went away is no matter
	})
}

func landingPage(links []landingLink) []byte {
	var w markup.Writer
	w.Own("<!DOCTYPE html>\n")
	w.Open("html", markup.Attr{Name: "lang", Value: "en"})
	w.Open("head")
	w.Void("meta", markup.Attr{Name: "charset", Value: "utf-8"})
	w.Void("meta", markup.Attr{Name: "name", Value: "viewport"}, markup.Attr{Name: "content", Value: "width=device-width, initial-scale=1"})
	w.Element("title", "memaudit")
	w.Close()
	w.Line()
	w.Open("body")
	w.Element("h1", "memaudit")
	w.Element("p", "Audit of memory population and BIOS settings.")
	w.Open("ul")
	for _, l := range links {
		w.Line()
		w.Open("li")
		w.Element("a", l.text, markup.Attr{Name: "href", Value: l.address})
		if l.description != "" {
			w.Text(": " + l.description)
		}
		w.Close()
	}
	for w.Depth() > 0 {
		w.Close()
	}
	w.Line()
	return w.Bytes()
}
