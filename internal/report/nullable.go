package report

import (
	"memaudit.example/memaudit/internal/model/fact"
)

// aboveZero is not known for 0, which has no speed and no channel.
func aboveZero[T int | int64](f fact.Fact[T]) fact.Fact[T] {
	if f.Or(0) <= 0 {
		return fact.Fact[T]{State: fact.Absent}
	}
	return f
}

// neverNil is never nil, so that JSON has [] and not null.
func neverNil[T any](s []T) []T {
	if s == nil {
		return []T{}
	}
	return s
}

// CPUList is a list of CPUs as the kernel writes it, "0-5,12-17"; "" for a node without CPUs.
type CPUList string
