package topology

import (
	"testing"

	"github.com/memaudit/memaudit/internal/fact"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/memaudit/memaudit/internal/inventory"
	"github.com/memaudit/memaudit/rules"
)

// TestRecogniseNeighbours are processors that share a CPUID with a platform's.
func TestRecogniseNeighbours(t *testing.T) {
	tests := []struct {
		vendor                  string
		family, model, stepping int
		brand                   string
		want                    string // id, or "" when it must not be recognised
		by                      string
	}{
		{vendorIntel, 6, 85, 4, "Intel(R) Xeon(R) Gold 6138 CPU @ 2.00GHz", "skylake-sp", "cpuid"},
		{vendorIntel, 6, 85, 4, "Intel(R) Xeon(R) W-3175X CPU @ 3.10GHz", "skylake-sp", "cpuid"},
		{vendorIntel, 6, 85, 4, "Intel(R) Xeon(R) W-2145 CPU @ 3.70GHz", "", ""},
		{vendorIntel, 6, 85, 4, "Intel(R) Xeon(R) D-2146NT CPU @ 2.30GHz", "", ""},
		{vendorIntel, 6, 85, 4, "Intel(R) Core(TM) i9-7900X CPU @ 3.30GHz", "", ""},
		{vendorIntel, 6, 85, 7, "Intel(R) Xeon(R) W-2295 CPU @ 3.00GHz", "", ""},
		{vendorIntel, 6, 85, 7, "Intel(R) Xeon(R) Silver 4210R CPU @ 2.40GHz", "cascade-lake-sp", "cpuid"},
		{vendorIntel, 6, 85, 7, "Intel(R) Xeon(R) Platinum 9242 CPU @ 2.30GHz", "cascade-lake-ap", "brand"},
		{vendorIntel, 6, 85, 11, "Intel(R) Xeon(R) Platinum 8380H CPU @ 2.90GHz", "cooper-lake", "cpuid"},
		{vendorIntel, 6, 106, 6, "Intel(R) Xeon(R) Platinum 8380 CPU @ 2.30GHz", "ice-lake-sp", "cpuid"},
		{vendorIntel, 6, 143, 8, "Intel(R) Xeon(R) w9-3495X", "sapphire-rapids", "cpuid"},
		{vendorIntel, 6, 143, 8, "Intel(R) Xeon(R) w5-2465X", "", ""},
		{vendorIntel, 6, 143, 8, "Intel(R) Xeon(R) CPU Max 9480", "sapphire-rapids-max", "brand"},
		{vendorIntel, 6, 207, 2, "Intel(R) Xeon(R) Gold 6526Y", "emerald-rapids", "cpuid"},
		{vendorIntel, 6, 173, 1, "Intel(R) Xeon(R) 6980P", "granite-rapids-ap", "cpuid"},
		{vendorIntel, 6, 173, 1, "Intel(R) Xeon(R) 6787P", "granite-rapids-sp", "brand"},
		{vendorIntel, 6, 174, 1, "Intel(R) Xeon(R) 6726P-B", "granite-rapids-d", "brand"},
		{vendorIntel, 6, 175, 3, "Intel(R) Xeon(R) 6710E", "sierra-forest", "brand"},
		{vendorIntel, 6, 45, 7, "Intel(R) Xeon(R) CPU E5-2430 0 @ 2.20GHz", "sandybridge-en", "cpuid"},
		{vendorIntel, 6, 45, 7, "Intel(R) Xeon(R) CPU E5-2670 0 @ 2.60GHz", "sandybridge-ep", "cpuid"},
		{vendorIntel, 6, 45, 7, "Intel(R) Core(TM) i7-3930K CPU @ 3.20GHz", "", ""},
		{vendorIntel, 6, 62, 4, "Intel(R) Xeon(R) CPU E5-2430 v2 @ 2.50GHz", "sandybridge-en", "cpuid"},
		{vendorIntel, 6, 62, 4, "Intel(R) Xeon(R) CPU E5-2680 v2 @ 2.80GHz", "ivybridge-ep", "cpuid"},
		{vendorIntel, 6, 62, 7, "Intel(R) Xeon(R) CPU E7-4890 v2 @ 2.80GHz", "ivybridge-ex", "cpuid"},
		{vendorIntel, 6, 63, 2, "Intel(R) Xeon(R) CPU E5-2680 v3 @ 2.50GHz", "haswell-ep", "cpuid"},
		{vendorIntel, 6, 63, 4, "Intel(R) Xeon(R) CPU E7-8880 v3 @ 2.30GHz", "haswell-ex", "brand"},
		{vendorIntel, 6, 79, 1, "Intel(R) Xeon(R) CPU E5-2699A v4 @ 2.40GHz", "broadwell-ep", "cpuid"},
		{vendorIntel, 6, 79, 1, "Intel(R) Xeon(R) CPU E7-8890 v4 @ 2.20GHz", "broadwell-ex", "brand"},
		{vendorIntel, 6, 86, 3, "Intel(R) Xeon(R) CPU D-1541 @ 2.10GHz", "", ""},
		{vendorIntel, 6, 26, 5, "Intel(R) Xeon(R) CPU           E5520  @ 2.27GHz", "nehalem-ep", "cpuid"},
		{vendorIntel, 6, 26, 5, "Intel(R) Core(TM) i7 CPU         920  @ 2.67GHz", "", ""},
		{vendorIntel, 6, 26, 5, "Intel(R) Xeon(R) CPU           E", "nehalem-ep", "cpuid"},
		{vendorIntel, 6, 44, 2, "Intel(R) Xeon(R) CPU           X5670  @ 2.93GHz", "westmere-ep", "cpuid"},
		{vendorIntel, 6, 44, 2, "Intel(R) Xeon(R) CPU           W3690  @ 3.47GHz", "", ""},
		{vendorIntel, 6, 46, 6, "Not Specified", "nehalem-ex", "cpuid"},
		{vendorIntel, 6, 47, 2, "Intel(R) Xeon(R) CPU E7- 4860  @ 2.27GHz", "westmere-ex", "cpuid"},
		{vendorIntel, 6, 23, 10, "Intel(R) Xeon(R) CPU           E5440  @ 2.83GHz", "xeon-fsb", "cpuid"}, // no FB-DIMM: another chipset
		{vendorIntel, 6, 29, 1, "Intel(R) Xeon(R) CPU           X7460  @ 2.66GHz", "xeon-fsb", "cpuid"},
		{vendorIntel, 6, 158, 10, "Intel(R) Xeon(R) E-2236 CPU @ 3.40GHz", "", ""},
		{vendorIntel, 15, 65, 2, "Dual-Core AMD Opteron(tm) Processor 2220", "", ""}, // a vendor that contradicts the brand
		{vendorAMD, 15, 65, 2, "Dual-Core AMD Opteron(tm) Processor 2220", "opteron-socket-f", "cpuid"},
		{vendorAMD, 15, 5, 10, "AMD Opteron(tm) Processor 248", "opteron-939-940", "brand"},
		{vendorAMD, 16, 8, 0, "Six-Core AMD Opteron(tm) Processor 8435", "opteron-socket-f", "cpuid"},
		{vendorAMD, 16, 8, 1, "AMD Opteron(tm) Processor 4174 HE", "", ""},
		{vendorAMD, 16, 4, 2, "AMD Phenom(tm) II X4 965 Processor", "", ""},
		{vendorAMD, 16, 9, 1, "AMD Opteron(tm) Processor 6176", "opteron-g34", "cpuid"},
		{vendorAMD, 21, 1, 2, "AMD Opteron(TM) Processor 6276", "opteron-g34", "cpuid"},
		{vendorAMD, 21, 1, 2, "AMD Opteron(tm) Processor 4276 HE", "", ""},
		{vendorAMD, 21, 2, 0, "AMD FX(tm)-6300 Six-Core Processor", "", ""},
		{vendorAMD, 23, 1, 2, "AMD EPYC 7551P 32-Core Processor", "naples", "cpuid"},
		{vendorAMD, 23, 1, 2, "AMD EPYC 3251 8-Core Processor", "", ""},
		{vendorAMD, 23, 1, 1, "AMD Ryzen 7 1800X Eight-Core Processor", "", ""},
		{vendorAMD, 23, 49, 0, "AMD EPYC 7K62 48-Core Processor", "rome", "cpuid"},
		{vendorAMD, 23, 49, 0, "AMD Ryzen Threadripper 3990X 64-Core Processor", "", ""},
		{vendorAMD, 25, 1, 1, "AMD EPYC 75F3 32-Core Processor", "milan", "cpuid"},
		{vendorAMD, 25, 1, 2, "AMD EPYC 7773X 64-Core Processor", "milan", "cpuid"},
		{vendorAMD, 25, 17, 1, "AMD EPYC 9654 96-Core Processor", "genoa", "cpuid"},
		{vendorAMD, 25, 160, 2, "AMD EPYC 9754 128-Core Processor", "genoa", "brand"},
		{vendorAMD, 25, 160, 2, "AMD EPYC 8534P 64-Core Processor", "siena", "brand"},
		{vendorAMD, 25, 97, 2, "AMD EPYC 4244P 6-Core Processor", "epyc-4004-4005", "brand"},
		{vendorAMD, 25, 97, 2, "AMD Ryzen 9 7950X 16-Core Processor", "", ""},
		{vendorAMD, 26, 2, 1, "AMD EPYC 9755 128-Core Processor", "turin", "brand"},
		{"ARM", -1, -1, -1, "Ampere(R) Altra(R) Processor", "ampere-altra", "brand"},
		{"ARM", -1, -1, -1, "FT-2000/4", "", ""},
	}
	for _, tt := range tests {
		m := newTestMachine(2, tt.vendor, tt.family, tt.model, tt.stepping, tt.brand)
		for i := range m.sys.Sockets {
			if tt.family < 0 {
				s := &m.sys.Sockets[i]
				s.Family, s.Model, s.Stepping = fact.Fact[int]{}, fact.Fact[int]{}, fact.Fact[int]{}
			}
		}
		f := recognise(&m.sys, rules.FS)
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

// TestRecogniseByOneSource: brand without CPUID, CPUID without brand, the
// kernel's view alone.
func TestRecogniseByOneSource(t *testing.T) {
	sys := &inventory.System{Sockets: []inventory.Socket{{Populated: yes(true), Brand: yes("Intel(R) Xeon(R) Gold 6138 CPU @ 2.00GHz")}}}
	f := recognise(sys, rules.FS)
	assert.Equal(t, "skylake-sp", f.Value.ID)
	assert.Equal(t, "brand", f.Value.Recognised)

	sys = &inventory.System{Sockets: []inventory.Socket{{Populated: yes(true), Vendor: yes(vendorIntel), Family: yes(6), Model: yes(85), Stepping: yes(7)}}}
	f = recognise(sys, rules.FS)
	assert.Equal(t, "the CPUID belongs to cascade-lake-sp and the brand string does not decide", f.Reason)

	sys.CPU.Brand = yes("Intel(R) Xeon(R) Gold 6252N CPU @ 2.30GHz")
	assert.Equal(t, "cascade-lake-sp", recognise(sys, rules.FS).Value.ID)

	sys = &inventory.System{CPU: inventory.CPU{Vendor: yes(vendorAMD), Family: yes(23), Model: yes(49), Stepping: yes(0), Brand: yes("AMD EPYC 7742 64-Core Processor")}}
	assert.Equal(t, "rome", recognise(sys, rules.FS).Value.ID)

	sys.Machine.Virtual = yes(true)
	assert.Equal(t, "a virtual machine shows no physical DIMM slots", recognise(sys, rules.FS).Reason)
}

func TestRecogniseContradiction(t *testing.T) {
	m := cascadeLake(2)
	m.sys.Sockets[1] = rome(1).sys.Sockets[0]
	f := recognise(&m.sys, rules.FS)
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

// TestRecogniseKunpeng: desktop parts are no eight-channel servers.
func TestRecogniseKunpeng(t *testing.T) {
	for brand, want := range map[string]string{
		"Kunpeng 920-4826": "kunpeng-920", "Kunpeng 920": "kunpeng-920",
		"HUAWEI Kunpeng920 3211K": "", "HUAWEI Kunpeng 920 2426SK": "",
	} {
		m := newTestMachine(1, "ARM", 8, 0xd01, 0, brand)
		p, _ := recognise(&m.sys, rules.FS).Get()
		if want == "" {
			assert.Nil(t, p, brand)
			continue
		}
		require.NotNil(t, p, brand)
		assert.Equal(t, want, p.ID)
	}
}
