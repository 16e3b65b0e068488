package facts

import (
	"strings"

	"github.com/memaudit/memaudit/internal/fact"
	"github.com/memaudit/memaudit/internal/inventory"
	"github.com/memaudit/memaudit/internal/settings"
)

// settingsType holds every setting by its id, for rules about the machine.
func settingsType() *ObjectType {
	var fields []Field
	for _, id := range settings.IDs() {
		fields = append(fields, Field{id, textT, "canonical value of the setting " + id + ": the configured face when known, else the effective one",
			machine(func(m *Machine) Value { v, _ := judged(m.sys.Settings[id]); return v })})
	}
	return newType("Settings", "BIOS settings in canonical words", fields...)
}

// settingFacts is the source of a setting object: one setting with its faces.
type settingFacts struct {
	id string
	inventory.Setting
}

// settingType is one setting, for rules that compare its faces.
func settingType() *ObjectType {
	get := func(f func(s *settingFacts) Value) func(any) Value {
		return func(src any) Value { return f(src.(*settingFacts)) }
	}
	return newType("Setting", "one BIOS setting with its three faces",
		Field{"id", textT, "canonical id", get(func(s *settingFacts) Value { return Plain(s.id) })},
		Field{"configured", textT, "what BIOS setup says", get(func(s *settingFacts) Value { return of(s.Configured) })},
		Field{"pending", textT, "what BIOS setup will say after the next boot", get(func(s *settingFacts) Value { return of(s.Pending) })},
		Field{"effective", textT, "what the system runs with", get(func(s *settingFacts) Value { return of(s.Effective) })},
		Field{"decided_by", textT, "firmware, command line, administrator, kernel or hypervisor: who made the effective value", get(func(s *settingFacts) Value { return of(s.DecidedBy) })},
		Field{"decision", textT, "who made the effective value, in words, with the reading that shows it", get((*settingFacts).decision)},
		Field{"contradicts", boolT, "BIOS setup says one thing and the system runs with another", get((*settingFacts).contradicts)},
		Field{"waits", boolT, "a change waits for the next boot", get((*settingFacts).waits)},
		Field{"exports_disagree", textT, "what two exports of the BIOS settings say of it; empty when they agree", get((*settingFacts).disagreement)},
	)
}

func (s *settingFacts) contradicts() Value {
	return derived(func() any { return !settings.Agree(s.id, s.Configured.Value, s.Effective.Value) && !s.rewritten() }, of(s.Configured), of(s.Effective))
}

// rewritten reports a value that every kernel makes of BIOS setup's: an energy
// bias of 0, and x2APIC mode that is off.
func (s *settingFacts) rewritten() bool {
	return s.DecidedBy.Or("") == inventory.DecidedKernel && (s.id == "energy_perf_bias" || s.id == "x2apic")
}

// waits compares the value for the next boot with BIOS setup's present one,
// and where the tool shows no present one with what the system runs with.
func (s *settingFacts) waits() Value {
	if s.Configured.Known() {
		return derived(func() any { return s.Pending.Value != s.Configured.Value }, of(s.Pending), of(s.Configured))
	}
	return derived(func() any { return !settings.Agree(s.id, s.Pending.Value, s.Effective.Value) }, of(s.Pending), of(s.Effective))
}

func (s *settingFacts) disagreement() Value {
	if s.Configured.State != fact.Conflicting {
		return Plain("")
	}
	v := Plain(s.Configured.Reason)
	v.from, v.more = s.Configured.From, s.Configured.More
	return v
}

func (s *settingFacts) decision() Value {
	return via(s.DecidedBy, func(by string) any {
		out := Decider(by)
		if read := strings.TrimSpace(s.DecidedBy.From.Path + " " + strings.TrimSpace(s.DecidedBy.From.Raw)); read != "" {
			out += " (" + read + ")"
		}
		return out
	})
}

// settingSubjects are the settings of which BIOS setup's side is known. To
// know of none leaves nothing to compare; that the settings themselves are not
// known is for the profile's rules to say.
func (m *Machine) settingSubjects() ([]Subject, Value) {
	var out []Subject
	t := Declared().objects["setting"]
	for _, id := range settings.IDs() {
		s := m.sys.Settings[id]
		if !s.Configured.Known() && !s.Pending.Known() && s.Configured.State != fact.Conflicting {
			continue
		}
		out = append(out, Subject{"setting " + id, "setting", &Object{typ: t, path: "setting", src: &settingFacts{id, s}}})
	}
	known := Plain(true)
	if len(out) == 0 {
		known.Reason = "nothing to compare: no settings of BIOS setup are part of this input (--bios FILE, --redfish URL)"
	}
	return out, known
}
