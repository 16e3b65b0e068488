// Package fact defines a fact: a value with its evidence and certainty, or the reason why there is none. All other
// packages use its states and certainties.
package fact

import (
	"encoding/json"
	"fmt"
	"slices"

	"memaudit.example/memaudit/internal/model/nullable"
)

// Certainty is the degree of confidence in a fact of the audited machine (docs/interface.md). A rule based on an Indirect
// fact fails at most at warning.
type Certainty uint8

// The certainties, weakest first, so that the smaller of two is the cap.
const (
	None         Certainty = iota // not observable, or not observed
	Indirect                      // one source, which is known to be wrong on some machines
	Corroborated                  // two independent sources agree
	Direct                        // a register, kernel object or firmware field that is the thing
)

var certaintyNames = [...]string{None: "none", Indirect: "indirect", Corroborated: "corroborated", Direct: "direct"}

// String returns the name in reports.
func (c Certainty) String() string { return certaintyNames[c] }

// Values returns the certainties, the surest first.
func (Certainty) Values() []Certainty { return []Certainty{Direct, Corroborated, Indirect, None} }

// MarshalText writes the name.
func (c Certainty) MarshalText() ([]byte, error) { return []byte(c.String()), nil }

// UnmarshalText reads a name. An unknown one is None.
func (c *Certainty) UnmarshalText(text []byte) error {
	*c = Certainty(max(0, slices.Index(certaintyNames[:], string(text))))
	return nil
}

// State is the state of a value: OK if it is known, otherwise the reason why not. The zero State is Unread, so that a
// fact that was never set is unknown and never 0 or "".
type State uint8

// The states. Absent, Denied, Refused, Truncated and Malformed are different, and none of them is a value.
const (
	// Unread: no source of this input was read or can have the value (a capture without the folder, an SMBIOS file
	// without a kernel).
	Unread   State = iota
	OK             // the value is known
	Absent         // the source was there and does not have the value
	Unstated       // the source has the field with the value "unknown"
	Denied         // no permission to read, or hidden by a container runtime
	// Refused: the driver, the kernel, the hypervisor or our own limits refused the read (EIO, EAGAIN, ENODEV, a FIFO
	// or device instead of a file, a link out of the root).
	Refused
	Truncated   // the data end before the value does
	Malformed   // the data do not make a value
	Conflicting // sources contradict each other and none takes precedence
)

var stateNames = [...]string{Unread: "unread", OK: "ok", Absent: "absent", Unstated: "unstated", Denied: "denied", Refused: "refused",
	Truncated: "truncated", Malformed: "malformed", Conflicting: "conflicting"}

// String returns the name in reports.
func (s State) String() string { return stateNames[s] }

// Values returns the states.
func (State) Values() []State {
	return []State{OK, Unread, Absent, Unstated, Denied, Refused, Truncated, Malformed, Conflicting}
}

// Evidence is one reading that a fact rests on.
type Evidence struct {
	// Source is a source name of docs/interface.md: smbios, numa, cpu, ...
	Source string `json:"source"`
	// Path is the file below the audited root.
	Path string `json:"path" jsonschema:"nullable"`
	// Field is the structure's field or the key in the file, if the file has many: "type 17 0x1101 Speed".
	Field string `json:"-"`
	// Raw is the text or number read, as read; in evidence from a document, with the field before it.
	Raw string `json:"raw" jsonschema:"nullable"`
}

// Reading returns the field and what was read in it: "type 17 0x1101 Speed: 1333 MT/s".
func (e *Evidence) Reading() string {
	if e.Field == "" || e.Raw == "" {
		return e.Field + e.Raw
	}
	return e.Field + ": " + e.Raw
}

// MarshalJSON writes source, path and reading.
func (e Evidence) MarshalJSON() ([]byte, error) {
	return nullable.JSON(struct {
		Source string          `json:"source"`
		Path   nullable.String `json:"path"`
		Raw    nullable.String `json:"raw"`
	}{e.Source, nullable.String(e.Path), nullable.String(e.Reading())})
}

// Fact is a value with its origin and certainty. The zero Fact is unknown.
type Fact[T any] struct {
	// Value is valid only if State is OK.
	Value T
	State State
	// Certainty is None unless State is OK.
	Certainty Certainty
	// Unverified is true when the value rests on knowledge that no document
	// confirms; it never raises a finding above info.
	Unverified bool
	// Reason is the reason why the value is unknown, as a clause.
	Reason string
	// Err is the failed reading that is the reason, for errors.Is; nil if the reason is another.
	Err error
	// KnownBy is what would make it known.
	KnownBy Input
	// Doubt is what contradicts a known value, nil if nothing does.
	Doubt *Doubt
	// From is the reading that gave the value (or the attempt that failed).
	From Evidence
	// More are further readings that agree, or from which it was derived.
	More []Evidence
}

// Doubt is a contradiction in what firmware says: a list of slots that is shorter than announced, labels that cannot be
// true. What depends on it passes no rule, and fails one at most at info.
type Doubt struct {
	Reason  string
	KnownBy Input
}

// Known reports whether the value is known.
func (f Fact[T]) Known() bool { return f.State == OK }

// Get returns the value and whether it is known.
func (f Fact[T]) Get() (T, bool) { return f.Value, f.State == OK }

// Outcome returns the state and, if the value is unknown, the reason.
func (f Fact[T]) Outcome() (State, string) { return f.State, f.Reason }

// Or returns the value, or other when it is not known. For display only: a
// judgement must never use a default.
func (f Fact[T]) Or(other T) T {
	if f.State == OK {
		return f.Value
	}
	return other
}

// MarshalJSON writes the value as documents have it: null if it is not known, and for an empty text, which is none.
func (f Fact[T]) MarshalJSON() ([]byte, error) {
	if text, ok := any(f.Value).(string); !f.Known() || ok && text == "" {
		return []byte("null"), nil
	}
	return nullable.JSON(f.Value)
}

// UnmarshalJSON reads a document's value. A document has no evidence, and a null no reason.
func (f *Fact[T]) UnmarshalJSON(text []byte) error {
	*f = Fact[T]{}
	if string(text) == "null" {
		return nil
	}
	f.State, f.Certainty = OK, Direct
	return json.Unmarshal(text, &f.Value)
}

// Pointer returns a copy of a known value, nil otherwise.
func (f Fact[T]) Pointer() *T {
	if !f.Known() {
		return nil
	}
	return &f.Value
}

// Text returns a known value as text, "" otherwise.
func (f Fact[T]) Text() string {
	if !f.Known() {
		return ""
	}
	return fmt.Sprint(f.Value)
}

// Unconfirmed returns the fact with Unverified set to a value.
func (f Fact[T]) Unconfirmed(unverified bool) Fact[T] {
	f.Unverified = unverified
	return f
}

// IsZero leaves an unknown value out of a document that has it only if it is known (omitzero).
func (f Fact[T]) IsZero() bool { return !f.Known() }

// Evidence returns all readings that the fact is based on.
func (f Fact[T]) Evidence() []Evidence {
	if f.From == (Evidence{}) {
		return f.More
	}
	return append([]Evidence{f.From}, f.More...)
}

// Known makes a known fact.
func Known[T any](v T, c Certainty, from Evidence, more ...Evidence) Fact[T] {
	return Fact[T]{Value: v, State: OK, Certainty: c, From: from, More: more}
}

// Unknown makes an unknown fact with the reason and what would help.
func Unknown[T any](s State, reason string, knownBy Input, from ...Evidence) Fact[T] {
	f := Fact[T]{State: s, Reason: reason, KnownBy: knownBy}
	if len(from) > 0 {
		f.From, f.More = from[0], from[1:]
	}
	return f
}

// UnknownFrom returns an unknown fact of another type with the reason of f. If f is known, it has no reason; the result is then
// unread, never a known zero value.
func UnknownFrom[T, U any](f Fact[U]) Fact[T] {
	if f.State == OK {
		f.State = Unread
	}
	return Fact[T]{State: f.State, Reason: f.Reason, Err: f.Err, KnownBy: f.KnownBy, From: f.From, More: f.More, Unverified: f.Unverified}
}

// At returns the evidence for a reading of a complete file.
func At(source, path, raw string) Evidence {
	return Evidence{Source: source, Path: path, Raw: raw}
}

// Convert changes the type of a known fact and keeps the reason of an unknown
// one.
func Convert[T, U any](f Fact[T], conv func(T) U) Fact[U] {
	if !f.Known() {
		return UnknownFrom[U](f)
	}
	return Fact[U]{Value: conv(f.Value), State: OK, Certainty: f.Certainty, From: f.From, More: f.More, Unverified: f.Unverified, Doubt: f.Doubt}
}

// First returns the first known fact, or else the first with a reason.
func First[T any](facts ...Fact[T]) Fact[T] {
	var reasoned Fact[T]
	for _, f := range facts {
		if f.Known() {
			return f
		}
		if reasoned.Reason == "" && f.Reason != "" {
			reasoned = f
		}
	}
	return reasoned
}

// SourceState is the state of a source (docs/interface.md). Unlike a State it can be partial.
type SourceState string

// The states of a source. One that was never captured is absent; its detail is then the reason.
const (
	SourceOK        SourceState = "ok"
	SourcePartial   SourceState = "partial"
	SourceAbsent    SourceState = "absent"
	SourceDenied    SourceState = "denied"
	SourceRefused   SourceState = "refused"
	SourceTruncated SourceState = "truncated"
	SourceMalformed SourceState = "malformed"
)

// Values returns the states of a source.
func (SourceState) Values() []SourceState {
	return []SourceState{SourceOK, SourcePartial, SourceAbsent, SourceDenied, SourceRefused, SourceTruncated, SourceMalformed}
}

// Source returns the state of a source that failed completely for this reason.
func (s State) Source() SourceState {
	switch s {
	case OK, Denied, Refused, Truncated, Malformed:
		return SourceState(s.String())
	default:
		return SourceAbsent
	}
}
