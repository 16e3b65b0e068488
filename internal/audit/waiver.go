package audit

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"memaudit.example/memaudit/internal/audit/verdict"
	"memaudit.example/memaudit/internal/model/humanize"
	"memaudit.example/memaudit/internal/model/inventory"
	"memaudit.example/memaudit/internal/model/nullable"
	"memaudit.example/memaudit/internal/model/settings"
	"memaudit.example/memaudit/internal/topology/population"
)

// Options are those of one audit.
type Options struct {
	// Profile is an intent or a profile id; Asked is true if the user selected it, false for the default.
	Profile string
	Asked   bool
	Waivers []WaiverSpec
	// Accepted are populations that a site accepts; Population is the signature of the machine's.
	Accepted   []AcceptedSpec
	Population func(sys *inventory.System, topo *population.Result) string
	// Now decides which waivers have expired.
	Now time.Time
	// Rules limits an audit to the rules whose ids it accepts, without a profile; nil evaluates all.
	Rules func(id string) bool
	// Bare limits findings to result, severity, certainty and the reason of an unknown: no texts, effects,
	// documents, evidence, causes or waivers.
	Bare bool
	// Changes returns the changes that bring settings of the machine's export to a profile, by setting; nil
	// without an export that can be changed. Reports and profiles patch use the same.
	Changes func(*Chosen) map[string]SettingWays
	// NoReadings leaves out the evidence of findings, for callers that do not print it: a large machine has a
	// few thousand.
	NoReadings bool
	// Prerequisites lists for each feature how the machine meets its prerequisites, also if nobody asked for it.
	Prerequisites bool
}

// SettingWays are the ways to change one setting of a machine's export.
type SettingWays struct {
	// Before is what must be done first.
	Before []string
	Ways   []settings.Instruction
	// Reason is why no change is known; then there are no ways.
	Reason string
}

// WaiverSpec is one accepted failure of the configuration.
type WaiverSpec struct {
	Rule string `yaml:"rule"`
	// Subject limits it to one subject; empty covers all.
	Subject string `yaml:"subject,omitempty"`
	Reason  string `yaml:"reason"`
	// Until is the last day it is valid, YYYY-MM-DD.
	Until string `yaml:"until"`
}

// AcceptedSpec is a population of a product that a site accepts: the findings about its layout are waived, and
// of no other.
type AcceptedSpec struct {
	// Product is the product's name as firmware prints it, Population the signature that memaudit labels
	// prints.
	Product    string `yaml:"product"`
	Population string `yaml:"population"`
	Reason     string `yaml:"reason"`
	// Until is the last day it is valid, YYYY-MM-DD.
	Until string `yaml:"until"`
}

// Check returns an error for an entry without product, population, reason or date.
func (a AcceptedSpec) Check() error {
	for _, f := range [][2]string{{"product", a.Product}, {"population", a.Population}, {"reason", a.Reason}} {
		if f[1] == "" {
			return fmt.Errorf("accepted population of %q: %s is missing", a.Product, f[0])
		}
	}
	_, err := lastDay("accepted population of "+a.Product, a.Until)
	return err
}

func lastDay(what, until string) (time.Time, error) {
	t, err := time.Parse(time.DateOnly, until)
	if err != nil {
		return time.Time{}, fmt.Errorf("%s: until is %q, expected a date such as 2027-06-30", what, until)
	}
	return t, nil
}

// Check returns an error for a waiver without rule, reason or date.
func (w WaiverSpec) Check() error {
	switch {
	case w.Rule == "":
		return fmt.Errorf("waiver names no rule")
	case w.Reason == "":
		return fmt.Errorf("waiver of %s gives no reason", w.Rule)
	}
	_, err := lastDay("waiver of "+w.Rule, w.Until)
	return err
}

// An expired waiver is reported and has no effect; one that matches nothing is reported. Consequences of waived failures
// alone are waived with them.
func (r *auditRun) applyWaivers() {
	r.acceptPopulation()
	for _, w := range r.options.Waivers {
		end, err := lastDay("waiver of "+w.Rule, w.Until)
		if err != nil {
			r.out.Notices = append(r.out.Notices, err.Error())
			continue
		}
		ended := r.options.Now.After(end.AddDate(0, 0, 1))
		matched := false
		for i := range r.out.Findings {
			f := &r.out.Findings[i]
			if f.Rule != w.Rule || (w.Subject != "" && w.Subject != f.Subject.String()) || f.Result != verdict.Fail {
				continue
			}
			matched = true
			f.Waiver = &verdict.Waiver{Reason: w.Reason, Until: nullable.String(w.Until)}
			if ended {
				f.Reason = nullable.String("the waiver ended on " + w.Until)
			} else {
				f.Result = verdict.Waived
			}
		}
		what := "waiver of " + w.Rule
		if w.Subject != "" {
			what += " (" + w.Subject + ")"
		}
		switch {
		case !matched:
			r.out.Notices = append(r.out.Notices, what+" matches no failure")
		case ended:
			r.out.Notices = append(r.out.Notices, what+" ended on "+w.Until+"; the failure counts again")
		}
	}
	// Accepting a cause accepts what follows from it alone.
	for again := true; again; {
		again = false
		for i := range r.out.Findings {
			f := &r.out.Findings[i]
			accepted := !slices.ContainsFunc(r.roots[i], func(root int) bool { return r.out.Findings[root].Result != verdict.Waived })
			if f.Result != verdict.Fail || len(r.roots[i]) == 0 || !accepted {
				continue
			}
			root := &r.out.Findings[r.roots[i][0]]
			reason := root.Waiver.Reason
			if !strings.HasPrefix(reason, follows) {
				reason = follows + root.Rule + ", which is accepted: " + reason
			}
			f.Result, f.Waiver = verdict.Waived, &verdict.Waiver{Reason: reason, Until: root.Waiver.Until, Population: root.Waiver.Population}
			again = true
		}
	}
}

// A DIMM that is lost, moved or of another size makes another population, which is not accepted.
func (r *auditRun) acceptPopulation() {
	for _, a := range r.options.Accepted {
		if !strings.EqualFold(a.Product, r.sys.Machine.Product.Or("")) {
			continue
		}
		end, err := lastDay("accepted population of "+a.Product, a.Until)
		have := r.options.Population(r.sys, r.population)
		switch {
		case err != nil:
			r.out.Notices = append(r.out.Notices, err.Error())
			continue
		case a.Population != have:
			r.out.Notices = append(r.out.Notices, "the accepted population of "+a.Product+" is "+a.Population+", this machine has "+have)
			continue
		case r.options.Now.After(end.AddDate(0, 0, 1)):
			r.out.Notices = append(r.out.Notices, "the accepted population of "+a.Product+" ended on "+a.Until+"; its failures count again")
			continue
		}
		for i := range r.out.Findings {
			if f := &r.out.Findings[i]; f.Result == verdict.Fail && r.engine.RoleOfRule(f.Rule).Layout {
				f.Result, f.Waiver = verdict.Waived, &verdict.Waiver{Reason: a.Reason, Until: nullable.String(a.Until), Population: true}
			}
		}
	}
}

// CheckWaivers returns an error for a waiver of a rule that is not loaded, with the most similar ids.
func (e *Engine) CheckWaivers(waivers []WaiverSpec) error {
	if len(waivers) == 0 {
		return nil
	}
	var known []string
	for _, rules := range e.rules {
		known = append(known, rules[0].ID)
	}
	for _, id := range settings.IDs() {
		known = append(known, "setting."+id)
	}
	for _, w := range waivers {
		if !slices.Contains(known, w.Rule) {
			return fmt.Errorf("waiver of %q: there is no such rule, nearest: %s", w.Rule, strings.Join(humanize.Nearest(known, w.Rule, nearest), ", "))
		}
	}
	return nil
}
