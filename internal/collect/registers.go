package collect

import (
	"github.com/memaudit/memaudit/internal/host"
	"github.com/memaudit/memaudit/internal/inventory"
)

// readRegisters reads the model-specific registers, except where they mislead: in guests unknown
// registers read 0, and Xen shows its own.
func (c *collector) readRegisters() {
	if c.facts == nil {
		return
	}
	virtual := c.sys.Machine.Virtual
	switch {
	case virtual.Or(false):
		c.msr = host.RefuseMSR("registers of a virtual machine say nothing: unknown ones read 0")
	case c.privileged():
		c.msr = host.RefuseMSR("the registers are those that Xen shows")
	case !virtual.Known():
		c.msr = host.RefuseMSR("nothing says whether this is a virtual machine, whose registers say nothing")
	default:
		c.msr = host.ReadMSR(c.root, c.facts.CPU)
	}
	s := c.msr.Source
	c.sys.Sources = append(c.sys.Sources, inventory.Source{Name: s.Name, State: s.State, Detail: s.Detail})
}
