package bios_test

import (
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/stretchr/testify/require"

	"memaudit.example/memaudit/internal/source/bios"
)

// Inputs are synthetic, in the format of the tools' documents and public transcripts.
const (
	dellResource = `{"@odata.id": "/redfish/v1/Systems/System.Embedded.1/Bios", "@odata.type": "#Bios.v1_1_1.Bios",
 "@Redfish.Settings": {"SettingsObject": {"@odata.id": "/redfish/v1/Systems/System.Embedded.1/Bios/Settings"}},
 "Attributes": {"SysProfile": "PerfOptimized", "ProcTurboMode": "Enabled", "AcPwrRcvryUserDelay": 120, "SetupPassword": "hunter2", "Nothing": null, "Flag": true}}`
	dellSettings = `{"@odata.id": "/redfish/v1/Systems/System.Embedded.1/Bios/Settings", "Attributes": {"ProcTurboMode": "Disabled"}}`
	opaque       = `{"@odata.id": "/redfish/v1/Systems/Self/Bios", "AttributeRegistry": "BiosAttributeRegistry.v1", "Attributes": {"KTIS001": 1, "CSM000": "x"}}`
	registry     = `{"Id": "BiosAttributeRegistry.v2", "RegistryEntries": {"Attributes": [{"AttributeName": "KTIS001", "DisplayName": " SNC", "MenuPath": "./UPI",
 "DefaultValue": 0, "ReadOnly": false, "Value": [{"ValueName": "0", "ValueDisplayName": "Disable"}, {"ValueName": "1", "ValueDisplayName": "Enable"}]}]}}`
	cray   = `{"@odata.id": "/redfish/v1/Systems/Node0/Bios", "Attributes": {"NUMA": {"AllowableValues": ["NPS1", "NPS4"], "current_value": "NPS4", "default_value": "NPS1"}}}`
	racadm = "# racadm get BIOS.ProcSettings\r\n[Key=BIOS.Setup.1-1#ProcSettings]\r\nLogicalProc=Disabled (Pending Value=Enabled)\r\n#ProcCores=All\r\n" +
		"Usage  -- Enabled;Disabled\r\n[Key=iDRAC.Embedded.1#Users]\r\nUserName=root\r\n"
	scp = `<SystemConfiguration Model="PowerEdge R640"><Component FQDD="iDRAC.Embedded.1"><Attribute Name="Users.1#UserName">root</Attribute></Component>
<Component FQDD="BIOS.Setup.1-1"><Attribute Name="LogicalProc">Enabled</Attribute>
<!-- <Attribute Name="ProcC1E">Disabled</Attribute> --><!-- <Attribute Name="NewSysPassword">******</Attribute> --></Component></SystemConfiguration>`
	scpJSON = `{"SystemConfiguration": {"Model": "PowerEdge R6515", "Components": [{"FQDD": "BIOS.Setup.1-1", "Attributes": [
 {"Name": "NumaNodesPerSocket", "Value": "4", "Set On Import": "True"}, {"Name": "ApbDis", "Value": "Disabled", "Set On Import": "False"}]}]}}`
	wsman = `<s:Envelope xmlns:s="http://www.w3.org/2003/05/soap-envelope" xmlns:n1="x" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"><s:Body><n1:DCIM_BIOSEnumeration>
<n1:AttributeDisplayName>Logical Processor</n1:AttributeDisplayName><n1:AttributeName>LogicalProc</n1:AttributeName><n1:CurrentValue>Enabled</n1:CurrentValue>
<n1:IsReadOnly>true</n1:IsReadOnly><n1:PendingValue xsi:nil="true"/><n1:PossibleValues>Enabled</n1:PossibleValues><n1:PossibleValues>Disabled</n1:PossibleValues>
</n1:DCIM_BIOSEnumeration></s:Body></s:Envelope>`
	sumXML = "Supermicro Update Manager 2.5.0\n....\n" + `<?xml version="1.0" encoding="ISO-8859-1" standalone="yes"?>
<BiosCfg><Menu name="Advanced"><Subtitle>Supermicro X11DPH-T</Subtitle><Text>BIOS Version(3.3)</Text><Menu name="CPU">
<Setting name="Intel` + "\xae" + ` VT" selectedOption="Enable" type="Option"><Information><AvailableOptions><Option value="0">Disable</Option><Option value="1">Enable</Option></AvailableOptions><DefaultOption>Disable</DefaultOption><Help><![CDATA[x]]></Help></Information></Setting>
<Setting name="Quiet Boot" checkedStatus="Unchecked" type="CheckBox"/><Setting name="Cores" numericValue="0" type="Numeric"/>
<Setting name="Administrator Password" type="Password"><NewPassword>hunter2</NewPassword></Setting>
</Menu></Menu></BiosCfg>`
	sumText = "Supermicro Update Manager 2.2.0\n\n[Advanced|CPU Configuration]\nHyper-threading=00                      // 00 (Disabled), *01 (Enabled)\n" +
		"Package C State=03  // 00 (C0/C1 state), 03 (C6(Retention) state), *FF (Auto)\nCores=0\n"
	ilorest = `[{"Comments": {"Manufacturer": "HPE", "Model": "ProLiant DL360 Gen10", "BIOSFamily": "U32"}},
 {"#Bios.v1_0_0.Bios": {"/redfish/v1/systems/1/bios/settings/": {"AttributeRegistry": "BiosAttributeRegistryU32.v1_2_10", "Attributes": {"ProcTurbo": "Enabled"}}}}]`
	ilorestGet = `{"WorkloadProfile": "Custom", "ProcHyperthreading": "Enabled"}`
	// Synthetic output of the tools.
	ilorestText = "Discovering data...Done\n@odata.id=/redfish/v1/systems/1/bios/\nAttributeRegistry=BiosAttributeRegistryU46.v1_2_34\nAttributes=\n   ProcHyperthreading=Enabled\n   WorkloadProfile=LowLatency\n"
	ansible     = `{"changed": false, "redfish_facts": {"bios_attribute": {"ret": true, "entries": [[{"system_uri": "/redfish/v1/Systems/1"}, {"ProcHyperthreading": "Enabled", "ProcTurbo": "Disabled"}]]}}}`
	omreport    = "System BIOS Settings\n\nProcessor Settings\n------------------\nLogical Processor     : Enabled\n\nSystem Profile Settings\nSystem Profile        : Performance\nSystem Profile        : Something new\n"
	ilo4        = `{"@odata.type": "#HpBios.1.2.0.HpBios", "AttributeRegistry": "HpBiosAttributeRegistryP89.1.1.00", "ProcHyperthreading": "Disabled", "AdminPhone": "", "links": {"self": {}}}`
	conrep      = `<Conrep version="3.50" originating_platform="ProLiant DL380p Gen8"><Section name="Intel_Hyperthreading" helptext="">Disabled</Section></Conrep>`
	asu         = "IBM Advanced Settings Utility version 9.60\nIMM.LoginId.1=USERID\nuEFI.TurboModeEnable=Enable\nuEFI.ProcessorC1eEnable=Enable=<Disable>\n"
	batch       = "loaddefault uEFI\nset uEFI.OperatingMode \"Custom Mode\"\nset uEFI.TurboModeEnable Enable\n"
	intelINI    = "; comment\n[SYSTEM]\nName=x\n[BIOS::Advanced::Processor]\nC1E=Disabled           ; power savings\nTurbo=01;Options: 00=Disabled: 01=Enabled\n"
	sce         = `[{"Title": "Hardware Prefetcher", "Question Id": 187, "Value": 1, ";Default Value": 0, "Valid Value": [{"Title": "Disabled", "Value": 0}, {"Title": "Enabled", "Value": 1}]}]`
)

func value(name, v, place string) bios.Attribute {
	return bios.Attribute{Name: name, Value: v, Stated: true, Place: place}
}

func pending(name, v, place string) bios.Attribute {
	return bios.Attribute{Name: name, Pending: v, HasPending: true, Place: place}
}

func TestDecode(t *testing.T) {
	for _, c := range []struct {
		name, in string
		want     bios.Export
	}{
		{"dell redfish", dellResource, bios.Export{Format: bios.Redfish, Vendor: bios.Dell, Path: "/redfish/v1/Systems/System.Embedded.1/Bios",
			Settings: "/redfish/v1/Systems/System.Embedded.1/Bios/Settings", Attributes: []bios.Attribute{
				bare(value("AcPwrRcvryUserDelay", "120", "$.Attributes.AcPwrRcvryUserDelay")), bare(value("Flag", "true", "$.Attributes.Flag")),
				{Name: "Nothing", Place: "$.Attributes.Nothing"}, value("ProcTurboMode", "Enabled", "$.Attributes.ProcTurboMode"),
				{Name: "SetupPassword", Place: "$.Attributes.SetupPassword"}, value("SysProfile", "PerfOptimized", "$.Attributes.SysProfile")}}},
		{"settings object alone", dellSettings, bios.Export{Format: bios.Redfish, Vendor: bios.Dell, PendingOnly: true,
			Path: "/redfish/v1/Systems/System.Embedded.1/Bios/Settings", Attributes: []bios.Attribute{pending("ProcTurboMode", "Disabled", "$.Attributes.ProcTurboMode")}}},
		{"cray", cray, bios.Export{Format: bios.Redfish, Vendor: bios.Cray, Path: "/redfish/v1/Systems/Node0/Bios", Attributes: []bios.Attribute{
			{Name: "NUMA", Value: "NPS4", Stated: true, Default: "NPS1", Options: []string{"NPS1", "NPS4"}, Place: "$.Attributes.NUMA"}}}},
		{"racadm", racadm, bios.Export{Format: bios.Racadm, Vendor: bios.Dell, Attributes: []bios.Attribute{
			{Name: "LogicalProc", Menu: "ProcSettings", Value: "Disabled", Stated: true, Pending: "Enabled", HasPending: true, Place: "line 3"},
			{Name: "ProcCores", Menu: "ProcSettings", Value: "All", Stated: true, ReadOnly: true, Place: "line 4"}}}},
		{"scp xml", scp, bios.Export{Format: bios.SCPXML, Vendor: bios.Dell, Product: "PowerEdge R640", Attributes: []bios.Attribute{
			value("LogicalProc", "Enabled", "line 2"), {Name: "ProcC1E", Value: "Disabled", Stated: true, ReadOnly: true, Place: "line 3"},
			{Name: "NewSysPassword", ReadOnly: true, Place: "line 3"}}}},
		{"scp json", scpJSON, bios.Export{Format: bios.SCPJSON, Vendor: bios.Dell, Product: "PowerEdge R6515", Attributes: []bios.Attribute{
			value("NumaNodesPerSocket", "4", "$.SystemConfiguration.Components[0].Attributes[0]"),
			{Name: "ApbDis", Value: "Disabled", Stated: true, ReadOnly: true, Place: "$.SystemConfiguration.Components[0].Attributes[1]"}}}},
		{"ws-man", wsman, bios.Export{Format: bios.WSMan, Vendor: bios.Dell, Attributes: []bios.Attribute{{Name: "LogicalProc", Display: "Logical Processor",
			Value: "Enabled", Stated: true, ReadOnly: true, Options: []string{"Enabled", "Disabled"}, Place: "line 1"}}}},
		{"sum xml", sumXML, bios.Export{Format: bios.SUMXML, Vendor: bios.Supermicro, Product: "X11DPH-T", Firmware: "3.3", Attributes: []bios.Attribute{
			{Name: "Intel® VT", Menu: "Advanced > CPU", Value: "Enable", Stated: true, Default: "Disable", Options: []string{"Disable", "Enable"}, Place: "line 5"},
			{Name: "Quiet Boot", Menu: "Advanced > CPU", Value: "Unchecked", Stated: true, Place: "line 6"},
			{Name: "Cores", Menu: "Advanced > CPU", Value: "0", Stated: true, Place: "line 6"}, {Name: "Administrator Password", Menu: "Advanced > CPU", Place: "line 7"}}}},
		{"sum text", sumText, bios.Export{Format: bios.SUMText, Vendor: bios.Supermicro, Attributes: []bios.Attribute{
			{Name: "Hyper-threading", Menu: "Advanced > CPU Configuration", Value: "00", Stated: true, Text: "Disabled", Default: "Enabled", Options: []string{"Disabled", "Enabled"}, Place: "line 4"},
			{Name: "Package C State", Menu: "Advanced > CPU Configuration", Value: "03", Stated: true, Text: "C6(Retention) state", Default: "Auto",
				Options: []string{"C0/C1 state", "C6(Retention) state", "Auto"}, Place: "line 5"},
			{Name: "Cores", Menu: "Advanced > CPU Configuration", Value: "0", Stated: true, Place: "line 6"}}}},
		{"ilorest save", ilorest, bios.Export{Format: bios.ILORest, Vendor: bios.HPE, Product: "ProLiant DL360 Gen10", Firmware: "U32", PendingOnly: true,
			RegistryName: "BiosAttributeRegistryU32.v1_2_10", Path: "/redfish/v1/systems/1/bios/settings/",
			Attributes: []bios.Attribute{pending("ProcTurbo", "Enabled", `$[1]["#Bios.v1_0_0.Bios"]["/redfish/v1/systems/1/bios/settings/"].Attributes.ProcTurbo`)}}},
		{"what ilorest saved of an iLO 4", `[{"Comments": {"Model": "ProLiant DL380 Gen9"}}, {"#HpBios.1.2.0.HpBios": {"/rest/v1/systems/1/bios/Settings": {"ProcHyperthreading": "Enabled", "ProcTurbo": "Disabled"}}}]`,
			bios.Export{Format: bios.ILORest, Vendor: bios.HPE, Product: "ProLiant DL380 Gen9", PendingOnly: true, Path: "/rest/v1/systems/1/bios/Settings", Attributes: []bios.Attribute{
				pending("ProcHyperthreading", "Enabled", `$[1]["#HpBios.1.2.0.HpBios"]["/rest/v1/systems/1/bios/Settings"].ProcHyperthreading`),
				pending("ProcTurbo", "Disabled", `$[1]["#HpBios.1.2.0.HpBios"]["/rest/v1/systems/1/bios/Settings"].ProcTurbo`)}}},
		{"ilorest get", ilorestGet, bios.Export{Format: bios.ILORest, Vendor: bios.HPE, Guessed: true, Attributes: []bios.Attribute{
			value("ProcHyperthreading", "Enabled", "$.ProcHyperthreading"), value("WorkloadProfile", "Custom", "$.WorkloadProfile")}}},
		{"ilorest get, text", ilorestText, bios.Export{Format: bios.ILORest, Vendor: bios.HPE, RegistryName: "BiosAttributeRegistryU46.v1_2_34", Attributes: []bios.Attribute{
			value("ProcHyperthreading", "Enabled", "line 5"), value("WorkloadProfile", "LowLatency", "line 6")}}},
		{"ansible", ansible, bios.Export{Format: bios.Redfish, Vendor: bios.HPE, Path: "/redfish/v1/Systems/1/Bios", Complete: false, Attributes: []bios.Attribute{
			value("ProcHyperthreading", "Enabled", "$.redfish_facts.bios_attribute.entries[0][1].Attributes.ProcHyperthreading"),
			value("ProcTurbo", "Disabled", "$.redfish_facts.bios_attribute.entries[0][1].Attributes.ProcTurbo")}}},
		{"omreport", omreport, bios.Export{Format: bios.Omreport, Vendor: bios.Dell, Attributes: []bios.Attribute{
			value("Logical Processor", "Enabled", "line 5"), value("SysProfile", "PerfOptimized", "line 8")},
			Problems: []string{`line 9: the system profile "Something new" is not known by that text`}}},
		{"omreport, old", "BIOS Settings\n\nAttribute : Logical Processor\nSetting   : Disabled\n\nAttribute : Asset Tag\nSetting   : \n", bios.Export{Format: bios.Omreport, Vendor: bios.Dell, Attributes: []bios.Attribute{
			value("Logical Processor", "Disabled", "line 4"), value("Asset Tag", "", "line 7")}}},
		{"omreport, ssv", "System BIOS Settings\n\nLogical Processor;Enabled\n", bios.Export{Format: bios.Omreport, Vendor: bios.Dell, Attributes: []bios.Attribute{
			value("Logical Processor", "Enabled", "line 3")}}},
		{"ilo 4", ilo4, bios.Export{Format: bios.Redfish, Vendor: bios.HPE, RegistryName: "HpBiosAttributeRegistryP89.1.1.00", Attributes: []bios.Attribute{
			value("AdminPhone", "", "$.AdminPhone"), value("ProcHyperthreading", "Disabled", "$.ProcHyperthreading")}}},
		{"conrep", conrep, bios.Export{Format: bios.Conrep, Vendor: bios.HPE, Product: "ProLiant DL380p Gen8", Attributes: []bios.Attribute{
			value("Intel_Hyperthreading", "Disabled", "line 1")}}},
		{"syscfg", "logicproc=disable\n", bios.Export{Format: bios.DellSyscfg, Vendor: bios.Dell, ReadsPending: true, Attributes: []bios.Attribute{
			value("logicproc", "disable", "line 1")}}},
		{"asu show", asu, bios.Export{Format: bios.ASU, Vendor: bios.IBM, Attributes: []bios.Attribute{value("uEFI.TurboModeEnable", "Enable", "line 3"),
			{Name: "uEFI.ProcessorC1eEnable", Default: "Disable", Options: []string{"Enable", "Disable"}, Place: "line 4"}}}},
		{"asu batch", batch, bios.Export{Format: bios.ASUBatch, Vendor: bios.IBM, PendingOnly: true, Attributes: []bios.Attribute{
			pending("uEFI.OperatingMode", "Custom Mode", "line 2"), pending("uEFI.TurboModeEnable", "Enable", "line 3")}}},
		{"onecli show", "Processors.HyperThreading=Enabled\n", bios.Export{Format: bios.ASU, Vendor: bios.Lenovo, Attributes: []bios.Attribute{
			value("Processors.HyperThreading", "Enabled", "line 1")}}},
		{"intel", intelINI, bios.Export{Format: bios.IntelSyscfg, Vendor: bios.Intel, Attributes: []bios.Attribute{
			{Name: "C1E", Menu: "Advanced > Processor", Value: "Disabled", Stated: true, Place: "line 5"},
			{Name: "Turbo", Menu: "Advanced > Processor", Value: "01", Stated: true, Text: "Enabled", Options: []string{"Disabled", "Enabled"}, Place: "line 6"}}}},
		{"ami sce", sce, bios.Export{Format: bios.SCE, Vendor: bios.ASRockRack, Attributes: []bios.Attribute{
			{Name: "Hardware Prefetcher", Value: "1", Stated: true, Text: "Enabled", Default: "0", Options: []string{"Disabled", "Enabled"}, Place: "$[0]"}}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			e := decoded(t, "file", c.in)
			c.want.Name = "file"
			require.Equal(t, c.want, *e)
		})
	}
}

// TestDecodeErrors checks that an error names the place and what was expected.
func TestDecodeErrors(t *testing.T) {
	for _, c := range []struct {
		name, in string
		is       error
		want     string
	}{
		{"empty", " \n", bios.ErrEmpty, "expected a Redfish Bios resource"},
		{"a type of PowerShell and no table", "#TYPE System.Object\n", bios.ErrUnrecognised, "not a known export"},
		{"prose", "hello\nworld\n", bios.ErrUnrecognised, `line 1: "hello"`},
		{"credentials", "password: hunter2\n", bios.ErrUnrecognised, `line 1: "(a password)"`},
		{"other settings", "net.ipv4.ip_forward=1\nkernel.panic=10\n", bios.ErrUnrecognised, `line 1: "net.ipv4.ip_forward=1"`},
		{"script", "#!/bin/sh\nset foo bar\n", bios.ErrUnrecognised, "line 1"},
		{"long line", strings.Repeat("x", 70000), bios.ErrMalformed, "line 1: longer than 65536 bytes"},
		{"many lines", strings.Repeat("x\n", 200001), bios.ErrMalformed, "more than 200000 lines"},
		{"binary", "\x7fELF\x00\x01", bios.ErrUnrecognised, "binary data"},
		{"a zero byte at its head", "\x00\x01", bios.ErrUnrecognised, "binary data"},
		{"a bracket alone", "[", bios.ErrUnrecognised, `line 1: "["`},
		{"an empty list", "[]", bios.ErrUnrecognised, "$: none of 0 entries is a Bios resource"},
		{"an empty list of attributes", `{"Attributes": []}`, bios.ErrUnrecognised, `keys "Attributes"`},
		{"a list of attributes that is no registry", `{"Attributes": [{"Name": "A"}]}`, bios.ErrUnrecognised, `keys "Attributes"`},
		{"a line of 60 bytes", strings.Repeat("x", 60), bios.ErrUnrecognised, `"` + strings.Repeat("x", 60) + `"`},
		{"a line of 61 bytes", strings.Repeat("x", 61), bios.ErrUnrecognised, `"` + strings.Repeat("x", 60) + `..."`},
		{"five keys", `{"a": 1, "b": 1, "c": 1, "d": 1, "` + strings.Repeat("e", 40) + `": 1}`, bios.ErrUnrecognised, `(keys "a", "b", "c", "d", "` + strings.Repeat("e", 40) + `")`},
		{"six keys", `{"a": 1, "b": 1, "c": 1, "d": 1, "` + strings.Repeat("e", 41) + `": 1, "f": 1}`, bios.ErrUnrecognised, `(keys "a", "b", "c", "d", "` + strings.Repeat("e", 40) + `...", "...")`},
		{"two resources that ilorest saved", `[{"Comments": {"Model": "x"}}, ` + dellResource + "," + dellResource + "]", bios.ErrMalformed, "a second Bios resource"},
		{"cut JSON", dellResource[:200], bios.ErrMalformed, "JSON ends before its value does"},
		{"bad JSON", "{\"Attributes\":\n {\"a\" 1}}", bios.ErrMalformed, "line 2: JSON: invalid character"},
		{"two values", dellResource + dellSettings, bios.ErrMalformed, "something follows the JSON value"},
		{"other JSON", `{"a": 1, "b": 2}`, bios.ErrUnrecognised, `keys "a", "b"`},
		{"number", `{"x": {"y": [1]}}`, bios.ErrUnrecognised, "$: an object without Attributes"},
		{"array of numbers", `[{"a": 1}, 2]`, bios.ErrUnrecognised, "$[1]: not an object"},
		{"two systems", "[" + dellResource + "," + dellResource + "]", bios.ErrMalformed, "$[1]: a second Bios resource"},
		{"deep JSON", strings.Repeat(`{"a":`, 100) + "1" + strings.Repeat("}", 100), bios.ErrMalformed, "nested deeper than 64"},
		{"cut XML", sumXML[:len(sumXML)-20], bios.ErrMalformed, "line 8: XML: "},
		{"bad XML below a banner", "Supermicro Update Manager\n....\n<?xml version=\"1.0\"?>\n<BiosCfg><Menu", bios.ErrMalformed, "malformed: line 4: XML: unexpected EOF"},
		{"two systems, in XML", conrep + "\n" + conrep, bios.ErrMalformed, "line 2: a second XML document, expected the settings of one system"},
		{"an export after a page of WS-Man", wsman + "\n" + conrep, bios.ErrMalformed, "line 5: a second XML document"},
		{"deep XML", "<BiosCfg>" + strings.Repeat("<Menu>", 100), bios.ErrMalformed, "nested deeper than 64"},
		{"other XML", "<html></html>", bios.ErrUnrecognised, "line 1: XML root <html>"},
		{"no BIOS component", `<SystemConfiguration><Component FQDD="RAID.1"/></SystemConfiguration>`, bios.ErrMalformed, "no component BIOS.Setup.1-1"},
		{"strange encoding", `<?xml version="1.0" encoding="EBCDIC"?><BiosCfg/>`, bios.ErrMalformed, `encoding "EBCDIC", expected UTF-8 or ISO-8859-1`},
		{"no settings", "<BiosCfg></BiosCfg>", bios.ErrMalformed, "<BiosCfg> without a <Setting>"},
		{"racadm without values", "[Key=BIOS.Setup.1-1#ProcSettings]\n", bios.ErrMalformed, "line 1: the file ends without a setting, expected Name=Value"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := bios.Decode("file", []byte(c.in))
			require.ErrorIs(t, err, c.is)
			require.ErrorContains(t, err, c.want)
		})
	}
}

// TestOneFile checks that a resource, a settings object and a registry in one file, as an array or by name, are one
// export.
func TestOneFile(t *testing.T) {
	for _, in := range []string{
		"[" + dellSettings + "," + dellResource + "]",
		`{"bios": ` + dellResource + `, "settings": ` + dellSettings + "}",
		`{"Members": [` + dellResource + "," + dellSettings + "]}",
	} {
		e := decoded(t, "file", in)
		a, ok := e.Attribute("ProcTurboMode")
		require.True(t, ok)
		require.Equal(t, "Enabled", a.Value)
		require.Equal(t, "Disabled", a.Pending)
		require.Equal(t, bios.Redfish, e.Format)
	}
	e := decoded(t, "file", `{"bios": `+dellResource+"}")
	_, ok := e.Attribute("ProcTurboMode")
	require.True(t, ok, "one by name")
}

// isBareValue is an attribute whose JSON value is not a string.
func bare(a bios.Attribute) bios.Attribute {
	a.Bare = true
	return a
}

// TestDecodeRedfish checks that the separate resources of a BMC are joined.
func TestDecodeRedfish(t *testing.T) {
	e, err := bios.DecodeRedfish("bmc", []byte(opaque), []byte(`{"Attributes": {"KTIS001": 0, "NEW": 1}}`), []byte(registry))
	require.NoError(t, err)
	a, ok := e.Attribute("KTIS001")
	require.True(t, ok)
	require.Equal(t, bios.Attribute{Name: "KTIS001", Display: "SNC", Menu: "./UPI", Value: "1", Stated: true, Text: "Enable",
		Pending: "0", HasPending: true, PendingText: "Disable", Default: "0", Options: []string{"0", "1"}, OptionTexts: map[string]string{"0": "Disable", "1": "Enable"}, Bare: true, Place: "$.Attributes.KTIS001"}, *a)
	require.Equal(t, []string{`$.Attributes.NEW: the settings object names "NEW", which the resource does not have`}, e.Problems)
	twice, err := bios.DecodeRedfish("bmc", []byte(`{"Attributes": {"A": "x", "B": "y"}}`), []byte(`{"Attributes": {"A": "y", "A": "z", "B": "z"}}`), nil)
	require.NoError(t, err)
	require.Equal(t, []string{"A=x", "B=y pending:z"}, tell(twice))
	require.Equal(t, []string{"settings object: $.Attributes.A: is listed more than once with different values, and none of them is taken"}, twice.Problems)
	_, err = bios.DecodeRedfish("bmc", []byte(`{"error": {}}`), nil, nil)
	require.ErrorIs(t, err, bios.ErrUnrecognised)
	require.ErrorContains(t, err, "resource: ")
	_, err = bios.DecodeRedfish("bmc", nil, nil, nil)
	require.Error(t, err)
}

// TestDecodeRedfishParts checks that an invalid settings object or registry does not affect the settings or the other
// one.
func TestDecodeRedfishParts(t *testing.T) {
	const none = `{"@odata.id": "/redfish/v1/Systems/1/Bios/Settings", "Id": "Settings"}`
	for name, c := range map[string]struct{ settings, registry, problem, text, pending string }{
		"settings object without attributes": {none, registry, "settings object: not a known export of BIOS settings: $: no Attributes, expected a Redfish Bios settings object", "Enable", ""},
		"settings object cut short":          {`{"Attributes": {`, registry, "settings object: ", "Enable", ""},
		"registry as the settings object":    {registry, registry, "settings object: not a known export", "Enable", ""},
		"registry before the first start":    {`{"Attributes": {"KTIS001": 0}}`, `{"RegistryEntries": {"Attributes": []}}`, "an attribute registry without attributes", "", "0"},
		"registry without entries":           {`{"Attributes": {"KTIS001": 0}}`, none, "registry: not a known export", "", "0"},
		"resource as the registry":           {`{"Attributes": {"KTIS001": 0}}`, opaque, "registry: not a known export", "", "0"},
	} {
		t.Run(name, func(t *testing.T) {
			e, err := bios.DecodeRedfish("bmc", []byte(opaque), []byte(c.settings), []byte(c.registry))
			require.NoError(t, err)
			a, ok := e.Attribute("KTIS001")
			require.True(t, ok)
			require.Equal(t, []string{"1", c.text, c.pending}, []string{a.Value, a.Text, a.Pending})
			require.Len(t, e.Problems, 1)
			require.Contains(t, e.Problems[0], c.problem)
		})
	}
	_, err := bios.DecodeRedfish("bmc", []byte(registry), nil, nil)
	require.ErrorIs(t, err, bios.ErrUnrecognised)
	alone, err := bios.DecodeRedfish("bmc", []byte(opaque), nil, nil)
	require.NoError(t, err)
	require.Empty(t, alone.Problems, "a service may have neither")
	for size, taken := range map[int]bool{bios.MaxBytes: true, bios.MaxBytes + 1: false} {
		_, err := bios.DecodeRedfish("bmc", []byte(opaque+strings.Repeat(" ", size-len(opaque))), nil, nil)
		require.Equal(t, taken, err == nil, size)
	}
}

// TestJoin checks that separate files are joined in any order.
func TestJoin(t *testing.T) {
	decode := func(in string) *bios.Export {
		return decoded(t, "file", in)
	}
	joined := bios.JoinExports([]*bios.Export{decode(dellSettings), decode(dellResource)})
	require.Len(t, joined, 1)
	a, _ := joined[0].Attribute("ProcTurboMode")
	require.Equal(t, "Disabled", a.Pending)

	joined = bios.JoinExports([]*bios.Export{decode(registry), decode(opaque)})
	require.Len(t, joined, 2)
	require.Equal(t, bios.Registry, joined[0].Format)
	a, _ = joined[1].Attribute("KTIS001")
	require.Equal(t, "Enable", a.Text)

	// The resource and its registry in one file, pending values in another.
	joined = bios.JoinExports([]*bios.Export{decode("[" + opaque + "," + registry + "]"), decode(`{"Id": "SD", "Attributes": {"KTIS001": 0, "CSM000": 1}}`)})
	require.Len(t, joined, 1)
	a, _ = joined[0].Attribute("KTIS001")
	require.Equal(t, []any{"Enable", "0", "Disable"}, []any{a.Text, a.Pending, a.PendingText})

	// A registry's menu replaces neither the one of the export nor the racadm group, which is not a menu, with or
	// without the key line that names it.
	menus := strings.ReplaceAll(registry, "KTIS001", "LogicalProc")
	for text, menu := range map[string]string{
		`<BiosCfg><Menu name="CPU"><Setting name="LogicalProc" selectedOption="0" type="Option"/></Menu></BiosCfg>`: "CPU",
		"[Key=BIOS.Setup.1-1#ProcSettings]\nLogicalProc=Enabled\n":                                                  "ProcSettings",
		"LogicalProc=Enabled\n": "",
	} {
		a, _ = bios.JoinExports([]*bios.Export{decode(text), decode(menus)})[0].Attribute("LogicalProc")
		require.Equal(t, menu, a.Menu)
	}

	other := strings.Replace(dellSettings, "Embedded.1", "Embedded.2", 1)
	require.Len(t, bios.JoinExports([]*bios.Export{decode(other), decode(dellResource)}), 2, "another system's settings object")
}

func FuzzDecode(f *testing.F) {
	for _, seed := range []string{dellResource, dellSettings, opaque, registry, cray, racadm, scp, scpJSON, wsman, sumXML, sumText, ilorest, ilorestGet, ilo4,
		conrep, asu, batch, intelINI, sce, "logicproc=disable\n", "[" + opaque + "," + registry + "]"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		e, err := bios.Decode("file", data)
		if err != nil {
			return
		}
		for _, a := range e.Attributes {
			if a.Name == "" || a.Place == "" || !a.Stated && a.Value != "" || !a.HasPending && a.Pending != "" {
				t.Fatalf("%+v", a)
			}
		}
		bios.JoinExports([]*bios.Export{e, e})
	})
}

// TestEncodings checks UTF-16 and byte order marks, which Windows tools write.
func TestEncodings(t *testing.T) {
	units := utf16.Encode([]rune("\uFEFFlogicproc=disable\r\n"))
	little, big := []byte{}, []byte{}
	for _, u := range units {
		little = append(little, byte(u), byte(u>>8))
		big = append(big, byte(u>>8), byte(u))
	}
	for _, in := range [][]byte{little, big, []byte("\xEF\xBB\xBFlogicproc=disable")} {
		e := decoded(t, "file", string(in))
		require.Equal(t, "disable", e.Attributes[0].Value)
	}
}

// TestPendingOfCray checks that a settings object whose attributes name the next value keeps it, and that a missing
// value is not pending.
func TestPendingOfCray(t *testing.T) {
	e := decoded(t, "file", `{"@odata.id":"/redfish/v1/Systems/Node0/Bios/SD","Attributes":{"A":{"current_value":"1","pending_value":"2"},"B":{"current_value":"1"},"C":null}}`)
	for name, want := range map[string]string{"A": "2", "B": "1", "C": ""} {
		t.Run(name, func(t *testing.T) {
			a, ok := e.Attribute(name)
			require.True(t, ok)
			require.Equal(t, want, a.Pending)
			require.Equal(t, want != "", a.HasPending)
		})
	}
}

// TestSettingsObjects checks that a settings object is recognised by its path or, without one, by its Id or Name, and
// that its values are pending.
func TestSettingsObjects(t *testing.T) {
	for head, wishes := range map[string]bool{
		`"@odata.id": "/redfish/v1/Systems/1/Bios/SD"`:                         true,
		`"@odata.id": "/redfish/v1/Systems/1/Bios/Pending/"`:                   true,
		`"@odata.id": "/redfish/v1/Systems/1/Bios", "Id": "Settings"`:          false,
		`"@odata.id": "/redfish/v1/Systems/1/Bios", "Name": "Pending changes"`: false,
		`"Id": "Settings"`: true, `"Id": "Pending"`: true, `"Id": "SD"`: true, `"Id": "Bios", "Name": "BIOS Pending Settings"`: true, `"Id": "Bios"`: false,
	} {
		e := decoded(t, "file", "{"+head+`, "Attributes": {"A": "x", "B": null}}`)
		require.Equal(t, wishes, e.PendingOnly, head)
		want := []string{"A=x", "B=(none)"}
		if wishes {
			want = []string{"A=(none) pending:x", "B=(none)"}
		}
		require.Equal(t, want, tell(e), head)
	}
	e := decoded(t, "file", `{"Id": "Settings", "Attributes": {"A": {"current_value": "x", "pending_value": "y"}}}`)
	require.Equal(t, []string{"A=(none) pending:y"}, tell(e))
}
