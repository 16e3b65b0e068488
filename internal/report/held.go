package report

import (
	"memaudit.example/memaudit/internal/audit/verdict"
	"memaudit.example/memaudit/internal/model/fact"
	"memaudit.example/memaudit/internal/model/nullable"
)

// HeldProfile compares the machine's settings with a profile. Agrees, Differs, Unknown, NotApplicable and Error count
// its settings; an unknown one never counts as agreement. Closest marks the profiles with the fewest known
// differences, and of those the ones with most agreement.
type HeldProfile struct {
	ID string `json:"id"`
	// Intent is the first of Intents, null without any.
	Intent  nullable.String `json:"intent" jsonschema:"nullable"`
	Intents []string        `json:"intents"`
	// Analogy names the machines that the document covers, if this one is not among them.
	Analogy       nullable.String `json:"analogy" jsonschema:"nullable"`
	Title         nullable.String `json:"title" jsonschema:"nullable"`
	Source        nullable.String `json:"source" jsonschema:"nullable"`
	Closest       bool            `json:"closest"`
	Agrees        int             `json:"agrees" jsonschema:"minimum=0"`
	Differs       int             `json:"differs" jsonschema:"minimum=0"`
	Unknown       int             `json:"unknown" jsonschema:"minimum=0"`
	NotApplicable int             `json:"not_applicable" jsonschema:"minimum=0"`
	Error         int             `json:"error" jsonschema:"minimum=0"`
	Settings      []HeldSetting   `json:"settings"`
}

// HeldSetting is one setting of a profile on this machine: pass agrees, fail differs. Wanted lists the values that
// the document accepts; Found names the value that was compared. Remedy and Effect are set if the setting differs.
type HeldSetting struct {
	Setting  string           `json:"setting"`
	Result   verdict.Result   `json:"result"`
	Severity verdict.Severity `json:"severity"`
	Wanted   []string         `json:"wanted"`
	Found    nullable.String  `json:"found" jsonschema:"nullable"`
	Reason   nullable.String  `json:"reason" jsonschema:"nullable"`
	KnownBy  fact.Inputs      `json:"known_by" jsonschema:"nullable"`
	Effect   *verdict.Effect  `json:"effect" jsonschema:"nullable"`
	Remedy   nullable.String  `json:"remedy" jsonschema:"nullable"`
	// Note and Exceptions are the document's own.
	Note       nullable.String `json:"note" jsonschema:"nullable"`
	Exceptions []string        `json:"exceptions"`
	Place      nullable.String `json:"place" jsonschema:"nullable"`
}
