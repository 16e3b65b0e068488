package collect

import (
	"testing"

	"memaudit.example/memaudit/internal/model/fact"
	"memaudit.example/memaudit/internal/model/inventory"
	"memaudit.example/memaudit/internal/model/settings"
	"memaudit.example/memaudit/internal/source/bios"
)

// FuzzExport checks that every value of any export is canonical or unknown with a reason.
func FuzzExport(f *testing.F) {
	tables, err := shippedTables()
	if err != nil {
		f.Fatal(err)
	}
	for _, seed := range []string{dellBIOS, dellWaiting, racadmText, hpeBIOS, "logicproc=disable\n", "set uEFI.TurboModeEnable Enable\n"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		e, err := bios.Decode("file", data)
		if err != nil {
			return
		}
		sys := Collect(Input{Exports: []Export{{Source: inventory.SourceBIOS, Path: "file", Export: e}}, Tables: func() (settings.Tables, error) { return tables, nil }})
		for id, s := range sys.Settings {
			known, ok := settings.Lookup(id)
			for _, face := range []fact.Fact[string]{s.Configured, s.Pending} {
				if !ok || face.Known() && !known.Accepts(face.Value) || !face.Known() && face.Reason == "" {
					t.Fatalf("%s: %+v", id, face)
				}
			}
		}
	})
}
