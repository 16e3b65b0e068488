//go:build corpus

package partnumber_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"memaudit.example/memaudit/internal/model/ddr"
	"memaudit.example/memaudit/internal/source/smbios"
	"memaudit.example/memaudit/internal/tools/corpustest"
)

// agreement counts a field that both the part number and firmware state.
type agreement struct{ same, of int }

func (a *agreement) add(same bool) {
	a.of++
	if same {
		a.same++
	}
}

func (a agreement) share() float64 { return float64(a.same) / float64(max(a.of, 1)) }

// TestFirmwareAgrees compares the part numbers of real machines' modules with other fields, which firmware reads from
// other bytes of the SPD.
func TestFirmwareAgrees(t *testing.T) {
	table, rows, matched, filled := shipped(t), 0, 0, 0
	fields := map[string]*agreement{}
	at := func(name string) *agreement {
		if fields[name] == nil {
			fields[name] = &agreement{}
		}
		return fields[name]
	}
	corpustest.Texts(t, func(_ string, text []byte) {
		parsed, err := smbios.Parse(text)
		if err != nil {
			return
		}
		for d := range parsed.EachMemoryDevice() {
			number := d.PartNumber.Or("")
			if !d.Installed.Or(false) || number == "" {
				continue
			}
			rows++
			m, ok := table.Decode(number)
			if !ok {
				continue
			}
			matched++
			maker, _, _ := strings.Cut(m.Pattern, "-")
			if size, ok := d.Size.Get(); ok && m.SizeBytes > 0 {
				at("size").add(size == m.SizeBytes)
				at("size " + maker).add(size == m.SizeBytes)
			}
			if typ := d.Type.Or(""); strings.HasPrefix(typ, "DDR") && len(typ) > 3 && m.Type != "" {
				at("type").add(strings.HasPrefix(typ, m.Type[:4]))
			}
			ranks, ok := d.Rank.Get()
			switch {
			case m.Ranks == 0:
			case ok:
				at("ranks").add(ranks == m.Ranks)
				at("ranks " + maker).add(ranks == m.Ranks)
				if m.Type == "DDR4" || m.Type == "DDR5" {
					at("ranks of DDR4 and DDR5").add(ranks == m.Ranks)
				}
			default:
				filled++
			}
			if registered, ok := m.Registered(); ok && d.Detail.Or(0)&(smbios.DetailRegistered|smbios.DetailUnbuffered|smbios.DetailLRDIMM) != 0 {
				at("registering").add(registered == (d.Detail.Or(0)&(smbios.DetailRegistered|smbios.DetailLRDIMM) != 0))
			}
			if speed, ok := d.Speed.Get(); ok && m.RatedMTs > 0 {
				at("speed").add(ddr.SameSpeed(ddr.Nominal(speed), ddr.Nominal(m.RatedMTs)))
				at("speed not above firmware's or firmware's below").add(speed <= m.RatedMTs+ddr.Tolerance)
			}
			total, stated := d.TotalWidth.Get()
			if _, width, ok := m.Widths(); ok && stated {
				at("total width").add(total == width)
			}
		}
	})
	for name, a := range fields {
		t.Logf("%-50s %5d of %5d  %.3f", name, a.same, a.of, a.share())
	}
	t.Logf("%d modules with a number, %d read, ranks of %d filled in", rows, matched, filled)
	assert.Greater(t, matched*100, rows*75, "modules whose number is read")
	assert.Greater(t, filled, 1000, "modules whose ranks are only in the part number")
	for name, least := range map[string]float64{"size": 0.99, "type": 0.995, "registering": 0.995, "ranks": 0.96, "ranks of DDR4 and DDR5": 0.99,
		"speed": 0.90, "size samsung": 0.999, "size micron": 0.999, "size hynix": 0.98, "size hpe": 0.99, "ranks samsung": 0.95, "ranks hynix": 0.95, "ranks micron": 0.95} {
		a := fields[name]
		if assert.NotNil(t, a, name) {
			assert.GreaterOrEqual(t, a.share(), least, "%s: %d of %d", name, a.same, a.of)
		}
	}
}
