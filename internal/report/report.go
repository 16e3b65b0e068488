// Package report holds the versioned Report that memaudit hands out, and the
// writers that print it. Every writer reads the Report alone, so that two
// formats of one audit can never say different things.
package report

import (
	"slices"
	"time"

	"github.com/memaudit/memaudit/internal/fact"
)

// The schemas of the documents, as their "schema" key states them.
const (
	SchemaReport    = "memaudit.report/v1"
	SchemaInventory = "memaudit.inventory/v1"
)

// Report is the outcome of one audit. Keys are always present; what is not
// known is null.
type Report struct {
	Schema string `json:"schema" jsonschema:"enum=memaudit.report/v1"`
	// GeneratedAt is RFC 3339 in UTC.
	GeneratedAt string  `json:"generated_at" jsonschema:"format=date-time"`
	Memaudit    Program `json:"memaudit"`
	Machine     Machine `json:"machine"`
	// Profile is null when none applies; Why then says why.
	Profile *Profile `json:"profile" jsonschema:"nullable"`
	Why     *string  `json:"why" jsonschema:"nullable"`
	// ProfileAsked is true where somebody chose the profile, for the text.
	ProfileAsked bool      `json:"-"`
	Summary      Summary   `json:"summary"`
	Findings     []Finding `json:"findings"`
	// Advice are alternatives for the memory population, cheapest first. AdviceWhy
	// says why there is none although something fails, AdviceDear why nothing cheaper
	// is among them than many modules.
	Advice     []Advice  `json:"advice"`
	AdviceWhy  string    `json:"-"`
	AdviceDear string    `json:"-"`
	Inventory  Inventory `json:"inventory"`
	// Profiles holds the machine against every profile documented for it; there
	// only when it was asked for, and empty when no document gives one.
	Profiles []HeldProfile `json:"profiles,omitzero"`
	// ProfilesWhy says why Profiles is empty, LeftOut which profiles may or may
	// not be written for the machine; both for the text.
	ProfilesWhy string      `json:"-"`
	LeftOut     []Undecided `json:"-"`
	// Notices are remarks about the configuration (a waiver that matches
	// nothing). They are not part of the audited machine and of the schema.
	Notices []string `json:"-"`
	// Measured are results of measured bandwidth and latency; there only when
	// some were given.
	Measured []Measurement `json:"measured,omitempty"`
	// Baseline says what differs from the accepted hardware; there only when a
	// baseline was compared.
	Baseline *Baseline `json:"baseline,omitempty"`
	// Outdated says why this is not the last audit: that one could read nothing
	// of the machine. There only in what the daemon serves meanwhile.
	Outdated string `json:"outdated,omitempty"`
	// Failed says that the audit could not read something it was told to read;
	// for the metrics.
	Failed bool `json:"-"`
	// Took is how long the audit took, 0 when nobody measured it. Changed says of
	// each kind of hardware that a baseline accepts whether it differs, nil
	// without a baseline. Both are for the metrics alone.
	Took    time.Duration   `json:"-"`
	Changed map[string]bool `json:"-"`
}

// NothingRead reports whether no source of the machine could be read, not even
// in part.
func (r *Report) NothingRead() bool {
	return !slices.ContainsFunc(r.Inventory.Sources, func(s Source) bool {
		return s.State == string(fact.SourceOK) || s.State == string(fact.SourcePartial)
	})
}

// Program says which memaudit made the document.
type Program struct {
	Version  string  `json:"version"`
	Revision *string `json:"revision" jsonschema:"nullable"`
}

// Profile is the documented profile the machine was held against. Source
// names the document in one line.
type Profile struct {
	ID     string  `json:"id"`
	Intent *string `json:"intent" jsonschema:"nullable"`
	Title  *string `json:"title" jsonschema:"nullable"`
	Source *string `json:"source" jsonschema:"nullable"`
}

// Summary counts findings by result. WorstSeverity is the highest severity
// among the failures, null without one.
type Summary struct {
	Pass          int     `json:"pass" jsonschema:"minimum=0"`
	Fail          int     `json:"fail" jsonschema:"minimum=0"`
	Unknown       int     `json:"unknown" jsonschema:"minimum=0"`
	NotApplicable int     `json:"not_applicable" jsonschema:"minimum=0"`
	Waived        int     `json:"waived" jsonschema:"minimum=0"`
	Error         int     `json:"error" jsonschema:"minimum=0"`
	WorstSeverity *string `json:"worst_severity" jsonschema:"nullable,enum=info,enum=warning,enum=critical"`
}

// Finding is the result of one rule for one subject.
type Finding struct {
	Rule     string  `json:"rule"`
	Title    *string `json:"title" jsonschema:"nullable"`
	Result   string  `json:"result" jsonschema:"enum=pass,enum=fail,enum=unknown,enum=not_applicable,enum=waived,enum=error"`
	Severity string  `json:"severity" jsonschema:"enum=info,enum=warning,enum=critical"`
	// Subject names the thing judged: machine, socket 0, node 1.
	Subject  string  `json:"subject"`
	Found    *string `json:"found" jsonschema:"nullable"`
	Expected *string `json:"expected" jsonschema:"nullable"`
	Why      *string `json:"why" jsonschema:"nullable"`
	// Reason says why the result is unknown, not_applicable or error; KnownBy
	// what would make an unknown known.
	Reason  *string `json:"reason" jsonschema:"nullable"`
	KnownBy *string `json:"known_by" jsonschema:"nullable"`
	// CausedBy names the finding that this one follows from.
	CausedBy *string `json:"caused_by" jsonschema:"nullable"`
	Effect   *Effect `json:"effect" jsonschema:"nullable"`
	Remedy   *string `json:"remedy" jsonschema:"nullable"`
	// Advice are the ids of the entries of the report's advice that cure it.
	Advice    []string   `json:"advice"`
	Evidence  []Evidence `json:"evidence"`
	Certainty string     `json:"certainty" jsonschema:"enum=direct,enum=corroborated,enum=indirect,enum=none"`
	Citation  *Citation  `json:"citation" jsonschema:"nullable"`
	Waiver    *Waiver    `json:"waiver" jsonschema:"nullable"`
	// Mark is what a failure is called below the picture of its socket, nil where
	// its rule has no word for it.
	Mark *string `json:"-"`
	// Explains is true for a pass that is there for what it says.
	Explains bool `json:"-"`
}

// Effect is what a deviation costs, and who says so.
type Effect struct {
	Text   string  `json:"text"`
	Source *string `json:"source" jsonschema:"nullable"`
}

// Evidence is one reading: the source's name, the file below the audited
// root, and what was read there (for SMBIOS with structure and field).
type Evidence struct {
	Source string  `json:"source"`
	Path   *string `json:"path" jsonschema:"nullable"`
	Raw    *string `json:"raw" jsonschema:"nullable"`
}

// Citation names a document and the place in it.
type Citation struct {
	Vendor string  `json:"vendor"`
	Title  string  `json:"title"`
	Year   *int    `json:"year" jsonschema:"nullable"`
	Place  *string `json:"place" jsonschema:"nullable"`
	URL    *string `json:"url" jsonschema:"nullable"`
	// Standing is set where the document is another maker's than the machine's.
	Standing *string `json:"standing" jsonschema:"nullable,enum=analogous,enum=general practice"`
	// Version is the document's own; the schema has no key for it.
	Version string `json:"-"`
}

// Waiver is the acceptance of a failure; Until is its last day (YYYY-MM-DD).
type Waiver struct {
	Reason string  `json:"reason"`
	Until  *string `json:"until" jsonschema:"nullable"`
}
