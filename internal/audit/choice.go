package audit

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"memaudit.example/memaudit/internal/audit/rulepack"
	"memaudit.example/memaudit/internal/audit/verdict"
	"memaudit.example/memaudit/internal/model/humanize"
	"memaudit.example/memaudit/internal/model/inventory"
	"memaudit.example/memaudit/internal/model/settings"
	"memaudit.example/memaudit/internal/topology/platform"
	"memaudit.example/memaudit/internal/topology/population"
)

const nearest = 3

// UnknownProfileError is returned for a profile name that is neither an intent nor the id of a loaded profile.
type UnknownProfileError struct {
	Name string
	// Nearest are the most similar known names, best first.
	Nearest []string
	// Fitting are the ids written for the audited machine, empty if it was not read or has none.
	Fitting []string
}

func (e *UnknownProfileError) Error() string {
	return fmt.Sprintf("profile %q is not known, nearest: %s%s; expected an intent or a profile id; the intents are %s", e.Name, strings.Join(e.Nearest, ", "),
		fittingHint(e.Fitting), strings.Join(rulepack.Intents[:], ", "))
}

// ForeignProfileError is returned for the id of a profile that a vendor wrote for other machines than this one:
// another vendor's, or another generation.
type ForeignProfileError struct {
	Name string
	// Written is what the profile is written for, This what the machine is.
	Written, This string
	Fitting       []string
}

func (e *ForeignProfileError) Error() string {
	return fmt.Sprintf("profile %q is written for %s, and this one is %s%s", e.Name, e.Written, e.This, fittingHint(e.Fitting))
}

func fittingHint(fitting []string) string {
	if len(fitting) == 0 {
		return ""
	}
	return "; for this machine: " + strings.Join(fitting, ", ")
}

// CheckProfile returns an error unless the name is an intent or a loaded profile.
func (e *Engine) CheckProfile(name string) error {
	known := slices.Clone(rulepack.Intents[:])
	for _, p := range e.profiles {
		known = append(known, p.ID)
	}
	if slices.Contains(known, name) {
		return nil
	}
	type likeness struct{ shared, unlike int }
	like := make(map[string]likeness, len(known))
	for _, k := range known {
		like[k] = likeness{commonWordScore(name, k), nameDistance(name, k)}
	}
	slices.SortStableFunc(known, func(a, b string) int {
		return cmp.Or(cmp.Compare(like[b].shared, like[a].shared), cmp.Compare(like[a].unlike, like[b].unlike))
	})
	return &UnknownProfileError{Name: name, Nearest: known[:min(nearest, len(known))]}
}

// CheckFits returns a ForeignProfileError if the name is the id of a vendor's profile and the machine is known
// to be none of those it is written for. A profile whose document is not a vendor's (workloads/...) is never an
// error: if it does not cover the machine it is not applied.
func (e *Engine) CheckFits(name string, sys *inventory.System, topo *population.Result) error {
	r := newRun(e, sys, topo, Options{Asked: true})
	var others []*rulepack.Match
	for _, p := range e.profiles {
		if p.ID != name {
			continue
		}
		if p.For == nil || r.runsFirmware(p.Firmware) || r.mayMatchMachine(p.For) || !r.isVendorProfile(p) {
			return nil
		}
		others = append(others, p.For)
	}
	if len(others) == 0 {
		return nil
	}
	out := &ForeignProfileError{Name: name, Fitting: e.FittingIDs(sys, topo)}
	out.Written, out.This = r.describeMismatch(others)
	return out
}

func (r *auditRun) isVendorProfile(p *rulepack.ListedProfile) bool {
	return len(p.For.Vendors) > 0 || slices.Contains(slices.Collect(maps.Values(cpuVendors)), platform.VendorWord(p.Whole().Citation.Vendor))
}

func (r *auditRun) describeMismatch(others []*rulepack.Match) (written, this string) {
	var vendors, products, platforms []string
	for _, m := range others {
		switch {
		case !matchText(m.Vendors, r.sys.Machine.Vendor, strings.HasPrefix, true):
			vendors = append(vendors, m.Vendors...)
		case !matchText(m.Products, r.sys.Machine.Product, strings.Contains, true):
			products = append(products, m.Products...)
		default:
			platforms = append(platforms, m.Platforms...)
		}
	}
	switch {
	case len(platforms) > 0:
		return "the platforms " + strings.Join(platforms, ", "), r.population.Platform.Value.ID
	case len(products) > 0:
		return "machines with " + strings.Join(products, " or ") + " in their name", "a " + r.sys.Machine.Product.Value
	default:
		return "machines of " + strings.Join(vendors, ", "), "of " + r.sys.Machine.Vendor.Value
	}
}

// Applicable is a profile that is written for a machine.
type Applicable struct {
	ID string
	// Answers are the intents that resolve to it on this machine.
	Answers []string
	// Standing is how close the document is to the machine, as in verdict.Citation.
	Standing verdict.Standing
	// width is the number of conditions of the profile's match.
	width int
}

// FittingProfiles lists the profiles written for a machine, in file order.
func (e *Engine) FittingProfiles(sys *inventory.System, topo *population.Result) []Applicable {
	r := newRun(e, sys, topo, Options{Asked: true})
	answers := map[*rulepack.ListedProfile][]string{}
	for _, intent := range rulepack.Intents {
		if p, _ := r.resolveProfile(intent); p != nil {
			answers[p] = append(answers[p], intent)
		}
	}
	var out []Applicable
	for _, p := range e.profiles {
		if applies, _ := r.profileApplies(p); applies {
			out = append(out, Applicable{ID: p.ID, Answers: answers[p], Standing: r.documentStanding(p.Whole()), width: p.For.CountLists()})
		}
	}
	return out
}

// PossibleProfiles lists the profiles of the machine's vendor that may be written for it, those that name it first, and
// the unknown facts that would decide. It returns nothing if all of these are known, or if the vendor is
// unknown.
func (e *Engine) PossibleProfiles(sys *inventory.System, topo *population.Result) (fits []Applicable, missing []string) {
	r := newRun(e, sys, topo, Options{Asked: true})
	if !sys.Machine.Vendor.Known() {
		return nil, nil
	}
	if !topo.Platform.Known() {
		missing = append(missing, MissingProcessors)
	}
	if !sys.Machine.Product.Known() {
		missing = append(missing, MissingProduct)
	}
	for _, p := range e.profiles {
		if len(missing) > 0 && !r.writtenFor(p) && p.For != nil && len(p.For.Vendors) > 0 && r.mayMatchMachine(p.For) {
			fits = append(fits, Applicable{ID: p.ID, Standing: r.documentStanding(p.Whole()), width: p.For.CountLists()})
		}
	}
	slices.SortStableFunc(fits, func(a, b Applicable) int { return cmp.Compare(len(a.Standing), len(b.Standing)) })
	return fits, missing
}

// The facts that decide which profiles fit a machine.
const (
	MissingProcessors = "processors"
	MissingProduct    = "product"
)

// FittingIDs lists the ids of the profiles written for a machine, the narrowest first.
func (e *Engine) FittingIDs(sys *inventory.System, topo *population.Result) []string {
	fits := e.FittingProfiles(sys, topo)
	slices.SortStableFunc(fits, func(a, b Applicable) int { return cmp.Compare(b.width, a.width) })
	ids := make([]string, 0, len(fits))
	for _, f := range fits {
		ids = append(ids, f.ID)
	}
	return ids
}

// A word in common scores two, a misspelt one one, and one more if both start with it, which is the vendor.
func commonWordScore(name, known string) int {
	between := func(r rune) bool { return r == '/' || r == '-' || r == '_' || r == ' ' }
	ours, theirs := strings.FieldsFunc(strings.ToLower(name), between), strings.FieldsFunc(known, between)
	sum := 0
	for i, w := range ours {
		switch {
		case slices.Contains(theirs, w):
			sum += 2
		case slices.ContainsFunc(theirs, func(k string) bool { return humanize.Distance(w, k) <= len(w)/wordSlips }):
			sum++
		default:
			continue
		}
		if i == 0 && humanize.Distance(w, theirs[0]) <= len(w)/wordSlips {
			sum++
		}
	}
	return sum
}

// wordSlips is the number of letters in a word per permitted wrong letter.
const wordSlips = 4

// The last part of a known name counts, too, because users leave out the family.
func nameDistance(name, known string) int {
	name = strings.ToLower(name)
	d := humanize.Distance(name, known)
	if at := strings.LastIndex(known, "/"); at >= 0 {
		d = min(d, 1+humanize.Distance(name, known[at+1:]))
	}
	return d
}

// Chosen is a profile as it applies to one machine.
type Chosen struct {
	Profile *rulepack.ProfileSpec
	// Rows are those that apply to the machine; Silent has a finding with the reason for each row that does
	// not, or that may not.
	Rows   []rulepack.WantedSetting
	Silent []verdict.Finding
	// Analogy names the machines that the document covers, if this one is none of them.
	Analogy string
	// Wish describes the machine for the vendors' tables of settings.
	Wish func(id string) settings.Change
}

// ChooseProfile finds the profile of a name for a machine; nil with the reason if none is written for it. The error is
// a wrong name.
func (e *Engine) ChooseProfile(name string, sys *inventory.System, topo *population.Result) (*Chosen, string, error) {
	if err := e.CheckProfile(name); err != nil {
		return nil, "", err
	}
	r := newRun(e, sys, topo, Options{Asked: true})
	p, why := r.resolveProfile(name)
	if p == nil {
		return nil, why, nil
	}
	return r.chosenProfile(p.Whole()), "", nil
}

func (r *auditRun) chosenProfile(p *rulepack.ProfileSpec) *Chosen {
	c := &Chosen{Profile: p}
	if !r.namesMachine(&p.ListedProfile) {
		c.Analogy = strings.Join(p.Named, ", ")
	}
	rows := p.Settings
	for i := range rows {
		f := startSetting(p, &rows[i])
		if r.settingApplies(&rows[i], &f) {
			c.Rows = append(c.Rows, rows[i])
		} else {
			c.Silent = append(c.Silent, f)
		}
	}
	c.Wish = func(id string) settings.Change { return r.changeFor(r.sys.Settings[id]) }
	return c
}
