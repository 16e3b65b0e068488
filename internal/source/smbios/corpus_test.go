//go:build corpus

package smbios

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/memaudit/memaudit/internal/tools/corpustest"
)

// Every published text must give a table with structures.
func TestCorpusTexts(t *testing.T) {
	texts, devices := 0, 0
	corpustest.Texts(t, func(name string, data []byte) {
		texts++
		table, err := Parse(data)
		require.NoError(t, err, name)
		assert.NotEmpty(t, table.Structures, name)
		viewAll(table)
		devices += table.Count(typeMemoryDevice)
	})
	assert.Greater(t, texts, 2000)
	t.Logf("%d texts, %d memory devices", texts, devices)
}

// The signature decoded from the ID must be the one dmidecode printed.
func TestCorpusSignatures(t *testing.T) {
	compared := 0
	corpustest.Texts(t, func(name string, data []byte) {
		table, err := Parse(data)
		require.NoError(t, err, name)
		for _, p := range table.Processors() {
			f := table.fields(table.Lookup(p.Handle, typeProcessor))
			want := f.signature()
			// Some firmware has other bytes in the ID; dmidecode prints a signature that no processor has.
			if base := p.ID.Value >> 8 & 0xF; base != 6 && base != 0xF {
				continue
			}
			// An Intel processor with the number of an AMD family: dmidecode leaves out the extended model.
			if strings.HasSuffix(name, "8A3B1DF0489C.txt") {
				continue
			}
			x86 := slices.ContainsFunc(x86Families[:], func(run [2]int) bool { return run[0] <= p.Family.Value && p.Family.Value <= run[1] })
			if want.Known() && x86 {
				compared++
				assert.Equal(t, want, p.CPUID, "%s 0x%04X", name, p.Handle)
			}
		}
	})
	assert.Greater(t, compared, 3000)
	t.Logf("%d signatures", compared)
}
