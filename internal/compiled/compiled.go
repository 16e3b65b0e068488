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

// fileHeader is the first line; the lines after it name the parts with their sizes
// in bytes, an empty line ends them, and the parts follow in that order.
const fileHeader = "memaudit compiled 1\n"

// mostTable bounds the head and the table.
const mostTable = 4 << 10

var errDamaged = errors.New(File + " is damaged; go generate ./rules makes it again")

// Join puts parts together, in the order of their names.
func Join(parts map[string][]byte) []byte {
	var out bytes.Buffer
	out.WriteString(fileHeader)
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

// InOneText is a file system that holds the artefact as one text: its parts are that text's,
// and nothing is copied.
type InOneText interface {
	// Compiled is the artefact, "" where the file has to be opened.
	Compiled() string
}

// FileTexts is a file system that gives some of its files as texts that are there already.
type FileTexts interface {
	// Text is the file, false where it has to be opened.
	Text(name string) (string, bool)
}

// ReadText reads a file, without a copy where the file system has it as a text.
func ReadText(fsys fs.FS, name string) (string, error) {
	if t, ok := fsys.(FileTexts); ok {
		if text, there := t.Text(name); there {
			return text, nil
		}
	}
	data, err := fs.ReadFile(fsys, name)
	return string(data), err
}

// Part reads one part of the artefact in a folder of rules, and no other: an audit
// and every layout that a plan tries ask for small parts of a large file. Errors:
// the file cannot be read, is damaged, or has no such part.
func Part(fsys fs.FS, name string) (string, error) {
	found, err := "", fmt.Errorf("%s has no part %q; go generate ./rules makes it again", File, name)
	damage := eachPart(fsys, func(part string, body section) error {
		if part == name {
			found, err = body.read()
		}
		return nil
	})
	if damage != nil {
		return "", damage
	}
	return found, err
}

// Parts lists the names of the parts.
func Parts(fsys fs.FS) ([]string, error) {
	var names []string
	err := eachPart(fsys, func(part string, _ section) error {
		names = append(names, part)
		return nil
	})
	return names, err
}

// section is some bytes of the artefact.
type section struct {
	// text is the whole artefact where at is nil.
	text     string
	at       io.ReaderAt
	from, of int64
}

func (s section) read() (string, error) {
	if s.at == nil {
		return s.text[s.from : s.from+s.of], nil
	}
	data := make([]byte, s.of)
	_, err := io.ReadFull(io.NewSectionReader(s.at, s.from, s.of), data)
	return string(data), err
}

// eachPart visits the parts in their order.
func eachPart(fsys fs.FS, visit func(part string, body section) error) error {
	if w, ok := fsys.(InOneText); ok && w.Compiled() != "" {
		return section{text: w.Compiled(), of: int64(len(w.Compiled()))}.each(visit)
	}
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
	return section{at: at, of: st.Size()}.each(visit)
}

// each visits the parts of a whole artefact.
func (s section) each(visit func(part string, body section) error) error {
	size := s.of
	s.of = min(size, mostTable)
	top, err := s.read()
	if err != nil {
		return err
	}
	table, _, ok := strings.Cut(top, "\n\n")
	lines, ours := strings.CutPrefix(table, fileHeader)
	if !ok || !ours {
		return errDamaged
	}
	s.from = int64(len(table) + 2)
	for line := range strings.SplitSeq(lines, "\n") {
		part, length, _ := strings.Cut(line, " ")
		s.of, err = strconv.ParseInt(length, 10, 32)
		if err != nil || s.of < 0 || s.of > size-s.from {
			return errDamaged
		}
		if err := visit(part, s); err != nil {
			return err
		}
		s.from += s.of
	}
	if s.from != size {
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
