package place

import (
	"io/fs"

	"github.com/memaudit/memaudit/internal/model/inventory"
	"github.com/memaudit/memaudit/internal/topology/platform"
)

// Slots derives where every slot of the machine sits. The result is aligned
// with sys.Slots; what cannot be derived carries its reason. p is nil when the
// platform was not recognised, k holds the folder slots of the rules. A
// topology that cannot be (more processors or channels than the machine has,
// two modules in one place) makes the mapping unknown, never wrong.
func Slots(sys *inventory.System, p *platform.Platform, k fs.FS) ([]Placement, []inventory.Conflict) {
	pl := newPlacer(sys, p)
	pl.id.addBoard(k, &sys.Machine)
	if virtual, _ := sys.Machine.Virtual.Get(); virtual {
		pl.fail("the slots of a virtual machine are not slots of a board", true)
		return pl.out, nil
	}
	rules, err := loadLocatorRules(k, pl.id)
	if err != nil {
		pl.fail(err.Error(), true)
		return pl.out, nil
	}
	pl.read(rules)
	pl.dropHalfLabelled()
	for i := range rules {
		if g := pl.group(&rules[i]); g != nil {
			g.resolve(k)
		}
	}
	pl.applyHPE()
	pl.fillSingleSlots()
	pl.ownModules(p)
	pl.guard()
	if v := pl.labelledEDAC(); v != nil {
		pl.hear(v)
	} else {
		pl.applyEDAC()
	}
	pl.hear(pl.controllerView())
	pl.examine(p)
	return pl.out, pl.conflicts
}
