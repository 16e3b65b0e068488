package redfish

import (
	"fmt"
	"strings"

	"github.com/memaudit/memaudit/internal/model/fact"
)

// Problem is something that could not be read, and why. Its text contains no user name, password,
// token or identifier of the machine.
type Problem struct {
	State fact.SourceState
	// Op is what was being done, for example "GET /redfish/v1/Systems".
	Op string
	// Text describes the problem, and what was expected if that helps.
	Text string
	// Hint tells the user what to do, "" if there is no advice.
	Hint string
	// last is set if further requests are pointless: nothing more is read.
	last bool
}

// Error returns Op and Text.
func (p *Problem) Error() string {
	if p.Op == "" {
		return p.Text
	}
	return p.Op + ": " + p.Text
}

func problem(s fact.SourceState, op, format string, args ...any) *Problem {
	return &Problem{State: s, Op: op, Text: fmt.Sprintf(format, args...)}
}

// final sets last.
func (p *Problem) final() *Problem {
	p.last = true
	return p
}

// hint sets Hint.
func (p *Problem) hint(text string) *Problem {
	p.Hint = text
	return p
}

// printablePath returns a path for messages. It replaces the IDs of systems and chassis that may be
// serial numbers (Cisco: /redfish/v1/Systems/<serial>), and those of sessions.
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

// plainName reports whether all machines of a vendor use this ID of a system: "1", "Self",
// "System.Embedded.1", "Node0". A longer number may be a serial number.
func plainName(name string) bool {
	if len(name) <= 2 {
		return true
	}
	for _, p := range []string{"system", "self", "node"} {
		if rest, ok := strings.CutPrefix(strings.ToLower(name), p); ok {
			number := strings.Trim(strings.TrimPrefix(rest, ".embedded"), "._-")
			return len(number) <= 2 && strings.Trim(number, "0123456789") == ""
		}
	}
	return false
}

// maxShown is how many bytes of a text from the service are printed.
const maxShown = 120

// printable replaces what is not printable ASCII by '?' and shortens the text to maxShown bytes.
func printable(s string) string {
	s = strings.Map(func(r rune) rune {
		if r < 0x20 || r > 0x7e {
			return '?'
		}
		return r
	}, s)
	if len(s) > maxShown {
		s = s[:maxShown] + "..."
	}
	return s
}
