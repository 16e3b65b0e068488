package facts

import (
	"fmt"

	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/common/types/ref"
	"cel.dev/cel-go/common/types/traits"

	"github.com/memaudit/memaudit/internal/model/humanize"
)

// sentenceList joins parts as in a sentence: A, B and C.
func sentenceList(parts []string) string {
	if len(parts) == 0 {
		return "none"
	}
	return humanize.List(parts)
}

// elements formats every element of a list.
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

// listed joins sentences, the first three of many: "a; b; c; and 4 more".
func listed(v ref.Val) string {
	parts := elements(v)
	if len(parts) == 0 {
		return "none"
	}
	return humanize.Truncated(listedAtMost, parts)
}

// listedAtMost limits the sentences listed: an invalid table may have hundreds.
const listedAtMost = 3

// elementList joins a list with commas and "and": A, B and C.
func elementList(v ref.Val) string { return sentenceList(elements(v)) }

func plainText(v ref.Val) string {
	return fmt.Sprint(v.Value())
}

// NotKnown is printed for an unknown fact in a text expression.
const NotKnown = "not known"
