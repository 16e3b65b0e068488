package formats

import (
	"fmt"
	"io"
	"strings"

	"github.com/memaudit/memaudit/internal/report"
	"github.com/memaudit/memaudit/internal/report/printable"
	"github.com/memaudit/memaudit/internal/verdict"
)

// sarifSchema is the schema that OASIS publishes for SARIF 2.1.0 with Errata 01.
const sarifSchema = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"

// sarifRoot names the root that the paths of readings are below.
const sarifRoot = "AUDITED_ROOT"

type (
	sarifLog struct {
		Schema  string     `json:"$schema"`
		Version string     `json:"version"`
		Runs    []sarifRun `json:"runs"`
	}
	sarifRun struct {
		Tool        sarifTool            `json:"tool"`
		Invocations []sarifInvocation    `json:"invocations"`
		Bases       map[string]sarifBase `json:"originalUriBaseIds"`
		Results     []sarifResult        `json:"results"`
	}
	sarifBase struct {
		Description sarifText `json:"description"`
	}
	sarifTool struct {
		Driver sarifDriver `json:"driver"`
	}
	sarifDriver struct {
		Name    string      `json:"name"`
		Version string      `json:"version"`
		URI     string      `json:"informationUri"`
		Rules   []sarifRule `json:"rules"`
	}
	sarifRule struct {
		ID    string     `json:"id"`
		Short *sarifText `json:"shortDescription,omitempty"`
		Help  *sarifText `json:"help,omitempty"`
		URI   string     `json:"helpUri,omitempty"`
	}
	sarifText struct {
		Text string `json:"text"`
	}
	sarifInvocation struct {
		Successful    bool                `json:"executionSuccessful"`
		EndTime       string              `json:"endTimeUtc"`
		Notifications []sarifNotification `json:"toolExecutionNotifications,omitempty"`
	}
	sarifNotification struct {
		Level   string          `json:"level"`
		Message sarifText       `json:"message"`
		Rule    sarifRuleByName `json:"associatedRule"`
	}
	sarifRuleByName struct {
		ID    string `json:"id"`
		Index int    `json:"index"`
	}
	sarifResult struct {
		Rule         string             `json:"ruleId"`
		Index        int                `json:"ruleIndex"`
		Kind         string             `json:"kind"`
		Level        string             `json:"level"`
		Message      sarifText          `json:"message"`
		Locations    []sarifLocation    `json:"locations"`
		Fingerprints map[string]string  `json:"partialFingerprints"`
		Suppressions []sarifSuppression `json:"suppressions,omitempty"`
		// Properties is the finding as the JSON report has it.
		Properties *report.Finding `json:"properties"`
	}
	sarifLocation struct {
		Physical *sarifPhysical `json:"physicalLocation,omitempty"`
		Logical  []sarifLogical `json:"logicalLocations"`
	}
	sarifPhysical struct {
		Artifact sarifArtifact `json:"artifactLocation"`
	}
	sarifArtifact struct {
		URI  string `json:"uri"`
		Base string `json:"uriBaseId"`
	}
	sarifLogical struct {
		Name string `json:"name"`
		Kind string `json:"kind"`
	}
	sarifSuppression struct {
		Kind          string `json:"kind"`
		Status        string `json:"status"`
		Justification string `json:"justification"`
	}
)

// WriteSARIF prints the findings as SARIF 2.1.0 for code-scanning tools: one
// result a finding, its kind the result's word in that standard. What could not
// be told is "open", and so is a rule that broke, which is a notification as
// well; a waived failure is suppressed.
func WriteSARIF(w io.Writer, r *report.Report) error {
	run := sarifRun{
		Tool:    sarifTool{sarifDriver{Name: "memaudit", Version: r.Memaudit.Version, URI: "https://github.com/memaudit/memaudit", Rules: []sarifRule{}}},
		Bases:   map[string]sarifBase{sarifRoot: {sarifText{"the root of the audited machine"}}},
		Results: []sarifResult{},
	}
	call := sarifInvocation{Successful: true, EndTime: r.GeneratedAt}
	index := map[string]int{}
	for i := range r.Findings {
		f := &r.Findings[i]
		at, seen := index[f.Rule]
		if !seen {
			at = len(run.Tool.Driver.Rules)
			index[f.Rule] = at
			run.Tool.Driver.Rules = append(run.Tool.Driver.Rules, sarifRuleOf(f))
		}
		run.Results = append(run.Results, sarifResultOf(f, at))
		if f.Result == string(verdict.Error) {
			call.Successful = false
			call.Notifications = append(call.Notifications, sarifNotification{"error", sarifText{sarifMessage(f)}, sarifRuleByName{f.Rule, at}})
		}
	}
	run.Invocations = []sarifInvocation{call}
	return writeIndented(w, "SARIF", sarifLog{sarifSchema, "2.1.0", []sarifRun{run}})
}

// writeIndented prints a value as JSON with two spaces a level.
func writeIndented(w io.Writer, name string, v any) error {
	text, err := printable.EncodeJSON(v)
	if err == nil {
		_, err = w.Write(text)
	}
	if err != nil {
		return fmt.Errorf("write %s: %w", name, err)
	}
	return nil
}

func sarifRuleOf(f *report.Finding) sarifRule {
	rule := sarifRule{ID: f.Rule}
	if f.Title != nil {
		rule.Short = &sarifText{*f.Title}
	}
	if line := f.Citation.Line(); line != "" {
		rule.Help = &sarifText{line}
	}
	if f.Citation != nil && strings.HasPrefix(report.OrEmpty(f.Citation.URL), "http") {
		rule.URI = *f.Citation.URL
	}
	return rule
}

func sarifResultOf(f *report.Finding, index int) sarifResult {
	kind, level := sarifKind(f)
	out := sarifResult{Rule: f.Rule, Index: index, Kind: kind, Level: level, Message: sarifText{sarifMessage(f)},
		Locations: []sarifLocation{sarifPlace(f)}, Properties: f,
		Fingerprints: map[string]string{"ruleAndSubject/v1": f.Rule + " " + f.Subject}}
	if f.Waiver != nil {
		out.Suppressions = []sarifSuppression{{"external", "accepted", f.Waiver.Reason}}
	}
	return out
}

// sarifKind gives kind and level: a level other than "none" belongs to failures
// alone (3.27.10).
func sarifKind(f *report.Finding) (kind, level string) {
	switch verdict.Result(f.Result) {
	case verdict.Fail, verdict.Waived:
		switch verdict.Severity(f.Severity) {
		case verdict.Critical:
			return "fail", "error"
		case verdict.Warning:
			return "fail", "warning"
		default:
			return "fail", "note"
		}
	case verdict.Pass:
		return "pass", "none"
	case verdict.NotApplicable:
		return "notApplicable", "none"
	default:
		return "open", "none"
	}
}

// sarifMessage is the finding in a sentence or two.
func sarifMessage(f *report.Finding) string {
	s := f.Subject + ": "
	switch verdict.Result(f.Result) {
	case verdict.Fail, verdict.Pass:
		s += report.OrEmpty(f.Found)
		if expected := report.OrEmpty(f.Expected); expected != "" && f.Result == string(verdict.Fail) {
			s += "; expected " + expected
		}
		if fix := report.OrEmpty(f.Remedy); fix != "" && f.Result == string(verdict.Fail) {
			s += "; fix: " + fix
		}
	default:
		s += notJudged(f)
	}
	return printable.Clean(s)
}

// sarifPlace names the subject, and the file that the first reading came from.
func sarifPlace(f *report.Finding) sarifLocation {
	place := sarifLocation{Logical: []sarifLogical{{f.Subject, "resource"}}}
	for i := range f.Evidence {
		if path := strings.TrimPrefix(report.OrEmpty(f.Evidence[i].Path), "/"); path != "" {
			place.Physical = &sarifPhysical{sarifArtifact{uriPath(path), sarifRoot}}
			break
		}
	}
	return place
}

// uriPath escapes what a path may hold and the path of a URI may not.
func uriPath(path string) string {
	const hex = "0123456789ABCDEF"
	var b strings.Builder
	for i := 0; i < len(path); i++ {
		c := path[i]
		switch {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9', strings.IndexByte("-._~/", c) >= 0:
			b.WriteByte(c)
		default:
			b.Write([]byte{'%', hex[c>>4], hex[c&15]})
		}
	}
	return b.String()
}
