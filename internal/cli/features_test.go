package cli

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"memaudit.example/memaudit/internal/audit/verdict"
	"memaudit.example/memaudit/internal/report"
	"memaudit.example/memaudit/internal/source/host/hosttest"
	"memaudit.example/memaudit/internal/source/smbios/smbiostest"
	"memaudit.example/memaudit/internal/tools/machinetest"
)

const (
	dellFeatures       = `{"@odata.id":"/redfish/v1/Systems/System.Embedded.1/Bios","AttributeRegistry":"BiosAttributeRegistry.v1_0_0","Attributes":`
	supermicroFeatures = `{"@odata.id":"/redfish/v1/Systems/1/Bios","AttributeRegistry":"BiosAttributeRegistry.v1_0_0","Attributes":`
	tdxEnabled         = "virt/tdx: BIOS enabled: private KeyID range [64, 128)"
)

// emerald, milan and iceLake are processors of servers that machinetest does not have.
var (
	emerald = machinetest.Server{Brand: "INTEL(R) XEON(R) GOLD 5512U", ID: [3]int{6, 207, 2}}
	milan   = machinetest.Server{Brand: "AMD EPYC 7313 16-Core Processor", ID: [3]int{25, 1, 1}}
	iceLake = machinetest.Server{Brand: "Intel(R) Xeon(R) Gold 6330 CPU @ 2.00GHz", ID: [3]int{6, 106, 6}}
)

// asked is a machine of which a feature is asked for: a server of machinetest with another product and processor, and what its
// kernel and its BIOS setup say.
type asked struct {
	name, server, vendor, product string
	cpu                           machinetest.Server
	sockets, missing              int
	cmdline, log                  string
	files                         hosttest.Files
	bios, words                   string
	profile                       string

	rule, result, severity string
	// says are parts of what is found or done, in this order; never are parts that no finding of a feature may have.
	says, never []string
	causedBy    string
}

// features are the situations of public reports and of vendors' documents in which a feature is asked for and prevented, and
// sound ones beside them.
var features = []asked{
	{name: "the 46-bit limit greys TDX out", server: "supermicro-x13", product: "SYS-521C-NR", cpu: emerald, sockets: 1, cmdline: "ro kvm_intel.tdx=1",
		bios: supermicroFeatures + `{"LimitCPUPAto46Bits_F319":"Enable","MemoryEncryption_TME__3C77":"Enabled","TotalMemoryEncryptionMulti_Tenant_TME_MT__F31B":"Disabled","TrustDomainExtension_TDX__3C79":"Disabled"}}`,
		rule: "feature.tdx", result: "fail", severity: "warning", says: []string{"the kernel's command line", "46 bits", "LimitCPUPAto46Bits_F319 = Enable", "TME-MT", "TDX switched on in BIOS setup"}, never: []string{"DIMM"}},
	{name: "the registry says what is greyed out", server: "supermicro-x13", product: "SYS-521C-NR", cpu: emerald, sockets: 1, cmdline: "ro kvm_intel.tdx=1",
		bios: supermicroFeatures + `{"LimitCPUPAto46Bits_F319":"Enable","MemoryEncryption_TME__3C77":"Enabled","TotalMemoryEncryptionMulti_Tenant_TME_MT__F31B":"Disabled","TrustDomainExtension_TDX__3C79":"Disabled"}}`,
		words: `{"Id":"BiosAttributeRegistry.v1_0_0","RegistryEntries":{"Attributes":[{"AttributeName":"TrustDomainExtension_TDX__3C79"}],"Dependencies":[{"Type":"Map","DependencyFor":"TrustDomainExtension_TDX__3C79","Dependency":{"MapFrom":[` +
			`{"MapFromAttribute":"TotalMemoryEncryptionMulti_Tenant_TME_MT__F31B","MapFromProperty":"CurrentValue","MapFromCondition":"EQU","MapFromValue":"Disabled"}],"MapToAttribute":"TrustDomainExtension_TDX__3C79","MapToProperty":"GrayOut","MapToValue":true}}]}}`,
		rule: "feature.tdx", result: "fail", severity: "warning", says: []string{"the kernel's command line", "46 bits", "LimitCPUPAto46Bits_F319 = Enable", "TME-MT", "TDX switched on in BIOS setup", "greyed out because TotalMemoryEncryptionMulti_Tenant_TME_MT__F31B = Disabled"}, never: []string{"DIMM"}},
	{name: "seven of eight channels", server: "dell-r660", product: "PowerEdge R760", cpu: emerald, sockets: 2, missing: 1, log: "x86/tme: not enabled by BIOS",
		bios: dellFeatures + `{"EnableTdx":"Enabled","EnableTdxSeamldr":"Enabled","MemoryEncryption":"MultipleKeys","IntelSgx":"On"}}`,
		rule: "feature.tdx", result: "fail", severity: "warning", causedBy: "memory.channel.populated", says: []string{"BIOS setup", "slot 0 of every memory channel", "B8"}, never: []string{"x86/tme"}},
	{name: "switched on by firmware is not success", server: "dell-r660", cpu: emerald, sockets: 2, cmdline: "ro kvm_intel.tdx=1 nohibernate", log: tdxEnabled + "\nvirt/tdx: Disable ACPI S3. Turn off TDX in the BIOS to use ACPI S3.",
		files: hosttest.Files{"sys/module/kvm_intel/parameters/tdx": "N\n"},
		rule:  "feature.tdx", result: "fail", severity: "warning", says: []string{"firmware switched it on, and the TDX module was not initialised", "nothing that it needs was found missing"}, never: []string{"missing: "}},
	{name: "hibernation", server: "dell-r660", cpu: emerald, sockets: 2, cmdline: "ro kvm_intel.tdx=1", log: "virt/tdx: BIOS enabled: private KeyID range [32, 64)\nvirt/tdx: initialization failed: Hibernation support is enabled",
		rule: "feature.tdx", result: "fail", severity: "warning", says: []string{"without hibernation", "nohibernate"}, never: []string{"DIMM", "BIOS setup"}},
	{name: "46 bits in cpuinfo are normal", server: "dell-r660", cpu: emerald, sockets: 2, cmdline: "ro kvm_intel.tdx=1", log: tdxEnabled + "\nvirt/tdx: module initialized",
		files: hosttest.Files{"sys/module/kvm_intel/parameters/tdx": "Y\n"}, rule: "feature.tdx", result: "pass", never: []string{"46"}},
	{name: "an RMP table for a part of the memory", server: "supermicro-genoa", vendor: "GIGABYTE", product: "MZ32-AR0-00", cpu: milan, sockets: 1, cmdline: "ro kvm_amd.sev_snp=1",
		log:   "SEV-SNP: RMP table physical range [0x0000003fcde00000 - 0x0000003fffffffff]\nSEV-SNP: Memory reserved for the RMP table does not cover full system RAM (expected 0x40404000 got 0x32004000)",
		files: hosttest.Files{"sys/module/kvm_amd/parameters/sev_snp": "N\n"}, bios: "rmp_coverage: custom\nsev_snp: enabled\n",
		rule: "feature.sev_snp", result: "fail", severity: "warning", says: []string{"covers all memory", "expected 0x40404000 got 0x32004000", "Coverage to Enabled"}},
	{name: "no memory reserved and no IOMMU", server: "supermicro-rome", vendor: "HPE", product: "ProLiant DL385 Gen10 Plus v2", cpu: milan, sockets: 2, cmdline: "ro mem_encrypt=on kvm_amd.sev=1 kvm_amd.sev_snp=1",
		log:  "SEV-SNP: Memory for the RMP table has not been reserved by BIOS",
		bios: `{"@odata.id":"/redfish/v1/systems/1/bios/","AttributeRegistry":"BiosAttributeRegistryA42.v1_3_72","Attributes":{"MinimumSevAsid":100,"AmdDmaRemapping":"Disabled","ProcAmdIoVt":"Disabled"}}`,
		rule: "feature.sev_snp", result: "fail", severity: "warning", says: []string{"IOMMU in use", "RMP table", "ask the vendor"}, never: []string{"DIMM"}},
	{name: "no keys for SEV-ES", server: "supermicro-rome", cpu: milan, sockets: 1, cmdline: "ro kvm_amd.sev_es=1 kvm_amd.sev_snp=1", log: "ccp 0000:22:00.1: SEV API:1.51 build:3\nSEV supported: 509 ASIDs",
		bios: supermicroFeatures + `{"SEV_ESASIDSpaceLimit_700B":1,"SEV_SNPSupport_00FB":"Enabled","SNPMemory_RMPTable_Coverage_00CF":"Enabled","SMEE_00D1":"Enabled"}}`,
		rule: "feature.sev_snp", result: "fail", severity: "warning", says: []string{"ASID limit above 1", "100 for 99 guests"}},
	{name: "passthrough on the command line", server: "supermicro-genoa", sockets: 2, cmdline: "ro iommu=pt kvm_amd.sev_snp=1", log: "SNP: IOMMU disabled or configured in passthrough mode, SNP cannot be supported",
		bios: "sev_snp: enabled\nsmee: enabled\niommu: enabled\nrmp_coverage: enabled\nsev_es_asid_limit: 100\n",
		rule: "feature.sev_snp", result: "fail", severity: "warning", says: []string{"the kernel's command line has iommu=pt", "take iommu=pt off"}, never: []string{"enable the IOMMU"}},
	{name: "SGX hidden by Hemisphere", server: "dell-r750xa", vendor: "Lenovo", product: "ThinkSystem SR670 V2", cpu: iceLake, sockets: 2, profile: "sgx",
		bios: `{"@odata.id":"/redfish/v1/Systems/1/Bios","AttributeRegistry":"BiosAttributeRegistry.1.0.0","Attributes":{"Processors_SWGuardExtensions":"Disabled","Processors_UMA_BasedClustering":"Hemisphere","Processors_TotalMemoryEncryption":"Enabled"}}`,
		rule: "feature.sgx", result: "fail", severity: "warning", says: []string{"the profile", "UMA-Based Clustering switched off", "SGX switched on in BIOS setup"}},
	{name: "SGX on one processor", server: "dell-r660", sockets: 2, missing: 4, log: "sgx: EPC section 0x1070c00000-0x107f7fffff\nsgx: node1 has both CPUs and memory but doesn't have an EPC section",
		rule: "feature.sgx", result: "fail", severity: "info", says: []string{"some nodes", "node1", "different memory"}},
	{name: "mirroring greyed out by ADDDC", server: "supermicro-x13", sockets: 2, profile: "mirror", bios: supermicroFeatures + `{"ADDDCSparing_3C3F":"Enabled","MirrorMode_DFFA":"Disabled"}}`,
		rule: "feature.mirroring", result: "fail", severity: "warning", says: []string{"the profile", "no ADDDC"}, never: []string{"DIMM"}},
	{name: "heterogeneous interleaving with SNC", server: "dell-r660", vendor: "Lenovo", product: "ThinkSystem SR630 V4", cpu: machinetest.Server{Brand: "Intel(R) Xeon(R) 6760P", ID: [3]int{6, 173, 1}}, sockets: 2,
		files: hosttest.Files{"sys/bus/cxl/devices/mem0/": "", hosttest.NodeDir + "online": "0-2\n", hosttest.NodeDir + "has_cpu": "0-1\n", hosttest.NodeDir + "has_memory": "0-2\n",
			hosttest.NodeDir + "node2/cpulist": "\n", hosttest.NodeDir + "node2/meminfo": "Node 2 MemTotal: 134011228 kB\n", hosttest.NodeDir + "node2/distance": "14 24 10\n",
			hosttest.NodeDir + "node0/distance": "10 21 14\n", hosttest.NodeDir + "node1/distance": "21 10 24\n"},
		words: "cxl_memory_mode: heterogeneous\n", bios: `{"@odata.id":"/redfish/v1/Systems/1/Bios","AttributeRegistry":"BiosAttributeRegistry.1.0.0","Attributes":{"Processors_SNC":"SNC2","Memory_SocketInterleave":"NUMA"}}`,
		rule: "feature.cxl_interleave", result: "fail", severity: "warning", says: []string{"SNC switched off", "not checked: UPI affinity"}},
	{name: "Dell's words about CXL without any", server: "dell-r660", product: "PowerEdge R670", sockets: 2, bios: dellFeatures + `{"CXLMemoryMode":"Homogeneous","CurrentCXLMemoryInterleaveMode":"Heterogeneous","CxlMemSize":"0 GB"}}`,
		rule: "feature.cxl_interleave", result: "not_applicable"},
	{name: "nobody asks", server: "dell-r660", sockets: 2, log: "x86/cpu: SGX disabled or unsupported by BIOS.\nx86/tme: not enabled by BIOS", bios: dellFeatures + `{"EnableTdx":"Disabled","IntelSgx":"Off"}}`,
		rule: "feature.sgx", result: "not_applicable"},
	{name: "SNC2 fell back", server: "dell-r660", sockets: 2, bios: dellFeatures + `{"SubNumaCluster":"2-Way"}}`, rule: "feature.sub_numa", result: "fail", severity: "warning", causedBy: "settings.conflict", says: []string{"BIOS setup asks for snc2", "2 nodes with CPUs for 2 processors"}},
}

// check returns the arguments of the machine's check.
func (a *asked) check(t *testing.T) []string {
	t.Helper()
	s := machinetest.Servers()[a.server]
	for _, own := range []struct {
		to   *string
		text string
	}{{&s.Vendor, a.vendor}, {&s.Product, a.product}, {&s.Brand, a.cpu.Brand}} {
		if own.text != "" {
			*own.to = own.text
		}
	}
	if a.cpu.Brand != "" {
		s.ID = a.cpu.ID
	}
	v := machinetest.Varied{Server: s, Sockets: a.sockets, Threads: 1, Files: hosttest.Files{"proc/cmdline": a.cmdline + "\n", "dev/kmsg": "[    0.000000] Linux version 6.16.4\n"}}
	for slot := range s.Depth * s.Channels * a.sockets {
		d := smbiostest.DIMM{Bytes: 48 << 30, Rank: 2, Speed: s.MTs, Configured: s.MTs, Manufacturer: "Samsung", Part: "M321R6GA3PB0"}
		in, last := slot%(s.Depth*s.Channels), slot/(s.Depth*s.Channels) == a.sockets-1
		if in >= s.Channels || last && in >= s.Channels-a.missing {
			d = smbiostest.DIMM{}
		}
		v.Modules = append(v.Modules, d)
	}
	for line := range strings.Lines(a.log) {
		v.Files["dev/kmsg"] += "[    1.731904] " + strings.TrimSuffix(line, "\n") + "\n"
	}
	args := []string{"--root", v.Tree().With(a.files).Write(t)}
	for _, text := range []string{a.bios, a.words} {
		if text != "" {
			args = append(args, "--bios", export(t, text))
		}
	}
	if a.profile != "" {
		args = append(args, "--rules", siteProfiles(t), "--profile", a.profile)
	}
	return args
}

// siteProfiles is a folder with a site's own profiles that ask for a feature.
func siteProfiles(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	text := "profiles:\n"
	for id, row := range map[string]string{"sgx": "sgx: {want: enabled, level: warning}", "mirror": "memory_ras_mode: {want: mirror_full, level: warning}"} {
		text += "  - {id: " + id + ", title: ours, citation: {vendor: Site, title: Our nodes}, settings: {" + row + "}}\n"
	}
	require.NoError(t, os.WriteFile(filepath.Join(dir, "site.yaml"), []byte(text), 0o600))
	return dir
}

// TestFeatures checks that each situation names the cause that its source names and no other, and that no other fails.
func TestFeatures(t *testing.T) {
	t.Parallel()
	for _, a := range features {
		t.Run(a.name, func(t *testing.T) {
			t.Parallel()
			_, out, errs := run(nil, append([]string{"check", "--format", "json", "--fail-on", "never"}, a.check(t)...)...)
			doc := decoded[report.Report](t, out, errs)
			at := slices.IndexFunc(doc.Findings, func(f verdict.Finding) bool { return f.Rule == a.rule })
			require.NotEqual(t, -1, at, errs)
			f := doc.Findings[at]
			said := string(f.Found) + "; " + string(f.Remedy) + "; " + string(f.Reason)
			assert.Equal(t, a.result, string(f.Result), said)
			if a.result == "fail" {
				assert.Equal(t, a.severity, string(f.Severity), said)
				assert.Equal(t, a.causedBy, string(f.CausedBy))
			}
			rest := said
			for _, part := range a.says {
				_, after, found := strings.Cut(rest, part)
				assert.True(t, found, "%q in %q", part, rest)
				if found {
					rest = after
				}
			}
			for _, part := range a.never {
				assert.NotContains(t, said, part)
			}
			for _, other := range doc.Findings {
				if strings.HasPrefix(other.Rule, "feature.") && other.Rule != a.rule && other.Rule != "feature.sub_numa" {
					assert.NotEqual(t, "fail", string(other.Result), other.Rule+": "+string(other.Found))
				}
			}
		})
	}
}

// TestPlanOfFeatures checks that each layout of a plan says which features' documented population it meets, and only those of
// processors that a document gives one for.
func TestPlanOfFeatures(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ platform, capacity, says string }{
		{"emerald-rapids", "512G", "carries feature.tdx: a DIMM in slot 0 of every memory channel; the same memory behind every controller of a processor"},
		{"emerald-rapids", "96G", "prevents feature.tdx: a DIMM in slot 0 of every memory channel not met: empty: "},
		{"ice-lake-sp", "512G", ""},
		{"westmere-ep", "48G", ""},
	} {
		t.Run(c.platform+" "+c.capacity, func(t *testing.T) {
			t.Parallel()
			out := must(t, "plan", "--platform", c.platform, "--capacity", c.capacity, "--all", "--format", "json")
			doc := decoded[report.Capacity](t, out)
			effects := slices.DeleteFunc(doc.Configurations[0].Effects, func(e verdict.Effect) bool { return !strings.Contains(e.Text, "feature.") })
			if c.says == "" {
				assert.Empty(t, effects)
				return
			}
			require.Len(t, effects, 1)
			assert.Contains(t, effects[0].Text, c.says)
			assert.Equal(t, "Intel, Intel TDX Enabling Guide, Hardware Selection", string(effects[0].Source))
		})
	}
}
