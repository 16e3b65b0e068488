package house

import (
	"go/ast"
	"go/token"
	"go/types"
	"maps"
	"slices"
	"strings"
)

// Declared is an exported function, type, variable, constant or method.
type Declared struct {
	// Name is the package's path and the name: "internal/host.Root.Live".
	Name string
	// Or are names that answer for it where one of them is used: constants of one
	// declaration, which are a standard's list, for each other, and for a method an
	// interface's method of that name.
	Or []string
}

// throughInterface stands before a method's name in Room.Names where an interface is
// asked for it: any type may be the one that answers.
const throughInterface = "any."

// naming reads one package's exported names, and which names its files use.
type naming struct {
	// module is the module's path with a slash at its end.
	module string
	info   *types.Info
	// interfaces are those of all packages that this one imports, directly or not.
	interfaces []*types.Interface
}

// names lists what a package's files name of the module, but for what a
// declaration says of itself: a method is no use of its type.
func (n *naming) names(files []*ast.File) []string {
	seen := map[string]bool{}
	for _, f := range files {
		for _, d := range f.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if !ok {
				n.see(d, "", seen)
				continue
			}
			own := n.nameOf(n.info.Defs[fn.Name])
			n.see(fn.Type, own, seen)
			if fn.Body != nil {
				n.see(fn.Body, own, seen)
			}
		}
	}
	return slices.Collect(maps.Keys(seen))
}

// see notes the names that a node uses, but own.
func (n *naming) see(node ast.Node, own string, seen map[string]bool) {
	ast.Inspect(node, func(node ast.Node) bool {
		if id, ok := node.(*ast.Ident); ok {
			if name := n.nameOf(n.info.Uses[id]); name != "" && name != own {
				seen[name] = true
			}
		}
		return true
	})
}

// nameOf is an object's name as Declared has it, "" for what is not the module's,
// not of a package's level, or a field.
func (n *naming) nameOf(obj types.Object) string {
	if obj == nil || obj.Pkg() == nil {
		return ""
	}
	if f, ok := obj.(*types.Func); ok {
		obj = f.Origin()
		if recv := f.Origin().Signature().Recv(); recv != nil {
			return n.methodName(f.Origin(), recv.Type())
		}
	}
	path := n.below(obj.Pkg())
	if path == "" || obj.Parent() != obj.Pkg().Scope() {
		return ""
	}
	return path + "." + obj.Name()
}

func (n *naming) methodName(f *types.Func, of types.Type) string {
	if types.IsInterface(of) {
		return throughInterface + f.Name()
	}
	if p, ok := of.(*types.Pointer); ok {
		of = p.Elem()
	}
	named, ok := of.(*types.Named)
	path := n.below(f.Pkg())
	if !ok || path == "" {
		return ""
	}
	return path + "." + named.Obj().Name() + "." + f.Name()
}

// below is a package's path below the module, "" for another module's.
func (n *naming) below(pkg *types.Package) string {
	path, own := strings.CutPrefix(pkg.Path(), n.module)
	if !own {
		return ""
	}
	return path
}

// exports lists what the package declares for others.
func (n *naming) exports(files []*ast.File) []Declared {
	var out []Declared
	for _, f := range files {
		for _, d := range f.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				if d.Name.IsExported() && !n.satisfies(d) {
					out = append(out, Declared{Name: n.nameOf(n.info.Defs[d.Name]), Or: []string{throughInterface + d.Name.Name}})
				}
			case *ast.GenDecl:
				out = append(out, n.declared(d)...)
			}
		}
	}
	return out
}

func (n *naming) declared(d *ast.GenDecl) []Declared {
	var out []Declared
	add := func(id *ast.Ident) {
		if id.IsExported() {
			out = append(out, Declared{Name: n.nameOf(n.info.Defs[id])})
		}
	}
	for _, s := range d.Specs {
		switch s := s.(type) {
		case *ast.TypeSpec:
			add(s.Name)
		case *ast.ValueSpec:
			for _, id := range s.Names {
				add(id)
			}
		}
	}
	if d.Tok == token.CONST {
		var all []string
		for _, c := range out {
			all = append(all, c.Name)
		}
		for i := range out {
			out[i].Or = all
		}
	}
	return out
}

// satisfies reports whether a method is one by which its type satisfies an
// interface of a package that this one imports.
func (n *naming) satisfies(d *ast.FuncDecl) bool {
	f, _ := n.info.Defs[d.Name].(*types.Func)
	if f == nil || f.Signature().Recv() == nil {
		return false
	}
	if f.Name() == "Unwrap" { // of an interface without a name in package errors
		return true
	}
	of := f.Signature().Recv().Type()
	if _, pointer := of.(*types.Pointer); !pointer {
		of = types.NewPointer(of)
	}
	return slices.ContainsFunc(n.interfaces, func(i *types.Interface) bool {
		for m := range i.Methods() {
			if m.Name() == f.Name() {
				return types.Implements(of, i)
			}
		}
		return false
	})
}

// interfacesBelow collects the interfaces that the imports of a package declare, and
// Go's own error. Known are those of packages that were asked before.
func interfacesBelow(pkg *types.Package, known map[*types.Package][]*types.Interface) []*types.Interface {
	out := []*types.Interface{types.Universe.Lookup("error").Type().Underlying().(*types.Interface)}
	seen := map[*types.Package]bool{}
	var walk func(p *types.Package)
	walk = func(p *types.Package) {
		for _, imp := range p.Imports() {
			if seen[imp] {
				continue
			}
			seen[imp] = true
			found, asked := known[imp]
			if !asked {
				found = interfacesOf(imp)
			}
			if imp.Complete() { // of another's imports that nobody imported yet only a part is read
				known[imp] = found
			}
			out = append(out, found...)
			walk(imp)
		}
	}
	walk(pkg)
	return out
}

// interfacesOf are the interfaces with methods that a package declares.
func interfacesOf(pkg *types.Package) []*types.Interface {
	var out []*types.Interface
	for _, name := range pkg.Scope().Names() {
		if t, ok := pkg.Scope().Lookup(name).(*types.TypeName); ok {
			if i, ok := t.Type().Underlying().(*types.Interface); ok && i.NumMethods() > 0 {
				out = append(out, i)
			}
		}
	}
	return out
}
