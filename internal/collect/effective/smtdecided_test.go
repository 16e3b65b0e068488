package effective_test

import (
	"testing"

	"github.com/memaudit/memaudit/internal/model/fact"
	"github.com/memaudit/memaudit/internal/model/fact/want"
	"github.com/memaudit/memaudit/internal/model/inventory"
	"github.com/memaudit/memaudit/internal/source/host/hosttest"
)

// TestWhoDecidedSMT checks in the order of docs/kernel.md, SMT: siblings offline, options, firmware's
// thread counts.
func TestWhoDecidedSMT(t *testing.T) {
	t.Parallel()
	direct, corroborated, indirect := fact.Direct, fact.Corroborated, fact.Indirect
	cmd, administrator, firmware := inventory.DecidedCommandLine, inventory.DecidedAdministrator, inventory.DecidedFirmware
	off, forced := withSMT(1, "off", "0"), withSMT(1, "forceoff", "0")
	siblings := withSMT(1, "on", "0").With(hosttest.Files{hosttest.CPUDir + "present": "0-7\n", hosttest.CPUDir + "offline": "4-7\n"})
	run(t, "smt", []settingCase{
		{"on", withSMT(2, "on", "1"), by(want.Is("enabled", direct), firmware)},
		{"off by nosmt", hosttest.Options(off, "nosmt"), by(want.Is("disabled", direct), cmd)},
		{"off by mitigations=auto,nosmt", hosttest.Options(off, "mitigations=auto,nosmt"), by(want.Is("disabled", direct), cmd)},
		{"off by l1tf=full", hosttest.Options(off, "l1tf=full"), by(want.Is("disabled", direct), cmd)},
		{"off by l1tf=flush,nosmt", hosttest.Options(off, "l1tf=flush,nosmt"), by(want.Is("disabled", direct), cmd)},
		{"off by l1tf=flush is none", hosttest.Options(off, "l1tf=flush"), by(want.Is("disabled", direct), administrator)},
		{"off by mds=full,nosmt", hosttest.Options(off, "mds=full,nosmt"), by(want.Is("disabled", direct), cmd)},
		{"forceoff by nosmt=force", hosttest.Options(forced, "nosmt=force"), by(want.Is("disabled", direct), cmd)},
		{"forceoff by l1tf=full,force", hosttest.Options(forced, "l1tf=full,force"), by(want.Is("disabled", direct), cmd)},
		{"off by mitigations=auto is none", hosttest.Options(off, "mitigations=auto"), by(want.Is("disabled", direct), administrator)},
		{"off without an option: written", off, by(want.Is("disabled", direct), administrator)},
		{"off, options not captured", off.Without(hosttest.Cmdline), open(want.Is("disabled", direct))},
		{"on and 0, siblings offline", siblings, by(want.Is("disabled", direct), administrator)},
		{"on and 0, siblings offline by maxcpus", hosttest.Options(siblings, "maxcpus=4"), by(want.Is("disabled", direct), cmd)},
		{"on and 0, the part can do two threads", capable(withSMT(1, "on", "0"), 4, 8, 0), by(want.Is("disabled", direct), firmware)},
		{"on and 0, nothing says", withSMT(1, "on", "0"), open(want.Is("disabled", direct))},
		{"notsupported, the part can do two threads", capable(withSMT(1, "notsupported", "0"), 4, 8, 0), by(want.Is("disabled", corroborated), firmware)},
		{"notsupported, nothing says", withSMT(1, "notsupported", "0"), by(want.Is("disabled", indirect), inventory.DecidedHardware)},
		{"a guest's", hosttest.Flags(withSMT(2, "on", "1"), "hypervisor"), by(want.Is("enabled", direct), inventory.DecidedHypervisor)},
	})
}
