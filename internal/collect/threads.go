package collect

import (
	"fmt"
	"strings"

	"memaudit.example/memaudit/internal/model/fact"
	"memaudit.example/memaudit/internal/model/inventory"
	"memaudit.example/memaudit/internal/source/smbios"
)

// onePerSocket removes processor structures that describe hardware threads. Apple's firmware writes one
// for each thread, "CPU-A (00)" to "CPU-B (33)" or with the same designation each time; the first of
// each socket is kept. Equal designations by other vendors are different processors in sockets of the
// same kind ("1366-pin LGA" twice), and all are kept.
func (c *collector) onePerSocket(all []smbios.Processor) []smbios.Processor {
	maker, _ := c.table.System()
	apple := strings.HasPrefix(strings.ToLower(maker.Manufacturer.Or("")), "apple")
	kept := make([]smbios.Processor, 0, len(all))
	first := make(map[string]int, 2)
	for i := range all {
		p := &all[i]
		socket, numbered := threadOf(p.Designation.Or(""), apple)
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

// threadOf removes the number of a hardware thread from a socket's designation: two digits in brackets
// ("CPU-A (00)"), and on Apple's machines any number, also between spaces ("CPU-A ( 0 )" of the
// MacPro3,1). On other machines a single digit in brackets is the number of the socket.
func threadOf(designation string, apple bool) (socket string, numbered bool) {
	designation = strings.TrimSpace(designation)
	at := strings.LastIndex(designation, " (")
	if at < 0 || !strings.HasSuffix(designation, ")") {
		return designation, false
	}
	number := strings.TrimSuffix(designation[at+len(" ("):], ")")
	if apple {
		number = strings.TrimSpace(number)
	} else if len(number) != len("00") {
		return designation, false
	}
	if number == "" || strings.Trim(number, "0123456789") != "" {
		return designation, false
	}
	return designation[:at], true
}

func sameProcessor(a, b *smbios.Processor) bool {
	return a.ID.Or(0) == b.ID.Or(0) && a.Version.Or("") == b.Version.Or("")
}
