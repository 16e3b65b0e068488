package report

import (
	"strconv"
	"strings"

	"github.com/memaudit/memaudit/internal/model/nullable"

	"github.com/memaudit/memaudit/internal/audit/verdict"
	"github.com/memaudit/memaudit/internal/model/inventory"
)

// Finding is the result of one rule for one subject.
type Finding struct {
	Rule     string          `json:"rule"`
	Title    nullable.String `json:"title" jsonschema:"nullable"`
	Result   string          `json:"result" jsonschema:"enum=pass,enum=fail,enum=unknown,enum=not_applicable,enum=waived,enum=error"`
	Severity string          `json:"severity" jsonschema:"enum=info,enum=warning,enum=critical"`
	// Subject is what was checked.
	Subject  inventory.Subject `json:"subject"`
	Found    nullable.String   `json:"found" jsonschema:"nullable"`
	Expected nullable.String   `json:"expected" jsonschema:"nullable"`
	Why      nullable.String   `json:"why" jsonschema:"nullable"`
	// Reason is the reason if the result is unknown, not_applicable or error; KnownBy is what would make it known.
	Reason  nullable.String `json:"reason" jsonschema:"nullable"`
	KnownBy nullable.String `json:"known_by" jsonschema:"nullable"`
	// CausedBy is the rule whose failure this finding follows from.
	CausedBy nullable.String `json:"caused_by" jsonschema:"nullable"`
	Effect   *Effect         `json:"effect" jsonschema:"nullable"`
	Remedy   nullable.String `json:"remedy" jsonschema:"nullable"`
	// Advice are the ids of the entries of the report's advice that cure it.
	Advice    []string   `json:"advice"`
	Evidence  []Evidence `json:"evidence"`
	Certainty string     `json:"certainty" jsonschema:"enum=direct,enum=corroborated,enum=indirect,enum=none"`
	Citation  *Citation  `json:"citation" jsonschema:"nullable"`
	Waiver    *Waiver    `json:"waiver" jsonschema:"nullable"`
	// Short is the fault in a few words, Headline the same for the complete machine, Fix what to do in one sentence;
	// nil if the rule has none.
	Short    nullable.String `json:"-"`
	Headline nullable.String `json:"-"`
	Fix      nullable.String `json:"-"`
	// Mark is a failure's label below the picture of its socket, nil if its rule has none.
	Mark nullable.String `json:"-"`
	// Explains is set for a pass that is listed for its explanation.
	Explains bool `json:"-"`
}

// Effect is the cost of a deviation, and its source.
type Effect struct {
	Text   string          `json:"text"`
	Source nullable.String `json:"source" jsonschema:"nullable"`
	// AttachTo is the term of the report that the effect is attached to, "" for none.
	AttachTo string `json:"-"`
}

// Evidence is one reading: the source's name, the file below the audited
// root, and what was read there (for SMBIOS with structure and field).
type Evidence struct {
	Source string          `json:"source"`
	Path   nullable.String `json:"path" jsonschema:"nullable"`
	Raw    nullable.String `json:"raw" jsonschema:"nullable"`
}

// Citation names a document and the place in it.
type Citation struct {
	Vendor string          `json:"vendor"`
	Title  string          `json:"title"`
	Year   *int            `json:"year" jsonschema:"nullable"`
	Place  nullable.String `json:"place" jsonschema:"nullable"`
	URL    nullable.String `json:"url" jsonschema:"nullable"`
	// Standing is set if the document is another vendor's than the machine's.
	Standing nullable.String `json:"standing" jsonschema:"nullable,enum=analogous,enum=general practice"`
	// Version is the document's own; the schema has no key for it.
	Version string `json:"-"`
}

// Line names the document in one line: vendor, title, version, year, place.
func (c *Citation) Line() string {
	if c == nil {
		return ""
	}
	return verdict.Standing(string(c.Standing), c.document())
}

// document names the document without its standing.
func (c *Citation) document() string {
	parts := make([]string, 0, 5)
	add := func(s string) {
		if s != "" {
			parts = append(parts, s)
		}
	}
	add(c.Vendor)
	add(c.Title)
	add(versionWord(c.Version))
	if c.Year != nil {
		add(strconv.Itoa(*c.Year))
	}
	add(string(c.Place))
	return strings.Join(parts, ", ")
}

// versionWord puts a v before a bare number.
func versionWord(v string) string {
	if v != "" && v[0] >= '0' && v[0] <= '9' {
		return "v" + v
	}
	return v
}

// Waiver is the acceptance of a failure; Until is its last day (YYYY-MM-DD).
type Waiver struct {
	Reason string          `json:"reason"`
	Until  nullable.String `json:"until" jsonschema:"nullable"`
	// Population is set if the machine's complete population is accepted, not this failure alone.
	Population bool `json:"population,omitempty"`
}
