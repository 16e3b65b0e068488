package redfish

import (
	"cmp"
	"encoding/hex"
	"slices"
	"strings"

	"memaudit.example/memaudit/internal/model/placeholder"
)

// Identity is what is known of the audited machine. By it the machine is found among the systems of
// a service, and the controller of another machine is noticed.
type Identity struct {
	// Products are the names of the product and the board.
	Products []string
	// Serial is the serial number of the system; Parts are those of board and chassis.
	Serial string
	Parts  []string
	// UUID is the system's UUID in SMBIOS.
	UUID string
}

type resourceLink struct {
	ID string `json:"@odata.id"`
	// Href is the form that iLO 4 used before Redfish.
	Href string `json:"href"`
}

func (l resourceLink) targetPath() string {
	return cmp.Or(strings.TrimSpace(l.ID), strings.TrimSpace(l.Href))
}

// system is one ComputerSystem (DSP2046).
type system struct {
	Model                   string
	SerialNumber, SKU, UUID string
	AssetTag, HostName      string
	Bios, Memory            resourceLink
	ID, Name                string
	MemorySummary           struct{ Metrics resourceLink }
	LogServices             resourceLink
	LastResetTime           string
	Links                   struct{ ManagedBy []resourceLink }
	// Oem holds the link to the BIOS settings of iLO 4, which has no other.
	Oem struct {
		Hp struct{ Links struct{ BIOS resourceLink } }
	}
	at   string
	fits systemMatch
	// matchedBy and differsBy name the property that decided; here is the audited machine's model if that differs.
	matchedBy, differsBy, here string
}

// systemMatch is the degree to which a system matches the audited machine, in ascending order.
type systemMatch int

const (
	otherSystem    systemMatch = iota // an identifier differs
	doubtfulSystem                    // the model differs, but vendors change such names
	unknownSystem                     // there is nothing to compare
	likeSystem                        // the model agrees, and there is no identifier to compare
	sameSystem                        // an identifier agrees
)

// compareIdentity compares a system with the audited machine: by serial number (Dell keeps the one of
// SMBIOS in SKU), by UUID, and without either by model.
func (s *system) compareIdentity(who Identity) {
	comparable := ""
	for _, own := range append([]string{who.Serial}, who.Parts...) {
		if placeholder.Identifies(own) && (equalNames(own, s.SerialNumber) || equalNames(own, s.SKU)) {
			s.fits, s.matchedBy = sameSystem, "serial number"
			return
		}
	}
	if placeholder.Identifies(who.Serial) && placeholder.Identifies(s.SerialNumber) {
		comparable = "serial number"
	}
	switch own, theirs := plainUUID(who.UUID), plainUUID(s.UUID); {
	case own == "" || theirs == "":
	case own == theirs || own == swapByteOrder(theirs):
		s.fits, s.matchedBy = sameSystem, "UUID"
		return
	case comparable == "":
		comparable = "UUID"
	}
	if comparable != "" {
		s.fits, s.differsBy = otherSystem, comparable
		return
	}
	// Often one name contains the other ("ThinkSystem SR650 -[7X06CTO1WW]-" and "ThinkSystem SR650").
	s.fits = unknownSystem
	for _, own := range who.Products {
		switch {
		case !namesProduct(own) || !namesProduct(s.Model):
		case containsName(own, s.Model) || containsName(s.Model, own):
			s.fits, s.matchedBy = likeSystem, "model"
			return
		case s.fits == unknownSystem:
			s.fits, s.here = doubtfulSystem, own
		}
	}
}

func equalNames(a, b string) bool {
	return strings.EqualFold(strings.TrimSpace(a), strings.TrimSpace(b))
}

func containsName(a, b string) bool {
	return strings.Contains(lettersAndDigits(a), lettersAndDigits(b))
}

func lettersAndDigits(s string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' {
			return r
		}
		return -1
	}, strings.ToLower(s))
}

// namesProduct reports whether a product name identifies a product: it is not a placeholder or a generic term.
func namesProduct(s string) bool {
	return placeholder.Identifies(s) && !slices.Contains([]string{"superserver", "productname", "computersystem", "virtualmachine"}, lettersAndDigits(s))
}

// plainUUID returns the 32 hexadecimal digits of a UUID in lower case. It returns "" for any other text and for
// firmware's placeholders.
func plainUUID(s string) string {
	s = strings.ToLower(strings.ReplaceAll(strings.TrimSpace(s), "-", ""))
	if raw, err := hex.DecodeString(s); err != nil || len(raw) != 16 || strings.Trim(s, s[:1]) == "" || strings.HasPrefix(s, "0300020004000500") {
		return ""
	}
	return s
}

// swapByteOrder returns the 32 digits of a UUID with its first three fields in the other byte order, which
// SMBIOS up to 2.5 and some controllers use.
func swapByteOrder(u string) string {
	return u[6:8] + u[4:6] + u[2:4] + u[:2] + u[10:12] + u[8:10] + u[14:16] + u[12:14] + u[16:]
}

// SameIdentifiers compares the serial numbers and UUIDs of two machines. same is set if they belong to the same
// machine; differs describes the identifier that differs, "" if none does.
func SameIdentifiers(a, b Identity) (same bool, differs string) {
	s := &system{SerialNumber: b.Serial, UUID: b.UUID}
	if s.compareIdentity(a); s.fits == otherSystem {
		differs = "its " + s.differsBy + " is another one"
	}
	return s.fits == sameSystem, differs
}
