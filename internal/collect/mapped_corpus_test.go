//go:build corpus

package collect_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/memaudit/memaudit/internal/collect"
	"github.com/memaudit/memaudit/internal/model/inventory"
	"github.com/memaudit/memaudit/internal/source/smbios"
	"github.com/memaudit/memaudit/internal/tools/corpustest"
)

// TestCorpusMapped compares firmware's map of the servers' memory with their modules: if it is accepted, it nearly
// always covers all of them.
func TestCorpusMapped(t *testing.T) {
	stated, agree := 0, 0
	corpustest.Members(t, corpustest.Servers, func(_ string, data []byte) {
		table, err := smbios.Parse(data)
		if err != nil {
			return
		}
		sys := collect.Collect(collect.Input{SMBIOS: table})
		mapped, ok := sys.Memory.MappedBytes.Get()
		var installed int64
		for i := range sys.Slots {
			if s := &sys.Slots[i]; s.State == inventory.SlotPopulated && s.Technology.Or(inventory.DRAM) == inventory.DRAM {
				installed += s.SizeBytes.Or(0)
			}
		}
		if !ok || installed == 0 {
			return
		}
		stated++
		if off := max(installed-mapped, mapped-installed); off*100 <= installed*7 {
			agree++
		}
	})
	t.Logf("%d of %d servers map their modules within 7 %%", agree, stated)
	assert.Greater(t, agree*100, stated*95)
	assert.Greater(t, stated, 900)
}
