package place

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/memaudit/memaudit/internal/model/fact"
	"github.com/memaudit/memaudit/internal/tools/corpustest"
	"github.com/memaudit/memaudit/internal/topology/platform"
)

// ofChannels is a platform by its channels and controllers.
func ofChannels(channels, controllers int) *platform.Platform {
	return &platform.Platform{NUMA: true, ChannelsPerSocket: channels, Controllers: controllers, MaxDPC: 2}
}

// ruleOf reads a rule written as its columns: id, locators and banks (separated by bars), vendors, models (by commas), node, options.
func ruleOf(line string) LocatorRule {
	list := func(text, separator string) []string {
		if text == "" {
			return nil
		}
		return strings.Split(text, separator)
	}
	c := strings.Split(line, "\t")
	return LocatorRule{ID: c[0], Locators: list(c[1], "|"), Banks: list(c[2], "|"), Vendors: list(c[3], ","), Models: list(c[4], ","), Node: c[5], Options: list(c[6], ",")}
}

// resolved places slots by one pattern, given as a line of the compiled patterns,
// before anything is checked against the result.
func resolved(t *testing.T, line, sockets string, p *platform.Platform, words ...string) (string, []Placement) {
	t.Helper()
	rules := []LocatorRule{ruleOf(line)}
	sys := board("Example", "E1", sockets, words...)
	pl := newPlacer(sys, p)
	pl.matchLabels(rules)
	g := pl.group(&rules[0])
	require.NotNil(t, g, line)
	g.resolve(nil)
	for i := range pl.out {
		pl.out[i].Slot = Unplaced // not tested here
	}
	return seats(sys, pl.out), pl.out
}

// TestChannelsWithinNodes checks when the channel number is exact: if the channels seen on each controller are as
// many as it has, numbered per controller or over the processor. Otherwise it is the order of those seen, and at most
// indirect.
func TestChannelsWithinNodes(t *testing.T) {
	const byNode = "site\tS{_}\tP{p}_N{node}_C{chan}|P{p}_N{node}|P{p}\t\t\tcontroller\tbase0"
	for name, c := range map[string]struct {
		channels, controllers int
		sockets, slots, want  string
		certainty             fact.Certainty
	}{
		"counted anew":        {4, 2, "P", "S{1}@P0_N{0,1}_C{0,1}*", "0.0.0.- 0.0.1.- 0.1.2.- 0.1.3.-", fact.Corroborated},
		"on":                  {4, 2, "P", "S1@P0_N0_C{0,1}* S1@P0_N1_C{2,3}*", "0.0.0.- 0.0.1.- 0.1.2.- 0.1.3.-", fact.Corroborated},
		"more than fit":       {4, 2, "P", "S1@P0_N0_C{0,2}* S1@P0_N1_C0*", "0.0.0.- 0.0.1.- 0.1.2.-", fact.Indirect},
		"three of four":       {8, 4, "P", "S1@P0_N{0,1}_C0* S1@P0_N2_C1*", "0.-.0.- 0.-.1.- 0.-.2.-", fact.Indirect},
		"one for all":         {6, 2, "P", "S1@P0_N0_C{1,4}*", "0.0.1.- 0.1.4.-", fact.Corroborated},
		"one channel each":    {2, 2, "P", "S1@P0_N{0,1}_C0*", "0.0.0.- 0.1.1.-", fact.Corroborated},
		"two of one":          {4, 1, "P", "S1@P0_N0_C1* S1@P0_N1_C0*", "0.-.1.- 0.-.2.-", fact.Corroborated},
		"two of four":         {8, 4, "P", "S1@P0_N0_C3* S1@P0_N1_C0*", "0.-.3.- 0.-.4.-", fact.Corroborated},
		"unknown processor":   {0, 0, "P", "S1@P0_N0_C1* S1@P0_N1_C0*", "0.0.0.- 0.1.1.-", fact.Indirect},
		"over the machine":    {4, 2, "PP", "S1@P0_N{0,1}_C0* S1@P1_N{2,3}_C0*", "0.0.0.- 0.1.2.- 1.0.0.- 1.1.2.-", fact.Corroborated},
		"a bank of no number": {4, 2, "P", "S1@P0_N0_C2* S1@P0_N1*", "0.1.2.- 0.-.-.-", fact.Corroborated},
		"a bank of no node":   {4, 2, "PP", "S1@P0_N{0,1}_C0* S1@P1*", "0.0.0.- 0.1.2.- 1.-.-.-", fact.Corroborated},
	} {
		got, out := resolved(t, byNode, c.sockets, ofChannels(c.channels, c.controllers), c.slots)
		assert.Equal(t, c.want, got, name)
		assert.Equal(t, c.certainty, out[0].Certainty, name)
		assert.Equal(t, SourceBank, out[0].Source, name)
		for _, o := range out {
			assert.Equal(t, o.Channel == Unplaced, o.Reason == "the label names no channel", name)
		}
	}
}

// TestChannelsOfOtherPatterns checks a controller and a letter in the locator, and a node that is the processor with
// channels numbered from 1.
func TestChannelsOfOtherPatterns(t *testing.T) {
	const pair, node = "site\tP{cpu}_MC{ctl}_{L}\t\t\t\t\tpair", "site\tS{_}\tN{node}_C{chan}\t\t\tsocket\t"
	for name, c := range map[string]struct {
		line, slots, want string
		source            string
		certainty         fact.Certainty
	}{
		"one controller of two":  {pair, "P0_MC0_{A,C}*", "0.-.0.- 0.-.1.-", SourceLocator, fact.Indirect},
		"two controllers":        {pair, "P0_MC0_A* P0_MC1_B*", "0.0.0.- 0.1.3.-", SourceLocator, fact.Corroborated},
		"channels from 1":        {node, "S1@N1_C{1,2}*", "0.0.0.- 0.0.1.-", SourceBank, fact.Corroborated},
		"channels by the number": {"site\tCPU{cpu}_C{chan}\tSOCKET {p}\t\t\t\tbase0", "CPU0_C{0,3}@SOCKET~0*", "0.0.0.- 0.1.3.-", SourceLocator, fact.Corroborated},
	} {
		got, out := resolved(t, c.line, "P", ofChannels(4, 2), c.slots)
		assert.Equal(t, c.want, got, name)
		assert.Equal(t, c.source, out[0].Source, name)
		assert.Equal(t, c.certainty, out[0].Certainty, name)
	}
}

// TestSourceOfChannels checks that the label with the matching letter or number is the source, also for a site's
// rule.
func TestSourceOfChannels(t *testing.T) {
	for line, c := range map[string]struct{ slot, want string }{
		"site\tSLOT {slot}\tRow {L}\t\t\t\t":           {"SLOT~1@Row~A*", SourceBank},
		"site\tSLOT {L}{slot}\tRow {_}\t\t\t\t":        {"SLOT~A1@Row~1*", SourceLocator},
		"site\tSLOT {slot}\tRow {chan}\t\t\t\t":        {"SLOT~1@Row~1*", SourceBank},
		"site\tSLOT {slot}\tRow {chan:1}{_}\t\t\t\t":   {"SLOT~1@Row~11*", SourceBank},
		"site\tSLOT {chan:1}{slot:1}\tRow {_}\t\t\t\t": {"SLOT~11@Row~1*", SourceLocator},
	} {
		got, out := resolved(t, line, "P", ofChannels(4, 0), c.slot)
		assert.Equal(t, "0.-.0.-", got, line)
		assert.Equal(t, c.want, out[0].Source, line)
	}
}

// TestLettersThatDoNotFit checks letters that are not a consecutive range of the processor's channels: they are
// numbered by the bank's controllers, otherwise by their order. On an unknown platform they are used as they are,
// unless they may continue from another processor.
func TestLettersThatDoNotFit(t *testing.T) {
	for name, c := range map[string]placeCase{
		"by the controllers": {vendor: "Supermicro", product: "SYS-E300-9D", sockets: "P", platform: ofChannels(4, 2),
			slots: []string{"DIMMA1@P0_Node0_Channel0_Dimm0* DIMME1@P0_Node1_Channel1_Dimm0*"}, want: "0.0.0.0 0.1.3.0", certainty: fact.Corroborated},
		"nodes that say nothing": {vendor: "Lenovo", product: "HR630X", sockets: "P", platform: ofChannels(6, 2),
			slots: []string{"CPU1_DIMM_A1@_Node0_Channel0_Dimm0* CPU1_DIMM_H1@_Node0_Channel5_Dimm0*"}, want: "0.-.0.0 0.-.1.0", certainty: fact.Indirect},
		"as many as channels": {vendor: "Quanta", product: "unknown", sockets: "P", platform: ofChannels(4, 2),
			slots: []string{"CPU1_{A,B,D,E}1*"}, want: "0.0.0.0 0.0.1.0 0.1.2.0 0.1.3.0", certainty: fact.Corroborated},
		"platform unknown": {vendor: "Quanta", product: "unknown", sockets: "PP",
			slots: []string{"CPU1_{B,D}1* CPU2_{A,C}1*"}, want: "0.-.1.0 0.-.3.0 1.-.0.0 1.-.2.0", certainty: fact.Corroborated},
		"platform unknown, letters of the second alone": {vendor: "Quanta", product: "unknown", sockets: "PP",
			slots: []string{"CPU1_A1 CPU2_{F,H}1*"}, want: "1.-.0.0 1.-.1.0", certainty: fact.Indirect},
		"a board of four channels": {vendor: "FUJITSU", product: "PRIMERGY RX600 S6", sockets: "PPPP", platform: platEX,
			slots: []string{"DIMM-1{D,E}@CPU1-MEM-A*"}, want: "0.-.-.- 0.-.-.-", reason: "a memory board has channels A to D only"},
		"number of no processor": {vendor: "Lenovo", product: "ThinkSystem SR650 -[7X06CTO1WW]-", sockets: "PP", platform: plat6,
			slots: []string{"DIMM~5@CPU~1* DIMM~30@CPU~2*"}, want: "0.-.-.- 1.-.-.-", reason: "slot number 30 is not on slot map lenovo-sp-12"},
		"number of the other processor's own map": {vendor: "Dell Inc.", product: "PowerEdge R430", sockets: "PP", platform: plat4,
			slots: []string{"A5* B5*"}, want: "0.-.-.- 1.-.-.-", reason: "slot number 5 is not on slot map dell-13g-8-4"},
	} {
		t.Run(name, c.run)
	}
}

// TestLimitsOfPlatforms checks a platform of one module per channel, and a board that no map may place without all of
// its processors.
func TestLimitsOfPlatforms(t *testing.T) {
	one := ofChannels(4, 2)
	one.MaxDPC = 1
	for name, c := range map[string]placeCase{
		"one on a channel": {vendor: "Quanta", product: "unknown", sockets: "P", platform: one, slots: []string{"CPU1_{A..D}1*"}, want: "0.0.0.0 0.0.1.0 0.1.2.0 0.1.3.0"},
		"two on a channel": {vendor: "Quanta", product: "unknown", sockets: "P", platform: one, slots: []string{"CPU1_A{1,2}*"}, want: "0.-.-.- 0.-.-.-", reason: "more than 1 slots"},
		"board's maker":    {vendor: "Example", product: "E1", sockets: "P", platform: plat2, slots: []string{"DIMMA{1,2}*"}, want: "0.0.0.0 0.0.0.1"},
	} {
		t.Run(name, c.run)
	}
	sys := board("Example", "E1", "P", "DIMM1A@x*")
	out, _ := Slots(sys, plat2, corpustest.Rules(t))
	assert.Equal(t, "no known pattern reads this slot's label", out[0].Reason)
	sys.Machine.BoardVendor = known("Supermicro")
	out, _ = Slots(sys, plat2, corpustest.Rules(t))
	assert.Equal(t, "smc-single-digit", out[0].Rule, "the board's vendor, whoever sells the machine")
}
