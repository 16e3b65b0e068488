package report

import (
	"cmp"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/memaudit/memaudit/internal/audit/verdict"
	"github.com/memaudit/memaudit/internal/model/humanize"
	"github.com/memaudit/memaudit/internal/model/inventory"
	"github.com/memaudit/memaudit/internal/model/settings"
	"github.com/memaudit/memaudit/internal/topology/platform"
)

// Problem is one root cause, for all CPUs and slots that have it: the failures of one rule with
// one severity and kind of subject that follow from no other failure. The report numbers the problems above info.
type Problem struct {
	// Severity is the highest of the cause and its consequences.
	Severity verdict.Severity `json:"severity" jsonschema:"enum=info,enum=warning,enum=critical"`
	Rule     string           `json:"rule"`
	// Where names the place ("CPU2"), "" for the complete machine.
	Where string `json:"where"`
	// Sentence is what is wrong there, Fix what to do, both in one line.
	Sentence string `json:"sentence"`
	Fix      string `json:"fix"`
	// Source names the document in one line, "" if there is none; Standing is how close it is to the machine, "" for
	// the vendor's own or one of the platform.
	Source   string `json:"source"`
	Standing string `json:"standing" jsonschema:"enum=,enum=sister model,enum=other vendor,enum=general practice"`
	// Subjects are those of the findings, Consequences the failures that follow ("RULE SUBJECT").
	Subjects     []inventory.Subject `json:"subjects"`
	Consequences []string            `json:"consequences"`

	// Members are the findings of the cause, Led those that follow, and Cure the index in Advice of
	// the first entry that cures one of them, -1 without one.
	Members []*verdict.Finding `json:"-"`
	Led     []*verdict.Finding `json:"-"`
	Cure    int                `json:"-"`
	// LabelWhere and Label are Where and Sentence without figures that move while the machine stays as it is.
	LabelWhere string `json:"-"`
	Label      string `json:"-"`
}

// Text returns the place and the sentence: "CPU2: channel 2 is empty".
func (p *Problem) Text() string {
	if p.Where == "" {
		return p.Sentence
	}
	return p.Where + ": " + p.Sentence
}

// SourceLine returns the source, with its standing in brackets.
func (p *Problem) SourceLine() string {
	if p.Standing == "" || p.Source == "" || strings.Contains(p.Source, p.Standing) {
		return p.Source
	}
	return p.Source + " (" + p.Standing + ")"
}

// Above reports whether the problem is more than a note.
func (p *Problem) Above() bool { return SeverityRank(p.Severity) > SeverityRank(verdict.Info) }

// Settings reports whether the problem is that settings differ from the profile.
func (p *Problem) Settings() bool { return strings.HasPrefix(p.Rule, settingRules) }

// cause collects the failures of one problem.
type cause struct {
	members, led []*verdict.Finding
	rank         int
}

// problems groups the failures by root cause, the worst first.
func (r *Report) problems() []Problem {
	type key struct {
		rule     string
		severity verdict.Severity
		kind     inventory.SubjectKind
	}
	var causes []*cause
	at := map[key]*cause{}
	of := map[*verdict.Finding]*cause{}
	var led []*verdict.Finding
	for i := range r.Findings {
		f := &r.Findings[i]
		if f.Result != verdict.Fail {
			continue
		}
		if r.Root(f) != f {
			led = append(led, f)
			continue
		}
		k := key{f.Rule, f.Severity, f.Subject.Kind}
		if strings.HasPrefix(f.Rule, settingRules) {
			k.rule, k.kind = settingRules, ""
		}
		if at[k] == nil {
			at[k] = &cause{rank: SeverityRank(f.Severity)}
			causes = append(causes, at[k])
		}
		of[f] = at[k]
		at[k].members = append(at[k].members, f)
	}
	for _, f := range led {
		c := of[r.Root(f)]
		c.led = append(c.led, f)
		c.rank = max(c.rank, SeverityRank(f.Severity))
	}
	causes = merged(causes)
	slices.SortStableFunc(causes, func(a, b *cause) int { return b.rank - a.rank })
	out := make([]Problem, 0, len(causes))
	for _, c := range causes {
		out = append(out, r.problem(c))
	}
	r.markAlternatives(out)
	return out
}

// merged joins causes of one rule with the same text and different severities: what one CPU's facts prove and
// another's only suggest is one problem.
func merged(causes []*cause) []*cause {
	var out []*cause
	for _, c := range causes {
		at := slices.IndexFunc(out, func(o *cause) bool {
			return o.members[0].Rule == c.members[0].Rule && shortFailure(o.members[0]) == shortFailure(c.members[0]) && !strings.HasPrefix(o.members[0].Rule, settingRules)
		})
		if at < 0 {
			out = append(out, c)
			continue
		}
		o := out[at]
		o.members, o.led, o.rank = append(o.members, c.members...), append(o.led, c.led...), max(o.rank, c.rank)
	}
	return out
}

// Root returns the failure that f follows from in the end, f itself for a root cause and in a cycle.
func (r *Report) Root(f *verdict.Finding) *verdict.Finding {
	at := f
	for range r.Findings {
		up := r.cause(at)
		switch up {
		case nil:
			return at
		case f:
			return f
		}
		at = up
	}
	return f
}

// cause returns the failure that f follows from, nil for a root cause.
func (r *Report) cause(f *verdict.Finding) *verdict.Finding {
	if f.CausedBy == "" {
		return nil
	}
	for i := range r.Findings {
		up := &r.Findings[i]
		if up != f && up.Rule == string(f.CausedBy) && up.Result == verdict.Fail {
			return up
		}
	}
	return nil
}

func (r *Report) problem(c *cause) Problem {
	first := c.members[0]
	p := Problem{Severity: SeverityName(c.rank), Rule: first.Rule, Members: c.members, Led: c.led, Cure: r.cureOf(c.members), Subjects: []inventory.Subject{}, Consequences: []string{}}
	for _, f := range c.members {
		p.Subjects = append(p.Subjects, f.Subject)
	}
	for _, f := range c.led {
		p.Consequences = append(p.Consequences, f.Rule+" "+f.Subject.String())
	}
	if cite := first.Citation; cite != nil {
		p.Source, p.Standing = cite.Document(), r.standing(cite)
	}
	p.Fix = r.fix(&p)
	if p.Cure >= 0 && strings.Contains(r.Advice[p.Cure].Source, sisterModel) {
		p.nameSlotsSource(r.Advice[p.Cure].Source)
	}
	if p.Settings() {
		p.Sentence = r.settingsSentence(c.members)
		p.Label = p.Sentence
		return p
	}
	p.Where, p.Sentence = r.sentence(c.members, shortFailure)
	p.LabelWhere, p.Label = r.sentence(c.members, func(f *verdict.Finding) string { return cmp.Or(f.Label, shortFailure(f)) })
	return p
}

// sisterModel is the standing of a document about another model of the machine's vendor.
const sisterModel = "sister model"

// slotsPage is the end of the title of a slots' document: ", PowerEdge R610 Technical Guide p29".
var slotsPage = regexp.MustCompile(` p\d.*`)

// nameSlotsSource adds the sister model's manual that chose the slots of the fix.
func (p *Problem) nameSlotsSource(source string) {
	if title := slotsPage.ReplaceAllString(source, ""); strings.HasPrefix(p.Source, title) {
		p.Standing = sisterModel
		return
	}
	p.Source = p.SourceLine() + "; slots: " + source
}

// standing describes how close a document is to the machine.
func (r *Report) standing(c *verdict.Citation) string {
	switch string(c.Standing) {
	case verdict.Practice:
		return verdict.Practice
	case verdict.Analogous:
		if platform.VendorWord(c.Vendor) == platform.VendorWord(string(r.Machine.Vendor)) {
			return sisterModel
		}
		return "other vendor"
	default:
		return ""
	}
}

// mostSentences limits the different sentences of one problem; with more of them its headline is
// used.
const mostSentences = 3

// sentence describes what is wrong where: the short sentence of the findings, or if they differ each with its own
// place, and then where is "".
func (r *Report) sentence(members []*verdict.Finding, short func(*verdict.Finding) string) (where, sentence string) {
	texts, places := byText(members, short)
	headline := members[0].Headline
	if len(texts) == 1 || len(texts) > mostSentences && headline != "" {
		var all []inventory.Subject
		for _, f := range members {
			all = append(all, f.Subject)
		}
		if sentence = texts[0]; len(texts) > 1 {
			sentence = headline
		}
		return r.Inventory.place(all), sentence
	}
	for i, text := range texts {
		if at := r.Inventory.place(places[text]); at != "" {
			texts[i] = at + ": " + text
		}
	}
	return "", strings.Join(texts, "; ")
}

// byText lists the different texts of findings in order, and the subjects of each.
func byText(members []*verdict.Finding, get func(*verdict.Finding) string) (texts []string, places map[string][]inventory.Subject) {
	places = map[string][]inventory.Subject{}
	for _, f := range members {
		text := get(f)
		if text == "" {
			continue
		}
		if places[text] == nil {
			texts = append(texts, text)
		}
		places[text] = append(places[text], f.Subject)
	}
	return texts, places
}

// shortFailure describes a failure in a few words: the rule's short sentence, else the first clause of what was
// found.
func shortFailure(f *verdict.Finding) string {
	if f.Short != "" {
		return f.Short
	}
	if found := clause(string(f.Found)); found != "" {
		return found
	}
	return "fails " + f.Rule
}

// settingsSentence lists the settings that differ from the profile.
func (r *Report) settingsSentence(members []*verdict.Finding) string {
	if len(members) == 1 {
		found, _, _ := strings.Cut(string(members[0].Found), " (")
		return members[0].Subject.Name + " is " + onOrOff(found) + "; " + r.ProfileName() + " has it " + onOrOff(string(members[0].Expected))
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

// onOrOff is the everyday word for a setting's value.
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

// cureOf returns the index of the first advice that cures one of the findings, -1 if none does.
func (r *Report) cureOf(members []*verdict.Finding) int {
	return slices.IndexFunc(r.Advice, func(a Advice) bool {
		return slices.ContainsFunc(a.Cures, func(c Cured) bool {
			return slices.ContainsFunc(members, func(f *verdict.Finding) bool { return f.Rule == c.Rule && f.Subject == c.Subject })
		})
	})
}

// longestChanges limits the changes of several settings that are listed, in bytes; for longer ones the
// command that prints them is named.
const longestChanges = 500

// fix describes what to do about a problem: the steps of the advice that cures it, else the rule's fix.
func (r *Report) fix(p *Problem) string {
	if p.Cure >= 0 && (r.Advice[p.Cure].ID != AdviceSettings || p.Settings()) {
		whole := r.AdviceSentence(&r.Advice[p.Cure])
		if free := r.cureOf(p.Led); free >= 0 && free < p.Cure && r.Advice[p.Cure].Installs > 0 && r.Advice[free].Moves > 0 && r.Advice[free].Installs == 0 {
			return "a part of it, with nothing to buy: " + strings.TrimSuffix(r.AdviceSentence(&r.Advice[free]), ". Nothing to buy") + "; or all of it: " + whole
		}
		return whole
	}
	if p.Settings() && len(p.Members) > 1 {
		return r.settingsFix(p.Members)
	}
	texts, places := byText(p.Members, func(f *verdict.Finding) string { return f.Fix })
	for i, text := range texts {
		line := strings.Join(strings.Fields(strings.ReplaceAll(text, "\n", "; or ")), " ")
		if where := r.Inventory.place(places[text]); len(texts) > 1 && where != "" {
			line = where + ": " + line
		}
		texts[i] = line
	}
	return strings.Join(texts, "; ")
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
// from B4 to B3. Nothing to buy; CPU2 then has full bandwidth".
func (r *Report) AdviceSentence(a *Advice) string {
	lines := Steps(a.Steps, &r.Inventory)
	steps := make([]string, len(lines))
	for i, l := range lines {
		steps[i] = l.Text
	}
	out := strings.Join(steps, "; ") + "."
	var more []string
	switch {
	case a.GivenUpBytes != 0:
		more = append(more, "This gives up "+humanize.Size(a.GivenUpBytes))
	case a.ID != AdviceSettings && a.Installs == 0:
		more = append(more, "Nothing to buy")
	}
	if reached := r.reached(a); reached != "" {
		more = append(more, reached)
	}
	if len(more) > 0 {
		rest := strings.Join(more, "; ")
		out += " " + strings.ToUpper(rest[:1]) + rest[1:]
	}
	return strings.TrimSuffix(out, ".")
}

// reached gives the share of the CPUs' best bandwidth after the steps of an advice, for those that have less today;
// "" if unknown.
func (r *Report) reached(a *Advice) string {
	texts, ids := []string{}, map[string][]inventory.Subject{}
	for i := range a.Reaches.Sockets {
		s := &a.Reaches.Sockets[i]
		before := r.Inventory.population(s.Socket)
		if before == nil || before.Relative.Low == nil || s.Relative.Low == nil || *before.Relative.Low >= *s.Relative.Low {
			continue
		}
		text := s.Relative.Percent()
		if ids[text] == nil {
			texts = append(texts, text)
		}
		ids[text] = append(ids[text], ofSocket(s.Socket))
	}
	for i, text := range texts {
		where := r.Inventory.place(ids[text])
		verb := " then has "
		if len(ids[text]) > 1 {
			verb = " then have "
		}
		switch texts[i] = cmp.Or(where, "memory") + verb + text; {
		case text == "100 %":
			texts[i] = cmp.Or(where, "memory") + verb + "full bandwidth"
		case i == 0:
			texts[i] += " of the best bandwidth"
		}
	}
	return strings.Join(texts, ", ")
}

// ofSocket returns the subject of a socket's memory: the machine if no socket has it.
func ofSocket(id *int) inventory.Subject {
	if id == nil {
		return inventory.Subject{}
	}
	return inventory.SocketSubject(*id)
}

// population returns the memory of a socket, nil if there is none.
func (inv *Inventory) population(id *int) *PopulationSocket {
	for i := range inv.Population.Sockets {
		if p := &inv.Population.Sockets[i]; p.Socket == nil && id == nil || p.Socket != nil && id != nil && *p.Socket == *id {
			return p
		}
	}
	return nil
}

// Percent returns the share as text, "33 to 50 %"; "" if it is not known.
func (s *Relative) Percent() string {
	percent := func(v float64) string { return strconv.FormatFloat(v*100, 'f', 0, 64) }
	switch {
	case s.Value != nil:
		return percent(*s.Value) + " %"
	case s.Low == nil || s.High == nil:
		return ""
	case percent(*s.Low) == percent(*s.High):
		return percent(*s.Low) + " %"
	default:
		return percent(*s.Low) + " to " + percent(*s.High) + " %"
	}
}

// place names what findings are about in one phrase: "CPU1 and CPU2", "both CPUs", "A4"; "" for the
// machine.
func (inv *Inventory) place(subjects []inventory.Subject) string {
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
	if n := inv.populated(); sockets > 1 && sockets == len(names) && sockets == n {
		if n == 2 {
			return "both CPUs"
		}
		return "all " + strconv.Itoa(n) + " CPUs"
	}
	if sockets > 1 && sockets == len(names) && strings.HasPrefix(strings.Join(names, ""), "socket ") {
		return "sockets " + strings.ReplaceAll(humanize.List(names), "socket ", "")
	}
	return humanize.List(names)
}

// populated counts the sockets with a processor.
func (inv *Inventory) populated() int {
	n := 0
	for i := range inv.Sockets {
		if s := &inv.Sockets[i]; s.Populated == nil || *s.Populated {
			n++
		}
	}
	return n
}

// longestName limits firmware's name of a socket: a longer one is ignored.
const longestName = 16

// SocketName returns firmware's name of a socket, "socket 0" if it has none that is short and unique.
func (inv *Inventory) SocketName(id int) string {
	number := "socket " + strconv.Itoa(id)
	name := strings.TrimSpace(Designation(inv, &id))
	if name == "" || len(name) > longestName {
		return number
	}
	for i := range inv.Sockets {
		if s := &inv.Sockets[i]; s.ID != id && strings.TrimSpace(string(s.Designation)) == name {
			return number
		}
	}
	return name
}

// Designation returns firmware's name of a socket.
func Designation(inv *Inventory, id *int) string {
	for i := range inv.Sockets {
		if id != nil && inv.Sockets[i].ID == *id {
			return string(inv.Sockets[i].Designation)
		}
	}
	return ""
}

// slotName returns the locator of a slot, with its handle if others have the same; otherwise the subject's text.
func (inv *Inventory) slotName(s inventory.Subject) string {
	handle := inventory.HandleText(s.Handle)
	name, same := "", 0
	for i := range inv.Slots {
		if inv.Slots[i].Handle == handle {
			name = string(inv.Slots[i].Locator)
		}
	}
	for i := range inv.Slots {
		if string(inv.Slots[i].Locator) == name {
			same++
		}
	}
	switch {
	case name == "":
		return s.String()
	case same > 1:
		return name + " (" + handle + ")"
	default:
		return name
	}
}
