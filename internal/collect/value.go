package collect

import (
	"github.com/memaudit/memaudit/internal/host"
	"github.com/memaudit/memaudit/internal/inventory"
)

// asRoot is the advice for a file that only root may read.
const asRoot = "run as root"

// from turns a kernel reading into a fact.
func from[T any](source string, v host.Value[T], c inventory.Certainty) inventory.Fact[T] {
	at := inventory.Evidence{Source: source, Path: v.Path, Raw: v.Raw}
	if v.Known() {
		return inventory.Known(v.V, c, at)
	}
	state := states[v.State]
	return inventory.Unknown[T](state, reason(v), advice(state, v.Path), at)
}

// states maps the reader's words to the model's.
var states = [...]inventory.State{
	host.NotCaptured: inventory.Unread,
	host.OK:          inventory.OK,
	host.Absent:      inventory.Absent,
	host.Unstated:    inventory.Unstated,
	host.Denied:      inventory.Denied,
	host.Refused:     inventory.Refused,
	host.Truncated:   inventory.Truncated,
	host.Malformed:   inventory.Malformed,
}

// State is the model's word for a reader's.
func State(s host.State) inventory.State { return states[s] }

func reason[T any](v host.Value[T]) string {
	if v.Err != nil {
		return v.Err.Error()
	}
	return v.Path + " was not read"
}

func advice(s inventory.State, path string) string {
	switch s {
	case inventory.Denied:
		return asRoot
	case inventory.Unread:
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
func convert[T, U any](f inventory.Fact[T], conv func(T) U) inventory.Fact[U] {
	if !f.Known() {
		return inventory.Blame[U](f)
	}
	return inventory.Fact[U]{Value: conv(f.Value), State: inventory.OK, Certainty: f.Certainty, From: f.From, More: f.More, Unverified: f.Unverified}
}

// first is the first known fact; when none is, the first that gives a reason.
func first[T any](facts ...inventory.Fact[T]) inventory.Fact[T] {
	var reasoned *inventory.Fact[T]
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
	return inventory.Fact[T]{}
}

// noKernel is the reason of a kernel fact when only an SMBIOS file is audited,
// or when the machine's tree could not be read.
func noKernel[T any](c *collector, what string) inventory.Fact[T] {
	if f := c.rootFailed; f != nil {
		return inventory.Unknown[T](f.State, f.Detail, "")
	}
	return inventory.Unknown[T](inventory.Unread, what+" is the kernel's, and this input is an SMBIOS file only",
		"audit the live machine, or give --root or --snapshot beside the file")
}
