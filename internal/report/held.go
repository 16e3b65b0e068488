package report

import "github.com/memaudit/memaudit/internal/model/nullable"

// HeldProfile is a profile with what the machine's settings are beside it.
// Agrees, Differs, Unknown, NotApplicable and Error count its settings; one
// that is not known never counts as agreement. Closest marks the profiles from
// which the fewest settings are known to differ, and of those the ones with
// which the most agree.
type HeldProfile struct {
	ID string `json:"id"`
	// Intent is the first of Intents, null without any.
	Intent  nullable.String `json:"intent" jsonschema:"nullable"`
	Intents []string        `json:"intents"`
	// Analogy says which machines the document itself speaks of, when this one
	// is none of them.
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

// HeldSetting is one setting of a profile on this machine: pass agrees, fail
// differs. Wanted lists the values that the document accepts; Found says which
// face was judged. Remedy and Effect are there where the setting differs.
type HeldSetting struct {
	Setting  string          `json:"setting"`
	Result   string          `json:"result" jsonschema:"enum=pass,enum=fail,enum=unknown,enum=not_applicable,enum=error"`
	Severity string          `json:"severity" jsonschema:"enum=info,enum=warning,enum=critical"`
	Wanted   []string        `json:"wanted"`
	Found    nullable.String `json:"found" jsonschema:"nullable"`
	Reason   nullable.String `json:"reason" jsonschema:"nullable"`
	KnownBy  nullable.String `json:"known_by" jsonschema:"nullable"`
	Effect   *Effect         `json:"effect" jsonschema:"nullable"`
	Remedy   nullable.String `json:"remedy" jsonschema:"nullable"`
	// Note and Exceptions are the document's own.
	Note       nullable.String `json:"note" jsonschema:"nullable"`
	Exceptions []string        `json:"exceptions"`
	Place      nullable.String `json:"place" jsonschema:"nullable"`
}
