package smbios

// Status is the state of a field: Known, or the reason why it has no value. The zero Status is Missing, so
// the fields beyond the end of a short structure need no assignment.
//
// It is not a fact.State, because a field of a table cannot be unread, denied or refused. In the
// model Malformed becomes malformed and Missing becomes absent.
type Status uint8

// The states of a field.
const (
	// Missing: the structure is too short to have the field, or the text has
	// no line for it.
	Missing Status = iota
	// Unstated means that the field exists with the value for unknown or not specified (depending on the
	// field 0, FFFFh, string number 0 or an empty string; in text "Unknown" or "Not Specified").
	Unstated
	// Malformed: the field exists, but the specification does not define its value, or it names a
	// string that the structure does not have.
	Malformed
	// Known: Value is what firmware stated.
	Known
)

// Field is one value of a structure. Value is the zero value unless Status is Known; exceptions are
// documented with the field.
type Field[T any] struct {
	Value  T
	Status Status
	// Raw is the printed text of a Malformed field that could not be read. It is "" for a field of a binary
	// table, and if dmidecode itself reports the value as bad.
	Raw string
}

// Get returns the value and whether it is known.
func (f Field[T]) Get() (T, bool) { return f.Value, f.Status == Known }

// Known reports whether f has a value.
func (f Field[T]) Known() bool { return f.Status == Known }

// Or returns the value if it is known, and def otherwise.
func (f Field[T]) Or(def T) T {
	if f.Status == Known {
		return f.Value
	}
	return def
}

func known[T any](v T) Field[T] { return Field[T]{Value: v, Status: Known} }

func status[T any](s Status) Field[T] { return Field[T]{Status: s} }

func unreadable[T any](v string) Field[T] {
	return Field[T]{Status: Malformed, Raw: clipLine(printable(v))}
}
