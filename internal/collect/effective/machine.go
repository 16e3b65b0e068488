// Package effective derives the effective face of every BIOS setting on the running
// machine, and who decided it (firmware, the kernel, an administrator). It reads no
// files: its input is what internal/source/host read and internal/collect joined.
package effective

import (
	"github.com/memaudit/memaudit/internal/model/fact"
	"github.com/memaudit/memaudit/internal/model/inventory"
	"github.com/memaudit/memaudit/internal/source/host"
)

// Machine is the input of the derivations.
type Machine struct {
	// System is the model with identity, processors, nodes, memory and slots.
	System *inventory.System
	// Kernel is what the kernel's files say. It is nil if no tree is audited; then NoKernel returns
	// the reason why something that only the kernel shows is unknown.
	Kernel   *host.Facts
	NoKernel func(what string) fact.Fact[string]
	// Registers are the model-specific registers, or the reason why they were not read. They are
	// nil only if Kernel is nil.
	Registers *host.MSR
	// Privileged says that this is the privileged domain of Xen: it runs on the real machine, but
	// the hypervisor provides its CPUs, nodes and memory.
	Privileged bool
	// OwnTable says that the SMBIOS table belongs to the audited machine. A file given with a tree
	// may be another machine's on purpose.
	OwnTable bool
}

// XenReason is the reason why Xen's privileged domain shows nothing.
const XenReason = "Xen makes up the processors and the memory that its privileged domain sees"
