// Package snapshot captures the files that an audit reads, so that an audit of the capture has the same result as one
// of the machine. The readers record them; identifiers of machines and parts are replaced with keyed hashes.
package snapshot

import (
	"bytes"
	"cmp"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"memaudit.example/memaudit/internal/collect"
	"memaudit.example/memaudit/internal/model/inventory"
	"memaudit.example/memaudit/internal/model/lazy"
	"memaudit.example/memaudit/internal/model/placeholder"
	"memaudit.example/memaudit/internal/model/settings"
	"memaudit.example/memaudit/internal/source/host"
	"memaudit.example/memaudit/internal/source/host/kerneltext"
	"memaudit.example/memaudit/internal/source/redfish"
	"memaudit.example/memaudit/internal/source/smbios"
)

// Options control how a capture is written.
type Options struct {
	// Identifiers keeps serial numbers, UUIDs and names as they are.
	Identifiers bool
	// Now is the modification time of the members.
	Now time.Time
	// Random is the source of the key, by default the system's.
	Random io.Reader
}

// Take audits a machine and records what was read. smbios is the content of the file of in.SMBIOS, nil without one.
func Take(in collect.Input, smbios []byte) (*Capture, error) {
	c := &Capture{tables: in.Tables}
	c.inputs.Tree, c.inputs.TreeFailed, c.inputs.SMBIOS = in.Root != nil, in.RootFailed, smbios
	for _, e := range in.Exports {
		if e.Export == nil {
			continue
		}
		var own collect.Export // a copy, because an audit joins others into it
		data, err := json.Marshal(e)
		if err == nil {
			err = json.Unmarshal(data, &own)
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", e.Path, err)
		}
		c.inputs.Exports = append(c.inputs.Exports, own)
	}
	for _, l := range in.EventLogs {
		if l.Log != nil {
			c.inputs.EventLogs = append(c.inputs.EventLogs, l)
		}
	}
	c.inputs.Measurements = in.Measurements
	if err := c.inputs.validate(); err != nil {
		return nil, fmt.Errorf("cannot be captured: %w", err)
	}
	if ask := in.BMC; ask != nil {
		in.BMC = func(who redfish.Identity) *redfish.Answer {
			a := ask(who)
			c.inputs.BMC = newCapturedBMC(a)
			return a
		}
	}
	if in.Root != nil {
		c.recorder = in.Root.Record()
		defer c.recorder.Stop()
	}
	c.System = collect.Collect(in)
	return c, nil
}

// Capture is what one audit read.
type Capture struct {
	// System is the resulting model.
	System   *inventory.System
	recorder *host.Recorder
	inputs   inputs
	tables   func() (settings.Tables, error)
}

// Files returns the paths of the files that were read.
func (c *Capture) Files() []string {
	if c.recorder == nil {
		return nil
	}
	return c.recorder.Paths()
}

// Write writes the capture as a .tar.gz archive. It returns an error if the key cannot be read, the inputs
// cannot be redacted or out fails.
func (c *Capture) Write(out io.Writer, o Options) error {
	var r *redactor
	if !o.Identifiers {
		hash, err := NewHash(o.Random)
		if err != nil {
			return err
		}
		tables, err := c.tables()
		if err != nil {
			return err
		}
		r = &redactor{Hash: hash, audited: auditedNames(tables, &c.inputs)}
	}
	more := map[string][]byte{}
	if !c.inputs.Tree || c.inputs.SMBIOS != nil || c.inputs.Exports != nil || c.inputs.BMC != nil || c.inputs.EventLogs != nil || c.inputs.Measurements != nil {
		data, err := c.inputs.encodeJSON(r)
		if err != nil {
			return fmt.Errorf("write capture: %w", err)
		}
		more[inputsName] = data
	}
	recorder := c.recorder
	if recorder == nil {
		recorder = host.NoRecording()
	}
	if r == nil {
		return recorder.Write(out, o.Now, nil, more)
	}
	r.entry = recorder.File(dmiEntry)
	return recorder.Write(out, o.Now, r.redactFile, more)
}

const (
	dmiTable = "/sys/firmware/dmi/tables/DMI"
	dmiEntry = "/sys/firmware/dmi/tables/smbios_entry_point"
)

type redactor struct {
	*Hash
	// entry is the entry point of the SMBIOS table.
	entry []byte
	// audited reports whether a verdict may depend on a BIOS attribute.
	audited func(name, display string) bool
}

func (r *redactor) hideFunctions() smbios.Hide { return smbios.Hide{Text: r.Text, UUID: r.UUID} }

// redactFile redacts one file; it implements host.Redact. No file is dropped.
func (r *redactor) redactFile(path string, data []byte) ([]byte, bool) {
	switch name := path[strings.LastIndexByte(path, '/')+1:]; {
	case path == dmiTable:
		return smbios.RedactTable(r.entry, data, r.hideFunctions()), true
	case strings.HasPrefix(path, "/sys/firmware/dmi/entries/") && name == "raw":
		return smbios.RedactEntry(data, r.hideFunctions()), true
	case path == "/proc/cmdline":
		return kerneltext.HideOptions(data, r.redactOption), true
	case path == "/proc/cpuinfo":
		return r.redactCPUInfo(data), true
	case name == "product_uuid":
		return r.UUIDText(data), true
	case strings.HasPrefix(path, "/sys/class/dmi/id/") && (strings.HasSuffix(name, "_serial") || strings.HasSuffix(name, "_asset_tag")):
		return r.Text(data), true
	case strings.HasPrefix(path, "/sys/class/firmware-attributes/") && name != "pending_reboot":
		return r.redactAttribute(path, name, data), true
	}
	return data, true
}

func (r *redactor) redactCPUInfo(data []byte) []byte {
	if !bytes.Contains(data, []byte("\nSerial\t")) {
		return data
	}
	var out []byte
	for row := range bytes.Lines(data) {
		if key, value, ok := bytes.Cut(row, []byte(":")); ok && string(bytes.TrimSpace(key)) == "Serial" {
			out = append(append(out, key...), ':')
			row = r.Text(value)
		}
		out = append(out, row...)
	}
	return out
}

// redactAttribute hides the values of settings that are not audited: a driver may list the asset tag among them.
func (r *redactor) redactAttribute(path, name string, data []byte) []byte {
	parts, value := strings.Split(path, "/"), strings.TrimSpace(string(data))
	if name != "current_value" && name != "possible_values" || r.audited(parts[len(parts)-2], "") ||
		slices.Contains([]string{"Enabled", "Disabled", "Enable", "Disable", "Yes", "No", "On", "Off", "Auto"}, value) {
		return data
	}
	return r.Text(data)
}

// redactOption replaces the value of a kernel option unless it is a common one that identifies nothing.
func (r *redactor) redactOption(value []byte) []byte {
	if commonValue().Match(value) {
		return value
	}
	return r.Text(value)
}

// commonValue matches values of boot options that do not identify a machine: switches, disks numbered by the kernel,
// consoles, distributions' kernels.
var commonValue = lazy.Pattern(`^([01yn]|on|off|yes|no|auto|ro|rw|/dev/(sd|vd|xvd|hd|nvme|md)[a-z0-9]{0,8}|tty[SA]?[A-Z]*\d{0,3}(,\d{1,7}[neo]?\d?)?|` +
	`(\(hd\d+,[a-z]*\d+\))?(/boot)?/vmlinuz(-\d[\d.]*(-\d[\d.]*)?(-generic|-default|-amd64|\.el\d[\d_]*\.x86_64)?)?)$`)

// Hash replaces identifiers with hashes of the same length and shape; equal identifiers get equal hashes. Its key is
// random for each capture and is not stored, so hashes cannot be reversed or compared with those of another capture.
type Hash struct{ key []byte }

// NewHash returns a Hash with a new key from random, by default the system's source.
func NewHash(random io.Reader) (*Hash, error) {
	key := make([]byte, sha256.Size)
	if _, err := io.ReadFull(cmp.Or(random, rand.Reader), key); err != nil {
		return nil, fmt.Errorf("draw a key: %w", err)
	}
	return &Hash{key}, nil
}

func (h *Hash) keyedStream(kind, value string, n int) []byte {
	var out []byte
	for block := range uint32(n+sha256.Size-1) / sha256.Size {
		mac := hmac.New(sha256.New, h.key)
		mac.Write(binary.BigEndian.AppendUint32([]byte(kind), block))
		mac.Write([]byte(value))
		out = mac.Sum(out)
	}
	return out[:n]
}

// digits has 32 characters, so a random byte selects each with the same probability.
const digits = "ABCDEFGHJKLMNPQRSTUVWXYZ23456789"

// Text replaces letters and digits and keeps spaces and punctuation. Texts that differ only in case or
// surrounding spaces get the same hash. Placeholders for a missing identifier are kept.
func (h *Hash) Text(text []byte) []byte {
	if placeholder.Is(string(text)) {
		return text
	}
	plain := strings.ToUpper(strings.Trim(string(text), " \t\r\n\x00"))
	with := h.keyedStream("text", plain, len(text))
	out, used := slices.Clone(text), 0
	for i, c := range text {
		if isLetterOrDigit(c) {
			out[i] = digits[with[used]%32]
			used++
		}
	}
	return out
}

func isLetterOrDigit(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c >= 0x80
}

// UUID replaces a UUID of 16 bytes. Older and newer firmware write the same UUID in different byte orders; the hashes
// of both are also the same in different byte orders. A UUID that is equal in both orders gets such a hash.
func (h *Hash) UUID(raw []byte) []byte {
	if len(raw) != 16 || !slices.ContainsFunc(raw, func(c byte) bool { return c != raw[0] }) {
		return raw // all 00 or FF: no UUID
	}
	switch other := swapByteOrder(raw); slices.Compare(other, raw) {
	case -1:
		return swapByteOrder(h.keyedStream("uuid", string(other), 16))
	case 0:
		out := h.keyedStream("uuid", string(raw), 16)
		out[2], out[3], out[5], out[7] = out[1], out[0], out[4], out[6]
		return out
	}
	return h.keyedStream("uuid", string(raw), 16)
}

func swapByteOrder(b []byte) []byte {
	out := slices.Clone(b)
	slices.Reverse(out[0:4])
	slices.Reverse(out[4:6])
	slices.Reverse(out[6:8])
	return out
}

// UUIDText replaces a UUID in text form; it replaces any other text as Text does.
func (h *Hash) UUIDText(text []byte) []byte {
	digits := strings.ReplaceAll(strings.TrimSpace(string(text)), "-", "")
	raw, err := hex.DecodeString(digits)
	if err != nil || len(raw) != 16 {
		return h.Text(text)
	}
	with := hex.EncodeToString(h.UUID(raw))
	if digits != strings.ToLower(digits) {
		with = strings.ToUpper(with)
	}
	out, used := slices.Clone(text), 0
	for i, c := range text {
		if isLetterOrDigit(c) {
			out[i] = with[used]
			used++
		}
	}
	return out
}
