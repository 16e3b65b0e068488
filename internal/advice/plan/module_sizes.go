package plan

import (
	"cmp"
	"io/fs"
	"slices"
	"strconv"
	"strings"

	"memaudit.example/memaudit/internal/model/ddr"
	"memaudit.example/memaudit/internal/model/fact"
	"memaudit.example/memaudit/internal/model/inventory"
)

// modulesFile lists which memory a platform takes and its sizes.
const modulesFile = "platforms/modules.tsv"

// moduleSize is a size of modules that can be had.
type moduleSize struct {
	bytes int64
	// ranks as the platform's document or an installed module gives them, 0 for
	// not known.
	ranks int
}

// moduleRow is the row of modulesFile with a kind and a name: what memory it is
// of and which sizes there are; empty without one.
func moduleRow(k fs.FS, kind, name string) (memory, sizes string) {
	raw, err := fs.ReadFile(k, modulesFile)
	if err != nil {
		return "", ""
	}
	for line := range strings.Lines(string(raw)) {
		if c := strings.Split(strings.TrimSuffix(line, "\n"), "\t"); len(c) == 5 && c[0] == kind && c[1] == name {
			return c[2], c[3]
		}
	}
	return "", ""
}

// PlatformMemory is the kind of memory that a platform takes, in SMBIOS's terms, "" if no row has it.
func PlatformMemory(k fs.FS, id string) string {
	memory, _ := moduleRow(k, "platform", id)
	return memory
}

// sizesFor lists the sizes of modules for a platform, largest first: those its document names, otherwise those in the
// standard of its memory, and those installed, with their ranks.
func sizesFor(k fs.FS, id, memory string, sys *inventory.System) []moduleSize {
	of, sizes := moduleRow(k, "platform", id)
	if of != memory || sizes == "" {
		_, sizes = moduleRow(k, "memory", memory)
	}
	out := parseSizes(sizes)
	for i := range sys.Slots {
		s := &sys.Slots[i]
		if !s.HoldsDRAM() || s.SizeBytes.Or(0) == 0 {
			continue
		}
		at := slices.IndexFunc(out, func(m moduleSize) bool { return m.bytes == s.SizeBytes.Value })
		if at < 0 {
			at, out = len(out), append(out, moduleSize{bytes: s.SizeBytes.Value})
		}
		out[at].ranks = s.Ranks.Or(out[at].ranks)
	}
	slices.SortFunc(out, func(x, y moduleSize) int { return cmp.Compare(y.bytes, x.bytes) })
	return out
}

// parseSizes reads sizes in GiB, each with its ranks if a document gives them: "4:1 8:2 16:4".
func parseSizes(text string) []moduleSize {
	var out []moduleSize
	for word := range strings.FieldsSeq(text) {
		size, ranks, _ := strings.Cut(word, ":")
		n, err := strconv.ParseFloat(size, 64)
		if err != nil || n <= 0 {
			continue
		}
		m := moduleSize{bytes: int64(n * (1 << 30))}
		m.ranks, _ = strconv.Atoi(ranks)
		out = append(out, m)
	}
	return out
}

// onSale is a module of a kind that exists: if firmware prints DDR2 for modules of 1333 MT/s, DRAM or nothing, the
// kind in the platform's document is used, and if both are possible the kind is left open.
func onSale(s inventory.Slot, documented string) inventory.Slot {
	switch kind := MemoryKind(documented, &s); kind {
	case s.Type.Or(""):
	case "":
		s.Type = fact.Unknown[string](fact.Malformed, "firmware's word for the kind of memory does not go with the speed or the platform", "")
	default:
		s.Type = fact.Known(kind, fact.Indirect, fact.Evidence{})
	}
	return s
}

// MemoryKind is the kind of memory that firmware's word for a module, its rated speed and the platform's document
// (PlatformMemory, "" for none) agree on; "" for none.
func MemoryKind(documented string, s *inventory.Slot) string {
	stated, mts := s.Type.Or(""), s.RatedMTs.Or(0)
	generation := strings.HasPrefix(stated, "DDR")
	switch {
	case stated == documented, documented == "" && generation:
		return stated
	case documented == "":
		return ""
	case generation && strings.HasPrefix(documented, stated+" "): // DDR2 for DDR2 FB-DIMM
		return documented
	case ddr.HasRate(stated, mts) != ddr.HasRate(documented, mts):
		if ddr.HasRate(stated, mts) {
			return stated
		}
		return documented
	case !generation && mts == 0:
		return documented
	default:
		return ""
	}
}
