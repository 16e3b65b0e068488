package smbios

// Status says whether a field has a value and, if not, why. It is not a
// fact.State, for no field of a table is unread, denied or refused: the zero
// Status is Missing, so that a field that a short structure never reaches is
// right without a word. Malformed becomes malformed in the model, Missing absent.
type Status uint8

// The states of a field.
const (
	// Missing: the structure is too short to have the field, or the text has
	// no line for it.
	Missing Status = iota
	// Unstated: the field is there and firmware says in it that it does not
	// know (0, FFFFh, string number 0, an empty string; in text "Unknown" or
	// "Not Specified").
	Unstated
	// Malformed: the field is there and its content is not in the specification, or
	// it names a string the structure does not have.
	Malformed
	// Known: Value is what firmware stated.
	Known
)

// String gives the lower-case name of s.
func (s Status) String() string {
	switch s {
	case Unstated:
		return "unstated"
	case Malformed:
		return "bad"
	case Known:
		return "known"
	case Missing:
		return "missing"
	default:
		return "missing"
	}
}

// Field is one value of a structure. Value is the zero value unless Status is
// Known; the fields that keep a sentinel in Value say so.
type Field[T any] struct {
	Value  T
	Status Status
}

// Get returns the value and whether it is known.
func (f Field[T]) Get() (T, bool) { return f.Value, f.Status == Known }

// Known tells whether f has a value.
func (f Field[T]) Known() bool { return f.Status == Known }

// Or returns the value when it is known and def otherwise.
func (f Field[T]) Or(def T) T {
	if f.Status == Known {
		return f.Value
	}
	return def
}

// known makes a Field with a value.
func known[T any](v T) Field[T] { return Field[T]{Value: v, Status: Known} }

// status makes a Field without a value.
func status[T any](s Status) Field[T] { return Field[T]{Status: s} }

// Text is a string of a structure. Placeholders that vendors leave in strings
// ("To Be Filled By O.E.M.") are not interpreted here.
type Text struct {
	// Value is the string without spaces at both ends, with every byte that is
	// not printable ASCII replaced by '.', as dmidecode prints it. "" unless
	// Status is Known.
	Value string
	// Raw is the string as it stands in the table; from text, as printed.
	Raw string
	// Status is Unstated for string number 0 and for empty strings, and Malformed
	// for a number past the last string.
	Status Status
}

// Or returns the value when it is known and def otherwise.
func (t Text) Or(def string) string {
	if t.Status == Known {
		return t.Value
	}
	return def
}
