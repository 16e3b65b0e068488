package smbios

import "slices"

// wordList maps the codes of one field to names, spelled as dmidecode 3.6 prints them or, for codes unknown to
// dmidecode 3.6, as in the specification.
type wordList struct {
	first int // the code of words[0]
	words []string
	// more holds codes outside that range, ascending.
	more []codeWord
	// old holds pairs of an earlier dmidecode version's spelling and the current one.
	old []string
}

type codeWord struct {
	code int
	word string
}

func (w *wordList) lookup(code int) string {
	if i := code - w.first; i >= 0 && i < len(w.words) {
		return w.words[i]
	}
	for _, m := range w.more {
		if m.code == code {
			return m.word
		}
	}
	return ""
}

// field returns the name of a code as a Field: "Unknown" is Unstated, an undefined code Malformed.
func (w *wordList) field(code int) Field[string] {
	switch word := w.lookup(code); word {
	case "":
		return status[string](Malformed)
	case "Unknown":
		return status[string](Unstated)
	default:
		return known(word)
	}
}

// printed returns a printed name as a Field, in its current spelling.
func (w *wordList) printed(word string) Field[string] {
	if st := textStatus(word); st != Known {
		return status[string](st)
	}
	for pair := range slices.Chunk(w.old, 2) {
		if pair[0] == word {
			return known(pair[1])
		}
	}
	return known(word)
}

// memoryTypes is DSP0134 7.18.2. 25h and 26h are newer than dmidecode 3.6.
var memoryTypes = wordList{first: 1, words: []string{
	"Other", "Unknown", "DRAM", "EDRAM", "VRAM", "SRAM", "RAM", "ROM", "Flash",
	"EEPROM", "FEPROM", "EPROM", "CDRAM", "3DRAM", "SDRAM", "SGRAM", "RDRAM",
	"DDR", "DDR2", "DDR2 FB-DIMM", "Reserved", "Reserved", "Reserved", "DDR3",
	"FBD2", "DDR4", "LPDDR", "LPDDR2", "LPDDR3", "LPDDR4",
	"Logical non-volatile device", "HBM", "HBM2", "DDR5", "LPDDR5", "HBM3",
	"MRDIMM", "LPDDR6",
}}

// formFactors is DSP0134 7.18.1. 11h to 13h are newer than dmidecode 3.6.
var formFactors = wordList{first: 1, words: []string{
	"Other", "Unknown", "SIMM", "SIP", "Chip", "DIP", "ZIP", "Proprietary Card",
	"DIMM", "TSOP", "Row Of Chips", "RIMM", "SODIMM", "SRIMM", "FB-DIMM", "Die",
	"CAMM", "CUDIMM", "CSODIMM",
}}

// technologies is DSP0134 7.18.6.
var technologies = wordList{first: 1, words: []string{
	"Other", "Unknown", "DRAM", "NVDIMM-N", "NVDIMM-F", "NVDIMM-P",
	"Intel Optane DC persistent memory", "MRDIMM",
}, old: []string{
	"Intel persistent memory", "Intel Optane DC persistent memory",
	"Intel Optane persistent memory", "Intel Optane DC persistent memory",
}}

// arrayLocations is DSP0134 7.17.1.
var arrayLocations = wordList{first: 1, words: []string{
	"Other", "Unknown", "System Board Or Motherboard", "ISA Add-on Card",
	"EISA Add-on Card", "PCI Add-on Card", "MCA Add-on Card",
	"PCMCIA Add-on Card", "Proprietary Add-on Card", "NuBus",
}, more: []codeWord{
	{0xA0, "PC-98/C20 Add-on Card"}, {0xA1, "PC-98/C24 Add-on Card"},
	{0xA2, "PC-98/E Add-on Card"}, {0xA3, "PC-98/Local Bus Add-on Card"},
	{0xA4, "CXL Add-on Card"},
}}

// arrayUses is DSP0134 7.17.2.
var arrayUses = wordList{first: 1, words: []string{
	"Other", "Unknown", "System Memory", "Video Memory", "Flash Memory",
	"Non-volatile RAM", "Cache Memory",
}}

// eccTypes is DSP0134 7.17.3.
var eccTypes = wordList{first: 1, words: []string{
	"Other", "Unknown", "None", "Parity", "Single-bit ECC", "Multi-bit ECC", "CRC",
}}
