package collect

import (
	"fmt"
	"strings"

	"github.com/memaudit/memaudit/internal/model/fact"
	"github.com/memaudit/memaudit/internal/model/inventory"
	"github.com/memaudit/memaudit/internal/model/settings"
	"github.com/memaudit/memaudit/internal/source/bios"
)

// configured fills the configured and pending faces of every setting from the exports.
func (c *collector) configured() {
	if len(c.joined) == 0 {
		return
	}
	for _, id := range settings.IDs() {
		var configured, pending []fact.Fact[string]
		for _, j := range c.joined {
			now, next := j.faces(id, c.sys.Settings[id].Effective)
			configured, pending = append(configured, now), append(pending, next)
		}
		s, listed := c.sys.Settings[id]
		one, two := c.agree(id, configured), c.agree(id, pending)
		if !listed && !stated(one) && !stated(two) {
			continue
		}
		if !listed {
			s.Effective = c.noEffective()
			s.DecidedBy = fact.Unknown[string](s.Effective.State, "the effective value is not known", "")
		}
		s.Configured, s.Pending = one, two
		s.DecidedBy = decided(id, &s)
		c.sys.Settings[id] = s
	}
	c.platformOwnsBias()
}

// platformOwnsBias handles an energy bias that BIOS setup keeps for the platform: what the kernel
// writes and shows is not used, so it does not contradict BIOS setup.
func (c *collector) platformOwnsBias() {
	bias, owner := c.sys.Settings["energy_perf_bias"], c.sys.Settings["epb_owner"].Configured
	if owner.Or("") == "bios" && bias.Configured.Known() && bias.Effective.Known() && bias.Configured.Value != bias.Effective.Value {
		bias.DecidedBy = fact.Known(inventory.DecidedKernel, fact.Corroborated, bias.Effective.From, owner.From)
		c.sys.Settings["energy_perf_bias"] = bias
	}
}

// stated tells whether an export says anything about a face.
func stated(f fact.Fact[string]) bool {
	return f.State != fact.Unread && f.State != fact.Absent
}

// noEffective returns the effective face of a setting that the system does not show.
func (c *collector) noEffective() fact.Fact[string] {
	if c.facts == nil {
		return noKernel[string](c, "the effective value")
	}
	return fact.Unknown[string](fact.Absent, "not observable from Linux", "")
}

// faces reads one setting from the export. effective is what the system runs with: it reveals a
// pending change if the tool prints changes at once.
func (j *joinedExport) faces(id string, effective fact.Fact[string]) (configured, pending fact.Fact[string]) {
	if j.export.Format == bios.OwnWords {
		return j.word(id), fact.Unknown[string](fact.Unread, "a file of settings says what is, not what waits for the next boot", "")
	}
	if j.table == nil {
		f := fact.Unknown[string](fact.Unread, "memaudit has no table of this vendor's BIOS attributes", "")
		return f, f
	}
	if j.export.Format == bios.Registry {
		// It lists what the firmware knows, not what this machine offers.
		f := fact.Unknown[string](fact.Unread, "an attribute registry holds no values", exportAdvice)
		return f, f
	}
	waits := false
	current := func(plain string) []settings.ExportedAttribute {
		return convertEach(j.byName[plain], func(a *bios.Attribute) settings.ExportedAttribute {
			waits = waits || a.HasPending
			return settings.ExportedAttribute{Name: a.Name, Value: a.Value, Text: a.Text, Stated: a.Stated}
		})
	}
	configured = j.read(id, current, j.certainty(false))
	pending = fact.Unknown[string](fact.Unread, "the exports given do not say what waits for the next boot", "the settings object of the Bios resource, or racadm's output")
	if waits {
		pending = j.read(id, func(plain string) []settings.ExportedAttribute {
			return convertEach(j.byName[plain], func(a *bios.Attribute) settings.ExportedAttribute {
				if a.HasPending {
					return settings.ExportedAttribute{Name: a.Name, Value: a.Pending, Text: a.PendingText, Stated: true}
				}
				return settings.ExportedAttribute{Name: a.Name, Value: a.Value, Text: a.Text, Stated: a.Stated}
			})
		}, j.certainty(true))
	}
	if j.export.ReadsPending && configured.Known() {
		pending = configured
		if effective.Known() && !settings.Agree(id, configured.Value, effective.Value) && !rewritten(id, configured.Value, &effective) {
			configured = fact.Unknown[string](fact.Unread, shows(j.export)+" shows a change before it acts, and the system runs with "+effective.Value, "an export made after the next boot", pending.From)
		}
	}
	if j.export.Wishes && !configured.Known() {
		configured = fact.Unknown[string](fact.Unread, wishes(j.export)+" says what is to be set, not what is set", "an export of the present settings")
	}
	return configured, pending
}

// read returns a setting as the export states it, or what the vendor's preset makes of it, if the
// setting's own value has no effect with that preset.
func (j *joinedExport) read(id string, lookup func(plain string) []settings.ExportedAttribute, c fact.Certainty) fact.Fact[string] {
	own := j.table.Read(id, lookup)
	f := j.fact(id, own, c)
	preset, word, governed := j.table.Under(id, lookup)
	if !governed || !f.Known() || f.Value == word {
		return f
	}
	at := fact.Evidence{Source: j.source, Path: j.path, Field: preset.Name, Raw: preset.Value}
	if word == "" {
		return fact.Unknown[string](fact.Unstated, fmt.Sprintf("%s is %q, and under it %s does not decide", preset.Name, shownValue(preset), own.Given.Name),
			"what the preset means, from the vendor's manual", at)
	}
	f.Value, f.From, f.More = word, at, []fact.Evidence{f.From}
	return f
}

// word reads one setting from a file of canonical words. A person wrote them, so they are indirect.
func (j *joinedExport) word(id string) fact.Fact[string] {
	given := j.byName[settings.PlainName(id)]
	at := fact.Evidence{Source: j.source, Path: j.path}
	if len(given) == 0 {
		return fact.Unknown[string](fact.Unread, "the file of settings does not name it", "", at)
	}
	a, s := given[0], vocabularyOf(id)
	at.Field, at.Raw = a.Name, a.Value
	for _, other := range given[1:] {
		if other.Value != a.Value {
			return fact.Unknown[string](fact.Conflicting, fmt.Sprintf("the file names %s several times with different values", id), "", at)
		}
	}
	if !s.Accepts(a.Value) {
		return fact.Unknown[string](fact.Malformed, fmt.Sprintf("%s is %q, expected one of %s", id, a.Value, strings.Join(s.Expected(), ", ")), "", at)
	}
	return fact.Known(a.Value, fact.Indirect, at)
}

func vocabularyOf(id string) settings.Setting {
	s, _ := settings.Lookup(id)
	return s
}

// certainty is indirect for values of a tool that prints a change before it takes effect, for
// pending values of a batch of commands, and for an export that may be another machine's; otherwise
// it is direct.
func (j *joinedExport) certainty(pending bool) fact.Certainty {
	if j.foreign || j.export.ReadsPending || pending && j.export.Format == bios.ASUBatch {
		return fact.Indirect
	}
	return fact.Direct
}

// wishes names an export that says what is to be set.
func wishes(e *bios.Export) string {
	switch e.Format {
	case bios.ASUBatch, bios.Racadm:
		return "a batch of set commands"
	case bios.UCSXML:
		return "a BIOS policy"
	default:
		return "a settings object"
	}
}

// shows names an export that shows changes before they take effect.
func shows(e *bios.Export) string {
	if e.Format == bios.ILORest {
		return "a saved settings object"
	}
	return "the tool"
}

// convertEach applies conv to each attribute.
func convertEach(in []*bios.Attribute, conv func(*bios.Attribute) settings.ExportedAttribute) []settings.ExportedAttribute {
	out := make([]settings.ExportedAttribute, 0, len(in))
	for _, a := range in {
		out = append(out, conv(a))
	}
	return out
}

// fact converts a table's answer to a fact.
func (j *joinedExport) fact(id string, a settings.Answer, c fact.Certainty) fact.Fact[string] {
	at := fact.Evidence{Source: j.source, Path: j.path, Field: a.Given.Name, Raw: a.Given.Value}
	switch a.Outcome {
	case settings.Translated:
		f := fact.Known(a.Value, c, at)
		f.Unverified = a.Attr.Unverified || j.foreign
		return f
	case settings.Unstated:
		return fact.Unknown[string](fact.Unstated, fmt.Sprintf("the export lists %s without a value", a.Given.Name), "", at)
	case settings.Foreign:
		return fact.Unknown[string](fact.Unstated, fmt.Sprintf("%s is %q, a value that memaudit's table of %s does not translate", a.Given.Name, shownValue(a.Given), j.table.Vendor),
			"the vendor's description of this value", at)
	case settings.Ambiguous:
		return fact.Unknown[string](fact.Conflicting, fmt.Sprintf("the export lists %s several times with different values", a.Given.Name), "", at)
	case settings.Missing:
		return j.missing(id, a)
	default:
		return j.missing(id, a)
	}
}

func shownValue(g settings.ExportedAttribute) string {
	if g.Text != "" {
		return g.Text
	}
	return g.Value
}

// missing distinguishes a setting that the machine does not offer from one that the export just
// does not show.
func (j *joinedExport) missing(id string, a settings.Answer) fact.Fact[string] {
	at := fact.Evidence{Source: j.source, Path: j.path}
	switch {
	case len(j.table.Settings[id]) == 0 || !a.Proven:
		return fact.Unknown[string](fact.Unread, fmt.Sprintf("no document names the attribute of %s for it", j.table.Vendor), "", at)
	case opaque(j.export):
		return fact.Unknown[string](fact.Unread, "the export's attribute names are codes", "the machine's BIOS attribute registry, given with a further --bios", at)
	case j.export.Complete && !j.proven:
		return fact.Unknown[string](fact.Unread, fmt.Sprintf("the export does not list it by a name of %s, and nothing proves that these are all names of this machine's BIOS", j.table.Vendor),
			"the machine's own identity (SMBIOS), or the export as the BMC gives it", at)
	case j.export.Complete:
		return fact.Unknown[string](fact.Absent, "not offered by this machine's BIOS", "", at)
	default:
		return fact.Unknown[string](fact.Unread, "the exports given are excerpts and do not hold it", "an export of all BIOS settings")
	}
}

// opaque tells whether the attribute names of the export are codes that no registry resolved.
func opaque(e *bios.Export) bool {
	switch e.Vendor {
	case bios.AMI, bios.Gigabyte, bios.ZT:
	default:
		return false
	}
	for i := range e.Attributes {
		if e.Attributes[i].Display != "" {
			return false
		}
	}
	return true
}

// agree combines what several exports say of one face. Equal values corroborate each other; with
// different ones the face is unknown.
func (c *collector) agree(id string, faces []fact.Fact[string]) fact.Fact[string] {
	var won *fact.Fact[string]
	for i := range faces {
		f := &faces[i]
		switch {
		case !f.Known():
			continue
		case won == nil:
			won = f
		case won.Value == f.Value:
			won.More = append(won.More, f.From)
			won.Certainty = max(won.Certainty, f.Certainty)
			won.Unverified = won.Unverified && f.Unverified
		default:
			c.conflict("setting "+id, won.From, f.From, "neither: two exports of one machine differ, and nothing says which is newer")
			return fact.Unknown[string](fact.Conflicting, fmt.Sprintf("%s says %s, %s says %s", won.From.Path, won.Value, f.From.Path, f.Value),
				"one export of the present settings", won.From, f.From)
		}
	}
	if won != nil {
		return *won
	}
	return unsettled(faces)
}

// unsettled returns the face that no export has a value for, with the most informative of the
// reasons.
func unsettled(faces []fact.Fact[string]) fact.Fact[string] {
	order := []fact.State{fact.Conflicting, fact.Malformed, fact.Unstated, fact.Absent, fact.Unread}
	for _, state := range order {
		for _, f := range faces {
			if f.State == state && strings.TrimSpace(f.Reason) != "" {
				return f
			}
		}
	}
	return fact.Unknown[string](fact.Unread, "no export of the BIOS settings is part of this input", exportAdvice)
}
