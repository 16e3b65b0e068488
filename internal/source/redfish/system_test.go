package redfish

import (
	"context"
	"crypto/tls"
	"io"
	"log"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"memaudit.example/memaudit/internal/model/fact"
)

// TestCompare checks which systems are the machine, by what the two sides know.
func TestCompare(t *testing.T) {
	const u, turned = "00112233-4455-6677-8899-aabbccddeeff", "33221100-5544-7766-8899-AABBCCDDEEFF"
	cases := map[string]struct {
		who  Identity
		s    system
		fits systemMatch
		by   string
	}{
		"serial":                  {Identity{Serial: "abc1234"}, system{SerialNumber: "ABC1234 "}, sameSystem, "serial number"},
		"service tag in SKU":      {Identity{Serial: "7CTRL13"}, system{SerialNumber: "CNFCP0079E00AB", SKU: "7CTRL13"}, sameSystem, "serial number"},
		"board's serial":          {Identity{Parts: []string{"CNFCP0079E00AB"}}, system{SerialNumber: "CNFCP0079E00AB"}, sameSystem, "serial number"},
		"serial differs":          {Identity{Serial: "ABC1234", Products: []string{"Server 1"}}, system{SerialNumber: "ABC9999", Model: "Server 1"}, otherSystem, ""},
		"serial differs, UUID":    {Identity{Serial: "ABC1234", UUID: u}, system{SerialNumber: "ABC9999", UUID: u}, sameSystem, "UUID"},
		"placeholder serial":      {Identity{Serial: "0123456789", Products: []string{"Server 1"}}, system{SerialNumber: "0123456789", Model: "Server 1"}, likeSystem, "model"},
		"UUID":                    {Identity{UUID: u}, system{UUID: strings.ToUpper(u)}, sameSystem, "UUID"},
		"UUID in the other order": {Identity{UUID: u}, system{UUID: turned}, sameSystem, "UUID"},
		"UUID differs":            {Identity{UUID: u, Products: []string{"Server 1"}}, system{UUID: "10112233-4455-6677-8899-aabbccddeeff", Model: "Server 1"}, otherSystem, ""},
		"UUID of nobody":          {Identity{UUID: "ffffffff-ffff-ffff-ffff-ffffffffffff"}, system{UUID: u}, unknownSystem, ""},
		"model":                   {Identity{Products: []string{"PowerEdge R650"}}, system{Model: "PowerEdge R650"}, likeSystem, "model"},
		"model within":            {Identity{Products: []string{"ThinkSystem SR650 -[7X06CTO1WW]-"}}, system{Model: "7X06CTO1WW"}, likeSystem, "model"},
		"board":                   {Identity{Products: []string{"Super Server", "X11DPH-T"}}, system{Model: "X11DPH-T"}, likeSystem, "model"},
		"model differs":           {Identity{Products: []string{"PowerEdge R650"}}, system{Model: "PowerEdge R750"}, doubtfulSystem, ""},
		"nothing":                 {Identity{}, system{Model: "PowerEdge R750"}, unknownSystem, ""},
		"short serial":            {Identity{Serial: "a12"}, system{SerialNumber: "A12"}, sameSystem, "serial number"},
		"serial of two digits":    {Identity{Serial: "12", Products: []string{"Server 1"}}, system{SerialNumber: "12", Model: "Server 1"}, likeSystem, "model"},
		"model of three letters":  {Identity{Products: []string{"R65"}}, system{Model: "r65"}, likeSystem, "model"},
		"model of two letters":    {Identity{Products: []string{"R6"}}, system{Model: "R6"}, unknownSystem, ""},
		"model of one zero more":  {Identity{Products: []string{"PowerEdge R65"}}, system{Model: "PowerEdge R605"}, doubtfulSystem, ""},
		"model of one z more":     {Identity{Products: []string{"Workstation 840"}}, system{Model: "Workstation Z840"}, doubtfulSystem, ""},
		"no names":                {Identity{Products: []string{"Super Server"}}, system{Model: "SYS-6029P"}, unknownSystem, ""},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			c.s.compareIdentity(c.who)
			assert.Equal(t, c.fits, c.s.fits)
			if c.fits != otherSystem {
				assert.Equal(t, c.by, c.s.matchedBy)
			}
		})
	}
}

// TestSystems checks that the audited system is chosen among several, or none.
func TestSystems(t *testing.T) {
	b := newBMC(t)
	b.tree["/redfish/v1/Systems"] = `{"Members":[{"@odata.id":"/redfish/v1/Systems/A"},{"@odata.id":"/redfish/v1/Systems/FCH123456"}]}`
	b.tree["/redfish/v1/Systems/A"] = `{"Model":"Server 1","SerialNumber":"FCH000001"}`
	read := func(who Identity) *Answer { return Read(context.Background(), b.options(t), who) }

	a := read(Identity{Serial: "FCH123456"})
	require.NoError(t, a.Err())
	assert.Equal(t, "serial number", a.MatchedBy)
	assert.Len(t, a.DIMMs, 2)
	silent(t, a)

	a = read(Identity{Products: []string{"Server 1"}})
	assert.Equal(t, fact.SourceRefused, a.State())
	assert.Contains(t, a.Err().Error(), "2 of the service's 2 systems could be the audited machine")

	a = read(Identity{Serial: "FCH777777"})
	assert.Contains(t, a.Err().Error(), "none of the service's 2 systems is the audited machine")

	// An unreadable system may be the machine, unless an identifier finds it elsewhere.
	delete(b.tree, "/redfish/v1/Systems/A")
	for _, who := range []Identity{{}, {Products: []string{"Server 1"}}, {Products: []string{"Server 2"}}, {Serial: "FCH777777"}} {
		a = read(who)
		assert.False(t, a.Found, "%v", who)
		assert.Nil(t, a.BIOS)
		require.Len(t, a.Problems, 2)
		assert.Contains(t, a.Problems[1].Error(), "1 of the service's 2 systems could not be read, and one of them may be the audited machine")
		silent(t, a)
	}
	a = read(Identity{Serial: "FCH123456"})
	assert.True(t, a.Found)
	assert.Equal(t, "serial number", a.MatchedBy)

	b.tree["/redfish/v1/Systems"] = `{"Members":[{"@odata.id":"/redfish/v1/Systems/FCH123456"}]}`
	a = read(Identity{Products: []string{"Server 2"}})
	require.NoError(t, a.Err())
	assert.Equal(t, fact.SourcePartial, a.State())
	assert.Equal(t, "it calls its machine Server 1, and this one is Server 2: is it another machine's controller?", a.Doubt)
	a = read(Identity{Serial: "FCH777777"})
	assert.Contains(t, a.Err().Error(), "describes another machine: its serial number differs")
	assert.Nil(t, a.BIOS)
	silent(t, a)
}

// TestConcealedIdentifiers checks that serial numbers and names of the machine are removed from all texts, except
// those too short to be an identifier and those that are part of the model, as Lenovo's SKU.
func TestConcealedIdentifiers(t *testing.T) {
	s := &system{Model: "ThinkSystem SR650 -[7X06CTO1WW]-", SerialNumber: "J3AB", SKU: "7X06CTO1WW", AssetTag: "A12", HostName: "node17"}
	c := &client{}
	c.concealIdentifiers(s)
	assert.Equal(t, "*** A12 *** 7X06CTO1WW", c.hideSecrets("J3AB A12 node17 7X06CTO1WW"))
	assert.True(t, s.showsIdentifier("System-J3AB"))
	assert.False(t, s.showsIdentifier("System-A12"), "three signs are in many names")
}

func TestParseURL(t *testing.T) {
	for text, want := range map[string]string{
		"https://bmc.example": "https://bmc.example", "https://bmc.example/redfish/v1/": "https://bmc.example",
		"https://[fe80::1]:8443/": "https://[fe80::1]:8443",
	} {
		u, err := ParseURL(text)
		require.NoError(t, err, text)
		assert.Equal(t, want, u.String())
	}
	for text, says := range map[string]string{
		"bmc.example": "expected https://HOST", "http://bmc.example": "in the clear", "https://": "expected https://HOST",
		"https://root:" + password + "@bmc.example": "user name or a password", "https://bmc.example/redfish/v1/Systems": "names a resource",
		"https://bmc.example/?a=b": "query", "https://bmc.example:" + password: "not an address",
	} {
		_, err := ParseURL(text)
		require.Error(t, err, text)
		assert.Contains(t, err.Error(), says)
		assert.NotContains(t, err.Error(), password)
	}
}

// TestShown checks that no printed path contains an identifier of the machine.
func TestShown(t *testing.T) {
	for path, want := range map[string]string{
		"/redfish/v1/Systems/FCH2131V1ZZ/Bios":          "/redfish/v1/Systems/ID/Bios",
		"/redfish/v1/Systems/System.Embedded.1/Bios":    "/redfish/v1/Systems/System.Embedded.1/Bios",
		"/redfish/v1/systems/1/bios/settings/":          "/redfish/v1/systems/1/bios/settings/",
		"/redfish/v1/Systems/Self/Memory?$skip=1":       "/redfish/v1/Systems/Self/Memory",
		"/redfish/v1/Systems/System_0":                  "/redfish/v1/Systems/System_0",
		"/redfish/v1/Systems/Node0":                     "/redfish/v1/Systems/Node0",
		"/redfish/v1/Systems/node-FCH2131V1ZZ":          "/redfish/v1/Systems/ID",
		"/redfish/v1/SessionService/Sessions/root00001": "/redfish/v1/SessionService/Sessions/ID",
		"/redfish/v1/\x1b[31mred":                       "/redfish/v1/?[31mred",
	} {
		assert.Equal(t, want, printablePath(path))
	}
}

// TestNamedSystem checks that of several systems that could be the machine, as on HGX boards, the named one is used,
// but never one that is surely another machine's.
func TestNamedSystem(t *testing.T) {
	b := newBMC(t)
	b.tree["/redfish/v1/Systems"] = `{"Members":[{"@odata.id":"/redfish/v1/Systems/HGX_Baseboard_0"},{"@odata.id":"/redfish/v1/Systems/FCH123456"}]}`
	b.tree["/redfish/v1/Systems/HGX_Baseboard_0"] = `{"Id":"HGX_Baseboard_0","Model":"Server 1","SerialNumber":"To be filled by O.E.M."}`
	read := func(name string, who Identity) *Answer {
		o := b.options(t)
		o.System = name
		return Read(context.Background(), o, who)
	}
	who := Identity{Products: []string{"Server 1"}}
	a := read("", who)
	assert.Contains(t, a.Err().Error(), "2 of the service's 2 systems could be the audited machine: HGX_Baseboard_0, (one whose name identifies it)")
	assert.Contains(t, a.Hint(), "--redfish-system")
	silent(t, a)
	a = read("fch123456", who)
	require.NoError(t, a.Err())
	assert.Len(t, a.DIMMs, 2)
	a = read("hgx_baseboard_0", who)
	require.NoError(t, a.Err())
	assert.Nil(t, a.BIOS)
	a = read("HGX_9", who)
	assert.Contains(t, a.Err().Error(), "the service has no system HGX_9, expected one of HGX_Baseboard_0, ")
	a = read("FCH123456", Identity{Serial: "FCH777777"})
	assert.Contains(t, a.Err().Error(), "is another machine: its serial number differs")
	assert.Nil(t, a.BIOS)
}

// TestILO4 checks BIOS settings that only HP's own links lead to, with attributes next to the resource's properties,
// before Redfish and after.
func TestILO4(t *testing.T) {
	for _, oem := range []string{`{"Hp":{"links":{"BIOS":{"href":"/rest/v1/systems/1/bios"}}}}`, `{"Hp":{"Links":{"BIOS":{"@odata.id":"/rest/v1/systems/1/bios"}}}}`} {
		b := newBMC(t)
		b.tree["/redfish/v1/Systems/FCH123456"] = `{"Model":"ProLiant DL380 Gen9","SerialNumber":"FCH123456","Oem":` + oem + `}`
		b.tree["/rest/v1/systems/1/bios"] = `{"@odata.type":"#HpBios.1.1.0.HpBios","AttributeRegistry":"HpBiosAttributeRegistryP89.1.1.00","PowerProfile":"MaxPerf",
			"links":{"Settings":{"href":"/rest/v1/systems/1/bios/Settings"}}}`
		b.tree["/rest/v1/systems/1/bios/Settings"] = `{"@odata.type":"#HpBios.1.1.0.HpBios","PowerProfile":"Custom"}`
		a := Read(context.Background(), b.options(t), Identity{Serial: "FCH123456"})
		require.NotNil(t, a.BIOS, "%v %v", a.Err(), a.Notes)
		assert.Contains(t, string(a.BIOS.Resource), "MaxPerf")
		assert.Contains(t, string(a.BIOS.Settings), "Custom")
	}
}

// TestExpandedMemory checks that all modules are read in one request if the service offers it, and single modules
// again if they are incomplete in it.
func TestExpandedMemory(t *testing.T) {
	const expand = "/redfish/v1/Systems/FCH123456/Memory?$expand=.($levels=1)"
	features := func(b *bmc) {
		b.tree["/redfish/v1/"] = strings.Replace(b.tree["/redfish/v1/"], `"RedfishVersion"`, `"ProtocolFeaturesSupported":{"ExpandQuery":{"NoLinks":true,"Levels":true}},"RedfishVersion"`, 1)
	}
	plain := newBMC(t)
	want := Read(context.Background(), plain.options(t), Identity{Serial: "FCH123456"}).DIMMs
	require.Len(t, want, 2)
	one, two := plain.tree["/redfish/v1/Systems/FCH123456/Memory/1"], plain.tree["/redfish/v1/Systems/FCH123456/Memory/2"]
	integer := `{"Members@odata.count":2,"Members":[{"@odata.id":"/redfish/v1/Systems/FCH123456/Memory/1",` + one[1:] + `,{"@odata.id":"/redfish/v1/Systems/FCH123456/Memory/2",` + two[1:] + `]}`
	for answer, requests := range map[string]int{
		integer: 1,
		strings.Replace(integer, `"Members@odata.count":2`, `"Members@odata.count":3`, 1):        5,
		`{"Members":[{"@odata.id":"/redfish/v1/Systems/FCH123456/Memory/1"}]}`:                   5,
		strings.Replace(integer, `"Members":`, `"Members@odata.nextLink":"/more","Members":`, 1): 5,
	} {
		b := newBMC(t)
		features(b)
		b.tree[expand] = answer
		a := Read(context.Background(), b.options(t), Identity{Serial: "FCH123456"})
		require.NoError(t, a.Err())
		assert.Equal(t, want, a.DIMMs)
		asked := 0
		for _, r := range b.requests {
			if strings.Contains(r, "/Memory") && !strings.HasSuffix(r, "/MemoryMetrics") {
				asked++
			}
		}
		assert.Equal(t, requests, asked, answer)
	}
}

// TestOldTLS checks that a controller that supports only TLS 1.1 is refused with the workaround.
func TestOldTLS(t *testing.T) {
	b := &bmc{tree: machine(), sessions: true}
	b.Server = httptest.NewUnstartedServer(b)
	b.TLS = &tls.Config{MinVersion: tls.VersionTLS10, MaxVersion: tls.VersionTLS11} //nolint:gosec // the old controller itself
	b.Config.ErrorLog = log.New(io.Discard, "", 0)
	b.StartTLS()
	t.Cleanup(b.Close)
	a := Read(context.Background(), b.options(t), Identity{})
	assert.Contains(t, a.Err().Error(), "the service offers TLS 1.0 or 1.1 at most, expected 1.2 or later")
	assert.Contains(t, a.Hint(), "--bios FILE")
}

// TestKnownRegistry checks that a registry that the caller has is used by its name and not fetched again, and that a
// read logs in and out once.
func TestKnownRegistry(t *testing.T) {
	b := newBMC(t)
	var asked []string
	o := b.options(t)
	o.KnownRegistry = func(name string) []byte {
		asked = append(asked, name)
		return []byte(`{"RegistryEntries":{}}`)
	}
	a := Read(context.Background(), o, Identity{Serial: "FCH123456"})
	require.NoError(t, a.Err())
	require.Len(t, asked, 1)
	assert.Equal(t, a.BIOS.RegistryName, asked[0])
	assert.JSONEq(t, `{"RegistryEntries":{}}`, string(a.BIOS.Registry))
	in, out := 0, 0
	for _, r := range b.requests {
		assert.NotContains(t, r, "/Registries")
		if strings.HasPrefix(r, "POST ") {
			in++
		}
		if strings.HasPrefix(r, "DELETE ") {
			out++
		}
	}
	assert.Equal(t, []int{1, 1}, []int{in, out}, "%v", b.requests)

	o.KnownRegistry = func(string) []byte { return nil }
	a = Read(context.Background(), o, Identity{Serial: "FCH123456"})
	require.NoError(t, a.Err())
	assert.True(t, slices.ContainsFunc(b.requests, func(r string) bool { return strings.Contains(r, "/Registries") }), "one that is not known is fetched")
	assert.NotEmpty(t, a.BIOS.Registry)
}

// TestSystemByElimination checks that a system without comparable data, as the board of the accelerators, is not
// taken for the machine because the others are not.
func TestSystemByElimination(t *testing.T) {
	const board = "/redfish/v1/Systems/HGX_Baseboard_0"
	for name, who := range map[string]Identity{
		"other serial number": {Serial: "FCH777777", Products: []string{"Server 1"}},
		"other model":         {Products: []string{"Server 2"}},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBMC(t)
			b.tree["/redfish/v1/Systems"] = `{"Members":[{"@odata.id":"/redfish/v1/Systems/FCH123456"},{"@odata.id":"` + board + `"}]}`
			b.tree[board] = `{"Id":"HGX_Baseboard_0","SerialNumber":"","Memory":{"@odata.id":"` + memoryPath + `"}}`
			a := Read(context.Background(), b.options(t), who)
			assert.False(t, a.Found)
			require.Error(t, a.Err())
			assert.Contains(t, a.Err().Error(), "no other of the service's 2 systems is the audited machine, and nothing identifies it as HGX_Baseboard_0")
			assert.Contains(t, a.Hint(), "--redfish-system")
			assert.Empty(t, a.DIMMs)
			silent(t, a)
		})
	}
	b := newBMC(t)
	a := Read(context.Background(), b.options(t), Identity{})
	assert.True(t, a.Found, "the only system of a service is taken with nothing to compare")
}
