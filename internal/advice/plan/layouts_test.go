package plan_test

// half populates the first four channels of every processor, uneven a full first processor and a second one with five
// modules.
func half(_, channel, slot int) bool     { return slot == 0 && channel < 4 }
func uneven(cpu, channel, slot int) bool { return cpu == 0 || slot == 0 && channel < 5 }
func firstSlots(_, _, slot int) bool     { return slot == 0 }
