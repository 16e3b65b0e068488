package rulepack

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"io/fs"

	"memaudit.example/memaudit/internal/model/compiled"
)

//go:generate go test -count=1 -run TestCompiledPacksAreCurrent . -update

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
