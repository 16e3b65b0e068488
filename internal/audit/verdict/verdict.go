// Package verdict has the result of an audit: the words of a verdict, the findings, and the document of each. It does
// not depend on how a verdict is computed, and so neither do a plan and the report.
package verdict

import (
	"strconv"

	"memaudit.example/memaudit/internal/model/nullable"
)

// Result is the outcome of one rule for one subject, in the words of docs/interface.md.
type Result string

// The results.
const (
	Pass          Result = "pass"
	Fail          Result = "fail"
	Unknown       Result = "unknown"
	NotApplicable Result = "not_applicable"
	Waived        Result = "waived"
	Error         Result = "error"
)

// Values lists the results, for the published schemas.
func (Result) Values() []Result { return []Result{Pass, Fail, Unknown, NotApplicable, Waived, Error} }

// EmptyChannels is the placeholder in a rule's mark for the channels without a DIMM: "channels 2, 5 empty".
const EmptyChannels = "{empty_channels}"

// Severity of a rule.
type Severity string

// The severities, and none.
const (
	Info     Severity = "info"
	Warning  Severity = "warning"
	Critical Severity = "critical"
)

// Values lists the severities, for the published schemas.
func (Severity) Values() []Severity { return []Severity{Info, Warning, Critical} }

// MarshalJSON writes the word, or null for none.
func (s Severity) MarshalJSON() ([]byte, error) { return nullable.String(s).MarshalJSON() }

// Rank orders severities; the unknown word ranks lowest.
func (s Severity) Rank() int {
	switch s {
	case Critical:
		return 3
	case Warning:
		return 2
	case Info:
		return 1
	default:
		return 0
	}
}

// Citation names the document that a result is based on.
type Citation struct {
	_       struct{}     `cbor:",toarray"` // without the names of fields
	Vendor  string       `yaml:"vendor" json:"vendor"`
	Title   string       `yaml:"title" json:"title"`
	Version string       `yaml:"version,omitempty" json:"-" cbor:"version,omitempty"`
	Year    nullable.Int `yaml:"year,omitempty" json:"year" jsonschema:"nullable"`
	// Place is the page, table, figure or section.
	Place nullable.String `yaml:"place,omitempty" json:"place" jsonschema:"nullable"`
	URL   nullable.String `yaml:"url,omitempty" json:"url" jsonschema:"nullable"`
	// Authority is Standard or ThirdParty; "" for a vendor's document about its own products.
	Authority string `yaml:"authority,omitempty" json:"-" cbor:"authority,omitempty"`
	// About names the platforms that the document covers, none for any.
	About []string `yaml:"about,omitempty" json:"-" cbor:"about,omitempty"`
	// Standing says whose the document is, unless it is about this machine or a standard: then it is "".
	Standing Standing `yaml:"-" json:"standing" cbor:"-" jsonschema:"nullable"`
	// Noted is set if the title says the standing itself, as that of a manual of the slot sets does.
	Noted bool `yaml:"-" json:"-" cbor:"-"`
}

// Authorities of a document that is not a vendor's.
const (
	// Standard applies to every machine: a specification, the kernel's documentation of its files.
	Standard = "standard"
	// ThirdParty is an author who makes neither the machine nor its processor.
	ThirdParty = "third"
)

// Standing is how close a document is to the machine; "" (null) for one about this machine or a standard.
type Standing string

// Standings of a document that does not name this machine.
const (
	// Generation is a document of the machine's vendor about all machines of the generation.
	Generation Standing = "same generation"
	// Sister is a document of its vendor about another model with processors of the same generation.
	Sister Standing = "sister model"
	// CPUVendor is a document of the CPU's vendor.
	CPUVendor Standing = "CPU vendor"
	// Unread is a document of its vendor that is known by name alone.
	Unread Standing = "not read"
	// OtherVendor is a document of another vendor about such machines.
	OtherVendor Standing = "other vendor"
	// Analogous is a profile of its vendor for other machines.
	Analogous Standing = "analogous"
	Practice  Standing = "general practice"
)

// Values returns the standings, the closest first.
func (Standing) Values() []Standing {
	return []Standing{Generation, Sister, CPUVendor, Unread, OtherVendor, Analogous, Practice}
}

// MarshalJSON writes the word, or null.
func (s Standing) MarshalJSON() ([]byte, error) { return nullable.String(s).MarshalJSON() }

// Topics lists the topics that a platform's document may cover, as in
// rules/platforms/sources.tsv.
var Topics = []string{"channels", "alike", "sockets", "modules", "voltage", "number", "speed", "errors"}

// Effect is what a deviation costs, as measured, with its conditions.
type Effect struct {
	Text   string          `json:"text"`
	Source nullable.String `json:"source" jsonschema:"nullable"`
	// AttachTo is the term of the report that the effect is attached to, "" for none.
	AttachTo string `json:"-"`
}

// PopulationModel is the source of an effect that the program computed itself.
const PopulationModel = "memaudit's population model"

// AttachToClass is the AttachTo of the cost of a layout class.
const AttachToClass = "class"

// Line prints the document with its standing.
func (c *Citation) Line() string {
	if c == nil {
		return ""
	}
	if c.Noted {
		return c.Document()
	}
	return c.Standing.MarkDocument(c.Document())
}

// Document prints vendor, title, version, year and place.
func (c *Citation) Document() string {
	out := c.Vendor + ", " + c.Title
	if c.Version != "" {
		out += ", "
		if c.Version[0] >= '0' && c.Version[0] <= '9' {
			out += "v"
		}
		out += c.Version
	}
	if c.Year > 0 {
		out += ", " + strconv.Itoa(int(c.Year))
	}
	if c.Place != "" {
		out += ", " + string(c.Place)
	}
	return out
}

// MarkDocument marks a document that does not name this machine.
func (s Standing) MarkDocument(document string) string {
	switch s {
	case Practice:
		return "general practice: " + document
	case Analogous:
		return "by analogy: " + document
	case "":
		return document
	default:
		return document + " (" + string(s) + ")"
	}
}
