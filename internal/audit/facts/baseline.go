package facts

import "github.com/memaudit/memaudit/internal/model/inventory"

// changeType is one thing beside the accepted hardware: a slot, or the machine.
func changeType() *ObjectType {
	get := func(f func(c *inventory.Compared) Value) func(any) Value {
		return func(src any) Value { return f(src.(*inventory.Compared)) }
	}
	return newType("Baseline", "one slot, or the machine, beside the hardware that was accepted",
		Field{"same", boolType, "it is as it was accepted", get(func(c *inventory.Compared) Value { return valueOf(c.Same) })},
		Field{"kinds", textListType, "the kinds of what differs: dimm_lost, dimm_moved, bios ...", get(func(c *inventory.Compared) Value {
			return computedFrom(c.Same, func(bool) any {
				out := []string{}
				for _, change := range c.Changes {
					out = append(out, string(change.Kind))
				}
				return out
			})
		})},
		Field{"accepted", textType, "what was accepted, of all that differs", get(func(c *inventory.Compared) Value {
			return computedFrom(c.Same, func(bool) any { return c.Then })
		})},
		Field{"present", textType, "what is there now, of all that differs", get(func(c *inventory.Compared) Value {
			return computedFrom(c.Same, func(bool) any { return c.Now })
		})},
	)
}
