package host

import "github.com/memaudit/memaudit/internal/fact"

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

// Reason says in one clause why the value is not known.
func (v Value[T]) Reason() string {
	if v.Err != nil {
		return v.Err.Error()
	}
	return v.Path + " was not read"
}

// Advice says what would make a file readable, "" if nothing is known that would.
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
