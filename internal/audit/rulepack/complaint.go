package rulepack

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/memaudit/memaudit/internal/model/humanize"
)

// Complaint is one error in a file with its position.
type Complaint struct {
	File         string
	Line, Column int
	Text         string
}

// complaintAt returns one for a node; without a position it is at the file's beginning.
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

// Complaints are all errors found; as an error it prints one per line.
type Complaints []Complaint

// add appends a complaint, up to a limit.
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

// YAMLComplaint converts an error of the YAML parser to one with a position and a plain text.
func YAMLComplaint(file string, err error) Complaint {
	line, text := humanize.YAMLError(err.Error())
	return Complaint{file, max(line, 1), 1, text}
}

func yamlComplaints(file string, err error) Complaints {
	var te *yaml.TypeError
	if !errors.As(err, &te) {
		return Complaints{YAMLComplaint(file, err)}
	}
	var out Complaints
	for _, e := range te.Errors {
		out = append(out, YAMLComplaint(file, errors.New(e)))
	}
	return out
}

// maxComplaints limits the errors reported for one file.
const maxComplaints = 200
