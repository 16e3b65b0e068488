package report

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"memaudit.example/memaudit/internal/advice/plan"
	"memaudit.example/memaudit/internal/audit/verdict"
	"memaudit.example/memaudit/internal/model/inventory"
	"memaudit.example/memaudit/internal/topology/platform"
	"memaudit.example/memaudit/internal/topology/population"
)

// verdictHeadline summarises the machine: the worst root cause with its cost, or with the next one of the same severity and
// another rule.
func (r *Report) verdictHeadline() string {
	first := &r.Problems[0]
	out := r.problemHeadline(first)
	for i := 1; i < len(r.Problems) && first.IsAboveNote() && r.Problems[i].Severity == first.Severity; i++ {
		if next := &r.Problems[i]; next.Rule != first.Rule {
			if both := out + ", and " + cmp.Or(next.Members[0].Headline, r.problemHeadline(next)); r.fitsTwoLines(both) {
				return both
			}
			return out
		}
	}
	if cost := r.bandwidthCost(first); cost != "" && r.fitsTwoLines(out+"; "+cost) {
		out += "; " + cost
	}
	return out
}

const mostSlots = 2

func (r *Report) problemHeadline(p *Problem) string {
	headline := p.Members[0].Headline
	switch {
	case p.Settings() && len(p.Members) == 1:
		return p.Sentence
	case p.Settings(): // without the names of several
		return r.settingsCount(p.Members)
	case p.Rule == channelRule:
		return cmp.Or(r.channelHeadline(p), headline, p.Text())
	case headline != "" && (len(p.Members) > mostSlots || len(p.Members) > 1 && p.Members[0].Subject.Kind != inventory.AboutSlot || !r.fitsTwoLines(p.Text())):
		return headline
	default:
		return p.Text()
	}
}

// channelHeadline says that DIMMs are in the wrong slots, if moving a few of them cures the problem, else how many channels are empty;
// "" if that is not known.
func (r *Report) channelHeadline(p *Problem) string {
	dimms, empty, total, known := 0, 0, 0, true
	for _, s := range r.Inventory.Population.Sockets {
		dimms += s.DIMMs.Or(0)
		known = known && s.ChannelsTotal.Known() && s.ChannelsPopulated.Known()
		total += s.ChannelsTotal.Value
		empty += s.ChannelsTotal.Value - s.ChannelsPopulated.Value
	}
	if p.Cure >= 0 {
		switch a := &r.Advice[p.Cure]; {
		case a.Moves == 0 || a.Installs+a.Removes > 0 || a.Moves*4 > dimms:
		case a.Moves == 1:
			return "a DIMM is in the wrong slot"
		default:
			return strconv.Itoa(a.Moves) + " DIMMs are in the wrong slots"
		}
	}
	switch {
	case !known || empty == 0:
		return ""
	case empty*2 == total:
		return "half of the memory channels are empty"
	case empty == 1:
		return "1 of " + strconv.Itoa(total) + " memory channels is empty"
	default:
		return strconv.Itoa(empty) + " of " + strconv.Itoa(total) + " memory channels are empty"
	}
}

// wideRange is the width from which on a range of bandwidth is described in words: the memory is then partly slow.
const wideRange = 1.0 / 3

// bandwidthCost gives the remaining share of the memory bandwidth, if the problem costs bandwidth; "" otherwise.
func (r *Report) bandwidthCost(p *Problem) string {
	if p.Rule != channelRule && !slices.ContainsFunc(p.Members, func(f *verdict.Finding) bool { return f.Effect != nil }) {
		return ""
	}
	var worst *PopulationSocket
	var same []inventory.Subject
	for i := range r.Inventory.Population.Sockets {
		s := &r.Inventory.Population.Sockets[i]
		if s.Relative.Low == nil || s.Relative.High == nil || !slices.Contains(p.Subjects, ofSocket(s.Socket)) {
			continue
		}
		switch {
		case worst == nil || population.CompareShares(&s.Relative, &worst.Relative) < 0:
			worst, same = s, []inventory.Subject{ofSocket(s.Socket)}
		case s.Relative.Percent() == worst.Relative.Percent():
			same = append(same, ofSocket(s.Socket))
		}
	}
	if worst == nil || *worst.Relative.Low >= 1 {
		return ""
	}
	where, share := cmp.Or(r.Inventory.placePhrase(same), "the machine"), &worst.Relative
	has, its, estimated := " has ", " of its memory bandwidth", ""
	if len(same) > 1 {
		has, its = " have ", " of their memory bandwidth"
	}
	if share.Unverified {
		estimated = "an estimated "
	}
	only := func(v *float64) string { return (&population.Relative{Low: v, High: v}).Percent() }
	switch {
	case share.Value == nil && len(worst.Regions) == 0 && *share.Low < *share.High: // the interleaving is not known
		if only(share.High) == "100 %" {
			return where + " may have only " + only(share.Low) + its
		}
		return where + has + "at most " + only(share.High) + its
	case share.Value == nil && *share.High-*share.Low > wideRange:
		return "part of the memory has only " + estimated + only(share.Low) + " of the bandwidth"
	default:
		return where + has + estimated + share.Percent() + its
	}
}

// goodSentence is the sentence of a status of ok. It praises the population only if every channel
// check passed and no other check of the memory failed.
func (r *Report) goodSentence() string {
	channels := r.findingsOfRule(channelRule)
	passed := slices.IndexFunc(channels, func(f *verdict.Finding) bool { return f.Result == verdict.Pass })
	praised := passed >= 0 && !slices.ContainsFunc(channels, func(f *verdict.Finding) bool {
		return f.Result != verdict.Pass && f.Result != verdict.NotApplicable
	})
	note := slices.IndexFunc(r.Problems, func(p Problem) bool { return strings.HasPrefix(p.Rule, "memory.") })
	if note < 0 { // what rests on a table with defects is not praised
		note = slices.IndexFunc(r.Problems, func(p Problem) bool { return p.Rule == tableRule })
	}
	switch {
	case note >= 0:
		const prefix = "no warning; note: "
		p := &r.Problems[note]
		if full := prefix + r.problemHeadline(p); r.fitsTwoLines(full) || p.Members[0].Headline == "" {
			return full
		}
		return prefix + p.Members[0].Headline
	case r.Summary.Waived > 0 && r.Accepted() == r.Summary.Waived:
		return "memory is installed as this site accepts it"
	case r.Summary.Waived > 0:
		return "no problem except those that are waived"
	case praised && r.byMaker(channels[passed].Citation):
		return "memory is installed as " + VendorName(r.Machine.Vendor.Or("")) + " recommends"
	case praised:
		return "memory is installed as recommended"
	default:
		return "no problem found"
	}
}

func (r *Report) byMaker(c *verdict.Citation) bool {
	return c != nil && (c.Standing == "" || c.Standing == verdict.Generation) && r.Machine.Vendor.Known() && platform.VendorWord(c.Vendor) == platform.VendorWord(r.Machine.Vendor.Or(""))
}

// VendorName leaves a company's legal form away: "Dell Inc." is Dell.
func VendorName(vendor string) string {
	for _, form := range [...]string{" Computer Corporation", " Inc.", " Inc", " Corporation", " Corp.", " Ltd.", " Co."} {
		vendor = strings.TrimSuffix(strings.TrimSuffix(vendor, form), ",")
	}
	return vendor
}

// mostProblems limits the problems that ProblemLines lists: with the lines around them an output has at
// most 40 lines, whatever fails.
const mostProblems = 16

// ProblemLines lists the numbered problems for outputs of lines, each with its fix: what Nagios, JUnit,
// Ansible and the daemon's log print after the sentence.
func (r *Report) ProblemLines() []string {
	var out []string
	n := 0
	for _, p := range r.Problems {
		if !p.IsAboveNote() {
			continue
		}
		if n++; n > mostProblems {
			continue
		}
		out = append(out, strconv.Itoa(n)+". "+strings.ToUpper(string(p.Severity))+" "+p.Text()+" ("+p.Rule+")")
		if p.Fix != "" {
			out = append(out, "   Fix: "+p.Fix)
		}
	}
	if n > mostProblems {
		out = append(out, "and "+strconv.Itoa(n-mostProblems)+" more problems: memaudit check lists them")
	}
	return out
}

// markAlternatives marks a fix that is another layout of the DIMMs than that of an earlier problem: the
// two cannot both be carried out.
func (r *Report) markAlternatives(problems []Problem) {
	first := -1
	for i := range problems {
		p := &problems[i]
		switch {
		case !r.CuredByLayout(p):
		case first < 0:
			first = i
		case p.Cure == problems[first].Cure:
			p.Fix = "as for problem " + strconv.Itoa(first+1)
		default:
			p.Fix = "instead of the fix of problem " + strconv.Itoa(first+1) + ", as an alternative: " + p.Fix
		}
	}
}

// CuredByLayout reports whether another layout of the DIMMs cures a problem.
func (r *Report) CuredByLayout(p *Problem) bool {
	return p.Cure >= 0 && r.Advice[p.Cure].ID != plan.Settings
}
