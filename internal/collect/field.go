package collect

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/memaudit/memaudit/internal/model/fact"
	"github.com/memaudit/memaudit/internal/model/inventory"
	"github.com/memaudit/memaudit/internal/slab"
	"github.com/memaudit/memaudit/internal/source/smbios"
)

// structure converts the fields of one SMBIOS structure to facts.
type structure struct {
	kind int
	// name is the start of its evidence, for example "type 17 0x1101 ".
	name string
	// version is the table's version, for the reason of a field that is missing.
	version smbios.Version
	said    *phrases
}

// phrases shares texts between the structures of one table. Most of them lack the same fields, and
// a machine can have a thousand slots with a dozen fields.
type phrases struct {
	texts   slab.Texts
	reasons map[fieldGap]string
	details map[smbios.TypeDetail]string
}

// fieldGap is a field without a value, in all structures of one type.
type fieldGap struct {
	kind   int
	name   string
	status smbios.Status
}

// structureOf returns the structure with this type and handle.
func structureOf(kind int, handle uint16, t *smbios.Table) structure {
	return (&phrases{}).of(kind, handle, t)
}

// of returns the structure with this type and handle and shares its texts.
func (p *phrases) of(kind int, handle uint16, t *smbios.Table) structure {
	return structure{kind, p.texts.Join("type ", strconv.Itoa(kind), " ", inventory.HandleText(handle), " "), t.Version, p}
}

// detail returns the words for a type detail.
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

// evidence names one field, for example "type 17 0x1101 Speed".
func (s structure) evidence(field, raw string) fact.Evidence {
	return fact.Evidence{Source: inventory.SourceSMBIOS, Path: inventory.TablePath, Field: s.said.texts.Join(s.name, field), Raw: raw}
}

// fieldFact converts a field to a fact with the given certainty.
func fieldFact[T any](s structure, name string, f smbios.Field[T], c fact.Certainty) fact.Fact[T] {
	if f.Status == smbios.Known {
		return fact.Known(f.Value, c, s.evidence(name, display(f.Value)))
	}
	if f.Raw != "" {
		return fact.Unknown[T](fact.Malformed, describe(s.kind, name)+" cannot be read: "+strconv.Quote(f.Raw), "", s.evidence(name, f.Raw))
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

// describe returns the name of a field for an operator.
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

// display formats a value for evidence.
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

// textFact converts a string to a fact; a placeholder of the vendor is unstated.
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
