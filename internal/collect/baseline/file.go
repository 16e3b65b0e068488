// Package baseline saves the accepted hardware in a small file and reports changes since then. It does
// not save values that change by themselves.
package baseline

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"memaudit.example/memaudit/internal/model/inventory"
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
	return f, f.check()
}

func (f *File) check() error {
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
	for i := range f.Slots {
		s := &f.Slots[i]
		if _, ok := states[s.State]; !ok {
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

var states = map[string]inventory.SlotState{
	string(inventory.SlotPopulated): inventory.SlotPopulated,
	string(inventory.SlotEmpty):     inventory.SlotEmpty,
	string(inventory.SlotUnknown):   inventory.SlotUnknown,
}
