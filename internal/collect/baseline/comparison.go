package baseline

import (
	"encoding/hex"
	"fmt"
	"slices"
	"strings"

	"memaudit.example/memaudit/internal/model/fact"
	"memaudit.example/memaudit/internal/model/humanize"
	"memaudit.example/memaudit/internal/model/inventory"
)

type comparison struct {
	then, now *File
	sys       *inventory.System
	path      string
}

// otherMachine returns the reason why the baseline is of another machine, "" if there is none.
func (c *comparison) otherMachine() string {
	a, b := &c.then.Machine, &c.now.Machine
	for _, f := range []struct{ what, then, now string }{{"vendor", a.Vendor, b.Vendor}, {"product", a.Product, b.Product}} {
		if f.then != "" && f.now != "" && f.then != f.now {
			return fmt.Sprintf("the baseline is of another machine: its %s is %s, here it is %s", f.what, f.then, f.now)
		}
	}
	switch {
	case a.UUID != "" && b.UUID != "":
		if a.UUID != b.UUID && a.UUID != c.swappedUUID() {
			return "the baseline is of another machine: the system's UUID differs (a new main board has another one too)"
		}
	case a.Serial != "" && b.Serial != "" && a.Serial != b.Serial:
		return "the baseline is of another machine: the system's serial number differs (a new main board may have another one too)"
	}
	return ""
}

func (c *comparison) identified() bool {
	a, b := &c.then.Machine, &c.now.Machine
	return a.UUID == "" && a.Serial == "" || a.UUID != "" && b.UUID != "" || a.Serial != "" && b.Serial != ""
}

// swappedUUID returns the hash of the UUID in the other byte order. SMBIOS before 2.6 writes the first
// three fields as big-endian numbers, so a BIOS update may change the order.
func (c *comparison) swappedUUID() string {
	id := normal(string(c.sys.Machine.Identifiers.SystemUUID))
	b, err := hex.DecodeString(strings.ReplaceAll(id, "-", ""))
	if err != nil || len(b) != 16 {
		return ""
	}
	slices.Reverse(b[0:4])
	slices.Reverse(b[4:6])
	slices.Reverse(b[6:8])
	return hasher(c.then.Key)("machine", fmt.Sprintf("%x-%x-%x-%x-%x", b[0:4], b[4:6], b[6:8], b[8:10], b[10:]))
}

type subjectChanges struct {
	subject inventory.Subject
	changes []inventory.Change
	unknown []string
}

func (p *subjectChanges) change(kind inventory.ChangeKind, then, now string) {
	p.changes = append(p.changes, inventory.Change{Kind: kind, Then: then, Now: now})
}

func (p *subjectChanges) unknownNow(format string, args ...any) {
	p.unknown = append(p.unknown, fmt.Sprintf(format, args...))
}

// done returns the comparison of a subject. A change counts even if other parts are unknown.
func (c *comparison) done(p *subjectChanges) inventory.Compared {
	at := fact.Evidence{Source: "baseline", Path: c.path, Field: p.subject.String(), Raw: "saved " + c.then.SavedAt}
	out := inventory.Compared{Subject: p.subject, Changes: p.changes}
	var then, now []string
	for _, change := range p.changes {
		then, now = append(then, change.Then), append(now, change.Now)
	}
	out.Then, out.Now = humanize.Truncated(atMost, then), humanize.Truncated(atMost, now)
	switch {
	case len(p.changes) > 0:
		out.Same = fact.Known(false, fact.Direct, at)
	case len(p.unknown) > 0:
		out.Same = fact.Unknown[bool](fact.Unread, "not comparable with the baseline: "+humanize.Truncated(atMost, p.unknown), fact.RootAsBefore, at)
	default:
		out.Same = fact.Known(true, fact.Direct, at)
	}
	return out
}

const atMost = 12
