package slab_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/memaudit/memaudit/internal/slab"
)

// TestValuesAreApart: what is written to one value or appended to one slice is seen
// in no other, across many chunks.
func TestValuesAreApart(t *testing.T) {
	var numbers slab.Of[int]
	var single []*int
	var lists [][]int
	for i := range 2_000 {
		single = append(single, numbers.With(i))
		list := numbers.Slice(i % 5)
		for j := range list {
			assert.Zero(t, list[j])
			list[j] = i
		}
		lists = append(lists, list)
		_ = append(list, -1)
	}
	for i := range single {
		assert.Equal(t, i, *single[i])
		for _, n := range lists[i] {
			assert.Equal(t, i, n)
		}
	}
	assert.Nil(t, numbers.Slice(0))
	assert.Len(t, numbers.Slice(10_000), 10_000)
}

// TestTextsStay: a text is not changed by those joined after it, whatever their length.
func TestTextsStay(t *testing.T) {
	var texts slab.Texts
	var want, got []string
	for i := range 3_000 {
		a, b := fmt.Sprint(i), strings.Repeat("x", i%70)
		want, got = append(want, a+b), append(got, texts.Join(a, b))
	}
	assert.Equal(t, want, got)
	long := strings.Repeat("long ", 10_000)
	assert.Equal(t, long, texts.Join(long))
	assert.Empty(t, texts.Join())
	assert.Equal(t, "1x", got[1])
}

// TestFewAllocations: a thousand values or texts take far fewer allocations.
func TestFewAllocations(t *testing.T) {
	var kept []*int
	var texts []string
	count := testing.AllocsPerRun(1, func() {
		var numbers slab.Of[int]
		var joined slab.Texts
		kept, texts = make([]*int, 0, 1000), make([]string, 0, 1000)
		for i := range 1000 {
			kept = append(kept, numbers.With(i))
			texts = append(texts, joined.Join("type 17 ", "Speed"))
		}
	})
	assert.LessOrEqual(t, count, 40.0)
	assert.Len(t, kept, len(texts))
}
