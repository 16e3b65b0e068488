package host

import (
	"errors"
	"slices"

	"memaudit.example/memaudit/internal/model/fact"
)

func unknown[T any](source string, err *ReadError) fact.Fact[T] {
	f := fact.Unknown[T](err.State, err.Error(), Advice(err.State, err.Path), fact.At(source, err.Path, ""))
	f.Err = err
	return f
}

func malformed[T any](at fact.Evidence, err error) fact.Fact[T] {
	f := unknown[T](at.Source, &ReadError{Op: "parse", Path: at.Path, State: fact.Malformed, Err: err})
	f.From = at
	return f
}

// unavailable reports whether the file is missing, not captured or empty, so that another file may be used.
// Captures of unreadable files contain empty ones.
func unavailable[T any](f fact.Fact[T]) bool {
	return f.State == fact.Absent || f.State == fact.Unread || errors.Is(f.Err, ErrEmpty)
}

// Sampled is an attribute that exists for each CPU, policy or package and was read for some of
// them. Different values are all kept and never averaged.
type Sampled struct {
	// Distinct are the first readings of each value, in the order in which they were found.
	Distinct []fact.Fact[string]
	// Counts are the number of files that have each value of Distinct.
	Counts []int
	// Read counts the files that gave a value.
	Read int
	// Failed is the first failure. State is OK only if at least one file was read and all of them had a value.
	State  fact.State
	Failed fact.Fact[string]
}

// Uniform returns the value if every sampled file has the same, otherwise the first failure.
func (s Sampled) Uniform() fact.Fact[string] {
	if s.State != fact.OK || len(s.Distinct) != 1 {
		return s.Failed
	}
	return s.Distinct[0]
}

// Outcome returns the state and the reason of the first failure.
func (s Sampled) Outcome() (fact.State, string) { return s.State, s.Failed.Reason }

func (s *Sampled) add(f fact.Fact[string]) {
	if !f.Known() {
		if s.Failed.Reason == "" {
			s.Failed, s.State = f, f.State
		}
		return
	}
	s.Read++
	if s.Failed.Reason == "" {
		s.State = fact.OK
	}
	if at := slices.IndexFunc(s.Distinct, func(o fact.Fact[string]) bool { return o.Value == f.Value }); at >= 0 {
		s.Counts[at]++
		return
	}
	s.Distinct, s.Counts = append(s.Distinct, f), append(s.Counts, 1)
}

// Advice tells the user how to make a file readable, "" if that is unknown.
func Advice(s fact.State, path string) fact.Input {
	switch s {
	case fact.Denied:
		return fact.Root
	case fact.Unread:
		if path == "" {
			return fact.LiveFiles
		}
		return fact.CaptureOf(path)
	default:
		return ""
	}
}
