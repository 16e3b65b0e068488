package facts

import (
	"fmt"

	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/common/types/ref"
	"cel.dev/cel-go/common/types/traits"

	"github.com/memaudit/memaudit/internal/model/prose"
)

// sentenceList lists parts as a sentence does: A, B and C.
func sentenceList(parts []string) string {
	if len(parts) == 0 {
		return "none"
	}
	return prose.And(parts)
}

// elements prints every element of a list.
func elements(v ref.Val) []string {
	l, ok := v.(traits.Lister)
	if !ok {
		return nil
	}
	var parts []string
	for it := l.Iterator(); it.HasNext() == types.True; {
		parts = append(parts, plainText(it.Next()))
	}
	return parts
}

// listed prints sentences in a row, the first three of many: "a; b; c; and 4
// more".
func listed(v ref.Val) string {
	parts := elements(v)
	if len(parts) == 0 {
		return "none"
	}
	return prose.FirstFew(listedAtMost, parts)
}

// listedAtMost bounds a row of sentences: a broken table may have hundreds.
const listedAtMost = 3

// elementList joins a list with commas and "and": A, B and C.
func elementList(v ref.Val) string { return sentenceList(elements(v)) }

func plainText(v ref.Val) string {
	return fmt.Sprint(v.Value())
}

// NotKnown stands where a text expression meets a fact that is not known.
const NotKnown = "not known"
