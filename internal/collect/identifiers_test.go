package collect_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/memaudit/memaudit/internal/collect/collecttest"
	"github.com/memaudit/memaudit/internal/source/host/hosttest"
)

// TestCommandLineShown checks that evidence of the command line has no names and secrets, but all
// options that an audit needs.
func TestCommandLineShown(t *testing.T) {
	sys := collecttest.Collected(t, hosttest.Skylake.Tree(hosttest.TwoSockets).With(hosttest.Files{
		"proc/cmdline": `BOOT_IMAGE=/vmlinuz root=UUID=0a1b2c3d-0000-4000-8000-0123456789AB BOOTIF=01-52-54-00-12-34-56 quiet rd.iscsi.password=hunter2 ` +
			`rd.luks.key="/a key:b" numa=off mem="64G" intel_idle.max_cstate=1 hunter2@host -- token=hunter2 hunter2` + "\n"}))
	assert.Equal(t, "BOOT_IMAGE=<hidden> root=<hidden> BOOTIF=<hidden> quiet rd.iscsi.password=<hidden> rd.luks.key=<hidden> "+
		`numa=off mem="64G" intel_idle.max_cstate=1 <hidden> -- <hidden> <hidden>`, sys.NUMA.Cmdline.From.Raw)
}
