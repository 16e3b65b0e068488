// Package fleet brings the reports of many machines together: findings by
// cause, groups of equal machines, who differs from the majority of its kind
// and in what, who waits for a reboot, who could not be judged and what would
// help. It reads documents, never machines.
package fleet

import (
	"cmp"
	"slices"

	"github.com/memaudit/memaudit/internal/report"
)

// Schema is what the document's "schema" key states.
const Schema = "memaudit.fleet/v1"

// Document is the outcome. Lists are never null; what is not known is null.
type Document struct {
	Schema   string    `json:"schema" jsonschema:"enum=memaudit.fleet/v1"`
	By       string    `json:"by" jsonschema:"enum=product,enum=platform,enum=cpu"`
	Machines []Machine `json:"machines"`
	// Unreadable are the inputs that gave no machine, with the reason.
	Unreadable []Unreadable `json:"unreadable"`
	// Findings are failures that follow from no other, by rule and severity, the
	// gravest and most frequent first.
	Findings []Finding `json:"findings"`
	// Groups are machines of one kind that are equal in all that is known.
	Groups []Group `json:"groups"`
	// BIOSVersions are the versions of each product, the most frequent first.
	BIOSVersions []BIOSVersion `json:"bios_versions"`
	// Measured are the machines whose report carries a measurement, the slowest
	// beside the median of its kind first.
	Measured []Measured `json:"measured"`
	// Pending are settings that wait for a reboot.
	Pending []Pending `json:"pending"`
	// Undecided are rules that could not be judged, by what would help.
	Undecided []Undecided `json:"undecided"`
}

// Machine is one machine of the fleet.
type Machine struct {
	Name string `json:"name"`
	// Kind is what it is compared within: its product, platform or processor.
	Kind        *string `json:"kind" jsonschema:"nullable"`
	Product     *string `json:"product" jsonschema:"nullable"`
	Platform    *string `json:"platform" jsonschema:"nullable"`
	CPU         *string `json:"cpu" jsonschema:"nullable"`
	BIOS        *string `json:"bios" jsonschema:"nullable"`
	MemoryBytes *int64  `json:"memory_bytes" jsonschema:"nullable,minimum=1"`
	// Population is the signature of what is populated and where.
	Population *string `json:"population" jsonschema:"nullable"`
	// Worst is the gravest severity that fails, null without a failure; Failures
	// counts those that follow from no other.
	Worst    *string `json:"worst_severity" jsonschema:"nullable,enum=info,enum=warning,enum=critical"`
	Failures int     `json:"failures" jsonschema:"minimum=0"`
	// Judged is false for an inventory, which holds no findings.
	Judged bool `json:"judged"`
	// RelativeBandwidth is the share of the full population's bandwidth of the
	// machine's worst processor, by measurement or the model's lower bound.
	RelativeBandwidth *float64 `json:"relative_bandwidth" jsonschema:"nullable,minimum=0"`

	traits map[string]string
}

// Unreadable is an input that gave no machine.
type Unreadable struct {
	Input  string `json:"input"`
	Reason string `json:"reason"`
}

// Finding is one failing rule with the machines that have it.
type Finding struct {
	Rule     string   `json:"rule"`
	Severity string   `json:"severity" jsonschema:"enum=info,enum=warning,enum=critical"`
	Machines []string `json:"machines"`
	// Example is what one of them shows.
	Example Example `json:"example"`
}

// Example is one machine's finding in words.
type Example struct {
	Machine string  `json:"machine"`
	Subject string  `json:"subject"`
	Found   *string `json:"found" jsonschema:"nullable"`
	Remedy  *string `json:"remedy" jsonschema:"nullable"`
}

// Group is a set of equal machines of one kind.
type Group struct {
	Kind      string   `json:"kind"`
	Signature string   `json:"signature"`
	Machines  []string `json:"machines"`
	// Majority is true for the group that holds more than half of its kind.
	Majority bool `json:"majority"`
	// Differs says in what its machines are unlike most of their kind.
	Differs []Difference `json:"differs"`
}

// Difference is one trait in which a machine is unlike most of its kind;
// MajorityHas is null where no value is held by more than half.
type Difference struct {
	Machine     string  `json:"machine"`
	Trait       string  `json:"trait"`
	Has         string  `json:"has"`
	MajorityHas *string `json:"majority_has" jsonschema:"nullable"`
}

// BIOSVersion is one version that machines of a product run.
type BIOSVersion struct {
	Product  string   `json:"product"`
	Version  string   `json:"version"`
	Machines []string `json:"machines"`
}

// Pending is a setting that changes at a machine's next boot.
type Pending struct {
	Machine string  `json:"machine"`
	Setting string  `json:"setting"`
	Now     *string `json:"now" jsonschema:"nullable"`
	Then    string  `json:"then"`
}

// Undecided is one reason why rules could not be judged.
type Undecided struct {
	Reason   string   `json:"reason"`
	KnownBy  *string  `json:"known_by" jsonschema:"nullable"`
	Machines []string `json:"machines"`
}

// Kinds are the words of --by.
func Kinds() []string { return []string{"product", "platform", "cpu"} }

// Fleet gathers machines one by one and keeps of each what the document needs.
// It is for one goroutine.
type Fleet struct {
	by         string
	machines   []Machine
	unreadable []Unreadable
	findings   map[[2]string]*Finding
	pending    []Pending
	measured   []Measured
	undecided  map[[2]string]*Undecided
	names      map[string]bool
	words      map[string]string
}

// New makes an empty fleet whose machines are compared within one of Kinds.
func New(by string) *Fleet {
	return &Fleet{by: by, findings: map[[2]string]*Finding{}, undecided: map[[2]string]*Undecided{}, names: map[string]bool{}, words: map[string]string{}}
}

// Refuse notes an input that gave no machine.
func (f *Fleet) Refuse(input, reason string) {
	f.unreadable = append(f.unreadable, Unreadable{input, reason})
}

// Add takes a machine's report. The name is made unique by the input that it
// came from.
func (f *Fleet) Add(name, input string, r *report.Report) {
	m := f.machine(name, input, &r.Inventory)
	m.Judged = true
	f.measurement(&m, r.Measured)
	for i := range r.Findings {
		f.finding(&m, &r.Findings[i])
	}
	f.machines = append(f.machines, m)
}

// AddInventory takes a machine's inventory, which was judged by nobody.
func (f *Fleet) AddInventory(name, input string, inv *report.Inventory) {
	m := f.machine(name, input, inv)
	f.undecide(m.Name, "an inventory holds no findings", "memaudit check --format json on the machine, or its snapshot")
	f.machines = append(f.machines, m)
}

func (f *Fleet) machine(name, input string, inv *report.Inventory) Machine {
	if f.names[name] {
		name = input
	}
	f.names[name] = true
	m := Machine{Name: name, traits: map[string]string{}}
	f.identity(&m, inv)
	f.memory(&m, inv)
	f.settings(&m, inv)
	return m
}

// finding counts one finding of a machine.
func (f *Fleet) finding(m *Machine, one *report.Finding) {
	switch one.Result {
	case "fail":
		if one.CausedBy != nil {
			return
		}
		m.Failures++
		if m.Worst == nil || report.Rank(one.Severity) > report.Rank(*m.Worst) {
			m.Worst = f.word(one.Severity)
		}
		f.failure(m.Name, one)
	case "unknown", "error":
		f.undecide(m.Name, report.OrEmpty(one.Reason), report.OrEmpty(one.KnownBy))
	}
}

func (f *Fleet) failure(machine string, one *report.Finding) {
	key := [2]string{one.Rule, one.Severity}
	all := f.findings[key]
	if all == nil {
		all = &Finding{Rule: one.Rule, Severity: one.Severity, Example: Example{machine, one.Subject, one.Found, one.Remedy}}
		f.findings[key] = all
	}
	all.Machines = appendOnce(all.Machines, machine)
}

func (f *Fleet) undecide(machine, reason, knownBy string) {
	key := [2]string{reason, knownBy}
	all := f.undecided[key]
	if all == nil {
		all = &Undecided{Reason: reason}
		if knownBy != "" {
			all.KnownBy = &key[1]
		}
		f.undecided[key] = all
	}
	all.Machines = appendOnce(all.Machines, machine)
}

// appendOnce appends a name that is not the last: a machine's findings come
// together.
func appendOnce(names []string, name string) []string {
	if n := len(names); n > 0 && names[n-1] == name {
		return names
	}
	return append(names, name)
}

// word keeps one copy of each text: ten thousand machines say much the same.
func (f *Fleet) word(s string) *string {
	if kept, ok := f.words[s]; ok {
		return &kept
	}
	f.words[s] = s
	return &s
}

// Document is the outcome, in an order that depends on the machines alone.
func (f *Fleet) Document() *Document {
	d := &Document{Schema: Schema, By: f.by, Machines: slices.Clone(f.machines), Unreadable: slices.Clone(f.unreadable),
		Pending: slices.Clone(f.pending), Findings: []Finding{}, Undecided: []Undecided{}}
	if d.Machines == nil {
		d.Machines = []Machine{}
	}
	if d.Unreadable == nil {
		d.Unreadable = []Unreadable{}
	}
	if d.Pending == nil {
		d.Pending = []Pending{}
	}
	for _, one := range f.findings {
		slices.Sort(one.Machines)
		d.Findings = append(d.Findings, *one)
	}
	for _, one := range f.undecided {
		slices.Sort(one.Machines)
		d.Undecided = append(d.Undecided, *one)
	}
	d.sort()
	d.Groups = groups(f.machines)
	d.BIOSVersions = biosVersions(d.Machines)
	d.Measured = ranked(f.measured)
	return d
}

func (d *Document) sort() {
	slices.SortFunc(d.Machines, worseFirst)
	slices.SortFunc(d.Unreadable, func(a, b Unreadable) int { return cmp.Compare(a.Input, b.Input) })
	slices.SortFunc(d.Findings, func(a, b Finding) int {
		return cmp.Or(report.Rank(b.Severity)-report.Rank(a.Severity), len(b.Machines)-len(a.Machines), cmp.Compare(a.Rule, b.Rule))
	})
	slices.SortFunc(d.Pending, func(a, b Pending) int {
		return cmp.Or(cmp.Compare(a.Machine, b.Machine), cmp.Compare(a.Setting, b.Setting))
	})
	slices.SortFunc(d.Undecided, func(a, b Undecided) int {
		return cmp.Or(len(b.Machines)-len(a.Machines), cmp.Compare(a.Reason, b.Reason), cmp.Compare(report.OrEmpty(a.KnownBy), report.OrEmpty(b.KnownBy)))
	})
}

// biosVersions counts the versions of each product; a machine of which either is
// unknown is left out.
func biosVersions(machines []Machine) []BIOSVersion {
	all := map[[2]string]*BIOSVersion{}
	for i := range machines {
		m := &machines[i]
		if m.Product == nil || m.BIOS == nil {
			continue
		}
		key := [2]string{*m.Product, *m.BIOS}
		if all[key] == nil {
			all[key] = &BIOSVersion{Product: key[0], Version: key[1]}
		}
		all[key].Machines = append(all[key].Machines, m.Name)
	}
	out := []BIOSVersion{}
	for _, v := range all {
		slices.Sort(v.Machines)
		out = append(out, *v)
	}
	slices.SortFunc(out, func(a, b BIOSVersion) int {
		return cmp.Or(cmp.Compare(a.Product, b.Product), len(b.Machines)-len(a.Machines), cmp.Compare(a.Version, b.Version))
	})
	return out
}

// worseFirst ranks machines: the bandwidth lost, then the gravest severity, then
// the name.
func worseFirst(a, b Machine) int {
	share := func(m *Machine) float64 {
		if m.RelativeBandwidth == nil {
			return 2 // not known stands after all that is
		}
		return *m.RelativeBandwidth
	}
	rank := func(m *Machine) int { return report.Rank(report.OrEmpty(m.Worst)) }
	return cmp.Or(cmp.Compare(share(&a), share(&b)), rank(&b)-rank(&a), cmp.Compare(a.Name, b.Name))
}

// Fails reports whether a machine fails at or above a severity's rank.
func (d *Document) Fails(rank int) bool {
	return slices.ContainsFunc(d.Machines, func(m Machine) bool { return m.Worst != nil && report.Rank(*m.Worst) >= rank })
}
