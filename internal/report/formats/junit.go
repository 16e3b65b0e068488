package formats

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"io"
	"strconv"
	"strings"

	"memaudit.example/memaudit/internal/audit/verdict"
	"memaudit.example/memaudit/internal/report"
	"memaudit.example/memaudit/internal/report/printable"
	"memaudit.example/memaudit/internal/report/wording"
)

// WriteJUnit prints the findings as JUnit XML: one test case per finding, with the rule as class and the subject as
// name. A failure of any severity is a failure, a broken rule an error. JUnit has no other results: what is unknown,
// not applicable or waived is skipped, and the message begins with memaudit's own word. Only a pass has no element.
// The suite's output has the sentence of the verdict and the numbered problems with their fix.
func WriteJUnit(w io.Writer, r *report.Report) error {
	s, seconds := r.Summary, strconv.FormatFloat(r.Took.Seconds(), 'f', 3, 64)
	counts := fmt.Sprintf(` tests="%d" failures="%d" errors="%d" skipped="%d" time="%s"`, len(r.Findings), s.Fail, s.Error,
		s.Unknown+s.NotApplicable+s.Waived, seconds)
	x := &xmlWriter{}
	x.raw(xml.Header + `<testsuites name="memaudit"` + counts + ">\n")
	x.raw(`  <testsuite name="memaudit" timestamp="` + strings.TrimSuffix(r.GeneratedAt, "Z") + `"` + counts + ">\n")
	x.properties(r)
	for i := range r.Findings {
		x.testcase(&r.Findings[i])
	}
	x.raw("    <system-out>")
	x.lines(append([]string{wording.Verdict(r)}, r.ProblemLines()...))
	x.raw("</system-out>\n  </testsuite>\n</testsuites>\n")
	if _, err := w.Write(x.buf.Bytes()); err != nil {
		return fmt.Errorf("write JUnit: %w", err)
	}
	return nil
}

// xmlWriter escapes what is not markup.
type xmlWriter struct{ buf bytes.Buffer }

func (x *xmlWriter) raw(s string) { x.buf.WriteString(s) }

func (x *xmlWriter) attr(name, value string) {
	x.raw(" " + name + `="`)
	x.text(value)
	x.raw(`"`)
}

// text writes a text whose control characters and broken UTF-8 are replaced.
func (x *xmlWriter) text(s string) { _ = xml.EscapeText(&x.buf, []byte(printable.Clean(s))) } // a buffer does not fail

func (x *xmlWriter) properties(r *report.Report) {
	profile := ""
	if r.Profile != nil {
		profile = r.Profile.ID
	}
	x.raw("    <properties>\n")
	for _, p := range [...][2]string{
		{"verdict", string(r.Verdict.Status)}, {"sentence", r.Verdict.Sentence}, {"memaudit.version", r.Memaudit.Version}, {"vendor", r.Machine.Vendor.Text()}, {"product", r.Machine.Product.Text()},
		{"bios_version", r.Machine.BIOS.Version.Text()}, {"platform", string(r.Machine.Platform.ID)}, {"profile", profile},
	} {
		if p[1] != "" {
			x.raw("      <property")
			x.attr("name", p[0])
			x.attr("value", p[1])
			x.raw("/>\n")
		}
	}
	x.raw("    </properties>\n")
}

func (x *xmlWriter) testcase(f *verdict.Finding) {
	x.raw("    <testcase")
	x.attr("classname", f.Rule)
	x.attr("name", f.Subject.String())
	x.raw(` time="0"`)
	if f.Result == verdict.Pass {
		x.raw("/>\n")
		return
	}
	x.raw(">\n      <")
	switch f.Result {
	case verdict.Fail:
		x.body("failure", string(f.Severity), string(f.Found), f)
	case verdict.Error:
		x.body("error", string(f.Severity), string(f.Reason), f)
	default:
		x.raw("skipped")
		x.attr("message", notJudged(f))
		x.raw("/>\n")
	}
	x.raw("    </testcase>\n")
}

func (x *xmlWriter) body(element, kind, message string, f *verdict.Finding) {
	x.raw(element)
	x.attr("type", kind)
	x.attr("message", message)
	x.raw(">")
	x.lines(details(f))
	x.raw("</" + element + ">\n")
}

func (x *xmlWriter) lines(all []string) {
	for i, line := range all {
		if i > 0 {
			x.raw("\n")
		}
		x.text(line)
	}
}

// notJudged describes in one line a finding that is neither pass, failure nor error: "unknown: REASON; known by
// MEANS".
func notJudged(f *verdict.Finding) string {
	s := string(f.Result)
	switch why := string(f.Reason); {
	case f.Waiver != nil:
		s += ": " + f.Waiver.Reason
		if until := string(f.Waiver.Until); until != "" {
			s += " (until " + until + ")"
		}
	case why != "":
		s += ": " + why
	}
	if known := f.KnownBy.String(); known != "" {
		s += "; known by: " + known
	}
	return s
}

func details(f *verdict.Finding) []string {
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
