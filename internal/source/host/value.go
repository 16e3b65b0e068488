package host

import (
	"errors"

	"github.com/memaudit/memaudit/internal/model/fact"
)

// Value is one reading: the value with the file it came from and the text that was read, or the
// reason why it is not known. The zero Value is not known.
type Value[T any] struct {
	// V is valid only if State is OK.
	V     T
	State fact.State
	// Err is the reason why the value is unknown; it is nil if State is OK.
	Err *ReadError
	// Path is the file below the audited root, "/sys/devices/system/cpu/online".
	Path string
	// Raw is the text that was read, trimmed; for a derived value that of its main file.
	Raw string
}

// Known reports whether the value is known.
func (v Value[T]) Known() bool { return v.State == fact.OK }

// Get returns the value and whether it is known.
func (v Value[T]) Get() (T, bool) { return v.V, v.State == fact.OK }

func (v Value[T]) outcome() (fact.State, *ReadError) { return v.State, v.Err }

func known[T any](v T, path, raw string) Value[T] {
	return Value[T]{V: v, State: fact.OK, Path: path, Raw: raw}
}

func unknown[T any](err *ReadError) Value[T] {
	return Value[T]{State: err.State, Err: err, Path: err.Path}
}

// malformed returns an unknown value that keeps the text which could not be parsed.
func malformed[T any](path, raw string, err error) Value[T] {
	e := &ReadError{Op: "parse", Path: path, State: fact.Malformed, Err: err}
	return Value[T]{State: fact.Malformed, Err: e, Path: path, Raw: raw}
}

// unknownAs converts an unknown value to another type, with its reason.
func unknownAs[T, U any](v Value[U]) Value[T] {
	return Value[T]{State: v.State, Err: v.Err, Path: v.Path, Raw: v.Raw}
}

// derive computes a value from a known one and keeps its origin.
func derive[T, U any](v Value[U], f func(U) T) Value[T] {
	if v.State != fact.OK {
		return unknownAs[T](v)
	}
	return known(f(v.V), v.Path, v.Raw)
}

// unavailable reports whether the file is missing, not captured or empty, so that another file may be used.
// Captures of unreadable files contain empty ones.
func unavailable[T any](v Value[T]) bool { return v.State != fact.OK && v.Err.unavailable() }

func (e *ReadError) unavailable() bool {
	return e.State == fact.Absent || e.State == fact.Unread || errors.Is(e, ErrEmpty)
}

// Sampled is an attribute that exists for each CPU, policy or package and was read for some of
// them. Different values are all kept and never averaged.
type Sampled struct {
	// Distinct are the values in the order in which they were found. The paths are those of the
	// first file with each value.
	Distinct []string
	Paths    []string
	// Read counts the files that gave a value.
	Read int
	// Failed is the first failure. State is OK only if at least one file was read and all of them had a
	// value.
	State  fact.State
	Failed *ReadError
}

// Uniform returns the value if every sampled file has the same.
func (s Sampled) Uniform() (string, bool) {
	if s.State != fact.OK || len(s.Distinct) != 1 {
		return "", false
	}
	return s.Distinct[0], true
}

func (s Sampled) outcome() (fact.State, *ReadError) { return s.State, s.Failed }

// add adds one reading to the sample.
func (s *Sampled) add(v Value[string]) {
	if v.State != fact.OK {
		if s.Failed == nil {
			s.Failed, s.State = v.Err, v.State
		}
		return
	}
	s.Read++
	if s.Failed == nil {
		s.State = fact.OK
	}
	for _, have := range s.Distinct {
		if have == v.V {
			return
		}
	}
	s.Distinct, s.Paths = append(s.Distinct, v.V), append(s.Paths, v.Path)
}

// asRoot is the advice for a file that only root can read.
const asRoot = "run as root"

// Fact converts a reading to a fact of a source. An unknown fact has the reason, and what would
// make it known.
func Fact[T any](source string, v Value[T], c fact.Certainty) fact.Fact[T] {
	at := fact.Evidence{Source: source, Path: v.Path, Raw: v.Raw}
	if v.Known() {
		return fact.Known(v.V, c, at)
	}
	state := v.State
	return fact.Unknown[T](state, v.Reason(), Advice(state, v.Path), at)
}

// Reason returns the reason why the value is unknown, as a clause.
func (v Value[T]) Reason() string {
	if v.Err != nil {
		return v.Err.Error()
	}
	return v.Path + " was not read"
}

// Advice tells the user how to make a file readable, "" if that is unknown.
func Advice(s fact.State, path string) string {
	switch s {
	case fact.Denied:
		return asRoot
	case fact.Unread:
		if path == "" {
			return "audit the live machine, or a capture that holds its files"
		}
		return "a capture that holds " + path
	default:
		return ""
	}
}
