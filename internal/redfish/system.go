package redfish

import (
	"context"
	"encoding/hex"
	"strings"

	"github.com/memaudit/memaudit/internal/fact"
)

// system is one ComputerSystem (DSP2046).
type system struct {
	Manufacturer, Model     string
	SerialNumber, SKU, UUID string
	AssetTag, HostName      string
	Bios, Memory            resourceLink
	ID, Name                string
	// Oem holds iLO 4's link to the BIOS settings, which stands nowhere else.
	Oem struct {
		Hp struct{ Links struct{ BIOS resourceLink } }
	}
	at   string
	fits systemMatch
	// matchedBy and differsBy name what decided; here is this machine's model
	// where it differs.
	matchedBy, differsBy, here string
}

// systemMatch says how a system compares with the audited machine.
type systemMatch int

const (
	// other: an identifier differs.
	otherSystem systemMatch = iota
	// doubtful: the model differs, which is a name that makers change.
	doubtfulSystem
	// unknown: nothing to compare.
	unknownSystem
	// alike: the same model, and no identifier to tell sisters apart.
	likeSystem
	// same: an identifier agrees.
	sameSystem
)

// maxSystems bounds the systems of one service that are looked at.
const maxSystems = 64

// system finds the audited machine among the service's systems. A service that
// describes another machine is a problem: its memory is not this machine's.
func (c *client) system(ctx context.Context, root *serviceRoot, who Identity, a *Answer) (*system, *Problem) {
	list, p := c.members(ctx, root.Systems.path())
	if p != nil {
		return nil, p
	}
	op := "GET " + printablePath(root.Systems.path())
	if len(list) == 0 {
		return nil, problem(fact.SourceAbsent, op, "the service lists no system")
	}
	if len(list) > maxSystems {
		return nil, problem(fact.SourceRefused, op, "the service lists more than %d systems", maxSystems)
	}
	var all []*system
	for _, at := range list {
		s := &system{at: at}
		if _, p := c.get(ctx, at, maxAnswer, s); p != nil {
			if len(list) == 1 || p.last {
				return nil, p
			}
			a.failed(p)
			continue
		}
		c.conceal(s)
		s.compare(who)
		all = append(all, s)
	}
	s, p := choose(op, all, c.o.System)
	if p != nil {
		return nil, p
	}
	a.Model, a.MatchedBy = c.scrub(strings.TrimSpace(s.Model)), s.matchedBy
	if s.fits == doubtfulSystem {
		a.Doubt = "it calls its machine " + a.Model + ", and this one is " + c.scrub(s.here) + ": is it another machine's controller?"
	}
	return s, nil
}

// conceal keeps the machine's identifiers out of every text.
func (c *client) conceal(s *system) {
	for _, id := range []string{s.SerialNumber, s.SKU, s.UUID, s.AssetTag, s.HostName} {
		// Lenovo's SKU is the machine type, which the model names too.
		if len(id) >= 4 && !strings.Contains(s.Model, id) {
			c.hide = append(c.hide, id)
		}
	}
}

// choose takes the one system that fits best, else says why none can be taken.
// The only system of a service is taken although its model differs; of several
// none is.
func choose(op string, all []*system, name string) (*system, *Problem) {
	if name != "" {
		return systemNamed(op, all, name)
	}
	var best []*system
	for _, s := range all {
		switch {
		case len(best) == 0 || s.fits > best[0].fits:
			best = []*system{s}
		case s.fits == best[0].fits:
			best = append(best, s)
		}
	}
	switch {
	case len(best) == 0:
		return nil, problem(fact.SourceAbsent, op, "no system of the service could be read")
	case best[0].fits == otherSystem && len(all) == 1:
		return nil, problem(fact.SourceRefused, op, "the service describes another machine: its %s differs", best[0].differsBy).
			hint("give the address of this machine's own management controller")
	case best[0].fits <= doubtfulSystem && len(all) > 1:
		return nil, problem(fact.SourceRefused, op, "none of the service's %d systems is the audited machine", len(all))
	case len(best) > 1:
		return nil, problem(fact.SourceRefused, op, "%d of the service's %d systems could be the audited machine: %s", len(best), len(all), namesOf(best)).
			hint("run as root: serial number and UUID tell them apart; or name one with --redfish-system")
	default:
		return best[0], nil
	}
}

// systemNamed takes the system of a name; one whose identifiers are another machine's
// stays refused.
func systemNamed(op string, all []*system, name string) (*system, *Problem) {
	for _, s := range all {
		if !strings.EqualFold(s.last(), name) && !strings.EqualFold(s.ID, name) && !strings.EqualFold(s.Name, name) {
			continue
		}
		if s.fits == otherSystem {
			return nil, problem(fact.SourceRefused, op, "the system %s is another machine: its %s differs", name, s.differsBy)
		}
		return s, nil
	}
	return nil, problem(fact.SourceAbsent, op, "the service has no system %s, expected one of %s", name, namesOf(all))
}

// last is the last step of the system's path, by which people name it.
func (s *system) last() string {
	path := strings.TrimRight(s.at, "/")
	return path[strings.LastIndex(path, "/")+1:]
}

// namesOf lists the names by which systems can be told apart. A path may hold
// what identifies a machine: then the system's Name stands for it.
func namesOf(all []*system) string {
	var out []string
	for _, s := range all {
		name := s.last()
		if s.identifies(name) {
			name = s.Name
		}
		if name == "" || s.identifies(name) {
			name = "(one whose name identifies it)"
		}
		out = append(out, printable(name))
	}
	return strings.Join(out, ", ")
}

// identifies reports whether a name holds an identifier of the machine.
func (s *system) identifies(name string) bool {
	for _, id := range []string{s.SerialNumber, s.SKU, s.UUID, s.AssetTag, s.HostName} {
		if len(id) >= 4 && strings.Contains(name, id) {
			return true
		}
	}
	return false
}

// bios is the path of the BIOS settings.
func (s *system) bios() string {
	if at := s.Bios.path(); at != "" {
		return at
	}
	return s.Oem.Hp.Links.BIOS.path()
}

// compare checks a system against the audited machine: by serial number (Dell
// keeps the one of SMBIOS in SKU), by UUID, else by vendor and model.
func (s *system) compare(who Identity) {
	comparable := ""
	for _, own := range append([]string{who.Serial}, who.Parts...) {
		if telling(own) && (equalNames(own, s.SerialNumber) || equalNames(own, s.SKU)) {
			s.fits, s.matchedBy = sameSystem, "serial number"
			return
		}
	}
	if telling(who.Serial) && telling(s.SerialNumber) {
		comparable = "serial number"
	}
	switch own, theirs := plainUUID(who.UUID), plainUUID(s.UUID); {
	case own == "" || theirs == "":
	case own == theirs || own == swapped(theirs):
		s.fits, s.matchedBy = sameSystem, "UUID"
		return
	case comparable == "":
		comparable = "UUID"
	}
	if comparable != "" {
		s.fits, s.differsBy = otherSystem, comparable
		return
	}
	s.compareModel(who)
}

func equalNames(a, b string) bool {
	return strings.EqualFold(strings.TrimSpace(a), strings.TrimSpace(b))
}

// compareModel compares names; one often holds the other ("ThinkSystem SR650
// -[7X06CTO1WW]-" and "ThinkSystem SR650").
func (s *system) compareModel(who Identity) {
	s.fits = unknownSystem
	for _, own := range who.Products {
		switch {
		case !naming(own) || !naming(s.Model):
		case holdsName(own, s.Model) || holdsName(s.Model, own):
			s.fits, s.matchedBy = likeSystem, "model"
			return
		case s.fits == unknownSystem:
			s.fits, s.here = doubtfulSystem, own
		}
	}
}

func holdsName(a, b string) bool { return strings.Contains(lettersAndDigits(a), lettersAndDigits(b)) }

// lettersAndDigits keeps small letters and digits.
func lettersAndDigits(s string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' {
			return r
		}
		return -1
	}, strings.ToLower(s))
}

// naming reports whether a product's name names one.
func naming(s string) bool {
	switch lettersAndDigits(s) {
	case "superserver", "productname", "notspecified", "systemproductname", "computersystem", "virtualmachine", "unknown":
		return false
	}
	return len(lettersAndDigits(s)) >= 3 && telling(s)
}

// telling reports whether an identifier is one: no placeholder, no row of one
// character.
func telling(s string) bool {
	p := lettersAndDigits(s)
	switch p {
	case "", "notspecified", "tobefilledbyoem", "defaultstring", "none", "na", "unknown", "systemserialnumber",
		"0123456789", "123456789", "1234567890", "redacted", "notavailable", "notapplicable", "null",
		"serialnumber", "serial", "systemserial", "chassisserialnumber", "baseboardserialnumber", "baseserialnumber", "default", "invalid", "empty",
		"oem", "filledbyoem", "nosn", "noserial", "notset", "notprovided", "notpopulated", "tbd", "12345678", "123456", "1234567", "0123456789abcdef":
		return false
	}
	return len(p) >= 3 && strings.Trim(p, p[:1]) != ""
}

// plainUUID gives 32 hexadecimal digits, "" for anything else and for the patterns
// that stand for none.
func plainUUID(s string) string {
	s = strings.ToLower(strings.ReplaceAll(strings.TrimSpace(s), "-", ""))
	if raw, err := hex.DecodeString(s); err != nil || len(raw) != 16 || strings.Trim(s, s[:1]) == "" || strings.HasPrefix(s, "0300020004000500") {
		return ""
	}
	return s
}

// swapped has the first three fields in the other byte order: SMBIOS up to 2.5
// and some controllers write them as a number.
func swapped(u string) string {
	b, err := hex.DecodeString(u)
	if err != nil || len(b) != 16 {
		return ""
	}
	b[0], b[1], b[2], b[3] = b[3], b[2], b[1], b[0]
	b[4], b[5], b[6], b[7] = b[5], b[4], b[7], b[6]
	return hex.EncodeToString(b)
}
