package report

// Misnamed returns, for each socket whose slots' labels begin with another socket's name, that beginning: a
// ThinkStation P920 has CPU1_DIMM_1 at its CPU0. It is nil for most machines.
func Misnamed(inv *Inventory) map[int]string {
	var out map[int]string
	for i := range inv.Slots {
		s := &inv.Slots[i]
		label := s.Locator.Text()
		if s.Socket == nil || label == "" || out[*s.Socket] != "" || beginsWith(label, Designation(inv, s.Socket)) > 0 {
			continue
		}
		for j := range inv.Sockets {
			n := beginsWith(label, inv.Sockets[j].Designation.Text())
			if n == 0 || inv.Sockets[j].ID == *s.Socket {
				continue
			}
			if out == nil {
				out = map[int]string{}
			}
			out[*s.Socket] = label[:n]
		}
	}
	return out
}

// beginsWith returns the length of the processor's name at the beginning of a label, ignoring blanks and signs: 4 of
// CPU1_DIMM_1 by "CPU 1". It is 0 if the label begins otherwise, or the name does not end in a number: "CPU" does not
// distinguish processors. It allocates nothing: every slot is checked against every processor.
func beginsWith(label, name string) int {
	if name == "" || !isDigit(name[len(name)-1]) {
		return 0
	}
	at := 0
	for i := range len(name) {
		if !alphanumeric(name[i]) {
			continue
		}
		for at < len(label) && !alphanumeric(label[at]) {
			at++
		}
		if at == len(label) || smallLetter(label[at]) != smallLetter(name[i]) {
			return 0
		}
		at++
	}
	if at == len(label) || isDigit(label[at]) { // CPU1 is not a beginning of CPU11
		return 0
	}
	return at
}

func alphanumeric(c byte) bool {
	return isDigit(c) || smallLetter(c) >= 'a' && smallLetter(c) <= 'z'
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

func smallLetter(c byte) byte {
	if c >= 'A' && c <= 'Z' {
		return c + 'a' - 'A'
	}
	return c
}
