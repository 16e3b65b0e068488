package redfish

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const biosPath = "/redfish/v1/Systems/FCH123456/Bios"

// TestNoAttributes checks that a Bios resource without attributes has no settings and is not a failure, and that one
// with an empty object, as before the host's first start, is kept as it is.
func TestNoAttributes(t *testing.T) {
	for body, kept := range map[string]bool{
		`{"Id":"Bios"}`:                        false,
		`{"Id":"Bios","Attributes":null}`:      false,
		`{"Id":"Bios","Attributes":{}}`:        true,
		`{"Id":"Bios","Attributes":{"A":1}}`:   true,
		`{"@odata.type":"#HpBios.1.0.HpBios"}`: true,
	} {
		b := newBMC(t)
		b.tree[biosPath] = body
		a := b.ask(t, nil)
		require.NoError(t, a.Err(), body)
		assert.Equal(t, kept, a.BIOS != nil, body)
		note := "the service's BIOS resource holds no attributes"
		assert.Equal(t, !kept, assert.ObjectsAreEqual([]string{note}, a.Notes), "%s: %v", body, a.Notes)
	}
}

// TestRegistryInPlace checks that a registry is accepted in place of its file resource if it has attributes.
func TestRegistryInPlace(t *testing.T) {
	const at = "/redfish/v1/Registries/biosattributeregistry.v1_0_0/"
	for entries, linked := range map[string]bool{`{"Attributes":[{"AttributeName":"A"}]}`: false, `null,"Attributes":[{"AttributeName":"A"}]`: false, `{"Attributes":[]}`: true, `[]`: true, `null`: true} {
		b := newBMC(t)
		b.tree[at] = `{"Registry":"BiosAttributeRegistry.1.0.0","RegistryEntries":` + entries + `,"Location":[{"Language":"en","Uri":"/registries/en"}]}`
		a := b.ask(t, nil)
		require.NoError(t, a.Err())
		want := b.tree[at]
		if linked {
			want = b.tree["/registries/en"]
		}
		assert.Equal(t, want, string(a.BIOS.Registry), entries)
	}
}

// TestDellJobWaits checks that a BIOS job of an iDRAC that has not run yet is found, and that finished jobs, other
// kinds and an unreadable queue are not.
func TestDellJobWaits(t *testing.T) {
	for queue, want := range map[string]bool{
		`{"Members":[{"JobType":"BIOSConfiguration","JobState":"Scheduled"}]}`:                                 true,
		`{"Members":[{"JobType":"BIOSConfiguration","JobState":"Completed"}]}`:                                 false,
		`{"Members":[{"JobType":"FirmwareUpdate","JobState":"Scheduled"}]}`:                                    false,
		`{"Members":[{"JobType":"FirmwareUpdate","JobState":"Completed"}],"Members@odata.nextLink":"/jobs/2"}`: true,
		"": false,
	} {
		b := newBMC(t)
		tree := map[string]string{}
		for path, body := range b.tree {
			tree[strings.ReplaceAll(path, "FCH123456", "System.Embedded.1")] = strings.ReplaceAll(body, "FCH123456", "System.Embedded.1")
		}
		if b.tree = tree; queue != "" {
			b.tree[dellJobs] = queue
			b.tree["/jobs/2"] = `{"Members":[{"JobType":"BIOSConfiguration","JobState":"Scheduled"}]}`
		}
		a := b.ask(t, nil)
		require.NoError(t, a.Err())
		require.NotNil(t, a.BIOS)
		assert.Equal(t, want, a.BIOS.JobWaits, queue)
	}
}
