package report

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"memaudit.example/memaudit/internal/advice/plan"
	"memaudit.example/memaudit/internal/audit/verdict"
	"memaudit.example/memaudit/internal/model/humanize"
	"memaudit.example/memaudit/internal/model/inventory"
	"memaudit.example/memaudit/internal/model/settings"
)

// Problem is one root cause, for all CPUs and slots that have it: the failures of one rule with
// one severity and kind of subject that follow from no other failure. The report numbers the problems above info.
type Problem struct {
	// Severity is the highest of the cause and its consequences.
	Severity verdict.Severity `json:"severity"`
	Rule     string           `json:"rule"`
	// Where names the place ("CPU2"), "" for the complete machine.
	Where string `json:"where"`
	// Sentence is what is wrong there, Fix what to do, both in one line.
	Sentence string `json:"sentence"`
	Fix      string `json:"fix"`
	// Source names the document in one line, "" if there is none; Standing is how close it is to the machine, "" for
	// one about this model or a standard.
	Source   string   `json:"source"`
	Standing Standing `json:"standing"`
	// Subjects are those of the findings, Consequences the failures that follow ("RULE SUBJECT").
	Subjects     []inventory.Subject `json:"subjects"`
	Consequences []string            `json:"consequences"`

	// Members are the findings of the cause, Led those that follow, and Cure the index in Advice of
	// the first entry that cures one of them, -1 without one. Shown is the entry that Fix names first, -1 for none.
	Members []*verdict.Finding `json:"-"`
	Led     []*verdict.Finding `json:"-"`
	Cure    int                `json:"-"`
	// LabelWhere and Label are Where and Sentence without figures that move while the machine stays as it is.
	LabelWhere string `json:"-"`
	Label      string `json:"-"`
	Shown      int    `json:"-"`
	// noted is set if Source says the standing itself.
	noted bool
}

// Text returns the place and the sentence: "CPU2: channel 2 is empty".
func (p *Problem) Text() string { return humanize.Joined(": ", p.Where, p.Sentence) }

// SourceLine returns the source, with its standing in brackets.
func (p *Problem) SourceLine() string {
	if p.Standing == "" || p.Source == "" || p.noted {
		return p.Source
	}
	return p.Source + " (" + string(p.Standing) + ")"
}

// SeverityRank orders severities. An unknown word counts as info, so that no failure is lost because of a misspelled
// severity.
func SeverityRank[S ~string](severity S) int { return max(1, verdict.Severity(severity).Rank()) }

// SeverityName is the word of a rank.
func SeverityName(level int) verdict.Severity { return verdict.Info.Values()[level-1] }

// IsAboveNote reports whether the problem is more than a note.
func (p *Problem) IsAboveNote() bool { return SeverityRank(p.Severity) > SeverityRank(verdict.Info) }

// Settings reports whether the problem is that settings differ from the profile.
func (p *Problem) Settings() bool { return strings.HasPrefix(p.Rule, verdict.SettingRules) }

// listProblems groups the failures by root cause, the worst first.
func (r *Report) listProblems() []Problem {
	out := []Problem{}
	roots, of := verdict.RootCauses(r.Findings), map[int]int{}
	for i := range r.Findings {
		f := &r.Findings[i]
		if f.Result != verdict.Fail || roots[i] != i {
			continue
		}
		at := slices.IndexFunc(out, func(p Problem) bool {
			first := p.Members[0]
			if p.Settings() { // one problem for each severity
				return strings.HasPrefix(f.Rule, verdict.SettingRules) && first.Severity == f.Severity
			}
			// What one CPU's facts prove and another's only suggest has the same text.
			return p.Rule == f.Rule && first.Subject.Kind == f.Subject.Kind && (first.Severity == f.Severity || first.Summary() == f.Summary())
		})
		if at < 0 {
			at = len(out)
			out = append(out, Problem{Rule: f.Rule, Severity: verdict.Info, Subjects: []inventory.Subject{}, Consequences: []string{}})
		}
		of[i] = at
		out[at].Members, out[at].Subjects = append(out[at].Members, f), append(out[at].Subjects, f.Subject)
	}
	for i, root := range roots {
		if p := of[root]; root != i {
			f := &r.Findings[i]
			out[p].Led, out[p].Consequences = append(out[p].Led, f), append(out[p].Consequences, f.Rule+" "+f.Subject.String())
		}
	}
	for i := range out {
		for _, f := range slices.Concat(out[i].Members, out[i].Led) {
			if f.Severity.Rank() > out[i].Severity.Rank() {
				out[i].Severity = f.Severity
			}
		}
	}
	slices.SortStableFunc(out, func(a, b Problem) int { return SeverityRank(b.Severity) - SeverityRank(a.Severity) })
	r.slow = 1 + slices.IndexFunc(out, func(p Problem) bool { return p.Rule == speedRule && p.IsAboveNote() })
	for i := range out {
		r.describeProblem(&out[i])
	}
	r.markAlternatives(out)
	return out
}

func (r *Report) describeProblem(p *Problem) {
	p.Cure = slices.IndexFunc(r.Advice, func(a plan.Advice) bool { return curesAnyMember(&a, p.Members) })
	if cite := p.Members[0].Citation; cite != nil {
		p.Source, p.Standing, p.noted = cite.Document(), Standing(cite.Standing), cite.Noted
		if cite.Standing == verdict.Analogous {
			p.Standing = sister
		}
	}
	p.Fix, p.Shown = r.fixOfProblem(p)
	if p.Cure >= 0 && r.Advice[p.Cure].SisterManual != "" { // which chose the slots of the fix
		if cure := &r.Advice[p.Cure]; strings.HasPrefix(p.Source, cure.SisterManual) {
			p.Standing = sister
		} else {
			p.Source, p.noted = p.SourceLine()+"; slots: "+cure.Source, true
		}
	}
	if p.Settings() {
		p.Sentence = r.settingsSentence(p.Members)
		p.Label = p.Sentence
		return
	}
	p.Where, p.Sentence = r.problemSentence(p, (*verdict.Finding).Summary)
	p.LabelWhere, p.Label = r.problemSentence(p, func(f *verdict.Finding) string { return cmp.Or(f.Label, f.Summary()) })
}

// mostSentences limits the different sentences of one problem; with more of them its headline is
// used.
const mostSentences = 3

// problemSentence describes what is wrong where: the short sentence of the findings, or if they differ each with its own
// place, and then where is "".
func (r *Report) problemSentence(p *Problem, short func(*verdict.Finding) string) (where, sentence string) {
	texts := groupByText(p.Members, short)
	n := len(texts.Names)
	if sentence = p.Members[0].Headline; n == 1 {
		sentence = texts.Names[0]
	}
	if n == 1 || n > mostSentences && sentence != "" {
		return r.Inventory.placePhrase(p.Subjects), sentence
	}
	return "", strings.Join(r.Inventory.placed(&texts), "; ")
}

// placed returns the texts, each after the place that it is about.
func (inv *Inventory) placed(texts *humanize.Groups[inventory.Subject]) []string {
	return humanize.Each(texts.Names, func(text string) string { return humanize.Joined(": ", inv.placePhrase(texts.Of[text]), text) })
}

func groupByText(members []*verdict.Finding, get func(*verdict.Finding) string) (out humanize.Groups[inventory.Subject]) {
	for _, f := range members {
		if text := get(f); text != "" {
			out.Add(text, f.Subject)
		}
	}
	return out
}

func (r *Report) settingsSentence(members []*verdict.Finding) string {
	if len(members) == 1 {
		expected, verb := string(members[0].Expected), " sets it to "
		if onOrOff(expected) != expected {
			verb = " has it "
		}
		return members[0].Subject.Name + " is " + onOrOff(members[0].Value) + "; " + r.ProfileName() + verb + onOrOff(expected)
	}
	names := make([]string, len(members))
	for i, f := range members {
		names[i] = f.Subject.Name
	}
	return r.settingsCount(members) + ": " + humanize.List(names)
}

func (r *Report) settingsCount(members []*verdict.Finding) string {
	return strconv.Itoa(len(members)) + " settings differ from " + r.ProfileName()
}

func onOrOff(value string) string {
	switch value {
	case settings.Enabled:
		return "on"
	case settings.Disabled:
		return "off"
	default:
		return value
	}
}

// ProfileName names the profile that the machine was checked against: "Dell's balanced profile", or
// by its id if it was asked for.
func (r *Report) ProfileName() string {
	if r.Profile == nil {
		return "the profile"
	}
	if r.Profile.Vendor != "" && !r.ProfileAsked && r.Profile.Intent != "" {
		return r.Profile.Vendor + "'s " + string(r.Profile.Intent) + " profile"
	}
	return "profile " + r.Profile.ID
}

// CuringAdvice returns the kind of the first advice for the population that cures a problem, also of a document that was
// read; "" if none does.
func (r *Report) CuringAdvice(p *Problem) plan.AdviceKind {
	i := slices.IndexFunc(r.Advice, func(a plan.Advice) bool {
		return a.ID != plan.Settings && slices.ContainsFunc(p.Subjects, func(s inventory.Subject) bool { return a.CuresFinding(p.Rule, s) })
	})
	if i < 0 {
		return ""
	}
	return r.Advice[i].ID
}

func curesAnyMember(a *plan.Advice, members []*verdict.Finding) bool {
	return slices.ContainsFunc(members, func(f *verdict.Finding) bool { return a.CuresFinding(f.Rule, f.Subject) })
}

// longestChanges limits the changes of several settings that are listed, in bytes; for longer ones the
// command that prints them is named.
const longestChanges = 500

// fixOfProblem describes what to do about a problem: the steps of the advice that cures it, else the rule's fix. shown is the
// index of the advice that it names first, -1 for none.
func (r *Report) fixOfProblem(p *Problem) (fix string, shown int) {
	if p.Cure >= 0 && (r.Advice[p.Cure].ID != plan.Settings || p.Settings()) {
		return r.adviceFix(p)
	}
	if p.Settings() && len(p.Members) > 1 {
		return r.settingsFix(p.Members), -1
	}
	texts := groupByText(p.Members, func(f *verdict.Finding) string {
		return strings.Join(strings.Fields(strings.ReplaceAll(f.Fix, "\n", "; or ")), " ")
	})
	if len(texts.Names) > 1 {
		texts.Names = r.Inventory.placed(&texts)
	}
	return strings.Join(texts.Names, "; "), -1
}

// adviceFix describes the advice that cures a problem: before it a part that costs nothing, and if it gives up
// capacity, brings a warning or leaves a note, after it one that does not. first is the index of the advice that it names first.
func (r *Report) adviceFix(p *Problem) (fix string, first int) {
	cure, other := &r.Advice[p.Cure], -1
	fix = r.AdviceSentence(cure)
	if cure.GivenUpBytes > 0 || len(cure.New) > 0 {
		for i := p.Cure + 1; i < len(r.Advice); i++ {
			if a := &r.Advice[i]; a.GivenUpBytes == 0 && len(a.New) == 0 && curesAnyMember(a, p.Members) {
				word := "keep all memory: "
				if cure.GivenUpBytes == 0 {
					word = "with no new warning: "
				}
				fix, other = fix+"; or "+word+r.AdviceSentence(a), i
				break
			}
		}
	}
	stays := func(a plan.Advice) bool {
		return slices.ContainsFunc(a.Reaches.Findings, func(f plan.Failure) bool { return f.Rule == p.Rule && slices.Contains(p.Subjects, f.Subject) })
	}
	more := slices.IndexFunc(r.Advice, func(a plan.Advice) bool { return curesAnyMember(&a, p.Members) && !stays(a) })
	if stays(*cure) && more > p.Cure && more != other {
		fix += "; or, to clear the note as well: " + r.AdviceSentence(&r.Advice[more])
	}
	if free := r.freeAdvicePart(p); free >= 0 {
		return "a part of it, with nothing to buy: " + r.adviceText(&r.Advice[free], "") + "; or all of it: " + fix, free
	}
	return fix, p.Cure
}

// freeAdvicePart returns the index of the advice that costs no module and cures a consequence of a problem, or is faster
// alone, if curing the problem costs some; -1 if there is none.
func (r *Report) freeAdvicePart(p *Problem) int {
	if cure := &r.Advice[p.Cure]; cure.Installs+cure.Removes == 0 {
		return -1
	}
	return slices.IndexFunc(r.Advice[:p.Cure], func(a plan.Advice) bool {
		return a.Moves > 0 && a.Installs == 0 && a.Removes == 0 && (len(a.Cures) == 0 || curesAnyMember(&a, p.Led))
	})
}

// settingsFix lists the changes of settings if they are short, else it names the command that prints them.
func (r *Report) settingsFix(members []*verdict.Finding) string {
	out, known := make([]string, len(members)), true
	for i, f := range members {
		out[i] = f.Subject.Name + ": " + strings.ReplaceAll(string(f.Remedy), "\n", "; ")
		known = known && string(f.Remedy) != ""
	}
	if all := strings.Join(out, "; "); r.Profile == nil || known && len(all) <= longestChanges {
		return all
	}
	return "memaudit profiles patch " + r.Profile.ID + " prints the changes"
}

// AdviceSentence returns the steps of an advice, what they cost and what they reach: "move the DIMM
// from B4 to B3. Nothing to buy; CPU2 rises from 33 % to full bandwidth".
func (r *Report) AdviceSentence(a *plan.Advice) string {
	switch {
	case a.GivenUpBytes != 0:
		return r.adviceText(a, "this gives up "+humanize.Size(a.GivenUpBytes))
	case a.ID != plan.Settings && a.Installs == 0:
		return r.adviceText(a, "nothing to buy")
	default:
		return r.adviceText(a, "")
	}
}

func (r *Report) adviceText(a *plan.Advice, cost string) string {
	out := stepsText(StepLines(a.Steps, &r.Inventory))
	rest := humanize.Joined("; ", cost, r.Inventory.BandwidthChanges(&a.Reaches))
	if r.slow > 0 && r.Inventory.fullAtSpeed(&a.Reaches) {
		rest += ", to full bandwidth with problem " + strconv.Itoa(r.slow) + " fixed"
	}
	if rest = humanize.Joined("; ", rest, r.Inventory.newWarnings(a)); rest != "" {
		out += ". " + strings.ToUpper(rest[:1]) + rest[1:]
	}
	return out
}

// stepsText joins lines of steps into a sentence that names each verb and each list of processors once.
func stepsText(lines []StepLine) string {
	var out []string
	var last StepLine
	for _, l := range lines {
		text := cmp.Or(l.buy, l.Text)
		switch {
		case l.each != "" && l.each == last.each:
			out[len(out)-1] += ", then " + strings.TrimPrefix(text, l.each)
		case l.isContinuation(&last):
			l.names = slices.Concat(last.names, l.names)
			out[len(out)-1] = describeGroup(l.step, l.names)
		default:
			out = append(out, text)
		}
		last = l
	}
	return strings.Join(out, "; ")
}

// isContinuation reports whether two lines that follow each other are of one verb, and their slots can be one list.
func (l *StepLine) isContinuation(last *StepLine) bool {
	if last.step == nil || l.each+last.each+l.buy != "" || l.step.ToChannel != nil {
		return false
	}
	x, y := action{Step: *l.step}, action{Step: *last.step}
	return x.groupingKey() == y.groupingKey() && slices.Contains([]plan.StepKind{plan.Move, plan.Swap, plan.Remove, plan.Exchange}, l.step.Do)
}

func ofSocket(id *int) inventory.Subject {
	if id == nil {
		return inventory.Subject{}
	}
	return inventory.SocketSubject(*id)
}

// NoSocket represents memory on a controller outside the processors.
const NoSocket = -1

// SocketID is a socket's number, NoSocket if the report has none.
func SocketID(socket *int) int {
	if socket == nil {
		return NoSocket
	}
	return *socket
}

// PopulationOf is the memory of the socket with this number, NoSocket for that outside them; nil if the report has none.
func (inv *Inventory) PopulationOf(id int) *PopulationSocket {
	for i := range inv.Population.Sockets {
		if p := &inv.Population.Sockets[i]; SocketID(p.Socket) == id {
			return p
		}
	}
	return nil
}

// placePhrase names what findings are about in one phrase: "CPU1 and CPU2", "both CPUs", "A4"; "" for the
// machine.
func (inv *Inventory) placePhrase(subjects []inventory.Subject) string {
	var names []string
	sockets := 0
	for _, s := range subjects {
		var name string
		switch s.Kind {
		case inventory.AboutMachine:
			continue
		case inventory.AboutSocket:
			sockets++
			name = inv.SocketName(s.Number)
		case inventory.AboutSlot:
			name = inv.slotName(s)
		default:
			name = s.String()
		}
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	if sockets > 1 && sockets == len(names) {
		switch n := inv.Processors(); {
		case sockets == n && n == 2:
			return "both CPUs"
		case sockets == n:
			return "all " + strconv.Itoa(n) + " CPUs"
		case strings.HasPrefix(names[0], "socket "):
			return "sockets " + strings.ReplaceAll(humanize.List(names), "socket ", "")
		}
	}
	return humanize.List(names)
}

// Processors counts the sockets that are not known to be empty.
func (inv *Inventory) Processors() int {
	n := 0
	for i := range inv.Sockets {
		if inv.Sockets[i].Populated.Or(true) {
			n++
		}
	}
	return n
}

// longestName limits firmware's name of a socket: a longer one is ignored.
const longestName = 16

// SocketName returns firmware's name of a socket, "socket 0" if it has none that is short and unique.
func (inv *Inventory) SocketName(id int) string {
	name, shared := "", map[string]bool{"": true} // with other sockets
	for i := range inv.Sockets {
		if designation := strings.TrimSpace(inv.Sockets[i].Designation.Or("")); inv.Sockets[i].ID == id {
			name = designation
		} else {
			shared[designation] = true
		}
	}
	if len(name) > longestName || shared[name] {
		return "socket " + strconv.Itoa(id)
	}
	return name
}

func (inv *Inventory) slotName(s inventory.Subject) string {
	for i := range inv.Slots {
		if inv.Slots[i].Handle == s.Handle {
			return inv.Slots[i].Name()
		}
	}
	return s.String()
}
