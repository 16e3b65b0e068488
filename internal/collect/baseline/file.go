// Package baseline saves the accepted hardware in a small file and reports changes since then. It does
// not save values that change by themselves.
package baseline

import (
	"bytes"
	"cmp"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"memaudit.example/memaudit/internal/model/fact"
	"memaudit.example/memaudit/internal/model/inventory"
	"memaudit.example/memaudit/internal/model/placeholder"
	"memaudit.example/memaudit/internal/model/strictjson"
)

// Schema is the schema of the file. Files with another schema cannot be compared.
const Schema = "memaudit.baseline/v1"

// Limits of a file. A file with 1,024 slots and all settings is smaller than 512 KiB.
const (
	MaxBytes    = 8 << 20
	maxSlots    = 8192
	maxSettings = 4096
	keyBytes    = 32
)

// Errors of Decode, for errors.Is.
var (
	// ErrMalformed is returned for a file that is not a baseline.
	ErrMalformed = errors.New("not a baseline")
	// ErrSchema is returned for a baseline with another schema.
	ErrSchema = errors.New("a baseline of another version")
)

// File is the accepted hardware. Unknown values are absent.
type File struct {
	Schema string `json:"schema"`
	// SavedAt is RFC 3339 in UTC.
	SavedAt string `json:"saved_at"`
	// Key is the key of the hashes of serial numbers, in hexadecimal.
	Key     string           `json:"key"`
	Machine Machine          `json:"machine"`
	Sockets []Socket         `json:"sockets,omitempty"`
	Nodes   []int            `json:"nodes,omitempty"`
	Memory  map[string]int64 `json:"memory_bytes,omitempty"`
	Slots   []Slot           `json:"slots,omitempty"`
	// Settings maps setting IDs to their configured and effective values.
	Settings map[string]map[string]SettingValue `json:"settings,omitempty"`
	// Measured is the last measurement that can be checked.
	Measured *inventory.Measurement `json:"measured,omitempty"`
}

// Populated returns the handles of the slots that had a module.
func (f *File) Populated() []uint16 {
	var out []uint16
	for i := range f.Slots {
		if f.Slots[i].State == string(inventory.SlotPopulated) {
			out = append(out, f.Slots[i].Handle)
		}
	}
	return out
}

// SettingValue is a value of a setting and its source. Two sources may read one setting differently.
type SettingValue struct {
	Value  string `json:"value"`
	Source string `json:"source"`
}

// Machine is the identity of the machine. UUID and Serial are hashes.
type Machine struct {
	Vendor      string `json:"vendor,omitempty"`
	Product     string `json:"product,omitempty"`
	UUID        string `json:"uuid,omitempty"`
	Serial      string `json:"serial,omitempty"`
	BIOSVersion string `json:"bios_version,omitempty"`
	BIOSDate    string `json:"bios_date,omitempty"`
}

// Socket is one processor socket.
type Socket struct {
	ID        int   `json:"id"`
	Populated *bool `json:"populated,omitempty"`
	// Model is the brand string, Source where it was read.
	Model  string `json:"model,omitempty"`
	Source string `json:"source,omitempty"`
}

// Slot is one memory device. Serial is a hash.
type Slot struct {
	Handle        uint16 `json:"handle"`
	Locator       string `json:"locator,omitempty"`
	BankLocator   string `json:"bank_locator,omitempty"`
	State         string `json:"state"`
	SizeBytes     int64  `json:"size_bytes,omitempty"`
	Type          string `json:"type,omitempty"`
	RatedMTs      int    `json:"rated_mts,omitempty"`
	ConfiguredMTs int    `json:"configured_mts,omitempty"`
	Manufacturer  string `json:"manufacturer,omitempty"`
	PartNumber    string `json:"part_number,omitempty"`
	Serial        string `json:"serial,omitempty"`
}

// Decode reads a baseline. It refuses unknown keys: their values would not be compared.
func Decode(data []byte) (*File, error) {
	if len(data) > MaxBytes {
		return nil, fmt.Errorf("%w: longer than %d bytes", ErrMalformed, MaxBytes)
	}
	var head struct {
		Schema string `json:"schema"`
	}
	if err := json.Unmarshal(data, &head); err != nil {
		return nil, fmt.Errorf("%w, expected the JSON that memaudit baseline save writes: %w", ErrMalformed, err)
	}
	switch head.Schema {
	case Schema:
	case "":
		return nil, fmt.Errorf("%w: no schema, expected %q", ErrMalformed, Schema)
	default:
		return nil, fmt.Errorf("%w: schema %q, expected %q", ErrSchema, head.Schema, Schema)
	}
	if err := strictjson.Unmarshal(data, &File{}, 0); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrMalformed, err)
	}
	f := &File{}
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.DisallowUnknownFields()
	if err := dec.Decode(f); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrMalformed, err)
	}
	return f, f.validate()
}

func (f *File) validate() error {
	if _, err := time.Parse(time.RFC3339, f.SavedAt); err != nil {
		return fmt.Errorf("%w: saved_at %q, expected a time of RFC 3339", ErrMalformed, f.SavedAt)
	}
	if key, err := hex.DecodeString(f.Key); err != nil || len(key) != keyBytes {
		return fmt.Errorf("%w: key, expected %d hexadecimal digits", ErrMalformed, 2*keyBytes)
	}
	if len(f.Slots) > maxSlots || len(f.Settings) > maxSettings {
		return fmt.Errorf("%w: %d slots and %d settings", ErrMalformed, len(f.Slots), len(f.Settings))
	}
	if f.Measured != nil {
		if err := f.Measured.Check(); err != nil {
			return fmt.Errorf("%w: measured.%w", ErrMalformed, err)
		}
	}
	for s := range inventory.Pointers(f.Slots) {
		if state := inventory.SlotState(s.State); !slices.Contains(state.Values(), state) {
			return fmt.Errorf("%w: slot 0x%04X: state %q, expected populated, empty or unknown", ErrMalformed, s.Handle, s.State)
		}
		if s.SizeBytes < 0 || s.RatedMTs < 0 || s.ConfiguredMTs < 0 {
			return fmt.Errorf("%w: slot 0x%04X: a negative number", ErrMalformed, s.Handle)
		}
	}
	return nil
}

// Encode returns the content of the file.
func (f *File) Encode() ([]byte, error) {
	data, err := json.MarshalIndent(f, "", "  ")
	if err != nil {
		return nil, fmt.Errorf("encode baseline: %w", err)
	}
	return append(data, '\n'), nil
}

// Take returns a baseline of a machine, with a new key from random, by default the system's source. It
// returns an error if no key can be read from there.
func Take(sys *inventory.System, now time.Time, random io.Reader) (*File, error) {
	key := make([]byte, keyBytes)
	if _, err := io.ReadFull(cmp.Or(random, rand.Reader), key); err != nil {
		return nil, fmt.Errorf("draw a key: %w", err)
	}
	return buildFile(sys, now, hex.EncodeToString(key)), nil
}

func buildFile(sys *inventory.System, now time.Time, key string) *File {
	m := &sys.Machine
	f := &File{Schema: Schema, SavedAt: now.UTC().Format(time.RFC3339), Key: key, Machine: Machine{
		Vendor: m.Vendor.Or(""), Product: m.Product.Or(""), BIOSVersion: m.BIOS.Version.Or(""), BIOSDate: m.BIOS.Date.Or("")}}
	hash := newHasher(key)
	if id := string(m.Identifiers.SystemUUID); placeholder.Identifies(id) && !sys.Redacted {
		f.Machine.UUID = hash("machine", id)
	}
	if id := string(m.Identifiers.SystemSerial); placeholder.Identifies(id) && !sys.Redacted {
		f.Machine.Serial = hash("serial", id)
	}
	for s := range inventory.Pointers(sys.Sockets) {
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
		seen[normaliseID(sys.Slots[i].Serial)]++
	}
	var out []Slot
	for s := range inventory.Pointers(sys.Slots) {
		own := Slot{Handle: uint16(s.Handle), Locator: s.Locator.Or(""), BankLocator: s.BankLocator.Or(""), State: string(s.State)}
		if s.State == inventory.SlotPopulated {
			own.SizeBytes, own.Type = s.SizeBytes.Or(0), s.Type.Or("")
			own.RatedMTs, own.ConfiguredMTs = s.RatedMTs.Or(0), s.ConfiguredMTs.Or(0)
			own.Manufacturer, own.PartNumber = s.Manufacturer.Or(""), s.PartNumber.Or("")
			// A serial number of two modules does not identify either.
			if placeholder.Identifies(s.Serial) && !sys.Redacted && seen[normaliseID(s.Serial)] == 1 {
				own.Serial = hash("module", s.Serial)
			}
		}
		out = append(out, own)
	}
	return out
}

func newHasher(key string) func(kind, id string) string {
	raw, _ := hex.DecodeString(key) // checked when the file was read
	return func(kind, id string) string {
		mac := hmac.New(sha256.New, raw)
		mac.Write([]byte(kind + "\x00" + normaliseID(id)))
		return hex.EncodeToString(mac.Sum(nil)[:12])
	}
}

func normaliseID(id string) string { return strings.ToUpper(strings.TrimSpace(id)) }
