package cli

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/memaudit/memaudit/internal/corpustest"
	"github.com/memaudit/memaudit/internal/machinetest"
	"github.com/memaudit/memaudit/internal/report"
	"github.com/memaudit/memaudit/internal/smbios/smbiostest"
	"github.com/memaudit/memaudit/internal/verdict"
)

// seeds are tables of the project in every form that --smbios takes.
func seeds(f *testing.F) {
	f.Helper()
	for i, m := range machinetest.Sample(f) {
		if m.Table == nil {
			continue
		}
		if corpustest.Stage || i%2 == 0 {
			f.Add(m.Table.Dump())
		}
		if corpustest.Stage || i%2 == 1 {
			f.Add(m.Table.Table())
		}
	}
	legacy := smbiostest.New(2, 3)
	legacy.Kind = smbiostest.DMI
	legacy.MemoryDevice(smbiostest.DIMM{Array: legacy.Array(smbiostest.Array{Devices: 1}), Locator: "DIMM 1", Bytes: 1 << 30})
	f.Add(legacy.Dump())
	texts, err := filepath.Glob(filepath.Join("..", "..", "testdata", "smbios", "*.dmidecode.txt"))
	if err != nil || len(texts) == 0 {
		f.Fatalf("no texts of the project: %v", err)
	}
	for _, name := range texts {
		data, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	f.Add([]byte{})
	f.Add([]byte("# dmidecode 3.6\n# No SMBIOS nor DMI entry point found, sorry.\n"))
}

// FuzzCheck audits arbitrary bytes as an SMBIOS file: no panic, a status of
// docs/interface.md, JSON that is JSON, and no good word for memory that nothing
// lists.
func FuzzCheck(f *testing.F) {
	seeds(f)
	f.Fuzz(func(t *testing.T, data []byte) {
		status, out, errs := run(data, "check", "--smbios", "-", "--format", "json")
		var r report.Report
		decodeJSON(t, out, &r)
		if !slices.Contains([]int{report.ExitOK, report.ExitFailed, report.ExitNotAudited}, status) {
			t.Fatalf("exit status %d", status)
		}
		if out == "" && errs == "" {
			t.Fatal("neither a report nor an error")
		}
		var inv struct{ Slots []json.RawMessage }
		_, listed, _ := run(data, "inventory", "--smbios", "-", "--format", "json")
		decodeJSON(t, listed, &inv)
		for _, finding := range r.Findings {
			if finding.Result == string(verdict.Error) {
				t.Errorf("%s %s broke: %s", finding.Rule, finding.Subject, *finding.Reason)
			}
			if len(inv.Slots) == 0 && finding.Result == string(verdict.Pass) && strings.HasPrefix(finding.Rule, "memory.") {
				t.Errorf("%s %s passes without a memory device", finding.Rule, finding.Subject)
			}
		}
	})
}

func decodeJSON(t *testing.T, out string, into any) {
	t.Helper()
	if out == "" {
		return
	}
	if err := json.Unmarshal([]byte(out), into); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
}
