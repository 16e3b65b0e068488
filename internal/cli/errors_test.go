package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"memaudit.example/memaudit/internal/audit/verdict"
	"memaudit.example/memaudit/internal/collect/collecttest"
	"memaudit.example/memaudit/internal/report"
	"memaudit.example/memaudit/internal/source/host/hosttest"
	"memaudit.example/memaudit/internal/source/smbios/smbiostest"
	"memaudit.example/memaudit/internal/tools/corpustest"
	"memaudit.example/memaudit/internal/tools/machinetest"
)

// TestErrorsToThePart follows errors that the kernel counted to the slot: in
// what is printed for people, and as metrics.
func TestErrorsToThePart(t *testing.T) {
	t.Parallel()
	root := trees.Dir(t, "dell-r740-errors")
	out := must(t, "inventory", "--root", root)
	assert.Regexp(t, `B4 .* 8317/0 `, out)
	assert.Regexp(t, `A2 .* 0/1 `, out)
	_, out, _ = run(nil, "check", "--root", root, "--format", "prometheus")
	assert.Contains(t, out, "# TYPE memaudit_dimm_corrected_errors_total counter\n")
	assert.Contains(t, out, `memaudit_dimm_corrected_errors_total{handle="0x110F",locator="B4"} 8317`)
	assert.Contains(t, out, `memaudit_dimm_uncorrected_errors_total{handle="0x1101",locator="A2"} 1`)
	assert.Contains(t, out, `memaudit_dimm_corrected_errors_total{handle="0x1100",locator="A1"} 0`)
	_, out, _ = run(nil, "check", "--root", root, "--format", "html")
	assert.Contains(t, out, "8317 corrected errors")
}

// TestErrorsInEverySentence checks that each output names count, slot and time as a person reads them, and what the vendor says
// to do first; TestVaried checks that no label moves with the next error or minute.
func TestErrorsInEverySentence(t *testing.T) {
	t.Parallel()
	const counter = "sys/devices/system/edac/mc/mc3/dimm0/"
	audited := func(label, uncorrected, seconds string) string {
		m := machinetest.Named(t, "dell-r740-errors")
		for path := range m.Files {
			if strings.HasSuffix(path, "/seconds_since_reset") {
				m.Files[path] = seconds + "\n"
			}
		}
		if label != "" {
			m.Files[counter+"dimm_label"], m.Files[counter+"dimm_ue_count"] = label+"\n", uncorrected+"\n"
		}
		root := t.TempDir()
		m.Tree().WriteTo(t, root)
		return root
	}
	first := audited("", "", "300123")
	for _, c := range []struct{ root, format, want string }{
		{first, "text", "A2: 1 uncorrected error in 3.5 days"},
		{first, "nagios", "A2: 1 uncorrected error in 3.5 days"},
		{first, "json", "A2: 1 uncorrected error in 3.5 days"},
		{first, "html", "A2: 1 uncorrected error in 3.5 days"},
		{first, "text", "restart the server, so that post-package repair can heal the module in A2"},
		{audited("", "", "217"), "text", "A2: 1 uncorrected error in 3 minutes"},
		{audited("mc#3csrow#0channel#0", "3", "300123"), "nagios", "3 uncorrected errors in 3.5 days on mc#3csrow#0channel#0"},
	} {
		_, out, errs := run(nil, "check", "--root", c.root, "--format", c.format)
		assert.Contains(t, strings.Join(strings.Fields(out), " "), c.want, "%s: %s", c.format, errs)
		assert.NotRegexp(t, `\d\.\d{3,}\S* days`, out)
	}
}

// TestErrorsOfNoSlot checks that errors that cannot be assigned to a slot are neither lost nor assigned to one.
func TestErrorsOfNoSlot(t *testing.T) {
	t.Parallel()
	m := machinetest.Named(t, "dell-r740-errors")
	m.Files["sys/devices/system/edac/mc/mc3/dimm0/dimm_label"] = "mc#3csrow#0channel#0\n"
	root := t.TempDir()
	m.Tree().WriteTo(t, root)
	_, out, _ := run(nil, "inventory", "--root", root)
	assert.Contains(t, strings.Join(strings.Fields(out), " "), "8317 corrected errors on mc#3csrow#0channel#0; nothing says which slot that is")
	_, out, _ = run(nil, "check", "--root", root, "--format", "prometheus")
	assert.Contains(t, out, `memaudit_dimm_corrected_errors_total{handle="",locator="mc#3csrow#0channel#0"} 8317`)
	assert.NotContains(t, out, `memaudit_dimm_corrected_errors_total{handle="0x110F"`)
	_, out, _ = run(nil, "check", "--root", root, "--format", "json")
	machine := 0
	for _, f := range verdictsOf(t, out) {
		switch {
		case f.Rule != "memory.errors.corrected":
		case f.Subject == "machine":
			machine++
			assert.Equal(t, "fail", f.Result)
		default:
			assert.Equal(t, "unknown", f.Result, f.Subject)
		}
	}
	assert.Equal(t, 1, machine)
	_, out, _ = run(nil, "check", "--root", root, "--format", "prometheus")
	assert.Contains(t, out, `memaudit_finding_info{root="memory.errors.corrected",rule="memory.errors.corrected",severity="info",subject="machine"} 1`)
}

// TestUncorrectedErrorsOfNoSlot checks that uncorrected errors are critical whichever module had them, also if only
// the controller's total counts them.
func TestUncorrectedErrorsOfNoSlot(t *testing.T) {
	t.Parallel()
	const mc = "sys/devices/system/edac/mc/mc3/"
	for name, change := range map[string]func(files hosttest.Files){
		"a rank": func(files hosttest.Files) {
			files[mc+"dimm0/dimm_label"], files[mc+"dimm0/dimm_ue_count"] = "mc#3csrow#0channel#0\n", "3\n"
		},
		"no module told": func(files hosttest.Files) { files[mc+"ue_noinfo_count"] = "3\n" },
		"the total":      func(files hosttest.Files) { files[mc+"ue_count"] = "3\n" },
	} {
		t.Run(name, func(t *testing.T) {
			m := machinetest.Named(t, "dell-r740-errors")
			change(m.Files)
			root := t.TempDir()
			m.Tree().WriteTo(t, root)
			status, out, _ := run(nil, "check", "--root", root, "--format", "json")
			assert.Equal(t, 1, status)
			machine := 0
			for _, f := range verdictsOf(t, out) {
				if f.Rule == "memory.errors.uncorrected" && f.Subject == "machine" {
					machine++
					assert.Equal(t, "fail", f.Result)
					assert.Equal(t, "critical", f.Severity)
				}
			}
			assert.Equal(t, 1, machine)
		})
	}
}

// TestControllerErrorsOfNoSlot checks that errors that the BMC counts for a module that matches no slot, or for the
// memory in total, are the machine's, under their own label, and that those counted for slots are not counted twice.
func TestControllerErrorsOfNoSlot(t *testing.T) {
	t.Parallel()
	m := machinetest.Named(t, "dell-r610-good")
	root := t.TempDir()
	m.Tree().WriteTo(t, root)
	secret := fileOf(t, "bmc", "username: u\npassword: p\n")
	const system = "/redfish/v1/Systems/1"
	for name, c := range map[string]struct {
		label, counts, total string
		want                 map[string]string // the rule and its severity
		found                string
	}{
		"uncorrected":       {"DIMM.X99", `{"CorrectableECCErrorCount":0,"UncorrectableECCErrorCount":3}`, "", map[string]string{"memory.errors.uncorrected": "critical"}, "3 uncorrected errors on DIMM.X99 "},
		"corrected":         {"DIMM.X99", `{"CorrectableECCErrorCount":400}`, "", map[string]string{"memory.errors.corrected": "info"}, "400 corrected errors on DIMM.X99 "},
		"few corrected":     {"DIMM.X99", `{"CorrectableECCErrorCount":9}`, "", nil, ""},
		"as a whole":        {"DIMM.X99", `{}`, `{"CorrectableECCErrorCount":0,"UncorrectableECCErrorCount":1}`, map[string]string{"memory.errors.uncorrected": "critical"}, "1 uncorrected error on memory as a whole "},
		"all accounted for": {"DIMM.X99", `{"UncorrectableECCErrorCount":2}`, `{"UncorrectableECCErrorCount":2}`, map[string]string{"memory.errors.uncorrected": "critical"}, "2 uncorrected errors on DIMM.X99 "},
		"a slot's":          {"A1", `{"UncorrectableECCErrorCount":2}`, `{"UncorrectableECCErrorCount":2}`, nil, ""},
	} {
		t.Run(name, func(t *testing.T) {
			tree := map[string]string{
				"/redfish/v1/":        `{"Systems":{"@odata.id":"/redfish/v1/Systems"}}`,
				"/redfish/v1/Systems": `{"Members":[{"@odata.id":"` + system + `"}]}`,
				system:                `{"Model":"PowerEdge R610","Memory":{"@odata.id":"` + system + `/Memory"},"MemorySummary":{"Metrics":{"@odata.id":"` + system + `/Total"}}}`,
				system + "/Memory":    `{"Members":[{"@odata.id":"` + system + `/Memory/m"}]}`,
				system + "/Memory/m": `{"Id":"m","DeviceLocator":"` + c.label + `","CapacityMiB":16384,"Status":{"State":"Enabled"},
					"Metrics":{"@odata.id":"` + system + `/Memory/m/Metrics"}}`,
				system + "/Memory/m/Metrics": `{"CurrentPeriod":` + c.counts + `}`,
			}
			if c.total != "" {
				tree[system+"/Total"] = `{"CurrentPeriod":` + c.total + `}`
			}
			_, out, errs := run(nil, "check", "--root", root, "--redfish", bmcWith(t, tree), "--redfish-credentials", secret, "--redfish-insecure", "--format", "json")
			var got map[string]string
			for _, f := range verdictsOf(t, out) {
				if strings.HasPrefix(f.Rule, "memory.errors.") && f.Subject == "machine" && f.Result == "fail" {
					if got == nil {
						got = map[string]string{}
					}
					got[f.Rule] = f.Severity
					assert.Contains(t, out, c.found)
				}
			}
			assert.Equal(t, c.want, got, errs)
		})
	}
}

// TestErrorsInTheEventLog: what the BMC's event log says of a module is one problem with what the kernel counts there, and the
// maker's next step follows from it. A log that could not be read, or is cut short, is said to be and changes nothing.
func TestErrorsInTheEventLog(t *testing.T) {
	t.Parallel()
	entry := func(created, id, message string) string {
		return `{"Created":"` + created + `","MessageId":"IDRAC.2.8.` + id + `","Message":"` + message + `"}`
	}
	since, before := "2026-11-20T09:00:00Z", "2026-11-19T09:00:00Z"
	uncorrected := func(at string) string {
		return entry(at, "MEM0001", "Multi-bit memory errors detected on a memory device at location(s) DIMM_A2.")
	}
	for name, c := range map[string]struct {
		entries string
		edac    bool
		// want are the failures of memory.errors.*, says what the text report has, not what it has not.
		want      map[string]string
		says, not string
	}{
		"the counted module is named": {uncorrected(since), true, map[string]string{"memory.errors.uncorrected slot 0x1101 (A2)": "critical", "memory.errors.corrected slot 0x110F (B4)": "info"},
			"A2: 1 uncorrected error in 3.5 days", "DIMM_A2"},
		"no driver counts":   {uncorrected(since), false, map[string]string{"memory.errors.uncorrected slot 0x1101 (A2)": "critical"}, "A2: 1 uncorrected error", ""},
		"before the restart": {uncorrected(before), false, map[string]string{}, "", "uncorrected error in"},
		"repaired at the restart": {uncorrected(before) + "," + entry(since, "MEM0804", "The self-heal operation successfully completed at DIMM DIMM_A2."), false,
			map[string]string{}, "", "self-heal"},
		"too many corrected": {entry(since, "MEM0702", "Correctable memory error rate exceeded for DIMM_B4."), true,
			map[string]string{"memory.errors.uncorrected slot 0x1101 (A2)": "critical", "memory.errors.corrected slot 0x110F (B4)": "info"}, "", ""},
		"MEM8000 alone": {entry(since, "MEM8000", "Correctable memory error logging disabled for a memory device at location DIMM_C1."), false,
			map[string]string{"memory.errors.corrected machine": "warning"}, "MEM8000 alone schedules no repair", ""},
		"without a time": {uncorrected("yesterday"), false, map[string]string{"memory.errors.uncorrected slot 0x1101 (A2)": "info"},
			"not whether they are older than the last restart", ""},
		"cut short": {uncorrected(since) + `],"Members@odata.nextLink":"/redfish/v1/Managers/1/Sel/Entries?$skip=1","x":[`, false,
			map[string]string{"memory.errors.uncorrected slot 0x1101 (A2)": "critical"}, "the service has no such resource", ""},
		"denied": {"", false, map[string]string{}, "the service has no such resource", ""},
	} {
		t.Run(name, func(t *testing.T) {
			m := machinetest.Named(t, "dell-r740-errors")
			for path := range m.Files {
				if !c.edac && strings.Contains(path, "/edac/mc/") {
					delete(m.Files, path)
				}
			}
			root := t.TempDir()
			m.Tree().WriteTo(t, root)
			args := []string{"check", "--root", root, "--redfish", bmcWith(t, systemEventLog("PowerEdge R740", c.entries)), "--redfish-credentials", private(t, "username: u\npassword: p\n"), "--redfish-insecure"}
			_, out, errs := run(nil, append(args, "--format", "json")...)
			got := map[string]string{}
			for _, f := range verdictsOf(t, out) {
				if strings.HasPrefix(f.Rule, "memory.errors.") && f.Result == "fail" {
					got[f.Rule+" "+f.Subject] = f.Severity
				}
			}
			assert.Equal(t, c.want, got, errs)
			_, text, _ := run(nil, append(args, "-v")...)
			text = strings.Join(strings.Fields(text), " ")
			assert.Contains(t, text+out, c.says)
			if c.not != "" {
				assert.NotContains(t, text, c.not)
			}
		})
	}
}

// systemEventLog are the resources of a Dell server whose SEL has these entries; "" for one that cannot be read.
func systemEventLog(model, entries string) map[string]string {
	const system, manager = "/redfish/v1/Systems/1", "/redfish/v1/Managers/1"
	out := map[string]string{
		"/redfish/v1/": `{"Systems":{"@odata.id":"/redfish/v1/Systems"}}`, "/redfish/v1/Systems": `{"Members":[{"@odata.id":"` + system + `"}]}`,
		system:                       `{"Model":"` + model + `","LastResetTime":"2026-11-20T08:00:00Z","Links":{"ManagedBy":[{"@odata.id":"` + manager + `"}]}}`,
		manager:                      `{"LogServices":{"@odata.id":"` + manager + `/LogServices"}}`,
		manager + "/LogServices":     `{"Members":[{"@odata.id":"` + manager + `/LogServices/Sel"}]}`,
		manager + "/LogServices/Sel": `{"Entries":{"@odata.id":"` + manager + `/Sel/Entries"}}`,
		manager + "/Sel/Entries":     `{"Members":[` + entries + `]}`,
	}
	if entries == "" {
		delete(out, manager+"/Sel/Entries")
	}
	return out
}

// TestRestartBeforeReplacing: on a server whose modules heal at a restart, that is the first step after too many corrected
// errors, and no module changes places.
func TestRestartBeforeReplacing(t *testing.T) {
	t.Parallel()
	s := machinetest.Servers()["supermicro-rome"]
	s.Vendor, s.Product, s.Brand, s.ID = "Dell Inc.", "PowerEdge R6525", milan.Brand, milan.ID
	v := machinetest.Varied{Server: s, Sockets: 1, Threads: 1}
	for range s.Depth * s.Channels {
		v.Modules = append(v.Modules, smbiostest.DIMM{Bytes: 32 << 30, Rank: 2, Speed: s.MTs, Configured: s.MTs, Manufacturer: "Samsung", Part: "M393A4K40DB3-CWE"})
	}
	const entry = `{"Created":"2026-11-21T07:14:39Z","MessageId":"IDRAC.2.8.MEM0702","Message":"Correctable memory error rate exceeded for %s."}`
	root := v.Tree().Write(t)
	_, out, errs := run(nil, "inventory", "--root", root, "--format", "json")
	doc := decoded[report.Inventory](t, out, errs)
	slot := doc.Slots[3].Locator.Text()
	_, out, errs = run(nil, "check", "--root", root, "--format", "json", "--redfish", bmcWith(t, systemEventLog(s.Product, fmt.Sprintf(entry, slot))), "--redfish-credentials", private(t, "username: u\npassword: p\n"), "--redfish-insecure")
	audited := decoded[report.Report](t, out, errs)
	found := 0
	for _, f := range audited.Findings {
		if f.Rule == "memory.errors.corrected" && f.Result == verdict.Fail {
			found++
			assert.True(t, strings.HasPrefix(string(f.Remedy), "restart the server, so that post-package repair can heal the module in "+slot), f.Remedy)
			assert.NotRegexp(t, "swap|reseat|mcelog", string(f.Remedy))
		}
	}
	assert.Equal(t, 1, found, errs)
}

// TestKnownBadModules checks that the example of a site's list of parts fails for a module of a named batch, and for
// no other.
func TestKnownBadModules(t *testing.T) {
	t.Parallel()
	pack := contentOf(t, filepath.Join(corpustest.Root(t), "deploy", "site", "known-bad-modules.yaml"))
	for part, want := range map[string]string{"M000": "fail", "M393B5273CH0-CH9": "pass"} {
		dir := t.TempDir()
		file := filepath.Join(dir, "batches.yaml")
		require.NoError(t, os.WriteFile(file, []byte(strings.ReplaceAll(string(pack), "EXAMPLE-PART-1", part)), 0o644))
		must(t, "rules", "validate", dir)
		_, out, _ := run(nil, "check", "--root", trees.Dir(t, "dell-r740-errors"), "--rules", dir, "--format", "json")
		asked := 0
		for _, f := range verdictsOf(t, out) {
			if f.Rule == "site.module.batch" {
				asked++
				assert.Equal(t, want, f.Result, f.Subject)
			}
		}
		assert.Equal(t, 12, asked)
	}
}

// fiveModules is a machine of which the kernel sees 64 GiB, with four modules of 16 GiB in the table and a fifth.
func fiveModules(t *testing.T, fifth smbiostest.DIMM) string {
	t.Helper()
	b := smbiostest.New(3, 2)
	b.System(smbiostest.System{Manufacturer: "Example Inc.", Product: "Server 1"})
	b.CPU(smbiostest.CPU{Socket: "CPU1", Manufacturer: "Intel", Version: hosttest.Skylake.Brand, ID: hosttest.Skylake.Signature(), Cores: 2})
	array := b.Array(smbiostest.Array{Devices: 6})
	for i := range 6 {
		d := smbiostest.DIMM{Bytes: 16 << 30, Speed: 2666, Configured: 2400, Manufacturer: "Samsung", Serial: "1234" + strconv.Itoa(i), Part: "M393A2K40CB2-CTD"}
		switch i {
		case 4:
			d = fifth
		case 5:
			d = smbiostest.DIMM{}
		}
		d.Array, d.Locator = array, "DIMM_A"+strconv.Itoa(i+1)
		b.MemoryDevice(d)
	}
	return collecttest.Table(hosttest.Skylake.Tree(hosttest.Machine{Sockets: 1, CoresPerSocket: 2}), b).Write(t)
}

// TestModuleThatDoesNotWork checks that a module without size or running speed beside missing memory of just its size is the problem.
func TestModuleThatDoesNotWork(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name  string
		fifth smbiostest.DIMM
		want  string // in the text, "" if the rule does not fail
	}{
		{"no running speed", smbiostest.DIMM{Bytes: 16 << 30, Speed: 2666, Manufacturer: "Samsung", Part: "M393A2K40CB2-CTD"}, "DIMM_A5: firmware reports 16 GiB here that are not in use"},
		{"no size", smbiostest.DIMM{SizeUnknown: true, Speed: 2666, Configured: 2400, Manufacturer: "Samsung"}, "DIMM_A5: firmware reports a module without a size here, and its memory is not in use"},
		{"no running speed, a smaller module", smbiostest.DIMM{Bytes: 8 << 30, Speed: 2666, Manufacturer: "Samsung", Part: "M393A1K43BB1-CTD"}, "DIMM_A5: firmware reports 8 GiB here that are not in use"},
		{"size and speed", smbiostest.DIMM{Bytes: 16 << 30, Speed: 2666, Configured: 2400, Manufacturer: "Samsung", Part: "M393A2K40CB2-CTD"}, ""},
		{"no size and no name", smbiostest.DIMM{SizeUnknown: true}, ""},
		{"empty", smbiostest.DIMM{}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			root := fiveModules(t, c.fifth)
			_, out, _ := run(nil, "check", "--root", root, "--format", "nagios")
			if c.want == "" {
				assert.NotContains(t, out, "not in use")
				return
			}
			assert.Contains(t, out, "WARNING "+c.want)
			assert.Contains(t, out, "Fix: reseat or replace what is there")
			assert.NotContains(t, out, "(memory.capacity.visible)", "a consequence")
		})
	}
}

// pasted returns what `dmidecode -t memory` prints of these devices, "LOCATOR|BANK|SIZE|SPEED|CONFIGURED" each.
func pasted(announced int, devices ...string) string {
	out := "user@host:~$ sudo dmidecode -t memory\n[sudo] password for user:\n# dmidecode 3.3\nGetting SMBIOS data from sysfs.\nSMBIOS 3.0 present.\n\n"
	if announced > 0 {
		out += fmt.Sprintf("Handle 0x0010, DMI type 16, 23 bytes\nPhysical Memory Array\n\tUse: System Memory\n\tError Correction Type: Multi-bit ECC\n\tNumber Of Devices: %d\n\n", announced)
	}
	for i, d := range devices {
		f := strings.Split(d, "|")
		out += fmt.Sprintf("Handle 0x%04X, DMI type 17, 40 bytes\nMemory Device\n\tArray Handle: 0x0010\n\tSize: %s\n\tForm Factor: DIMM\n\tLocator: %s\n\tBank Locator: %s\n", 0x20+i, f[2], f[0], f[1])
		if len(f) > 3 {
			out += fmt.Sprintf("\tType: DDR4\n\tSpeed: %s MT/s\n\tRank: 2\n\tConfigured Memory Speed: %s MT/s\n", f[3], f[4])
		}
		out += "\n"
	}
	return out
}

// TestPastedMemory checks a part of dmidecode's output, as people paste it: what is there is drawn with its speeds, what is
// missing is named with what would help, and nothing is called sound.
func TestPastedMemory(t *testing.T) {
	board := []string{}
	for _, cpu := range []int{1, 2} {
		for channel := range 4 {
			size := "32 GB|2400|2133"
			if cpu == 2 && channel == 3 {
				size = "No Module Installed"
			}
			board = append(board, fmt.Sprintf("P%d-DIMM%c1|P%d_Node%d_Channel%d_Dimm0|%s", cpu, 'A'+rune(4*(cpu-1)+channel), cpu-1, cpu-1, channel, size))
		}
	}
	guest := []string{"RAM slot #0|RAM slot #0|16384 MB|1600|1600"}
	for i := 1; i < 64; i++ {
		guest = append(guest, fmt.Sprintf("RAM slot #%d|RAM slot #%[1]d|No Module Installed", i))
	}
	for _, c := range []struct {
		name    string
		text    string
		has     []string
		without []string
	}{
		{"a board with two CPUs", pasted(8, board...), []string{"224 GiB DDR4 in 7 of 8 slots", "socket 0", "socket 1", "channel 3", "P2-DIMMH1", "7 DIMMs at 2133 MT/s, rated 2400 MT/s"}, nil},
		{"one row because of its speed", pasted(0, "PROC  2 DIMM 12|Not Specified|8 GB|2666|2400"), []string{"PROC 2 DIMM 12", "1 DIMM at 2400 MT/s, rated 2666 MT/s"}, []string{"1 of 1 slot"}},
		{"a hypervisor's slots", pasted(64, guest...), []string{"RAM slot #0 16 GiB", "63 empty slots", "1 of 64 slots"}, []string{"RAM slot #2"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			status, out, stderr := run([]byte(c.text), "check", "--smbios", "-")
			assert.Equal(t, 3, status, stderr)
			out = strings.Join(strings.Fields(out), " ")
			for _, want := range append(c.has, "UNKNOWN", "the processors (type 4) are missing", "the complete output of dmidecode") {
				assert.Contains(t, out, want)
			}
			for _, not := range append(c.without, "the SMBIOS table lists no memory", "not recognised") {
				assert.NotContains(t, out, not)
			}
		})
	}
}

// vera is dmidecode's text of a machine with Vera processors and modules of the given sizes in GB, 0 for an empty
// slot; their labels match no known pattern.
func vera(processors int, form string, sizes ...int) string {
	var b strings.Builder
	b.WriteString("# dmidecode 3.7\nSMBIOS 3.8.0 present.\n\nHandle 0x0001, DMI type 1, 27 bytes\nSystem Information\n\tManufacturer: NVIDIA\n\tProduct Name: Vera\n\n")
	for i := range processors {
		fmt.Fprintf(&b, "Handle 0x%04x, DMI type 4, 48 bytes\nProcessor Information\n\tSocket Designation: CPU%d\n\tType: Central Processor\n\tManufacturer: NVIDIA\n\tVersion: NVIDIA Vera\n\tStatus: Populated, Enabled\n\tCore Count: 88\n\n", 4+i, i)
	}
	fmt.Fprintf(&b, "Handle 0x0010, DMI type 16, 23 bytes\nPhysical Memory Array\n\tUse: System Memory\n\tNumber Of Devices: %d\n\n", len(sizes))
	for i, gb := range sizes {
		size, kind := "No Module Installed", "Unknown"
		if gb > 0 {
			size, kind = fmt.Sprintf("%d GB", gb), "LPDDR5"
		}
		fmt.Fprintf(&b, "Handle 0x%04x, DMI type 17, 92 bytes\nMemory Device\n\tArray Handle: 0x0010\n\tSize: %s\n\tForm Factor: %s\n\tLocator: SOCAMM%d\n\tType: %s\n\tRank: 2\n\tSpeed: 9600 MT/s\n\tConfigured Memory Speed: 9600 MT/s\n\n", 0x20+i, size, form, i, kind)
	}
	return b.String()
}

// TestSOCAMM checks that modules with channels of their own are checked by number and size, whatever their labels and
// form factor; deviations are notes, and firmware's rows are not guessed.
func TestSOCAMM(t *testing.T) {
	t.Parallel()
	eight, seven := []int{192, 192, 192, 192, 192, 192, 192, 192}, []int{192, 192, 192, 192, 192, 192, 192}
	for name, c := range map[string]struct {
		text             string
		result, sentence string
	}{
		"alike":                      {vera(1, "CAMM", eight...), "pass", "no problem found"},
		"one is missing":             {vera(1, "CAMM", append(seven, 0)...), "fail", "SOCAMM7 is empty"},
		"one is smaller":             {vera(1, "CAMM", append(seven, 96)...), "fail", "SOCAMM7 has 96 GiB, others have 192 GiB"},
		"seven are listed":           {vera(1, "CAMM", seven...), "fail", "7 SOCAMM modules for the 8 places of 1 processor"},
		"another form factor":        {vera(1, "Proprietary Card", append(seven, 0)...), "fail", "SOCAMM7 is empty"},
		"no form factor":             {vera(1, "Other", append(seven, 96)...), "fail", "SOCAMM7 has 96 GiB"},
		"two processors":             {vera(2, "CAMM", append(eight, eight...)...), "pass", "no problem found"},
		"one of two is missing":      {vera(2, "CAMM", append(eight, append(seven, 0)...)...), "fail", "SOCAMM15 is empty"},
		"fifteen are listed":         {vera(2, "CAMM", append(eight, seven...)...), "fail", "15 SOCAMM modules for the 16 places of 2 processors"},
		"all memory is one row":      {vera(1, "Other", 1536), "unknown", "firmware lists 1 device for 1 processor"},
		"more rows than there are":   {vera(1, "Chip", append(eight, eight...)...), "unknown", "firmware lists 16 devices for 1 processor"},
		"one that is smaller of two": {vera(1, "CAMM", 192, 96), "fail", "SOCAMM1 has 96 GiB"},
	} {
		t.Run(name, func(t *testing.T) {
			status, out, errs := run([]byte(c.text), "check", "--smbios", "-", "--format", "json")
			doc := decoded[struct {
				Verdict  struct{ Status, Sentence string }
				Findings []struct{ Rule, Result, Severity, Reason string }
			}](t, out, errs)
			found := false
			for _, f := range doc.Findings {
				if f.Result == "fail" {
					assert.Equal(t, "info", f.Severity, f.Rule)
				}
				if f.Rule == "memory.module.complete" {
					found = true
					assert.Equal(t, c.result, f.Result, f.Reason)
				}
			}
			assert.True(t, found)
			assert.Contains(t, doc.Verdict.Sentence, c.sentence)
			assert.Equal(t, c.result == "unknown", status == 3)
		})
	}
}
