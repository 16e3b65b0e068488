package report

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"memaudit.example/memaudit/internal/audit/verdict"
	"memaudit.example/memaudit/internal/model/ddr"
	"memaudit.example/memaudit/internal/model/fact"
	"memaudit.example/memaudit/internal/model/humanize"
	"memaudit.example/memaudit/internal/model/inventory"
)

// Criteria are what the caller of an audit asks of its verdict.
type Criteria struct {
	// FailOn is the lowest severity with which a failure gives exit status 1, or FailNever; "" means warning.
	FailOn string
	// Strict counts each check that did not run as unknown.
	Strict bool
	// Failed is why something that the audit was told to read could not be read; nil if all was.
	Failed error
}

// channelRule is the rule without which the memory population is not checked; moduleRule that of modules with
// channels of their own.
const (
	channelRule = "memory.channel.populated"
	moduleRule  = "memory.module.complete"
	speedRule   = "memory.speed.expected"
)

// ownTableRule fails if the SMBIOS file may be another machine's than the tree.
const ownTableRule = "firmware.smbios.own"

// tableRule fails if the SMBIOS table contradicts itself.
const tableRule = "firmware.smbios.wellformed"

// MakeVerdict makes the verdict. Build calls it; so does whoever changes a report afterwards.
func (r *Report) MakeVerdict(c Criteria) {
	s := r.Summary
	v := Verdict{Judged: s.Pass + s.Fail + s.Waived, NotJudged: s.Unknown + s.Error}
	r.Problems = r.listProblems()
	var worst verdict.Severity
	if len(r.Problems) > 0 {
		worst = r.Problems[0].Severity
	}
	v.Status, v.Sentence = r.decideStatus(c, worst)
	switch v.Status {
	case StatusWarning, StatusCritical:
		v.Sentence = r.withoutDIMMs(r.verdictHeadline())
	case StatusNotApplicable:
		v.Sentence = "the memory of " + strings.TrimSuffix("a virtual machine ("+r.Machine.Hypervisor.Text()+")", " ()") + " is assigned by its hypervisor; audit the host"
	case StatusOK:
		v.Sentence = r.goodSentence() + r.profileMetSentence()
	case StatusUnknown:
	}
	if r.Profile != nil && r.Profile.Part != "" && v.Status != StatusUnknown && v.Status != StatusNotApplicable {
		v.Sentence += "; profile " + r.Profile.ID + ": " + string(r.Profile.Part)
	}
	v.Sentence = strings.TrimRight(strings.Join(strings.Fields(v.Sentence), " "), ".")
	v.ExitStatus = r.exitStatus(v.Status, c, worst)
	r.Verdict = v
	if c.Failed != nil {
		r.Failed = c.Failed.Error()
	}
}

// decideStatus returns the status that the findings make, the worst of whose failures is given, and the reason if it is unknown.
func (r *Report) decideStatus(c Criteria, worst verdict.Severity) (Status, string) {
	if worst == verdict.Critical {
		return StatusCritical, ""
	}
	if worst == verdict.Warning {
		return StatusWarning, ""
	}
	if incomplete := r.incompleteReason(c); incomplete != "" {
		return StatusUnknown, incomplete
	}
	if r.isVirtualMachine() {
		return StatusNotApplicable, ""
	}
	return StatusOK, ""
}

// exitStatus returns the exit status of check. An input that could not be read goes before a
// failure, a failure before a status of unknown.
func (r *Report) exitStatus(status Status, c Criteria, worst verdict.Severity) int {
	switch {
	case c.Failed != nil:
		return ExitNotAudited
	case c.FailOn != FailNever && worst != "" && SeverityRank(worst) >= SeverityRank(cmp.Or(c.FailOn, string(verdict.Warning))):
		return ExitFailed
	case status == StatusUnknown:
		return ExitNotAudited
	case c.Strict && r.Summary.Unknown+r.Summary.Error > 0:
		return ExitNotAudited
	default:
		return ExitOK
	}
}

// incompleteReason returns why what was asked for could not be checked, "" if it was.
func (r *Report) incompleteReason(c Criteria) string {
	s := r.Summary
	switch {
	case c.Failed != nil:
		return c.Failed.Error()
	case len(r.Findings) == 0:
		return "nothing was audited"
	case c.Strict && s.Unknown+s.Error > 0:
		asked := humanize.Plural(s.Unknown+s.Error, "check") + " could not run, and --strict asks for all"
		if first := r.firstOpenSentence(asked + ": "); strings.HasPrefix(first, asked) {
			return first
		}
		return asked // without it a reason that is no fault reads as one
	case r.anothersTable() != "":
		return r.anothersTable()
	case r.isVirtualMachine():
		return ""
	}
	channels := r.findingsOfRule(channelRule)
	if len(channels) == 0 { // not an audit of the memory population, but of a baseline or a measurement
		if s.Pass+s.Fail+s.Waived == 0 && s.Unknown+s.Error > 0 {
			return r.firstOpenSentence("")
		}
		return r.doubtSentence()
	}
	channels = append(channels, r.findingsOfRule(moduleRule)...)
	decided := slices.ContainsFunc(channels, func(f *verdict.Finding) bool {
		return f.Result == verdict.Pass || f.Result == verdict.Fail && f.Doubt == "" || f.Result == verdict.Waived
	})
	// A processor whose channels are not known may be the one with empty channels.
	open := slices.IndexFunc(channels, func(f *verdict.Finding) bool { return isUndecided(*f) })
	table := r.tableSentence(decided)
	switch {
	case table != "":
		return table
	case r.doubtSentence() != "":
		return r.doubtSentence()
	case open >= 0 && len(r.Inventory.Slots) > 0 && !slices.ContainsFunc(r.Inventory.Slots, func(s inventory.Slot) bool { return s.State != inventory.SlotEmpty }):
		return "the SMBIOS table lists no memory module, although the machine runs" // a slot map would not help
	case open >= 0:
		what := "the memory channels"
		if channels[open].Rule == moduleRule {
			what = "the memory modules"
		}
		if where := r.Inventory.placePhrase([]inventory.Subject{channels[open].Subject}); decided && where != "" {
			what += " of " + where
		}
		return r.openSentence(what+" could not be checked: ", channels[open])
	case r.slowForUnstated() != "":
		return r.slowForUnstated()
	case r.ProfileAsked:
		return r.profileSentence()
	default:
		return ""
	}
}

// slowForUnstated says that all DIMMs run below their rating and that firmware does not state what could explain it, the
// processor's model or a DIMM's type; "" otherwise. What no document gives of a known processor is no doubt of the machine.
func (r *Report) slowForUnstated() string {
	if !slices.ContainsFunc(r.findingsOfRule(speedRule), func(f *verdict.Finding) bool { return f.Result == verdict.Unknown }) {
		return ""
	}
	unstated, configured, rated, modules, typed := "", 0, 0, 0, 0
	for i := range r.Inventory.Sockets {
		if s := &r.Inventory.Sockets[i]; s.Populated.Or(false) && !s.Brand.Known() {
			unstated = "the processor's model"
		}
	}
	for _, s := range r.Inventory.Slots {
		if s.State != inventory.SlotPopulated || s.Technology.Or(inventory.DRAM) != inventory.DRAM || !s.ConfiguredMTs.Known() || !s.RatedMTs.Known() {
			continue
		}
		if s.Type.Known() {
			typed++
		}
		modules++
		if rated == 0 || s.RatedMTs.Value < rated {
			rated = s.RatedMTs.Value
		}
		configured = max(configured, s.ConfiguredMTs.Value)
	}
	if typed > 0 && typed < modules { // an old dmidecode prints no type of DDR5 at all
		unstated = cmp.Or(unstated, "the type of each DIMM")
	}
	if unstated == "" || configured >= rated || ddr.SameSpeed(configured, rated) {
		return ""
	}
	return fmt.Sprintf("memory runs at %d of %d MT/s, and firmware does not state %s, which may be why", configured, rated, unstated)
}

// doubtSentence describes the first failure whose severity was lowered because its facts are in doubt, and what is in
// doubt; "" without one. A report that was read back has no findings in its problems.
func (r *Report) doubtSentence() string {
	doubted := func(f *verdict.Finding) bool { return f.Result == verdict.Fail && f.Doubt != "" }
	for i := range r.Problems {
		p := &r.Problems[i]
		if all := slices.Concat(p.Members, p.Led); slices.ContainsFunc(all, doubted) {
			return r.probableSentence(string(all[slices.IndexFunc(all, doubted)].Doubt), r.problemHeadline(p), p.Members[0].Headline)
		}
	}
	for i := range r.Findings {
		if f := &r.Findings[i]; doubted(f) {
			return r.probableSentence(string(f.Doubt), f.Summary(), f.Headline)
		}
	}
	return ""
}

// probableSentence reports a failure that is in doubt, in full, without the details of the doubt, or by its headline as it fits.
func (r *Report) probableSentence(doubt, failure, headline string) string {
	short, _, _ := strings.Cut(doubt, ": ")
	sentence := ""
	for _, failure := range []string{failure, cmp.Or(headline, failure)} {
		for _, doubt := range []string{doubt, short} {
			if sentence = "probably " + failure + "; but " + doubt; r.fitsTwoLines(sentence) {
				return sentence
			}
		}
	}
	return sentence
}

// anothersTable returns the reason why the SMBIOS file may be another machine's, "" if there is none.
func (r *Report) anothersTable() string {
	for _, f := range r.findingsOfRule(ownTableRule) {
		if f.Result == verdict.Fail {
			return string(f.Found)
		}
	}
	return ""
}

// profileMetSentence reports that the settings are those of the profile that was asked for, and of how many that is known; ""
// if one differs or none was checked, or if the profile is a part of its document, which is said of it.
func (r *Report) profileMetSentence() string {
	if !r.ProfileAsked || r.Profile == nil || r.Profile.Part != "" {
		return ""
	}
	s := verdict.Summarize(r.settingFindings())
	switch open := s.Unknown + s.Error; {
	case s.Pass == 0 || s.Fail+s.Waived > 0:
		return ""
	case open == 0:
		return "; the settings are those of " + r.Profile.ID
	default:
		return fmt.Sprintf("; %d of the %d settings of %s could be checked and are as it asks", s.Pass, s.Pass+open, r.Profile.ID)
	}
}

func (r *Report) settingFindings() []verdict.Finding {
	return slices.DeleteFunc(slices.Clone(r.Findings), func(f verdict.Finding) bool { return !strings.HasPrefix(f.Rule, verdict.SettingRules) })
}

// profileSentence reports that the requested profile was not applied, or that none of its settings could be checked;
// "" if some were.
func (r *Report) profileSentence() string {
	if r.Profile == nil {
		return "the profile that was asked for was not applied: " + string(r.Why)
	}
	all := r.settingFindings()
	s, open := verdict.Summarize(all), slices.IndexFunc(all, isUndecided)
	if s.Pass+s.Fail+s.Waived > 0 || open < 0 {
		return ""
	}
	return r.openSentence("no setting of the profile "+r.Profile.ID+" could be checked: ", &all[open])
}

// tableSentence reports that the SMBIOS table could not be read and what to do, "" if it could or if another source
// decided the channels.
func (r *Report) tableSentence(decided bool) string {
	s := r.Inventory.smbios()
	switch state := s.State; {
	case state == fact.SourceTruncated, state == fact.SourceMalformed:
		return r.Inventory.WithoutTable()
	case decided, s.NoSuch, state == fact.SourceOK, state == fact.SourcePartial:
		return ""
	case state == fact.SourceDenied:
		return "the SMBIOS table could not be read (permission denied): run as root"
	case state == fact.SourceRefused:
		return r.Inventory.WithoutTable()
	default:
		return "there is no SMBIOS table: give one with --smbios FILE (sudo dmidecode --dump-bin FILE makes one)"
	}
}

// withoutDIMMs adds to the sentence of another failure that the DIMMs could not be checked for lack of an SMBIOS table.
func (r *Report) withoutDIMMs(sentence string) string {
	channels := r.findingsOfRule(channelRule)
	if len(channels) == 0 || slices.ContainsFunc(channels, func(f *verdict.Finding) bool { return f.Result != verdict.Unknown }) ||
		r.isVirtualMachine() || r.tableSentence(false) == "" {
		return sentence
	}
	sentence += "; the DIMMs were not checked"
	if why := ": " + r.Inventory.WithoutTable(); r.fitsTwoLines(sentence + why) {
		return sentence + why
	}
	return sentence
}

// smbios returns the source of the SMBIOS table: one that is complete if none is listed.
func (inv *Inventory) smbios() *inventory.Source {
	for i := range inv.Sources {
		if inv.Sources[i].Name == inventory.SourceSMBIOS {
			return &inv.Sources[i]
		}
	}
	return &inventory.Source{State: fact.SourceOK}
}

// WithoutTable is the reason why the SMBIOS table was not read completely, "" if it was.
func (inv *Inventory) WithoutTable() string {
	s := inv.smbios()
	detail := string(s.Detail)
	switch s.State {
	case fact.SourceOK:
		return ""
	case fact.SourceDenied:
		return "only root can read the SMBIOS table (sudo memaudit check)"
	case fact.SourceAbsent:
		if s.NoSuch {
			return "machines of this architecture have no SMBIOS table"
		}
		if at := strings.LastIndex(detail, ": "); at >= 0 { // after the file
			detail = detail[at+len(": "):]
		}
		return "there is no SMBIOS table" + strings.TrimSuffix(" ("+detail+")", " ()")
	case fact.SourceRefused:
		return "the SMBIOS table could not be read: " + detail
	case fact.SourcePartial:
		return "the SMBIOS table could not be read in full: " + detail
	default:
		return "the SMBIOS table is damaged: " + detail
	}
}

func (r *Report) isVirtualMachine() bool {
	return r.Machine.Virtual.Or(false) && len(r.findingsOfRule(channelRule)) > 0
}

func (r *Report) findingsOfRule(rule string) []*verdict.Finding {
	var out []*verdict.Finding
	for i := range r.Findings {
		if r.Findings[i].Rule == rule {
			out = append(out, &r.Findings[i])
		}
	}
	return out
}

func (r *Report) firstOpenSentence(prefix string) string {
	if at := slices.IndexFunc(r.Findings, isUndecided); at >= 0 {
		return r.openSentence(prefix+r.Findings[at].Rule+": ", &r.Findings[at])
	}
	return prefix
}

func isUndecided(f verdict.Finding) bool {
	return f.Result == verdict.Unknown || f.Result == verdict.Error
}

// openSentence gives after a prefix the reason why a check could not run, and what would let it if that fits.
func (r *Report) openSentence(prefix string, f *verdict.Finding) string {
	knownBy, _, _ := strings.Cut(string(f.KnownBy), fact.BetweenInputs)
	if knownBy == string(fact.SlotMap) || knownBy == string(fact.LetteredSlotMap) {
		const board = "memaudit does not know which slot is on which channel of this board"
		if page := " (docs/unknown-board.md)"; r.fitsTwoLines(board + page) {
			return board + page
		}
		return board
	}
	why, _, _ := strings.Cut(string(f.Reason), "; ")
	why = cmp.Or(why, "no reason")
	short, _, _ := strings.Cut(why, ": ")
	var help string
	if knownBy != "" {
		help = "; what helps: " + knownBy
	}
	for _, sentence := range []string{why + help, short + help, why} {
		if r.fitsTwoLines(prefix + sentence) {
			return prefix + sentence
		}
	}
	if r.fitsTwoLines(short) && !r.fitsTwoLines(prefix+short) {
		return short
	}
	return prefix + short
}

// fitsTwoLines reports whether a sentence fits after the machine's name into two lines of 80 columns, with the status before
// them.
func (r *Report) fitsTwoLines(sentence string) bool {
	const width = 70
	lines, column := 1, 0
	for word := range humanize.Words(VendorName(r.Machine.Vendor.Or("")) + " " + r.Machine.Product.Or("") + ": " + sentence) {
		n := utf8.RuneCountInString(word)
		if column > 0 && column+1+n > width {
			lines, column = lines+1, 0
		}
		column += n + min(column, 1)
	}
	return lines <= 2
}

// MarkOutdated marks the report as that of an earlier audit: a later one could read nothing of the
// machine. What was good then is not known to be good now.
func (r *Report) MarkOutdated(err error) {
	r.Outdated = "this is the machine as of " + r.GeneratedAt + "; the last audit could read nothing of it"
	if err != nil {
		r.Outdated += ": " + err.Error()
	}
	r.MakeVerdict(Criteria{Failed: errors.New(r.Outdated)})
}

// Contradiction returns what a report from elsewhere says against its own findings, nil if nothing: its counts, its
// problems, its verdict. Unknown is accepted where the findings make ok or not applicable: --strict, a profile that was
// not applied and an input that could not be read leave no finding.
func (r *Report) Contradiction() error {
	if len(r.Findings) == 0 {
		return errors.New("findings is empty")
	}
	counted := verdict.Summarize(r.Findings)
	for _, c := range []struct {
		what          string
		stated, found int
	}{
		{"summary.pass", r.Summary.Pass, counted.Pass},
		{"summary.fail", r.Summary.Fail, counted.Fail},
		{"summary.unknown", r.Summary.Unknown, counted.Unknown},
		{"summary.not_applicable", r.Summary.NotApplicable, counted.NotApplicable},
		{"summary.waived", r.Summary.Waived, counted.Waived},
		{"summary.error", r.Summary.Error, counted.Error},
		{"verdict.judged", r.Verdict.Judged, counted.Pass + counted.Fail + counted.Waived},
		{"verdict.not_judged", r.Verdict.NotJudged, counted.Unknown + counted.Error},
	} {
		if c.stated != c.found {
			return fmt.Errorf("%s is %d, but findings has %d", c.what, c.stated, c.found)
		}
	}
	if r.Summary.Worst != counted.Worst {
		return fmt.Errorf("summary.worst_severity is %q, but the worst failure of findings is %q", r.Summary.Worst, counted.Worst)
	}
	if err := r.problemsContradict(counted); err != nil {
		return err
	}
	stated := r.Verdict.Status
	made, _ := r.decideStatus(Criteria{}, counted.Worst)
	if stated == made || stated == StatusUnknown && (made == StatusOK || made == StatusNotApplicable) {
		return nil
	}
	return fmt.Errorf("verdict.status is %q, but findings make it %q", stated, made)
}

// problemsContradict returns how the problems differ from the failures: each failure belongs to one.
func (r *Report) problemsContradict(counted verdict.Summary) error {
	n := 0
	var worst verdict.Severity
	for i := range r.Problems {
		p := &r.Problems[i]
		if !slices.ContainsFunc(r.findingsOfRule(p.Rule), func(f *verdict.Finding) bool { return f.Result == verdict.Fail }) {
			return fmt.Errorf("problems[%d] is about %q, which fails nowhere in findings", i, p.Rule)
		}
		n += len(p.Subjects) + len(p.Consequences)
		if p.Severity.Rank() > worst.Rank() {
			worst = p.Severity
		}
	}
	switch {
	case n != counted.Fail:
		return fmt.Errorf("problems has %d failures, but findings has %d", n, counted.Fail)
	case worst != counted.Worst:
		return fmt.Errorf("the worst of problems is %q, but the worst failure of findings is %q", worst, counted.Worst)
	}
	return nil
}
