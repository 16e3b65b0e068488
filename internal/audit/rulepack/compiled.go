package rulepack

import (
	"fmt"
	"io/fs"
	"slices"

	"cel.dev/cel-go/cel"
	celast "cel.dev/cel-go/common/ast"
	exprpb "google.golang.org/genproto/googleapis/api/expr/v1alpha1"
	"google.golang.org/protobuf/proto"

	"github.com/memaudit/memaudit/internal/audit/facts"
	"github.com/memaudit/memaudit/internal/audit/verdict"
	"github.com/memaudit/memaudit/internal/model/compiled"
)

// Part is the part of the compiled knowledge with the built-in rules, ProfilePart the one with the tables of
// their profiles by id.
const (
	Part        = "rules"
	ProfilePart = "profiles"
)

// builtin is the content of Part: the packs without cases, and every expression parsed.
type builtin struct {
	Packs       []*Pack
	Expressions parsedExprs
}

// parsedExprs are CEL's checked expressions (protobuf) by their text, so that an outdated artefact never
// applies to another text.
type parsedExprs map[string][]byte

// Compile encodes validated packs.
func Compile(packs []*Pack) ([]byte, error) {
	out := builtin{Expressions: parsedExprs{}}
	for _, p := range packs {
		out.Packs = append(out.Packs, p.compact())
	}
	for _, src := range expressions(packs) {
		data, err := encodeExpr(src)
		if err != nil {
			return nil, fmt.Errorf("compile %q: %w", src, err)
		}
		out.Expressions[src] = data
	}
	return compiled.Encode(out)
}

// compact returns a copy of the pack with its cases counted.
func (p *Pack) compact() *Pack {
	out := &Pack{File: p.File, Judges: p.SettingIDs(), Profiles: p.Profiles}
	for _, r := range p.Rules {
		rule := *r
		rule.Counted = r.caseCounts()
		out.Rules = append(out.Rules, &rule)
	}
	return out
}

// CompileProfiles encodes the tables of the profiles, each separately.
func CompileProfiles(packs []*Pack) ([]byte, error) {
	out := map[string]compiled.Raw{}
	for _, p := range packs {
		for _, q := range p.Profiles {
			table, err := compiled.Encode(q.Settings)
			if err != nil {
				return nil, err
			}
			out[q.ID] = table
		}
	}
	return compiled.Encode(out)
}

// encodeExpr parses an expression and resolves its identifiers, as a check would, so that the planner finds
// variables at once.
func encodeExpr(src string) ([]byte, error) {
	ast, err := facts.ParseExpr(src)
	if err != nil {
		return nil, err
	}
	references := map[int64]*celast.ReferenceInfo{}
	celast.PreOrderVisit(ast.Expr(), celast.NewExprVisitor(func(e celast.Expr) {
		if e.Kind() == celast.IdentKind {
			references[e.ID()] = celast.NewIdentReference(e.AsIdent(), nil)
		}
	}))
	checked, err := celast.ToProto(celast.NewCheckedAST(ast, nil, references))
	if err != nil {
		return nil, err
	}
	checked.SourceInfo = nil
	return proto.MarshalOptions{Deterministic: true}.Marshal(checked)
}

// expressions lists every expression of the packs once, sorted.
func expressions(packs []*Pack) []string {
	var out []string
	for _, p := range packs {
		for _, r := range p.Rules {
			out = append(out, r.Applies, r.Check, r.Short, r.Fix, r.Found, r.Expected, r.Remedy)
			for _, s := range r.Remedies {
				out = append(out, s)
			}
			if verdict.Severity(r.Severity).Rank() == 0 {
				out = append(out, r.Severity)
			}
			if r.Effect != nil {
				out = append(out, r.Effect.Expr, r.Effect.SourceExpr)
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
	out = slices.Compact(out)
	return slices.DeleteFunc(out, func(s string) bool { return s == "" })
}

// program plans an expression without parsing or checking it again; ok is false if it was not compiled.
func (p parsedExprs) program(src string) (prog cel.Program, ok bool, err error) {
	data, ok := p[src]
	if !ok {
		return nil, false, nil
	}
	var checked exprpb.CheckedExpr
	if err := proto.Unmarshal(data, &checked); err != nil {
		return nil, true, err
	}
	ast, err := celast.ToAST(&checked)
	if err != nil {
		return nil, true, err
	}
	prog, err = facts.PlanExpr(ast)
	return prog, true, err
}

// Ahead returns a function for facts.Programs that plans an expression of a compiled pack without parsing or
// checking it again; nil for a pack that was not compiled.
func (p *Pack) Ahead() func(src string) (prog cel.Program, ok bool, err error) {
	if p.expressions == nil {
		return nil
	}
	return p.expressions.program
}

// LoadCompiled reads the built-in rules.
func LoadCompiled(fsys fs.FS) ([]*Pack, error) {
	var in builtin
	if err := compiled.ReadPart(fsys, Part, &in); err != nil {
		return nil, fmt.Errorf("rules: %w", err)
	}
	var tables map[string]compiled.Raw
	if err := compiled.ReadPart(fsys, ProfilePart, &tables); err != nil {
		return nil, fmt.Errorf("profiles: %w", err)
	}
	rows := func(id string) SettingTable {
		var out SettingTable
		if compiled.Decode(tables[id], &out) != nil {
			return nil // a test compares every table with its file
		}
		return out
	}
	for _, p := range in.Packs {
		p.expressions = in.Expressions
		for _, r := range p.Rules {
			r.pack = p
		}
		for _, q := range p.Profiles {
			if len(tables[q.ID]) == 0 {
				return nil, fmt.Errorf("profiles: %s has no table of %s (go generate ./rules writes it)", compiled.File(ProfilePart), q.ID)
			}
			q.pack, q.rows = p, rows
		}
	}
	return in.Packs, nil
}
