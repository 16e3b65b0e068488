package partnumber

import (
	"regexp/syntax"
	"slices"
	"strings"
)

// mostBeginnings bounds the texts that one pattern's numbers may begin with: they are
// there to pass a pattern over, not to read with.
const mostBeginnings = 32

// beginnings are texts of which everything begins with one that an expression matches
// from its start on; none where they are not few.
func beginnings(match string) ([]string, error) {
	parsed, err := syntax.Parse(match, syntax.Perl)
	if err != nil {
		return nil, err
	}
	if parsed.Op != syntax.OpConcat || parsed.Sub[0].Op != syntax.OpBeginText {
		return nil, nil
	}
	texts, _ := begins(parsed)
	slices.Sort(texts)
	if len(texts) == 0 || texts[0] == "" || slices.ContainsFunc(texts, func(s string) bool { return strings.ContainsAny(s, " \t\n") }) {
		return nil, nil
	}
	return slices.Compact(texts), nil
}

// anything is what a part of an expression begins with of which nothing is said.
var anything = []string{""}

// begins are the texts that a part of an expression begins with; whole when they are
// all that it matches, so that what comes after it may be added to them.
func begins(e *syntax.Regexp) (texts []string, whole bool) {
	switch e.Op {
	case syntax.OpBeginText, syntax.OpEmptyMatch:
		return anything, true
	case syntax.OpLiteral:
		if e.Flags&syntax.FoldCase != 0 {
			return anything, false
		}
		return []string{string(e.Rune)}, true
	case syntax.OpCharClass:
		return classBegins(e.Rune)
	case syntax.OpCapture:
		return begins(e.Sub[0])
	case syntax.OpConcat:
		return concatBegins(e.Sub)
	case syntax.OpAlternate:
		whole = true
		for _, sub := range e.Sub {
			more, all := begins(sub)
			texts, whole = append(texts, more...), whole && all
		}
		return notTooMany(texts, whole)
	case syntax.OpQuest:
		texts, whole = begins(e.Sub[0])
		return notTooMany(append(slices.Clone(texts), ""), whole)
	case syntax.OpPlus:
		texts, _ = begins(e.Sub[0])
		return texts, false
	case syntax.OpRepeat:
		if e.Min > 0 {
			texts, _ = begins(e.Sub[0])
			return texts, false
		}
		return anything, false
	default:
		return anything, false
	}
}

// classBegins are the characters of a class, which are given as pairs of first and last.
func classBegins(ranges []rune) (texts []string, whole bool) {
	for i := 0; i < len(ranges); i += 2 {
		for r := ranges[i]; r <= ranges[i+1]; r++ {
			if len(texts) == mostBeginnings {
				return anything, false
			}
			texts = append(texts, string(r))
		}
	}
	return notTooMany(texts, true)
}

// concatBegins joins what parts begin with that follow each other, as far as the texts
// stay few.
func concatBegins(parts []*syntax.Regexp) (texts []string, whole bool) {
	texts = anything
	for _, part := range parts {
		next, all := begins(part)
		if len(texts)*len(next) > mostBeginnings {
			return texts, false
		}
		var joined []string
		for _, a := range texts {
			for _, b := range next {
				joined = append(joined, a+b)
			}
		}
		texts = joined
		if !all {
			return texts, false
		}
	}
	return texts, true
}

// notTooMany gives up where there are too many texts.
func notTooMany(texts []string, whole bool) ([]string, bool) {
	if len(texts) > mostBeginnings {
		return anything, false
	}
	return texts, whole
}
