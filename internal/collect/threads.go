package collect

import (
	"fmt"
	"strings"

	"github.com/memaudit/memaudit/internal/fact"
	"github.com/memaudit/memaudit/internal/inventory"
	"github.com/memaudit/memaudit/internal/smbios"
)

// oneASocket folds processor structures that describe hardware threads and not
// processors: Apple's firmware writes one a thread, "CPU-A (00)" to
// "CPU-B (33)" or the same designation again and again. The first of a socket
// stays. Other makers' equal designations are two processors in two sockets of
// one kind ("1366-pin LGA" twice) and are left alone.
func (c *collector) oneASocket(all []smbios.Processor) []smbios.Processor {
	maker, _ := c.table.System()
	apple := strings.HasPrefix(strings.ToLower(maker.Manufacturer.Or("")), "apple")
	kept := make([]smbios.Processor, 0, len(all))
	first := make(map[string]int, 2)
	for i := range all {
		p := &all[i]
		socket, numbered := threadOf(p.Designation.Or(""))
		if populated, ok := p.Populated.Get(); !ok || !populated || socket == "" || !numbered && !apple {
			kept = append(kept, *p)
			continue
		}
		at, again := first[socket]
		if !again || !sameProcessor(&kept[at], p) {
			first[socket] = len(kept)
			kept = append(kept, *p)
		}
	}
	if n := len(all) - len(kept); n > 0 {
		c.conflict("sockets", fact.Evidence{Source: inventory.SourceSMBIOS, Path: inventory.TablePath, Field: "type 4", Raw: fmt.Sprintf("%d sockets", len(kept))},
			fact.Evidence{Source: inventory.SourceSMBIOS, Path: inventory.TablePath, Field: "type 4", Raw: fmt.Sprintf("%d processors", len(all))},
			"the firmware writes one structure a hardware thread")
	}
	return kept
}

// threadOf cuts the number of a hardware thread, two digits in brackets, off a
// socket's designation.
func threadOf(designation string) (socket string, numbered bool) {
	designation = strings.TrimSpace(designation)
	at := strings.LastIndex(designation, " (")
	if at < 0 || len(designation)-at != len(" (00)") || designation[len(designation)-1] != ')' {
		return designation, false
	}
	for _, d := range designation[at+2 : len(designation)-1] {
		if d < '0' || d > '9' {
			return designation, false
		}
	}
	return designation[:at], true
}

// sameProcessor reports whether two structures may describe one processor.
func sameProcessor(a, b *smbios.Processor) bool {
	return a.ID.Or(0) == b.ID.Or(0) && a.Version.Or("") == b.Version.Or("")
}
