package plan

import (
	"slices"
	"strings"

	"github.com/memaudit/memaudit/internal/audit"
	"github.com/memaudit/memaudit/internal/verdict"
)

// afterBoot are rules about what the running machine does with its memory: after
// a change of modules only the next boot tells.
var afterBoot = []string{
	"memory.speed.expected", "memory.capacity.visible", "memory.ras.cost",
	"memory.mapping.consistent", "memory.errors.corrected", "memory.errors.uncorrected", "memory.module.health", "memory.module.running",
	"numa.node.memory",
}

// slotOrder judges the slots against the maker's order and sets.
const slotOrder = "memory.slot.order"

// eccActive holds what the modules can against what firmware declares: it stays as it
// is where modules move, and fails where new ones have what the others had not.
const eccActive = "memory.ecc.active"

// aboutLayout reports whether a rule speaks of which module sits where.
func aboutLayout(id string) bool {
	return (strings.HasPrefix(id, "memory.") && id != eccActive || id == "numa.subnuma.symmetric") && !slices.Contains(afterBoot, id)
}

// Concerns reports whether a failure of the rule is one that a planner can be
// asked to mend.
func Concerns(rule string) bool { return aboutLayout(rule) }

// aboutOthers reports whether a rule's result stays whatever modules are moved.
func aboutOthers(id string) bool {
	return !aboutLayout(id) && !slices.Contains(afterBoot, id) &&
		!strings.HasPrefix(id, "measure.") && !strings.HasPrefix(id, "baseline.")
}

// failures lists what fails among the rules that are asked for.
func failures(findings []audit.Finding, rules func(string) bool) []Finding {
	var out []Finding
	for i := range findings {
		if f := &findings[i]; f.Result == verdict.Fail && rules(f.Rule) {
			out = append(out, Finding{Rule: f.Rule, Subject: f.Subject, Severity: string(f.Severity)})
		}
	}
	return out
}

// key names a rule and a subject.
func (f Finding) key() string { return f.Rule + "\x00" + f.Subject }
