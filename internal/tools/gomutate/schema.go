package main

import (
	"encoding/json"
	"fmt"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// schema is a package with all of its changes built in (a mutant schema): at
// each site the changed forms stand beside the source's own, and which of them
// runs is chosen by the environment when the program starts.
//
//	if a > b              if (gomutateOn(1) && (a >= b) || gomutateOff(1) && (a > b))
//	return nil, err       if gomutateOn(2) { return nil, nil }; return nil, err
//
// Only the chosen form is evaluated, and no closure makes a variable escape.
type schema struct {
	folder  string // where the changed files lie
	overlay string // the file that shows them to the toolchain
}

// support is the file that a package gets besides: which change is chosen, and
// the record of those that ran past.
const support = `package %s

import (
	"os"
	"strconv"
	"sync"
)

var (
	gomutateChosen, _ = strconv.Atoi(os.Getenv("` + chosenKey + `"))
	gomutateSeen [%d]bool
	gomutateRecord = os.Getenv("` + reachedKey + `")
	gomutateLock sync.Mutex
)

// gomutateOn reports whether a change is the chosen one.
func gomutateOn(number int) bool {
	if !gomutateSeen[number] {
		gomutateReached(number)
	}
	return number == gomutateChosen
}

// gomutateOff reports whether it is not.
func gomutateOff(number int) bool { return gomutateChosen != number }

func gomutateReached(number int) {
	gomutateLock.Lock()
	defer gomutateLock.Unlock()
	if gomutateSeen[number] = true; gomutateRecord == "" {
		return
	}
	if f, err := os.OpenFile(gomutateRecord, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600); err == nil {
		_, _ = f.WriteString(strconv.Itoa(number) + "\n")
		_ = f.Close()
	}
}
`

// The environment of a test binary: the number of the change that is chosen,
// and the file that records which were reached.
const (
	chosenKey  = "GOMUTATE_CHANGE"
	reachedKey = "GOMUTATE_REACHED"
)

// writeSchema writes the changed sources of a package, and the overlay that
// puts them in the place of its own, into a folder.
func writeSchema(folder, dir string, changes []change) (*schema, error) {
	s := &schema{folder: folder, overlay: filepath.Join(folder, "overlay.json")}
	byFile := map[string][]change{}
	highest := 0
	for _, c := range changes {
		byFile[c.File] = append(byFile[c.File], c)
		highest = max(highest, c.Number)
	}
	replaced := map[string]string{}
	name := ""
	for file, of := range byFile {
		text, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), file, text, parser.PackageClauseOnly)
		if err != nil {
			return nil, err
		}
		name = parsed.Name.Name
		if err := s.add(replaced, file, schemaText(file, text, of)); err != nil {
			return nil, err
		}
	}
	if err := s.add(replaced, filepath.Join(dir, "gomutate_schema.go"), fmt.Sprintf(support, name, highest+1)); err != nil {
		return nil, err
	}
	overlay, err := json.Marshal(map[string]map[string]string{"Replace": replaced})
	if err != nil {
		return nil, err
	}
	return s, os.WriteFile(s.overlay, overlay, 0o600)
}

// add writes what stands in the place of a file.
func (s *schema) add(replaced map[string]string, file, text string) error {
	full, err := filepath.Abs(file)
	if err != nil {
		return err
	}
	replaced[full] = filepath.Join(s.folder, filepath.Base(file))
	return os.WriteFile(replaced[full], []byte(text), 0o600)
}

// schemaText is a source file with the changed forms beside its own.
func schemaText(file string, text []byte, changes []change) string {
	w := schemaWriter{file: filepath.Base(file), text: text, changes: map[changeSite][]change{}}
	for _, c := range changes {
		if w.changes[c.Site] == nil {
			w.sites = append(w.sites, c.Site)
		}
		w.changes[c.Site] = append(w.changes[c.Site], c)
	}
	// An outer site before those inside of it.
	slices.SortFunc(w.sites, func(a, b changeSite) int {
		if a.From != b.From {
			return a.From - b.From
		}
		return b.To - a.To
	})
	w.copy(0, len(text))
	return w.out.String()
}

type schemaWriter struct {
	file    string
	text    []byte
	sites   []changeSite // those not yet written
	changes map[changeSite][]change
	out     strings.Builder
}

// copy writes the source from one offset to another, its sites with their forms.
func (w *schemaWriter) copy(from, to int) {
	for len(w.sites) > 0 && w.sites[0].From < to {
		at := w.sites[0]
		w.sites = w.sites[1:]
		w.out.Write(w.text[from:at.From])
		if at.Statement {
			w.statement(at)
		} else {
			w.condition(at)
		}
		from = at.To
	}
	w.out.Write(w.text[from:to])
}

// condition writes a choice among the forms of a boolean expression.
func (w *schemaWriter) condition(at changeSite) {
	w.out.WriteString("(")
	for _, c := range w.changes[at] {
		fmt.Fprintf(&w.out, "gomutateOn(%d) && (%s) || ", c.Number, w.changed(&c))
	}
	of := w.changes[at]
	for _, c := range of {
		fmt.Fprintf(&w.out, "gomutateOff(%d) && ", c.Number)
	}
	w.out.WriteString("(")
	w.line(at.Line)
	w.copy(at.From, at.To)
	w.out.WriteString("))")
}

// statement writes the changed forms of a return before it.
func (w *schemaWriter) statement(at changeSite) {
	for _, c := range w.changes[at] {
		fmt.Fprintf(&w.out, "if gomutateOn(%d) { %s }; ", c.Number, w.changed(&c))
	}
	w.line(at.Line)
	w.copy(at.From, at.To)
}

// changed is a site with one change, and all else in it as the source has it.
func (w *schemaWriter) changed(c *change) string {
	return string(w.text[c.Site.From:c.From]) + c.New + string(w.text[c.To:c.Site.To])
}

// line says which line of the source follows: a form of several lines moves
// what stands behind it, and the compiler's complaints are told by their line.
func (w *schemaWriter) line(n int) { fmt.Fprintf(&w.out, "/*line %s:%d:1*/", w.file, n) }
