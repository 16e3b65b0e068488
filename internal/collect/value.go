package collect

import (
	"github.com/memaudit/memaudit/internal/fact"
	"github.com/memaudit/memaudit/internal/host"
)

// asRoot is the advice for a file that only root may read.
const asRoot = "run as root"

// from turns a kernel reading into a fact.
func from[T any](source string, v host.Value[T], c fact.Certainty) fact.Fact[T] {
	at := fact.Evidence{Source: source, Path: v.Path, Raw: v.Raw}
	if v.Known() {
		return fact.Known(v.V, c, at)
	}
	state := states[v.State]
	return fact.Unknown[T](state, reason(v), advice(state, v.Path), at)
}

// states maps the reader's words to the model's.
var states = [...]fact.State{
	host.NotCaptured: fact.Unread,
	host.OK:          fact.OK,
	host.Absent:      fact.Absent,
	host.Unstated:    fact.Unstated,
	host.Denied:      fact.Denied,
	host.Refused:     fact.Refused,
	host.Truncated:   fact.Truncated,
	host.Malformed:   fact.Malformed,
}

// State is the model's word for a reader's.
func State(s host.State) fact.State { return states[s] }

func reason[T any](v host.Value[T]) string {
	if v.Err != nil {
		return v.Err.Error()
	}
	return v.Path + " was not read"
}

func advice(s fact.State, path string) string {
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

// convert changes the type of a known fact and keeps the reason of an unknown
// one.
func convert[T, U any](f fact.Fact[T], conv func(T) U) fact.Fact[U] {
	if !f.Known() {
		return fact.Blame[U](f)
	}
	return fact.Fact[U]{Value: conv(f.Value), State: fact.OK, Certainty: f.Certainty, From: f.From, More: f.More, Unverified: f.Unverified}
}

// first is the first known fact; when none is, the first that gives a reason.
func first[T any](facts ...fact.Fact[T]) fact.Fact[T] {
	var reasoned *fact.Fact[T]
	for i := range facts {
		if facts[i].Known() {
			return facts[i]
		}
		if reasoned == nil && facts[i].Reason != "" {
			reasoned = &facts[i]
		}
	}
	if reasoned != nil {
		return *reasoned
	}
	return fact.Fact[T]{}
}

// noKernel is the reason of a kernel fact when only an SMBIOS file is audited,
// or when the machine's tree could not be read.
func noKernel[T any](c *collector, what string) fact.Fact[T] {
	if f := c.rootFailed; f != nil {
		return fact.Unknown[T](f.State, f.Detail, "")
	}
	return fact.Unknown[T](fact.Unread, what+" is the kernel's, and this input is an SMBIOS file only",
		"audit the live machine, or give --root or --snapshot beside the file")
}
