// Package compiled holds the form of rules/compiled.bin: what an audit needs of
// the built-in knowledge, made ahead of time from the files that people edit.
// Each package that reads a part also makes it; go generate writes the file.
package compiled

import (
	"bytes"
	"errors"
	"fmt"
	"io"
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

// mostTable bounds the head and the table.
const mostTable = 4 << 10

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

// Part reads one part of the artefact in a folder of rules, and no other: an audit
// and every layout that a plan tries ask for small parts of a large file. Errors:
// the file cannot be read, is damaged, or has no such part.
func Part(fsys fs.FS, name string) ([]byte, error) {
	var found []byte
	err := eachPart(fsys, func(part string, body *io.SectionReader) error {
		if part != name {
			return nil
		}
		found = make([]byte, body.Size())
		_, err := io.ReadFull(body, found)
		return err
	})
	if err == nil && found == nil {
		err = fmt.Errorf("%s has no part %q; go generate ./rules makes it anew", File, name)
	}
	return found, err
}

// Parts lists the names of the parts.
func Parts(fsys fs.FS) ([]string, error) {
	var names []string
	err := eachPart(fsys, func(part string, _ *io.SectionReader) error {
		names = append(names, part)
		return nil
	})
	return names, err
}

// eachPart visits the parts in their order.
func eachPart(fsys fs.FS, visit func(part string, body *io.SectionReader) error) error {
	file, err := fsys.Open(File)
	if err != nil {
		return err
	}
	defer func() { _ = file.Close() }()
	st, err := file.Stat()
	if err != nil {
		return err
	}
	at, err := readerAt(file)
	if err != nil {
		return err
	}
	top := make([]byte, min(st.Size(), mostTable))
	if _, err := io.ReadFull(io.NewSectionReader(at, 0, st.Size()), top); err != nil {
		return err
	}
	table, _, ok := bytes.Cut(top, []byte("\n\n"))
	lines, ours := strings.CutPrefix(string(table)+"\n", head)
	if !ok || !ours {
		return errDamaged
	}
	from := int64(len(table) + 2)
	for line := range strings.Lines(lines) {
		part, length, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		n, err := strconv.ParseInt(length, 10, 32)
		if err != nil || n < 0 || n > st.Size()-from {
			return errDamaged
		}
		if err := visit(part, io.NewSectionReader(at, from, n)); err != nil {
			return err
		}
		from += n
	}
	if from != st.Size() {
		return errDamaged
	}
	return nil
}

// readerAt is the file itself where it can be read at any place, as embedded ones
// and those of a disk can, else what it holds.
func readerAt(file fs.File) (io.ReaderAt, error) {
	if at, ok := file.(io.ReaderAt); ok {
		return at, nil
	}
	data, err := io.ReadAll(file)
	return bytes.NewReader(data), err
}
