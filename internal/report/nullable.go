package report

import (
	"strconv"
	"strings"

	"github.com/memaudit/memaudit/internal/model/fact"
	"github.com/memaudit/memaudit/internal/model/nullable"
)

// stated is the fact's value, null if it is not known.
func stated(f fact.Fact[string]) nullable.String { return nullable.String(f.Or("")) }

// boolOrNil is the fact's value, nil when it is not known.
func boolOrNil(f fact.Fact[bool]) *bool {
	v, ok := f.Get() // a copy of its own: the whole fact must not escape
	if !ok {
		return nil
	}
	return &v
}

// number is the fact's value, nil when it is not known or negative.
func number[T int | int64](f fact.Fact[T]) *T {
	v, ok := f.Get()
	if !ok || v < 0 {
		return nil
	}
	return &v
}

// positive is number for things whose 0 can only mean "not stated": sizes of
// modules, speeds, widths.
func positive[T int | int64](f fact.Fact[T]) *T {
	if !f.Known() {
		return nil
	}
	return positiveOrNil(f.Value)
}

// positiveOrNil is nil for 0 and less.
func positiveOrNil[T int | int64](v T) *T {
	if v <= 0 {
		return nil
	}
	return &v
}

// coordinate is a coordinate, nil when it is negative (place.Unplaced).
func coordinate(v int) *int {
	if v < 0 {
		return nil
	}
	return &v
}

// neverNil is never nil, so that JSON has [] and not null.
func neverNil[T any](s []T) []T {
	if s == nil {
		return []T{}
	}
	return s
}

// CPUList writes sorted CPU numbers as the kernel does: "0-5,12-17".
func CPUList(cpus []int) string {
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
	return b.String()
}
