package redfish

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"memaudit.example/memaudit/internal/model/fact"
)

const memoryPath = "/redfish/v1/Systems/FCH123456/Memory"

// TestPresence checks that a slot is empty if the service reports it so, and unknown otherwise.
func TestPresence(t *testing.T) {
	for _, c := range []struct {
		name, raw        string
		installed, known bool
	}{
		{"module", `"CapacityMiB":16384,"Status":{"State":"Enabled","Health":"OK"}`, true, true},
		{"module of one MiB", `"CapacityMiB":1`, true, true},
		{"module without a state (Cray EX)", `"CapacityMiB":16384,"Status":null`, true, true},
		{"disabled module", `"CapacityMiB":16384,"Status":{"State":"Disabled"}`, true, true},
		{"empty slot (iLO)", `"CapacityMiB":0,"Status":{"State":"Absent","Health":"OK"}`, false, true},
		{"empty slot (CIMC, XCC)", `"CapacityMiB":null,"Status":{"State":"Absent"}`, false, true},
		{"empty slot in capitals", `"Status":{"State":"ABSENT"}`, false, true},
		{"capacity of an absent module", `"CapacityMiB":16384,"Status":{"State":"Absent"}`, false, true},
		{"no capacity and no state", `"CapacityMiB":0`, false, true},
		{"no capacity of a module that is there", `"CapacityMiB":0,"Status":{"State":"Enabled"}`, false, false},
		{"no capacity of a disabled module", `"CapacityMiB":0,"Status":{"State":"Disabled","Health":"Critical"}`, false, false},
		{"capacity not stated (OpenBMC)", `"Status":{"State":"Enabled","Health":"OK"}`, false, false},
		{"nothing stated", `"Name":"DIMM Slot"`, false, false},
		{"capacity null", `"CapacityMiB":null`, false, false},
		{"capacity of another kind", `"CapacityMiB":"16 GB"`, false, false},
		{"capacity that no module has", `"CapacityMiB":16777217`, false, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			var m memoryResource
			require.NoError(t, json.Unmarshal([]byte(`{"Id":"1",`+c.raw+`}`), &m))
			d := (&client{}).buildDIMM("/redfish/v1/Systems/1/Memory/1", &m)
			assert.Equal(t, []bool{c.installed, c.known}, []bool{d.Installed, d.Known})
		})
	}
}

// withModules replaces the service's modules by n others; reads of the first refused of them fail.
func (b *bmc) withModules(n, refused int) {
	var links []string
	for i := range n {
		path := fmt.Sprintf("%s/m%d", memoryPath, i)
		b.tree[path] = fmt.Sprintf(`{"Id":"m%d","Name":"DIMM Slot","CapacityMiB":16384}`, i)
		links = append(links, `{"@odata.id":"`+path+`"}`)
	}
	b.tree[memoryPath] = `{"Members":[` + strings.Join(links, ",") + `]}`
	b.front = func(w http.ResponseWriter, r *http.Request) bool {
		var i int
		if _, err := fmt.Sscanf(r.URL.Path, memoryPath+"/m%d", &i); err != nil || i >= refused {
			return false
		}
		w.WriteHeader(http.StatusForbidden)
		return true
	}
}

// TestModulesThatCannotBeRead checks that an unreadable module does not affect others, and that after some failures
// the rest is not requested and what was read is kept.
func TestModulesThatCannotBeRead(t *testing.T) {
	for refused, want := range map[int]struct{ asked, read, problems int }{
		0:               {6, 6, 0},
		1:               {6, 5, 1},
		maxProblems - 1: {6, 7 - maxProblems, maxProblems - 1},
		maxProblems:     {maxProblems, 0, maxProblems},
	} {
		b := newBMC(t)
		b.withModules(6, refused)
		a := b.ask(t, nil)
		assert.Len(t, a.DIMMs, want.read, refused)
		require.Len(t, a.Problems, want.problems, refused)
		for _, p := range a.Problems {
			assert.Equal(t, fact.SourceDenied, p.State, refused)
		}
		assert.Equal(t, want.asked, b.asked("/Memory/m"), refused)
	}
}

// asked counts the requests whose path contains a text.
func (b *bmc) asked(part string) int {
	b.mu.Lock()
	defer b.mu.Unlock()
	n := 0
	for _, r := range b.requests {
		if strings.Contains(r, part) {
			n++
		}
	}
	return n
}

// TestPageThatIsNotThere checks that the first page is not taken for the complete list: a missing further page is
// reported, and not as a service without an inventory.
func TestPageThatIsNotThere(t *testing.T) {
	b := newBMC(t)
	delete(b.tree, memoryPath+"?$skip=1")
	a := b.ask(t, nil)
	assert.Equal(t, fact.SourcePartial, a.State())
	require.Error(t, a.Err())
	assert.Contains(t, a.Err().Error(), "GET /redfish/v1/Systems/ID/Memory: the service has no such resource (404)")
	assert.Equal(t, fact.SourceTruncated, a.Problems[0].State)
	assert.Empty(t, a.DIMMs)
	assert.NotContains(t, a.Detail(), "offers no memory inventory")
}

// TestMembers checks that a member without a link is ignored, and that a part of a collection that is too long is not
// taken for all of it.
func TestMembers(t *testing.T) {
	b := newBMC(t)
	b.tree[memoryPath] = `{"Members":[{},{"@odata.id":""},{"@odata.id":"` + memoryPath + `/1"},null]}`
	a := b.ask(t, nil)
	require.NoError(t, a.Err())
	assert.Len(t, a.DIMMs, 1)
	assert.Zero(t, b.asked("GET / "))

	for n, integer := range map[int]bool{maxMembers: true, maxMembers + 1: false} {
		b := newBMC(t)
		links := strings.Repeat(`{"@odata.id":"/redfish/v1/Registries/Base.1"},`, n-1)
		b.tree["/redfish/v1/Registries"] = `{"Members":[` + links + `{"@odata.id":"/redfish/v1/Registries/biosattributeregistry.v1_0_0/"}]}`
		a := b.ask(t, nil)
		require.NotNil(t, a.BIOS)
		assert.Equal(t, integer, a.BIOS.Registry != nil, n)
		assert.Equal(t, integer, a.Err() == nil, n)
		if !integer {
			assert.Contains(t, a.Err().Error(), "more than 512 members")
		}
	}
}
