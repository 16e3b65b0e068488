package baseline

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/memaudit/memaudit/internal/fact"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/memaudit/memaudit/internal/inventory"
)

func known[T any](v T) fact.Fact[T] {
	return fact.Known(v, fact.Direct, fact.Evidence{})
}

// system is a server with four slots, of which two hold a module.
func system() *inventory.System {
	sys := &inventory.System{
		Machine: inventory.Machine{Vendor: known("Maker"), Product: known("P1"), BIOSVersion: known("1.0"), BIOSDate: known("01/02/2020"),
			Identifiers: inventory.Identifiers{SystemUUID: "5ec4e700-1111-2222-3333-444455556666"}},
		Sockets: []inventory.Socket{{ID: 0, Populated: known(true), Brand: known("Xeon")}, {ID: 1, Populated: known(true), Brand: known("Xeon")}},
		Nodes:   []inventory.Node{{ID: 0}, {ID: 1}},
		Memory:  inventory.Memory{TotalBytes: known(int64(31 << 30)), MapBytes: known(int64(32 << 30))},
		Settings: map[string]inventory.Setting{"turbo": {Configured: known("enabled"), Effective: known("enabled")},
			"smt": {Effective: known("disabled")}},
	}
	for i := range 4 {
		s := inventory.Slot{Handle: uint16(0x1100 + i), Locator: known(fmt.Sprintf("A%d", i+1)), State: inventory.SlotEmpty}
		if i < 2 {
			s.State, s.SizeBytes, s.Type, s.RatedMTs, s.ConfiguredMTs = inventory.SlotPopulated, known(int64(16<<30)), known("DDR4"), known(3200), known(2933)
			s.Manufacturer, s.PartNumber, s.Serial = known("Samsung"), known("M393"), fmt.Sprintf("SERIAL%d", i)
		}
		sys.Slots = append(sys.Slots, s)
	}
	return sys
}

func take(t testing.TB, sys *inventory.System) *File {
	t.Helper()
	f, err := Take(sys, time.Unix(1_700_000_000, 0), strings.NewReader(strings.Repeat("k", keyBytes)))
	require.NoError(t, err)
	data, err := f.Encode()
	require.NoError(t, err)
	assert.NotContains(t, string(data), "SERIAL")
	assert.NotContains(t, string(data), "5ec4e700")
	f, err = Decode(data)
	require.NoError(t, err)
	return f
}

// outcome is "SUBJECT: kinds" or "SUBJECT: unknown" of all that is not the same.
func outcome(b *inventory.Baseline) []string {
	out := []string{}
	for _, c := range b.Compared {
		var kinds []string
		for _, change := range c.Changes {
			kinds = append(kinds, string(change.Kind))
		}
		switch {
		case !c.Same.Known():
			out = append(out, c.Subject+": unknown")
		case !c.Same.Value:
			out = append(out, c.Subject+": "+strings.Join(kinds, " "))
		}
	}
	return out
}

// move puts the module of one slot into another.
func move(sys *inventory.System, from, to int) {
	a, b := &sys.Slots[from], &sys.Slots[to]
	handle, locator := a.Handle, a.Locator
	*a, *b = *b, *a
	b.Handle, a.Handle = a.Handle, handle
	b.Locator, a.Locator = a.Locator, locator
}

func empty0(sys *inventory.System, i int) {
	sys.Slots[i] = inventory.Slot{Handle: sys.Slots[i].Handle, Locator: sys.Slots[i].Locator, State: inventory.SlotEmpty}
}

// TestCompare: every kind of change is named where it happened, and nothing
// else is.
func TestCompare(t *testing.T) {
	unread := func(f *fact.Fact[string]) { *f = fact.Unknown[string](fact.Denied, "denied", "") }
	for name, c := range map[string]struct {
		change func(sys *inventory.System)
		want   []string
	}{
		"nothing":     {func(*inventory.System) {}, []string{}},
		"lost":        {func(sys *inventory.System) { empty0(sys, 1) }, []string{"slot 0x1101 (A2): dimm_lost"}},
		"added":       {func(sys *inventory.System) { sys.Slots[2] = with(sys, 2, "NEW") }, []string{"slot 0x1102 (A3): dimm_added"}},
		"moved":       {func(sys *inventory.System) { move(sys, 1, 3) }, []string{"slot 0x1101 (A2): dimm_moved", "slot 0x1103 (A4): dimm_moved"}},
		"swapped":     {func(sys *inventory.System) { move(sys, 0, 1) }, []string{"slot 0x1100 (A1): dimm_moved", "slot 0x1101 (A2): dimm_moved"}},
		"replaced":    {func(sys *inventory.System) { sys.Slots[0] = with(sys, 0, "NEW") }, []string{"slot 0x1100 (A1): dimm_replaced"}},
		"smaller":     {func(sys *inventory.System) { sys.Slots[0].SizeBytes = known(int64(8 << 30)) }, []string{"slot 0x1100 (A1): dimm_replaced"}},
		"slower":      {func(sys *inventory.System) { sys.Slots[0].ConfiguredMTs = known(2400) }, []string{"slot 0x1100 (A1): dimm_slower"}},
		"faster":      {func(sys *inventory.System) { sys.Slots[0].ConfiguredMTs = known(3200) }, []string{"slot 0x1100 (A1): dimm_faster"}},
		"rounded":     {func(sys *inventory.System) { sys.Slots[0].ConfiguredMTs = known(2934) }, []string{}},
		"speed gone":  {func(sys *inventory.System) { sys.Slots[0].ConfiguredMTs = fact.Fact[int]{} }, []string{"slot 0x1100 (A1): unknown"}},
		"serial gone": {func(sys *inventory.System) { sys.Slots[0].Serial = "" }, []string{"slot 0x1100 (A1): unknown"}},
		"serial gone, slower": {func(sys *inventory.System) { sys.Slots[0].Serial, sys.Slots[0].ConfiguredMTs = "", known(2400) },
			[]string{"slot 0x1100 (A1): dimm_slower"}},
		"size not stated": {func(sys *inventory.System) { sys.Slots[0].State = inventory.SlotUnknown }, []string{"slot 0x1100 (A1): unknown"}},
		"numbered anew": {func(sys *inventory.System) {
			for i := range sys.Slots {
				sys.Slots[i].Handle += 0x40
			}
		}, []string{}},
		"labelled anew": {func(sys *inventory.System) {
			for i := range sys.Slots {
				sys.Slots[i].Locator = known(fmt.Sprintf("P1-DIMM%d", i))
			}
		}, []string{}},
		"labelled and numbered anew": {func(sys *inventory.System) {
			for i := range sys.Slots {
				sys.Slots[i].Locator, sys.Slots[i].Handle = known(fmt.Sprintf("P1-DIMM%d", i)), uint16(i)
			}
			empty0(sys, 1)
		}, []string{"slot 0x0001 (P1-DIMM1): dimm_lost"}},
		"another BIOS lists less": {func(sys *inventory.System) { sys.Slots, sys.Machine.BIOSVersion = sys.Slots[:1], known("2.0") },
			[]string{"slot 0x1101 (A2): unknown", "machine: bios"}},
		"no table":              {func(sys *inventory.System) { sys.Slots = nil }, []string{"machine: unknown"}},
		"table cut":             {func(sys *inventory.System) { sys.Slots, sys.Firmware.Lost = sys.Slots[:1], &inventory.Problem{} }, []string{"slot 0x1101 (A2): unknown", "machine: unknown"}},
		"slot not listed":       {func(sys *inventory.System) { sys.Slots = sys.Slots[:1] }, []string{"slot 0x1101 (A2): dimm_lost"}},
		"memory lost":           {func(sys *inventory.System) { sys.Memory.MapBytes = known(int64(16 << 30)) }, []string{"machine: memory_lost"}},
		"memory gained":         {func(sys *inventory.System) { sys.Memory.MapBytes = known(int64(48 << 30)) }, []string{"machine: memory_gained"}},
		"another kernel":        {func(sys *inventory.System) { sys.Memory.MapBytes = known(int64(32<<30 - 300<<20)) }, []string{}},
		"the map not read":      {func(sys *inventory.System) { sys.Memory.MapBytes = fact.Fact[int64]{} }, []string{}},
		"no memory read":        {func(sys *inventory.System) { sys.Memory = inventory.Memory{} }, []string{"machine: unknown"}},
		"bios":                  {func(sys *inventory.System) { sys.Machine.BIOSVersion = known("1.1") }, []string{"machine: bios"}},
		"bios not read":         {func(sys *inventory.System) { unread(&sys.Machine.BIOSVersion) }, []string{"machine: unknown"}},
		"processor gone":        {func(sys *inventory.System) { sys.Sockets[1].Populated = known(false) }, []string{"machine: processor"}},
		"processor other":       {func(sys *inventory.System) { sys.Sockets[1].Brand = known("Xeon 2") }, []string{"machine: processor"}},
		"date of the bios":      {func(sys *inventory.System) { sys.Machine.BIOSDate = known("03/04/2020") }, []string{"machine: bios"}},
		"no date now":           {func(sys *inventory.System) { sys.Machine.BIOSDate = fact.Fact[string]{} }, []string{}},
		"a share of the memory": {func(sys *inventory.System) { sys.Memory.MapBytes = known(int64(32<<30 - 32<<30/50)) }, []string{}},
		"a byte more than that": {func(sys *inventory.System) { sys.Memory.MapBytes = known(int64(32<<30 - 32<<30/50 - 1)) }, []string{"machine: memory_lost"}},
		"a share more":          {func(sys *inventory.System) { sys.Memory.MapBytes = known(int64(32<<30 + 32<<30/50)) }, []string{}},
		"and a byte":            {func(sys *inventory.System) { sys.Memory.MapBytes = known(int64(32<<30 + 32<<30/50 + 1)) }, []string{"machine: memory_gained"}},
		"not listed then, another BIOS": {func(sys *inventory.System) {
			sys.Machine.BIOSVersion = known("2.0")
			sys.Slots = append(sys.Slots, with(sys, 3, "NEW"))
			sys.Slots[4].Handle, sys.Slots[4].Locator = 0x1104, known("A5")
		}, []string{"slot 0x1104 (A5): unknown", "machine: bios"}},
		"smaller, rated otherwise": {func(sys *inventory.System) {
			sys.Slots[0].SizeBytes, sys.Slots[0].RatedMTs = known(int64(8<<30)), known(2666)
		}, []string{"slot 0x1100 (A1): dimm_replaced"}},
		"rated slower":   {func(sys *inventory.System) { sys.Slots[0].RatedMTs = known(2666) }, []string{"slot 0x1100 (A1): dimm_slower"}},
		"nodes":          {func(sys *inventory.System) { sys.Nodes = sys.Nodes[:1] }, []string{"machine: numa"}},
		"nodes not read": {func(sys *inventory.System) { sys.Nodes = nil }, []string{"machine: unknown"}},
		"setting":        {func(sys *inventory.System) { sys.Settings["smt"] = inventory.Setting{Effective: known("enabled")} }, []string{"machine: setting"}},
		"two": {func(sys *inventory.System) {
			sys.Machine.BIOSVersion = known("2")
			sys.Settings["smt"] = inventory.Setting{Effective: known("enabled")}
		}, []string{"machine: bios setting"}},
		"setting not read": {func(sys *inventory.System) { sys.Settings["turbo"] = inventory.Setting{Effective: known("enabled")} }, []string{"machine: unknown"}},
		"setting by another source": {func(sys *inventory.System) {
			sys.Settings["smt"] = inventory.Setting{Effective: fact.Known("enabled", fact.Direct, fact.Evidence{Source: "msr"})}
		}, []string{"machine: unknown"}},
		"the same by another source": {func(sys *inventory.System) {
			sys.Settings["smt"] = inventory.Setting{Effective: fact.Known("disabled", fact.Direct, fact.Evidence{Source: "msr"})}
		}, []string{}},
		"processor by another source": {func(sys *inventory.System) {
			sys.Sockets[1].Brand = fact.Known("Intel Xeon", fact.Direct, fact.Evidence{Source: "cpu"})
		}, []string{"machine: unknown"}},
		"blanks in the model": {func(sys *inventory.System) { sys.Sockets[1].Brand = known("  Xeon  ") }, []string{}},
		"uuid turned": {func(sys *inventory.System) {
			sys.Machine.Identifiers.SystemUUID = "00E7C45E-1111-2222-3333-444455556666"
		}, []string{}},
		"uuid not read, serial never known": {func(sys *inventory.System) { sys.Machine.Identifiers = inventory.Identifiers{SystemSerial: "ABC1234"} },
			[]string{"machine: unknown"}},
		"pending": {func(sys *inventory.System) {
			sys.Settings["smt"] = inventory.Setting{Effective: known("disabled"), Pending: known("enabled")}
		}, []string{}},
		"uuid not read": {func(sys *inventory.System) { sys.Machine.Identifiers = inventory.Identifiers{} }, []string{"machine: unknown"}},
		"another machine": {func(sys *inventory.System) {
			sys.Machine.Identifiers.SystemUUID = "00000000-0000-0000-0000-000000000001"
		}, []string{"machine: unknown"}},
		"another product": {func(sys *inventory.System) { sys.Machine.Product = known("P2"); sys.Slots = nil }, []string{"machine: unknown"}},
	} {
		then, now := take(t, system()), system()
		c.change(now)
		assert.Equal(t, c.want, outcome(Compare("b.json", then, now)), name)
	}
}

// TestWordsOfChanges: one part that differs is enough to say that it is the same serial
// number's; a processor without a model is named as one.
func TestWordsOfChanges(t *testing.T) {
	said := func(then, now *inventory.System) string {
		var out []string
		for _, c := range Compare("b.json", take(t, then), now).Compared {
			for _, change := range c.Changes {
				out = append(out, change.Then+" > "+change.Now)
			}
		}
		return strings.Join(out, "; ")
	}
	sys := system()
	sys.Slots[0].SizeBytes = known(int64(8 << 30))
	assert.Contains(t, said(system(), sys), "; the same serial number, another size")
	sys.Slots[0].Serial = ""
	assert.NotContains(t, said(system(), sys), "same serial number")
	unnamed := system()
	unnamed.Sockets[1].Brand = fact.Fact[string]{}
	gone := system()
	gone.Sockets[1].Populated = known(false)
	assert.Contains(t, said(unnamed, gone), "a processor > ")
	assert.Contains(t, said(system(), gone), "Xeon > ")
	assert.Equal(t, []uint16{0x1100, 0x1101}, take(t, system()).Populated())
}

// TestTelling: identifiers of one character, of few, and makers' words for none tell nothing.
func TestTelling(t *testing.T) {
	for id, want := range map[string]bool{"ABC": true, "A09": true, "zz9": true, "0Z9": true, "AA": false, "000": false, "0-0-0": false, "Not Specified": false, "001": true, "[{]": false, "a/b/c": true, "10000": true} {
		assert.Equal(t, want, telling(id), id)
	}
}

// with is a module like that of the first slot with another serial number.
func with(sys *inventory.System, i int, serial string) inventory.Slot {
	s := sys.Slots[0]
	s.Handle, s.Locator, s.Serial = sys.Slots[i].Handle, sys.Slots[i].Locator, serial
	return s
}

// TestLocatorsThatRepeat: slots are told apart by their handles then.
func TestLocatorsThatRepeat(t *testing.T) {
	alike := func() *inventory.System {
		sys := system()
		for i := range sys.Slots {
			sys.Slots[i].Locator = known("DIMM")
		}
		return sys
	}
	now := alike()
	assert.Empty(t, outcome(Compare("b", take(t, alike()), now)))
	empty0(now, 0)
	assert.Equal(t, []string{"slot 0x1100 (DIMM): dimm_lost"}, outcome(Compare("b", take(t, alike()), now)))
}

// TestNoSerials: without serial numbers, or with the same for all, the kind of
// the module is what is compared.
func TestNoSerials(t *testing.T) {
	for _, serial := range []string{"", "00000000", "Not Specified", "SAME-ON-ALL"} {
		plain := func() *inventory.System {
			sys := system()
			for i := range 2 {
				sys.Slots[i].Serial = serial
			}
			return sys
		}
		now := plain()
		assert.Empty(t, outcome(Compare("b", take(t, plain()), now)), serial)
		now.Slots[0].PartNumber = known("M394")
		assert.Equal(t, []string{"slot 0x1100 (A1): dimm_replaced"}, outcome(Compare("b", take(t, plain()), now)), serial)
		now = plain()
		move(now, 0, 2)
		assert.Equal(t, []string{"slot 0x1100 (A1): dimm_lost", "slot 0x1102 (A3): dimm_added"}, outcome(Compare("b", take(t, plain()), now)), serial)
	}
}

func TestDecodeRefuses(t *testing.T) {
	good, err := take(t, system()).Encode()
	require.NoError(t, err)
	for name, data := range map[string]string{
		"empty": "", "no JSON": "x", "no schema": "{}", "a key more": strings.Replace(string(good), `"saved_at"`, `"more": 1, "saved_at"`, 1),
		"no time": strings.Replace(string(good), "2023-", "x-", 1), "two": string(good) + "{}",
		"key":   strings.Replace(string(good), `"key": "`, `"key": "zz`, 1),
		"state": strings.Replace(string(good), `"populated"`, `"full"`, 1) + " ", "negative": strings.Replace(string(good), `"size_bytes": 1`, `"size_bytes": -1`, 1),
	} {
		_, err := Decode([]byte(data))
		require.ErrorIs(t, err, ErrMalformed, name)
	}
	_, err = Decode([]byte(strings.Replace(string(good), Schema, "memaudit.baseline/v2", 1)))
	require.ErrorIs(t, err, ErrSchema)
}

func FuzzDecode(f *testing.F) {
	good, err := take(f, system()).Encode()
	require.NoError(f, err)
	f.Add(good)
	f.Add([]byte(`{"schema":"memaudit.baseline/v1","saved_at":"2026-01-01T00:00:00Z","key":"` + strings.Repeat("0", 64) + `","slots":[{"handle":1,"state":"populated"},{"handle":1,"state":"empty"}]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		file, err := Decode(data)
		if err != nil {
			return
		}
		for _, sys := range []*inventory.System{system(), {}} {
			b := Compare("b", file, sys)
			require.NotEmpty(t, b.Compared)
			for _, c := range b.Compared {
				require.Equal(t, c.Same.Known() && !c.Same.Value, len(c.Changes) > 0)
				require.True(t, c.Same.Known() || c.Same.Reason != "")
			}
		}
		again, err := json.Marshal(file)
		require.NoError(t, err)
		_, err = Decode(again)
		require.NoError(t, err)
	})
}
