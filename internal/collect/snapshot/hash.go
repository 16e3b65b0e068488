package snapshot

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/memaudit/memaudit/internal/source/smbios"
)

// Hash replaces identifiers: equal ones by equal ones, of the same length and
// shape. Its key is drawn for one capture and kept nowhere, so that what it
// made can neither be turned back nor compared with that of another capture.
type Hash struct{ key []byte }

// NewHash draws a key; random is nil for the system's source.
func NewHash(random io.Reader) (*Hash, error) {
	if random == nil {
		random = rand.Reader
	}
	key := make([]byte, sha256.Size)
	if _, err := io.ReadFull(random, key); err != nil {
		return nil, fmt.Errorf("draw a key: %w", err)
	}
	return &Hash{key}, nil
}

// stream gives n bytes that follow from the key and a value.
func (h *Hash) stream(kind, value string, n int) []byte {
	var out []byte
	for block := range uint32(n+sha256.Size-1) / sha256.Size {
		mac := hmac.New(sha256.New, h.key)
		mac.Write(binary.BigEndian.AppendUint32([]byte(kind), block))
		mac.Write([]byte(value))
		out = mac.Sum(out)
	}
	return out[:n]
}

// digits has 32 characters, so that a byte chooses among them evenly.
const digits = "ABCDEFGHJKLMNPQRSTUVWXYZ23456789"

// Text replaces letters and digits; blanks and punctuation stay. Two texts that
// differ in case or in blanks around them stay equal but for these. What
// firmware writes where there is no identifier stays too.
func (h *Hash) Text(text []byte) []byte {
	if vacant(string(text)) {
		return text
	}
	plain := strings.ToUpper(strings.Trim(string(text), " \t\r\n\x00"))
	with := h.stream("text", plain, len(text))
	out, used := slices.Clone(text), 0
	for i, c := range text {
		if letter(c) {
			out[i] = digits[with[used]%32]
			used++
		}
	}
	return out
}

func letter(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c >= 0x80
}

// UUID replaces 16 bytes. Firmware of two ages writes one UUID in two byte
// orders; both stay two orders of one, and one that is the same in both, as where
// all but the last field are 0, stays such a one.
func (h *Hash) UUID(raw []byte) []byte {
	if len(raw) != 16 || !slices.ContainsFunc(raw, func(c byte) bool { return c != raw[0] }) {
		return raw // all 00 or FF: firmware's words for none
	}
	other := swapped(raw)
	switch slices.Compare(other, raw) {
	case -1:
		return swapped(h.stream("uuid", string(other), 16))
	case 0:
		out := h.stream("uuid", string(raw), 16)
		out[2], out[3], out[5], out[7] = out[1], out[0], out[4], out[6]
		return out
	}
	return h.stream("uuid", string(raw), 16)
}

// swapped has the first three fields in the other byte order.
func swapped(b []byte) []byte {
	out := slices.Clone(b)
	slices.Reverse(out[0:4])
	slices.Reverse(out[4:6])
	slices.Reverse(out[6:8])
	return out
}

// UUIDText replaces a UUID in its text form; another text as Text does.
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
		if letter(c) {
			out[i] = with[used]
			used++
		}
	}
	return out
}

// vacant reports what firmware and drivers write in place of an identifier.
func vacant(text string) bool {
	plain := strings.ToLower(strings.Trim(text, " .\t\r\n\x00"))
	if smbios.Placeholder(plain) {
		return true
	}
	switch plain {
	case "system serial number", "chassis serial number", "base board serial number", "no asset tag", "no asset information", "asset tag",
		"0123456789", "123456789", "1234567890", "redacted", "not provided":
		return true
	}
	return strings.Trim(plain, plain[:1]) == ""
}
