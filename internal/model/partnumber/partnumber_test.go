package partnumber_test

import (
	"encoding/hex"
	"os"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"memaudit.example/memaudit/internal/model/partnumber"
	"memaudit.example/memaudit/rules"
)

func shipped(t testing.TB) *partnumber.Table {
	t.Helper()
	table, err := partnumber.Load(rules.FS)
	require.NoError(t, err)
	return table
}

// TestVendorDocuments checks that every number is decoded as in its vendor's document.
func TestVendorDocuments(t *testing.T) {
	raw, err := os.ReadFile("testdata/documented.tsv")
	require.NoError(t, err)
	table, rows := shipped(t), 0
	for line := range strings.Lines(string(raw)) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		c := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		require.Len(t, c, 8, line)
		n := func(i int) int {
			v, err := strconv.Atoi(c[i])
			require.NoError(t, err, line)
			return v
		}
		m, ok := table.Decode(c[0])
		require.True(t, ok, c[0])
		want := partnumber.Module{Pattern: m.Pattern, Sources: m.Sources, Documented: m.Documented, SizeBytes: int64(n(1)) << 30, Type: c[2], Kind: c[3],
			Ranks: n(4), DeviceBits: n(5), RatedMTs: n(6)}
		assert.Equal(t, want, m, c[7])
		assert.NotEmpty(t, m.Sources, c[0])
		rows++
	}
	assert.GreaterOrEqual(t, rows, 18)
}

// TestSpellings checks that firmware's changes to a number do not change the result.
func TestSpellings(t *testing.T) {
	table := shipped(t)
	for _, c := range []struct{ plain, printed string }{
		{"M393B2G70BH0-CK0", "  M393B2G70BH0-CK0  \x00"},
		{"M393B2G70BH0-CK0", "m393b2g70bh0-ck0"},
		{"M393B2G70BH0-CK0", "0x" + hex.EncodeToString([]byte("M393B2G70BH0-CK0  "))},
		{"M393T5660QZA-CE6", "M3 93T5660QZA-CE6"},
		{"18ASF1G72PDZ-2G3", "MTA18ASF1G72PDZ-2G3"},
		{"36HTF51272FD-667", "MT36HTF51272FD-667"},
		{"752369-081", "HP 752369-081"},
		{"P03052-091", "HPE P03052-091"},
	} {
		want, ok := table.Decode(c.plain)
		require.True(t, ok, c.plain)
		m, ok := table.Decode(c.printed)
		require.True(t, ok, c.printed)
		assert.Equal(t, want, m, c.printed)
	}
}

// TestUnstatedIsNotGuessed checks that placeholders, unknown numbers and open fields give no value.
func TestUnstatedIsNotGuessed(t *testing.T) {
	table := shipped(t)
	for _, number := range []string{"", "Not Specified", "NO DIMM", "PartNum0", "9965525-018.A00LF", "0x", "0xZZZZZZZZ", "MT", "HP", "HPE PRO 16GB", "M393", "18"} {
		_, ok := table.Decode(number)
		assert.False(t, ok, number)
	}
	m, ok := table.Decode("NT8GC72B4NB1NK-CG")
	require.True(t, ok)
	assert.Equal(t, int64(8)<<30, m.SizeBytes)
	assert.Zero(t, m.Ranks, "nothing in the number names them")
	_, ok = m.Registered()
	assert.False(t, ok)
	_, _, ok = m.Widths()
	assert.False(t, ok)
	m, ok = table.Decode("HMCT04MEERA084N")
	if ok {
		assert.Zero(t, m.Ranks, "stacked modules count logical ranks")
	}
}

// TestKinds checks that the module type and the widths follow from the kind.
func TestKinds(t *testing.T) {
	for _, c := range []struct {
		typ, kind           string
		registered, reduced bool
		known, width        bool
		total               int
	}{
		{"DDR4", "RDIMM", true, false, true, true, 72},
		{"DDR3", "LRDIMM", true, true, true, true, 72},
		{"DDR4", "ECC UDIMM", false, false, true, true, 72},
		{"DDR4", "SODIMM", false, false, true, true, 64},
		{"DDR5", "RDIMM", true, false, true, false, 0},
		{"DDR2 FB-DIMM", "FB-DIMM", false, false, false, false, 0},
		{"DDR3", "", false, false, false, false, 0},
	} {
		m := partnumber.Module{Type: c.typ, Kind: c.kind}
		registered, ok := m.Registered()
		assert.Equal(t, []bool{c.registered, c.known}, []bool{registered, ok}, c)
		reduced, ok := m.LoadReduced()
		assert.Equal(t, []bool{c.reduced, c.known}, []bool{reduced, ok}, c)
		_, total, ok := m.Widths()
		assert.Equal(t, c.width, ok, c)
		assert.Equal(t, c.total, total, c)
	}
}

// TestDamagedFiles checks that damaged files are refused by the compiler.
func TestDamagedFiles(t *testing.T) {
	const head = "schema: 1\nvendor: Example\nsources: {A: {title: B}}\nparts:\n  - {id: a, sources: [A], check: [doc], "
	for _, c := range []struct{ body, want string }{
		{"match: '^A(', tables: []}", "parts/example.yaml:5:48: parts[0].match: error parsing regexp"},
		{"match: '^A(?P<b>.)', tables: [b]}", "parts/example.yaml"},
		{"match: '^A(?P<b>.)', tables: [{by: [b], gives: speed, map: {C: fast}}]}", "parts/example.yaml"},
		{"match: '^A(?P<b>.)', tables: [{by: [b], map: {C: 1333}}]}", "parts/example.yaml"},
		{"match: '^A(?P<b>.)', tables: [{by: [b, ''], gives: speed, map: {C: 1333}}]}", `no group ""`},
		{"match: 'A'}", "begins with ^"},
		{"match: '^A', tables: [{by: [b], gives: speed, map: {C: 1333}}]}", `no group "b"`},
		{"match: '^A(?P<b>.)', tables: [{by: [b], gives: spede, map: {C: 1333}}]}", "spede"},
		{"match: '^A', size_from: 'kb:b'}", "size_from"},
		{"match: '^A', size_from: 'gb:b'}", `no group "b"`},
		{"match: '^A', colour: red}", "colour"},
	} {
		_, err := partnumber.Compile(fstest.MapFS{"parts/example.yaml": {Data: []byte(head + c.body)}})
		require.ErrorContains(t, err, c.want, c.body)
	}
	_, err := partnumber.Compile(fstest.MapFS{"parts/example.yaml/x": {}})
	require.ErrorContains(t, err, "parts/example.yaml", "a folder")
	_, err = partnumber.Load(fstest.MapFS{})
	require.Error(t, err)
}

// TestSizes checks that a capacity that no module has is not decoded from a misspelled number.
func TestSizes(t *testing.T) {
	for number, want := range map[string]int64{
		"KVR16R11D4/16": 16, "KVR16R11D4/24": 24, "KVR16R11D4/1024": 1024,
		"KVR16R11D4/1616": 0, "KVR16R11D4/17": 0, "KVR16R11D4/0": 0, "KVR16R11D4/2048": 0, "KVR16R11D4/" + strings.Repeat("9", 400): 0,
	} {
		m, ok := shipped(t).Decode(number)
		require.True(t, ok, number)
		assert.Equal(t, want<<30, m.SizeBytes, number)
		assert.Equal(t, 2, m.Ranks, number)
	}
}

// FuzzDecode checks that no part number causes a panic or an invalid result.
func FuzzDecode(f *testing.F) {
	table := shipped(f)
	for _, seed := range []string{"M393B2G70BH0-CK0", "0x4D33393342", "KVR16R11D4/16", "CT102472BA1339", "HP 752369-081"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, number string) {
		m, ok := table.Decode(number)
		if !ok {
			return
		}
		if m.SizeBytes < 0 || m.SizeBytes > 1<<40 || m.Ranks < 0 || m.Ranks > 8 || m.RatedMTs < 0 || m.RatedMTs > 12800 {
			t.Errorf("%q: %+v", number, m)
		}
	})
}
