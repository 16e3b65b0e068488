package platform

import (
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/memaudit/memaudit/rules"
)

// A document applies to its vendor's machines, IBM's and Lenovo's to each other's, and none to blades.
func TestDocumentedFor(t *testing.T) {
	authors, err := authorsOf(rules.FS, []string{"DELL-11G", "IBM-X3650M3"})
	require.NoError(t, err)
	d := Detail{Authors: authors}
	for _, c := range []struct {
		vendor, product string
		want            bool
	}{
		{"Dell Inc.", "PowerEdge R710", true},
		{"LENOVO", "System x3650 M5", true},
		{"IBM", "System x3650 M3", true},
		{"IBM", "BladeCenter HS22", false},
		{"IBM", "Flex System x240", false},
		{"HP", "ProLiant DL380 G7", false},
		{"FUJITSU", "PRIMERGY RX300 S6", false},
		{"", "", false},
	} {
		assert.Equal(t, c.want, d.DocumentedFor(c.vendor, c.product), "%s %s", c.vendor, c.product)
	}
	for _, broken := range []string{"dell\tDELL-\n", "Dell Inc.\tDELL-\t\n", "dell\t\t\n"} {
		_, err := authorsOf(fstest.MapFS{vendorsFile: {Data: []byte(broken)}}, []string{"DELL-11G"})
		assert.ErrorContains(t, err, "makers.tsv:1", broken)
	}
}
