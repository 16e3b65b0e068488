package rulepack

import (
	"go.yaml.in/yaml/v3"

	"memaudit.example/memaudit/internal/model/datafile"
)

// complaintAt returns one for a node; without a position it is at the file's beginning.
func complaintAt(file string, n *yaml.Node, text string) datafile.Complaint {
	if n == nil {
		return datafile.OfFile(file, text)
	}
	return datafile.Complaint{File: file, Line: n.Line, Column: n.Column, Text: text}
}
