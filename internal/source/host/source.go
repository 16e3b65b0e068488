package host

import (
	"fmt"

	"github.com/memaudit/memaudit/internal/model/fact"
)

// Source says what could be read of one source.
type Source struct {
	// Name is one of the source names of docs/interface.md: "cpu", "numa", "memory" ...
	Name  string
	State fact.SourceState
	// Detail says what is missing and why, "" if State is ok.
	Detail string
}

// outcomer is a Value or Sampled of any type.
type outcomer interface {
	outcome() (fact.State, *ReadError)
}

// sourceOf returns the state of a source. It is ok if every needed value is known, partial if at
// least one value is, otherwise that of the first failure. Optional values fail only if their file
// was denied, refused, truncated or malformed, because kernels differ in what they offer.
func sourceOf(name string, needed []outcomer, optional ...outcomer) Source {
	var first *ReadError
	var firstState fact.State
	good := 0
	note := func(s fact.State, e *ReadError) {
		if first == nil {
			first, firstState = e, s
		}
	}
	for _, v := range needed {
		if s, e := v.outcome(); s == fact.OK {
			good++
		} else {
			note(s, e)
		}
	}
	missing := len(needed) - good
	bad := 0
	for _, v := range optional {
		switch s, e := v.outcome(); s {
		case fact.OK:
			good++
		case fact.Denied, fact.Refused, fact.Truncated, fact.Malformed:
			bad++
			note(s, e)
		case fact.Absent, fact.Unstated, fact.Unread, fact.Conflicting: // no machine has every one
		}
	}
	return Source{Name: name, State: sourceState(good, missing+bad, firstState), Detail: detail(first, missing+bad)}
}

func sourceState(good, bad int, first fact.State) fact.SourceState {
	switch {
	case bad == 0:
		return fact.SourceOK
	case good > 0:
		return fact.SourcePartial
	default:
		return first.Source()
	}
}

func detail(first *ReadError, count int) string {
	switch {
	case first == nil:
		return ""
	case count > 1:
		return fmt.Sprintf("%v, and %d more", first, count-1)
	default:
		return first.Error()
	}
}
