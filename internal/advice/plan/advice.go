package plan

import (
	"io/fs"
	"slices"

	"memaudit.example/memaudit/internal/audit/verdict"
	"memaudit.example/memaudit/internal/model/fact"
	"memaudit.example/memaudit/internal/model/inventory"
	"memaudit.example/memaudit/internal/topology/place"
	"memaudit.example/memaudit/internal/topology/platform"
	"memaudit.example/memaudit/internal/topology/population"
)

// The kinds of advice, and of the steps to it, in the words of docs/interface.md, "JSON:
// advice".
const (
	Move     = "move"
	Install  = "install"
	Remove   = "remove"
	Exchange = "exchange"
)

// Swap is the step in which the modules of two slots change places; the advice is to move
// them.
const Swap = "swap"

// Plan is what to do about one machine.
type Plan struct {
	// Advice lists alternatives for the modules, the smallest purchase first, and the one about settings, Settings;
	// it is empty if nothing is proven. One without a purchase may give something up if even the cheapest purchase is
	// large, or none is known: modules are removed then, at most a quarter of the capacity, if documents name the
	// remaining number.
	Advice []Advice
	// Why is the reason why no advice is given, "" if there is some or none is needed.
	Why string
	// Asked are the failures that advice was sought for.
	Asked []Failure
	// WhyExpensive is the document that is missing for a cheaper advice than an expensive one, "" if none is.
	WhyExpensive string
}

// Advice is one way to correct the population: all steps, in order.
type Advice struct {
	// ID is Move, Install, Exchange or Remove, by the costliest of its steps, or
	// Settings.
	ID    string
	Cures []Failure
	Steps []Step
	// Reaches is the result of auditing the machine after the steps.
	Reaches Reach
	// GivenUp is by how many bytes the capacity is smaller after the steps.
	GivenUp int64
	// Source names the document of the target layout, or that it is general practice.
	Source string
	// Memory is the kind of memory that the platform takes, in SMBIOS's terms; "" if no document gives it.
	Memory string
}

// Failure names a failing rule and its subject.
type Failure struct {
	Rule     string            `json:"rule"`
	Subject  inventory.Subject `json:"subject"`
	Severity verdict.Severity  `json:"severity"`
}

// Step is one module that is moved, removed, installed or exchanged, two that are swapped, or a preset of BIOS
// settings. Slots are indexes into System.Slots, -1 if the step has none.
type Step struct {
	Do       string
	From, To int
	// Like is the slot whose module a new one is of the same kind as, or one that moves from FromChannel.
	Like int
	// FromChannel and ToChannel are the channels of a move if no slot can be named because it is unknown which slot
	// of a channel is filled first; otherwise they are nil.
	FromChannel, ToChannel *Channel
	// Set is the change of the BIOS settings if Do is Set, otherwise nil.
	Set *verdict.PresetStep
}

// Channel is a channel of a socket; Socket is -1 for the chipset's.
type Channel struct{ Socket, Channel int }

// Reach is an audit's result after the steps.
type Reach struct {
	// Findings are the failures that stay, at any severity.
	Findings []Failure
	Sockets  []Socket
	// Bytes is the installed capacity.
	Bytes fact.Fact[int64]
}

// Socket is what one processor (or the chipset) has.
type Socket struct {
	Socket int
	DIMMs  fact.Fact[int]
	// Channels are those with modules.
	Channels fact.Fact[int]
	Class    fact.Fact[population.Class]
	Speed    fact.Fact[population.Speed]
	// Clock is the speed in MT/s that the memory is taken to run at: the expected one, unless it runs
	// at another one today.
	Clock fact.Fact[int]
	// Peak is in bytes per second, at that clock.
	Peak  fact.Fact[int64]
	Share fact.Fact[population.Share]
}

// Count counts the steps of one kind.
func (a *Advice) Count(do string) int {
	n := 0
	for _, s := range a.Steps {
		if s.Do == do {
			n++
		}
	}
	return n
}

// Moves counts the modules that are carried from one slot of the machine to another.
func (a *Advice) Moves() int {
	return handled(slices.DeleteFunc(slices.Clone(a.Steps), func(s Step) bool { return s.Do != Move && s.Do != Swap }))
}

// handled counts the modules that are carried: each of those that change places is one.
func handled(steps []Step) int {
	n, swapped := 0, map[int]bool{}
	for _, s := range steps {
		if s.Do != Swap {
			n++
			continue
		}
		swapped[s.From], swapped[s.To] = true, true
	}
	return n + len(swapped)
}

// Pipeline is how a proposal is audited: by the same derivation and the same rules as the machine itself.
type Pipeline struct {
	// Rules is the tree below rules/, for the vendors' slot sets.
	Rules fs.FS
	// Derive is the complete derivation.
	Derive func(*inventory.System) *population.Result
	// Audit asks the rules that it accepts the ids of.
	Audit func(sys *inventory.System, topo *population.Result, rules func(id string) bool) (*verdict.Audit, error)
	// Verdicts is Audit without texts, documents and evidence.
	Verdicts func(sys *inventory.System, topo *population.Result, rules func(id string) bool) (*verdict.Audit, error)
	// Role is what the rules of an id are to a plan.
	Role func(id string) verdict.Role
	// Document names the document behind a platform's row for a machine, "" if there is none to cite.
	Document func(p *platform.Platform, names place.Names) string
	// seats are the controllers of the nodes, by node; nil if they are not known.
	seats map[int]nodeSeat
}

// Sought reports whether advice was sought for the finding.
func (p *Plan) Sought(rule string, subject inventory.Subject) bool {
	return namesSubject(p.Asked, rule, subject)
}

// CuresFinding reports whether the steps cure the finding: it is gone or, if it was severe, no more than
// a remark.
func (a *Advice) CuresFinding(rule string, subject inventory.Subject) bool {
	return namesSubject(a.Cures, rule, subject)
}

func namesSubject(list []Failure, rule string, subject inventory.Subject) bool {
	return slices.ContainsFunc(list, func(f Failure) bool { return f.Rule == rule && f.Subject == subject })
}

// key names a rule and a subject.
func (f Failure) key() string { return f.Rule + "\x00" + f.Subject.String() }

// none is the kind of a slot without a module in a layout.
const none = -1
