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

	"memaudit.example/memaudit/internal/model/fact"
	"memaudit.example/memaudit/internal/model/inventory"
	"memaudit.example/memaudit/internal/model/placeholder"
)

// Take returns a baseline of a machine, with a new key from random, by default the system's source. It
// returns an error if no key can be read from there.
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

func fileOf(sys *inventory.System, now time.Time, key string) *File {
	m := &sys.Machine
	f := &File{Schema: Schema, SavedAt: now.UTC().Format(time.RFC3339), Key: key, Machine: Machine{
		Vendor: m.Vendor.Or(""), Product: m.Product.Or(""), BIOSVersion: m.BIOS.Version.Or(""), BIOSDate: m.BIOS.Date.Or("")}}
	hash := hasher(key)
	if id := string(m.Identifiers.SystemUUID); placeholder.Identifies(id) && !sys.Redacted {
		f.Machine.UUID = hash("machine", id)
	}
	if id := string(m.Identifiers.SystemSerial); placeholder.Identifies(id) && !sys.Redacted {
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
	f.Memory = map[string]int64{}
	for name, view := range map[string]fact.Fact[int64]{"memory_map": sys.Memory.MapBytes, "blocks": sys.Memory.BlockBytes, "total": sys.Memory.TotalBytes} {
		if view.Known() && view.Value > 0 {
			f.Memory[name] = view.Value
		}
	}
	f.Slots = acceptedSlots(sys, hash)
	f.Settings = map[string]map[string]SettingValue{}
	for id, s := range sys.Settings {
		values := map[string]SettingValue{} // without the pending value, which is not in use yet
		for name, value := range map[string]fact.Fact[string]{"configured": s.Configured, "effective": s.Effective} {
			if value.Known() {
				values[name] = SettingValue{value.Value, value.From.Source}
			}
		}
		if len(values) > 0 {
			f.Settings[id] = values
		}
	}
	for i := range sys.Measurements {
		if sys.Measurements[i].Unjudged == "" {
			f.Measured = &sys.Measurements[i]
		}
	}
	return f
}

func acceptedSlots(sys *inventory.System, hash func(kind, id string) string) []Slot {
	seen := map[string]int{}
	for i := range sys.Slots {
		seen[normal(sys.Slots[i].Serial)]++
	}
	var out []Slot
	for i := range sys.Slots {
		s := &sys.Slots[i]
		own := Slot{Handle: uint16(s.Handle), Locator: s.Locator.Or(""), BankLocator: s.BankLocator.Or(""), State: string(s.State)}
		if s.State == inventory.SlotPopulated {
			own.SizeBytes, own.Type = s.SizeBytes.Or(0), s.Type.Or("")
			own.RatedMTs, own.ConfiguredMTs = s.RatedMTs.Or(0), s.ConfiguredMTs.Or(0)
			own.Manufacturer, own.PartNumber = s.Manufacturer.Or(""), s.PartNumber.Or("")
			// A serial number of two modules does not identify either.
			if placeholder.Identifies(s.Serial) && !sys.Redacted && seen[normal(s.Serial)] == 1 {
				own.Serial = hash("module", s.Serial)
			}
		}
		out = append(out, own)
	}
	return out
}

func hasher(key string) func(kind, id string) string {
	raw, _ := hex.DecodeString(key) // checked when the file was read
	return func(kind, id string) string {
		mac := hmac.New(sha256.New, raw)
		mac.Write([]byte(kind + "\x00" + normal(id)))
		return hex.EncodeToString(mac.Sum(nil)[:12])
	}
}

func normal(id string) string { return strings.ToUpper(strings.TrimSpace(id)) }
