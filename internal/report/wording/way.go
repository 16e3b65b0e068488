package wording

import (
	"slices"

	"memaudit.example/memaudit/internal/model/fact"
)

const otherInput = "need other input"

// needs describe what a check needs to run by the inputs that would make its facts known. The first that one of them is
// listed for counts, the narrower ones first.
var needs = [...]struct {
	need   string
	inputs []fact.Input
}{
	{"need its SMBIOS table (--smbios FILE)", []fact.Input{fact.SMBIOSFile}},
	{"need the complete output of dmidecode", []fact.Input{fact.CompleteOutput}},
	{otherInput, []fact.Input{fact.ProcessorTable, fact.BrandString}},
	{"need the running machine", []fact.Input{fact.LiveBesideFile, fact.LiveFiles, fact.LiveSystem, fact.LiveNodes, fact.OwnBrandString}},
	{otherInput, []fact.Input{fact.RegisterCapture, fact.RegisterModule}},
	{"need root", []fact.Input{fact.Root, fact.RootAsBefore, fact.RegistersAsRoot}},
	{"need a fuller capture (memaudit snapshot)", nil},
	{"need its BMC (--redfish URL)", []fact.Input{fact.BMCMemory, fact.ConfiguredSpeed}},
	{"need its BIOS settings (--bios FILE or --redfish URL)", []fact.Input{fact.BIOSSettings, fact.BIOSExport, fact.BIOSExportPassed,
		fact.BIOSExportComplete, fact.BIOSToCompare, fact.BIOSOrBMC, fact.BIOSOrWithoutXen, fact.ReadAgainOrBIOS, fact.KVMOrBIOS, fact.OwnTableOrBIOS}},
	{"need a slot map (memaudit rules draft)", []fact.Input{fact.SlotMap, fact.LetteredSlotMap}},
}

// Need describes what a check needs to run, by what would make its facts known.
func Need(knownBy fact.Inputs) string {
	if len(knownBy) == 0 {
		return "are not possible on this hardware"
	}
	for _, n := range needs {
		if slices.ContainsFunc(knownBy, func(one fact.Input) bool {
			return n.inputs == nil && one.IsCapture() || slices.ContainsFunc(n.inputs, one.Is)
		}) {
			return n.need
		}
	}
	return otherInput
}
