package platform

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"memaudit.example/memaudit/internal/collect/collecttest"
	"memaudit.example/memaudit/internal/model/fact"
	"memaudit.example/memaudit/internal/model/inventory"
	"memaudit.example/memaudit/rules"
)

// TestRecogniseNeighbours checks the processors of testdata/recognise.tsv, most of which share their CPUID with others.
func TestRecogniseNeighbours(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("testdata", "recognise.tsv"))
	require.NoError(t, err)
	for line := range strings.Lines(string(text)) {
		cells := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		if strings.HasPrefix(line, "#") {
			continue
		}
		require.Len(t, cells, 7, line)
		t.Run(cells[4], func(t *testing.T) {
			numbers := [3]int{}
			for i := range numbers {
				numbers[i], _ = strconv.Atoi(cells[1+i])
			}
			sys := &inventory.System{Sockets: collecttest.Sockets(2, cells[0], numbers[0], numbers[1], numbers[2], cells[4])}
			for i := range sys.Sockets {
				if s := &sys.Sockets[i]; cells[1] == "" {
					s.Family, s.Model, s.Stepping = fact.Fact[int]{}, fact.Fact[int]{}, fact.Fact[int]{}
				}
			}
			f := Recognise(sys, rules.FS)
			got := f.Or(&Platform{})
			want := cells[5:]
			assert.Equal(t, want, []string{got.ID, got.Recognised}, f.Reason)
			assert.Equal(t, cells[5] == "", f.Reason != "")
		})
	}
}

// TestRecogniseByOneSource checks brand without CPUID, CPUID without brand, and the kernel's data alone.
func TestRecogniseByOneSource(t *testing.T) {
	sys := &inventory.System{Sockets: []inventory.Socket{{Populated: collecttest.Known(true), Brand: collecttest.Known("Intel(R) Xeon(R) Gold 6138 CPU @ 2.00GHz")}}}
	f := Recognise(sys, rules.FS)
	assert.Equal(t, "skylake-sp", f.Value.ID)
	assert.Equal(t, "brand", f.Value.Recognised)

	sys = &inventory.System{Sockets: []inventory.Socket{{Populated: collecttest.Known(true), Vendor: collecttest.Known(Intel), Family: collecttest.Known(6), Model: collecttest.Known(85), Stepping: collecttest.Known(7)}}}
	f = Recognise(sys, rules.FS)
	assert.Equal(t, "the CPUID belongs to cascade-lake-sp or intel-hedt-4ch or cascade-lake-ap or xeon-w-2100-2200 or xeon-w-3200 and the brand string does not decide", f.Reason)

	two := &inventory.System{Sockets: collecttest.Sockets(2, Intel, 6, 44, 2, "Not Specified")}
	assert.Equal(t, "westmere-ep", Recognise(two, rules.FS).Value.ID, "two processors are no W3600")
	one := &inventory.System{Sockets: collecttest.Sockets(1, Intel, 6, 44, 2, "Not Specified")}
	assert.Equal(t, "intel-3ch-no-brand", Recognise(one, rules.FS).Value.ID)

	only := &inventory.System{Sockets: collecttest.Sockets(2, Intel, 6, 85, 11, "Genuine Intel(R) CPU 0000%@")}
	f = Recognise(only, rules.FS)
	require.True(t, f.Known(), f.Reason)
	assert.Equal(t, "cooper-lake", f.Value.ID, "the only platform with this CPUID")
	assert.Equal(t, "candidate", f.Value.Recognised)
	assert.Equal(t, fact.Indirect, f.Certainty)

	sys.CPU.Brand = collecttest.Known("Intel(R) Xeon(R) Gold 6252N CPU @ 2.30GHz")
	assert.Equal(t, "cascade-lake-sp", Recognise(sys, rules.FS).Value.ID)

	sys = &inventory.System{CPU: inventory.CPU{Vendor: collecttest.Known(AMD), Family: collecttest.Known(23), Model: collecttest.Known(49), Stepping: collecttest.Known(0), Brand: collecttest.Known("AMD EPYC 7742 64-Core Processor")}}
	assert.Equal(t, "rome", Recognise(sys, rules.FS).Value.ID)

	sys.Machine.Virtual = collecttest.Known(true)
	assert.Equal(t, "a virtual machine shows no physical DIMM slots", Recognise(sys, rules.FS).Reason)
}

// TestRecogniseSilentProcessor checks that a second structure with neither CPUID nor brand (its ID is all zeros) does
// not make the platform ambiguous.
func TestRecogniseSilentProcessor(t *testing.T) {
	silent := inventory.Socket{Populated: collecttest.Known(true), Vendor: collecttest.Known(Intel)}
	sys := &inventory.System{Sockets: append(collecttest.Sockets(1, Intel, 6, 47, 2, "Intel(R) Xeon(R) CPU E7- 4870  @ 2.40GHz"), silent)}
	f := Recognise(sys, rules.FS)
	require.True(t, f.Known(), f.Reason)
	assert.Equal(t, "westmere-ex", f.Value.ID)
	// A board of 2003 (linuxhw/DMI, GA-8SQ800) lists a second, disabled structure with the brand and no CPUID.
	repeated := inventory.Socket{Populated: collecttest.Known(true), Brand: collecttest.Known("Intel Pentium(R) 4")}
	twice := &inventory.System{Sockets: append(collecttest.Sockets(1, Intel, 15, 2, 7, "Intel Pentium(R) 4"), repeated)}
	f = Recognise(twice, rules.FS)
	require.True(t, f.Known(), f.Reason)
	assert.Equal(t, "intel-fsb", f.Value.ID)
	f = Recognise(&inventory.System{Sockets: []inventory.Socket{silent}}, rules.FS)
	assert.Equal(t, "neither CPUID nor brand string of the processor is known", f.Reason)
}

// TestRecogniseBySeries checks HP's G5 and Dell's Precision T7400, which print no brand string and the family "Xeon"
// (linuxhw/DMI, DL380 G5 1BCCA824D53F). The consequences of a front-side bus apply to every Xeon with the CPUID, but
// not to a Core 2 with it.
func TestRecogniseBySeries(t *testing.T) {
	sys := &inventory.System{Sockets: collecttest.Sockets(2, Intel, 6, 23, 10, "Not Specified"), Slots: []inventory.Slot{{State: inventory.SlotPopulated, Type: collecttest.Known("DDR2 FB-DIMM")}}}
	assert.Equal(t, "the CPUID belongs to bensley or intel-fsb or xeon-fsb and the brand string does not decide", Recognise(sys, rules.FS).Reason)
	for i := range sys.Sockets {
		sys.Sockets[i].Series = collecttest.Known("Xeon")
	}
	f := Recognise(sys, rules.FS)
	require.True(t, f.Known(), f.Reason)
	assert.Equal(t, "xeon-fsb", f.Value.ID)
	assert.Equal(t, fact.Indirect, f.Certainty)
	for i := range sys.Sockets {
		sys.Sockets[i].Series = collecttest.Known("Core 2")
	}
	assert.False(t, Recognise(sys, rules.FS).Known())
}

func TestRecogniseContradiction(t *testing.T) {
	f := Recognise(&inventory.System{Sockets: append(collecttest.Sockets(1, Intel, 6, 85, 7, "Intel(R) Xeon(R) Gold 6252N CPU @ 2.30GHz"),
		collecttest.Sockets(1, AMD, 23, 49, 0, "AMD EPYC 7742 64-Core Processor")...)}, rules.FS)
	assert.Equal(t, fact.Conflicting, f.State)
	assert.Equal(t, "the processors belong to two platforms, cascade-lake-sp and rome", f.Reason)
}

// TestRecogniseDifferentProcessors checks that a processor for which firmware gives only the brand differs if the brand
// does.
func TestRecogniseDifferentProcessors(t *testing.T) {
	other := inventory.Socket{Populated: collecttest.Known(true), Brand: collecttest.Known("AMD EPYC 7742 64-Core Processor")}
	f := Recognise(&inventory.System{Sockets: append(collecttest.Sockets(1, Intel, 6, 45, 7, "Intel(R) Xeon(R) CPU E5-2670 0 @ 2.60GHz"), other)}, rules.FS)
	assert.Equal(t, "the processors belong to two platforms, sandybridge-ep and rome", f.Reason)
}

// TestHowSureAPlatformIs checks that a CPUID without a document is indirect and unverified, unless the brand or the
// product decided, and that the only candidate is indirect.
func TestHowSureAPlatformIs(t *testing.T) {
	k := site(map[string]string{"platforms/known.yaml": "id: known\n" + siteRecognised, "platforms/guess.yaml": "id: guess\nverified: false\n" + siteRecognised})
	for _, c := range []struct {
		id, by     string
		verified   bool
		certainty  fact.Certainty
		unverified bool
	}{
		{"known", "cpuid", true, fact.Direct, false}, {"known", "brand", true, fact.Direct, false},
		{"known", "cpuid", false, fact.Indirect, true}, {"known", "brand", false, fact.Direct, false}, {"known", "product", false, fact.Indirect, false},
		{"known", "candidate", true, fact.Indirect, false}, {"guess", "cpuid", true, fact.Direct, false}, {"guess", "cpuid", false, fact.Indirect, true},
	} {
		f := loadRecognised(k, platformMatch{row: &IndexRow{ID: c.id, Verified: c.verified}, by: c.by}, "", fact.Evidence{})
		assert.Equal(t, []any{c.certainty, c.unverified}, []any{f.Certainty, f.Unverified}, "%+v", c)
		assert.Equal(t, c.by, f.Value.Recognised)
	}
}

// TestRecogniseWithoutOneBrand checks that a processor of which firmware gives only the CPUID is what another with the
// same CPUID is, and of no other.
func TestRecogniseWithoutOneBrand(t *testing.T) {
	sockets := collecttest.Sockets(2, Intel, 6, 85, 7, "Intel(R) Xeon(R) Silver 4210 CPU @ 2.20GHz")
	sockets[0].Brand = fact.Fact[string]{State: fact.Unstated}
	f := Recognise(&inventory.System{Sockets: sockets}, rules.FS)
	require.True(t, f.Known(), f.Reason)
	assert.Equal(t, "cascade-lake-sp", f.Value.ID)
	assert.False(t, f.Unverified)
	sockets[0].Stepping = collecttest.Known(4)
	f = Recognise(&inventory.System{Sockets: sockets}, rules.FS)
	assert.False(t, f.Known() && !f.Unverified && f.Certainty == fact.Direct)
}
