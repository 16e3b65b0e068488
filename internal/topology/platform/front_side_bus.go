package platform

import "github.com/memaudit/memaudit/internal/model/inventory"

// FrontSideBus reports whether the memory hangs on the chipset. Without a
// platform the memory type decides: Intel moved the controller into the
// processor with DDR3 (Nehalem), AMD did long before.
func FrontSideBus(sys *inventory.System, p *Platform) bool {
	if p != nil {
		return !p.NUMA
	}
	for i := range sys.Sockets {
		if sys.Sockets[i].Vendor.Or("GenuineIntel") != "GenuineIntel" {
			return false
		}
	}
	for i := range sys.Slots {
		if sys.Slots[i].State != inventory.SlotPopulated {
			continue
		}
		switch sys.Slots[i].Type.Or("") {
		case "DDR2 FB-DIMM", "FB-DIMM":
			return true
		case "DDR", "DDR2", "SDRAM":
			return sys.CPU.Vendor.Or("") == "GenuineIntel" || intelSockets(sys)
		}
	}
	return false
}

// intelSockets reports whether some processor says it is Intel's.
func intelSockets(sys *inventory.System) bool {
	for i := range sys.Sockets {
		if sys.Sockets[i].Vendor.Or("") == "GenuineIntel" {
			return true
		}
	}
	return false
}
