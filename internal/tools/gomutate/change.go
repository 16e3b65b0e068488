package main

import (
	"go/ast"
	"go/build"
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
	Func     string // the function or method it stands in, "" outside of all
	Line     int
	From, To int
	Old, New string
	// Site is the expression or statement among whose forms one is chosen when
	// all changes of a package are built at once.
	Site changeSite
	// Number tells the changes of one package apart, from 1.
	Number int
}

// changeSite is a condition, or a return statement, that has changed forms.
type changeSite struct {
	From, To  int
	Line, End int // the lines of the source that it covers
	Statement bool
}

// String names a change without its line, which moves: what is listed with a
// reason stays listed.
func (c *change) String() string {
	return strings.Join([]string{c.File, c.Func, oneLine(c.Old), oneLine(c.New)}, "\t")
}

// oneLine writes source without its line breaks.
func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

// swapped are the operators that are tried in the place of another: conditions
// are turned round, bounds moved by one.
var swapped = map[token.Token]token.Token{
	token.EQL: token.NEQ, token.NEQ: token.EQL, token.LSS: token.LEQ, token.LEQ: token.LSS,
	token.GTR: token.GEQ, token.GEQ: token.GTR, token.LAND: token.LOR, token.LOR: token.LAND,
}

// changesOf lists the mutations of the sources of one folder that are built
// here, in their order.
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
		if built, err := build.Default.MatchFile(filepath.Split(name)); err != nil || !built {
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
	for i := range out {
		out[i].Number = i + 1
	}
	return out, nil
}

func changesIn(name string, text []byte) ([]change, error) {
	files := token.NewFileSet()
	file, err := parser.ParseFile(files, name, text, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	m := &mutator{name: filepath.ToSlash(name), text: text, files: files}
	for _, decl := range file.Decls {
		m.function = ""
		if f, ok := decl.(*ast.FuncDecl); ok {
			m.function = m.functionName(f)
		}
		ast.Inspect(decl, m.visit)
	}
	// An equality that is a whole condition is turned round by both.
	slices.SortStableFunc(m.out, func(a, b change) int { return a.From - b.From })
	return m.out, nil
}

type mutator struct {
	name, function string
	text           []byte
	files          *token.FileSet
	out            []change
}

func (m *mutator) visit(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.BinaryExpr:
		m.operator(n)
	case *ast.IfStmt:
		m.replace(n.Cond, n.Cond, "!("+m.source(n.Cond)+")")
	case *ast.ReturnStmt:
		m.returned(n)
	}
	return true
}

// functionName is the name of a function, after its receiver's type if it is a method.
func (m *mutator) functionName(f *ast.FuncDecl) string {
	if f.Recv == nil {
		return f.Name.Name
	}
	return strings.TrimPrefix(m.source(f.Recv.List[0].Type), "*") + "." + f.Name.Name
}

func (m *mutator) offset(p token.Pos) int { return m.files.Position(p).Offset }

func (m *mutator) source(n ast.Node) string {
	return string(m.text[m.offset(n.Pos()):m.offset(n.End())])
}

// replace adds a change of one node inside a condition or statement; Old has
// the words around it, so that one of several alike is told from the others.
func (m *mutator) replace(at, whole ast.Node, text string) {
	_, statement := whole.(ast.Stmt)
	first, last := m.files.Position(whole.Pos()), m.files.Position(whole.End())
	m.out = append(m.out, change{File: m.name, Func: m.function, Line: m.files.Position(at.Pos()).Line,
		From: m.offset(at.Pos()), To: m.offset(at.End()), Old: m.source(at), New: text,
		Site: changeSite{From: first.Offset, To: last.Offset, Line: first.Line, End: last.Line, Statement: statement}})
}

// operator turns an operator, and moves a number that something is compared with.
func (m *mutator) operator(n *ast.BinaryExpr) {
	other, known := swapped[n.Op]
	if !known {
		return
	}
	m.replace(n, n, m.source(n.X)+" "+other.String()+" "+m.source(n.Y))
	if lit, ok := n.Y.(*ast.BasicLit); ok && lit.Kind == token.INT {
		if v, err := strconv.ParseInt(lit.Value, 0, 64); err == nil {
			m.replace(n, n, m.source(n.X)+" "+n.Op.String()+" "+strconv.FormatInt(v+1, 10))
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
		m.replace(last, n, "nil")
	}
}
