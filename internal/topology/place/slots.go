package place

import (
	"io/fs"

	"memaudit.example/memaudit/internal/model/inventory"
	"memaudit.example/memaudit/internal/topology/platform"
)

// Slots derives the position of every slot of the machine. The result is aligned with sys.Slots; a position
// that cannot be derived has its reason. p is nil if the platform was not recognised; k contains the folder
// slots of the rules. An impossible topology (more CPUs or channels than the machine has, two DIMMs in one
// place) makes the mapping unknown, never wrong.
func Slots(sys *inventory.System, p *platform.Platform, k fs.FS) ([]Placement, []inventory.Conflict) {
	pl := newPlacer(sys, p)
	if product := boardProduct(k, sys.Machine.Board.Or("")); product != "" {
		pl.id.boardVendor = boardsMaker
		pl.id.add(pl.id.boardVendor, product)
	}
	if virtual, _ := sys.Machine.Virtual.Get(); virtual {
		pl.fail("the slots of a virtual machine are not slots of a board", true)
		return pl.out, nil
	}
	rules, err := loadLocatorRules(k, pl.id)
	if err != nil {
		pl.fail(err.Error(), true)
		return pl.out, nil
	}
	pl.matchLabels(rules)
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
		pl.applyWitness(v)
	} else {
		pl.applyEDAC()
	}
	pl.applyWitness(pl.controllerView())
	pl.checkMapping(p)
	return pl.out, pl.conflicts
}
