package web

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"memaudit.example/memaudit/examples"
	"memaudit.example/memaudit/internal/tools/machinetest"
)

// TestCheckErrors checks that input that cannot be audited gets an error that names the file and what was expected.
func TestCheckErrors(t *testing.T) {
	c, err := New("v", "r")
	require.NoError(t, err)
	data, err := examples.FS.ReadFile("dell-r610.tar.gz")
	require.NoError(t, err)
	capture := File{"a.tar.gz", data}
	table := File{"dump", machinetest.ManySlots().Dump()}
	for want, files := range map[string][]File{
		"nothing to audit":                  nil,
		"text: not recognised as a capture": {{"text", []byte("hello\n")}},
		"a.tar.gz: a second capture":        {capture, capture},
		"dump: a second SMBIOS table":       {table, table},
		"open cut: truncated":               {{"cut", data[:1000]}},
	} {
		_, err := c.Check(files, "")
		require.ErrorContains(t, err, want)
		_, err = c.WhatIf([]Move{{"0x1100", "0x1101"}}, 80)
		require.ErrorContains(t, err, "check a machine first")
	}
	_, err = c.Check([]File{capture}, "fast")
	require.ErrorContains(t, err, `"fast"`)
	_, err = c.Check([]File{capture}, "max-performance")
	require.NoError(t, err)
	var slots struct {
		Inventory struct {
			Slots []struct{ Handle, Locator string }
		}
	}
	out, err := c.Check([]File{capture}, "")
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal([]byte(out.JSON), &slots))
	at := map[string]string{}
	for _, s := range slots.Inventory.Slots {
		at[s.Locator] = s.Handle
	}
	out, err = c.WhatIf([]Move{{at["DIMM_B4"], at["DIMM_B3"]}}, 80)
	require.NoError(t, err)
	require.Regexp(t, `^OK        Dell PowerEdge R610: memory is installed as Dell\s+recommends`, out.After, "the sentence of the report after the move")
	require.Contains(t, out.After, "3 of 3 channels", "and its memory")
	_, err = c.WhatIf([]Move{{"0x9999", "0x1101"}}, 80)
	require.ErrorContains(t, err, `no slot "0x9999"`)
}
