package cli

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"memaudit.example/memaudit/internal/audit"
	"memaudit.example/memaudit/internal/audit/rulepack"
	"memaudit.example/memaudit/internal/audit/verdict"
	"memaudit.example/memaudit/internal/model/nullable"
	"memaudit.example/memaudit/internal/topology/population"
)

func (f *inputFlags) names() bool {
	return f.root != "" || !f.live() || len(f.bios) > 0 || f.redfish.url != ""
}

func (p *Program) fitting(input *inputFlags, packs []*rulepack.Pack, format string) error {
	sys, failed := p.system(input)
	if sys == nil {
		return failed
	}
	engine, topo := audit.NewEngine(packs), population.Derive(sys, p.Rules)
	fits, maker := engine.Fitting(sys, topo), sys.Machine.Vendor.Known()
	possible, missing := engine.Possible(sys, topo)
	var err error
	if format == "json" {
		all := rulepack.DescribeChosen(packs, func(i *rulepack.ProfileInfo) bool {
			is := func(f audit.Applicable) bool { return f.ID == i.ID }
			return slices.ContainsFunc(fits, is) || slices.ContainsFunc(possible, is)
		})
		err = writeJSON(p.Stdout, append(fittingProfiles(described(all, fits), fits, maker, nil), fittingProfiles(described(all, possible), possible, maker, missing)...))
	} else {
		all := rulepack.ListProfiles(packs) // without settings
		var fitting, maybe string
		if fitting, err = p.listFitting(described(all, fits), fits, maker); err == nil {
			maybe, err = p.listPossible(described(all, possible), possible, missing)
		}
		if err == nil {
			err = p.say(fitting + leftOut(engine.Compare(sys, topo)) + maybe)
		}
	}
	return cmp.Or(err, failed)
}

func described(all []rulepack.ProfileInfo, fits []audit.Applicable) []rulepack.ProfileInfo {
	out := make([]rulepack.ProfileInfo, 0, len(fits))
	for _, f := range fits {
		if i := slices.IndexFunc(all, func(i rulepack.ProfileInfo) bool { return i.ID == f.ID }); i >= 0 {
			out = append(out, all[i])
		}
	}
	return out
}

type fittingProfile struct {
	rulepack.ProfileInfo
	// Answers are the intents that resolve to it on this machine.
	Answers []string `json:"answers"`
	// Standing is ownMaker, or that of a document about other machines; null if the machine's vendor is
	// unknown.
	Standing nullable.String `json:"standing"`
	// Missing are the unknown facts of the machine that decide whether the profile applies; empty if it does.
	Missing []string `json:"missing"`
}

// ownMaker is the standing of a document by the machine's vendor about such machines.
const ownMaker = "own maker"

func fittingProfiles(infos []rulepack.ProfileInfo, fits []audit.Applicable, maker bool, missing []string) []fittingProfile {
	out := make([]fittingProfile, 0, len(fits))
	for i, f := range fits {
		standing := f.Standing
		if standing == "" && maker {
			standing = ownMaker
		}
		out = append(out, fittingProfile{infos[i], append([]string{}, f.Answers...), nullable.String(standing), append([]string{}, missing...)})
	}
	return out
}

func undocumented(fits []audit.Applicable) []string {
	return slices.DeleteFunc(slices.Clone(rulepack.Intents[:]), func(intent string) bool {
		return slices.ContainsFunc(fits, func(f audit.Applicable) bool { return slices.Contains(f.Answers, intent) })
	})
}

// listFitting prints the profiles that apply with their intents on this machine, and whether the document is
// the vendor's and names it; then the intents without a document.
func (p *Program) listFitting(infos []rulepack.ProfileInfo, fits []audit.Applicable, maker bool) (string, error) {
	out, err := p.listProfiles(fitLines(infos, fits, func(i int) []string { return fits[i].Answers }, maker))
	if none := undocumented(fits); len(fits) > 0 && len(none) > 0 {
		out += fmt.Sprintf("\nno document for this machine: %s\n", strings.Join(none, ", "))
	}
	return out, err
}

func fitLines(infos []rulepack.ProfileInfo, fits []audit.Applicable, answers func(int) []string, maker bool) []profileLine {
	out := make([]profileLine, len(fits))
	for i, f := range fits {
		note := ""
		switch f.Standing {
		case "":
			if maker {
				note = "; by the machine's own vendor"
			}
		case verdict.Analogous:
			note = "; by analogy, the document names other machines"
		case verdict.Practice:
			note = "; general practice, no document of the machine's vendor"
		default: // the standings of a rule's document
		}
		out[i] = profileLine{infos[i], answers(i), note}
	}
	return out
}

func (p *Program) listPossible(infos []rulepack.ProfileInfo, fits []audit.Applicable, missing []string) (string, error) {
	if len(infos) == 0 {
		return "", nil
	}
	list, err := p.listProfiles(fitLines(infos, fits, func(i int) []string { return infos[i].Intents }, false))
	return "profiles of this vendor that may apply; unknown so far: " + strings.Join(missing, " and ") + " (add --smbios FILE or --root DIR):\n\n" + list, err
}

func leftOut(c *verdict.Comparison) string {
	var out strings.Builder
	if c.Why != "" {
		fmt.Fprintln(&out, c.Why)
	}
	for _, u := range c.Undecided {
		fmt.Fprintf(&out, "%s: %s\n", u.ID, u.Reason)
	}
	return out.String()
}
