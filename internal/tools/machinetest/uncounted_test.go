package machinetest

import "testing"

func TestUncounted(t *testing.T) {
	const want = "WARNING   1 at info; … passed, 7 unknown\n\nslots"
	for _, report := range []string{
		"WARNING   1 at info; 25 passed, 7 unknown\n\nslots",
		"WARNING   1 at info; 125 passed, 7\n          unknown\n\nslots",
		"WARNING   1 at info;\n          1125 passed, 7 unknown, 177 not applicable\n\nslots",
	} {
		if got := Uncounted(report); got != want {
			t.Errorf("%q: %q, want %q", report, got, want)
		}
	}
}
