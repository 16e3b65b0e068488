// Package compiled holds the form of rules/compiled.bin: what an audit needs of
// the built-in knowledge, made ahead of time from the files that people edit.
// Each package that reads a part also makes it; go generate writes the file.
package compiled

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// File is the artefact beside the packs.
const File = "compiled.bin"

// head is the first line; the lines after it name the parts with their sizes
// in bytes, an empty line ends them, and the parts follow in that order.
const head = "memaudit compiled 1\n"

var errDamaged = errors.New(File + " is damaged; go generate ./rules makes it anew")

// Join puts parts together, in the order of their names.
func Join(parts map[string][]byte) []byte {
	var out bytes.Buffer
	out.WriteString(head)
	names := slices.Sorted(maps.Keys(parts))
	for _, name := range names {
		fmt.Fprintf(&out, "%s %d\n", name, len(parts[name]))
	}
	out.WriteByte('\n')
	for _, name := range names {
		out.Write(parts[name])
	}
	return out.Bytes()
}

// Part reads one part of the artefact in a folder of rules. Errors: the file
// cannot be read, is damaged, or has no such part.
func Part(fsys fs.FS, name string) ([]byte, error) {
	var found []byte
	err := each(fsys, func(part string, body []byte) {
		if part == name {
			found = body
		}
	})
	if err == nil && found == nil {
		err = fmt.Errorf("%s has no part %q; go generate ./rules makes it anew", File, name)
	}
	return found, err
}

// Parts lists the names of the parts.
func Parts(fsys fs.FS) ([]string, error) {
	var names []string
	err := each(fsys, func(part string, _ []byte) { names = append(names, part) })
	return names, err
}

// each visits the parts in their order.
func each(fsys fs.FS, visit func(part string, body []byte)) error {
	data, err := fs.ReadFile(fsys, File)
	if err != nil {
		return err
	}
	table, bodies, ok := bytes.Cut(data, []byte("\n\n"))
	lines, ours := strings.CutPrefix(string(table)+"\n", head)
	if !ok || !ours {
		return errDamaged
	}
	for line := range strings.Lines(lines) {
		part, length, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		n, err := strconv.ParseUint(length, 10, 31)
		if err != nil || n > uint64(len(bodies)) {
			return errDamaged
		}
		visit(part, bodies[:n:n])
		bodies = bodies[n:]
	}
	if len(bodies) > 0 {
		return errDamaged
	}
	return nil
}
