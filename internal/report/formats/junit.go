package formats

import (
	_ "embed"
	"encoding/xml"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"sync"
	"text/template"

	"memaudit.example/memaudit/internal/audit/verdict"
	"memaudit.example/memaudit/internal/model/humanize"
	"memaudit.example/memaudit/internal/report"
	"memaudit.example/memaudit/internal/report/printable"
	"memaudit.example/memaudit/internal/report/wording"
)

//go:embed junit.tmpl
var junitText string

// junitTemplate is parsed when a file is first written. Its function x escapes a text whose control characters and broken
// UTF-8 are replaced.
var junitTemplate = sync.OnceValue(func() *template.Template {
	escape := func(text any) string {
		var b strings.Builder
		_ = xml.EscapeText(&b, []byte(printable.Clean(fmt.Sprint(text)))) // a builder does not fail
		return b.String()
	}
	lines := func(all []string) string {
		return strings.Join(wording.Each(all, func(line string) string { return escape(line) }), "\n")
	}
	return template.Must(template.New("junit").Funcs(template.FuncMap{"x": escape, "lines": lines, "details": details, "notJudged": notJudged}).Parse(junitText))
})

// WriteJUnit prints the findings as JUnit XML: one test case per finding, with the rule as class and the subject as
// name. A failure of any severity is a failure, a broken rule an error. JUnit has no other results: what is unknown,
// not applicable or waived is skipped, and the message begins with memaudit's own word. Only a pass has no element.
// The suite's output has the sentence of the verdict and the numbered problems with their fix.
func WriteJUnit(w io.Writer, r *report.Report) error {
	type property struct{ Term, Value string }
	profile := ""
	if r.Profile != nil {
		profile = r.Profile.ID
	}
	properties := slices.DeleteFunc([]property{
		{"verdict", string(r.Verdict.Status)}, {"sentence", r.Verdict.Sentence}, {"memaudit.version", r.Memaudit.Version}, {"vendor", r.Machine.Vendor.Text()}, {"product", r.Machine.Product.Text()},
		{"bios_version", r.Machine.BIOS.Version.Text()}, {"platform", string(r.Machine.Platform.ID)}, {"profile", profile},
	}, func(p property) bool { return p.Value == "" })
	if err := junitTemplate().Execute(w, map[string]any{
		"Report": r, "Timestamp": strings.TrimSuffix(r.GeneratedAt, "Z"), "Seconds": strconv.FormatFloat(r.Took.Seconds(), 'f', 3, 64),
		"Skipped": r.Summary.Unknown + r.Summary.NotApplicable + r.Summary.Waived, "Properties": properties,
		"Problems": append([]string{wording.Verdict(r)}, r.ProblemLines()...),
	}); err != nil {
		return fmt.Errorf("write JUnit: %w", err)
	}
	return nil
}

// notJudged describes in one line a finding that is neither pass, failure nor error: "unknown: REASON; known by
// MEANS".
func notJudged(f verdict.Finding) string {
	why := string(f.Reason)
	if f.Waiver != nil {
		why = f.Waiver.Reason
		if f.Waiver.Until != "" {
			why += " (until " + string(f.Waiver.Until) + ")"
		}
	}
	known := ""
	if by := f.KnownBy.String(); by != "" {
		known = "known by: " + by
	}
	return humanize.Joined("; ", humanize.Joined(": ", string(f.Result), why), known)
}

func details(f verdict.Finding) []string {
	out := make([]string, 0, 8)
	add := func(label, value string) {
		if value != "" {
			out = append(out, label+": "+value)
		}
	}
	add("severity", string(f.Severity))
	add("found", string(f.Found))
	add("expected", string(f.Expected))
	add("reason", string(f.Reason))
	add("why", string(f.Why))
	if f.Effect != nil {
		add("costs", f.Effect.Text)
	}
	add("fix", string(f.Remedy))
	add("caused by", f.CauseText())
	add("source", f.Citation.Line())
	return out
}
