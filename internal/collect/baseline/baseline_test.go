package baseline

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"memaudit.example/memaudit/internal/model/fact"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"memaudit.example/memaudit/internal/model/inventory"
)

func known[T any](v T) fact.Fact[T] {
	return fact.Known(v, fact.Direct, fact.Evidence{})
}

// system returns a server with four slots, two of them populated.
func system() *inventory.System {
	sys := &inventory.System{
		Machine: inventory.Machine{Vendor: known("Maker"), Product: known("P1"), BIOS: inventory.BIOS{Version: known("1.0"), Date: known("01/02/2020")},
			Identifiers: inventory.Identifiers{SystemUUID: "5ec4e700-1111-2222-3333-444455556666"}},
		Sockets: []inventory.Socket{{ID: 0, Populated: known(true), Brand: known("Xeon")}, {ID: 1, Populated: known(true), Brand: known("Xeon")}},
		Nodes:   []inventory.Node{{ID: 0}, {ID: 1}},
		Memory:  inventory.Memory{TotalBytes: known(int64(31 << 30)), MapBytes: known(int64(32 << 30))},
		Settings: map[string]inventory.Setting{"turbo": {Configured: known("enabled"), Effective: known("enabled")},
			"smt": {Effective: known("disabled")}},
	}
	for i := range 4 {
		s := inventory.Slot{Handle: inventory.Handle(0x1100 + i), Locator: known(fmt.Sprintf("A%d", i+1)), State: inventory.SlotEmpty}
		if i < 2 {
			s.State, s.SizeBytes, s.Type, s.RatedMTs, s.ConfiguredMTs = inventory.SlotPopulated, known(int64(16<<30)), known("DDR4"), known(3200), known(2933)
			s.Manufacturer, s.PartNumber, s.Serial = known("Samsung"), known("M393"), fmt.Sprintf("ZQ4711A%d", i)
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
	assert.NotContains(t, string(data), "ZQ4711A")
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
			out = append(out, c.Subject.String()+": unknown")
		case !c.Same.Value:
			out = append(out, c.Subject.String()+": "+strings.Join(kinds, " "))
		}
	}
	return out
}

// move moves the module of one slot to another.
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

// TestCompare checks that every kind of change is reported for its subject and nothing else.
func TestCompare(t *testing.T) {
	unread := func(f *fact.Fact[string]) { *f = fact.Unknown[string](fact.Denied, "denied", "") }
	for name, c := range map[string]struct {
		change func(sys *inventory.System)
		want   []string
	}{
		"nothing": {func(*inventory.System) {}, []string{}},
		"lost":    {func(sys *inventory.System) { empty0(sys, 1) }, []string{"slot 0x1101 (A2): dimm_lost"}},
		"added":   {func(sys *inventory.System) { sys.Slots[2] = with(sys, 2, "NEW") }, []string{"slot 0x1102 (A3): dimm_added"}},
		"moved":   {func(sys *inventory.System) { move(sys, 1, 3) }, []string{"slot 0x1101 (A2): dimm_moved", "slot 0x1103 (A4): dimm_moved"}},
		"moved, serials not read": {func(sys *inventory.System) {
			move(sys, 1, 3)
			sys.Slots[3].Serial = ""
		}, []string{"slot 0x1101 (A2): dimm_moved", "slot 0x1103 (A4): dimm_moved"}},
		"moved, another serial": {func(sys *inventory.System) {
			move(sys, 1, 3)
			sys.Slots[3].Serial = "NEW"
		}, []string{"slot 0x1101 (A2): dimm_moved", "slot 0x1103 (A4): dimm_moved"}},
		"lost, another kind added": {func(sys *inventory.System) {
			move(sys, 1, 3)
			sys.Slots[3].Serial, sys.Slots[3].SizeBytes = "", known(int64(8<<30))
		}, []string{"slot 0x1101 (A2): dimm_lost", "slot 0x1103 (A4): dimm_added"}},
		"one of two lost, one moved": {func(sys *inventory.System) {
			move(sys, 0, 2)
			sys.Slots[2].Serial = ""
			empty0(sys, 1)
		}, []string{"slot 0x1100 (A1): dimm_moved", "slot 0x1101 (A2): dimm_lost", "slot 0x1102 (A3): dimm_moved"}},
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
				sys.Slots[i].Locator, sys.Slots[i].Handle = known(fmt.Sprintf("P1-DIMM%d", i)), inventory.Handle(i)
			}
			empty0(sys, 1)
		}, []string{"slot 0x0001 (P1-DIMM1): dimm_lost"}},
		"another BIOS lists less": {func(sys *inventory.System) { sys.Slots, sys.Machine.BIOS.Version = sys.Slots[:1], known("2.0") },
			[]string{"slot 0x1101 (A2): unknown", "machine: bios"}},
		"no table":              {func(sys *inventory.System) { sys.Slots = nil }, []string{"machine: unknown"}},
		"table cut":             {func(sys *inventory.System) { sys.Slots, sys.Firmware.Lost = sys.Slots[:1], &inventory.Problem{} }, []string{"slot 0x1101 (A2): unknown", "machine: unknown"}},
		"slot not listed":       {func(sys *inventory.System) { sys.Slots = sys.Slots[:1] }, []string{"slot 0x1101 (A2): dimm_lost"}},
		"memory lost":           {func(sys *inventory.System) { sys.Memory.MapBytes = known(int64(16 << 30)) }, []string{"machine: memory_lost"}},
		"memory gained":         {func(sys *inventory.System) { sys.Memory.MapBytes = known(int64(48 << 30)) }, []string{"machine: memory_gained"}},
		"another kernel":        {func(sys *inventory.System) { sys.Memory.MapBytes = known(int64(32<<30 - 300<<20)) }, []string{}},
		"the map not read":      {func(sys *inventory.System) { sys.Memory.MapBytes = fact.Fact[int64]{} }, []string{}},
		"no memory read":        {func(sys *inventory.System) { sys.Memory = inventory.Memory{} }, []string{"machine: unknown"}},
		"bios":                  {func(sys *inventory.System) { sys.Machine.BIOS.Version = known("1.1") }, []string{"machine: bios"}},
		"bios not read":         {func(sys *inventory.System) { unread(&sys.Machine.BIOS.Version) }, []string{"machine: unknown"}},
		"processor gone":        {func(sys *inventory.System) { sys.Sockets[1].Populated = known(false) }, []string{"machine: processor"}},
		"processor other":       {func(sys *inventory.System) { sys.Sockets[1].Brand = known("Xeon 2") }, []string{"machine: processor"}},
		"date of the bios":      {func(sys *inventory.System) { sys.Machine.BIOS.Date = known("03/04/2020") }, []string{"machine: bios"}},
		"no date now":           {func(sys *inventory.System) { sys.Machine.BIOS.Date = fact.Fact[string]{} }, []string{}},
		"a share of the memory": {func(sys *inventory.System) { sys.Memory.MapBytes = known(int64(32<<30 - 32<<30/50)) }, []string{}},
		"a byte more than that": {func(sys *inventory.System) { sys.Memory.MapBytes = known(int64(32<<30 - 32<<30/50 - 1)) }, []string{"machine: memory_lost"}},
		"a share more":          {func(sys *inventory.System) { sys.Memory.MapBytes = known(int64(32<<30 + 32<<30/50)) }, []string{}},
		"and a byte":            {func(sys *inventory.System) { sys.Memory.MapBytes = known(int64(32<<30 + 32<<30/50 + 1)) }, []string{"machine: memory_gained"}},
		"not listed then, another BIOS": {func(sys *inventory.System) {
			sys.Machine.BIOS.Version = known("2.0")
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
			sys.Machine.BIOS.Version = known("2")
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
		t.Run(name, func(t *testing.T) {
			then, now := take(t, system()), system()
			c.change(now)
			assert.Equal(t, c.want, outcome(Compare("b.json", then, now)))
		})
	}
}

// TestWhatIsNotKnown checks that a value unknown then is not a difference, and that a value unknown
// now is never the same.
func TestWhatIsNotKnown(t *testing.T) {
	none := func(*inventory.System) {}
	for name, c := range map[string]struct {
		then, now func(sys *inventory.System)
		want      []string
	}{
		"slots then":              {func(sys *inventory.System) { sys.Slots = nil }, none, []string{}},
		"slots then and now":      {func(sys *inventory.System) { sys.Slots = nil }, func(sys *inventory.System) { sys.Slots = nil }, []string{}},
		"slots now, one then":     {func(sys *inventory.System) { sys.Slots = sys.Slots[:1] }, func(sys *inventory.System) { sys.Slots = nil }, []string{"machine: unknown"}},
		"one slot then and now":   {func(sys *inventory.System) { sys.Slots = sys.Slots[:1] }, func(sys *inventory.System) { sys.Slots = sys.Slots[:1]; empty0(sys, 0) }, []string{"slot 0x1100 (A1): dimm_lost"}},
		"one then, a table cut":   {func(sys *inventory.System) { sys.Slots = nil }, func(sys *inventory.System) { sys.Firmware.Lost = &inventory.Problem{} }, []string{}},
		"a slot's state then":     {func(sys *inventory.System) { sys.Slots[0].State = inventory.SlotUnknown }, none, []string{"slot 0x1100 (A1): unknown"}},
		"a module's size then":    {func(sys *inventory.System) { sys.Slots[0].SizeBytes = fact.Fact[int64]{} }, none, []string{}},
		"a module's size now":     {none, func(sys *inventory.System) { sys.Slots[0].SizeBytes = fact.Fact[int64]{} }, []string{"slot 0x1100 (A1): unknown"}},
		"a module's speed then":   {func(sys *inventory.System) { sys.Slots[0].ConfiguredMTs = fact.Fact[int]{} }, none, []string{}},
		"a module's serial then":  {func(sys *inventory.System) { sys.Slots[0].Serial = "" }, none, []string{}},
		"the processor then":      {func(sys *inventory.System) { sys.Sockets[1].Brand = fact.Fact[string]{} }, named, []string{}},
		"the processor now":       {none, func(sys *inventory.System) { sys.Sockets[1].Brand = fact.Fact[string]{} }, []string{"machine: unknown"}},
		"the socket then":         {func(sys *inventory.System) { sys.Sockets[1].Populated = fact.Fact[bool]{} }, none, []string{}},
		"the socket now":          {none, func(sys *inventory.System) { sys.Sockets[1].Populated = fact.Fact[bool]{} }, []string{"machine: unknown"}},
		"nothing of the socket":   {none, func(sys *inventory.System) { sys.Sockets[1] = inventory.Socket{ID: 1} }, []string{"machine: unknown"}},
		"an empty socket's model": {none, func(sys *inventory.System) { sys.Sockets[1] = inventory.Socket{ID: 1, Populated: known(false)} }, []string{"machine: processor"}},
		"the socket then, another processor": {func(sys *inventory.System) { sys.Sockets[1].Populated = fact.Fact[bool]{} },
			func(sys *inventory.System) { sys.Sockets[1].Brand = known("Xeon 2") }, []string{"machine: processor"}},
		"the vendor then":      {func(sys *inventory.System) { sys.Machine.Vendor = fact.Fact[string]{} }, none, []string{}},
		"the product now":      {none, func(sys *inventory.System) { sys.Machine.Product = fact.Fact[string]{} }, []string{}},
		"the UUID then":        {func(sys *inventory.System) { sys.Machine.Identifiers = inventory.Identifiers{} }, none, []string{}},
		"nodes then":           {func(sys *inventory.System) { sys.Nodes = nil }, none, []string{}},
		"one node then":        {func(sys *inventory.System) { sys.Nodes = sys.Nodes[:1] }, none, []string{"machine: numa"}},
		"the map then":         {func(sys *inventory.System) { sys.Memory.MapBytes = fact.Fact[int64]{} }, none, []string{}},
		"the memory then":      {func(sys *inventory.System) { sys.Memory = inventory.Memory{} }, func(sys *inventory.System) { sys.Memory = inventory.Memory{} }, []string{}},
		"all but one view":     {func(sys *inventory.System) { sys.Memory.MapBytes = fact.Fact[int64]{} }, func(sys *inventory.System) { sys.Memory = inventory.Memory{} }, []string{"machine: unknown"}},
		"memory of no bytes":   {func(sys *inventory.System) { sys.Memory = inventory.Memory{TotalBytes: known(int64(0))} }, none, []string{}},
		"the date of the BIOS": {func(sys *inventory.System) { sys.Machine.BIOS.Date = fact.Fact[string]{} }, none, []string{}},
		"a setting then":       {func(sys *inventory.System) { sys.Settings["smt"] = inventory.Setting{} }, none, []string{}},
	} {
		t.Run(name, func(t *testing.T) {
			then, now := system(), system()
			c.then(then)
			c.now(now)
			assert.Equal(t, c.want, outcome(Compare("b.json", take(t, then), now)))
		})
	}
}

// named names the second processor by a source.
func named(sys *inventory.System) {
	sys.Sockets[1].Brand = fact.Known("Xeon", fact.Direct, fact.Evidence{Source: "smbios"})
}

// TestIdentity checks that a machine is another one if its UUID (or else its serial number) differs, and may be if
// nothing can be compared.
func TestIdentity(t *testing.T) {
	const one, two = "5ec4e700-1111-2222-3333-444455556666", "5ec4e700-1111-2222-3333-444455556667"
	for name, c := range map[string]struct {
		then, now inventory.Identifiers
		says      string
	}{
		"the same":                    {inventory.Identifiers{SystemUUID: one, SystemSerial: "ABC1"}, inventory.Identifiers{SystemUUID: one, SystemSerial: "ABC1"}, ""},
		"another UUID":                {inventory.Identifiers{SystemUUID: one}, inventory.Identifiers{SystemUUID: two}, "the system's UUID differs"},
		"no UUID, but a word":         {inventory.Identifiers{SystemUUID: one}, inventory.Identifiers{SystemUUID: "ABCD"}, "the system's UUID differs"},
		"the UUID, another serial":    {inventory.Identifiers{SystemUUID: one, SystemSerial: "ABC1"}, inventory.Identifiers{SystemUUID: one, SystemSerial: "ABC2"}, ""},
		"the serial alone":            {inventory.Identifiers{SystemSerial: "ABC1"}, inventory.Identifiers{SystemSerial: "ABC1"}, ""},
		"another serial":              {inventory.Identifiers{SystemSerial: "ABC1"}, inventory.Identifiers{SystemSerial: "ABC2"}, "the system's serial number differs"},
		"the UUID now only":           {inventory.Identifiers{SystemSerial: "ABC1"}, inventory.Identifiers{SystemUUID: one, SystemSerial: "ABC1"}, ""},
		"the UUID now, other serial":  {inventory.Identifiers{SystemSerial: "ABC1"}, inventory.Identifiers{SystemUUID: one, SystemSerial: "ABC2"}, "the system's serial number differs"},
		"the UUID then, other serial": {inventory.Identifiers{SystemUUID: one, SystemSerial: "ABC1"}, inventory.Identifiers{SystemSerial: "ABC2"}, "the system's serial number differs"},
		"the UUID then, this serial":  {inventory.Identifiers{SystemUUID: one, SystemSerial: "ABC1"}, inventory.Identifiers{SystemSerial: "ABC1"}, ""},
		"the serial not now":          {inventory.Identifiers{SystemSerial: "ABC1"}, inventory.Identifiers{}, "UUID is not known now"},
		"the serial now, UUID then":   {inventory.Identifiers{SystemUUID: one}, inventory.Identifiers{SystemSerial: "ABC1"}, "UUID is not known now"},
		"the UUID now, serial then":   {inventory.Identifiers{SystemSerial: "ABC1"}, inventory.Identifiers{SystemUUID: one}, "UUID is not known now"},
		"nothing then":                {inventory.Identifiers{SystemUUID: "00000000-0000-0000-0000-000000000000", SystemSerial: "None"}, inventory.Identifiers{SystemUUID: one}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			then, now := system(), system()
			then.Machine.Identifiers, now.Machine.Identifiers = c.then, c.now
			b := Compare("b.json", take(t, then), now)
			same := b.Compared[len(b.Compared)-1].Same
			if c.says == "" {
				assert.True(t, same.Known() && same.Value)
				return
			}
			assert.Contains(t, same.Reason, c.says)
		})
	}
}

// TestRedacted checks that no hash of a placeholder is saved.
func TestRedacted(t *testing.T) {
	sys := system()
	sys.Machine.Identifiers.SystemSerial = "ABC1"
	f := take(t, sys)
	assert.NotEmpty(t, f.Machine.UUID)
	assert.NotEmpty(t, f.Machine.Serial)
	assert.NotEmpty(t, f.Slots[0].Serial)
	sys.Redacted = true
	f = take(t, sys)
	assert.Empty(t, f.Machine.UUID)
	assert.Empty(t, f.Machine.Serial)
	assert.Empty(t, f.Slots[0].Serial)
}

// TestTake checks that the key is random and that the last measurement that can be checked is saved.
func TestTake(t *testing.T) {
	sys := system()
	sys.Settings["hwp"] = inventory.Setting{Pending: known("enabled")}
	sys.Measurements = []inventory.Measurement{{Tool: "stream"}, {Tool: "mlc"}, {Tool: "memaudit", Unjudged: "another machine's"}}
	f := take(t, sys)
	assert.Equal(t, strings.Repeat("6b", keyBytes), f.Key)
	require.NotNil(t, f.Measured)
	assert.Equal(t, inventory.ToolMLC, f.Measured.Tool)
	assert.NotContains(t, f.Settings, "hwp", "what waits is not accepted")
	own, err := Take(sys, time.Now(), nil)
	require.NoError(t, err)
	other, err := Take(sys, time.Now(), nil)
	require.NoError(t, err)
	assert.NotEqual(t, own.Key, other.Key)
	_, err = Take(sys, time.Now(), strings.NewReader("k"))
	require.Error(t, err)
	assert.Equal(t, map[string]int64{"total": 1}, buildFile(&inventory.System{Memory: inventory.Memory{TotalBytes: known(int64(1)), MapBytes: known(int64(0))}}, time.Time{}, "").Memory)
}

// TestManySettingsNotKnown checks that three settings are named, and the number if there are more.
func TestManySettingsNotKnown(t *testing.T) {
	for n, want := range map[int]string{3: "c (effective) is not known now", 4: "c (effective) is not known now; 4 settings in all"} {
		then, now := system(), system()
		then.Settings, now.Settings = map[string]inventory.Setting{}, nil
		for _, id := range []string{"a", "b", "c", "d"}[:n] {
			then.Settings[id] = inventory.Setting{Effective: known("on")}
		}
		b := Compare("b.json", take(t, then), now)
		assert.True(t, strings.HasSuffix(b.Compared[len(b.Compared)-1].Same.Reason, want), "%d: %s", n, b.Compared[len(b.Compared)-1].Same.Reason)
	}
}

// TestWordsOfChanges checks the texts of changes with the same serial number and of a processor
// without a model.
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
	sys = system()
	sys.Machine.BIOS.Version, sys.Machine.BIOS.Date = known("2.0"), fact.Fact[string]{}
	assert.Equal(t, "BIOS 1.0 (01/02/2020) > BIOS 2.0", said(system(), sys))
	sys = system()
	empty0(sys, 1)
	assert.Equal(t, "16 GiB DDR4 Samsung M393 > empty", said(system(), sys))
	sys.Slots = sys.Slots[:1]
	assert.Equal(t, "16 GiB DDR4 Samsung M393 > the slot itself is not listed any more", said(system(), sys))
	bare, sized := system(), system()
	for _, s := range []*inventory.System{bare, sized} {
		s.Slots[1] = inventory.Slot{Handle: 0x1101, Locator: known("A2"), State: inventory.SlotPopulated}
	}
	sized.Slots[1].SizeBytes = known(int64(16 << 30))
	assert.Equal(t, "a module > empty", said(bare, without(1)))
	assert.Equal(t, "16 GiB > empty", said(sized, without(1)))
}

// without is the server with one slot emptied.
func without(i int) *inventory.System {
	sys := system()
	empty0(sys, i)
	return sys
}

// with is a module like that of the first slot with another serial number.
func with(sys *inventory.System, i int, serial string) inventory.Slot {
	s := sys.Slots[0]
	s.Handle, s.Locator, s.Serial = sys.Slots[i].Handle, sys.Slots[i].Locator, serial
	return s
}

// TestNumberedAnew checks that distinct labels take precedence over handles.
func TestNumberedAnew(t *testing.T) {
	now := system()
	slices.Reverse(now.Slots)
	for i := range now.Slots {
		now.Slots[i].Handle = inventory.Handle(0x1100 + i)
	}
	assert.Empty(t, outcome(Compare("b", take(t, system()), now)))
	now = system()
	now.Slots[0].Locator = known("A2") // a BIOS that labels two slots alike
	assert.Empty(t, outcome(Compare("b", take(t, system()), now)))
	then := now
	assert.Empty(t, outcome(Compare("b", take(t, then), system())))
}

// TestNoSerials checks that the type of module is compared if there are no serial numbers, or if all are the same.
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
		assert.Equal(t, []string{"slot 0x1100 (A1): dimm_moved", "slot 0x1102 (A3): dimm_moved"}, outcome(Compare("b", take(t, plain()), now)), serial)
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
		"a short key": strings.Replace(string(good), strings.Repeat("6b", keyBytes), "6b", 1), "no hexadecimal": strings.Replace(string(good), `"key": "6b`, `"key": "zz`, 1),
		"a negative speed": strings.Replace(string(good), `"configured_mts": `, `"configured_mts": -`, 1), "a negative rating": strings.Replace(string(good), `"rated_mts": `, `"rated_mts": -`, 1),
		"too long": string(good) + strings.Repeat(" ", MaxBytes-len(good)+1),
		"slots":    encoded(t, &File{Slots: slotsOf(maxSlots + 1)}), "settings": encoded(t, &File{Settings: settingsOf(maxSettings + 1)}),
	} {
		t.Run(name, func(t *testing.T) {
			_, err := Decode([]byte(data))
			require.ErrorIs(t, err, ErrMalformed)
		})
	}
	for name, data := range map[string]string{
		"the longest": string(good) + strings.Repeat(" ", MaxBytes-len(good)),
		"slots":       encoded(t, &File{Slots: slotsOf(maxSlots)}), "settings": encoded(t, &File{Settings: settingsOf(maxSettings)}),
	} {
		t.Run(name, func(t *testing.T) {
			_, err := Decode([]byte(data))
			require.NoError(t, err)
		})
	}
	_, err = Decode([]byte(strings.Replace(string(good), Schema, "memaudit.baseline/v2", 1)))
	require.ErrorIs(t, err, ErrSchema)
}

func slotsOf(n int) []Slot {
	out := make([]Slot, n)
	for i := range out {
		out[i].State = string(inventory.SlotEmpty)
	}
	return out
}

func settingsOf(n int) map[string]map[string]SettingValue {
	out := map[string]map[string]SettingValue{}
	for i := range n {
		out[fmt.Sprint(i)] = map[string]SettingValue{}
	}
	return out
}

func encoded(t *testing.T, f *File) string {
	t.Helper()
	f.Schema, f.SavedAt, f.Key = Schema, "2026-01-01T00:00:00Z", strings.Repeat("00", keyBytes)
	data, err := f.Encode()
	require.NoError(t, err)
	return string(data)
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
