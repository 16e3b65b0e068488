package rulepack

import (
	"fmt"

	"cel.dev/cel-go/cel"
	celast "cel.dev/cel-go/common/ast"
	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/common/types/ref"

	"github.com/memaudit/memaudit/internal/facts"
)

// Kinds of nodes in a compiled expression.
const (
	nodeIdent = iota + 1
	nodeSelect
	nodePresence
	nodeCall
	nodeMember
	nodeList
	nodeBool
	nodeInt
	nodeFloat
	nodeText
	nodeNull
	nodeLoop
)

// expr writes a parsed expression, macros expanded. Maps, structs and
// optionals are not used by rules.
func (w *blobWriter) expr(e celast.Expr) error {
	switch e.Kind() {
	case celast.IdentKind:
		w.uint(nodeIdent)
		w.text(e.AsIdent())
		return nil
	case celast.SelectKind:
		s := e.AsSelect()
		w.uint(map[bool]uint64{false: nodeSelect, true: nodePresence}[s.IsTestOnly()])
		w.text(s.FieldName())
		return w.expr(s.Operand())
	case celast.CallKind:
		return w.call(e.AsCall())
	case celast.ListKind:
		w.uint(nodeList)
		return w.exprs(e.AsList().Elements())
	case celast.LiteralKind:
		return w.literal(e.AsLiteral())
	case celast.ComprehensionKind:
		return w.loop(e.AsComprehension())
	default:
		return fmt.Errorf("expression node of kind %d cannot be compiled", e.Kind())
	}
}

func (w *blobWriter) exprs(list []celast.Expr) error {
	w.uint(uint64(len(list)))
	for _, e := range list {
		if err := w.expr(e); err != nil {
			return err
		}
	}
	return nil
}

func (w *blobWriter) call(c celast.CallExpr) error {
	if !c.IsMemberFunction() {
		w.uint(nodeCall)
		w.text(c.FunctionName())
		return w.exprs(c.Args())
	}
	w.uint(nodeMember)
	w.text(c.FunctionName())
	if err := w.expr(c.Target()); err != nil {
		return err
	}
	return w.exprs(c.Args())
}

func (w *blobWriter) literal(v ref.Val) error {
	switch t := v.(type) {
	case types.Bool:
		w.uint(nodeBool)
		w.bool(bool(t))
	case types.Int:
		w.uint(nodeInt)
		w.int(int64(t))
	case types.Double:
		w.uint(nodeFloat)
		w.float(float64(t))
	case types.String:
		w.uint(nodeText)
		w.text(string(t))
	case types.Null:
		w.uint(nodeNull)
	default:
		return fmt.Errorf("literal of type %s cannot be compiled", v.Type().TypeName())
	}
	return nil
}

func (w *blobWriter) loop(c celast.ComprehensionExpr) error {
	w.uint(nodeLoop)
	w.text(c.IterVar())
	w.text(c.IterVar2())
	w.text(c.AccuVar())
	for _, e := range []celast.Expr{c.IterRange(), c.AccuInit(), c.LoopCondition(), c.LoopStep(), c.Result()} {
		if err := w.expr(e); err != nil {
			return err
		}
	}
	return nil
}

// exprReader rebuilds an expression; every node gets a new number.
type exprReader struct {
	*blobReader
	fac  celast.ExprFactory
	last int64
	// refs resolves every identifier, as a check would: the planner then looks
	// a variable up at once instead of trying qualified names first.
	refs map[int64]*celast.ReferenceInfo
	// depth bounds the recursion on a damaged blob.
	depth int
}

const maxExprDepth = 200

func (r *exprReader) expr() celast.Expr {
	r.last++
	id := r.last
	if r.depth++; r.depth > maxExprDepth || r.err != nil {
		r.err = errBlob
		return r.fac.NewUnspecifiedExpr(id)
	}
	defer func() { r.depth-- }()
	switch r.uint() {
	case nodeIdent:
		name := r.text()
		r.refs[id] = celast.NewIdentReference(name, nil)
		return r.fac.NewIdent(id, name)
	case nodeSelect:
		name := r.text()
		return r.fac.NewSelect(id, r.expr(), name)
	case nodePresence:
		name := r.text()
		return r.fac.NewPresenceTest(id, r.expr(), name)
	case nodeCall:
		name := r.text()
		return r.fac.NewCall(id, name, r.exprs()...)
	case nodeMember:
		name := r.text()
		target := r.expr()
		return r.fac.NewMemberCall(id, name, target, r.exprs()...)
	case nodeList:
		return r.fac.NewList(id, r.exprs(), nil)
	case nodeBool:
		return r.fac.NewLiteral(id, types.Bool(r.bool()))
	case nodeInt:
		return r.fac.NewLiteral(id, types.Int(r.int()))
	case nodeFloat:
		return r.fac.NewLiteral(id, types.Double(r.float()))
	case nodeText:
		return r.fac.NewLiteral(id, types.String(r.text()))
	case nodeNull:
		return r.fac.NewLiteral(id, types.NullValue)
	case nodeLoop:
		iter, iter2, accu := r.text(), r.text(), r.text()
		return r.fac.NewComprehensionTwoVar(id, r.expr(), iter, iter2, accu, r.expr(), r.expr(), r.expr(), r.expr())
	default:
		r.err = errBlob
		return r.fac.NewUnspecifiedExpr(id)
	}
}

func (r *exprReader) exprs() []celast.Expr {
	n := r.count()
	out := make([]celast.Expr, 0, n)
	for range n {
		out = append(out, r.expr())
	}
	return out
}

// parsedExprs finds a parsed expression by its text.
type parsedExprs struct {
	strings []string
	nodes   map[string]parsedNode
}

type parsedNode struct {
	body string
	// extended is true when planning needs the whole environment.
	extended bool
}

// program plans a parsed expression without parsing or checking it again; ok
// is false when the text is not in the blob.
func (p *parsedExprs) program(src string) (prog cel.Program, ok bool, err error) {
	if p == nil {
		return nil, false, nil
	}
	node, ok := p.nodes[src]
	if !ok {
		return nil, false, nil
	}
	r := &exprReader{blobReader: &blobReader{body: node.body, strings: p.strings}, fac: celast.NewExprFactory(), refs: map[int64]*celast.ReferenceInfo{}}
	e := r.expr()
	if r.err != nil {
		return nil, true, r.err
	}
	prog, err = facts.PlanExpr(celast.NewCheckedAST(celast.NewAST(e, celast.NewSourceInfo(nil)), nil, r.refs), node.extended)
	return prog, true, err
}
