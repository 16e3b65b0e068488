package topology

import (
	"bytes"
	"regexp"
	"strconv"
	"strings"

	"github.com/memaudit/memaudit/internal/inventory"
)

var signatureText = regexp.MustCompile(`Family (\d+), Model (\d+), Stepping (\d+)`)

// scanAll is scan with what recognising, looking up and speeds need besides:
// CPUID, rated and configured speed, ranks, registering.
func scanAll(data []byte) *inventory.System {
	sys := scan(data)
	var fields map[string]string
	kind, socket, slot := 0, 0, 0
	flush := func() {
		switch {
		case kind == 4 && fields["Type"] == "Central Processor" && socket < len(sys.Sockets):
			scanSignature(&sys.Sockets[socket], fields["Signature"])
			socket++
		case kind == 17 && slot < len(sys.Slots):
			scanModule(&sys.Slots[slot], fields)
			slot++
		}
	}
	for line := range bytes.Lines(data) {
		text := strings.TrimRight(string(line), "\r\n")
		if m := scanHandle.FindStringSubmatch(text); m != nil {
			flush()
			kind, _ = strconv.Atoi(m[2])
			fields = map[string]string{}
			continue
		}
		key, value, ok := strings.Cut(strings.TrimSpace(text), ":")
		if ok && fields != nil {
			if _, twice := fields[key]; !twice {
				fields[key] = strings.TrimSpace(value)
			}
		}
	}
	flush()
	return sys
}

func scanSignature(s *inventory.Socket, text string) {
	m := signatureText.FindStringSubmatch(text)
	if m == nil || (m[1] == "0" && m[2] == "0") {
		return
	}
	num := func(i int) inventory.Fact[int] {
		n, _ := strconv.Atoi(m[i])
		return inventory.Known(n, inventory.Direct, inventory.Evidence{})
	}
	s.Family, s.Model, s.Stepping = num(1), num(2), num(3)
}

func scanModule(s *inventory.Slot, f map[string]string) {
	s.RatedMTs = scanNumber(f["Speed"])
	s.ConfiguredMTs = scanNumber(f["Configured Memory Speed"])
	if f["Configured Memory Speed"] == "" {
		s.ConfiguredMTs = scanNumber(f["Configured Clock Speed"])
	}
	s.Ranks = scanNumber(f["Rank"])
	detail := f["Type Detail"]
	switch {
	case strings.Contains(detail, "LRDIMM"):
		s.LoadReduced = inventory.Known(true, inventory.Direct, inventory.Evidence{})
		s.Registered = s.LoadReduced
	case strings.Contains(detail, "Registered"):
		s.Registered = inventory.Known(true, inventory.Direct, inventory.Evidence{})
	case strings.Contains(detail, "Unbuffered"):
		s.Registered = inventory.Known(false, inventory.Direct, inventory.Evidence{})
	}
	if v, ok := strings.CutSuffix(f["Configured Voltage"], " V"); ok {
		if x, err := strconv.ParseFloat(v, 64); err == nil && x > 0 {
			s.ConfiguredMV = inventory.Known(int(x*1000+0.5), inventory.Direct, inventory.Evidence{})
		}
	}
}

func scanNumber(text string) inventory.Fact[int] {
	word, _, _ := strings.Cut(text, " ")
	n, err := strconv.Atoi(word)
	if err != nil || n == 0 {
		return inventory.Fact[int]{State: inventory.Unstated}
	}
	return inventory.Known(n, inventory.Direct, inventory.Evidence{})
}
