package report

import (
	"strconv"
	"strings"

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

// ListCPUs writes sorted CPU numbers as the kernel does.
func ListCPUs(cpus []int) CPUList {
	var b strings.Builder
	for i := 0; i < len(cpus); {
		j := i
		for j+1 < len(cpus) && cpus[j+1] == cpus[j]+1 {
			j++
		}
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(strconv.Itoa(cpus[i]))
		if j > i {
			b.WriteByte('-')
			b.WriteString(strconv.Itoa(cpus[j]))
		}
		i = j + 1
	}
	return CPUList(b.String())
}
