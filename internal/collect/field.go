package collect

import (
	"fmt"
	"strconv"
	"strings"

	"memaudit.example/memaudit/internal/model/fact"
	"memaudit.example/memaudit/internal/model/inventory"
	"memaudit.example/memaudit/internal/model/placeholder"
	"memaudit.example/memaudit/internal/source/smbios"
)

type structure struct {
	kind int
	// name is the start of its evidence, for example "type 17 0x1101 ".
	name string
	// version is the table's version, for the reason why a field is missing.
	version smbios.Version
}

func structureOf(kind int, handle uint16, t *smbios.Table) structure {
	return structure{kind, fmt.Sprintf("type %d %s ", kind, inventory.Handle(handle).String()), t.Version}
}

// fieldEvidence names one field, for example "type 17 0x1101 Speed".
func (s structure) fieldEvidence(field, raw string) fact.Evidence {
	return fact.Evidence{Source: inventory.SourceSMBIOS, Path: inventory.TablePath, Field: s.name + field, Raw: raw}
}

func fieldFact[T any](s structure, name string, f smbios.Field[T], c fact.Certainty) fact.Fact[T] {
	if f.Status == smbios.Known {
		return fact.Known(f.Value, c, s.fieldEvidence(name, fmt.Sprint(f.Value)))
	}
	if f.Raw != "" {
		return fact.Unknown[T](fact.Malformed, describeField(s.kind, name)+" cannot be read: "+strconv.Quote(f.Raw), "", s.fieldEvidence(name, f.Raw))
	}
	return unknownField[T](s, name, f.Status)
}

func unknownField[T any](s structure, name string, status smbios.Status) fact.Fact[T] {
	what := describeField(s.kind, name)
	state, reason := fact.Absent, "this SMBIOS table has no field for "+what
	switch {
	case status == smbios.Unstated:
		state, reason = fact.Unstated, "firmware does not state "+what
	case status == smbios.Malformed:
		state, reason = fact.Malformed, "SMBIOS holds no valid value of "+what
	case s.version.Known():
		reason = fmt.Sprintf("SMBIOS %d.%d has no field for %s here", s.version.Major, s.version.Minor, what)
	}
	return fact.Unknown[T](state, reason, "", s.fieldEvidence(name, ""))
}

func describeField(kind int, name string) string {
	what := strings.ToLower(name)
	if name == "ID" {
		what = name
	}
	switch kind {
	case 17:
		return "a module's " + what
	case 4:
		return "a processor's " + what
	default:
		return what
	}
}

// textFact converts a string to a fact; a placeholder is unstated.
func textFact(s structure, name string, t smbios.Field[string]) fact.Fact[string] {
	if t.Known() && placeholder.Is(t.Value) {
		return fact.Unknown[string](fact.Unstated, "firmware leaves a placeholder for "+describeField(s.kind, name), "", s.fieldEvidence(name, t.Value))
	}
	return fieldFact(s, name, t, fact.Direct)
}
