package host

import "fmt"

// SourceState is the state of a whole source, in the words of docs/interface.md.
type SourceState string

// The states of a source. One that was never captured is absent, and its
// detail says so.
const (
	SourceOK        SourceState = "ok"
	SourcePartial   SourceState = "partial"
	SourceAbsent    SourceState = "absent"
	SourceDenied    SourceState = "denied"
	SourceRefused   SourceState = "refused"
	SourceTruncated SourceState = "truncated"
	SourceMalformed SourceState = "malformed"
)

// Source says what became of one source of the input.
type Source struct {
	// Name is one of the source names of docs/interface.md: "cpu", "numa", "memory" ...
	Name  string
	State SourceState
	// Detail says what is missing and why; "" when State is ok.
	Detail string
}

// outcomer is a Value or Sampled of any type.
type outcomer interface{ outcome() (State, *ReadError) }

// sourceOf sums up a source. Every needed value must be known for ok; of the
// optional ones only a denied, refused, cut or malformed file is a defect,
// because kernels differ in what they offer.
func sourceOf(name string, needed []outcomer, optional ...outcomer) Source {
	var first *ReadError
	var firstState State
	good := 0
	note := func(s State, e *ReadError) {
		if first == nil {
			first, firstState = e, s
		}
	}
	for _, v := range needed {
		if s, e := v.outcome(); s == OK {
			good++
		} else {
			note(s, e)
		}
	}
	missing := len(needed) - good
	bad := 0
	for _, v := range optional {
		switch s, e := v.outcome(); s {
		case OK:
			good++
		case Denied, Refused, Truncated, Malformed:
			bad++
			note(s, e)
		case Absent, Unstated, NotCaptured: // no machine has every one
		}
	}
	return Source{Name: name, State: sourceState(good, missing+bad, firstState), Detail: detail(first, missing+bad)}
}

func sourceState(good, bad int, first State) SourceState {
	switch {
	case bad == 0:
		return SourceOK
	case good > 0:
		return SourcePartial
	default:
		return first.source()
	}
}

// source gives the report's word for a source that failed as a whole.
func (s State) source() SourceState {
	switch s {
	case OK:
		return SourceOK
	case Denied:
		return SourceDenied
	case Refused:
		return SourceRefused
	case Truncated:
		return SourceTruncated
	case Malformed:
		return SourceMalformed
	default:
		return SourceAbsent
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
