package collect_test

import (
	"testing"

	"github.com/memaudit/memaudit/internal/fact"
	"github.com/memaudit/memaudit/internal/host/hosttest"
	"github.com/memaudit/memaudit/internal/inventory"
)

// TestWhoDecidedSMT asks in the order of section 3 of linux-sources.md: siblings
// offline, options, firmware's thread counts.
func TestWhoDecidedSMT(t *testing.T) {
	direct, corroborated, indirect := fact.Direct, fact.Corroborated, fact.Indirect
	cmd, administrator, firmware := inventory.DecidedCommandLine, inventory.DecidedAdministrator, inventory.DecidedFirmware
	off, forced := withSMT(1, "off", "0"), withSMT(1, "forceoff", "0")
	siblings := withSMT(1, "on", "0").With(hosttest.Files{cpuDir + "present": "0-7\n", cpuDir + "offline": "4-7\n"})
	run(t, "smt", []settingCase{
		{"on", withSMT(2, "on", "1"), by(is("enabled", direct), firmware)},
		{"off by nosmt", options(off, "nosmt"), by(is("disabled", direct), cmd)},
		{"off by mitigations=auto,nosmt", options(off, "mitigations=auto,nosmt"), by(is("disabled", direct), cmd)},
		{"off by l1tf=full", options(off, "l1tf=full"), by(is("disabled", direct), cmd)},
		{"off by mds=full,nosmt", options(off, "mds=full,nosmt"), by(is("disabled", direct), cmd)},
		{"forceoff by nosmt=force", options(forced, "nosmt=force"), by(is("disabled", direct), cmd)},
		{"forceoff by l1tf=full,force", options(forced, "l1tf=full,force"), by(is("disabled", direct), cmd)},
		{"off by mitigations=auto is none", options(off, "mitigations=auto"), by(is("disabled", direct), administrator)},
		{"off without an option: written", off, by(is("disabled", direct), administrator)},
		{"off, options not captured", off.Without(cmdline), open(is("disabled", direct))},
		{"on and 0, siblings offline", siblings, by(is("disabled", direct), administrator)},
		{"on and 0, siblings offline by maxcpus", options(siblings, "maxcpus=4"), by(is("disabled", direct), cmd)},
		{"on and 0, the part can do two threads", capable(withSMT(1, "on", "0"), 4, 8, 0), by(is("disabled", direct), firmware)},
		{"on and 0, nothing says", withSMT(1, "on", "0"), open(is("disabled", direct))},
		{"notsupported, the part can do two threads", capable(withSMT(1, "notsupported", "0"), 4, 8, 0), by(is("disabled", corroborated), firmware)},
		{"notsupported, nothing says", withSMT(1, "notsupported", "0"), open(is("disabled", indirect))},
		{"a guest's", flags(withSMT(2, "on", "1"), "hypervisor"), by(is("enabled", direct), inventory.DecidedHypervisor)},
	})
}
