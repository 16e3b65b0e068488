// Package formats knows every format by its name and writes a document in it.
package formats

import (
	"cmp"
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
	"memaudit.example/memaudit/internal/model/inventory"
	"memaudit.example/memaudit/internal/model/nullable"
	"memaudit.example/memaudit/internal/report"
	"memaudit.example/memaudit/internal/report/html"
	"memaudit.example/memaudit/internal/report/metrics"
	"memaudit.example/memaudit/internal/report/printable"
	"memaudit.example/memaudit/internal/report/text"
	"memaudit.example/memaudit/internal/report/wording"
)

// The formats that Write knows.
const (
	Text       = "text"
	JSON       = "json"
	HTML       = "html"
	JUnit      = "junit"
	Nagios     = "nagios"
	Prometheus = "prometheus"
	CSV        = "csv"
)

// Reports lists the formats of a report, the default first.
func Reports() []string {
	return []string{Text, JSON, HTML, JUnit, Nagios, Prometheus}
}

// Inventories lists the formats of an inventory, the default first.
func Inventories() []string { return []string{Text, JSON, CSV} }

// Others lists the formats of other documents, the default first.
func Others() []string { return []string{Text, JSON} }

// Write prints the report in one of Reports.
func Write(w io.Writer, format string, r *report.Report, o text.Options) error {
	writers := map[string]func(io.Writer, *report.Report) error{JSON: report.WriteJSON[report.Report], HTML: html.Write, JUnit: WriteJUnit, Nagios: WriteNagios, Prometheus: metrics.Write}
	if write := writers[format]; write != nil {
		return write(w, r)
	}
	return text.Write(w, r, o)
}

// WriteInventory prints the inventory in one of Inventories.
func WriteInventory(w io.Writer, format string, inv *report.Inventory, o text.Options) error {
	switch format {
	case JSON:
		return report.WriteJSON(w, inv)
	case CSV:
		var rows [][]string
		for i := range inv.Slots {
			rows = append(rows, assetRow(inv, &inv.Slots[i]))
		}
		return printable.WriteCSV(w, assetColumns, rows)
	default:
		return text.WriteInventory(w, inv, o)
	}
}

// WriteOther prints a document in one of Others, by this function as text.
func WriteOther[T report.Capacity | report.WhatIf | report.Comparison](w io.Writer, format string, document *T, write func(io.Writer, *T, text.Options) error, o text.Options) error {
	if format == JSON {
		return report.WriteJSON(w, document)
	}
	return write(w, document, o)
}

// assetColumns head the table of slots. The last ones identify a machine and its
// parts: empty unless identifiers were asked for.
var assetColumns = []string{"host", "vendor", "product", "bios_version", "handle", "bank_locator", "locator", "state", "socket", "channel", "slot",
	"size_bytes", "type", "form_factor", "ranks", "rated_mts", "configured_mts", "manufacturer", "part_number", "health", "corrected_errors",
	"uncorrected_errors", "serial", "asset_tag", "machine_serial", "machine_asset_tag"}

// assetRow is the row of a slot, also of an empty one. What is not known is an empty cell.
func assetRow(inv *report.Inventory, s *inventory.Slot) []string {
	m := &inv.Machine
	errors := cmp.Or(s.Errors, &inventory.Errors{})
	return []string{m.Host.Text(), m.Vendor.Text(), m.Product.Text(), m.BIOS.Version.Text(), s.Handle.String(), s.BankLocator.Text(), s.Locator.Text(),
		string(s.State), nullable.Text(s.Socket, ""), nullable.Text(s.Channel, ""), nullable.Text(s.Slot, ""), s.SizeBytes.Text(), s.Type.Text(), s.FormFactor.Text(), s.Ranks.Text(),
		s.RatedMTs.Text(), s.ConfiguredMTs.Text(), s.Manufacturer.Text(), s.PartNumber.Text(), s.Health.Text(), errors.Corrected.Text(),
		errors.Uncorrected.Text(), s.Serial, s.AssetTag, string(m.Identifiers.SystemSerial), string(m.Identifiers.AssetTag)}
}

// WriteNagios prints what Nagios, Icinga and their kin read of a plugin: a
// status line with performance data, then the numbered problems with their fix, the worst first, so
// that a monitor that cuts the text keeps what matters.
func WriteNagios(w io.Writer, r *report.Report) error {
	var at [4]int
	for i := range r.Findings {
		if f := &r.Findings[i]; f.Result == verdict.Fail {
			at[report.SeverityRank(f.Severity)]++
		}
	}
	var b strings.Builder
	n := r.Summary
	// The names never change, so that graphs go on.
	fmt.Fprintf(&b, "%s | critical=%d;;;0 warning=%d;;;0 info=%d;;;0 pass=%d;;;0 unknown=%d;;;0 error=%d;;;0 waived=%d;;;0 not_applicable=%d;;;0 time=%.3fs;;;0\n",
		statusLine(r), at[3], at[2], at[1], n.Pass, n.Unknown, n.Error, n.Waived, n.NotApplicable, r.Took.Seconds())
	for _, line := range r.ProblemLines() {
		b.WriteString(pluginText(line) + "\n")
	}
	if _, err := io.WriteString(w, b.String()); err != nil {
		return fmt.Errorf("write the plugin's output: %w", err)
	}
	return nil
}

// WritePluginProblem prints the line of a plugin that could not audit at all.
func WritePluginProblem(w io.Writer, problem string) error {
	_, err := io.WriteString(w, "MEMAUDIT UNKNOWN - "+pluginText(problem)+"\n")
	return err
}

// pluginText keeps the bar, which begins performance data, out of texts.
func pluginText(s string) string { return strings.ReplaceAll(printable.Clean(s), "|", "/") }

func statusLine(r *report.Report) string {
	says := wording.VerdictSentence(r)
	switch plugin := r.Verdict.PluginStatus(); {
	case plugin == report.PluginOK && r.Verdict.Status == report.StatusWarning, plugin == report.PluginOK && r.Verdict.Status == report.StatusCritical:
		says += "; below --fail-on"
	case plugin == report.PluginWarning && r.Verdict.Status != report.StatusWarning:
		says += "; counts by --fail-on info"
	}
	if r.Failed != "" && r.Verdict.Status != report.StatusUnknown { // of an unknown it is the sentence
		says += "; not everything could be read: " + r.Failed
	}
	return pluginText("MEMAUDIT " + r.Verdict.Status.Word() + " - " + says)
}

// labelPrefix is the namespace that Node Feature Discovery allows without
// further configuration.
const labelPrefix = "feature.node.kubernetes.io/memaudit-"

// maxLabelValue is the longest value of a Kubernetes label.
const maxLabelValue = 63

// WriteLabels prints the few words of a report that a scheduler can use, as a
// feature file of Node Feature Discovery: one KEY=VALUE a line. What is not known
// has no line.
func WriteLabels(w io.Writer, r *report.Report) error {
	var b strings.Builder
	label := func(name, value string) {
		if v := labelValue(value); v != "" {
			b.WriteString(labelPrefix + name + "=" + v + "\n")
		}
	}
	label("verdict", string(r.Verdict.Status))
	label("failure", worstFailure(r))
	label("failed", strconv.Itoa(r.Summary.Fail))
	label("unknown", strconv.Itoa(r.Summary.Unknown+r.Summary.Error))
	if r.Profile != nil {
		label("profile", r.Profile.ID)
	}
	label("platform", string(r.Machine.Platform.ID))
	label("population", metrics.Signature(&r.Inventory))
	if _, err := io.WriteString(w, b.String()); err != nil {
		return fmt.Errorf("write the labels: %w", err)
	}
	return nil
}

// worstFailure is the severity of the worst failure, "none" for a verdict of ok, otherwise the verdict's own word.
func worstFailure(r *report.Report) string {
	switch {
	case r.Summary.Worst != "": // which there is of failures alone
		return string(r.Summary.Worst)
	case r.Verdict.Status == report.StatusOK:
		return "none"
	default:
		return string(r.Verdict.Status)
	}
}

// labelValue keeps the characters allowed in a label's value: letters, digits, and between them "-", "_" and ".";
// anything else becomes "_".
func labelValue(s string) string {
	s = strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("-_.", r) {
			return r
		}
		return '_'
	}, s)
	return strings.Trim(s[:min(len(s), maxLabelValue)], "-_.")
}

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
		return strings.Join(humanize.Each(all, func(line string) string { return escape(line) }), "\n")
	}
	return template.Must(template.New("junit").Funcs(template.FuncMap{"x": escape, "lines": lines, "details": findingDetails, "notJudged": notJudged}).Parse(junitText))
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
		"Problems": append([]string{wording.VerdictSentence(r)}, r.ProblemLines()...),
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
		why = wording.DescribeWaiver(f.Waiver)
	}
	known := ""
	if by := string(f.KnownBy); by != "" {
		known = "known by: " + by
	}
	return humanize.Joined("; ", humanize.Joined(": ", string(f.Result), why), known)
}

func findingDetails(f verdict.Finding) []string {
	var out []string
	for _, d := range [][2]string{{"severity", string(f.Severity)}, {"found", string(f.Found)}, {"expected", string(f.Expected)},
		{"reason", string(f.Reason)}, {"why", string(f.Why)}, {"costs", cmp.Or(f.Effect, &verdict.Effect{}).Text}, {"fix", string(f.Remedy)},
		{"caused by", f.CauseText()}, {"source", f.Citation.Line()}} {
		if d[1] != "" {
			out = append(out, d[0]+": "+d[1])
		}
	}
	return out
}
