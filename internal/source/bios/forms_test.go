package bios_test

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"memaudit.example/memaudit/internal/source/bios"
)

// The tests of this file compare single lines and elements of every vendor's format, as the vendor's documents and
// published transcripts print them, with their meaning. Inputs are synthetic.

// told formats one attribute in one line: name=value, then what else is known of it.
func told(a *bios.Attribute) string {
	s := a.Name + "="
	if a.Stated {
		s += a.Value
	} else {
		s += "(none)"
	}
	for _, part := range []struct{ mark, text string }{{"menu", a.Menu}, {"text", a.Text}, {"default", a.Default}, {"offers", strings.Join(a.Options, "|")}} {
		if part.text != "" {
			s += " " + part.mark + ":" + part.text
		}
	}
	if a.HasPending {
		s += " pending:" + a.Pending
	}
	if a.ReadOnly {
		s += " read-only"
	}
	return s
}

func tell(e *bios.Export) []string {
	out := []string{}
	for i := range e.Attributes {
		out = append(out, told(&e.Attributes[i]))
	}
	return out
}

// form is one input and its attributes.
type form struct {
	name, in string
	want     []string
	// problems are the texts of the problems, in their order.
	problems []string
}

func testForms(t *testing.T, format bios.Format, forms []form) {
	t.Helper()
	for _, f := range forms {
		t.Run(f.name, func(t *testing.T) {
			e := decoded(t, "file", f.in)
			require.Equal(t, format, e.Format)
			assert.Equal(t, f.want, tell(e))
			require.Len(t, e.Problems, len(f.problems), "%v", e.Problems)
			for i, says := range f.problems {
				assert.Contains(t, e.Problems[i], says)
			}
		})
	}
}

// TestSyscfgForms checks Dell's Deployment Toolkit, with and without the dashes of the option.
func TestSyscfgForms(t *testing.T) {
	testForms(t, bios.DellSyscfg, []form{
		{name: "an option as it is typed", in: "--logicproc=disable\n", want: []string{"logicproc=disable"}},
		{name: "an INI of several", in: "[syscfg]\n; a comment\n# another\nlogicproc=enable\nturbomode=disable\n", want: []string{"logicproc=enable", "turbomode=disable"}},
		{name: "talk between", in: "logicproc=enable\nThe option is not available.\n", want: []string{"logicproc=enable"}, problems: []string{"line 2: not option=value"}},
	})
}

// TestSCPForms checks a Server Configuration Profile, as XML and as JSON.
func TestSCPForms(t *testing.T) {
	xml := func(inside string) string {
		return `<SystemConfiguration Model="PowerEdge R640">` + "\n" + `<Component FQDD="BIOS.Setup.1-1">` + inside + `</Component></SystemConfiguration>`
	}
	testForms(t, bios.SCPXML, []form{
		{name: "entities", in: xml(`<Attribute Name="A">x &amp; &lt;y&gt;</Attribute>`), want: []string{"A=x & <y>"}},
		{name: "a comment that is none of an attribute", in: xml(`<!-- Attribute is not for you --><Attribute Name="A">x</Attribute>`), want: []string{"A=x"}},
		{name: "a comment that is broken", in: xml(`<!-- <Attribute Name="B">x --><Attribute Name="A">x</Attribute>`), want: []string{"A=x"}, problems: []string{"not XML"}},
		{name: "an attribute without a name", in: xml(`<Attribute>x</Attribute><Attribute Name="A">x</Attribute>`), want: []string{"A=x"}, problems: []string{"an attribute without a name"}},
		{name: "another component's after it", in: xml(`<Attribute Name="A">x</Attribute></Component><Component FQDD="RAID.1"><Attribute Name="B">y</Attribute>`), want: []string{"A=x"}},
		{name: "a comment of another component", in: xml(`<Attribute Name="A">x</Attribute></Component><Component FQDD="RAID.1"><!-- <Attribute Name="B">y</Attribute> -->`), want: []string{"A=x"}},
		{name: "a comment between components", in: xml(`<Attribute Name="A">x</Attribute></Component><!-- <Attribute Name="B">y</Attribute> --><Component FQDD="RAID.1">`), want: []string{"A=x"}},
		{name: "an element that is none of an attribute", in: xml(`<Note>x</Note><Attribute Name="A">x</Attribute>`), want: []string{"A=x"}},
		{name: "empty", in: xml(`<Attribute Name="A"></Attribute><Attribute Name="B"/>`), want: []string{"A=", "B="}},
	})
	json := func(attributes string) string {
		return `{"SystemConfiguration": {"Components": [{"FQDD": "iDRAC.Embedded.1", "Attributes": [{"Name": "Users.1#UserName", "Value": "root"}]}, {"FQDD": "BIOS.Setup.1-1", "Attributes": [` + attributes + `]}]}}`
	}
	testForms(t, bios.SCPJSON, []form{
		{name: "a number and a switch", in: json(`{"Name": "A", "Value": 4}, {"Name": "B", "Value": true}`), want: []string{"A=4", "B=true"}},
		{name: "not set on import", in: json(`{"Name": "A", "Value": "x", "Set On Import": "False", "Comment": "Read only"}`), want: []string{"A=x read-only"}},
		{name: "a password", in: json(`{"Name": "SysPassword", "Value": "hunter2"}, {"Name": "A", "Value": "x"}`), want: []string{"SysPassword=(none)", "A=x"}},
		{name: "a value that is null", in: json(`{"Name": "B", "Value": null}, {"Name": "A", "Value": "x"}`), want: []string{"A=x"}, problems: []string{"Attributes[0]: no Value"}},
	})
}

// TestWSManForms checks DCIM_BIOSEnumeration and related classes (Dell's BIOS and Boot Management Profile).
func TestWSManForms(t *testing.T) {
	envelope := func(class, inside string) string {
		return `<s:Envelope xmlns:s="http://www.w3.org/2003/05/soap-envelope" xmlns:n1="x" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"><s:Body><n1:` + class + `>` + inside + `</n1:` + class + `></s:Body></s:Envelope>`
	}
	testForms(t, bios.WSMan, []form{
		{name: "two pages", in: envelope("DCIM_BIOSString", `<n1:AttributeName>A</n1:AttributeName><n1:CurrentValue>x</n1:CurrentValue>`) + "\n" + `<?xml version="1.0"?>` +
			envelope("DCIM_BIOSString", `<n1:AttributeName>B</n1:AttributeName><n1:CurrentValue>y</n1:CurrentValue>`), want: []string{"A=x", "B=y"}},
		{name: "what waits", in: envelope("DCIM_BIOSEnumeration", `<n1:AttributeName>LogicalProc</n1:AttributeName><n1:CurrentValue>Enabled</n1:CurrentValue><n1:PendingValue>Disabled</n1:PendingValue><n1:IsReadOnly>false</n1:IsReadOnly>`),
			want: []string{"LogicalProc=Enabled pending:Disabled"}},
		{name: "no value now", in: envelope("DCIM_BIOSString", `<n1:AttributeName>AssetTag</n1:AttributeName><n1:CurrentValue xsi:nil="true"/>`), want: []string{"AssetTag=(none)"}},
		{name: "an empty value is one", in: envelope("DCIM_BIOSString", `<n1:AttributeName>AssetTag</n1:AttributeName><n1:CurrentValue/>`), want: []string{"AssetTag="}},
		{name: "an integer", in: envelope("DCIM_BIOSInteger", `<n1:AttributeName>AcPwrRcvryUserDelay</n1:AttributeName><n1:CurrentValue>30</n1:CurrentValue><n1:DefaultValue>60</n1:DefaultValue>`), want: []string{"AcPwrRcvryUserDelay=30 default:60"}},
		{name: "a password", in: envelope("DCIM_BIOSString", `<n1:AttributeName>SetupPassword</n1:AttributeName><n1:CurrentValue>hunter2</n1:CurrentValue><n1:PendingValue>hunter3</n1:PendingValue><n1:DefaultValue>hunter4</n1:DefaultValue>`), want: []string{"SetupPassword=(none)"}},
		{name: "its group and options", in: envelope("DCIM_BIOSEnumeration", `<n1:GroupDisplayName>Memory Settings</n1:GroupDisplayName><n1:AttributeName>NodeInterleave</n1:AttributeName><n1:CurrentValue>Disabled</n1:CurrentValue><n1:PossibleValues>Enabled</n1:PossibleValues><n1:PossibleValues>Disabled</n1:PossibleValues>`),
			want: []string{"NodeInterleave=Disabled menu:Memory Settings offers:Enabled|Disabled"}},
	})
}

// TestSUMForms checks Supermicro Update Manager's XML and its older text.
func TestSUMForms(t *testing.T) {
	xml := func(inside string) string {
		return `<?xml version="1.0" encoding="ISO-8859-1"?><BiosCfg><Menu name="Advanced">` + inside + `</Menu></BiosCfg>`
	}
	testForms(t, bios.SUMXML, []form{
		{name: "one name in two menus", in: xml(`<Menu name="CPU1"><Setting name="Cores" selectedOption="All" type="Option"/></Menu><Menu name="CPU2"><Setting name="Cores" selectedOption="1" type="Option"/></Menu>`),
			want: []string{"Cores=All menu:Advanced > CPU1", "Cores=1 menu:Advanced > CPU2"}},
		{name: "a setting behind a menu's end", in: xml(`<Menu name="CPU"></Menu><Setting name="NUMA" selectedOption="Enabled" type="Option"/>`), want: []string{"NUMA=Enabled menu:Advanced"}},
		{name: "a text", in: xml(`<Setting name="Asset" type="String"><StringValue>rack 7</StringValue></Setting>`), want: []string{"Asset=rack 7 menu:Advanced"}},
		{name: "help is no value", in: xml(`<Setting name="NUMA" selectedOption="Enabled" type="Option"><Information><Help><![CDATA[<Option>None</Option>]]></Help></Information></Setting>`), want: []string{"NUMA=Enabled menu:Advanced"}},
		{name: "a condition of work", in: xml(`<Setting name="Turbo Mode" selectedOption="Enable" type="Option"><Information><WorkIf><![CDATA[(0 != SpeedStep)]]></WorkIf><AvailableOptions><Option value="0">Disable</Option><Option value="1">Enable</Option></AvailableOptions></Information></Setting>`),
			want: []string{"Turbo Mode=Enable menu:Advanced offers:Disable|Enable"}},
		{name: "a sign of Latin-1", in: xml(`<Setting name="Intel` + "\xae" + ` VT" selectedOption="Enable" type="Option"/>`), want: []string{"Intel® VT=Enable menu:Advanced"}},
	})
	testForms(t, bios.SUMText, []form{
		{name: "a code that no option has", in: "[Advanced|CPU]\nHyper-threading=07   // 00 (Disabled), *01 (Enabled)\n", want: []string{"Hyper-threading=07 menu:Advanced > CPU default:Enabled offers:Disabled|Enabled"}},
		{name: "the default stands first", in: "[Advanced|CPU]\nHyper-threading=01   // *00 (Disabled), 01 (Enabled)\n", want: []string{"Hyper-threading=01 menu:Advanced > CPU text:Enabled default:Disabled offers:Disabled|Enabled"}},
		{name: "small and capital digits", in: "[Advanced|CPU]\nPackage C State=fF   // 00 (C0/C1 state), *FF (Auto)\n", want: []string{"Package C State=fF menu:Advanced > CPU text:Auto default:Auto offers:C0/C1 state|Auto"}},
		{name: "a line that is neither", in: "[Advanced|CPU]\nnonsense\nCores=0\n", want: []string{"Cores=0 menu:Advanced > CPU"}, problems: []string{"line 2: neither [Menu|Submenu] nor Name=Value"}},
		{name: "a password", in: "[Security|Password]\nAdministrator Password=\"hunter2\"\n", want: []string{"Administrator Password=(none) menu:Security > Password"}},
		{name: "a comment", in: "[Advanced|CPU]\n// Hyper-threading=00\nCores=0\n", want: []string{"Cores=0 menu:Advanced > CPU"}},
	})
}

// TestASUForms checks IBM's Advanced Settings Utility and Lenovo's OneCLI.
func TestASUForms(t *testing.T) {
	testForms(t, bios.ASU, []form{
		{name: "a value with blanks", in: "OperatingModes.ChooseOperatingMode=Efficiency -Favor Performance\n", want: []string{"OperatingModes.ChooseOperatingMode=Efficiency -Favor Performance"}},
		{name: "quoted", in: "Processors.CStates=\"Legacy\"\n", want: []string{"Processors.CStates=Legacy"}},
		{name: "hyphen and slash in the name", in: "Processors.GlobalC-stateControl=Enabled\nProcessors.4-LinkxGMIMaxSpeed=Auto\n", want: []string{"Processors.GlobalC-stateControl=Enabled", "Processors.4-LinkxGMIMaxSpeed=Auto"}},
		{name: "the choices are no state", in: "Processors.CStates=Legacy=<Autonomous>=Disabled\n", want: []string{"Processors.CStates=(none) default:Autonomous offers:Legacy|Autonomous|Disabled"}},
		{name: "a lone choice", in: "Processors.CStates=<Autonomous>\n", want: []string{"Processors.CStates=(none) default:Autonomous offers:Autonomous"}},
		{name: "a value that only looks like a choice", in: "Processors.Note=a <b> c\n", want: []string{"Processors.Note=a <b> c"}},
		{name: "the controller's own settings are none of the BIOS", in: "IMM.LoginId.1=USERID\nBMC.PowerRestorePolicy=Restore\nYUM.Proxy=x\nProcessors.TurboMode=Enable\n", want: []string{"Processors.TurboMode=Enable"}},
		{name: "a password", in: "uEFI.AdminPassword=hunter2\nuEFI.TurboModeEnable=Enable\n", want: []string{"uEFI.AdminPassword=(none)", "uEFI.TurboModeEnable=Enable"}},
	})
	testForms(t, bios.ASUBatch, []form{
		{name: "quoted and plain", in: "set Processors.CStates \"Disabled\"\nset Processors.TurboMode Enabled\n", want: []string{"Processors.CStates=(none) pending:Disabled", "Processors.TurboMode=(none) pending:Enabled"}},
		{name: "a password is not kept", in: "set uEFI.AdminPassword hunter2\nset uEFI.TurboModeEnable Enable\n", want: []string{"uEFI.AdminPassword=(none)", "uEFI.TurboModeEnable=(none) pending:Enable"}},
		{name: "a line that is neither", in: "loaddefault uEFI\n# note\nreboot\nset uEFI.TurboModeEnable Enable\n", want: []string{"uEFI.TurboModeEnable=(none) pending:Enable"}, problems: []string{"line 3: neither set nor loaddefault"}},
	})
}

// TestELCMForms checks a profile of Fujitsu's iRMC: the groups are menus, keys with @ are the profile's own.
func TestELCMForms(t *testing.T) {
	profile := func(inside string) string {
		return `{"Server":{"@Version":"1.01","SystemConfig":{"BiosConfig":{"@Version":"1.03",` + inside + `}}}}`
	}
	testForms(t, bios.ELCM, []form{
		{name: "a group", in: profile(`"CpuConfig":{"@Processing":"execute","HyperThreading":"Enabled","ActiveCores":12}`),
			want: []string{"ActiveCores=12 menu:CpuConfig", "HyperThreading=Enabled menu:CpuConfig"}},
		{name: "a group in a group, and a list", in: profile(`"MemoryConfig":{"Ras":{"Redundancy":"Sparing"},"Order":["a"]},"QuietBoot":true`),
			want: []string{"Redundancy=Sparing menu:MemoryConfig > Ras", "QuietBoot=true"}},
		{name: "a password", in: profile(`"SecurityConfig":{"AdminPassword":"hunter2","NumaOptimization":"Enabled"}`),
			want: []string{"AdminPassword=(none) menu:SecurityConfig", "NumaOptimization=Enabled menu:SecurityConfig"}},
	})
}

// TestHPEForms checks ilorest's printed text and conrep's data file.
func TestHPEForms(t *testing.T) {
	testForms(t, bios.ILORest, []form{
		{name: "one name", in: "WorkloadProfile=LowLatency\n", want: []string{"WorkloadProfile=LowLatency"}},
		{name: "words in quotation marks, as the user guide prints an asset tag", in: "Discovering data...Done\nProcHyperthreading=\"Enabled\"\nWorkloadProfile=\"LowLatency\"\nLogging session out.\n", want: []string{"ProcHyperthreading=Enabled", "WorkloadProfile=LowLatency"}},
		{name: "quotation marks around nothing", in: "ProcTurbo=Enabled\nServerAssetTag=\"\"\n", want: []string{"ProcTurbo=Enabled", "ServerAssetTag="}},
		{name: "a lone quotation mark", in: "ProcTurbo=\"\n", want: []string{`ProcTurbo="`}},
		{name: "the tool's talk and the resource's own", in: "iLOrest : RESTful Interface Tool version 4.7\nDiscovering data...Done\nName=BIOS Current Settings\nId=bios\nAttributes=\n    ProcTurbo=Disabled\n    AdminName=\n", want: []string{"ProcTurbo=Disabled", "AdminName="}},
		{name: "a password", in: "ProcTurbo=Enabled\nAdminPassword=hunter2\n", want: []string{"ProcTurbo=Enabled", "AdminPassword=(none)"}},
	})
	testForms(t, bios.Conrep, []form{
		{name: "help is no value", in: `<Conrep><Section name="Intel_Hyperthreading" helptext="Enabled by default">Disabled</Section></Conrep>`, want: []string{"Intel_Hyperthreading=Disabled"}},
		{name: "an element that is no section", in: `<Conrep><global><helptext>x</helptext></global><Section name="A">Enabled</Section></Conrep>`, want: []string{"A=Enabled"}},
		{name: "in capitals, with a comment", in: `<CONREP><Section name="A"><!-- x -->Enabled</Section></CONREP>`, want: []string{"A=Enabled"}},
		{name: "elements inside are its text", in: `<Conrep><Section name="Boot"><Line>a</Line><Line>b</Line></Section></Conrep>`, want: []string{"Boot=ab"}},
	})
}

// TestMenuForms checks Intel's syscfg, OpenManage's omreport and AMI's SCE dump, which print the texts of BIOS setup.
func TestMenuForms(t *testing.T) {
	testForms(t, bios.IntelSyscfg, []form{
		{name: "options with leading zeros", in: "[BIOS::Processor]\nTurbo=1;Options: 00=Disabled: 01=Enabled\n", want: []string{"Turbo=1 menu:Processor text:Enabled offers:Disabled|Enabled"}},
		{name: "no value is not the option 0", in: "[BIOS::Processor]\nTurbo=;Options: 00=Disabled: 01=Enabled\n", want: []string{"Turbo= menu:Processor offers:Disabled|Enabled"}},
		{name: "a value that no option has", in: "[BIOS::Processor]\nTurbo=2;Options: 0=Disabled: 1=Enabled\n", want: []string{"Turbo=2 menu:Processor offers:Disabled|Enabled"}},
		{name: "other sections", in: "[SYSTEM]\nTurbo=1\n[BIOS::Processor]\nC1E=0\n[SDR]\nC1E=1\n", want: []string{"C1E=0 menu:Processor"}},
		{name: "a line that is neither", in: "[BIOS::Processor]\nnonsense\nC1E=0\n", want: []string{"C1E=0 menu:Processor"}, problems: []string{"line 2: neither [BIOS::Menu] nor Name=Value"}},
	})
	testForms(t, bios.Omreport, []form{
		{name: "a colon in the value", in: "BIOS Settings\n\nSystem Time : 12:30\n", want: []string{"System Time=12:30"}},
		{name: "a setting whose name is missing", in: "BIOS Settings\n\nSetting   : Enabled\nAttribute : NUMA\nSetting   : Disabled\n", want: []string{"NUMA=Disabled"}},
		{name: "short names below a preamble and the list of boot devices", in: "Device Software 1\n\nSystem BIOS Settings\n\nUEFI Boot Settings\n-----------------\n\nUefiBootSeq\n1. Enabled : RAID.1: Manager\n2. Disabled : NIC.1: PXE\n\nProcessor Settings\n-----------------\nLogicalProc : Enabled\n", want: []string{"LogicalProc=Enabled"}},
		{name: "the profile by its short name", in: "System BIOS Settings\n\nSysProfile : Performance Per Watt (OS)\n", want: []string{"SysProfile=PerfPerWattOptimizedOs"}},
	})
	testForms(t, bios.SCE, []form{
		{name: "a value that is none of the valid ones", in: `[{"Title": "Turbo Mode", "Question Id": 1, "Value": 9, "Valid Value": [{"Title": "Disabled", "Value": 0}]}]`, want: []string{"Turbo Mode=9 offers:Disabled"}},
		{name: "no value", in: `[{"Title": "Turbo Mode", "Question Id": 1, "Value": null, "Valid Value": [{"Title": "Disabled", "Value": 0}]}]`, want: []string{"Turbo Mode=(none) offers:Disabled"}},
		{name: "a number without a value, and a value without a number", in: `[{"Title": "Turbo Mode", "Question Id": 1}, {"Title": "Cores", "Value": 0}]`, want: []string{"Turbo Mode=(none)", "Cores=0"}},
		{name: "a value without a number first", in: `[{"Title": "Cores", "Value": 0}]`, want: []string{"Cores=0"}},
		{name: "one title twice", in: `[{"Title": "Cores", "Question Id": 1, "Value": 0}, {"Title": "Cores", "Question Id": 2, "Value": 1}]`, want: []string{"Cores=0", "Cores=1"}},
		{name: "a password", in: `[{"Title": "Administrator Password", "Question Id": 1, "Value": "hunter2", ";Default Value": "hunter3"}]`, want: []string{"Administrator Password=(none)"}},
	})
	testForms(t, bios.OwnWords, []form{
		{name: "quotes, comments and an equals sign", in: "---\nmemory_ras_mode: \"spare\" # as setup shows it\nturbo = enabled\n", want: []string{"memory_ras_mode=spare", "turbo=enabled"}},
		{name: "a line that is none", in: "turbo: enabled\nTurbo Mode on\n", want: []string{"turbo=enabled"}, problems: []string{"line 2: not setting: value"}},
	})
}

// TestPrintedForms checks what scripts and command-line tools print of a Bios resource: badfish, Dell's Redfish scripts,
// CSV tables of ironic and PowerShell.
func TestPrintedForms(t *testing.T) {
	two := []string{"LogicalProc=Enabled", "SysProfile=PerfOptimized"}
	testForms(t, bios.Racadm, []form{
		{name: "badfish", in: "- INFO     - LogicalProc: Enabled\n- INFO     - SysProfile: PerfOptimized\n", want: two},
		{name: "badfish with the host, in colour", in: "[n1] - \x1b[32mINFO\x1b[0m     - LogicalProc: Enabled\n[n1] - \x1b[32mINFO\x1b[0m     - SysProfile: PerfOptimized\n", want: two},
		{name: "badfish's log", in: "2026-01-02 10:11:12,345: - INFO     - LogicalProc: Enabled\n2026-01-02 10:11:12,346: - INFO     - SysProfile: PerfOptimized\n", want: two},
		{name: "the file of Dell's script", in: "- Data collection timestamp: 2026-1-2  1:2:3\n\n--- BIOS Attributes ---\nAttribute Name: LogicalProc\tAttribute Value: Enabled\nAttribute Name: SysProfile\tAttribute Value: PerfOptimized\n", want: two},
		{name: "some attributes by Dell's script", in: "\nCurrent value for attribute \"LogicalProc\": \"Enabled\"\nCurrent value for attribute \"SysProfile\": \"PerfOptimized\"\n", want: two},
		{name: "the screen of Dell's script", in: "--- BIOS Attributes ---\n\n('LogicalProc', 'Enabled')\n('SysProfile', 'PerfOptimized')\n", want: two},
		{name: "an object as Python prints it", in: "{'@odata.id': '/redfish/v1/Systems/1/Bios',\n 'Attributes': {'LogicalProc': 'Enabled',\n                'SysProfile': 'PerfOptimized'}}\n", want: two},
	})
	testForms(t, bios.Redfish, []form{
		{name: "one attribute by badfish", in: "- INFO     - AttributeName: ProcC1E\n- INFO     - CurrentValue: Enabled\n- INFO     - HelpText: When set to Enabled: sleep.\n- INFO     - Value: [{'ValueName': 'Disabled'}]\n", want: []string{"ProcC1E=Enabled"}},
		{name: "CSV of ironic", in: "\"Name\",\"Value\"\r\n\"LogicalProc\",\"Enabled\"\r\n\"SysProfile\",\"PerfOptimized\"\r\n", want: two},
		{name: "CSV of PowerShell, with what waits", in: "#TYPE Selected.Object\n\"AttributeName\";\"CurrentValue\";\"PendingValue\"\n\"LogicalProc\";\"Enabled\";\"Disabled\"\n", want: []string{"LogicalProc=Enabled pending:Disabled"}},
		{name: "CSV with a row for the machine", in: "host,LogicalProc,SysProfile\nn1,Enabled,PerfOptimized\n", want: two},
		{name: "values of ironic's list", in: "AssetTag \nLogicalProc Enabled\nSysProfile PerfOptimized\n", want: two},
	})
	testForms(t, bios.Menu, []form{
		{name: "headings of Markdown", in: "## AMD CBS\n##### DF Cstates: Auto\n##### NUMA nodes per socket: NPS4\n", want: []string{"DF Cstates=Auto", "NUMA nodes per socket=NPS4"}},
		{name: "a table of AMD's guides", in: "| BIOS setting location | Parameter | Value | Comments |\n|---|---|---|---|\n| AMD CBS / DF common options | NUMA nodes per socket | NPS1 | x |\n", want: []string{"NUMA nodes per socket=NPS1"}},
	})
	for _, in := range []string{"[n1] - INFO     - LogicalProc: Enabled\n[n2] - INFO     - LogicalProc: Disabled\n", "host,name,value\nn1,LogicalProc,Enabled\nn2,LogicalProc,Disabled\n",
		"Host Name;LogicalProc\nn1;Enabled\nn2;Disabled\n", `[{"node":"n1","name":"LogicalProc","value":"Enabled"},{"node":"n2","name":"LogicalProc","value":"Disabled"}]`} {
		_, err := bios.Decode("file", []byte(in))
		require.ErrorContains(t, err, `settings of "n2" after those of "n1", expected one machine's`, in)
	}
	odd := decoded(t, "file", "Name,Value\nLogicalProc,Enabled\nSysProfile,Custom, Dense\nProcC1E,Disabled\n")
	require.Equal(t, []string{"row[1] has 3 cells, expected 2 as in the heading: it is left out"}, odd.Problems)
}

// TestRedfishForms checks every JSON type that controllers give an attribute.
func TestRedfishForms(t *testing.T) {
	resource := func(attributes string) string {
		return `{"@odata.type": "#Bios.v1_0_0.Bios", "Attributes": {` + attributes + `}}`
	}
	testForms(t, bios.Redfish, []form{
		{name: "numbers stay as written", in: resource(`"A": 1e3, "B": 0.50, "C": 18446744073709551616`), want: []string{"A=1e3", "B=0.50", "C=18446744073709551616"}},
		{name: "blanks around a word", in: resource(`"A": "  Enabled\t"`), want: []string{"A=Enabled"}},
		{name: "an array", in: resource(`"A": ["x", 1]`), want: []string{`A=["x",1]`}},
		{name: "null", in: resource(`"A": null`), want: []string{"A=(none)"}},
		{name: "an object without a value", in: resource(`"A": {"AllowableValues": ["x"]}`), want: []string{"A=(none) offers:x"}, problems: []string{"an object without current_value"}},
		{name: "an object with what waits", in: resource(`"A": {"current_value": "x", "pending_value": "y", "default_value": "z"}`), want: []string{"A=x default:z pending:y"}},
		{name: "an object that is a password", in: resource(`"AdminPassword": {"current_value": "hunter2", "pending_value": "hunter3", "default_value": "hunter4"}`), want: []string{"AdminPassword=(none)"}},
		{name: "one key twice with two values", in: resource(`"A": "x", "A": "y", "B": "z"`), want: []string{"A=(none)", "B=z"}, problems: []string{"$.Attributes.A: is listed more than once with different values"}},
	})
}

// TestEncodedXML checks XML that a Windows tool saved as UTF-16, which its header states too.
func TestEncodedXML(t *testing.T) {
	text := `<?xml version="1.0" encoding="UTF-16"?><Conrep><Section name="A">Größe</Section></Conrep>`
	data := []byte{0xFF, 0xFE}
	for _, u := range utf16.Encode([]rune(text)) {
		data = append(data, byte(u), byte(u>>8))
	}
	e := decoded(t, "file", string(data))
	assert.Equal(t, []string{"A=Größe"}, tell(e))
	e, err := bios.Decode("file", data[:len(data)-1])
	require.Error(t, err, "half a character")
	assert.Nil(t, e)
}

// TestComplete checks that an excerpt is not complete: a missing name means something only in a complete list.
func TestComplete(t *testing.T) {
	many := func(n int, head, line, tail string) string {
		var b strings.Builder
		b.WriteString(head)
		for i := range n {
			fmt.Fprintf(&b, line, i)
		}
		return b.String() + tail
	}
	sum := func(n int) string {
		return many(n, `<BiosCfg><Menu name="CPU">`, `<Setting name="S%d" selectedOption="x" type="Option"/>`, `</Menu></BiosCfg>`)
	}
	scp := func(n int) string {
		return many(n, `<SystemConfiguration><Component FQDD="BIOS.Setup.1-1">`, `<Attribute Name="S%d">x</Attribute>`, `</Component></SystemConfiguration>`)
	}
	racadm := func(n int) string {
		return many(n, "[Key=BIOS.Setup.1-1#MemSettings]\n[Key=BIOS.Setup.1-1#SysProfileSettings]\n[Key=BIOS.Setup.1-1#ProcSettings]\n", "S%d=x\n", "")
	}
	asu := func(n int) string { return many(n, "", "Processors.S%d=x\n", "") }
	conrep := func(n int) string { return many(n, `<Conrep>`, `<Section name="S%d">x</Section>`, `</Conrep>`) }
	// The first attribute is in the header, so that commas can precede the others.
	resource := func(head string) func(int) string {
		return func(n int) string {
			return many(n-1, `{`+head+`"Attributes": {"S": {"current_value": "x"}`, `, "S%d": {"current_value": "x"}`, `}}`)
		}
	}
	saved := func(n int) string {
		return many(n-1, `[{"#Bios.v1_0_0.Bios": {"/redfish/v1/systems/1/bios/": {"Attributes": {"S": "x"`, `, "S%d": "x"`, `}}}}]`)
	}
	scpJSON := func(n int) string {
		return many(n-1, `{"SystemConfiguration": {"Components": [{"FQDD": "BIOS.Setup.1-1", "Attributes": [{"Name": "S", "Value": "x"}`, `, {"Name": "S%d", "Value": "x"}`, `]}]}}`)
	}
	sce := func(n int) string {
		return many(n-1, `[{"Title": "S", "Value": 1}`, `, {"Title": "S%d", "Value": 1}`, `, {"Title": "a heading"}]`)
	}
	sumText := func(n int) string { return many(n, "[Advanced|CPU]\n", "S%d=00 // 00 (Disabled), *01 (Enabled)\n", "") }
	intel := func(n int) string { return many(n, "[BIOS::Processor]\n", "S%d=0\n", "") }
	ilorest := func(n int) string { return many(n-1, "ProcTurbo=Enabled\n", "S%d=x\n", "") }
	ws := func(last string) func(int) string {
		return func(n int) string {
			return many(n, `<s:Envelope xmlns:s="x"><s:Body>`, `<DCIM_BIOSEnumeration><AttributeName>S%d</AttributeName><CurrentValue>x</CurrentValue></DCIM_BIOSEnumeration>`,
				`<DCIM_BIOSString><AttributeName>T</AttributeName><CurrentValue>x</CurrentValue></DCIM_BIOSString>`+last+`</s:Body></s:Envelope>`)
		}
	}
	for name, c := range map[string]struct {
		of   func(int) string
		from int
	}{"sum": {sum, 40}, "scp": {scp, 40}, "racadm": {racadm, 40}, "asu": {asu, 60}, "conrep": {conrep, 20}, "scp as JSON": {scpJSON, 40}, "sce": {sce, 40},
		"sum's text": {sumText, 40}, "intel": {intel, 40}, "ilorest": {ilorest, 100}, "ws-man": {ws("<EndOfSequence/>"), 40},
		"a resource of a type": {resource(`"@odata.type": "#Bios.v1_0_0.Bios", `), 40}, "one of none": {resource(""), 100}, "what ilorest saved": {saved, 40},
		"a node of Cray's": {resource(`"@odata.type": "#Bios.v1_0_0.Bios", "@odata.id": "/redfish/v1/Systems/Node0/Bios", `), 10}} {
		assert.False(t, decoded(t, name, c.of(c.from-1)).Complete, name)
		assert.True(t, decoded(t, name, c.of(c.from)).Complete, name)
	}
	assert.False(t, decoded(t, "ws-man", ws("<EnumerationContext>1</EnumerationContext>")(100)).Complete, "a page of several")
	assert.False(t, decoded(t, "racadm", strings.Replace(racadm(100), "MemSettings", "NetworkSettings", 1)).Complete, "a group is missing")
}

// TestBounds checks that input above a limit is refused and not cut.
func TestBounds(t *testing.T) {
	long := strings.Repeat("x", 70000)
	many := func(head, one, tail string) string { return head + strings.Repeat(one, 20001) + tail }
	for name, in := range map[string]string{
		"a JSON value":                   `{"@odata.type": "#Bios.v1_0_0.Bios", "Attributes": {"A": "` + long + `"}}`,
		"a name":                         `{"@odata.type": "#Bios.v1_0_0.Bios", "Attributes": {"` + long + `": "x"}}`,
		"a text in XML":                  `<Conrep><Section name="A">` + long + `</Section></Conrep>`,
		"an XML attribute":               `<BiosCfg><Menu name="M"><Setting name="A" selectedOption="` + long + `" type="Option"/></Menu></BiosCfg>`,
		"too many":                       "[Key=BIOS.Setup.1-1#ProcSettings]\n" + strings.Repeat("A=x\n", 20001),
		"too many, in XML":               `<Conrep>` + strings.Repeat(`<Section name="A">x</Section>`, 20001) + `</Conrep>`,
		"too many, in SCP":               many(`<SystemConfiguration><Component FQDD="BIOS.Setup.1-1">`, `<Attribute Name="A">x</Attribute>`, `</Component></SystemConfiguration>`),
		"too many, in SCP's comments":    many(`<SystemConfiguration><Component FQDD="BIOS.Setup.1-1">`, `<!-- <Attribute Name="A">x</Attribute> -->`, `</Component></SystemConfiguration>`),
		"too many, in SCP's JSON":        many(`{"SystemConfiguration": {"Components": [{"FQDD": "BIOS.Setup.1-1", "Attributes": [{}`, `, {"Name": "A", "Value": "x"}`, `]}]}}`),
		"too many, in SCE":               many(`[{"Title": "A", "Value": 1}`, `, {"Title": "A", "Value": 1}`, `]`),
		"too many, in SUM":               many(`<BiosCfg>`, `<Setting name="A"/>`, `</BiosCfg>`),
		"too many, in SUM's text":        many("[Advanced|CPU]\n", "A=0\n", ""),
		"too many, in WS-Man":            many(`<Envelope>`, `<DCIM_BIOSString><AttributeName>A</AttributeName></DCIM_BIOSString>`, `</Envelope>`),
		"too many, in a registry":        many(`{"RegistryEntries": {"Attributes": [{}`, `, {"AttributeName": "A"}`, `]}}`),
		"too many, by syscfg":            many("", "c1e=enable\n", ""),
		"too many, by Intel's syscfg":    many("[BIOS]\n", "A=0\n", ""),
		"too many, by ASU":               many("", "uEFI.A=x\n", ""),
		"too many, in a batch":           many("", "set uEFI.A x\n", ""),
		"too many, by ilorest":           many("", "ProcTurbo=x\n", ""),
		"too many, by omreport":          many("BIOS Settings\n", "A : x\n", ""),
		"too many words":                 many("", "smt: on\n", ""),
		"a flat value":                   `{"ProcTurbo": "` + long + `"}`,
		"a text in SCP":                  `<SystemConfiguration><Component FQDD="BIOS.Setup.1-1"><Attribute Name="A">x</Attribute><Attribute Name="B">` + long + `</Attribute></Component></SystemConfiguration>`,
		"a text of SUM":                  `<BiosCfg><Setting name="A" selectedOption="x"/><Text>` + long + `</Text></BiosCfg>`,
		"an option of SUM":               `<BiosCfg><Setting name="A" selectedOption="x"/><Setting name="B" selectedOption="x"><Option>` + long + `</Option></Setting></BiosCfg>`,
		"a text of WS-Man":               `<Envelope><DCIM_BIOSString><AttributeName>A</AttributeName></DCIM_BIOSString><DCIM_BIOSString><AttributeName>A</AttributeName><CurrentValue>` + long + `</CurrentValue></DCIM_BIOSString></Envelope>`,
		"XML nested deeply in a setting": `<BiosCfg>` + strings.Repeat("<Menu>", 62) + `<Setting name="A" selectedOption="x"/><Setting name="B" selectedOption="x"><a/></Setting>` + strings.Repeat("</Menu>", 62) + `</BiosCfg>`,
		"XML nested deeply in a text":    `<BiosCfg>` + strings.Repeat("<Menu>", 61) + `<Setting name="A" selectedOption="x"/><Setting name="B" selectedOption="x"><Help><b/></Help></Setting>` + strings.Repeat("</Menu>", 61) + `</BiosCfg>`,
		"XML nested deeply in an item":   `<Envelope><DCIM_BIOSString><AttributeName>A</AttributeName></DCIM_BIOSString>` + strings.Repeat("<a>", 62) + `<DCIM_BIOSString><AttributeName/></DCIM_BIOSString>` + strings.Repeat("</a>", 62) + `</Envelope>`,
		"longer than a file":             strings.Repeat(" ", bios.MaxBytes) + "{}",
	} {
		t.Run(name, func(t *testing.T) {
			e, err := bios.Decode("file", []byte(in))
			require.ErrorIs(t, err, bios.ErrMalformed)
			assert.Nil(t, e)
		})
	}
}

// TestContradictoryRegistry checks that a registry that lists an attribute twice in two ways gives neither options
// nor texts nor read-only for it.
func TestContradictoryRegistry(t *testing.T) {
	entry := func(name, zero, one string) string {
		return `{"AttributeName": "` + name + `", "Value": [{"ValueName": "0", "ValueDisplayName": "` + zero + `"}, {"ValueName": "1", "ValueDisplayName": "` + one + `"}]}`
	}
	registry := func(entries ...string) string {
		return `{"Id": "BiosAttributeRegistry.v2", "RegistryEntries": {"Attributes": [` + strings.Join(entries, ", ") + `]}}`
	}
	resource := `{"@odata.id": "/redfish/v1/Systems/Self/Bios", "AttributeRegistry": "BiosAttributeRegistry.v1", "Attributes": {"KTIS001": 1, "CSM000": 1}}`
	resolved := func(registry string) (*bios.Export, []string) {
		e := decoded(t, "registry", registry)
		return e, tell(bios.JoinExports([]*bios.Export{decoded(t, "resource", resource), e})[0])
	}
	e, got := resolved(registry(entry("KTIS001", "Disable", "Enable"), entry("KTIS001", "Enable", "Disable"), entry("CSM000", "Off", "On")))
	assert.Equal(t, []string{"CSM000=1 text:On offers:0|1", "KTIS001=1"}, got)
	require.Len(t, e.Problems, 1)
	assert.Contains(t, e.Problems[0], "$.Attributes[1]: KTIS001 is listed more than once, and differently")
	e, got = resolved(registry(entry("KTIS001", "Disable", "Enable"), entry("KTIS001", "Disable", "Enable"), entry("KTIS001", "Disable", "Enable")))
	assert.Equal(t, []string{"CSM000=1", "KTIS001=1 text:Enable offers:0|1"}, got, "two equal ones are not a contradiction")
	assert.Empty(t, e.Problems)
	_, got = resolved(registry(entry("KTIS001", "Disable", "Enable"), entry("KTIS001", "Enable", "Disable"), entry("KTIS001", "Disable", "Enable")))
	assert.Equal(t, []string{"CSM000=1", "KTIS001=1"}, got, "a third does not settle it")
}

// TestRacadmForms checks racadm get (iDRAC RACADM CLI guide): the key line, Name=Value, pending values in brackets, #
// before attributes that cannot be changed now.
func TestRacadmForms(t *testing.T) {
	const key = "[Key=BIOS.Setup.1-1#SysProfileSettings]\n"
	testForms(t, bios.Racadm, []form{
		{name: "a value with brackets of its own", in: key + "SysProfile=PerfPerWattOptimized (DAPC)\n", want: []string{"SysProfile=PerfPerWattOptimized (DAPC) menu:SysProfileSettings"}},
		{name: "what waits is empty", in: key + "BootSeq=a (Pending Value=)\n", want: []string{"BootSeq=a menu:SysProfileSettings pending:"}},
		{name: "locked and waiting", in: key + "#ProcC1E=Enabled (Pending Value=Disabled)\n", want: []string{"ProcC1E=Enabled menu:SysProfileSettings pending:Disabled read-only"}},
		{name: "no value", in: key + "AssetTag=\n", want: []string{"AssetTag= menu:SysProfileSettings"}},
		{name: "a value with an equals sign", in: key + "BootSeq=a=b,c\n", want: []string{"BootSeq=a=b,c menu:SysProfileSettings"}},
		{name: "another device's group between two of the BIOS", in: key + "ProcC1E=Enabled\n[Key=NIC.Integrated.1-1-1#Setup]\nBootProto=PXE\n[Key=BIOS.Setup.1-1#ProcSettings]\nLogicalProc=Enabled\n",
			want: []string{"ProcC1E=Enabled menu:SysProfileSettings", "LogicalProc=Enabled menu:ProcSettings"}},
		{name: "one name twice with two values stays twice", in: key + "ProcC1E=Enabled\nProcC1E=Disabled\n", want: []string{"ProcC1E=Enabled menu:SysProfileSettings", "ProcC1E=Disabled menu:SysProfileSettings"}},
		{name: "a password", in: key + "SetupPassword=hunter2 (Pending Value=hunter3)\nProcC1E=Enabled\n", want: []string{"SetupPassword=(none) menu:SysProfileSettings", "ProcC1E=Enabled menu:SysProfileSettings"}},
		{name: "without its header", in: "SysProfile=Custom\n", want: []string{"SysProfile=Custom"}},
		{name: "what racadm says beside it", in: "Security Alert: Certificate is invalid\n" + key + "ProcC1E=Enabled\n\nobject value modified successfully\n", want: []string{"ProcC1E=Enabled menu:SysProfileSettings"}},
	})
}

// TestSUMProduct checks that the first line that names a Supermicro board gives the product.
func TestSUMProduct(t *testing.T) {
	for head, want := range map[string]string{
		`<Subtitle>System</Subtitle>`: "",
		`<Subtitle>System</Subtitle><Subtitle>Supermicro X11DPH-T</Subtitle><Text>Supermicro Y</Text>`: "X11DPH-T",
	} {
		assert.Equal(t, want, decoded(t, "sum", `<BiosCfg>`+head+`<Setting name="A" selectedOption="x"/></BiosCfg>`).Product, head)
	}
}

// TestWords checks a file that a person wrote while looking at BIOS setup.
func TestWords(t *testing.T) {
	for _, c := range []struct {
		name, text string
		// values are the values read by setting, problems those reported, in order.
		values   map[string]string
		problems []string
	}{
		{name: "colon", text: "smt: disabled\nturbo: enabled\n", values: map[string]string{"smt": "disabled", "turbo": "enabled"}},
		{name: "equals sign", text: "smt = disabled\n", values: map[string]string{"smt": "disabled"}},
		{name: "YAML's marks", text: "---\nsmt: \"disabled\"\nturbo: 'enabled'\n", values: map[string]string{"smt": "disabled", "turbo": "enabled"}},
		{name: "comments", text: "# seen on 2 March\n\nsmt: disabled # by hand\n", values: map[string]string{"smt": "disabled"}},
		{name: "a value of several words", text: "memory_ras_mode: full mirror\n", values: map[string]string{"memory_ras_mode": "full mirror"}},
		{name: "a line that says nothing", text: "smt: disabled\nturbo on\n", values: map[string]string{"smt": "disabled"}, problems: []string{"line 2: not setting: value"}},
	} {
		e := decoded(t, "words.yaml", c.text)
		require.Equal(t, bios.OwnWords, e.Format, c.name)
		values := map[string]string{}
		for _, a := range e.Attributes {
			assert.True(t, a.Stated, c.name)
			values[a.Name] = a.Value
		}
		assert.Equal(t, c.values, values, c.name)
		assert.Equal(t, c.problems, e.Problems, c.name)
		assert.False(t, e.Complete, "what a person left out is not absent: %s", c.name)
	}
}

// TestCut checks that a truncated XML export is refused and not read in part.
func TestCut(t *testing.T) {
	for name, complete := range map[string]string{"scp": scp, "ws-man": wsman, "sum": sumXML, "conrep": conrep} {
		for n := strings.Index(complete, ">") + 1; n < len(complete); n++ {
			e, err := bios.Decode("file", []byte(complete[:n]))
			require.Error(t, err, "%s, %d bytes", name, n)
			require.Nil(t, e)
		}
	}
}
