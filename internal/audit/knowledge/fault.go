package knowledge

import "fmt"

// Fault is one thing wrong with a file, with its place.
type Fault struct {
	File         string
	Line, Column int
	Text         string
}

// String prints file:line:column: text.
func (f Fault) String() string {
	return fmt.Sprintf("%s:%d:%d: %s", f.File, f.Line, f.Column, f.Text)
}
