package plan_test

// uneven populates a full first processor and a second one with five modules.
func uneven(cpu, channel, slot int) bool { return cpu == 0 || slot == 0 && channel < 5 }
func firstSlots(_, _, slot int) bool     { return slot == 0 }
