// Package datafile reads the YAML files of the knowledge into Go types and gives each fault its place: an unknown key, a
// value of another type, and whatever a type's own Validate method finds.
package datafile

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"memaudit.example/memaudit/internal/model/humanize"
)

// Complaint is one fault of a file, with its position.
type Complaint struct {
	File         string
	Line, Column int
	Text         string
}

// OfFile returns a fault of a whole file.
func OfFile(file, text string) Complaint { return Complaint{file, 1, 1, text} }

// String prints file:line:column: text.
func (c Complaint) String() string {
	return fmt.Sprintf("%s:%d:%d: %s", c.File, c.Line, c.Column, c.Text)
}

// Complaints are all faults found; as an error it prints one per line.
type Complaints []Complaint

func (c Complaints) Error() string {
	lines := make([]string, len(c))
	for i, e := range c {
		lines[i] = e.String()
	}
	return strings.Join(lines, "\n")
}

const maxComplaints = 200

// Add adds a fault, up to a limit, once: several mappings may merge in one anchor.
func (c Complaints) Add(more Complaint) Complaints {
	switch {
	case slices.Contains(c, more):
		return c
	case len(c) < maxComplaints:
		return append(c, more)
	case len(c) == maxComplaints:
		more.Text = "more errors than are listed here, the next: " + more.Text
		return append(c, more)
	default:
		return c
	}
}

// File is a file of one or more YAML documents, and its faults so far.
type File struct {
	Name   string
	Docs   []*yaml.Node
	Faults Complaints
}

// Parse reads the documents of a file. A file with a fault has no document; an empty one has neither.
func Parse(name string, data []byte) *File {
	f := &File{Name: name}
	for dec := yaml.NewDecoder(bytes.NewReader(data)); ; {
		var doc yaml.Node
		switch err := dec.Decode(&doc); {
		case errors.Is(err, io.EOF):
			return f
		case err != nil:
			return &File{Name: name, Faults: complaints(name, err)}
		}
		left := maxUnfolded
		if n, text := countUnfolded(doc.Content[0], &left, 0); text != "" {
			return &File{Name: name, Faults: Complaints{complaintAt(name, n, text)}}
		}
		f.Docs = append(f.Docs, doc.Content[0])
	}
}

// Decode decodes a document into a value and reports whether it fits; what does not is a fault.
func (f *File) Decode(doc int, into any) bool {
	before := len(f.Faults)
	f.Place(doc).CheckType(into)
	if len(f.Faults) > before {
		return false
	}
	if err := f.Docs[doc].Decode(into); err != nil {
		f.Faults = append(f.Faults, complaints(f.Name, err)...)
		return false
	}
	return true
}

// Decode decodes documents that were checked when they were written: an unknown key is an error.
func Decode(data []byte, into ...any) error {
	dec := yaml.NewDecoder(bytes.NewReader(data))
	dec.KnownFields(true)
	for _, v := range into {
		if err := dec.Decode(v); err != nil {
			return err
		}
	}
	return nil
}

func complaintAt(file string, n *yaml.Node, text string) Complaint {
	return Complaint{file, max(n.Line, 1), max(n.Column, 1), strings.Join(strings.Fields(text), " ")}
}

func complaints(file string, err error) Complaints {
	texts := []string{err.Error()}
	var wrong *yaml.TypeError
	if errors.As(err, &wrong) {
		texts = wrong.Errors
	}
	var out Complaints
	for _, text := range texts {
		line, plain := humanize.YAMLError(text)
		out = append(out, Complaint{file, max(line, 1), 1, plain})
	}
	return out
}

// Limits of a document: maxUnfolded values with all aliases followed, because a few lines of nested aliases may need any
// amount of memory; maxNesting levels, because an alias can contain itself; maxKeys per mapping, which the decoder
// compares with each other.
const (
	maxUnfolded = 1 << 20
	maxNesting  = 256
	maxKeys     = 1024
)

// countUnfolded counts the values of a node with aliases followed. fault is the limit that is exceeded, and n where.
func countUnfolded(at *yaml.Node, left *int, depth int) (n *yaml.Node, fault string) {
	n = Resolve(at)
	*left--
	switch {
	case n == nil:
		return at, ""
	case *left < 0:
		return at, fmt.Sprintf("with its aliases the file holds more than %d values", maxUnfolded)
	case depth > maxNesting:
		return at, fmt.Sprintf("values nest deeper than %d", maxNesting)
	case n.Kind == yaml.MappingNode && len(n.Content) > 2*maxKeys:
		return at, fmt.Sprintf("a mapping of %d keys, at most %d are read", len(n.Content)/2, maxKeys)
	}
	for _, e := range n.Content {
		if where, fault := countUnfolded(e, left, depth+1); fault != "" {
			return where, fault
		}
	}
	return n, ""
}

// Resolve follows aliases.
func Resolve(n *yaml.Node) *yaml.Node {
	for n != nil && n.Kind == yaml.AliasNode {
		n = n.Alias
	}
	return n
}

// MergedIn returns the mappings of a "<<": one, or a list in which earlier ones take precedence.
func MergedIn(n *yaml.Node) []*yaml.Node {
	n = Resolve(n)
	if n == nil || n.Kind != yaml.SequenceNode {
		return []*yaml.Node{n}
	}
	out := make([]*yaml.Node, len(n.Content))
	for i, e := range n.Content {
		out[i] = Resolve(e)
	}
	return out
}

// Keys returns the keys of a mapping, each once, with merged ones.
func Keys(n *yaml.Node) []string {
	var out []string
	if n = Resolve(n); n == nil || n.Kind != yaml.MappingNode {
		return nil
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		more := []string{n.Content[i].Value}
		if more[0] == "<<" {
			more = nil
			for _, merged := range MergedIn(n.Content[i+1]) {
				more = append(more, Keys(merged)...)
			}
		}
		for _, key := range more {
			if !slices.Contains(out, key) {
				out = append(out, key)
			}
		}
	}
	return out
}

// Value returns a key's value, nil without it. The mapping's own key goes before merged ones, of which the first decides,
// as in YAML. Merges that contain themselves are refused before.
func Value(n *yaml.Node, key string) *yaml.Node {
	if n = Resolve(n); n == nil || n.Kind != yaml.MappingNode {
		return nil
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value == key {
			return Resolve(n.Content[i+1])
		}
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value != "<<" {
			continue
		}
		for _, merged := range MergedIn(n.Content[i+1]) {
			if v := Value(merged, key); v != nil {
				return v
			}
		}
	}
	return nil
}
