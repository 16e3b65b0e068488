package collect

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"memaudit.example/memaudit/internal/model/fact"
	"memaudit.example/memaudit/internal/model/inventory"
	"memaudit.example/memaudit/internal/model/settings"
	"memaudit.example/memaudit/internal/source/bios"
)

func (c *collector) readConfigured() {
	if len(c.joined) == 0 {
		return
	}
	grey := make([]map[string]string, len(c.joined))
	for i, j := range c.joined {
		grey[i] = j.Export.GreyedOut()
	}
	for _, id := range settings.IDs() {
		var configured, pending []fact.Fact[string]
		for _, j := range c.joined {
			now, next := j.readValues(id, c.sys.Settings[id].Effective)
			configured, pending = append(configured, now), append(pending, next)
		}
		s, listed := c.sys.Settings[id]
		for i, j := range c.joined {
			if configured[i].Known() && !j.Foreign {
				s.GreyedOut = cmp.Or(s.GreyedOut, grey[i][configured[i].From.Field])
			}
		}
		one, two := c.combineValues(id, configured), c.combineValues(id, pending)
		if !listed && !isStated(one) && !isStated(two) {
			continue
		}
		if !listed {
			s.Effective = fact.Unknown[string](fact.Absent, "not observable from Linux", "")
			if c.facts == nil {
				s.Effective = noKernel[string](c, "the effective value")
			}
			s.DecidedBy = fact.Unknown[string](s.Effective.State, "the effective value is not known", "")
		}
		s.Configured, s.Pending = one, two
		s.DecidedBy = whoDecided(id, &s)
		c.sys.Settings[id] = s
	}
	// The kernel shows a bias that BIOS setup reserves for the platform, but it is not used and contradicts nothing.
	bias, owner := c.sys.Settings["energy_perf_bias"], c.sys.Settings["epb_owner"].Configured
	if owner.Or("") == "bios" && bias.Configured.Known() && bias.Effective.Known() && bias.Configured.Value != bias.Effective.Value {
		bias.DecidedBy = fact.Known(inventory.DecidedKernel, fact.Corroborated, bias.Effective.From, owner.From)
		c.sys.Settings["energy_perf_bias"] = bias
	}
}

// isStated reports whether an export lists the setting, even without a usable value.
func isStated(f fact.Fact[string]) bool {
	return f.State != fact.Unread && f.State != fact.Absent
}

// readValues reads the configured and pending value of one setting from the export. The effective value
// reveals a pending change if the tool prints changes before they take effect.
func (x *Export) readValues(id string, effective fact.Fact[string]) (configured, pending fact.Fact[string]) {
	e := x.Export
	switch {
	case e.Format == bios.OwnWords:
		return x.readOwnWord(id), fact.Unknown[string](fact.Unread, "a file of settings says what is, not what waits for the next boot", "")
	case e.Table == nil:
		f := fact.Unknown[string](fact.Unread, "memaudit has no table of this vendor's BIOS attributes", "")
		return f, f
	case e.Format == bios.Registry:
		f := fact.Unknown[string](fact.Unread, "an attribute registry holds no values", fact.BIOSExport)
		return f, f
	}
	// Indirect are the values of a tool that prints a change before it takes effect, those of an export that may
	// be another machine's, and pending values of a batch of commands.
	certainty, later := fact.Direct, fact.Direct
	if x.Foreign || e.ReadsPending {
		certainty = fact.Indirect
	}
	if certainty == fact.Indirect || e.Format == bios.ASUBatch {
		later = fact.Indirect
	}
	hasPending := false
	configured = x.readValue(id, certainty, func(a *bios.Attribute) bios.Attribute {
		hasPending = hasPending || a.HasPending
		return *a
	})
	pending = fact.Unknown[string](fact.Unread, "the exports given do not say what waits for the next boot", "the settings object of the Bios resource, or racadm's output")
	if hasPending {
		pending = x.readValue(id, later, (*bios.Attribute).AfterBoot)
	}
	if e.ReadsPending && configured.Known() {
		pending = configured
		if effective.Known() && !settings.Compatible(id, configured.Value, effective.Value) && !rewrittenByKernel(id, configured.Value, &effective) {
			tool := "the tool"
			if e.Format == bios.ILORest {
				tool = "a saved settings object"
			}
			configured = fact.Unknown[string](fact.Unread, tool+" shows a change before it acts, and the system runs with "+effective.Value, "an export made after the next boot", pending.From)
		}
	}
	if e.PendingOnly && !configured.Known() {
		configured = fact.Unknown[string](fact.Unread, describePending(e)+" says what is to be set, not what is set", "an export of the present settings")
	}
	return configured, pending
}

// readValue returns a setting's value as the export states it, or the value that the vendor's preset
// implies if the setting's own value has no effect under that preset.
func (x *Export) readValue(id string, certainty fact.Certainty, view bios.View) fact.Fact[string] {
	a := x.Export.Read(id, view)
	name, at := a.Given.Name, fact.Evidence{Source: x.Source, Path: x.Path, Field: a.Given.Name, Raw: a.Given.Value}
	switch a.Outcome {
	case bios.Translated:
	case bios.Missing:
		return x.absenceReason(id, a.Proven)
	case bios.Unstated:
		return fact.Unknown[string](fact.Unstated, fmt.Sprintf("the export lists %s without a value", name), "", at)
	case bios.Foreign:
		return fact.Unknown[string](fact.Unstated, fmt.Sprintf("%s is %q, a value that memaudit's table of %s does not translate", name, a.Given.ShownValue(), x.Export.Table.Vendor),
			"the vendor's description of this value", at)
	case bios.Ambiguous:
		return fact.Unknown[string](fact.Conflicting, fmt.Sprintf("the export lists %s several times with different values", name), "", at)
	}
	f := fact.Known(a.Value, certainty, at)
	f.Unverified = a.Unverified || x.Foreign
	if a.Preset == nil || a.Means == a.Value {
		return f
	}
	from := fact.Evidence{Source: x.Source, Path: x.Path, Field: a.Preset.Name, Raw: a.Preset.Value}
	if a.Means == "" {
		return fact.Unknown[string](fact.Unstated, fmt.Sprintf("%s is %q, and under it %s does not decide", a.Preset.Name, a.Preset.ShownValue(), name),
			"what the preset means, from the vendor's manual", from)
	}
	f.Value, f.From, f.More = a.Means, from, []fact.Evidence{at}
	return f
}

// readOwnWord reads one setting from a file of canonical values. A person wrote them, so they are indirect.
func (x *Export) readOwnWord(id string) fact.Fact[string] {
	given := x.Export.AttributesNamed(id)
	at := fact.Evidence{Source: x.Source, Path: x.Path}
	if len(given) == 0 {
		return fact.Unknown[string](fact.Unread, "the file of settings does not name it", "", at)
	}
	a := given[0]
	at.Field, at.Raw = a.Name, a.Value
	for _, other := range given[1:] {
		if other.Value != a.Value {
			return fact.Unknown[string](fact.Conflicting, fmt.Sprintf("the file names %s several times with different values", id), "", at)
		}
	}
	if s, _ := settings.Lookup(id); !s.Accepts(a.Value) {
		return fact.Unknown[string](fact.Malformed, fmt.Sprintf("%s is %q, expected one of %s", id, a.Value, strings.Join(s.Expected(), ", ")), "", at)
	}
	return fact.Known(a.Value, fact.Indirect, at)
}

func describePending(e *bios.Export) string {
	switch e.Format {
	case bios.ASUBatch, bios.Racadm:
		return "a batch of set commands"
	case bios.UCSXML:
		return "a BIOS policy"
	default:
		return "a settings object"
	}
}

// absenceReason returns the reason why the export does not list a setting: the machine does not offer it,
// or the export is not complete. named is set if a document or a capture proves a name of the setting.
func (x *Export) absenceReason(id string, named bool) fact.Fact[string] {
	at, table := fact.Evidence{Source: x.Source, Path: x.Path}, x.Export.Table
	switch {
	case len(table.Settings[id]) == 0 || !named:
		return fact.Unknown[string](fact.Unread, fmt.Sprintf("no document names the attribute of %s for it", table.Vendor), "", at)
	case hasOpaqueNames(x.Export):
		return fact.Unknown[string](fact.Unread, "the export's attribute names are codes", "the machine's BIOS attribute registry, given with a further --bios", at)
	case x.Export.Complete && !x.proven:
		return fact.Unknown[string](fact.Unread, fmt.Sprintf("the export does not list it by a name of %s, and nothing proves that these are all names of this machine's BIOS", table.Vendor),
			"the machine's own identity (SMBIOS), or the export as the BMC gives it", at)
	case x.Export.Complete:
		return fact.Unknown[string](fact.Absent, "not offered by this machine's BIOS", "", at)
	default:
		return fact.Unknown[string](fact.Unread, "the exports given are excerpts and do not hold it", fact.BIOSExportComplete)
	}
}

// hasOpaqueNames reports whether the attribute names of the export are codes that no registry resolved.
func hasOpaqueNames(e *bios.Export) bool {
	return (e.Vendor == bios.AMI || e.Vendor == bios.Gigabyte || e.Vendor == bios.ZT) &&
		!slices.ContainsFunc(e.Attributes, func(a bios.Attribute) bool { return a.Display != "" })
}

// combineValues combines the values that several exports state for one setting. Equal values corroborate each
// other; if they differ, the value is unknown.
func (c *collector) combineValues(id string, values []fact.Fact[string]) fact.Fact[string] {
	var won *fact.Fact[string]
	for i := range values {
		switch f := &values[i]; {
		case !f.Known():
			continue
		case won == nil:
			won = f
		case won.Value == f.Value:
			won.More = append(won.More, f.From)
			won.Certainty = max(won.Certainty, f.Certainty)
			won.Unverified = won.Unverified && f.Unverified
		default:
			c.recordConflict("setting "+id, won.From, f.From, "neither: two exports of one machine differ, and nothing says which is newer")
			return fact.Unknown[string](fact.Conflicting, fmt.Sprintf("%s says %s, %s says %s", won.From.Path, won.Value, f.From.Path, f.Value),
				"one export of the present settings", won.From, f.From)
		}
	}
	if won != nil {
		return *won
	}
	order := []fact.State{fact.Conflicting, fact.Malformed, fact.Unstated, fact.Absent, fact.Unread}
	for _, state := range order {
		for _, f := range values {
			if f.State == state && strings.TrimSpace(f.Reason) != "" {
				return f
			}
		}
	}
	return fact.Unknown[string](fact.Unread, "no export of the BIOS settings is part of this input", fact.BIOSExport)
}

// whoDecided returns who decided the effective value: firmware if both values agree, not firmware if they contradict each other.
func whoDecided(id string, s *inventory.Setting) fact.Fact[string] {
	now, runs := &s.Configured, &s.Effective
	switch {
	case !now.Known() || !runs.Known() || now.Value == settings.Auto || now.Unverified:
		return s.DecidedBy
	case rewrittenByKernel(id, now.Value, runs) || !s.DecidedBy.Known() && intelIdleTable(id, now.Value, runs):
		return fact.Known(inventory.DecidedKernel, fact.Corroborated, runs.From, now.From)
	case now.Certainty < fact.Corroborated:
		return s.DecidedBy
	}
	by, known := s.DecidedBy.Get()
	switch hardware := by == inventory.DecidedHardware; {
	case now.Value == runs.Value && (!known || hardware):
		return fact.Known(inventory.DecidedFirmware, fact.Corroborated, now.From, runs.From)
	case settings.Compatible(id, now.Value, runs.Value):
		return s.DecidedBy
	case !known || hardware || by == inventory.DecidedFirmware:
		return fact.Unknown[string](fact.Absent, fmt.Sprintf("BIOS setup says %s, so it is not firmware's doing, or the export is older than the last boot", now.Value),
			"an export made now", now.From, runs.From)
	default:
		return s.DecidedBy
	}
}

// rewrittenByKernel reports whether the effective value is what every kernel makes of the configured one: it
// changes an energy bias of 0 to 6 (linux arch/x86/kernel/cpu/intel_epb.c) and enables x2APIC mode if
// firmware left it off (arch/x86/kernel/apic/apic.c, try_to_enable_x2apic). The energy preference
// balance_performance is the processor's own default, which firmware's bias does not set.
func rewrittenByKernel(id, configured string, runs *fact.Fact[string]) bool {
	switch id {
	case "energy_perf_bias":
		firmwares := func(e fact.Evidence) bool {
			return strings.HasSuffix(e.Path, "/energy_perf_bias") && !inventory.KernelBias(e)
		}
		return configured == "max_performance" && runs.Value == "balanced_performance" && !slices.ContainsFunc(runs.Evidence(), firmwares)
	case "x2apic":
		return configured == settings.Disabled && runs.Value == settings.Enabled
	default:
		return false
	}
}

// intelIdleTable reports whether C-states that are disabled in BIOS setup are used nevertheless because
// intel_idle has its own table. It uses the table if firmware offers no C-states, and before Linux 5.6
// on every processor that it knows (drivers/idle/intel_idle.c).
func intelIdleTable(id, configured string, runs *fact.Fact[string]) bool {
	return id == "c_states" && configured == settings.Disabled && runs.Value == settings.Enabled &&
		slices.ContainsFunc(runs.Evidence(), func(e fact.Evidence) bool { return e.Raw == "intel_idle" })
}
