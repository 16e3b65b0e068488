package collect

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/memaudit/memaudit/internal/fact"
	"github.com/memaudit/memaudit/internal/inventory"
	"github.com/memaudit/memaudit/internal/smbios"
)

// structure makes facts of the fields of one SMBIOS structure.
type structure struct {
	kind int
	// name is "type 17 0x1101 ", as evidence begins.
	name string
	// version is the table's, for the reason of a field that is too new.
	version smbios.Version
}

// of is the structure of a type and handle.
func of(kind int, handle uint16, t *smbios.Table) structure {
	return structure{kind, "type " + strconv.Itoa(kind) + " " + inventory.HandleText(handle) + " ", t.Version}
}

// evidence names one field: type 17 0x1101 Speed.
func (s structure) evidence(field, raw string) fact.Evidence {
	return fact.Evidence{Source: inventory.SourceSMBIOS, Path: inventory.TablePath, Field: s.name + field, Raw: raw}
}

// fact turns a field into a fact of the given certainty.
func field[T any](s structure, name string, f smbios.Field[T], c fact.Certainty) fact.Fact[T] {
	if f.Status == smbios.Known {
		return fact.Known(f.Value, c, s.evidence(name, display(f.Value)))
	}
	return unknownField[T](s, name, f.Status)
}

func unknownField[T any](s structure, name string, status smbios.Status) fact.Fact[T] {
	at := s.evidence(name, "")
	switch status {
	case smbios.Unstated:
		return fact.Unknown[T](fact.Unstated, "firmware does not state "+describe(s.kind, name), "", at)
	case smbios.Bad:
		return fact.Unknown[T](fact.Malformed, "SMBIOS holds no valid value of "+describe(s.kind, name), "", at)
	default:
		reason := "this SMBIOS table has no field for " + describe(s.kind, name)
		if s.version.Known() {
			reason = fmt.Sprintf("SMBIOS %d.%d has no field for %s here", s.version.Major, s.version.Minor, describe(s.kind, name))
		}
		return fact.Unknown[T](fact.Absent, reason, "", at)
	}
}

// describe says what a field is in the words of an operator.
func describe(kind int, name string) string {
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

// display prints a value as evidence.
func display(v any) string {
	switch t := v.(type) {
	case string:
		return t
	case int:
		return strconv.Itoa(t)
	case int64:
		return strconv.FormatInt(t, 10)
	case bool:
		return strconv.FormatBool(t)
	default:
		return fmt.Sprint(v)
	}
}

// text turns a string field into a fact; a vendor's placeholder says nothing.
func text(s structure, name string, t smbios.Text) fact.Fact[string] {
	switch {
	case t.Status != smbios.Known:
		return unknownField[string](s, name, t.Status)
	case smbios.Placeholder(t.Value):
		return fact.Unknown[string](fact.Unstated, "firmware leaves a placeholder for "+describe(s.kind, name), "", s.evidence(name, t.Value))
	default:
		return fact.Known(t.Value, fact.Direct, s.evidence(name, t.Value))
	}
}
