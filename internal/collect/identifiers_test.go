package collect_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/memaudit/memaudit/internal/collect/collecttest"
	"github.com/memaudit/memaudit/internal/host/hosttest"
)

// TestNoIdentifierOfTheCommandLine: what evidence shows of it names no machine.
func TestNoIdentifierOfTheCommandLine(t *testing.T) {
	sys := collecttest.Collected(t, hosttest.Skylake.Tree(hosttest.TwoSockets).With(hosttest.Files{
		"proc/cmdline": "BOOT_IMAGE=/vmlinuz root=UUID=0a1b2c3d-0000-4000-8000-0123456789AB BOOTIF=01-52-54-00-12-34-56 mac=52:54:00:12:34:56 numa=off\n"}))
	assert.Equal(t, "BOOT_IMAGE=/vmlinuz root=UUID=<hidden> BOOTIF=<hidden> mac=<hidden> numa=off", sys.NUMA.Cmdline.From.Raw)
}
