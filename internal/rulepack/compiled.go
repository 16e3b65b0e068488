package rulepack

import (
	"fmt"
	"io/fs"
	"slices"

	"cel.dev/cel-go/cel"

	"github.com/memaudit/memaudit/internal/compiled"
	"github.com/memaudit/memaudit/internal/facts"
	"github.com/memaudit/memaudit/internal/verdict"
)

// Part is the part of the compiled knowledge that holds the built-in rules.
const Part = "rules"

// Compile turns validated packs into a blob: the rules without their cases,
// and every expression parsed. Expressions are found by their text, so that a
// blob can be out of date but never answer for another text.
func Compile(packs []*Pack) ([]byte, error) {
	w := newBlobWriter()
	w.uint(uint64(len(packs)))
	for _, p := range packs {
		w.pack(p)
	}
	sources := expressions(packs)
	w.uint(uint64(len(sources)))
	for _, src := range sources {
		ast, err := facts.ParseExpr(src)
		if err != nil {
			return nil, fmt.Errorf("compile %q: %w", src, err)
		}
		body := w.body
		w.body = nil
		if err := w.expr(ast.Expr()); err != nil {
			return nil, fmt.Errorf("compile %q: %w", src, err)
		}
		node := w.body
		w.body = body
		w.text(src)
		w.bool(facts.Extended(ast))
		w.uint(uint64(len(node)))
		w.body = append(w.body, node...)
	}
	return w.bytes(), nil
}

// expressions lists every expression of the packs once, sorted.
func expressions(packs []*Pack) []string {
	var out []string
	for _, p := range packs {
		for _, r := range p.Rules {
			out = append(out, r.Applies, r.Check, r.Found, r.Expected, r.Remedy)
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

// Ahead plans an expression of a compiled pack without parsing or checking it
// again, for facts.Programs; nil for a pack that was not compiled.
func (p *Pack) Ahead() func(src string) (prog cel.Program, ok bool, err error) {
	if p.expressions == nil {
		return nil
	}
	return p.expressions.program
}

// LoadCompiled reads the built-in rules from their blob.
func LoadCompiled(fsys fs.FS) ([]*Pack, error) {
	data, err := compiled.Part(fsys, Part)
	if err != nil {
		return nil, fmt.Errorf("rules: %w", err)
	}
	r := &packReader{blobReader: newBlobReader(data)}
	n := r.count()
	packs := make([]*Pack, 0, n)
	for i := 0; i < n && r.err == nil; i++ {
		packs = append(packs, r.pack())
	}
	parsed := &parsedExprs{strings: r.strings, nodes: make(map[string]parsedNode, 256)}
	for range r.count() {
		src, wide := r.text(), r.bool()
		n := r.count()
		if r.err != nil {
			return nil, r.err
		}
		parsed.nodes[src] = parsedNode{r.body[:n], wide}
		r.body = r.body[n:]
	}
	if r.err != nil {
		return nil, r.err
	}
	for _, p := range packs {
		p.expressions = parsed
	}
	return packs, nil
}
