// Package effective judges what the settings of firmware come to on the running
// machine: the effective face of every setting, and who decided it. It reads
// nothing; which source wins is settled before.
package effective

import (
	"github.com/memaudit/memaudit/internal/fact"
	"github.com/memaudit/memaudit/internal/host"
	"github.com/memaudit/memaudit/internal/inventory"
)

// Machine is what the settings are judged by.
type Machine struct {
	// System is the model: identity, processors, nodes, memory and its slots.
	System *inventory.System
	// Kernel is what the kernel's files say; nil when no tree is audited, and
	// then NoKernel gives the reason for a thing that only the kernel shows.
	Kernel   *host.Facts
	NoKernel func(what string) fact.Fact[string]
	// Registers are the model-specific registers, or why they were not read;
	// nil only without a kernel.
	Registers *host.MSR
	// Privileged: this is the privileged domain of Xen, which runs on the real
	// machine, but whose CPUs, nodes and memory are what the hypervisor gives.
	Privileged bool
	// OwnTable: the SMBIOS table is the audited machine's own. A file given
	// beside a tree may well be another machine's on purpose.
	OwnTable bool
}

// XenReason is why the privileged domain of Xen shows nothing.
const XenReason = "Xen makes up the processors and the memory that its privileged domain sees"
