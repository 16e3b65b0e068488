package slab_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

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
			if list[j] != 0 {
				t.Fatalf("value %d of list %d is %d from the start", j, i, list[j])
			}
			list[j] = i
		}
		lists = append(lists, list)
		_ = append(list, -1)
	}
	for i := range single {
		if *single[i] != i {
			t.Errorf("value %d became %d", i, *single[i])
		}
		for _, n := range lists[i] {
			if n != i {
				t.Errorf("a value of list %d became %d", i, n)
			}
		}
	}
	if numbers.Slice(0) != nil || len(numbers.Slice(10_000)) != 10_000 {
		t.Error("a slice is of another length than was asked for")
	}
}

// TestTextsStay: a text is not changed by those joined after it, whatever their length.
func TestTextsStay(t *testing.T) {
	var texts slab.Texts
	var want, got []string
	for i := range 3_000 {
		a, b := fmt.Sprint(i), strings.Repeat("x", i%70)
		want, got = append(want, a+b), append(got, texts.Join(a, b))
	}
	if !slices.Equal(want, got) {
		t.Error("texts changed")
	}
	long := strings.Repeat("long ", 10_000)
	if texts.Join(long) != long || texts.Join() != "" {
		t.Error("a long text or none is joined to another")
	}
	if got[1] != "1x" {
		t.Errorf("the second text became %q", got[1])
	}
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
	if count > 40 || len(kept) != len(texts) {
		t.Errorf("%v allocations for %d values and %d texts, expected at most 40", count, len(kept), len(texts))
	}
}
