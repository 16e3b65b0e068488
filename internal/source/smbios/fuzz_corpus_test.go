//go:build corpus

package smbios

import (
	"testing"

	"github.com/memaudit/memaudit/internal/tools/corpustest"
)

func init() {
	realTables = func(t testing.TB) [][]byte {
		var out [][]byte
		for _, name := range []string{"hyperv.dmi", "proliant-dl385-g1-0.bin", "jcreekmore-dmi-0.bin"} {
			out = append(out, corpustest.Read(t, "smbios-bin/"+name))
		}
		return out
	}
}
