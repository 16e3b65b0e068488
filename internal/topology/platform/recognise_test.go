package platform

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"memaudit.example/memaudit/internal/collect/collecttest"
	"memaudit.example/memaudit/internal/model/fact"
	"memaudit.example/memaudit/internal/model/inventory"
	"memaudit.example/memaudit/rules"
)

// TestRecogniseNeighbours has processors that share a CPUID with a platform's.
func TestRecogniseNeighbours(t *testing.T) {
	tests := []struct {
		vendor                  string
		family, model, stepping int
		brand                   string
		want                    string // id, or "" when it must not be recognised
		by                      string
	}{
		{Intel, 6, 85, 4, "Intel(R) Xeon(R) Gold 6138 CPU @ 2.00GHz", "skylake-sp", "cpuid"},
		{Intel, 6, 85, 4, "Intel(R) Xeon(R) W-3175X CPU @ 3.10GHz", "skylake-sp", "cpuid"},
		{Intel, 6, 85, 4, "Intel(R) Xeon(R) W-2145 CPU @ 3.70GHz", "xeon-w-2100-2200", "cpuid"},
		{Intel, 6, 85, 4, "Intel(R) Xeon(R) D-2146NT CPU @ 2.30GHz", "xeon-d-2100", "cpuid"},
		{Intel, 6, 85, 4, "Intel(R) Core(TM) i9-7900X CPU @ 3.30GHz", "intel-hedt-4ch", "cpuid"},
		{Intel, 6, 85, 7, "Intel(R) Xeon(R) W-2295 CPU @ 3.00GHz", "xeon-w-2100-2200", "brand"},
		{Intel, 6, 85, 7, "Intel(R) Xeon(R) Silver 4210R CPU @ 2.40GHz", "cascade-lake-sp", "cpuid"},
		{Intel, 6, 85, 7, "Intel(R) Xeon(R) Platinum 9242 CPU @ 2.30GHz", "cascade-lake-ap", "brand"},
		{Intel, 6, 85, 11, "Intel(R) Xeon(R) Platinum 8380H CPU @ 2.90GHz", "cooper-lake", "cpuid"},
		{Intel, 6, 106, 6, "Intel(R) Xeon(R) Platinum 8380 CPU @ 2.30GHz", "ice-lake-sp", "cpuid"},
		{Intel, 6, 143, 8, "Intel(R) Xeon(R) w9-3495X", "xeon-w-3400-3500", "brand"},
		{Intel, 6, 143, 8, "Intel(R) Xeon(R) w5-2465X", "xeon-w-2400-2500", "brand"},
		{Intel, 6, 143, 8, "Intel(R) Xeon(R) CPU Max 9480", "sapphire-rapids-max", "brand"},
		{Intel, 6, 207, 2, "INTEL(R) XEON(R) GOLD 6526Y", "emerald-rapids", "cpuid"},
		{Intel, 6, 207, 2, "INTEL(R) XEON(R) PLATINUM 8580", "emerald-rapids", "cpuid"},
		{"", -1, -1, -1, "INTEL(R) XEON(R) GOLD 6548Y+", "emerald-rapids", "brand"},
		{Intel, 6, 173, 1, "Intel(R) Xeon(R) 6980P", "granite-rapids-ap", "cpuid"},
		{Intel, 6, 173, 1, "Intel(R) Xeon(R) 6787P", "granite-rapids-sp", "cpuid"},
		{Intel, 6, 174, 1, "Intel(R) Xeon(R) 6726P-B", "granite-rapids-d", "brand"},
		{Intel, 6, 175, 3, "Intel(R) Xeon(R) 6710E", "sierra-forest", "cpuid"},
		{Intel, 6, 45, 7, "Intel(R) Xeon(R) CPU E5-2430 0 @ 2.20GHz", "sandybridge-en", "cpuid"},
		{Intel, 6, 45, 7, "Intel(R) Xeon(R) CPU E5-2670 0 @ 2.60GHz", "sandybridge-ep", "cpuid"},
		{Intel, 6, 45, 7, "Intel(R) Core(TM) i7-3930K CPU @ 3.20GHz", "intel-hedt-4ch", "brand"},
		{Intel, 6, 62, 4, "Intel(R) Xeon(R) CPU E5-2430 v2 @ 2.50GHz", "sandybridge-en", "cpuid"},
		{Intel, 6, 62, 4, "Intel(R) Xeon(R) CPU E5-2680 v2 @ 2.80GHz", "ivybridge-ep", "cpuid"},
		{Intel, 6, 62, 7, "Intel(R) Xeon(R) CPU E7-4890 v2 @ 2.80GHz", "ivybridge-ex", "cpuid"},
		{Intel, 6, 63, 2, "Intel(R) Xeon(R) CPU E5-2680 v3 @ 2.50GHz", "haswell-ep", "cpuid"},
		{Intel, 6, 63, 4, "Intel(R) Xeon(R) CPU E7-8880 v3 @ 2.30GHz", "haswell-ex", "brand"},
		{Intel, 6, 79, 1, "Intel(R) Xeon(R) CPU E5-2699A v4 @ 2.40GHz", "broadwell-ep", "cpuid"},
		{Intel, 6, 79, 1, "Intel(R) Xeon(R) CPU E7-8890 v4 @ 2.20GHz", "broadwell-ex", "brand"},
		{Intel, 6, 86, 3, "Intel(R) Xeon(R) CPU D-1541 @ 2.10GHz", "xeon-d-1500", "cpuid"},
		{Intel, 6, 26, 5, "Intel(R) Xeon(R) CPU           E5520  @ 2.27GHz", "nehalem-ep", "cpuid"},
		{Intel, 6, 26, 5, "Intel(R) Core(TM) i7 CPU         920  @ 2.67GHz", "intel-3ch-no-brand", "cpuid"},
		{Intel, 6, 26, 5, "Intel(R) Xeon(R) CPU           E", "nehalem-ep", "cpuid"},
		{Intel, 6, 44, 2, "Intel(R) Xeon(R) CPU           X5670  @ 2.93GHz", "westmere-ep", "cpuid"},
		{Intel, 6, 44, 2, "Intel(R) Xeon(R) CPU           W3690  @ 3.47GHz", "nehalem-ws", "cpuid"},
		{Intel, 6, 46, 6, "Not Specified", "nehalem-ex", "cpuid"},
		{Intel, 6, 47, 2, "Intel(R) Xeon(R) CPU E7- 4860  @ 2.27GHz", "westmere-ex", "cpuid"},
		{Intel, 6, 23, 10, "Intel(R) Xeon(R) CPU           E5440  @ 2.83GHz", "xeon-fsb", "cpuid"}, // no FB-DIMM: another chipset
		{Intel, 6, 29, 1, "Intel(R) Xeon(R) CPU           X7460  @ 2.66GHz", "xeon-fsb", "cpuid"},
		{Intel, 6, 158, 10, "Intel(R) Xeon(R) E-2236 CPU @ 3.40GHz", "xeon-e-2100-2200", "cpuid"},
		{Intel, 15, 65, 2, "Dual-Core AMD Opteron(tm) Processor 2220", "", ""}, // a vendor that contradicts the brand
		{AMD, 15, 65, 2, "Dual-Core AMD Opteron(tm) Processor 2220", "opteron-socket-f", "cpuid"},
		{AMD, 15, 5, 10, "AMD Opteron(tm) Processor 248", "opteron-939-940", "brand"},
		{AMD, 16, 8, 0, "Six-Core AMD Opteron(tm) Processor 8435", "opteron-socket-f", "cpuid"},
		{AMD, 16, 8, 1, "AMD Opteron(tm) Processor 4174 HE", "opteron-c32", "cpuid"},
		{AMD, 16, 4, 2, "AMD Phenom(tm) II X4 965 Processor", "amd-k10", "cpuid"},
		{AMD, 16, 6, 3, "AMD Athlon(tm) II X2 245 Processor", "amd-k10", "cpuid"},
		{"", -1, -1, -1, "AMD Athlon(tm) II X2 245 Processor", "amd-k10", "brand"},
		{AMD, 15, 47, 2, "AMD Athlon(tm) 64 Processor 3200+", "amd-k8", "cpuid"},
		{AMD, 15, 104, 2, "AMD Turion(tm) 64 X2 Mobile TL60", "amd-k8", "cpuid"},
		{AMD, 21, 48, 1, "AMD A10-7850K APU with Radeon(TM) R7 Graphics", "amd-family-15h", "cpuid"},
		{AMD, 20, 2, 0, "AMD E-300 APU with Radeon(tm) HD Graphics", "amd-1ch", "cpuid"},
		{AMD, 22, 0, 1, "AMD Athlon(tm) 5350 APU with Radeon(tm) R3", "amd-1ch", "cpuid"},
		{AMD, 25, 68, 1, "AMD Ryzen 7 6800H with Radeon Graphics", "ryzen-mobile", "cpuid"},
		{AMD, 25, 68, 1, "AMD Ryzen 7 7735HS with Radeon Graphics", "ryzen-mobile", "cpuid"},
		{AMD, 23, 24, 1, "AMD Athlon Silver 3050U with Radeon Graphics", "amd-zen-apu", "cpuid"},
		{AMD, 23, 1, 1, "AMD Ryzen Threadripper 1900X 8-Core Processor", "threadripper-ddr4", "cpuid"},
		{AMD, 23, 8, 2, "AMD Ryzen Threadripper 2990WX 32-Core Processor", "threadripper-2000wx", "cpuid"},
		{Intel, 6, 69, 1, "Intel(R) Core(TM) i5-4210U CPU @ 1.70GHz", "intel-mobile-2ch", "cpuid"},
		{Intel, 6, 142, 10, "Intel(R) Core(TM) i7-8650U CPU @ 1.90GHz", "intel-mobile-2ch", "cpuid"},
		{Intel, 6, 140, 1, "11th Gen Intel(R) Core(TM) i7-1165G7 @ 2.80GHz", "intel-mobile-2ch", "cpuid"},
		{Intel, 6, 170, 4, "Intel(R) Core(TM) Ultra 7 165H", "intel-core-ultra", "cpuid"},
		{Intel, 6, 191, 5, "Intel(R) Core(TM) i3-14100", "intel-desktop-2ch", "cpuid"},
		{Intel, 6, 190, 0, "Intel(R) N100", "intel-atom", "cpuid"},
		{Intel, 6, 122, 8, "Intel(R) Celeron(R) N4020 CPU @ 1.10GHz", "intel-atom", "cpuid"},
		{Intel, 6, 28, 2, "Intel(R) Atom(TM) CPU N270   @ 1.60GHz", "intel-fsb", "cpuid"},
		{Intel, 6, 28, 10, "Intel(R) Atom(TM) CPU D425   @ 1.80GHz", "intel-atom", "cpuid"},
		{Intel, 6, 23, 10, "Intel(R) Core(TM)2 Quad CPU    Q9550  @ 2.83GHz", "intel-fsb", "cpuid"},
		{Intel, 6, 23, 10, "Pentium(R) Dual-Core  CPU      E5700  @ 3.00GHz", "intel-fsb", "cpuid"},
		{Intel, 15, 6, 4, "Intel(R) Pentium(R) D CPU 2.80GHz", "intel-fsb", "cpuid"},
		{Intel, -1, -1, -1, "Intel(R) Core(TM) i5-6500 CPU @ 3.20GHz", "intel-desktop-2ch", "brand"},
		{Intel, -1, -1, -1, "Intel(R) Core(TM) i5-8250U CPU @ 1.60GHz", "intel-mobile-2ch", "brand"},
		{Intel, -1, -1, -1, "Intel(R) Core(TM) i7-4800MQ CPU @ 2.70GHz", "intel-desktop-2ch", "brand"},
		{Intel, -1, -1, -1, "Intel(R) Pentium(R) CPU G3260 @ 3.30GHz", "intel-desktop-2ch", "brand"},
		{Intel, -1, -1, -1, "Intel(R) Pentium(R) CPU        G6950  @ 2.80GHz", "", ""}, // a Clarkdale
		{Intel, -1, -1, -1, "12th Gen Intel(R) Core(TM) i5-1235U", "intel-desktop-2ch", "brand"},
		{Intel, -1, -1, -1, "Intel(R) Core(TM) i5 CPU         660  @ 3.33GHz", "clarkdale", "brand"},
		{Intel, -1, -1, -1, "11th Gen Intel(R) Core(TM) i7-11800H @ 2.30GHz", "intel-mobile-2ch", "brand"},
		{Intel, -1, -1, -1, "Intel(R) Celeron(R) N4000 CPU @ 1.10GHz", "intel-atom", "brand"},
		{AMD, -1, -1, -1, "AMD E-300 APU with Radeon(tm) HD Graphics", "amd-1ch", "brand"},
		{Intel, -1, -1, -1, "Intel(R) Xeon(R) CPU           E", "", ""}, // Harpertown or Nehalem, cut short
		{Intel, -1, -1, -1, "Intel(R) Pentium(R) D CPU 2.80GHz", "intel-fsb", "brand"},
		{Intel, -1, -1, -1, "Intel(R) Xeon(TM) CPU 3.20GHz", "xeon-fsb", "brand"},
		{Intel, -1, -1, -1, "Intel(R) Core(TM) i7-5960X CPU @ 3.00GHz", "intel-hedt-4ch", "brand"},
		{Intel, 6, 158, 9, "Intel(R) Xeon(R) CPU E3-1505M v6 @ 3.00GHz", "xeon-e3-v6", "cpuid"},
		{"", -1, -1, -1, "Hygon C86 7185 32-core Processor", "hygon", "brand"},
		{"", -1, -1, -1, "ZHAOXIN KaiXian KX-6000G/4@3.0GHz", "zhaoxin", "brand"},
		{"ARM", -1, -1, -1, "Cavium ThunderX2(R) CPU CN9980 v2.2 @ 2.20GHz", "arm-server", "brand"},
		{Intel, 6, 158, 12, "Intel(R) Core(TM) i9-9900K CPU @ 3.60GHz", "intel-desktop-2ch", "cpuid"}, // no i9-9900X
		{Intel, 6, 85, 7, "Intel(R) Core(TM) i9-9900X CPU @ 3.50GHz", "intel-hedt-4ch", "cpuid"},
		{Intel, 6, 63, 2, "Intel(R) Core(TM) i7-5820K CPU @ 3.30GHz", "intel-hedt-4ch", "cpuid"},
		{AMD, 25, 80, 0, "AMD Ryzen 5 7530U with Radeon Graphics", "ryzen-mobile", "cpuid"},
		{AMD, 23, 160, 0, "AMD Ryzen 3 7320U with Radeon Graphics", "amd-zen-apu", "cpuid"},
		{AMD, 25, 97, 2, "AMD Ryzen 9 7945HX with Radeon Graphics", "ryzen-am5", "cpuid"},
		{AMD, 25, 117, 2, "AMD Ryzen 7 8700G w/ Radeon 780M Graphics", "ryzen-am5", "brand"},
		{"ARM", -1, -1, -1, "Phytium D3000", "phytium", "brand"},
		{AMD, 16, 9, 1, "AMD Opteron(tm) Processor 6176", "opteron-g34", "cpuid"},
		{Intel, 6, 42, 7, "Intel(R) Xeon(R) CPU E31230 @ 3.20GHz", "xeon-e3-v1", "cpuid"},
		{Intel, 6, 58, 9, "Intel(R) Xeon(R) CPU E3-1230 V2 @ 3.30GHz", "xeon-e3-v2", "cpuid"},
		{Intel, 6, 60, 3, "Intel(R) Xeon(R) CPU E3-1240 v3 @ 3.40GHz", "xeon-e3-v3", "cpuid"},
		{Intel, 6, 94, 3, "Intel(R) Xeon(R) CPU E3-1225 v5 @ 3.30GHz", "xeon-e3-v5", "cpuid"},
		{Intel, 6, 158, 9, "Intel(R) Xeon(R) CPU E3-1270 v6 @ 3.80GHz", "xeon-e3-v6", "cpuid"},
		{Intel, 6, 167, 1, "Intel(R) Xeon(R) E-2388G CPU @ 3.20GHz", "xeon-e-2300", "cpuid"},
		{Intel, 6, 183, 1, "Intel(R) Xeon(R) E E-2488", "xeon-e-2400", "cpuid"},
		{Intel, 6, 165, 5, "Intel(R) Xeon(R) W-1290P CPU @ 3.70GHz", "xeon-w-1200", "brand"},
		{Intel, 6, 85, 7, "Intel(R) Xeon(R) W-3245 CPU @ 3.20GHz", "xeon-w-3200", "brand"},
		{Intel, 6, 108, 1, "Intel(R) Xeon(R) D-2796TE CPU @ 2.00GHz", "xeon-d-2700", "cpuid"},
		{Intel, 6, 30, 5, "Intel(R) Xeon(R) CPU           X3430  @ 2.40GHz", "lynnfield", "cpuid"},
		{Intel, 6, 30, 4, "Intel(R) Xeon(R) CPU           C5549  @ 2.53GHz", "jasper-forest", "cpuid"},
		{Intel, 6, 37, 5, "Intel(R) Core(TM) i3 CPU         540  @ 3.07GHz", "clarkdale", "cpuid"},
		{Intel, 6, 158, 10, "Intel(R) Core(TM) i7-8700 CPU @ 3.20GHz", "intel-desktop-2ch", "cpuid"},
		{Intel, 6, 77, 8, "Intel(R) Atom(TM) CPU  C2750  @ 2.40GHz", "atom-c2000", "cpuid"},
		{Intel, 6, 95, 1, "Intel(R) Atom(TM) CPU C3758 @ 2.20GHz", "atom-c3000", "cpuid"},
		{Intel, 6, 173, 1, "Intel(R) Xeon(R) 6975P-C", "granite-rapids-cloud", "brand"},
		{AMD, 11, 15, 15, "AMD Opteron(tm) X3216 APU", "opteron-x3000", "brand"},
		{AMD, 25, 33, 2, "AMD Ryzen 5 5600X 6-Core Processor", "ryzen-am4", "cpuid"},
		{AMD, 23, 49, 0, "AMD Ryzen Threadripper PRO 3995WX 64-Cores", "threadripper-pro-ddr4", "cpuid"},
		{"", -1, -1, -1, "Intel(R) Xeon(R) CPU E7- 4870  @ 2.40GHz", "westmere-ex", "brand"},
		{Intel, -1, -1, -1, "Intel(R) Xeon(R) CPU           X7560  @ 2.27GHz", "nehalem-ex", "brand"},
		{Intel, -1, -1, -1, "Intel(R) Xeon(R) CPU           X5460  @ 3.16GHz", "xeon-fsb", "brand"},
		{Intel, 6, 44, 2, "Intel(R) Xeon(R) CPU E7- 4870  @ 2.40GHz", "", ""}, // another generation's CPUID
		{AMD, 21, 1, 2, "AMD Opteron(TM) Processor 6276", "opteron-g34", "cpuid"},
		{AMD, 21, 1, 2, "AMD Opteron(tm) Processor 4276 HE", "opteron-c32", "cpuid"},
		{AMD, 21, 2, 0, "AMD FX(tm)-6300 Six-Core Processor", "amd-family-15h", "cpuid"},
		{AMD, 23, 1, 2, "AMD EPYC 7551P 32-Core Processor", "naples", "cpuid"},
		{AMD, 23, 1, 2, "AMD EPYC 3251 8-Core Processor", "epyc-3000", "cpuid"},
		{AMD, 23, 1, 1, "AMD Ryzen 7 1800X Eight-Core Processor", "ryzen-am4", "brand"},
		{AMD, 23, 49, 0, "AMD EPYC 7K62 48-Core Processor", "rome", "cpuid"},
		{AMD, 23, 49, 0, "AMD Ryzen Threadripper 3990X 64-Core Processor", "threadripper-ddr4", "cpuid"},
		{AMD, 25, 1, 1, "AMD EPYC 75F3 32-Core Processor", "milan", "cpuid"},
		{AMD, 25, 1, 2, "AMD EPYC 7773X 64-Core Processor", "milan", "cpuid"},
		{AMD, 25, 17, 1, "AMD EPYC 9654 96-Core Processor", "genoa", "cpuid"},
		{AMD, 25, 160, 2, "AMD EPYC 9754 128-Core Processor", "genoa", "brand"},
		{AMD, 25, 160, 2, "AMD EPYC 8534P 64-Core Processor", "siena", "brand"},
		{AMD, 25, 97, 2, "AMD EPYC 4244P 6-Core Processor", "epyc-4004-4005", "cpuid"},
		{AMD, 25, 97, 2, "AMD Ryzen 9 7950X 16-Core Processor", "ryzen-am5", "cpuid"},
		{AMD, 26, 2, 1, "AMD EPYC 9755 128-Core Processor", "turin", "brand"},
		{"ARM", -1, -1, -1, "Ampere(R) Altra(R) Processor", "ampere-altra", "brand"},
		{"ARM", -1, -1, -1, "FT-2000/4", "phytium", "brand"},
		// engineering samples, by what takes two processors
		{Intel, 6, 85, 4, "Genuine Intel(R) CPU 0000%@", "skylake-sp", "candidate"},
		{Intel, 6, 85, 5, "Genuine Intel(R) CPU 0000%@", "cascade-lake-sp", "candidate"},
		{Intel, 6, 106, 4, "Genuine Intel(R) CPU 0000%@", "ice-lake-sp", "candidate"},
		{Intel, 6, 173, 0, "Genuine Intel(R) 0000%@", "", ""}, // -AP or -SP
		{AMD, 23, 49, 0, "AMD Eng Sample: 100-000000053-04_32/20_N", "rome", "candidate"},
	}
	for _, tt := range tests {
		sys := &inventory.System{Sockets: collecttest.Sockets(2, tt.vendor, tt.family, tt.model, tt.stepping, tt.brand)}
		for i := range sys.Sockets {
			if tt.family < 0 {
				s := &sys.Sockets[i]
				s.Family, s.Model, s.Stepping = fact.Fact[int]{}, fact.Fact[int]{}, fact.Fact[int]{}
			}
		}
		f := Recognise(sys, rules.FS)
		if tt.want == "" {
			assert.False(t, f.Known(), tt.brand)
			assert.NotEmpty(t, f.Reason)
			continue
		}
		if assert.True(t, f.Known(), "%s: %s", tt.brand, f.Reason) {
			assert.Equal(t, tt.want, f.Value.ID, tt.brand)
			assert.Equal(t, tt.by, f.Value.Recognised, tt.brand)
		}
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

// TestRecogniseByNumberOfProcessors checks that two processors decide if CPUID and an empty brand string match a
// platform of one socket and one of several.
func TestRecogniseByNumberOfProcessors(t *testing.T) {
	for sockets, want := range map[int]string{1: "", 2: "opteron-socket-f"} {
		f := Recognise(&inventory.System{Sockets: collecttest.Sockets(sockets, AMD, 16, 2, 3, "AMD")}, rules.FS)
		assert.Equal(t, want != "", f.Known(), f.Reason)
		if f.Known() {
			assert.Equal(t, want, f.Value.ID)
			assert.Equal(t, fact.Indirect, f.Certainty)
		}
	}
}

func TestRecogniseContradiction(t *testing.T) {
	f := Recognise(&inventory.System{Sockets: append(collecttest.Sockets(1, Intel, 6, 85, 7, "Intel(R) Xeon(R) Gold 6252N CPU @ 2.30GHz"),
		collecttest.Sockets(1, AMD, 23, 49, 0, "AMD EPYC 7742 64-Core Processor")...)}, rules.FS)
	assert.Equal(t, fact.Conflicting, f.State)
	assert.Equal(t, "the processors belong to two platforms, cascade-lake-sp and rome", f.Reason)
}

func TestParts(t *testing.T) {
	for brand, want := range map[string]int{"Intel(R) Xeon(R) 6780E": 8, "Intel(R) Xeon(R) 6980E": 12} {
		p, err := loadPlatform(rules.FS, "sierra-forest", brand)
		require.NoError(t, err)
		assert.Equal(t, want, p.ChannelsPerSocket)
		assert.Equal(t, want == 12, p.Unverified["channels_per_socket"])
	}
	p, err := loadPlatform(rules.FS, "opteron-g34", "AMD Opteron(tm) Processor 6276")
	require.NoError(t, err)
	assert.Empty(t, p.Speeds)
	_, err = loadPlatform(rules.FS, "no-such", "")
	require.ErrorContains(t, err, "read platform no-such")
}

// TestRecogniseKunpeng checks that desktop parts are not eight-channel servers.
func TestRecogniseKunpeng(t *testing.T) {
	for brand, want := range map[string]string{
		"Kunpeng 920-4826": "kunpeng-920", "Kunpeng 920": "kunpeng-920",
		"HUAWEI Kunpeng920 3211K": "kunpeng-920-small", "HUAWEI Kunpeng 920 2426SK": "kunpeng-920-small",
	} {
		p, _ := Recognise(&inventory.System{Sockets: collecttest.Sockets(1, "ARM", 8, 0xd01, 0, brand)}, rules.FS).Get()
		require.NotNil(t, p, brand)
		assert.Equal(t, want, p.ID)
	}
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
	k := site(map[string]string{"platforms/known.yaml": "id: known\n", "platforms/guess.yaml": "id: guess\nverified: false\n"})
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
