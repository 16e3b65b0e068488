package host

import (
	"errors"

	"github.com/memaudit/memaudit/internal/fact"
)

// Value is one reading: the value, the file it came from and the text read,
// or the reason why it is not known. The zero Value is not known.
type Value[T any] struct {
	// V holds only when State is OK.
	V     T
	State fact.State
	// Err says why the value is not known; nil when State is OK.
	Err *ReadError
	// Path is the file below the audited root, "/sys/devices/system/cpu/online".
	Path string
	// Raw is the text read, trimmed; for derived values that of the main file.
	Raw string
}

// Known reports whether the value holds.
func (v Value[T]) Known() bool { return v.State == fact.OK }

// Get returns the value and whether it holds.
func (v Value[T]) Get() (T, bool) { return v.V, v.State == fact.OK }

func (v Value[T]) outcome() (fact.State, *ReadError) { return v.State, v.Err }

func known[T any](v T, path, raw string) Value[T] {
	return Value[T]{V: v, State: fact.OK, Path: path, Raw: raw}
}

func unknown[T any](err *ReadError) Value[T] {
	return Value[T]{State: err.State, Err: err, Path: err.Path}
}

// malformed keeps the text that made no value.
func malformed[T any](path, raw string, err error) Value[T] {
	e := &ReadError{Op: "parse", Path: path, State: fact.Malformed, Err: err}
	return Value[T]{State: fact.Malformed, Err: e, Path: path, Raw: raw}
}

// unknownAs carries the reason of an unknown value over to another type.
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

// lacking reports that the file is not there or holds not one byte, as captures
// made from unreadable files do, so that another file may speak in its place.
func lacking[T any](v Value[T]) bool { return v.State != fact.OK && v.Err.lacking() }

func (e *ReadError) lacking() bool {
	return e.State == fact.Absent || e.State == fact.Unread || errors.Is(e, ErrEmpty)
}

// Sampled is an attribute that exists once per CPU, policy or package and was
// read for some of them. Values that differ are all kept, never averaged.
type Sampled struct {
	// Distinct are the values seen, in order of first appearance; the paths
	// beside them are the first file that held each.
	Distinct []string
	Paths    []string
	// Read counts the files that gave a value, Asked those that were tried,
	// Of those that exist.
	Read, Asked, Of int
	// Failed is the first failure; State is OK only when every try gave a
	// value.
	State  fact.State
	Failed *ReadError
}

// Uniform returns the one value when every sampled file held it.
func (s Sampled) Uniform() (string, bool) {
	if s.State != fact.OK || len(s.Distinct) != 1 {
		return "", false
	}
	return s.Distinct[0], true
}

func (s Sampled) outcome() (fact.State, *ReadError) { return s.State, s.Failed }

// add takes one reading into the sample.
//
//go:noinline
func (s *Sampled) add(v Value[string]) {
	s.Asked++
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
