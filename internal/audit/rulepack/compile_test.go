package rulepack

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	celast "cel.dev/cel-go/common/ast"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"memaudit.example/memaudit/internal/audit/facts"
	"memaudit.example/memaudit/internal/audit/verdict"
	"memaudit.example/memaudit/internal/model/compiled"
)

var update = flag.Bool("update", false, "compile the rules again")

// TestCompiledPacksAreCurrent checks that the compiled rules are made from the packs as they are, or with -update compiles them.
func TestCompiledPacksAreCurrent(t *testing.T) {
	packs, err := BuiltinPacks()
	require.NoError(t, err)
	made, pieces, err := Compile(packs)
	require.NoError(t, err)
	for part, want := range map[string][]byte{Part: made, PiecesPart: pieces} {
		file := filepath.Join("../../../rules", compiled.File(part))
		if *update {
			require.NoError(t, os.WriteFile(file, want, 0o644))
		}
		have, err := os.ReadFile(file)
		require.NoError(t, err)
		assert.True(t, bytes.Equal(want, have), "%s is not current: go generate ./...", file)
	}
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
		var root celast.Expr
		if err := facts.VisitExpr(src, func(e celast.Expr) {
			if root == nil {
				root = e
			}
		}); err != nil {
			return nil, nil, fmt.Errorf("compile %q: %w", src, err)
		}
		expr, err := encodeNode(root)
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

// exampleText is the rule's example as YAML, "" if it has none.
func (r *Rule) exampleText() (string, error) {
	c, err := r.Example()
	if c == nil || err != nil {
		return "", err
	}
	var given any
	alone := *c
	if err = alone.Facts.Decode(&given); err == nil {
		err = alone.Facts.Encode(given)
	}
	if err != nil {
		return "", err
	}
	text, err := yaml.Marshal(alone)
	return string(text), err
}

func encodeNode(e celast.Expr) (facts.EncodedExpr, error) {
	out := facts.EncodedExpr{Kind: e.Kind()}
	var parts []celast.Expr
	switch e.Kind() {
	case celast.IdentKind:
		out.Name = e.AsIdent()
	case celast.LiteralKind:
		out.Value = e.AsLiteral().Value()
	case celast.SelectKind:
		s := e.AsSelect()
		out.Name, out.Flag, parts = s.FieldName(), s.IsTestOnly(), []celast.Expr{s.Operand()}
	case celast.ListKind:
		parts = e.AsList().Elements()
	case celast.CallKind:
		c := e.AsCall()
		out.Name, out.Flag, parts = c.FunctionName(), c.IsMemberFunction(), c.Args()
		if out.Flag {
			parts = slices.Concat([]celast.Expr{c.Target()}, parts)
		}
	case celast.ComprehensionKind:
		c := e.AsComprehension()
		out.Name = c.IterVar() + " " + c.IterVar2() + " " + c.AccuVar()
		parts = []celast.Expr{c.IterRange(), c.AccuInit(), c.LoopCondition(), c.LoopStep(), c.Result()}
	default:
		return out, fmt.Errorf("an expression with a map or a message: %v", e.Kind())
	}
	for _, part := range parts {
		node, err := encodeNode(part)
		if err != nil {
			return out, err
		}
		out.Parts = append(out.Parts, node)
	}
	return out, nil
}
