package formats

import (
	"bytes"
	"errors"
	"testing"

	"memaudit.example/memaudit/internal/report"
	"memaudit.example/memaudit/internal/report/reporttest"
	"memaudit.example/memaudit/internal/report/text"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"memaudit.example/memaudit/internal/model/inventory"
)

type brokenWriter struct{}

func (brokenWriter) Write([]byte) (int, error) { return 0, errors.New("disk full") }

func TestWrite(t *testing.T) {
	r := reporttest.Report(reporttest.Good())
	for _, format := range Reports() {
		var b bytes.Buffer
		require.NoError(t, Write(&b, format, r, text.Options{}))
		assert.NotEmpty(t, b.String())
		require.ErrorContains(t, Write(brokenWriter{}, format, r, text.Options{}), "disk full")
	}
	for _, format := range Inventories() {
		var b bytes.Buffer
		require.NoError(t, WriteInventory(&b, format, &r.Inventory, text.Options{}))
		assert.NotEmpty(t, b.String())
	}
	require.EqualError(t, Write(nil, "yaml", r, text.Options{}), `format "yaml" is not one of text, json, html, junit, nagios, prometheus`)
	require.EqualError(t, WriteInventory(nil, "", &r.Inventory, text.Options{}), `format "" is not one of text, json, csv`)
}

// Identifiers leave only when they are asked for, and then in both formats.
func TestIdentifiers(t *testing.T) {
	m := reporttest.Good()
	m.Sys.Machine.Identifiers = inventory.Identifiers{SystemSerial: "SYSTEM-SECRET", SystemUUID: "UUID-SECRET", BoardSerial: "BOARD-SECRET", ChassisSerial: "CHASSIS-SECRET", AssetTag: "TAG-SECRET"}
	for _, asked := range []bool{false, true} {
		o := reporttest.Options()
		o.Identifiers = asked
		r := report.Build(&m.Sys, &m.Topo, &m.Audit, o)
		var b bytes.Buffer
		require.NoError(t, report.WriteJSON(&b, &r))
		require.NoError(t, text.WriteInventory(&b, &r.Inventory, text.Options{Width: 200}))
		for _, secret := range []string{"SYSTEM-", "UUID-", "BOARD-", "CHASSIS-", "TAG-", "SERIAL-", "ASSET-"} {
			n := bytes.Count(b.Bytes(), []byte(secret+"SECRET"))
			assert.Equal(t, asked, n >= 2, secret)
			assert.Equal(t, asked, n > 0, secret)
		}
	}
}
