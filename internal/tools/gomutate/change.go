package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// change is one mutation of a source file: the bytes from From to To become New.
type change struct {
	File     string
	Line     int
	From, To int
	Old, New string
}

// String names a change without its line, which moves: what is listed with a
// reason stays listed.
func (c *change) String() string { return c.File + "\t" + c.Old + "\t" + c.New }

// swapped are the operators that are tried in the place of another: conditions
// are turned round, bounds moved by one.
var swapped = map[token.Token]token.Token{
	token.EQL: token.NEQ, token.NEQ: token.EQL, token.LSS: token.LEQ, token.LEQ: token.LSS,
	token.GTR: token.GEQ, token.GEQ: token.GTR, token.LAND: token.LOR, token.LOR: token.LAND,
}

// changesOf lists the mutations of the sources of one folder, in their order.
func changesOf(dir string) ([]change, error) {
	names, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		return nil, err
	}
	var out []change
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		text, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		found, err := changesIn(name, text)
		if err != nil {
			return nil, err
		}
		out = append(out, found...)
	}
	return out, nil
}

func changesIn(name string, text []byte) ([]change, error) {
	files := token.NewFileSet()
	file, err := parser.ParseFile(files, name, text, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	m := &mutator{name: name, text: text, files: files}
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.BinaryExpr:
			m.operator(n)
		case *ast.IfStmt:
			m.replace(n.Cond.Pos(), n.Cond.End(), "!("+m.source(n.Cond)+")")
		case *ast.ReturnStmt:
			m.returned(n)
		}
		return true
	})
	// An equality that is a whole condition is turned round by both.
	slices.SortFunc(m.out, func(a, b change) int { return a.From - b.From })
	return m.out, nil
}

type mutator struct {
	name  string
	text  []byte
	files *token.FileSet
	out   []change
}

func (m *mutator) source(n ast.Node) string {
	return string(m.text[m.files.Position(n.Pos()).Offset:m.files.Position(n.End()).Offset])
}

// replace adds a change; Old has the words around it, so that one of several
// alike is told from the others.
func (m *mutator) replace(from, to token.Pos, text string) {
	at, end := m.files.Position(from), m.files.Position(to).Offset
	m.out = append(m.out, change{File: filepath.ToSlash(m.name), Line: at.Line, From: at.Offset, To: end, Old: string(m.text[at.Offset:end]), New: text})
}

// operator turns an operator, and moves a number that something is compared with.
func (m *mutator) operator(n *ast.BinaryExpr) {
	other, known := swapped[n.Op]
	if !known {
		return
	}
	whole := m.source(n.X) + " " + other.String() + " " + m.source(n.Y)
	m.replace(n.Pos(), n.End(), whole)
	if lit, ok := n.Y.(*ast.BasicLit); ok && lit.Kind == token.INT {
		if v, err := strconv.ParseInt(lit.Value, 0, 64); err == nil {
			m.replace(n.Pos(), n.End(), m.source(n.X)+" "+n.Op.String()+" "+strconv.FormatInt(v+1, 10))
		}
	}
}

// returned forgets an error.
func (m *mutator) returned(n *ast.ReturnStmt) {
	if len(n.Results) == 0 {
		return
	}
	last := n.Results[len(n.Results)-1]
	if id, ok := last.(*ast.Ident); ok && id.Name == "err" {
		m.replace(last.Pos(), last.End(), "nil")
	}
}
