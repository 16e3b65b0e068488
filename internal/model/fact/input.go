package fact

import "strings"

// Input is what would make a fact known, as a text for people; "" if nothing that memaudit reads would. Reports count
// what they could not check by the inputs listed here (wording.Need); any other text is for one fact alone.
type Input string

// The inputs.
const (
	SMBIOSFile     Input = "give the machine's table with --smbios FILE (sudo dmidecode --dump-bin FILE makes one)"
	CompleteOutput Input = "the complete output of dmidecode (without -t)"
	WholeTable     Input = "a whole table"
	ProcessorTable Input = "audit with SMBIOS type 4 or /proc/cpuinfo"
	BrandString    Input = "a processor brand string (SMBIOS type 4 version, or /proc/cpuinfo)"
	OwnBrandString Input = "the processor's own brand string: audit the live machine or a capture with proc/cpuinfo"

	LiveBesideFile Input = "audit the live machine, or give --root or --snapshot beside the file"
	LiveFiles      Input = "audit the live machine, or a capture that holds its files"
	LiveSystem     Input = "audit the live machine or a capture with sys/devices/system"
	LiveNodes      Input = "audit the live machine or a capture with sys/devices/system/node"
	LiveKernel     Input = "run memaudit on the machine itself, where the kernel says what it sees"

	Root            Input = "run as root"
	RootAsBefore    Input = "run as root, with the same inputs as when the baseline was saved"
	RegistersAsRoot Input = "run as root with CAP_SYS_RAWIO, or " + BIOSOrBMC
	RegisterModule  Input = "load the msr module (modprobe msr) and run as root, or " + BIOSOrBMC
	RegisterCapture Input = "a capture made by root with the msr module loaded, or " + BIOSOrBMC

	BMCMemory       Input = "the BMC's memory inventory"
	ConfiguredSpeed Input = "the BMC's memory inventory, or a BIOS with SMBIOS 2.7 or newer"

	BIOSSettings       Input = "the BIOS settings"
	BIOSExport         Input = "export the BIOS settings and give them with --bios FILE"
	BIOSExportPassed   Input = "export the BIOS settings and pass them to the audit"
	BIOSExportComplete Input = "an export of all BIOS settings"
	BIOSToCompare      Input = "an export of the BIOS settings, to compare"
	BIOSOrBMC          Input = "an export of the BIOS settings with --bios, or the BMC with --redfish"
	BIOSOrWithoutXen   Input = "audit without Xen, or an export of the BIOS settings"
	ReadAgainOrBIOS    Input = "read the machine again, or " + BIOSOrBMC
	KVMOrBIOS          Input = "load the kvm module, or " + BIOSOrBMC
	OwnTableOrBIOS     Input = "the machine's own SMBIOS table, or " + BIOSOrBMC

	SlotMap         Input = "a slot map for this product"
	LetteredSlotMap Input = "a slot map with channel letters"
)

const capture Input = "a capture that holds "

// CaptureOf is a capture that holds these files, one or several in a list.
func CaptureOf(files string) Input { return capture + Input(files) }

// IsCapture reports whether a capture is needed that holds more.
func (i Input) IsCapture() bool { return strings.HasPrefix(string(i), string(capture)) }

const orUncoreDriver Input = ", or load the intel_uncore_frequency module"

// OrUncoreDriver adds the kernel's driver of the uncore frequency to what else would make that known.
func (i Input) OrUncoreDriver() Input {
	return Input(strings.TrimPrefix(string(i+orUncoreDriver), ", or "))
}

// Is reports whether this is the input, with or without the driver beside it.
func (i Input) Is(other Input) bool { return i == other || i == other+orUncoreDriver }

// BetweenInputs is between those that would make several facts known, in one text.
const BetweenInputs = "; "
