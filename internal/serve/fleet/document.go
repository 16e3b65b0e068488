// Package fleet aggregates the reports of many machines: findings by cause, groups of equal machines, outliers,
// pending reboots, and checks that could not be evaluated with what would help. It reads documents, never
// machines.
package fleet

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"

	"memaudit.example/memaudit/internal/audit/verdict"
	"memaudit.example/memaudit/internal/model/humanize"
	"memaudit.example/memaudit/internal/model/inventory"
	"memaudit.example/memaudit/internal/model/nullable"
	"memaudit.example/memaudit/internal/report"
	"memaudit.example/memaudit/internal/topology/population"
)

// Schema is the value of the document's "schema" key.
const Schema = "memaudit.fleet/v1"

// Document is the result. Lists are never null; unknown values are null.
type Document struct {
	Schema   string    `json:"schema"`
	By       GroupKind `json:"by"`
	Machines []Machine `json:"machines"`
	// Verdicts counts the machines by the status of their verdict.
	Verdicts map[report.Status]int `json:"verdicts"`
	// Unreadable are the inputs without a machine, with the reason; UnreadableMore counts those behind the first thousand.
	Unreadable     []Unreadable `json:"unreadable"`
	UnreadableMore int          `json:"unreadable_more" jsonschema:"minimum=0"`
	// Problems are the root causes of the machines' reports, the worst and most frequent first.
	Problems []Problem `json:"problems"`
	// Findings are failures that do not follow from another, by rule and severity, the worst and most frequent
	// first.
	Findings []Finding `json:"findings"`
	// Groups are machines of one kind that are equal in all known traits.
	Groups []Group `json:"groups"`
	// BIOSVersions are the versions of each product, the most frequent first.
	BIOSVersions []BIOSVersion `json:"bios_versions"`
	// Measured are the machines with a measurement in their report, the slowest compared with the median of its
	// kind first.
	Measured []Measured `json:"measured"`
	// Pending are settings that change at the next reboot.
	Pending []Pending `json:"pending"`
	// Undecided are rules that could not be evaluated, by what would help.
	Undecided []Undecided `json:"undecided"`
	// Plan is the plan for the modules of the fleet, absent unless requested.
	Plan *Plan `json:"plan,omitempty"`
}

// Machine is one machine of the fleet.
type Machine struct {
	Name string `json:"name"`
	// Kind is the product, platform or processor that it is compared within.
	Kind        nullable.String `json:"kind" jsonschema:"nullable"`
	Product     nullable.String `json:"product" jsonschema:"nullable"`
	Platform    nullable.String `json:"platform" jsonschema:"nullable"`
	CPU         nullable.String `json:"cpu" jsonschema:"nullable"`
	BIOS        nullable.String `json:"bios" jsonschema:"nullable"`
	MemoryBytes *int64          `json:"memory_bytes" jsonschema:"nullable,minimum=1"`
	// Population is the signature of the populated slots.
	Population nullable.String `json:"population" jsonschema:"nullable"`
	// Worst is the highest severity of a failure, null if there is none; Failures counts those that do not
	// follow from another.
	Worst    verdict.Severity `json:"worst_severity" jsonschema:"nullable"`
	Failures int              `json:"failures" jsonschema:"minimum=0"`
	// Verdict is that of the machine's report, null for an inventory.
	Verdict *report.Verdict `json:"verdict" jsonschema:"nullable"`
	// Judged is false for an inventory, which has no findings.
	Judged bool `json:"judged"`
	// RelativeBandwidth is the share of the best bandwidth of the machine's worst processor, as documented or
	// at least; RelativeBandwidthHigh is the upper bound.
	RelativeBandwidth     *float64 `json:"relative_bandwidth" jsonschema:"nullable,minimum=0"`
	RelativeBandwidthHigh *float64 `json:"relative_bandwidth_high" jsonschema:"nullable,minimum=0"`
	// Problems are the numbered problems of the machine's report, those above info.
	Problems []MachineProblem `json:"problems"`

	traits map[string]string
}

// mostUnreadable limits those that are listed: an archive may have any number of members that are no input.
const mostUnreadable = 1000

// NotRead is the number of inputs without a machine.
func (d *Document) NotRead() int { return len(d.Unreadable) + d.UnreadableMore }

// Unreadable is an input without a machine.
type Unreadable struct {
	Input  string `json:"input"`
	Reason string `json:"reason"`
}

// MachineProblem is one numbered problem of a machine's report.
type MachineProblem struct {
	Severity verdict.Severity `json:"severity"`
	Rule     string           `json:"rule"`
	Text     string           `json:"text"`
	Fix      string           `json:"fix"`
}

// Problem is one root cause with the machines that have it.
type Problem struct {
	Severity verdict.Severity `json:"severity"`
	Rule     string           `json:"rule"`
	Sentence string           `json:"sentence"`
	Machines []string         `json:"machines"`
	// Fix is what to do: the kinds of change with the number of machines, or the fix of most of them.
	Fix string `json:"fix"`
	// LowestBandwidth is the share of the best bandwidth of the machine with the least, LowestOn its name; null
	// and "" if unknown.
	LowestBandwidth nullable.String `json:"lowest_bandwidth" jsonschema:"nullable"`
	LowestOn        string          `json:"lowest_on"`
}

// Finding is one failing rule with the machines that have it.
type Finding struct {
	Rule     string           `json:"rule"`
	Severity verdict.Severity `json:"severity"`
	Machines []string         `json:"machines"`
	// Example is the finding of one of them.
	Example Example `json:"example"`
}

// Example is the texts of one machine's finding.
type Example struct {
	Machine string            `json:"machine"`
	Subject inventory.Subject `json:"subject"`
	Found   nullable.String   `json:"found" jsonschema:"nullable"`
	Remedy  nullable.String   `json:"remedy" jsonschema:"nullable"`
}

// Group is a set of equal machines of one kind.
type Group struct {
	Kind      string   `json:"kind"`
	Signature string   `json:"signature"`
	Machines  []string `json:"machines"`
	// Majority is true for the group with more than half of its kind.
	Majority bool `json:"majority"`
	// Differs lists how its machines differ from most of their kind.
	Differs []Difference `json:"differs"`
}

// Difference is a trait in which a machine differs from more than half of its kind, if at least leastCompared
// of them have the trait.
type Difference struct {
	Machine     string `json:"machine"`
	Trait       string `json:"trait"`
	Has         string `json:"has"`
	MajorityHas string `json:"majority_has"`
}

// BIOSVersion is one version that machines of a product run.
type BIOSVersion struct {
	Product  string   `json:"product"`
	Version  string   `json:"version"`
	Machines []string `json:"machines"`
}

// Pending is a setting that changes at a machine's next boot.
type Pending struct {
	Machine string          `json:"machine"`
	Setting string          `json:"setting"`
	Now     nullable.String `json:"now" jsonschema:"nullable"`
	Then    string          `json:"then"`
}

// Undecided is one reason why rules could not be evaluated.
type Undecided struct {
	Reason   string          `json:"reason"`
	KnownBy  nullable.String `json:"known_by" jsonschema:"nullable"`
	Machines []string        `json:"machines"`
}

// Measured is the memory read bandwidth of a machine in its last memaudit measure.
type Measured struct {
	Machine string          `json:"machine"`
	Kind    nullable.String `json:"kind" jsonschema:"nullable"`
	// Node is the slowest node, and ReadBytesPerSecond the rate at which its CPUs read its local memory; null
	// while a node is undecided, which may be the slowest.
	Node               *int     `json:"node" jsonschema:"nullable"`
	ReadBytesPerSecond *float64 `json:"read_bytes_per_second" jsonschema:"nullable,minimum=0"`
	// ShareOfMedian is its share of the median machine of its kind; null if fewer than leastMeasured of the
	// kind were measured.
	ShareOfMedian *float64        `json:"share_of_median" jsonschema:"nullable,minimum=0"`
	Undecided     nullable.String `json:"undecided" jsonschema:"nullable"`
}

// FailsAtRank reports whether a machine fails at or above a severity's rank.
func (d *Document) FailsAtRank(rank int) bool {
	return slices.ContainsFunc(d.Machines, func(m Machine) bool { return m.Worst != "" && report.SeverityRank(string(m.Worst)) >= rank })
}

// HasNoPlan reports whether nothing could be planned for any machine.
func (d *Document) HasNoPlan() bool {
	return d.Plan.without() == len(d.Machines)
}

// Unknown reports whether a machine's verdict is unknown.
func (d *Document) Unknown() bool { return d.Verdicts[report.StatusUnknown] > 0 }

func (m *Measured) figureCells() []string {
	if m == nil {
		return []string{"", ""}
	}
	rate := ""
	if m.ReadBytesPerSecond != nil {
		rate = strconv.FormatFloat(*m.ReadBytesPerSecond, 'f', 0, 64)
	}
	return []string{rate, formatShare(m.ShareOfMedian)}
}

// GroupKind is a value of --by.
type GroupKind string

// Values returns the kinds, the default first.
func (GroupKind) Values() []GroupKind { return []GroupKind{"product", "platform", "cpu"} }

// GroupKinds are the values of --by.
func GroupKinds() []string {
	return humanize.Each(GroupKind("").Values(), func(k GroupKind) string { return string(k) })
}

// Fleet collects machines one by one and keeps what the document needs. It is not safe for concurrent use.
type Fleet struct {
	by         string
	headline   func(rule string) string
	problems   map[[2]string]*cause
	machines   []Machine
	unreadable []Unreadable
	// refused counts all inputs without a machine.
	refused   int
	findings  map[[2]string]*Finding
	pending   []Pending
	measured  []Measured
	undecided map[[2]string]*Undecided
	names     map[string]bool
	words     map[string]string
	// plan is nil unless requested.
	plan *planner
}

// New returns an empty fleet whose machines are compared within one of GroupKinds. headline returns a rule's
// general description of its failure, "" if it has none.
func New(by string, headline func(rule string) string) *Fleet {
	return &Fleet{by: by, headline: headline, problems: map[[2]string]*cause{}, findings: map[[2]string]*Finding{}, undecided: map[[2]string]*Undecided{}, names: map[string]bool{}, words: map[string]string{}}
}

// appendOnce appends a name unless it is the last: a machine's findings are added together.
func appendOnce(names []string, name string) []string {
	if n := len(names); n > 0 && names[n-1] == name {
		return names
	}
	return append(names, name)
}

// internText keeps one copy of each text, because ten thousand machines have mostly the same ones.
func (f *Fleet) internText(s string) string {
	kept, ok := f.words[s]
	if !ok {
		kept, f.words[s] = s, s
	}
	return kept
}

// Document returns the result, in an order that depends only on the machines.
func (f *Fleet) Document() *Document {
	d := &Document{Schema: Schema, By: GroupKind(f.by), Machines: append([]Machine{}, f.machines...), Unreadable: append([]Unreadable{}, f.unreadable...),
		UnreadableMore: f.refused - len(f.unreadable), Pending: append([]Pending{}, f.pending...), Findings: []Finding{}, Undecided: []Undecided{}, Verdicts: map[report.Status]int{}}
	for _, s := range report.Statuses() {
		d.Verdicts[s] = 0
	}
	for i := range d.Machines {
		if v := d.Machines[i].Verdict; v != nil {
			d.Verdicts[v.Status]++
		}
	}
	for _, one := range f.findings {
		slices.Sort(one.Machines)
		d.Findings = append(d.Findings, *one)
	}
	for _, one := range f.undecided {
		slices.Sort(one.Machines)
		d.Undecided = append(d.Undecided, *one)
	}
	d.Problems = f.listProblems(d.Machines)
	slices.SortFunc(d.Machines, worseFirst)
	slices.SortFunc(d.Unreadable, func(a, b Unreadable) int { return cmp.Compare(a.Input, b.Input) })
	slices.SortFunc(d.Findings, func(a, b Finding) int {
		return cmp.Or(report.SeverityRank(b.Severity)-report.SeverityRank(a.Severity), len(b.Machines)-len(a.Machines), cmp.Compare(a.Rule, b.Rule))
	})
	slices.SortFunc(d.Pending, func(a, b Pending) int {
		return cmp.Or(cmp.Compare(a.Machine, b.Machine), cmp.Compare(a.Setting, b.Setting))
	})
	slices.SortFunc(d.Undecided, func(a, b Undecided) int {
		return cmp.Or(len(b.Machines)-len(a.Machines), cmp.Compare(a.Reason, b.Reason), cmp.Compare(string(a.KnownBy), string(b.KnownBy)))
	})
	d.Groups = groupMachines(f.machines)
	d.BIOSVersions = biosVersions(d.Machines)
	d.Measured = rankMeasured(f.measured)
	if f.plan != nil {
		d.Plan = f.plan.buildPlan(d.Machines)
	}
	return d
}

// biosVersions counts the versions of each product; a machine with an unknown product or version is left out.
func biosVersions(machines []Machine) []BIOSVersion {
	type version struct{ product, bios nullable.String }
	all, out := map[version][]string{}, []BIOSVersion{}
	for _, m := range machines {
		if m.Product != "" && m.BIOS != "" {
			v := version{m.Product, m.BIOS}
			all[v] = append(all[v], m.Name)
		}
	}
	for v, names := range all {
		slices.Sort(names)
		out = append(out, BIOSVersion{string(v.product), string(v.bios), names})
	}
	slices.SortFunc(out, func(a, b BIOSVersion) int {
		return cmp.Or(cmp.Compare(a.Product, b.Product), len(b.Machines)-len(a.Machines), cmp.Compare(a.Version, b.Version))
	})
	return out
}

// worseFirst orders machines by status, then bandwidth, then name; those without findings come last.
func worseFirst(a, b Machine) int {
	rank := func(m *Machine) int {
		if m.Verdict == nil {
			return -1
		}
		return slices.Index(report.Statuses(), m.Verdict.Status)
	}
	return cmp.Or(rank(&b)-rank(&a), lessBandwidth(&a, &b), cmp.Compare(a.Name, b.Name))
}

// lessBandwidth orders machines by the bandwidth of their worst processor; unknown comes last.
func lessBandwidth(a, b *Machine) int {
	return population.CompareShares(a.relativeShare(), b.relativeShare())
}

// RecordRefusal records an input without a machine.
func (f *Fleet) RecordRefusal(input, reason string) {
	if f.refused++; f.refused <= mostUnreadable {
		f.unreadable = append(f.unreadable, Unreadable{input, reason})
	}
}

// Add adds a machine's report and returns its name, which is made unique by its input.
func (f *Fleet) Add(name, input string, r *report.Report) string {
	m := f.buildMachine(name, input, &r.Inventory)
	kept := r.Verdict // a pointer into the report would keep all of it
	m.Judged, m.Verdict = true, &kept
	f.measurement(&m, r.Measured)
	for i := range r.Findings {
		f.recordFinding(&m, &r.Findings[i])
	}
	for i := range r.Problems {
		f.recordProblem(&m, r, &r.Problems[i])
	}
	f.machines = append(f.machines, m)
	return m.Name
}

// AddInventory adds a machine's inventory, which has no findings, and returns its name.
func (f *Fleet) AddInventory(name, input string, inv *report.Inventory) string {
	m := f.buildMachine(name, input, inv)
	f.recordUndecided(m.Name, "an inventory holds no findings", "memaudit check --format json on the machine, or its snapshot")
	f.machines = append(f.machines, m)
	return m.Name
}

func (f *Fleet) buildMachine(name, input string, inv *report.Inventory) Machine {
	own := name
	for n := 1; f.names[own]; n++ {
		own = input
		if n > 1 {
			own = fmt.Sprintf("%s (%d)", input, n)
		}
	}
	f.names[own] = true
	m := Machine{Name: own, Problems: []MachineProblem{}, traits: map[string]string{}}
	f.recordIdentity(&m, inv)
	f.recordMemory(&m, inv)
	f.recordSettings(&m, inv)
	return m
}

func (f *Fleet) recordFinding(m *Machine, one *verdict.Finding) {
	switch one.Result {
	case verdict.Fail:
		if m.Worst == "" || report.SeverityRank(one.Severity) > report.SeverityRank(m.Worst) {
			m.Worst = one.Severity
		}
		if one.CausedBy != "" {
			return
		}
		m.Failures++
		key := [2]string{one.Rule, string(one.Severity)}
		if f.findings[key] == nil {
			f.findings[key] = &Finding{Rule: one.Rule, Severity: one.Severity, Example: Example{m.Name, one.Subject, one.Found, one.Remedy}}
		}
		f.findings[key].Machines = appendOnce(f.findings[key].Machines, m.Name)
	case verdict.Unknown, verdict.Error:
		f.recordUndecided(m.Name, string(one.Reason), string(one.KnownBy))
	case verdict.Pass, verdict.NotApplicable, verdict.Waived:
	}
}

func (f *Fleet) recordUndecided(machine, reason, knownBy string) {
	key := [2]string{reason, knownBy}
	if f.undecided[key] == nil {
		f.undecided[key] = &Undecided{Reason: reason, KnownBy: nullable.String(knownBy)}
	}
	f.undecided[key].Machines = appendOnce(f.undecided[key].Machines, machine)
}
