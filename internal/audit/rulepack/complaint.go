package rulepack

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/memaudit/memaudit/internal/model/prose"
)

// Complaint is one fault of a pack with its place.
type Complaint struct {
	File         string
	Line, Column int
	Text         string
}

// complaintAt is one about a node; what has no place of its own is told at the file's
// beginning.
func complaintAt(file string, n *yaml.Node, text string) Complaint {
	if n == nil {
		return Complaint{file, 1, 1, text}
	}
	return Complaint{file, n.Line, n.Column, text}
}

// String prints file:line:column: text.
func (c Complaint) String() string {
	return fmt.Sprintf("%s:%d:%d: %s", c.File, c.Line, c.Column, c.Text)
}

// Error implements error.
func (c Complaint) Error() string { return c.String() }

// Complaints are all faults found; as an error it prints one a line.
type Complaints []Complaint

// add appends a complaint; of very many the rest is left out.
func (c Complaints) add(more Complaint) Complaints {
	switch {
	case slices.Contains(c, more): // of an anchor that several merge in
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

func (c Complaints) Error() string {
	lines := make([]string, len(c))
	for i, e := range c {
		lines[i] = e.String()
	}
	return strings.Join(lines, "\n")
}

// yamlComplaint gives an error of the YAML reader its place and plain words.
func yamlComplaint(file string, err error) Complaint {
	line, text := prose.YAMLError(err.Error())
	return Complaint{file, max(line, 1), 1, text}
}

func yamlComplaints(file string, err error) Complaints {
	var te *yaml.TypeError
	if !errors.As(err, &te) {
		return Complaints{yamlComplaint(file, err)}
	}
	var out Complaints
	for _, e := range te.Errors {
		out = append(out, yamlComplaint(file, errors.New(e)))
	}
	return out
}

// maxComplaints bounds the faults told of one file.
const maxComplaints = 200
