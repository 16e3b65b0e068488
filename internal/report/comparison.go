package report

import (
	"strings"
	"time"

	"github.com/memaudit/memaudit/internal/audit"
	"github.com/memaudit/memaudit/internal/inventory"
	"github.com/memaudit/memaudit/internal/population"
)

// SchemaComparison is the schema of a Comparison, as its "schema" key states it.
const SchemaComparison = "memaudit.comparison/v1"

// Comparison is one machine beside every profile that is documented for it.
// Keys are always present; what is not known is null.
type Comparison struct {
	Schema string `json:"schema" jsonschema:"enum=memaudit.comparison/v1"`
	// GeneratedAt is RFC 3339 in UTC.
	GeneratedAt string  `json:"generated_at" jsonschema:"format=date-time"`
	Memaudit    Program `json:"memaudit"`
	Machine     Machine `json:"machine"`
	// Profiles is empty when no document gives one; Why then says why.
	Profiles []HeldProfile `json:"profiles"`
	Why      *string       `json:"why" jsonschema:"nullable"`
	// Undecided are profiles that may or may not be written for the machine.
	Undecided []Undecided `json:"undecided"`
	// Settings are the machine's own, as in the inventory.
	Settings map[string]Setting `json:"settings"`
	// Inventory is what the head of the text names.
	Inventory Inventory `json:"-"`
}

// HeldProfile is a profile with what the machine's settings are beside it.
// Agrees, Differs, Unknown, NotApplicable and Error count its settings; one
// that is not known never counts as agreement. Closest marks the profiles from
// which the fewest settings are known to differ, and of those the ones with
// which the most agree.
type HeldProfile struct {
	ID string `json:"id"`
	// Intent is the first of Intents, null without any.
	Intent  *string  `json:"intent" jsonschema:"nullable"`
	Intents []string `json:"intents"`
	// Analogy says which machines the document itself speaks of, when this one
	// is none of them.
	Analogy       *string       `json:"analogy" jsonschema:"nullable"`
	Title         *string       `json:"title" jsonschema:"nullable"`
	Source        *string       `json:"source" jsonschema:"nullable"`
	Closest       bool          `json:"closest"`
	Agrees        int           `json:"agrees" jsonschema:"minimum=0"`
	Differs       int           `json:"differs" jsonschema:"minimum=0"`
	Unknown       int           `json:"unknown" jsonschema:"minimum=0"`
	NotApplicable int           `json:"not_applicable" jsonschema:"minimum=0"`
	Error         int           `json:"error" jsonschema:"minimum=0"`
	Settings      []HeldSetting `json:"settings"`
}

// HeldSetting is one setting of a profile on this machine: pass agrees, fail
// differs. Wanted lists the values that the document accepts; Found says which
// face was judged. Remedy and Effect are there where the setting differs.
type HeldSetting struct {
	Setting  string   `json:"setting"`
	Result   string   `json:"result" jsonschema:"enum=pass,enum=fail,enum=unknown,enum=not_applicable,enum=error"`
	Severity string   `json:"severity" jsonschema:"enum=info,enum=warning,enum=critical"`
	Wanted   []string `json:"wanted"`
	Found    *string  `json:"found" jsonschema:"nullable"`
	Reason   *string  `json:"reason" jsonschema:"nullable"`
	KnownBy  *string  `json:"known_by" jsonschema:"nullable"`
	Effect   *Effect  `json:"effect" jsonschema:"nullable"`
	Remedy   *string  `json:"remedy" jsonschema:"nullable"`
	// Note and Exceptions are the document's own.
	Note       *string  `json:"note" jsonschema:"nullable"`
	Exceptions []string `json:"exceptions"`
	Place      *string  `json:"place" jsonschema:"nullable"`
}

// Undecided is a profile of which it is not known whether it is written for
// the machine.
type Undecided struct {
	ID     string `json:"id"`
	Reason string `json:"reason"`
}

// BuildComparison makes the document of one comparison.
func BuildComparison(sys *inventory.System, topo *population.Result, c *audit.Comparison, o Options) Comparison {
	inv := BuildInventory(sys, topo, o)
	out := Comparison{
		Schema:      SchemaComparison,
		GeneratedAt: o.Now.UTC().Format(time.RFC3339),
		Memaudit:    Program{Version: o.Version, Revision: word(o.Revision)},
		Machine:     inv.Machine,
		Profiles:    buildProfiles(c),
		Why:         word(c.Why),
		Undecided:   buildUndecided(c),
		Settings:    inv.Settings,
		Inventory:   inv,
	}
	return out
}

// HoldAgainst adds the machine beside every profile documented for it.
func (r *Report) HoldAgainst(c *audit.Comparison) {
	r.Profiles, r.ProfilesWhy, r.LeftOut = buildProfiles(c), c.Why, buildUndecided(c)
}

func buildUndecided(c *audit.Comparison) []Undecided {
	out := []Undecided{}
	for _, u := range c.Undecided {
		out = append(out, Undecided{u.ID, u.Reason})
	}
	return out
}

// buildProfiles is never nil: JSON has [] when no document gives a profile.
func buildProfiles(c *audit.Comparison) []HeldProfile {
	out := []HeldProfile{}
	for i := range c.Held {
		out = append(out, buildHeld(&c.Held[i]))
	}
	return out
}

func buildHeld(h *audit.Held) HeldProfile {
	p := buildProfile(&h.Profile)
	out := HeldProfile{ID: p.ID, Intent: p.Intent, Intents: list(h.Intents), Analogy: word(h.Analogy), Title: p.Title, Source: p.Source, Closest: h.Closest,
		Agrees: h.Summary.Pass, Differs: h.Summary.Fail, Unknown: h.Summary.Unknown,
		NotApplicable: h.Summary.NotApplicable, Error: h.Summary.Error, Settings: []HeldSetting{}}
	for i := range h.Findings {
		f := BuildFinding(&h.Findings[i])
		s := HeldSetting{Setting: strings.TrimPrefix(f.Rule, settingPrefix), Result: f.Result, Severity: f.Severity,
			Wanted: list(h.Rows[i].Want), Note: word(h.Rows[i].Note), Exceptions: list(h.Rows[i].Exceptions), Found: f.Found, Reason: f.Reason, KnownBy: f.KnownBy, Effect: f.Effect, Remedy: f.Remedy}
		if f.Citation != nil {
			s.Place = f.Citation.Place
		}
		out.Settings = append(out.Settings, s)
	}
	return out
}

// settingPrefix begins the id of a profile's rule for one setting.
const settingPrefix = "setting."
