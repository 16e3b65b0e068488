package redfish

import (
	"fmt"
	"strings"

	"github.com/memaudit/memaudit/internal/fact"
)

// Problem is one thing that could not be read, and why. Its text never holds
// user name, password, token or an identifier of the machine.
type Problem struct {
	State fact.SourceState
	// Op is what was being done, to what: "GET /redfish/v1/Systems".
	Op string
	// Text says what was found and what was expected.
	Text string
	// Hint is what the operator can do; "" when nothing is known to help.
	Hint string
	// last means that the service is beyond asking: nothing more is read.
	last bool
}

// Error gives what was being done and what was found.
func (p *Problem) Error() string {
	if p.Op == "" {
		return p.Text
	}
	return p.Op + ": " + p.Text
}

//go:noinline
func problem(s fact.SourceState, op, format string, args ...any) *Problem {
	return &Problem{State: s, Op: op, Text: fmt.Sprintf(format, args...)}
}

// final marks a problem after which nothing more is asked.
func (p *Problem) final() *Problem {
	p.last = true
	return p
}

// hint adds advice.
func (p *Problem) hint(text string) *Problem {
	p.Hint = text
	return p
}

// printablePath is a path fit for print: the name of a system is its serial number on
// some machines (Cisco: /redfish/v1/Systems/<serial>), and that of a session is
// nobody's business.
func printablePath(path string) string {
	path, _, _ = strings.Cut(path, "?")
	parts := strings.Split(path, "/")
	for i := 1; i < len(parts); i++ {
		switch strings.ToLower(parts[i-1]) {
		case "systems", "chassis":
			if !plainName(parts[i]) {
				parts[i] = "ID"
			}
		case "sessions":
			if parts[i] != "" {
				parts[i] = "ID"
			}
		}
	}
	return printable(strings.Join(parts, "/"))
}

// plainName reports whether a system's name is one that every machine of the
// vendor has: "1", "Self", "System.Embedded.1", "Node0".
func plainName(name string) bool {
	if len(name) <= 2 {
		return true
	}
	for _, p := range []string{"system", "self", "node"} {
		if rest, ok := strings.CutPrefix(strings.ToLower(name), p); ok {
			return len(strings.Trim(strings.TrimPrefix(rest, ".embedded"), "._-0123456789")) == 0 && len(rest) <= len(".embedded.1")
		}
	}
	return false
}

// maxShown bounds what is printed of a text that the service made up.
const maxShown = 120

// printable keeps what fits on one line of a terminal.
func printable(s string) string {
	s = strings.Map(func(r rune) rune {
		if r < 0x20 || r == 0x7f || r > 0x7e {
			return '?'
		}
		return r
	}, s)
	if len(s) > maxShown {
		s = s[:maxShown] + "..."
	}
	return s
}
