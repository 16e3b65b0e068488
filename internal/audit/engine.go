package audit

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"cel.dev/cel-go/cel"
	"cel.dev/cel-go/common/types"

	"github.com/memaudit/memaudit/internal/inventory"
	"github.com/memaudit/memaudit/internal/settings"
	"github.com/memaudit/memaudit/internal/topology"
)

// Engine holds rules and profiles ready for audits. It compiles an expression
// when a machine first needs it. An Engine is for one goroutine.
type Engine struct {
	// ids are the rule ids in the order of reports.
	ids      []string
	rules    map[string][]*Rule
	profiles []*ProfileSpec
	// settings are the settings that some profile judges, sorted.
	settings []string
	programs map[string]compiled
	parsed   *parsedExprs
	// tables gives the vendors' attribute names and commands; nil for none.
	tables func() (settings.Tables, error)
}

type compiled struct {
	program cel.Program
	err     error
}

// Options of one audit.
type Options struct {
	// Profile is an intent or a profile id; Asked is true when somebody chose
	// it, false for the default.
	Profile string
	Asked   bool
	Waivers []WaiverSpec
	// Now decides which waivers have ended.
	Now time.Time
}

// NewEngine orders the rules of all packs. Within one id the narrowest comes
// first; at equal width a site's own rule goes before a built-in one.
func NewEngine(packs []*Pack) *Engine {
	e := &Engine{rules: map[string][]*Rule{}, programs: map[string]compiled{}}
	for _, p := range packs {
		for _, r := range p.Rules {
			if _, seen := e.rules[r.ID]; !seen {
				e.ids = append(e.ids, r.ID)
			}
			e.rules[r.ID] = append(e.rules[r.ID], r)
		}
		e.profiles = append(e.profiles, p.Profiles...)
		e.settings = append(e.settings, p.settingIDs()...)
		if p.parsed != nil {
			e.parsed = p.parsed
		}
	}
	for _, list := range e.rules {
		slices.SortStableFunc(list, func(a, b *Rule) int { return -cmp.Compare(a.narrowness(), b.narrowness()) })
	}
	slices.SortFunc(e.ids, compareIDs)
	slices.Sort(e.settings)
	e.settings = slices.Compact(e.settings)
	return e
}

// areas is the order of areas in a report; others follow by name.
var areas = [...]string{"firmware", "memory", "numa", "setting", "settings", "baseline"}

func compareIDs(a, b string) int {
	return cmp.Or(cmp.Compare(areaRank(a), areaRank(b)), strings.Compare(a, b))
}

func areaRank(id string) int {
	area, _, _ := strings.Cut(id, ".")
	if i := slices.Index(areas[:], area); i >= 0 {
		return i
	}
	return len(areas)
}

// narrowness ranks rules of one id: named platforms, vendors and products
// first, then the facts that `applies` names, then a site's own.
func (r *Rule) narrowness() int {
	n := r.For.width() * 100
	for _, word := range []string{"platform.", "machine.product", "machine.vendor", "processor."} {
		n += 10 * strings.Count(r.Applies, word)
	}
	if r.Applies != "" {
		n += 2
	}
	if r.pack != nil && r.pack.Site {
		n++
	}
	return n
}

// program compiles an expression once.
func (e *Engine) program(src string, want *types.Type) (cel.Program, error) {
	key := want.String() + "\x00" + src
	if c, ok := e.programs[key]; ok {
		return c.program, c.err
	}
	p, ok, err := e.parsed.program(src)
	if !ok {
		p, err = compile(src, want)
	}
	e.programs[key] = compiled{p, err}
	return p, err
}

// Run audits one machine.
func (e *Engine) Run(sys *inventory.System, topo *topology.Result, o Options) (*Audit, error) {
	m := &machineFacts{sys: sys, topo: topo}
	run := &run{engine: e, m: m, scope: newScope(m), options: o}
	run.out.Findings = make([]Finding, 0, 2*len(e.ids)+len(sys.Slots)+2*len(sys.Sockets))
	for _, id := range e.ids {
		run.rule(e.rules[id])
	}
	if err := run.profile(); err != nil {
		return nil, err
	}
	run.causes()
	run.waive()
	run.out.Summary = Summarize(run.out.Findings)
	return &run.out, nil
}

// run is one audit in progress.
type run struct {
	engine  *Engine
	m       *machineFacts
	scope   *scope
	options Options
	out     Audit
	// applied keeps the applicability of rules that is the same for every
	// subject.
	applied map[*Rule]applicable
	// depends holds depends_on of the rule that spoke, by finding index.
	depends map[int][]string
}

func (r *run) add(f Finding) int {
	r.out.Findings = append(r.out.Findings, f)
	return len(r.out.Findings) - 1
}

// Summarize counts the findings by result and finds the worst failure.
func Summarize(findings []Finding) Summary {
	var s Summary
	for _, f := range findings {
		switch f.Result {
		case Pass:
			s.Pass++
		case Fail:
			s.Fail++
			if f.Severity.Rank() > s.Worst.Rank() {
				s.Worst = f.Severity
			}
		case Unknown:
			s.Unknown++
		case NotApplicable:
			s.NotApplicable++
		case Waived:
			s.Waived++
		case Error:
			s.Error++
		}
	}
	return s
}

// causes names the root cause of findings whose rule depends on one that
// failed for the same subject or for the whole machine.
func (r *run) causes() {
	for i, ids := range r.depends {
		f := &r.out.Findings[i]
		if f.Result != Fail && f.Result != Unknown {
			continue
		}
		for _, id := range ids {
			if r.failed(id, f.Subject) {
				f.CausedBy = id
				break
			}
		}
	}
}

// failed reports whether a rule failed for a subject, for the socket that the
// subject belongs to, or for the machine, or, when the subject is the machine,
// for any part of it.
func (r *run) failed(id, subject string) bool {
	owner := r.m.owner(subject)
	for _, f := range r.out.Findings {
		if f.Rule == id && f.Result == Fail &&
			(f.Subject == subject || f.Subject == owner || f.Subject == SubjectMachine || subject == SubjectMachine) {
			return true
		}
	}
	return false
}
