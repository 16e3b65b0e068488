// Package house measures how the project's packages are built: their lines,
// the arrows between them, and the files of one package that refer to each
// other in circles. Test files are left out. Its tests hold the project to that, to the
// imports that ARCHITECTURE.md allows, and to what pages and names may say.
package house

import (
	"bytes"
	"encoding/json"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// Room is one package.
type Room struct {
	// Path is the package below the module: "internal/smbios".
	Path string
	// Files counts the folder's own files, Lines theirs.
	Files, Lines int
	// Imports are the module's packages that it imports, by Path.
	Imports []string
	// Exports are what the package declares for others, but for methods by which a
	// type satisfies an interface; fields are left out, as encoders read them by name.
	Exports []Declared
	// Names are the module's functions, types, variables, constants and methods that
	// the files name, in their own package and in others.
	Names []string
	// Circles are the groups of files that refer to each other in a circle, each
	// sorted, the largest first.
	Circles [][]string
}

// InCircles counts the files that stand in a circle.
func (r *Room) InCircles() int {
	n := 0
	for _, c := range r.Circles {
		n += len(c)
	}
	return n
}

// Topic is what a file is about: files whose names begin alike up to the first
// underline are of one topic ("text.go", "text_menu.go").
func Topic(file string) string {
	topic, _, _ := strings.Cut(strings.TrimSuffix(file, ".go"), "_")
	return topic
}

// AcrossTopics counts the files of circles that hold more than one topic.
func (r *Room) AcrossTopics() int {
	n := 0
	for _, circle := range r.Circles {
		if slices.ContainsFunc(circle, func(file string) bool { return Topic(file) != Topic(circle[0]) }) {
			n += len(circle)
		}
	}
	return n
}

// Unused lists what the rooms export and none of them names, sorted. A room that
// only tests import has to be left out by the caller.
func Unused(rooms []Room) []string {
	named := map[string]bool{}
	for _, r := range rooms {
		for _, name := range r.Names {
			named[name] = true
		}
	}
	var out []string
	for _, r := range rooms {
		for _, d := range r.Exports {
			if !named[d.Name] && !slices.ContainsFunc(d.Or, func(name string) bool { return named[name] }) {
				out = append(out, d.Name)
			}
		}
	}
	slices.Sort(out)
	return out
}

// listed is what go list says of one package.
type listed struct {
	ImportPath, Dir, Export string
	GoFiles, Imports        []string
	Module                  *struct {
		Path string
		Main bool
	}
}

// measureAll measures those of the listed packages that lie below the given prefixes,
// sorted by path.
func measureAll(all []listed, below ...string) ([]Room, error) {
	exports := map[string]string{}
	for _, p := range all {
		exports[p.ImportPath] = p.Export
	}
	look := func(path string) (io.ReadCloser, error) { return os.Open(exports[path]) }
	fset := token.NewFileSet()
	compiled := importer.ForCompiler(fset, "gc", look) // one for all: it keeps what it read
	interfaces := map[*types.Package][]*types.Interface{}
	var rooms []Room
	for _, p := range all {
		if p.Module == nil || !p.Module.Main {
			continue
		}
		path, own := strings.CutPrefix(p.ImportPath, p.Module.Path+"/")
		if !own || !slices.ContainsFunc(below, func(b string) bool { return strings.HasPrefix(path, b) }) {
			continue
		}
		room, err := measure(p, path, fset, compiled, interfaces)
		if err != nil {
			return nil, err
		}
		rooms = append(rooms, room)
	}
	slices.SortFunc(rooms, func(a, b Room) int { return strings.Compare(a.Path, b.Path) })
	return rooms, nil
}

// listPackages asks the go command for the module's packages and all that they import,
// compiled, so that types can be read.
func listPackages(dir string) ([]listed, error) {
	cmd := exec.Command("go", "list", "-deps", "-export", "-json=ImportPath,Dir,Export,GoFiles,Imports,Module", "./...")
	var out, talk bytes.Buffer
	cmd.Dir, cmd.Stdout, cmd.Stderr = dir, &out, &talk
	if err := cmd.Run(); err != nil {
		return nil, fmt.Errorf("go list in %s: %w: %s", dir, err, talk.String())
	}
	var all []listed
	for dec := json.NewDecoder(&out); ; {
		var p listed
		switch err := dec.Decode(&p); err {
		case nil:
			all = append(all, p)
		case io.EOF:
			return all, nil
		default:
			return nil, fmt.Errorf("read the answer of go list: %w", err)
		}
	}
}

func measure(p listed, path string, fset *token.FileSet, compiled types.Importer, interfaces map[*types.Package][]*types.Interface) (Room, error) {
	room := Room{Path: path, Files: len(p.GoFiles)}
	for _, imp := range p.Imports {
		if own, ok := strings.CutPrefix(imp, p.Module.Path+"/"); ok {
			room.Imports = append(room.Imports, own)
		}
	}
	var files []*ast.File
	for _, name := range p.GoFiles {
		src, err := os.ReadFile(filepath.Join(p.Dir, name))
		if err != nil {
			return room, err
		}
		room.Lines += bytes.Count(src, []byte("\n"))
		f, err := parser.ParseFile(fset, name, src, parser.SkipObjectResolution)
		if err != nil {
			return room, err
		}
		files = append(files, f)
	}
	info := &types.Info{Defs: map[*ast.Ident]types.Object{}, Uses: map[*ast.Ident]types.Object{}}
	config := types.Config{Importer: compiled}
	pkg, err := config.Check(p.ImportPath, fset, files, info)
	if err != nil {
		return room, err
	}
	room.Circles = circles(references(fset, pkg, info))
	n := &naming{module: p.Module.Path + "/", info: info, interfaces: interfacesBelow(pkg, interfaces)}
	room.Exports, room.Names = n.exports(files), n.names(files)
	return room, nil
}

// references says for each file which files of the package declare the
// functions, types, variables and methods that it names. Fields do not count:
// they come with their type.
func references(fset *token.FileSet, pkg *types.Package, info *types.Info) map[string][]string {
	out := map[string][]string{}
	for id, obj := range info.Uses {
		if obj.Pkg() != pkg || !isNamed(obj, pkg) {
			continue
		}
		from, to := fset.Position(id.Pos()).Filename, fset.Position(obj.Pos()).Filename
		if from != to && !slices.Contains(out[from], to) {
			out[from] = append(out[from], to)
		}
	}
	return out
}

func isNamed(obj types.Object, pkg *types.Package) bool {
	if f, ok := obj.(*types.Func); ok && f.Signature().Recv() != nil {
		return true
	}
	return obj.Parent() == pkg.Scope()
}

// circles are the strongly connected groups of more than one file: each file
// of a group reaches every other of it.
func circles(arrows map[string][]string) [][]string {
	reach := map[string]map[string]bool{}
	for from := range arrows {
		seen := map[string]bool{}
		for todo := slices.Clone(arrows[from]); len(todo) > 0; todo = todo[1:] {
			if !seen[todo[0]] {
				seen[todo[0]] = true
				todo = append(todo, arrows[todo[0]]...)
			}
		}
		reach[from] = seen
	}
	var out [][]string
	done := map[string]bool{}
	for from := range reach {
		if done[from] || !reach[from][from] {
			continue
		}
		var group []string
		for to := range reach[from] {
			if reach[to][from] {
				group, done[to] = append(group, to), true
			}
		}
		slices.Sort(group)
		out = append(out, group)
	}
	slices.SortFunc(out, func(a, b []string) int {
		if len(a) != len(b) {
			return len(b) - len(a)
		}
		return strings.Compare(a[0], b[0])
	})
	return out
}
