package baseline

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/memaudit/memaudit/internal/model/fact"

	"github.com/memaudit/memaudit/internal/model/inventory"
)

// Take makes a baseline of a machine, with a key of its own; random is nil for
// the system's source.
func Take(sys *inventory.System, now time.Time, random io.Reader) (*File, error) {
	if random == nil {
		random = rand.Reader
	}
	key := make([]byte, keyBytes)
	if _, err := io.ReadFull(random, key); err != nil {
		return nil, fmt.Errorf("draw a key: %w", err)
	}
	return fileOf(sys, now, hex.EncodeToString(key)), nil
}

// fileOf describes a machine under a key.
func fileOf(sys *inventory.System, now time.Time, key string) *File {
	m := &sys.Machine
	f := &File{Schema: Schema, SavedAt: now.UTC().Format(time.RFC3339), Key: key, Machine: Machine{
		Vendor: m.Vendor.Or(""), Product: m.Product.Or(""), BIOSVersion: m.BIOSVersion.Or(""), BIOSDate: m.BIOSDate.Or("")}}
	hash := hasher(key)
	if id := m.Identifiers.SystemUUID; telling(id) && !sys.Redacted {
		f.Machine.UUID = hash("machine", id)
	}
	if id := m.Identifiers.SystemSerial; telling(id) && !sys.Redacted {
		f.Machine.Serial = hash("serial", id)
	}
	for i := range sys.Sockets {
		s := &sys.Sockets[i]
		own := Socket{ID: s.ID, Model: strings.Join(strings.Fields(s.Brand.Or("")), " ")}
		if own.Model != "" {
			own.Source = s.Brand.From.Source
		}
		if populated, ok := s.Populated.Get(); ok {
			own.Populated = &populated
		}
		f.Sockets = append(f.Sockets, own)
	}
	for i := range sys.Nodes {
		f.Nodes = append(f.Nodes, sys.Nodes[i].ID)
	}
	f.Memory = memory(&sys.Memory)
	f.Slots = acceptedSlots(sys, hash)
	f.Settings = map[string]map[string]Face{}
	for id := range sys.Settings {
		faces := map[string]Face{}
		for name, face := range facesOf(sys, id) {
			if face.Known() {
				faces[name] = Face{face.Value, face.From.Source}
			}
		}
		if len(faces) > 0 {
			f.Settings[id] = faces
		}
	}
	for i := range sys.Measurements {
		if sys.Measurements[i].Unjudged == "" {
			f.Measured = &sys.Measurements[i]
		}
	}
	return f
}

// facesOf are the faces that are accepted: what waits for the next boot is not.
func facesOf(sys *inventory.System, id string) map[string]fact.Fact[string] {
	s := sys.Settings[id]
	return map[string]fact.Fact[string]{"configured": s.Configured, "effective": s.Effective}
}

// memory keeps each view of the memory by its name, for two of them are never
// equal.
func memory(m *inventory.Memory) map[string]int64 {
	out := map[string]int64{}
	for name, f := range viewsOf(m) {
		if f.Known() && f.Value > 0 {
			out[name] = f.Value
		}
	}
	return out
}

func viewsOf(m *inventory.Memory) map[string]fact.Fact[int64] {
	return map[string]fact.Fact[int64]{"memory_map": m.MapBytes, "blocks": m.BlockBytes, "total": m.TotalBytes}
}

func acceptedSlots(sys *inventory.System, hash func(kind, id string) string) []Slot {
	seen := map[string]int{}
	for i := range sys.Slots {
		seen[normal(sys.Slots[i].Serial)]++
	}
	var out []Slot
	for i := range sys.Slots {
		s := &sys.Slots[i]
		own := Slot{Handle: s.Handle, Locator: s.Locator.Or(""), BankLocator: s.BankLocator.Or(""), State: string(s.State)}
		if s.State == inventory.SlotPopulated {
			own.SizeBytes, own.Type = s.SizeBytes.Or(0), s.Type.Or("")
			own.RatedMTs, own.ConfiguredMTs = s.RatedMTs.Or(0), s.ConfiguredMTs.Or(0)
			own.Manufacturer, own.PartNumber = s.Manufacturer.Or(""), s.PartNumber.Or("")
			// A number that two modules bear identifies neither.
			if telling(s.Serial) && !sys.Redacted && seen[normal(s.Serial)] == 1 {
				own.Serial = hash("module", s.Serial)
			}
		}
		out = append(out, own)
	}
	return out
}

// hasher gives a hash of an identifier under the file's key.
func hasher(key string) func(kind, id string) string {
	raw, _ := hex.DecodeString(key) // checked when the file was read
	return func(kind, id string) string {
		mac := hmac.New(sha256.New, raw)
		mac.Write([]byte(kind + "\x00" + normal(id)))
		return hex.EncodeToString(mac.Sum(nil)[:12])
	}
}

func normal(id string) string { return strings.ToUpper(strings.TrimSpace(id)) }

// telling reports whether an identifier is one: no placeholder, no row of one
// character.
func telling(id string) bool {
	plain := strings.Map(func(r rune) rune {
		if r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' {
			return r
		}
		return -1
	}, normal(id))
	switch plain {
	case "NOTSPECIFIED", "TOBEFILLEDBYOEM", "DEFAULTSTRING", "NONE", "UNKNOWN", "SYSTEMSERIALNUMBER", "0123456789", "123456789",
		"1234567890", "REDACTED", "NOTAVAILABLE", "NOTAPPLICABLE", "NULL", "EMPTY", "NODIMM", "SERNUM", "SERIALNUMBER", "OEM", "0X00000000":
		return false
	}
	return len(plain) >= 3 && strings.Trim(plain, plain[:1]) != ""
}
