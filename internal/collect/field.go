package collect

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/memaudit/memaudit/internal/fact"
	"github.com/memaudit/memaudit/internal/inventory"
	"github.com/memaudit/memaudit/internal/slab"
	"github.com/memaudit/memaudit/internal/smbios"
)

// structure makes facts of the fields of one SMBIOS structure.
type structure struct {
	kind int
	// name is "type 17 0x1101 ", as evidence begins.
	name string
	// version is the table's, for the reason of a field that is too new.
	version smbios.Version
	said    *phrases
}

// phrases are the texts of many structures of one table, most of which have the
// same gaps: a machine has up to a thousand slots of a dozen fields.
type phrases struct {
	texts   slab.Texts
	reasons map[fieldGap]string
	details map[smbios.TypeDetail]string
}

// fieldGap is a field that structures of a kind do not have, or not in a usable way.
type fieldGap struct {
	kind   int
	name   string
	status smbios.Status
}

// structureOf is the structure of a type and handle.
func structureOf(kind int, handle uint16, t *smbios.Table) structure {
	return (&phrases{}).of(kind, handle, t)
}

// of is the structure of a type and handle, of a table that has many.
func (p *phrases) of(kind int, handle uint16, t *smbios.Table) structure {
	return structure{kind, p.texts.Join("type ", strconv.Itoa(kind), " ", inventory.HandleText(handle), " "), t.Version, p}
}

// detail is the type detail in SMBIOS's words.
func (p *phrases) detail(d smbios.TypeDetail) string {
	text, made := p.details[d]
	if !made {
		text = d.String()
		if p.details == nil {
			p.details = map[smbios.TypeDetail]string{}
		}
		p.details[d] = text
	}
	return text
}

// evidence names one field: type 17 0x1101 Speed.
//
//go:noinline
func (s structure) evidence(field, raw string) fact.Evidence {
	return fact.Evidence{Source: inventory.SourceSMBIOS, Path: inventory.TablePath, Field: s.said.texts.Join(s.name, field), Raw: raw}
}

// fieldFact turns a field into a fact of the given certainty.
func fieldFact[T any](s structure, name string, f smbios.Field[T], c fact.Certainty) fact.Fact[T] {
	if f.Status == smbios.Known {
		return fact.Known(f.Value, c, s.evidence(name, display(f.Value)))
	}
	return unknownField[T](s, name, f.Status)
}

func unknownField[T any](s structure, name string, status smbios.Status) fact.Fact[T] {
	state := fact.Absent
	switch status {
	case smbios.Unstated:
		state = fact.Unstated
	case smbios.Malformed:
		state = fact.Malformed
	case smbios.Missing, smbios.Known:
	}
	return fact.Fact[T]{State: state, Reason: s.reason(name, status), From: s.evidence(name, "")}
}

// reason says why a field has no value.
func (s structure) reason(name string, status smbios.Status) string {
	key := fieldGap{s.kind, name, status}
	if reason, made := s.said.reasons[key]; made {
		return reason
	}
	var reason string
	switch {
	case status == smbios.Unstated:
		reason = "firmware does not state " + describe(s.kind, name)
	case status == smbios.Malformed:
		reason = "SMBIOS holds no valid value of " + describe(s.kind, name)
	case s.version.Known():
		reason = fmt.Sprintf("SMBIOS %d.%d has no field for %s here", s.version.Major, s.version.Minor, describe(s.kind, name))
	default:
		reason = "this SMBIOS table has no field for " + describe(s.kind, name)
	}
	if s.said.reasons == nil {
		s.said.reasons = map[fieldGap]string{}
	}
	s.said.reasons[key] = reason
	return reason
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

// textFact turns a string field into a fact; a vendor's placeholder says nothing.
func textFact(s structure, name string, t smbios.Text) fact.Fact[string] {
	switch {
	case t.Status != smbios.Known:
		return unknownField[string](s, name, t.Status)
	case smbios.Placeholder(t.Value):
		return fact.Unknown[string](fact.Unstated, "firmware leaves a placeholder for "+describe(s.kind, name), "", s.evidence(name, t.Value))
	default:
		return fact.Known(t.Value, fact.Direct, s.evidence(name, t.Value))
	}
}
