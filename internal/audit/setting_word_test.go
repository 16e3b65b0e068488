package audit

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/memaudit/memaudit/internal/audit/rulepack"
	"github.com/memaudit/memaudit/internal/model/fact"
	"github.com/memaudit/memaudit/internal/model/inventory"
	"github.com/memaudit/memaudit/internal/topology/platform"
)

// TestPresetIsSpelledAsTheVendorDoes checks that a remedy that names the value of a preset prints the export's
// spelling, not memaudit's.
func TestPresetIsSpelledAsTheVendorDoes(t *testing.T) {
	at := fact.Evidence{Source: inventory.SourceBIOS, Field: "CPUPowerManagement", Raw: "Performance"}
	assert.Equal(t, "Performance", presetWord(fact.Known("max_performance", fact.Direct, at)))
	at.Source = inventory.SourceCPUFreq
	assert.Equal(t, "max_performance", presetWord(fact.Known("max_performance", fact.Direct, at)), "a kernel's file spells no vendor's word")
	assert.Empty(t, presetWord(fact.Unknown[string](fact.Unread, "", "")))
}

// TestUnspelled checks the request for the machine's spelling of the recommended value: the values of the option in
// the export, else an export.
func TestUnspelled(t *testing.T) {
	w := &rulepack.WantedSetting{ID: "x2apic", Want: rulepack.Words{"auto", "enabled"}}
	named := fact.Evidence{Source: inventory.SourceBIOS, Field: "X2", Raw: "Off"}
	r := judging("Example", nil)
	const ours = "in memaudit's words x2apic must be auto or enabled"
	option := "no known document or export shows how X2, which is Off, spells it: " + ours + "; the option's values in BIOS setup or the machine's attribute registry, given with a further --bios, say it"
	export := "no known document or export shows how this machine names the option: " + ours + "; an export of its BIOS settings, given with --bios, names it"
	assert.Equal(t, option, r.unspelled(w, fact.Known("disabled", fact.Direct, named), ""))
	assert.Equal(t, export, r.unspelled(w, fact.Unknown[string](fact.Malformed, "no word of ours", "", named), ""))
	assert.Equal(t, export, r.unspelled(w, fact.Known("disabled", fact.Direct, fact.Evidence{Source: inventory.SourceBIOS}), ""))
	assert.Equal(t, ours+"; X2 offers Off here", r.unspelled(w, fact.Known("disabled", fact.Direct, named), "X2 offers Off here"), "why profiles patch leaves it")
}

// TestUndoing checks that a change on the running system is undone where it was made.
func TestUndoing(t *testing.T) {
	by := func(who, path, raw string) *inventory.Setting {
		return &inventory.Setting{Effective: known("enabled"), DecidedBy: fact.Known(who, fact.Direct, fact.Evidence{Path: path, Raw: raw})}
	}
	assert.Contains(t, undoing("c1e", by(inventory.DecidedKernel, "/sys/x", "1")), "intel_idle uses C1E")
	assert.Equal(t, "take the option off the kernel's command line (/proc/cmdline nosmt)", undoing("smt", by(inventory.DecidedCommandLine, "/proc/cmdline", " nosmt\n")))
	assert.Equal(t, "find out what writes the value at run time (a tuned profile, cpupower, a boot script) and take it back (/sys/x)", undoing("smt", by(inventory.DecidedAdministrator, "/sys/x", "")))
	for _, who := range []string{inventory.DecidedFirmware, inventory.DecidedKernel, inventory.DecidedHardware, inventory.DecidedHypervisor} {
		assert.Empty(t, undoing("smt", by(who, "/sys/x", "1")), who)
	}
	assert.Empty(t, undoing("smt", &inventory.Setting{}))
}

// TestChangeSpelling checks that only an export of BIOS settings shows the machine's spelling, and that firmware is identified
// by its registry before its version.
func TestChangeSpelling(t *testing.T) {
	r := judging("Dell Inc.", &platform.Platform{ID: "milan"})
	r.sys.Machine.Product, r.sys.Machine.BIOSVersion = known("PowerEdge R7525"), known("2.1")
	for source, seen := range map[string]string{inventory.SourceBIOS: "Boost", inventory.SourceRedfish: "Boost", inventory.SourceCPUFreq: "", inventory.SourceSMBIOS: ""} {
		at := fact.Evidence{Source: source, Field: "Boost", Raw: "On"}
		change := r.changeFor(inventory.Setting{Configured: fact.Known("enabled", fact.Direct, at)})
		assert.Equal(t, []string{seen, "PowerEdge R7525", "milan", "2.1"}, []string{change.Seen, change.Product, change.Platform, change.Firmware}, source)
		assert.Equal(t, seen != "", change.SeenRaw == "On", source)
		change = r.changeFor(inventory.Setting{Configured: fact.Unknown[string](fact.Malformed, "no word of ours", "", at)})
		assert.Empty(t, change.Seen, source)
	}
	r.sys.Machine.BIOSRegistry = known("BiosAttributeRegistryU46.v1_2_3")
	assert.Equal(t, "U46", r.changeFor(inventory.Setting{}).Firmware)
	r.population.Platform = fact.Fact[*platform.Platform]{}
	assert.Empty(t, r.changeFor(inventory.Setting{}).Platform)
}

// TestFirmwareFamily checks that the family is the end of the registry's name, before its version.
func TestFirmwareFamily(t *testing.T) {
	for registry, want := range map[string]string{"BiosAttributeRegistryU46.v1_2_3": "U46", "BiosAttributeRegistryA43": "A43", "BiosAttributeRegistry.v1_0_0": "", "OtherRegistryU46.v1": "", "": ""} {
		r := judging("", nil)
		if registry != "" {
			r.sys.Machine.BIOSRegistry = known(registry)
		}
		assert.Equal(t, want, r.firmware(), registry)
	}
}
