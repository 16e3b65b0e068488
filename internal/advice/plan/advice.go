package plan

import (
	"io/fs"
	"slices"

	"memaudit.example/memaudit/internal/audit/verdict"
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

// Count counts the steps of one kind.
func (a *Advice) Count(do StepKind) int {
	n := 0
	for _, s := range a.Steps {
		if s.Do == do {
			n++
		}
	}
	return n
}

// handled counts the modules that are carried: each of those that change places is one.
func handled(steps []Step) int {
	n, swapped := 0, map[int]bool{}
	for _, s := range steps {
		if s.Do != Swap {
			n++
			continue
		}
		swapped[s.FromSlot], swapped[s.ToSlot] = true, true
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
	return slices.ContainsFunc(p.Asked, func(f Failure) bool { return f.Rule == rule && f.Subject == subject })
}

// CuresFinding reports whether the steps cure the finding: it is gone or, if it was severe, no more than
// a remark.
func (a *Advice) CuresFinding(rule string, subject inventory.Subject) bool {
	return slices.Contains(a.Cures, verdict.Ref{Rule: rule, Subject: subject})
}

func (f Failure) key() string { return f.Rule + "\x00" + f.Subject.String() }

// none is the kind of a slot without a module in a layout.
const none = -1
