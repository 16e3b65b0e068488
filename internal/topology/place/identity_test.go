package place

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"memaudit.example/memaudit/internal/collect/collecttest"
	"memaudit.example/memaudit/internal/model/inventory"
	"memaudit.example/memaudit/rules"
)

// TestIdentify checks that names as firmware prints them, punctuation included, find the same key.
func TestIdentify(t *testing.T) {
	for _, tt := range []struct{ vendor, product, want string }{
		{"IBM", "System x3650 M5: -[8871AC1]-", "lenovo x3650 m5"},
		{"IBM", "IBM System x3550 M4 Server -[7914AC1]-", "lenovo x3550 m4"},
		{"LENOVO", "LENOVO System x3250 M6 -[3943AC1]-", "lenovo x3250 m6"},
		{"Oracle Corporation", "ORACLE SERVER X9-2L", "oracle x92l"},
		{"Dell Inc.", "OEM-R 720xd", "dell 720xd"},
		{"HP", "ProLiant DL360 Gen9,", "hp dl360 gen9"},
		{"Supermicro", "X9DRi-LN4+", "supermicro x9driln4+"},
	} {
		id := identify(&inventory.Machine{Vendor: collecttest.Known(tt.vendor), Product: collecttest.Known(tt.product)})
		assert.Equal(t, tt.want, id.models[0], tt.product)
	}
	id := identify(&inventory.Machine{Vendor: collecttest.Known("IBM"), Product: collecttest.Known("System x3650 M5: -[8871AC1]-")})
	m, err := findSlotMap(rules.FS, id, "lenovo", 24)
	if assert.NoError(t, err) {
		assert.Equal(t, "lenovo-m5-12", m.ID)
	}
}

// TestLenovoMachineType checks products that are a machine type, with the name in the version (linuxhw/DMI,
// ThinkStation D20 4155K4U).
func TestLenovoMachineType(t *testing.T) {
	m := inventory.Machine{Vendor: known("LENOVO"), Product: known("4155K4U"), ProductVersion: known("ThinkStation D20"), Family: known("NONE")}
	id := identify(&m)
	assert.Contains(t, id.models, "lenovo thinkstation d20")
	slotMap, err := findSlotMap(rules.FS, id, "lenovo-ws-number", 12)
	require.NoError(t, err)

	assert.Equal(t, "thinkstation-d20", slotMap.ID)
	m.Vendor = known("Dell Inc.")
	assert.NotContains(t, identify(&m).models, "dell thinkstation d20")
}

// TestOneNameTwoBoards checks that the number of slots distinguishes the boards of a product.
func TestOneNameTwoBoards(t *testing.T) {
	id := identify(&inventory.Machine{Vendor: collecttest.Known("Apple Inc."), Product: collecttest.Known("MacPro5,1")})
	for slots, want := range map[int]string{4: "apple-mp4-single", 8: "apple-mp4-dual"} {
		m, err := findSlotMap(rules.FS, id, "apple", slots)
		if assert.NoError(t, err) {
			assert.Equal(t, want, m.ID)
		}
	}
	_, err := findSlotMap(rules.FS, id, "apple", 6)
	assert.ErrorIs(t, err, errNoSlotMap)
}
