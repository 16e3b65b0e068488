// Package slab makes many small values in few allocations, for values that live as
// long as their neighbours do: what one machine's facts, one document or one
// artefact consists of. Each allocation costs more than the few words that it gives.
package slab

import "strings"

// The first chunk of a slab and the largest, in values; each is twice the one before.
const (
	firstChunk = 8
	mostChunk  = 64
)

// Of makes values of one type. The zero Of is ready; one is not for two goroutines.
type Of[T any] struct {
	free []T
	made int
}

// New is a zero value of its own.
func (s *Of[T]) New() *T { return &s.Slice(1)[0] }

// With is a copy of a value.
func (s *Of[T]) With(v T) *T {
	p := s.New()
	*p = v
	return p
}

// Slice is a slice of n zero values; appending to it copies it. It is nil for no value.
func (s *Of[T]) Slice(n int) []T {
	if n == 0 {
		return nil
	}
	if n > len(s.free) {
		s.made = min(max(2*s.made, firstChunk), mostChunk)
		s.free = make([]T, max(s.made, n))
	}
	out := s.free[:n:n]
	s.free = s.free[n:]
	return out
}

// The first chunk of texts and the largest, in bytes; each is twice the one before.
const (
	firstText = 128
	mostText  = 4 << 10
)

// Texts joins texts. The zero Texts is ready; one is not for two goroutines.
type Texts struct {
	chunk *strings.Builder
	made  int
}

// Join is the parts one after the other.
func (t *Texts) Join(parts ...string) string {
	length := 0
	for _, p := range parts {
		length += len(p)
	}
	if t.chunk == nil || t.chunk.Cap()-t.chunk.Len() < length {
		t.made = min(max(2*t.made, firstText), mostText)
		t.chunk = &strings.Builder{}
		t.chunk.Grow(max(length, t.made))
	}
	from := t.chunk.Len()
	for _, p := range parts {
		t.chunk.WriteString(p)
	}
	return t.chunk.String()[from:]
}
