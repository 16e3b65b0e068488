package bios_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"memaudit.example/memaudit/internal/source/bios"
)

// decoded is the decoded input of a test.
func decoded(t *testing.T, name, text string) *bios.Export {
	t.Helper()
	e, err := bios.Decode(name, []byte(text))
	require.NoError(t, err)
	return e
}

// TestKeptExports checks that an export kept in a capture is decoded to the same export, for every format, with what
// its registry adds.
func TestKeptExports(t *testing.T) {
	const locking = `{"Id": "R.v1", "RegistryEntries": {"Attributes": [{"AttributeName": "A", "Type": "Enumeration", "Value": [{"ValueName": "0"}]}],
 "Dependencies": [{"Type": "Map", "DependencyFor": "A", "Dependency": {"MapFrom": [{"MapFromAttribute": "B", "MapFromProperty": "CurrentValue",
 "MapFromCondition": "EQU", "MapFromValue": "Auto"}], "MapToAttribute": "A", "MapToProperty": "ReadOnly", "MapToValue": true}}]}}`
	for name, before := range map[string]*bios.Export{
		"redfish": decoded(t, "a", dellResource), "a settings object": decoded(t, "a", dellSettings), "a registry": decoded(t, "a", registry), "a registry with dependencies": decoded(t, "a", locking),
		"a resource with a registry with dependencies": decoded(t, "a", "["+dellResource+","+locking+"]"),
		"racadm": decoded(t, "a", racadm), "SCP": decoded(t, "a", scp), "WS-Man": decoded(t, "a", wsman), "SUM": decoded(t, "a", sumXML),
		"conrep": decoded(t, "a", conrep), "ASU": decoded(t, "a", asu), "a batch": decoded(t, "a", batch), "SCE": decoded(t, "a", sce),
	} {
		data, err := json.Marshal(before)
		require.NoError(t, err, name)
		assert.NotContains(t, string(data), "hunter2", name)
		assert.Equal(t, strings.HasSuffix(name, "a registry with dependencies"), strings.Contains(string(data), `"locks":{`), name)
		var after bios.Export
		require.NoError(t, json.Unmarshal(data, &after), name)
		assert.Equal(t, before, &after, name)
	}
}

// TestKeptExportsAreBounded checks that a capture cannot hold more than a file can.
func TestKeptExportsAreBounded(t *testing.T) {
	full := make([]bios.Attribute, 20_000)
	for i := range full {
		full[i].Name = "A"
	}
	require.NoError(t, (&bios.Export{Attributes: full}).Check(), "as many as a file may have")
	require.ErrorContains(t, (&bios.Export{Name: "big", Attributes: append(full, full...)}).Check(), "big: more than")
	require.ErrorContains(t, (&bios.Export{Attributes: make([]bios.Attribute, 1)}).Check(), "attributes[0] has no name")
	long := []bios.Attribute{{Name: "A", Value: strings.Repeat("x", 1<<20)}}
	require.ErrorContains(t, (&bios.Export{Attributes: long}).Check(), "attributes[0] is longer than")
	secret := []bios.Attribute{{Name: "SetupPassword", Value: "hunter2", Stated: true}}
	require.NoError(t, (&bios.Export{Attributes: secret}).Check())
	assert.Empty(t, secret[0].Value)
}

// TestKeptLockWithoutTerms checks that a dependency without terms locks nothing.
func TestKeptLockWithoutTerms(t *testing.T) {
	for _, locks := range []string{`{"name": "a", "locks": {"A": [{"locks": true}]}}`, `{"name": "a", "registry": {"locks": {"A": [{"locks": true}]}}}`} {
		var e bios.Export
		require.NoError(t, json.Unmarshal([]byte(locks), &e))
		require.NoError(t, e.Check())
		_, said, _ := e.Locked("A", func(string) (string, bool) { return "", false })
		assert.False(t, said)
	}
}

// TestWithout checks that of attributes that no audit reads only the name is kept.
func TestWithout(t *testing.T) {
	before := decoded(t, "a", ilo4)
	require.NotEmpty(t, before.Attributes)
	after := before.Without(func(name, _ string) bool { return name == "ProcHyperthreading" })
	require.Len(t, after.Attributes, len(before.Attributes))
	for i := range after.Attributes {
		was, is := &before.Attributes[i], &after.Attributes[i]
		assert.Equal(t, was.Name, is.Name)
		assert.Equal(t, was.Stated, is.Stated, "that it has a value is not secret")
		if was.Name == "ProcHyperthreading" {
			assert.Equal(t, was, is)
			continue
		}
		assert.Empty(t, is.Value, was.Name)
		assert.Empty(t, is.Default, was.Name)
		assert.Empty(t, is.Options, was.Name)
	}
	kept, ok := before.Attribute("ProcHyperthreading")
	require.True(t, ok)
	assert.Equal(t, "Disabled", kept.Value, "the export itself is as it was")
}
