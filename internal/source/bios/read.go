package bios

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"memaudit.example/memaudit/internal/model/lazy"
	"memaudit.example/memaudit/internal/model/settings"
)

// UseTable sets the vendor's table, nil if there is none, and the name of the audited product, and indexes the attributes by
// plain name and, if no attribute has that name, by their text in BIOS setup.
func (e *Export) UseTable(t *settings.Table, product string) {
	e.Table, e.product, e.byName = t, product, map[string][]*Attribute{}
	for i := range e.Attributes {
		name := settings.PlainName(e.Attributes[i].Name)
		e.byName[name] = append(e.byName[name], &e.Attributes[i])
	}
	texts := map[string][]*Attribute{}
	for i := range e.Attributes {
		if text := settings.PlainName(e.Attributes[i].Display); text != "" && len(e.byName[text]) == 0 {
			texts[text] = append(texts[text], &e.Attributes[i])
		}
	}
	maps.Copy(e.byName, texts)
}

// AttributesNamed returns the attributes with this name, or else with this text in BIOS setup.
func (e *Export) AttributesNamed(name string) []*Attribute { return e.byName[settings.PlainName(name)] }

func (e *Export) viewAttributes(plain string, at View) []Attribute {
	var out []Attribute
	for _, a := range e.byName[plain] {
		out = append(out, at(a))
	}
	return out
}

// View returns an attribute with the value that it has at one time as Value, Text and Stated: at present, after the next
// boot, or once changes are made.
type View func(a *Attribute) Attribute

// AfterBoot is the View of the next boot.
func (a *Attribute) AfterBoot() Attribute {
	b := *a
	if a.HasPending {
		b.Value, b.Text, b.Stated = a.Pending, a.PendingText, true
	}
	return b
}

// ShownValue returns the value as BIOS setup shows it if that is known, otherwise the value itself.
func (a *Attribute) ShownValue() string { return cmp.Or(a.Text, a.Value) }

// Outcome is the result of reading a setting from an export. It is not a fact.State: whether a Missing setting is absent
// depends on the completeness of the export, and Foreign and Ambiguous are results of a translation.
type Outcome uint8

// The outcomes.
const (
	Missing    Outcome = iota // none of the setting's attributes is in the export
	Translated                // the value has a canonical value
	Unstated                  // the attribute is there without a value
	Foreign                   // the table does not know the value
	Ambiguous                 // the attribute is listed twice, with different values
)

// Answer is what an export states about one setting.
type Answer struct {
	Outcome Outcome
	// Value is the canonical value if Outcome is Translated.
	Value string
	// Given is the attribute that decided; Unverified is set if its entry in the table is.
	Given      Attribute
	Unverified bool
	// Proven is true if a document or a capture proves a name of the setting. Otherwise Missing
	// does not mean that the machine lacks it.
	Proven bool
	// Preset is the vendor's preset that overrides the setting's own value, nil if none does. Means is the resulting value,
	// "" if it is not documented; the setting's own value then has no effect.
	Preset *Attribute
	Means  string
}

// InEffect returns the value that the setting has with its preset. It returns false if that is unknown.
func (a *Answer) InEffect() (string, bool) {
	switch {
	case a.Outcome != Translated:
		return "", false
	case a.Preset != nil:
		return a.Means, a.Means != ""
	default:
		return a.Value, true
	}
}

// Read translates the attributes of an export to one setting. The first entry with an attribute in the export decides;
// later entries for the same attribute may have more values. The value "next" leaves the decision to the next attribute,
// and skips entries of its own attribute without the value.
func (e *Export) Read(id string, at View) Answer {
	s, _ := settings.Lookup(id)
	var a Answer
	decided, passed := "", ""
	for i := range e.Table.Settings[id] {
		entry := &e.Table.Settings[id][i]
		a.Proven = a.Proven || !entry.Unverified && entry.Name != ""
		if entry.With != "" && len(e.viewAttributes(settings.PlainName(entry.With), at)) == 0 {
			continue
		}
		var given []Attribute
		name := ""
		for _, name = range entry.Names() {
			if given = e.viewAttributes(name, at); len(given) > 0 {
				break
			}
		}
		if len(given) == 0 || decided != "" && decided != name {
			continue
		}
		switch value, outcome := canonicalValue(entry, s, given); {
		case value == settings.Next:
			decided, passed = "", name
		case name != passed || outcome == Translated:
			a.Outcome, a.Value, a.Given, a.Unverified, decided = outcome, value, given[0], entry.Unverified, name
		}
		if a.Outcome == Translated {
			break
		}
	}
	a.Preset, a.Means = e.overridingPreset(id, at)
	if a.Preset != nil && a.Means == "" && a.Value == settings.Disabled && slices.Contains([]string{"disable", "disabled"}, settings.PlainName(a.Preset.Value)) {
		a.Means = settings.Disabled // off below an option that is off itself
	}
	return a
}

// canonicalValue returns the canonical value. If the attribute occurs several times, all must agree.
func canonicalValue(entry *settings.Attribute, s settings.Setting, given []Attribute) (string, Outcome) {
	value := ""
	for i := range given {
		g := &given[i]
		if !g.Stated {
			return "", Unstated
		}
		word, ok := entry.Canonical(s, g.Value)
		if !ok && g.Text != "" {
			word, ok = entry.Canonical(s, g.Text)
		}
		switch {
		case !ok:
			return "", Foreign
		case i > 0 && word != value:
			return "", Ambiguous
		}
		value = word
	}
	return value, Translated
}

// overridingPreset returns the preset that overrides a setting's own value, and what it makes of the setting, "" if that is not
// documented for the product.
func (e *Export) overridingPreset(id string, at View) (*Attribute, string) {
	for i := range e.Table.Presets {
		p := &e.Table.Presets[i]
		if !slices.Contains(p.Controls, id) {
			continue
		}
		for _, now := range e.viewAttributes(settings.PlainName(p.Attribute), at) {
			is := func(value string) bool {
				plain := settings.PlainName(value)
				return plain == settings.PlainName(now.Value) || now.Text != "" && plain == settings.PlainName(now.Text)
			}
			if !now.Stated || slices.ContainsFunc(p.Unlocked, is) {
				continue
			}
			if word := p.ImpliedValue(id, e.product, is); word != "" || p.Inert {
				return &now, word
			}
		}
	}
	return nil, ""
}

// hpeRegistry matches the names of HPE's registries: iLO 4's, and those of a ROM family of a letter and two digits.
var hpeRegistry = lazy.Pattern(`^HpBiosAttributeRegistry|^BiosAttributeRegistry[A-Z][0-9]{2}\.v`)

// findVendor finds the vendor of a Redfish document by the registry, the path, the OEM objects and the actions of the
// document, or else by the names of its attributes. OEM objects of several vendors identify none.
func (e *Export) findVendor(body object) (vendor string, guessed bool) {
	switch {
	case strings.HasPrefix(e.RegistryName, "Cisco"):
		return Cisco, false
	case hpeRegistry().MatchString(e.RegistryName):
		return HPE, false
	case strings.Contains(e.Path, "System.Embedded"):
		return Dell, false
	case strings.Contains(e.Path, "/Systems/Node") && hasNestedValues(body):
		return Cray, false
	}
	found := map[string]bool{}
	for key, vendor := range map[string]string{"Hpe": HPE, "Hp": HPE, "Dell": Dell, "Lenovo": Lenovo, "Supermicro": Supermicro,
		"Cisco": Cisco, "Intel": Intel, "GBTechnology": Gigabyte, "ts_fujitsu": Fujitsu} {
		if _, ok := within(body, "Oem")[key]; ok {
			found[vendor] = true
		}
	}
	for vendor := range found {
		if len(found) == 1 {
			return vendor, false
		}
		return vendorByNames(e.Attributes)
	}
	for name := range within(body, "Actions") {
		if strings.HasPrefix(name, "#Zt") {
			return ZT, false
		}
	}
	return vendorByNames(e.Attributes)
}

func hasNestedValues(body object) bool {
	attributes := within(body, "Attributes")
	for name := range attributes {
		if _, ok := within(attributes, name)["current_value"]; !ok {
			return false
		}
	}
	return len(attributes) > 0
}

// Patterns of attribute names that identify a vendor.
var (
	// lenovoName: a menu group of Lenovo ThinkSystem and an underscore.
	lenovoName = lazy.Pattern(`^(Processors|OperatingModes|Memory|DevicesandIOPorts|Devices_and_IO_Ports|BootModes|Power|SystemRecovery)_[A-Za-z0-9]`)
	// suffixedName: the four hexadecimal digits at the end of Supermicro's names.
	suffixedName = lazy.Pattern(`_[0-9A-F]{4}$`)
	// opaqueName: AMI's names of a module and a number, such as KTIS001 or GBT0001.
	opaqueName = lazy.Pattern(`^[A-Z]{2,5}[0-9A-F]{2,4}$`)
)

// vendorByNames counts the attribute names that identify a vendor: those that only its table in rules/settings has, and
// those of its form. The most frequent vendor wins; a tie returns "". If
// more than half of the names are AMI's opaque ones, the vendor is Gigabyte if one starts with GBT, otherwise AMI.
//
// Names of reference code win only if there are at least two of them, more than of the other's, and fewer than two names
// of any vendor. guessed is true if fewer than two names identify the vendor, and always for AMI.
func vendorByNames(attributes []Attribute) (vendor string, guessed bool) {
	votes, opaque := countNames(attributes)
	if opaque > len(attributes)/2 {
		if votes[Gigabyte] > 0 {
			return Gigabyte, votes[Gigabyte] < 2
		}
		return AMI, true
	}
	reference, names := IntelReference, votes[IntelReference]
	switch amd := votes[AMDReference]; {
	case amd > names:
		reference, names = AMDReference, amd
	case amd == names:
		names = 0
	}
	delete(votes, IntelReference)
	delete(votes, AMDReference)
	best, most, tie := "", 0, false
	for vendor, n := range votes {
		switch {
		case n > most:
			best, most, tie = vendor, n, false
		case n == most:
			tie = true
		}
	}
	switch {
	case names >= 2 && most < 2:
		return reference, false
	case tie || best == "":
		return "", true
	}
	return best, most < 2
}

func countNames(attributes []Attribute) (votes map[string]int, opaque int) {
	votes = map[string]int{}
	for i := range attributes {
		name := attributes[i].Name
		switch vendor := settings.VendorOf(name); {
		case vendor != "":
			votes[vendor]++
		case strings.HasPrefix(name, "Cbs"):
			votes[AMDReference]++
		case lenovoName().MatchString(name):
			votes[Lenovo]++
		case suffixedName().MatchString(name):
			votes[Supermicro]++
		case strings.HasPrefix(name, "GBT") && opaqueName().MatchString(name):
			votes[Gigabyte]++
			opaque++
		case opaqueName().MatchString(name):
			opaque++
		}
	}
	return votes, opaque
}
