package wording

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"memaudit.example/memaudit/internal/model/fact"
	"memaudit.example/memaudit/internal/model/inventory"
)

// TestTerms checks that an abbreviation is a separate word, in any case, alone or in a rule's or setting's id, and is
// explained once.
func TestTerms(t *testing.T) {
	for text, want := range map[string][]string{
		"":                                        nil,
		"the plumsy resmtart":                     nil,
		"QPI links, UPIs and QPI again":           {"QPI", "UPI"},
		"memory.ecc.active, upi_prefetch":         {"ECC", "UPI"},
		"C-states (NUMA-aware), FB-DIMM":          {"C-state", "NUMA", "FB-DIMM"},
		"dell-system-profiles/something-dapc":     {"DAPC"},
		"MT/s, DIMM_A1, CPU1, SNCX, xGMIs; a-b-c": {"xGMI"},
	} {
		var got []string
		for _, term := range TermsIn(text) {
			got = append(got, term.Name)
			assert.NotEmpty(t, term.Meaning)
		}
		assert.Equal(t, want, got, text)
	}
}

func TestProcessorName(t *testing.T) {
	for in, want := range map[string]string{
		"Intel(R) Xeon(R) CPU           X5670  @ 2.93GHz":  "Xeon X5670",
		"Intel(R) Xeon(R) Gold 6338 CPU @ 2.00GHz":         "Xeon Gold 6338",
		"AMD EPYC 7763 64-Core Processor":                  "EPYC 7763",
		"Quad-Core AMD Opteron(tm) Processor 8356":         "Opteron 8356",
		"Intel(R) Xeon(R) Platinum 8480+":                  "Xeon Platinum 8480+",
		"Intel":                                            "Intel",
		"AMD FX(tm)-8120 Eight-Core Processor            ": "FX-8120",
		"Genuine Intel(R) CPU 0000%@":                      "Intel engineering sample",
	} {
		assert.Equal(t, want, ProcessorName(in))
	}
}

// is is a known value.
func is[T any](v T) fact.Fact[T] { return fact.Known(v, fact.Direct, fact.Evidence{}) }

// TestMachineNames checks that the vendor is printed once, without its legal form, and that an unknown name is
// reported as such.
func TestMachineNames(t *testing.T) {
	for _, c := range []struct{ vendor, product, want string }{
		{"Dell Inc.", "PowerEdge R710", "Dell PowerEdge R710"}, {"HPE", "HPE ProLiant", "HPE ProLiant"}, {"Lenovo", "LENOVO SR650", "LENOVO SR650"},
		{"Example Co., Ltd.", "Example One", "Example One"}, {"", "R710", "R710"}, {"Dell Inc.", "", "Dell, model not known"}, {"", "", "machine of unknown make"},
		{"Intel Corporation", "S2600", "Intel S2600"},
	} {
		assert.Equal(t, c.want, MachineName(&inventory.Machine{Vendor: is(c.vendor), Product: is(c.product)}), c)
	}
	for _, c := range []struct{ version, date, want string }{
		{"2.1", "", "BIOS 2.1"}, {"", "", ""}, {"2.1", "03/04/2019", "BIOS 2.1 (" + FormatDate("03/04/2019") + ")"}, {"", "03/04/2019", "BIOS of " + FormatDate("03/04/2019")},
	} {
		assert.Equal(t, c.want, DescribeBIOS(&inventory.BIOS{Version: is(c.version), Date: is(c.date)}), c)
	}
}

// TestPrintedRates checks the names under which JEDEC and the vendors print the speeds that firmware reports
// (JESD79-3F: 1066, 1333; JESD79-4: 2133, 2666, 2933).
func TestPrintedRates(t *testing.T) {
	for stated, want := range map[int]string{1067: "1066", 1332: "1333", 1334: "1333", 668: "667", 1867: "1866", 2134: "2133", 2667: "2666", 2934: "2933", 4800: "4800", 1111: "1111"} {
		assert.Equal(t, want, PrintedRate(stated), stated)
	}
}
