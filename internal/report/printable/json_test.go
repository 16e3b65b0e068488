package printable

import (
	"bytes"
	"encoding/json"
	"testing"
)

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
