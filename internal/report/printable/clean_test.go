package printable

import (
	"bytes"
	"encoding/json"
	"testing"
)

func TestClean(t *testing.T) {
	for in, want := range map[string]string{
		"DIMM_A1":               "DIMM_A1",
		"\x1b[31mred\x1b[m":     "?[31mred?[m",
		"a\nb\tc\r":             "a?b?c?",
		"\u202eabc\u2066":       "?abc?",
		"\u009b31m":             "?31m",
		"\xff\xfeA":             "??A",
		"zero\u200bwidth\u200d": "zero?width?",
		"ok é 内":                "ok é 内",
		" ~":                    " ~",
		"\x7f":                  "?",
		"\x1f":                  "?",
	} {
		if have := Clean(in); have != want {
			t.Errorf("%q of %q, expected %q", have, in, want)
		}
	}
}

// TestCSVCell checks that what a spreadsheet would evaluate is text, and that numbers stay numbers.
func TestCSVCell(t *testing.T) {
	for in, want := range map[string]string{
		"": "", "DIMM_A1": "DIMM_A1", "A=1": "A=1", "-40": "-40", "+1.5e-9": "+1.5e-9", "0.50": "0.50",
		"=1+1": "'=1+1", "@SUM(A1)": "'@SUM(A1)", "+cmd|' /C calc'!A0": "'+cmd|' /C calc'!A0", "-2+3": "'-2+3", "-": "'-", "+Inf": "'+Inf",
		" =1": "' =1", "＝1": "'＝1", "\t=1": "?=1", "\r=1": "?=1",
	} {
		if have := CSVCell(in); have != want {
			t.Errorf("%q of %q, expected %q", have, in, want)
		}
	}
}

// TestWidths checks that wide East Asian runes take two columns and combining marks none, at the limits of the blocks
// of Unicode's Annex 11 in EastAsianWidth.txt.
func TestWidths(t *testing.T) {
	for r, want := range map[rune]int{
		'a': 1, '~': 1, 0x2ff: 1, 0x300: 0, 0x10ff: 1, 0x1100: 2, 0x115f: 2, 0x1160: 1, 0x2e7f: 1, 0x2e80: 2, 0x303e: 2, 0x303f: 1, 0x3041: 2, 0xa48c: 2, 0xa4d0: 1,
		0xabff: 1, 0xac00: 2, 0xd7a3: 2, 0xd7a4: 1, 0xf8ff: 1, 0xf900: 2, 0xfaff: 2, 0xfb00: 1, 0xfe30: 2, 0xfe6b: 2, 0xfe70: 1, 0xff00: 1, 0xff01: 2, 0xff60: 2, 0xff61: 1,
		0xffdf: 1, 0xffe0: 2, 0xffe6: 2, 0xffe7: 1, 0x1f2ff: 1, 0x1f300: 2, 0x1f64f: 2, 0x1f650: 1, 0x1f8ff: 1, 0x1f90c: 2, 0x1f9ff: 2, 0x1fa00: 1, 0x1ffff: 1, 0x20000: 2, 0x3fffd: 2, 0x1f680: 2, 0x1f6c5: 2, 0x1f6d5: 2, 0x1f7e0: 2, 0x1fa70: 2, 0x1f1e6: 1, 0x231a: 2, 0x26a1: 2, 0x2705: 2, 0x2713: 1,
	} {
		if have := RuneColumns(r); have != want {
			t.Errorf("%d columns of %U, expected %d", have, r, want)
		}
	}
	if have := Columns("a内b内"[:4] + "bc"); have != 5 {
		t.Errorf("%d columns, expected 5", have)
	}
}

// TestJSON compares the layout, and the decoded values, with encoding/json.
func TestJSON(t *testing.T) {
	type object struct {
		Text  string
		List  []any
		Empty map[string]int
		None  []int
	}
	for text, escaped := range map[string]bool{
		"": false, "DIMM_A1 <&>": false, "a\"b\\c\\u009b": false, "\x1b[31m\n": false, "é 内": false, "\u2028": false, "\xff": false, // escaped by the library, where it must be
		"\x7f": true, "\u0080": true, "\u009b31m": true, "\u009f~": true, "ab\u202ecd\u2066": true, "\u200b": true, "\ufeff": true, "\u00a0": true, "\U000e0041\U0010ffff": true, "内\u0085": true,
	} {
		v := object{text, []any{text, 1.5, []int{}, map[string]any{text: nil}}, map[string]int{}, nil}
		have, err := EncodeJSON(&v)
		if err != nil {
			t.Fatal(err)
		}
		var want bytes.Buffer
		enc := json.NewEncoder(&want)
		enc.SetEscapeHTML(false)
		enc.SetIndent("", "  ")
		if err := enc.Encode(&v); err != nil {
			t.Fatal(err)
		}
		if same := want.String() == string(have); same == escaped {
			t.Errorf("%q: %s", text, have)
		}
		if !bytes.Equal(EscapeJSON(want.Bytes()), have) {
			t.Errorf("%q: %s, expected %s", text, EscapeJSON(want.Bytes()), have)
		}
		for _, line := range bytes.Split(have, []byte("\n")) {
			if string(line) != Clean(string(line)) {
				t.Errorf("%q: not printable: %q", text, line)
			}
		}
		var a, b any
		if json.Unmarshal(have, &a) != nil || json.Unmarshal(want.Bytes(), &b) != nil {
			t.Fatalf("%q: %s", text, have)
		}
		one, _ := json.Marshal(a)
		two, _ := json.Marshal(b)
		if !bytes.Equal(one, two) {
			t.Errorf("%q: reads back as %s, expected %s", text, one, two)
		}
	}
	if _, err := EncodeJSON(func() {}); err == nil {
		t.Error("a function is not JSON")
	}
}
