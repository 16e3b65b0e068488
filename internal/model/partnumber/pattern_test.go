package partnumber

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestNormal checks that changes made by firmware and labels are undone only if the form of the number shows them.
func TestNormal(t *testing.T) {
	for number, want := range map[string]string{
		"0x4D333933": "M393", "0x4D3339": "0X4D3339", "4D333933": "4D333933", "0x4D33393z": "0X4D33393Z",
		"M3 93T5660QZA-CE6": "M393T5660QZA-CE6",
		"MTA9ASF1G72PZ":     "9ASF1G72PZ", "MT18JSF": "18JSF", "HP 752369-081": "752369-081", "HPE P00924-B21": "P00924-B21", "HPP00924-B21": "P00924-B21",
		"HP": "HP", "HPE": "HPE", "MTASF": "MTASF", "HPA752369-081": "HPA752369-081", "HP 7523-081": "HP 7523-081", "MT9": "MT9",
	} {
		assert.Equal(t, want, normal(number), number)
	}
}

// TestModuleSizes checks that 512 MiB, 1 GiB and 1 TiB are module sizes, and zero is not.
func TestModuleSizes(t *testing.T) {
	for gib, want := range map[float64]bool{0.5: true, 1: true, 24: true, 1024: true, 1024.5: false, 1025: false, 1536: false, 2048: false, 0: false, -1: false, 17: false, math.Inf(1): false, math.Inf(-1): false, math.NaN(): false, -0.5: false, 0.75: true} {
		assert.Equal(t, want, moduleSize(gib), gib)
	}
}

// TestRanksOfDevices checks that a rank is 64 bits wide, and that the ranks are unknown if densities give different
// results, or without density or width.
func TestRanksOfDevices(t *testing.T) {
	p := &pattern{RanksAllowed: map[string][]int{"RDIMM": {1, 2, 4}}}
	for _, c := range []struct {
		dies  *[]float64
		width int
		want  int
	}{
		{&[]float64{8}, 4, 1}, {&[]float64{4}, 4, 2}, {&[]float64{8, 8}, 4, 1}, {&[]float64{8, 4}, 4, 0}, {&[]float64{3}, 4, 0}, {nil, 4, 0}, {&[]float64{8}, 0, 0}, {&[]float64{0}, 0, 0}, {&[]float64{2}, 1, 1},
	} {
		assert.Equal(t, c.want, p.ranks(&values{SizeGB: 16, Type: "RDIMM", Width: c.width, Dies: c.dies}), c)
	}
}
