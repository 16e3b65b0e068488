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

	"memaudit.example/memaudit/internal/model/placeholder"
)

// Hash replaces identifiers with hashes of the same length and shape; equal identifiers get equal hashes. Its key is
// random for each capture and is not stored, so hashes cannot be reversed or compared with those of another capture.
type Hash struct{ key []byte }

// NewHash returns a Hash with a new key from random, by default the system's source.
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

// digits has 32 characters, so a random byte selects each with the same probability.
const digits = "ABCDEFGHJKLMNPQRSTUVWXYZ23456789"

// Text replaces letters and digits and keeps spaces and punctuation. Texts that differ only in case or
// surrounding spaces get the same hash. Placeholders for a missing identifier are kept.
func (h *Hash) Text(text []byte) []byte {
	if placeholder.Is(string(text)) {
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

// UUID replaces a UUID of 16 bytes. Older and newer firmware write the same UUID in different byte orders; the hashes
// of both are also the same in different byte orders. A UUID that is equal in both orders gets such a hash.
func (h *Hash) UUID(raw []byte) []byte {
	if len(raw) != 16 || !slices.ContainsFunc(raw, func(c byte) bool { return c != raw[0] }) {
		return raw // all 00 or FF: no UUID
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

func swapped(b []byte) []byte {
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
		if letter(c) {
			out[i] = with[used]
			used++
		}
	}
	return out
}
