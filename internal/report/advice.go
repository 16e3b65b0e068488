package report

import (
	"memaudit.example/memaudit/internal/advice/plan"
	"memaudit.example/memaudit/internal/audit/verdict"
	"memaudit.example/memaudit/internal/model/nullable"
)

// Advice is one way to correct the memory population, or the BIOS settings: all steps, in order, and the result of
// auditing the machine after them.
type Advice struct {
	ID    AdviceKind    `json:"id"`
	Cures []verdict.Ref `json:"cures"`
	Steps []Step        `json:"steps"`
	// Reaches is the promised result, from an audit.
	Reaches  Reaches `json:"reaches"`
	Moves    int     `json:"moves"`
	Installs int     `json:"installs"`
	Removes  int     `json:"removes"`
	// Source names the document of the target layout, or general practice.
	Source string `json:"source"`
	// GivenUpBytes is how much less capacity there is after the steps, for the text:
	// Reaches has what there is then.
	GivenUpBytes int64 `json:"-"`
}

// Step is one thing to do. Slots are named by handle, with their locators, and the board's label if locators repeat.
// In a swap the modules of two slots change places.
type Step struct {
	Do          StepKind `json:"do"`
	From        string   `json:"from,omitempty"`
	FromLocator string   `json:"from_locator,omitempty"`
	FromBoard   string   `json:"from_board,omitempty"`
	To          string   `json:"to,omitempty"`
	ToLocator   string   `json:"to_locator,omitempty"`
	Board       string   `json:"board,omitempty"`
	At          string   `json:"at,omitempty"`
	AtLocator   string   `json:"at_locator,omitempty"`
	// FromChannel and ToChannel are set instead of slots if it is unknown which slot of a channel is filled first.
	FromChannel *Channel `json:"from_channel,omitempty"`
	ToChannel   *Channel `json:"to_channel,omitempty"`
	// Like is the slot whose module the new one is of the same kind as, or the one that leaves a channel.
	Like   string  `json:"like,omitempty"`
	Module *Module `json:"module,omitempty"`
	// Setting is the canonical id of the preset to be set, Value its new value as
	// the vendor spells it. Command is for the tool, Menu the same change by hand.
	Setting string `json:"setting,omitempty"`
	Value   string `json:"value,omitempty"`
	Tool    string `json:"tool,omitempty"`
	Command string `json:"command,omitempty"`
	Menu    string `json:"menu,omitempty"`
}

// Channel is a memory channel; Socket is null for the chipset's.
type Channel struct {
	Socket  *int `json:"socket" jsonschema:"nullable"`
	Channel int  `json:"channel"`
}

// AdviceSettings is the id of the advice about BIOS settings, which is in addition to those about the population.
const AdviceSettings = plan.Settings

// Module describes what to buy; what firmware does not report about a similar one is null.
type Module struct {
	SizeBytes *int64          `json:"size_bytes" jsonschema:"nullable"`
	Type      nullable.String `json:"type" jsonschema:"nullable"`
	Ranks     *int            `json:"ranks" jsonschema:"nullable"`
	RatedMTs  *int            `json:"rated_mts" jsonschema:"nullable"`
	// Kind is RDIMM, LRDIMM or UDIMM, which cannot be mixed; "" if that is unknown or part of Type.
	Kind string `json:"-"`
}

// Reaches is an audit's result after the steps.
type Reaches struct {
	Findings      []plan.Failure  `json:"findings"`
	Sockets       []ReachedSocket `json:"sockets"`
	CapacityBytes *int64          `json:"capacity_bytes" jsonschema:"nullable"`
}

// ReachedSocket is what one processor has after the steps; Socket is null on a
// machine with one memory controller outside the processors.
type ReachedSocket struct {
	Socket      *int            `json:"socket" jsonschema:"nullable"`
	Class       nullable.String `json:"class" jsonschema:"nullable"`
	ExpectedMTs *int            `json:"expected_mts" jsonschema:"nullable"`
	PeakBytes   *int64          `json:"peak_bytes_per_second" jsonschema:"nullable"`
	Relative    Relative        `json:"relative_bandwidth"`
	// ClockMTs is the speed of the peak, if that is not the expected one: the memory runs at another speed today.
	ClockMTs *int `json:"-"`
	// UpTo is set if no document gives the speed for exactly these modules on this board: it is the upper limit.
	UpTo bool `json:"-"`
}
