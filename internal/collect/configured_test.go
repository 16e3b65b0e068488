package collect

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"memaudit.example/memaudit/internal/model/fact"
	"memaudit.example/memaudit/internal/model/inventory"
	"memaudit.example/memaudit/internal/model/settings"
	"memaudit.example/memaudit/internal/source/bios"
	"memaudit.example/memaudit/internal/source/host"
	"memaudit.example/memaudit/internal/source/host/hosttest"
	"memaudit.example/memaudit/internal/source/redfish"
	"memaudit.example/memaudit/internal/source/smbios"
	"memaudit.example/memaudit/internal/source/smbios/smbiostest"
	"memaudit.example/memaudit/rules"
)

// Exports made here, after the shapes that vendors' tools show.
const (
	dellBIOS = `{"@odata.id": "/redfish/v1/Systems/System.Embedded.1/Bios",
 "@Redfish.Settings": {"SettingsObject": {"@odata.id": "/redfish/v1/Systems/System.Embedded.1/Bios/Settings"}},
 "Attributes": {"SysProfile": "Custom", "ProcTurboMode": "Enabled", "ProcCStates": "Sometimes", "LogicalProc": null, "MemFrequency": "1866MHz", "AssetTag": "A-17",
 "NIC_3cecef112233_Speed": "Auto", "MemOpMode": "SpareMode"}}`
	dellWaiting = `{"@odata.id": "/redfish/v1/Systems/System.Embedded.1/Bios/Settings", "Attributes": {"ProcTurboMode": "Disabled"}}`
	racadmText  = "[Key=BIOS.Setup.1-1#SysProfileSettings]\nProcTurboMode=Disabled\nProcC1E=Enabled (Pending Value=Disabled)\n"
	hpeBIOS     = `{"@odata.type": "#Bios.v1_0_4.Bios", "AttributeRegistry": "BiosAttributeRegistryA43.v1_2_52", "Attributes": {"DeterminismControl": "DeterminismCtrlManual",
 "PerformanceDeterminism": "PowerDeterministic", "Numa": "Enabled", "MinProcIdlePower": "C6"}}`
)

// shippedTables are the vendors' tables, read once for all tests; no test changes them.
var shippedTables = sync.OnceValues(func() (settings.Tables, error) { return settings.LoadCompiled(rules.FS) })

// collected joins exports given as text.
func collected(t *testing.T, in Input, files ...string) *inventory.System {
	t.Helper()
	for i, text := range files {
		e, err := bios.Decode("file", []byte(text))
		require.NoError(t, err)
		in.Exports = append(in.Exports, Export{Source: inventory.SourceBIOS, Path: string(rune('a' + i)), Export: e})
	}
	in.Tables = shippedTables
	return Collect(in)
}

func bySource(t *testing.T, sys *inventory.System) []inventory.Source {
	t.Helper()
	var out []inventory.Source
	for _, s := range sys.Sources {
		if s.Name == inventory.SourceBIOS {
			out = append(out, s)
		}
	}
	return out
}

// TestConfigured reads one Redfish resource with its settings object for an otherwise unknown machine.
func TestConfigured(t *testing.T) {
	sys := collected(t, Input{}, dellWaiting, dellBIOS)
	turbo := sys.Settings["turbo"]
	require.Equal(t, fact.Known("enabled", fact.Direct, fact.Evidence{Source: "bios", Path: "b", Field: "ProcTurboMode", Raw: "Enabled"}), turbo.Configured)
	require.Equal(t, "disabled", turbo.Pending.Value)
	require.Equal(t, fact.Unread, turbo.Effective.State)
	require.Equal(t, "1866", sys.Settings["memory_speed"].Configured.Value)
	require.Equal(t, "Custom", sys.Settings["workload_profile"].Configured.Value)

	spare := sys.Settings["memory_ras_mode"].Configured
	require.Equal(t, "spare", spare.Value)
	require.True(t, spare.Unverified, "no capture proves this word")

	unknown := sys.Settings["c_states"].Configured
	require.Equal(t, fact.Unstated, unknown.State)
	require.Equal(t, `ProcCStates is "Sometimes", a value that memaudit's table of Dell does not translate`, unknown.Reason)
	require.Equal(t, fact.Unstated, sys.Settings["smt"].Configured.State, "null is not a value")
	require.Equal(t, fact.Unread, sys.Settings["node_interleave"].Configured.State, "an excerpt does not show what is not offered")

	require.Equal(t, "Dell", sys.Machine.Vendor.Value)
	require.Equal(t, []inventory.Export{{Source: "bios", Path: "b", Format: "redfish", Mapped: 6,
		Unmapped: []string{"AssetTag", "NIC_(address)_Speed"}, Foreign: []string{"ProcCStates"}}}, sys.Exports)
	sources := bySource(t, sys)
	require.Equal(t, inventory.Source{Name: "bios", State: "ok", Detail: "a: redfish of Dell, 1 attributes, taken as the pending values of the export that it belongs to"}, sources[0])
	require.Equal(t, inventory.Source{Name: "bios", State: "ok", Detail: "b: redfish of Dell, 8 attributes, 6 mapped"}, sources[1])
}

// TestConfiguredOffered checks that a setting missing from a complete export is absent, not unread.
func TestConfiguredOffered(t *testing.T) {
	whole := `<SystemConfiguration Model="PowerEdge R640"><Component FQDD="BIOS.Setup.1-1"><Attribute Name="ProcTurboMode">Enabled</Attribute>`
	for i := range 50 {
		whole += `<Attribute Name="Slot` + string(rune('A'+i)) + `">Enabled</Attribute>`
	}
	sys := collected(t, Input{}, whole+"</Component></SystemConfiguration>")
	require.Equal(t, "enabled", sys.Settings["turbo"].Configured.Value)
	smt := sys.Settings["smt"].Configured
	require.Equal(t, fact.Absent, smt.State)
	require.Equal(t, "not offered by this machine's BIOS", smt.Reason)
	require.NotContains(t, sys.Settings, "hemisphere_mode", "Dell has no attribute for it")
	require.Equal(t, "PowerEdge R640", sys.Machine.Product.Value)
}

// TestConfiguredTogether checks that equal values of two files corroborate each other and that
// different ones make the value unknown.
func TestConfiguredTogether(t *testing.T) {
	sys := collected(t, Input{}, dellBIOS, racadmText)
	turbo := sys.Settings["turbo"].Configured
	require.Equal(t, fact.Conflicting, turbo.State)
	require.Equal(t, "a says enabled, b says disabled", turbo.Reason)
	require.Len(t, turbo.Evidence(), 2)
	require.Equal(t, "setting turbo", sys.Conflicts[0].Fact)
	c1e := sys.Settings["c1e"]
	require.Equal(t, "enabled", c1e.Configured.Value)
	require.Equal(t, "disabled", c1e.Pending.Value)

	sys = collected(t, Input{}, racadmText, racadmText)
	turbo = sys.Settings["turbo"].Configured
	require.Equal(t, "disabled", turbo.Value)
	require.Len(t, turbo.Evidence(), 2)
	require.Empty(t, sys.Conflicts)
}

// TestConfiguredPending checks that a batch of commands is not evidence of the machine.
func TestConfiguredPending(t *testing.T) {
	sys := collected(t, Input{}, "loaddefault uEFI\nset uEFI.TurboModeEnable Enable\nset uEFI.PackageCState \"ACPI C3\"\n")
	turbo := sys.Settings["turbo"]
	require.Equal(t, fact.Unread, turbo.Configured.State)
	require.Equal(t, "a batch of set commands says what is to be set, not what is set", turbo.Configured.Reason)
	require.Equal(t, "enabled", turbo.Pending.Value)
	require.Equal(t, fact.Indirect, turbo.Pending.Certainty)
	require.Contains(t, bySource(t, sys)[0].Detail, "what is to be set, not evidence of what is set")
}

// captured opens a tree as a capture.
func captured(t *testing.T, files hosttest.Files) *host.Root {
	t.Helper()
	root, err := host.OpenMembers("test", files.Members())
	require.NoError(t, err)
	return root
}

// TestConfiguredSyscfg checks that the tool shows a change before it takes effect.
func TestConfiguredSyscfg(t *testing.T) {
	sys := collected(t, Input{}, "logicproc=disable\n")
	smt := sys.Settings["smt"]
	require.Equal(t, "disabled", smt.Configured.Value)
	require.Equal(t, fact.Indirect, smt.Configured.Certainty)
	require.Equal(t, "disabled", smt.Pending.Value)

	root := captured(t, hosttest.Westmere.Tree(hosttest.Machine{Sockets: 2, CoresPerSocket: 4, ThreadsPerCore: 2}))
	smt = collected(t, Input{Root: root}, "logicproc=disable\n").Settings["smt"]
	require.Equal(t, "enabled", smt.Effective.Value)
	require.False(t, smt.Configured.Known(), "a pending change is not a contradiction")
	require.Contains(t, smt.Configured.Reason, "the tool shows a change before it acts, and the system runs with enabled")
	require.Equal(t, "disabled", smt.Pending.Value)
}

// TestConfiguredOpaque checks that coded names are unknown without their registry and known with it.
func TestConfiguredOpaque(t *testing.T) {
	codes := `{"@odata.id": "/redfish/v1/Systems/Self/Bios", "@odata.type": "#Bios.v1_0_6.Bios", "AttributeRegistry": "BiosAttributeRegistry", "Attributes": {"CPUS001": "Disable", "CPUS002": 1}}`
	registry := `{"Id": "BiosAttributeRegistry.v1", "RegistryEntries": {"Attributes": [{"AttributeName": "CPUS001", "DisplayName": "SMT Control"},
 {"AttributeName": "CPUS002", "DisplayName": "IOMMU", "Value": [{"ValueName": "0", "ValueDisplayName": "Disabled"}, {"ValueName": "1", "ValueDisplayName": "Enabled"}]}]}}`
	sys := collected(t, Input{}, codes)
	require.Empty(t, sys.Exports[0].Mapped)
	sys = collected(t, Input{}, codes, registry)
	require.Equal(t, "disabled", sys.Settings["smt"].Configured.Value)
	require.Equal(t, "enabled", sys.Settings["iommu"].Configured.Value)
	require.Contains(t, bySource(t, sys)[1].Detail, "an attribute registry")
	require.Equal(t, []inventory.Export{{Source: "bios", Path: "a", Format: "redfish", Mapped: 2}}, sys.Exports, "names and values are identified by the registry's texts")
	sys = collected(t, Input{}, codes, strings.ReplaceAll(registry, `"ValueDisplayName": "Enabled"`, `"ValueDisplayName": "Perhaps"`))
	require.Equal(t, []string{"CPUS002"}, sys.Exports[0].Foreign)
}

// TestConfiguredOfAnother checks that an export of another vendor's or model's machine is reported, and that its settings are
// used nevertheless, because firmware uses different names for one machine; findings based on it are at most info.
func TestConfiguredOfAnother(t *testing.T) {
	for name, c := range map[string]struct {
		vendor, product, export, says string
		state                         fact.SourceState
	}{
		"vendor": {"HPE", "ProLiant DL325 Gen10 Plus", dellBIOS, "the export is of a machine of Dell, and this one is of HPE: no finding on it goes above info", fact.SourcePartial},
		"model": {"Dell Inc.", "PowerEdge R740", `<SystemConfiguration Model="PowerEdge R640"><Component FQDD="BIOS.Setup.1-1"><Attribute Name="ProcTurboMode">Enabled</Attribute></Component></SystemConfiguration>`,
			`the export calls its machine "PowerEdge R640", and this one is "PowerEdge R740"`, fact.SourcePartial},
	} {
		t.Run(name, func(t *testing.T) {
			sys := collected(t, Input{Root: captured(t, hosttest.Files{"sys/class/dmi/id/sys_vendor": c.vendor + "\n", "sys/class/dmi/id/product_name": c.product + "\n"})}, c.export)
			turbo := sys.Settings["turbo"].Configured
			require.Equal(t, []any{"enabled", true, c.vendor}, []any{turbo.Value, turbo.Unverified, sys.Machine.Vendor.Value})
			source := bySource(t, sys)[0]
			require.Equal(t, c.state, source.State)
			require.Contains(t, source.Detail, c.says)
			if name == "vendor" {
				require.Equal(t, fact.Indirect, turbo.Certainty)
				require.Equal(t, "BIOS export", sys.Conflicts[0].Fact)
			}
		})
	}
}

// TestReferenceNames checks that names of Intel's reference code do not identify the vendor, and that
// missing ones are not absent.
func TestReferenceNames(t *testing.T) {
	attributes := `"PwrPerfTuning": "OS Controls EPB", "NumaEn": "Enable", "ProcessorHyperThreadingDisable": "Enabled", "TurboMode": "Disable"`
	for i := range 120 {
		attributes += fmt.Sprintf(`, "Knob%d": "Enable"`, i)
	}
	in := Input{}
	sys := collected(t, in, `{"@odata.type": "#Bios.v1_2_0.Bios", "Attributes": {`+attributes+`}}`)
	require.False(t, sys.Machine.Vendor.Known(), "these names identify no vendor")
	require.Equal(t, "disabled", sys.Settings["turbo"].Configured.Value)
	require.Equal(t, "enabled", sys.Settings["smt"].Configured.Value)
	require.Equal(t, "disabled", sys.Settings["node_interleave"].Configured.Value)
	require.NotContains(t, sys.Settings, "package_c_state", "a missing name means nothing")
}

// TestDecidedWithExport checks who decided the effective value given the configured one, also if
// every kernel changes it.
func TestDecidedWithExport(t *testing.T) {
	at := func(path, raw string) fact.Evidence { return fact.Evidence{Source: "cpufreq", Path: path, Raw: raw} }
	open := fact.Unknown[string](fact.Absent, "nobody can be named", "")
	epb := "/sys/devices/system/cpu/cpu0/power/energy_perf_bias"
	direct := func(value string) fact.Fact[string] {
		return fact.Known(value, fact.Direct, fact.Evidence{Source: "bios", Path: "a"})
	}
	doubted := direct("enabled")
	doubted.Unverified = true
	for _, c := range []struct {
		name, id   string
		configured fact.Fact[string]
		effective  string
		from       fact.Evidence
		by         fact.Fact[string]
		want       string
	}{
		{"the same in both", "turbo", direct("disabled"), "disabled", at("no_turbo", "1"), open, "firmware"},
		{"maximum performance, which the kernel makes 6", "energy_perf_bias", direct("max_performance"), "balanced_performance", at(epb, "6"), open, "kernel"},
		{"maximum performance, and somebody set 8", "energy_perf_bias", direct("max_performance"), "balanced_power", at(epb, "8"), open, ""},
		{"power saving, and it is 6", "energy_perf_bias", direct("power_saving"), "balanced_performance", at(epb, "6"), open, ""},
		{"x2APIC that the kernel switches on", "x2apic", direct("disabled"), "enabled", at("msr", "1"), open, "kernel"},
		{"firmware by the kernel's view, which BIOS setup denies", "iommu", direct("disabled"), "enabled", at("dmar0", ""), fact.Known("firmware", fact.Direct, at("dmar0", "")), ""},
		{"an administrator", "turbo", direct("enabled"), "disabled", at("no_turbo", "1"), fact.Known("administrator", fact.Direct, at("no_turbo", "1")), "administrator"},
		{"idle states of intel_idle's own", "c_states", direct("disabled"), "enabled", at("current_driver", "intel_idle"), open, "kernel"},
		{"idle states that an administrator enabled", "c_states", direct("disabled"), "enabled", at("current_driver", "intel_idle"), fact.Known("administrator", fact.Direct, at("disable", "0")), "administrator"},
		{"auto says nothing", "turbo", direct("auto"), "disabled", at("no_turbo", "1"), open, ""},
		{"another machine's export says nothing", "turbo", doubted, "enabled", at("no_turbo", "0"), open, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := inventory.Setting{Configured: c.configured, Effective: fact.Known(c.effective, fact.Direct, c.from), DecidedBy: c.by}
			require.Equal(t, c.want, whoDecided(c.id, &s).Or(""))
		})
	}
}

// TestConfiguredWords checks that a file of canonical values gives the configured values, that an
// unknown value is malformed, and that all are indirect.
func TestConfiguredWords(t *testing.T) {
	sys := collected(t, Input{}, "# looked up in setup\nmemory_ras_mode: spare\nturbo = enabled # F2\nsmt: perhaps\nc1e: enabled\nc1e: disabled\nturbos: enabled\nno line\n")
	require.Equal(t, fact.Known("spare", fact.Indirect, fact.Evidence{Source: "bios", Path: "a", Field: "memory_ras_mode", Raw: "spare"}), sys.Settings["memory_ras_mode"].Configured)
	require.Equal(t, "enabled", sys.Settings["turbo"].Configured.Value)
	require.Equal(t, fact.Malformed, sys.Settings["smt"].Configured.State)
	require.Equal(t, `smt is "perhaps", expected one of enabled, disabled, auto`, sys.Settings["smt"].Configured.Reason)
	require.Equal(t, fact.Conflicting, sys.Settings["c1e"].Configured.State)
	require.False(t, sys.Settings["x2apic"].Configured.Known())
	require.NotEqual(t, fact.Absent, sys.Settings["x2apic"].Configured.State, "what a person left out may be offered")
	require.Equal(t, []inventory.Export{{Source: "bios", Path: "a", Format: "settings", Mapped: 5, Unmapped: []string{"turbos"}, Foreign: []string{"smt"}}}, sys.Exports)
}

// TestConfiguredUnderPresets checks the settings under a preset by the makers' documents. Cisco's performance profile decides
// the prefetchers, whatever the options are (IMC XML API, CPU Performance: under High Throughput only the DCU IP prefetcher is
// on), and the options governed by Power Technology have no effect unless it is Custom. Under one of Lenovo's modes they have
// the documented values of the mode (registry of the SR670 V2), or are unknown if these are not documented. AMD's preset in
// addition to HPE's overrides only what it writes (maps of the registries A42, A43, A47).
func TestConfiguredUnderPresets(t *testing.T) {
	cisco := func(attributes string) string {
		return `{"@odata.id": "/redfish/v1/Systems/1/Bios", "AttributeRegistry": "CiscoBiosAttributeRegistry.v1_0_0", "Attributes": {` + attributes + `}}`
	}
	lenovo := func(mode string) string {
		return `{"@odata.id": "/redfish/v1/Systems/1/Bios", "Attributes": {"OperatingModes_ChooseOperatingMode": "` + mode + `",
 "Processors_TurboMode": "Disabled", "Processors_CStates": "Disabled", "Processors_HyperThreading": "Disabled", "Memory_MemorySpeed": "MaximumPerformance"}}`
	}
	hpe := func(preset string) string {
		return `{"@odata.id": "/redfish/v1/Systems/1/Bios", "AttributeRegistry": "BiosAttributeRegistryA42.v1_3_72", "Attributes": {"WorkloadProfile": "Custom",
 "AMDPerformanceWorkloadProfile": "` + preset + `", "NumaMemoryDomainsPerSocket": "OneMemoryDomainPerSocket", "ProcSMT": "Enabled", "AmdL1Prefetcher": "Enabled"}}`
	}
	under := func(preset, value, attribute string) string {
		return fmt.Sprintf("%s is %q, and under it %s does not decide", preset, value, attribute)
	}
	const options = `"HardwarePrefetch": "Enabled", "DcuIpPrefetch": "Enabled", "EnhancedIntelSpeedStep": "Enabled", "IntelTurboBoostTech": "Enabled", "IntelHyperThread": "Enabled", `
	for _, c := range []struct {
		name, product, export string
		want                  map[string]string
	}{
		{"Cisco, a profile", "", cisco(options + `"CPUPerformance": "High Throughput", "CPUPowerManagement": "Custom"`),
			map[string]string{"hw_prefetch": "disabled by CPUPerformance, not HardwarePrefetch", "dcu_ip_prefetch": "enabled by DcuIpPrefetch", "turbo": "enabled by IntelTurboBoostTech"}},
		{"Cisco, a value without a translation", "", cisco(`"HardwarePrefetch": "Sometimes", "CPUPerformance": "High Throughput"`),
			map[string]string{"hw_prefetch": `HardwarePrefetch is "Sometimes", a value that memaudit's table of Cisco does not translate`}},
		{"Cisco, own values and a power profile", "", cisco(options + `"CPUPerformance": "Custom", "CPUPowerManagement": "Energy Efficient"`),
			map[string]string{"hw_prefetch": "enabled by HardwarePrefetch", "turbo": under("CPUPowerManagement", "Energy Efficient", "IntelTurboBoostTech"), "p_states": under("CPUPowerManagement", "Energy Efficient", "EnhancedIntelSpeedStep"), "smt": "enabled by IntelHyperThread"}},
		{"Cisco, an unknown profile", "", cisco(options + `"CPUPerformance": "Something new"`), map[string]string{"hw_prefetch": "enabled by HardwarePrefetch"}},
		{"Lenovo, a documented mode", "ThinkSystem SR670 V2", lenovo("Efficiency_FavorPerformance"),
			map[string]string{"turbo": "enabled by OperatingModes_ChooseOperatingMode, not Processors_TurboMode", "c_states": "autonomous by OperatingModes_ChooseOperatingMode, not Processors_CStates", "memory_speed": "max by Memory_MemorySpeed", "smt": "disabled by Processors_HyperThreading"}},
		{"Lenovo, another machine", "ThinkSystem SR650 V3", lenovo("Efficiency_FavorPerformance"),
			map[string]string{"turbo": under("OperatingModes_ChooseOperatingMode", "Efficiency_FavorPerformance", "Processors_TurboMode"), "memory_speed": under("OperatingModes_ChooseOperatingMode", "Efficiency_FavorPerformance", "Memory_MemorySpeed"), "smt": "disabled by Processors_HyperThreading"}},
		{"Lenovo, another mode", "ThinkSystem SR670 V2", lenovo("MaximumPerformance"),
			map[string]string{"turbo": under("OperatingModes_ChooseOperatingMode", "MaximumPerformance", "Processors_TurboMode"), "memory_speed": under("OperatingModes_ChooseOperatingMode", "MaximumPerformance", "Memory_MemorySpeed"), "smt": "disabled by Processors_HyperThreading"}},
		{"Lenovo, no mode", "ThinkSystem SR650 V3", lenovo("CustomMode"), map[string]string{"turbo": "disabled by Processors_TurboMode"}},
		{"AMD's preset", "", hpe("HPCOptimized"),
			map[string]string{"sub_numa": "nps4 by AMDPerformanceWorkloadProfile, not NumaMemoryDomainsPerSocket", "smt": "disabled by AMDPerformanceWorkloadProfile, not ProcSMT", "l1_stream_prefetch": "enabled by AmdL1Prefetcher"}},
		{"AMD's preset off", "", hpe("Disabled"), map[string]string{"sub_numa": "nps1 by NumaMemoryDomainsPerSocket"}},
		{"AMD's preset unknown", "", hpe("Something new"), map[string]string{"sub_numa": "nps1 by NumaMemoryDomainsPerSocket"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			in := Input{}
			if c.product != "" {
				in.Root = captured(t, hosttest.Files{"sys/class/dmi/id/sys_vendor": "Lenovo\n", "sys/class/dmi/id/product_name": c.product + "\n"})
			}
			sys := collected(t, in, c.export)
			for id, want := range c.want {
				f := sys.Settings[id].Configured
				got := f.Value + " by " + f.From.Field
				if !f.Known() {
					got = f.Reason
				}
				for _, e := range f.More {
					got += ", not " + e.Field
				}
				assert.Equal(t, want, got, id)
			}
		})
	}
}

// TestAddressesInNames checks that MAC addresses are removed from attribute names in all spellings,
// and other numbers are kept.
func TestAddressesInNames(t *testing.T) {
	for name, want := range map[string]string{
		"NIC_3cecef112233_Speed":     "NIC_(address)_Speed",
		"LAN 00:19:99:AF:00:90":      "LAN (address)",
		"LAN 00-19-99-af-00-90 Boot": "LAN (address) Boot",
		"000000000000":               "(address)",
		"A9F0A9F0A9F0":               "(address)",
		"PcieSlot1A2B3C4D5E":         "PcieSlot1A2B3C4D5E",
		"Slot\t1":                    "Slot1",
	} {
		t.Run(name, func(t *testing.T) {
			require.Equal(t, want, redactName(name))
		})
	}
}

// TestExportProcessors checks the processors from Dell's exports (Proc1Id is family, model and
// stepping in hexadecimal, as in the BIOS resources of R650, R6615 and R670). They are used only if no
// other source lists any.
func TestExportProcessors(t *testing.T) {
	t.Parallel()
	dell := func(attributes string) string {
		return `{"@odata.id": "/redfish/v1/Systems/System.Embedded.1/Bios", "Attributes": {"SystemModelName": "PowerEdge R6615", "SysProfile": "Custom", "ProcTurboMode": "Enabled"` + attributes + `}}`
	}
	const first = `, "Proc1Brand": "AMD EPYC 9454P 48-Core Processor               ", "Proc1Id": "19-11-1", "Proc1NumCores": 48`
	sys := collected(t, Input{}, dell(first+`, "Proc2Brand": "", "Proc2Id": ""`))
	require.Len(t, sys.Sockets, 1, "an empty place is none")
	s := sys.Sockets[0]
	assert.Equal(t, []int{0, -1, 25, 17, 1, 48}, []int{s.ID, s.Handle, s.Family.Value, s.Model.Value, s.Stepping.Value, s.Cores.Value})
	assert.Equal(t, "AMD EPYC 9454P 48-Core Processor", s.Brand.Value)
	assert.Equal(t, "AuthenticAMD", s.Vendor.Value)
	for _, f := range []fact.Certainty{s.Family.Certainty, s.Vendor.Certainty, s.Brand.Certainty, s.Cores.Certainty, s.Populated.Certainty} {
		assert.Equal(t, fact.Indirect, f)
	}
	assert.Equal(t, fact.Evidence{Source: inventory.SourceBIOS, Path: "a", Field: "Proc1Id", Raw: "19-11-1"}, s.Family.From)

	two := collected(t, Input{}, dell(`, "Proc0Brand": "Intel(R) Xeon(R) 6710E", "Proc0Id": "6-AF-3", "Proc1Brand": "Intel(R) Xeon(R) 6710E", "Proc1Id": "6-AF-3"`)).Sockets
	require.Len(t, two, 2, "from 17G on Dell counts from 0")
	assert.Equal(t, []int{0, 1, 175}, []int{two[0].ID, two[1].ID, two[1].Model.Value})

	for name, text := range map[string]string{
		"no brand": dell(`, "Proc1Id": "19-11-1"`), "no number": dell(`, "Proc1Brand": "AMD EPYC 9454P", "Proc1Id": "19-11"`),
		"no hexadecimal": dell(`, "Proc1Brand": "AMD EPYC 9454P", "Proc1Id": "19-1x-1"`), "nobody's": dell(`, "Proc1Brand": "Example 1", "Proc1Id": "6-6A-6"`),
		"another maker's names": `{"Attributes": {"ProcTurbo": "Enabled", "WorkloadProfile": "Custom", "Proc1Brand": "AMD EPYC 9454P", "Proc1Id": "19-11-1"}}`,
		"wishes":                `{"@odata.id": "/redfish/v1/Systems/System.Embedded.1/Bios/Settings", "Attributes": {"ProcTurboMode": "Enabled"` + first + `}}`,
	} {
		t.Run(name, func(t *testing.T) {
			assert.Empty(t, collected(t, Input{}, text).Sockets)
		})
	}
}

// FuzzExport checks that every value of any export is canonical or unknown with a reason.
func FuzzExport(f *testing.F) {
	tables, err := shippedTables()
	if err != nil {
		f.Fatal(err)
	}
	for _, seed := range []string{dellBIOS, dellWaiting, racadmText, hpeBIOS, "logicproc=disable\n", "set uEFI.TurboModeEnable Enable\n"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		e, err := bios.Decode("file", data)
		if err != nil {
			return
		}
		sys := Collect(Input{Exports: []Export{{Source: inventory.SourceBIOS, Path: "file", Export: e}}, Tables: func() (settings.Tables, error) { return tables, nil }})
		for id, s := range sys.Settings {
			known, ok := settings.Lookup(id)
			for _, face := range []fact.Fact[string]{s.Configured, s.Pending} {
				if !ok || face.Known() && !known.Accepts(face.Value) || !face.Known() && face.Reason == "" {
					t.Fatalf("%s: %+v", id, face)
				}
			}
		}
	})
}

// desktop is a machine that the kernel shows BIOS settings of.
func desktop(t *testing.T, driver, pending string, values map[string]string) *host.Root {
	t.Helper()
	files := hosttest.Files{"sys/devices/system/cpu/online": "0-3\n"}
	dir := "sys/class/firmware-attributes/" + driver + "/attributes/"
	files[dir+"pending_reboot"] = pending + "\n"
	for name, value := range values {
		files[dir+name+"/type"] = "enumeration\n"
		files[dir+name+"/current_value"] = value + "\n"
	}
	return captured(t, files)
}

// TestFirmwareAttributes checks that a value is both configured and pending unless a change is
// pending.
func TestFirmwareAttributes(t *testing.T) {
	values := map[string]string{"NUMA": "NPS4", "Beep": "Loud"}
	sys := collected(t, Input{Root: desktop(t, "thinklmi", "0", values)})
	s := sys.Settings["sub_numa"]
	at := fact.Evidence{Source: "firmware_attributes", Path: "/sys/class/firmware-attributes/thinklmi/attributes", Field: "NUMA", Raw: "NPS4"}
	assert.Equal(t, fact.Known("nps4", fact.Direct, at), s.Configured)
	assert.Equal(t, fact.Known("nps4", fact.Direct, at), s.Pending)
	assert.Equal(t, []string{"Beep"}, sys.Exports[0].Unmapped)
	var states []fact.SourceState
	for _, source := range sys.Sources {
		if source.Name == inventory.SourceFirmwareAttributes {
			states = append(states, source.State)
		}
	}
	assert.Equal(t, []fact.SourceState{fact.SourceOK}, states, "one entry")

	sys = collected(t, Input{Root: desktop(t, "thinklmi", "1", values)})
	s = sys.Settings["sub_numa"]
	assert.Equal(t, fact.Indirect, s.Configured.Certainty)
	assert.Equal(t, "nps4", s.Pending.Value)

	sys = collected(t, Input{Root: desktop(t, "dell-wmi-sysman", "0", map[string]string{"LogicProc": "Disabled"})})
	assert.Equal(t, "disabled", sys.Settings["smt"].Configured.Value)
	assert.True(t, sys.Settings["smt"].Configured.Unverified, "no capture proves the value")

	sys = collected(t, Input{Root: desktop(t, "hp-bioscfg", "0", map[string]string{"Hyperthreading": "Enable"})})
	assert.False(t, sys.Settings["smt"].Configured.Known(), "HP Inc. is not HPE")
}

// TestControllerSettings checks that settings of a controller's answer have it as their source, and that what cannot
// be decoded is a problem of the answer.
func TestControllerSettings(t *testing.T) {
	answer := &redfish.Answer{BIOS: &redfish.BIOS{Path: "/redfish/v1/Systems/ID/Bios", Resource: []byte(dellBIOS), Settings: []byte(dellWaiting)}}
	sys := collected(t, Input{BMC: func(redfish.Identity) *redfish.Answer { return answer }})
	turbo := sys.Settings["turbo"]
	assert.Equal(t, fact.Known("enabled", fact.Direct,
		fact.Evidence{Source: "redfish", Path: "/redfish/v1/Systems/ID/Bios", Field: "ProcTurboMode", Raw: "Enabled"}), turbo.Configured)
	assert.Equal(t, "disabled", turbo.Pending.Value)
	require.Len(t, sys.Sources, 1, "one entry for the controller")
	assert.Contains(t, sys.Sources[0].Detail, "8 BIOS attributes")

	answer = &redfish.Answer{BIOS: &redfish.BIOS{Path: "/redfish/v1/Systems/1/Bios", Resource: []byte(`{"Attributes":[]}`)}}
	sys = collected(t, Input{BMC: func(redfish.Identity) *redfish.Answer { return answer }})
	require.Len(t, sys.Sources, 1)
	assert.Equal(t, fact.SourceMalformed, sys.Sources[0].State)
	assert.ErrorContains(t, answer.Err(), "GET /redfish/v1/Systems/1/Bios: resource: not a known export")
}

func known[T any](v T) fact.Fact[T] { return fact.Known(v, fact.Direct, fact.Evidence{}) }

// TestWhyNoTable checks that the failure of a given file takes precedence over that of the tree.
func TestWhyNoTable(t *testing.T) {
	file, tree := &Failure{fact.Denied, "the file was denied"}, &Failure{fact.Absent, "no such tree"}
	for _, c := range []struct {
		c    collector
		want string
	}{
		{collector{failed: file, rootFailed: tree, given: true}, "the file was denied"}, {collector{failed: file, rootFailed: tree}, "the file was denied"},
		{collector{rootFailed: tree}, "no such tree"}, {collector{rootFailed: tree, given: true}, "the file holds no SMBIOS structure"},
		{collector{given: true, table: &smbios.Table{Err: smbios.ErrTooLarge}}, smbios.ErrTooLarge.Error()}, {collector{given: true, table: &smbios.Table{}}, "the file holds no SMBIOS structure"},
	} {
		assert.Equal(t, c.want, c.c.noTableReason().Reason)
	}
	names := func(c *collector) map[string]fact.SourceState {
		c.sys = &inventory.System{}
		c.addSources()
		out := map[string]fact.SourceState{}
		for _, s := range c.sys.Sources {
			_, twice := out[s.Name]
			assert.False(t, twice, s.Name)
			out[s.Name] = s.State
		}
		return out
	}
	states := names(&collector{rootFailed: tree, given: true, table: &smbios.Table{}})
	assert.Len(t, states, len(kernelSources))
	assert.Equal(t, fact.SourceMalformed, states[inventory.SourceSMBIOS], "the file's own state")
	assert.Equal(t, fact.SourceAbsent, states[inventory.SourceNUMA])
	assert.Equal(t, fact.SourceAbsent, names(&collector{rootFailed: tree})[inventory.SourceSMBIOS])
}

// TestMeasurementsOfOthers checks that results of another product are shown and not checked.
func TestMeasurementsOfOthers(t *testing.T) {
	c := &collector{sys: &inventory.System{}}
	given := []inventory.Measurement{{Product: "R610"}, {Product: "R710"}, {}, {Product: "R710", Unjudged: "measured in a guest"}}
	for _, m := range c.measurements(given) {
		assert.False(t, m.Foreign, "a machine without a name is not another one")
	}
	c.sys.Machine.Product = known("R610")
	out := c.measurements(given)
	assert.Equal(t, []bool{false, true, false, true}, []bool{out[0].Foreign, out[1].Foreign, out[2].Foreign, out[3].Foreign})
	assert.Equal(t, []string{"", "measured on another machine: R710, and this is R610", "", "measured in a guest"},
		[]string{out[0].Unjudged, out[1].Unjudged, out[2].Unjudged, out[3].Unjudged})
	assert.Empty(t, given[1].Unjudged, "what was given stays as it is")
}

// TestFieldStates distinguishes an invalid value, a value that firmware leaves open and a missing field.
func TestFieldStates(t *testing.T) {
	for status, want := range map[smbios.Status]fact.State{smbios.Malformed: fact.Malformed, smbios.Unstated: fact.Unstated, smbios.Missing: fact.Absent} {
		assert.Equal(t, want, unknownField[int](structure{kind: 17}, "Speed", status).State)
	}
	b := smbiostest.New(3, 2)
	array := b.Array(smbiostest.Array{Devices: 2})
	b.MemoryDevice(smbiostest.DIMM{Array: array, RawSize: 0x7FFF, Length: 0x1C})
	b.MemoryDevice(smbiostest.DIMM{Array: array, SizeUnknown: true})
	got := slotsOfTable(smbios.Decode(nil, b.Table()))
	require.Len(t, got, 2)
	assert.Equal(t, fact.Malformed, got[0].SizeBytes.State)
	assert.Equal(t, fact.Unstated, got[1].SizeBytes.State)
}

// TestReadGHW checks that ghw's strings are used, and that a difference from our own is a conflict in
// which our own is kept.
func TestReadGHW(t *testing.T) {
	folder := t.TempDir()
	dmi := filepath.Join(folder, "sys", "class", "dmi", "id")
	require.NoError(t, os.MkdirAll(dmi, 0o700))
	for name, text := range map[string]string{"sys_vendor": "Example Inc.", "product_name": "Server 1", "board_vendor": "Example Inc.", "board_name": "Board 1", "bios_vendor": "Maker", "bios_version": "1.2.3", "bios_date": "01/02/2023"} {
		t.Run(name, func(t *testing.T) {
			require.NoError(t, os.WriteFile(filepath.Join(dmi, name), []byte(text+"\n"), 0o600))
		})
	}
	c := &collector{sys: &inventory.System{}}
	got := inventory.Machine{Product: fact.Known("Server 2", fact.Direct, fact.Evidence{Raw: "Server 2"})}
	c.readGHW(folder, &got)
	assert.Equal(t, []string{"Example Inc.", "Server 2", "Example Inc.", "Board 1", "Maker", "1.2.3", "01/02/2023"},
		[]string{got.Vendor.Or(""), got.Product.Or(""), got.BoardVendor.Or(""), got.Board.Or(""), got.BIOS.Vendor.Or(""), got.BIOS.Version.Or(""), got.BIOS.Date.Or("")})
	if assert.Len(t, c.sys.Conflicts, 1) {
		assert.Equal(t, []string{"Server 2", "Server 1"}, []string{c.sys.Conflicts[0].Kept.Raw, c.sys.Conflicts[0].Dropped.Raw})
	}
}
