package text

import (
	"bytes"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"memaudit.example/memaudit/internal/audit/verdict"
	"memaudit.example/memaudit/internal/model/fact"
	"memaudit.example/memaudit/internal/model/inventory"
	"memaudit.example/memaudit/internal/report"
	"memaudit.example/memaudit/internal/report/printable"
	"memaudit.example/memaudit/internal/tools/reporttest"
	"memaudit.example/memaudit/internal/topology/population"
)

// is is a known value.
func is[T any](v T) fact.Fact[T] { return fact.Known(v, fact.Direct, fact.Evidence{}) }

func slotOf(locator string, socket, channel, row int, gib int64) inventory.Slot {
	s := inventory.Slot{Handle: inventory.Handle(socket<<8 + channel<<4 + row), Locator: is(locator), State: inventory.SlotEmpty,
		Place: inventory.Place{Socket: &socket, Channel: &channel, Slot: &row}, Technology: is(inventory.DRAM)}
	if gib > 0 {
		s.State, s.SizeBytes = inventory.SlotPopulated, is(gib<<30)
	}
	return s
}

func partOf(o Options, part func(p *Page)) string {
	p := NewPage(o)
	part(p)
	return string(p.buf)
}

// pictureOf draws the memory of sockets with two channels of two slots, with the sizes in GiB by channel ("8+0 8+8")
// in each text, and a problem on the channels of the named sockets.
func pictureOf(width int, sockets []string, failed ...int) string {
	r := &report.Report{}
	for id, text := range sockets {
		name := "CPU" + strconv.Itoa(id+1)
		r.Inventory.Sockets = append(r.Inventory.Sockets, inventory.Socket{ID: id, Designation: is(name)})
		for channel, sizes := range strings.Fields(text) {
			for row, size := range strings.Split(sizes, "+") {
				gib, _ := strconv.Atoi(size)
				r.Inventory.Slots = append(r.Inventory.Slots, slotOf("DIMM_"+string(rune('A'+id))+strconv.Itoa(1+channel+2*row), id, channel, row, int64(gib)))
			}
		}
	}
	for _, id := range failed {
		r.Findings = append(r.Findings, verdict.Finding{Rule: "memory.channel.populated", Subject: inventory.SocketSubject(id), Result: "fail", Severity: "warning", Short: "channel 1 is empty"})
	}
	r.MakeVerdict(report.Criteria{})
	return partOf(Options{Width: width}, func(p *Page) { p.printMemory(r) })
}

// TestPicture checks that two sockets are next to each other, that more equal ones are drawn once and many different
// ones in a line each, and that the empty channel is marked at the end of its row.
func TestPicture(t *testing.T) {
	for _, c := range []struct {
		name    string
		width   int
		sockets []string
		failed  []int
		want    string
	}{
		{"two", 80, []string{"8+8 8+0", "8+8 0+0"}, []int{1}, `
             CPU1                 CPU2
channel 0    A1 8 GiB  A3 8 GiB   B1 8 GiB  B3 8 GiB
channel 1    A2 8 GiB  A4 -       B2 -      B4 -       <- CPU2 empty
`},
		{"narrow", 50, []string{"8+8 8+0", "8+8 0+0"}, []int{1}, `
             CPU1
channel 0    A1 8 GiB  A3 8 GiB
channel 1    A2 8 GiB  A4 -
             CPU2
channel 0    B1 8 GiB  B3 8 GiB
channel 1    B2 -      B4 -       <- empty
`},
		{"three alike", 80, []string{"8 0", "8 0", "8 0"}, []int{0, 1, 2}, `
             CPU1, CPU2 and CPU3 (alike; labels of CPU1)
channel 0    A1 8 GiB
channel 1    A2 -       <- empty
`},
		{"many that differ", 80, []string{"8 0", "16 0", "32 0", "64 0", "128+8 0"}, []int{0}, `
GiB/channel  0      1  bandwidth
CPU1         8      -  -
CPU2         16     -  -
CPU3         32     -  -
CPU4         64     -  -
CPU5         128+8  -  -
`},
	} {
		t.Run(c.name, func(t *testing.T) {
			assert.Equal(t, strings.TrimPrefix(c.want, "\n")+"\n", pictureOf(c.width, c.sockets, c.failed...))
		})
	}
}

// TestLayout checks that no line is wider than the page, nothing is cut, the counts add up, and each numbered problem
// has its rule at the right margin.
func TestLayout(t *testing.T) {
	for name, m := range reporttest.Inputs(t) {
		r := reporttest.Report(m)
		for _, width := range []int{60, 80, 160} {
			var b bytes.Buffer
			require.NoError(t, Write(&b, r, Options{Width: width, ExitStatus: true}))
			for line := range strings.Lines(b.String()) {
				assert.LessOrEqual(t, printable.Columns(strings.TrimSuffix(line, "\n")), width, "%s: %s", name, line)
			}
			assert.NotContains(t, b.String(), "(-v)\n\n", name)
			assert.NotContains(t, b.String(), " ...", name)
			for i := range r.Problems {
				if pr := &r.Problems[i]; pr.IsAboveNote() {
					assert.Regexp(t, `(?m) `+regexp.QuoteMeta(pr.Rule)+`$`, b.String(), name)
				}
			}
		}
		s := r.Summary
		counts, _ := CheckCounts(r)
		total := 0
		for _, n := range regexp.MustCompile(`(\d+) (?:checks? passed|failed|waived|not run)`).FindAllStringSubmatch(counts, -1) {
			count, err := strconv.Atoi(n[1])
			require.NoError(t, err)
			total += count
		}
		assert.Equal(t, s.Pass+s.Fail+s.Waived+s.Unknown+s.Error, total, name)
	}
}

// TestColour checks that on a terminal the wrong module and the empty channel are coloured.
func TestColour(t *testing.T) {
	r := reporttest.Report(reporttest.Bad(t))
	var b bytes.Buffer
	require.NoError(t, Write(&b, r, Options{Color: true}))
	assert.Contains(t, b.String(), wordStyles["WARNING"]+"B3")
}

// TestFiguresOfTheDocument checks that speed and bandwidth are the document's: its best, no best if the clock is not
// known, modules that run above their rating, and layouts whose interleaving is not documented.
func TestFiguresOfTheDocument(t *testing.T) {
	of := func(populated, running, expected int, peak, best int64, low, high float64, ways ...int) report.PopulationSocket {
		p := report.PopulationSocket{ChannelsTotal: is(8), ChannelsPopulated: is(populated), RunningMTs: is(running), ExpectedMTs: is(expected), Limiter: "dimm",
			PeakBytes: is(peak), BestBytes: is(best), Relative: population.Relative{Low: &low, High: &high}}
		for _, n := range ways {
			p.Regions = append(p.Regions, population.Region{Bytes: 1, Ways: n})
		}
		if best == 0 {
			p.BestBytes = fact.Fact[int64]{}
		}
		return p
	}
	for want, pop := range map[string]report.PopulationSocket{
		"8 of 8 channels, 2933 MT/s (the DIMMs' limit)\n187.7 of 204.8 GB/s (estimate)":                                  of(8, 2933, 2933, 187_712_000_000, 204_800_000_000, .91656, .91656, 8),
		"8 of 8 channels, 2133 MT/s (the DIMMs' limit)\n136.5 GB/s, all channels (the CPU's highest speed is not known)": of(8, 2133, 2133, 136_512_000_000, 0, 1, 1, 8),
		"3 of 8 channels, 2133 MT/s (the DIMMs' limit)\n51.2 GB/s, 38 % by channels (estimate)":                          of(3, 2133, 2133, 51_192_000_000, 0, .375, .375, 3),
		"8 of 8 channels, 4267 MT/s, above 2400 (the DIMMs' limit)\n273.1 GB/s per CPU, above its rated 204.8 GB/s":      of(8, 4267, 2400, 273_088_000_000, 204_800_000_000, 1, 1, 8),
		"6 of 8 channels, 2666 of 3200 MT/s\nat most 128.0 of 204.8 GB/s (estimate)":                                     of(6, 2667, 3200, 128_016_000_000, 204_800_000_000, .1042, .6251),
		"5 of 8 channels, 3200 MT/s (the DIMMs' limit)\n12-50 % of 204.8 GB/s (estimate)":                                of(5, 3200, 3200, 128_000_000_000, 204_800_000_000, .125, .5, 4, 1),
	} {
		r := &report.Report{Inventory: report.Inventory{Population: report.Population{Sockets: []report.PopulationSocket{pop}}}}
		assert.Equal(t, want, NewBoard(r).MemoryLines(report.NoSocket))
	}
}

// TestEmptySlotsWithoutChannel checks that many empty slots whose channel is not known are counted, and few are named.
func TestEmptySlotsWithoutChannel(t *testing.T) {
	of := func(empty int) string {
		inv := &report.Inventory{}
		for i := range empty + 1 {
			s := slotOf("DIMM_"+strconv.Itoa(i), 0, 0, 0, int64(16*(1-min(i, 1))))
			s.Channel = nil
			inv.Slots = append(inv.Slots, s)
		}
		return partOf(Options{Width: 80}, func(p *Page) { p.printUnplaced(inv) })
	}
	assert.Contains(t, of(2), "DIMM_0 16 GiB, DIMM_1 -, DIMM_2 -")
	assert.Contains(t, of(27), "DIMM_0 16 GiB, 27 empty slots")
}
