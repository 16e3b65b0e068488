package inventory_test

import (
	"testing"

	"memaudit.example/memaudit/internal/model/fact"
	"memaudit.example/memaudit/internal/model/inventory"
)

func TestNames(t *testing.T) {
	bare := inventory.Slot{Handle: 0x2a}
	named := bare
	named.Locator = fact.Known("A1", fact.Direct, fact.Evidence{})
	for have, want := range map[string]string{
		inventory.Handle(10).String():                     "0x000A",
		inventory.Handle(0xBEEF).String():                 "0xBEEF",
		inventory.SlotSubject(0x1101, "DIMM_A4").String(): "slot 0x1101 (DIMM_A4)",
		inventory.SlotSubject(0x1101, "").String():        "slot 0x1101 (no name)",
		bare.Name():  "slot 0x002A",
		named.Name(): "A1",
	} {
		if have != want {
			t.Errorf("%q, expected %q", have, want)
		}
	}
}

// TestSubjects checks that a subject is printed as documents name it and parsed to the same value, and that other
// text is kept.
func TestSubjects(t *testing.T) {
	for text, want := range map[string]inventory.Subject{
		"machine":               {},
		"socket 0":              inventory.SocketSubject(0),
		"node 12":               inventory.NodeSubject(12),
		"setting c_states":      inventory.SettingSubject("c_states"),
		"slot 0x1101 (DIMM A4)": inventory.SlotSubject(0x1101, "DIMM A4"),
		"slot 0x002A (no name)": inventory.SlotSubject(0x2a, ""),
		"socket one":            {Kind: inventory.AboutOther, Name: "socket one"},
		"slot 0x2a (A1)":        {Kind: inventory.AboutOther, Name: "slot 0x2a (A1)"},
		"":                      {Kind: inventory.AboutOther},
	} {
		var got inventory.Subject
		if err := got.UnmarshalText([]byte(text)); err != nil || got != want || got.String() != text {
			t.Errorf("%q is read as %#v and printed as %q (%v), expected %#v", text, got, got, err, want)
		}
	}
	if inventory.SocketSubject(-1) != (inventory.Subject{}) {
		t.Error("memory outside the processors is the machine's")
	}
}
