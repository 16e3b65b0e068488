package rulepack

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"io/fs"
	"slices"

	"memaudit.example/memaudit/internal/audit/facts"
	"memaudit.example/memaudit/internal/audit/verdict"
	"memaudit.example/memaudit/internal/model/compiled"
)

// Part is the part of the compiled knowledge with the built-in rules and profiles, PiecesPart that with their texts,
// expressions and profiles.
const (
	Part       = "rules"
	PiecesPart = "pieces"
)

// builtin is the content of Part: the packs with the example of each rule's cases, and every expression parsed, by the digest of its
// text.
type builtin struct {
	Packs       []*Pack
	Expressions map[uint64]compiled.Piece
}

func digest(text string) uint64 {
	sum := sha256.Sum256([]byte(text))
	return binary.BigEndian.Uint64(sum[:])
}

// Compile encodes validated packs.
func Compile(packs []*Pack) (rules, pieces []byte, err error) {
	out := builtin{Expressions: map[uint64]compiled.Piece{}}
	piece := func(v any) (compiled.Piece, error) {
		data, err := compiled.Encode(v)
		pieces = append(pieces, data...)
		return compiled.Piece{At: len(pieces) - len(data), Bytes: len(data)}, err
	}
	for _, p := range packs {
		compact := &Pack{File: p.File}
		for _, r := range p.Rules {
			rule, texts := *r, r.Written
			texts.Counted = r.caseCounts()
			if texts.Kept, err = r.exampleText(); err != nil {
				return nil, nil, fmt.Errorf("%s: example: %w", r.ID, err)
			}
			if rule.Encoded, err = piece(texts); err != nil {
				return nil, nil, err
			}
			compact.Rules = append(compact.Rules, &rule)
		}
		for _, q := range p.Profiles {
			listed := q.ListedProfile
			if listed.Encoded, err = piece(q); err != nil {
				return nil, nil, err
			}
			compact.Listed = append(compact.Listed, &listed)
		}
		out.Packs = append(out.Packs, compact)
	}
	out.Packs[0].Judges = SettingIDs(packs)
	for _, src := range expressions(packs) {
		expr, err := facts.EncodeExpr(src)
		if err != nil {
			return nil, nil, fmt.Errorf("compile %q: %w", src, err)
		}
		if out.Expressions[digest(src)], err = piece(expr); err != nil {
			return nil, nil, err
		}
	}
	rules, err = compiled.Encode(out)
	return rules, pieces, err
}

func expressions(packs []*Pack) []string {
	var out []string
	for _, p := range packs {
		for _, r := range p.Rules {
			out = append(out, r.Applies, r.Check)
			for i := range r.Prerequisites {
				q := &r.Prerequisites[i]
				out = append(out, q.Applies, q.Needs, q.wantedExpression())
			}
			if verdict.Severity(r.Severity).Rank() == 0 {
				out = append(out, r.Severity)
			}
		}
		for _, q := range p.Profiles {
			out = append(out, q.Applies)
			for _, s := range q.Settings {
				out = append(out, s.Applies)
			}
		}
	}
	slices.Sort(out)
	return slices.DeleteFunc(slices.Compact(out), func(s string) bool { return s == "" })
}

// LoadCompiled reads the built-in rules.
func LoadCompiled(fsys fs.FS) ([]*Pack, error) {
	var in builtin
	if err := compiled.ReadPart(fsys, Part, &in); err != nil {
		return nil, fmt.Errorf("rules: %w", err)
	}
	for _, p := range in.Packs {
		p.Expressions = func(src string, into any) (bool, error) {
			at, known := in.Expressions[digest(src)]
			if !known {
				return false, nil
			}
			return true, at.Decode(fsys, PiecesPart, into)
		}
		for _, r := range p.Rules {
			r.pack, r.knowledge = p, fsys
		}
		for _, q := range p.Listed {
			q.whole = func() *ProfileSpec {
				out := &ProfileSpec{ListedProfile: *q, pack: p}
				_ = q.Encoded.Decode(fsys, PiecesPart, out) // a test compares every profile with its file
				return out
			}
		}
	}
	return in.Packs, nil
}
