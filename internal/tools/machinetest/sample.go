package machinetest

import (
	"testing"

	"github.com/memaudit/memaudit/internal/tools/corpustest"
)

// Sample are the machines on which the unit tests hold what is true of each: one
// that fails for its DIMMs, one for its nodes, one of AMD, one that mirrors, one of
// eight sockets and 128 slots, one with a front-side bus, and a guest that shows
// nothing. In `make corpus` they are all machines.
func Sample(t testing.TB) []Machine {
	t.Helper()
	if corpustest.Stage {
		return All()
	}
	var out []Machine
	for _, name := range []string{"dell-r610-unbalanced", "dell-r610-interleaved", "supermicro-rome-half", "fujitsu-rx600s6-mirrored",
		"fujitsu-rx900s2-class2", "supermicro-x7db8-1ch", "guest-without-smbios"} {
		out = append(out, Named(t, name))
	}
	return out
}
