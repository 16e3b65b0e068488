// Package reporttest audits example servers for the tests of the document and of its writers, and compares their output
// with committed files.
package reporttest

import (
	"flag"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"memaudit.example/memaudit/internal/audit"
	"memaudit.example/memaudit/internal/audit/rulepack"
	"memaudit.example/memaudit/internal/audit/verdict"
	"memaudit.example/memaudit/internal/collect"
	"memaudit.example/memaudit/internal/model/fact"
	"memaudit.example/memaudit/internal/model/inventory"
	"memaudit.example/memaudit/internal/model/partnumber"
	"memaudit.example/memaudit/internal/model/settings"
	"memaudit.example/memaudit/internal/report"
	"memaudit.example/memaudit/internal/source/host"
	"memaudit.example/memaudit/internal/source/host/hosttest"
	"memaudit.example/memaudit/internal/tools/machinetest"
	"memaudit.example/memaudit/internal/topology/population"
	"memaudit.example/memaudit/rules"
)

// Input is a machine with its audit, as the earlier stages hand it over.
type Input struct {
	Sys   inventory.System
	Topo  population.Result
	Audit verdict.Audit
}

// Direct is a fact that one field of the table states.
func Direct[T any](v T) fact.Fact[T] {
	return fact.Known(v, fact.Direct, fact.Evidence{Source: "smbios", Path: "/sys/firmware/dmi/tables/DMI", Field: "field", Raw: "raw"})
}

// Subject returns the subject that a document names with a text.
func Subject(text string) (s inventory.Subject) {
	_ = s.UnmarshalText([]byte(text)) // any text is a subject
	return s
}

var engine = sync.OnceValue(func() *audit.Engine {
	packs, err := rulepack.LoadCompiled(rules.FS)
	if err != nil {
		panic(err)
	}
	return audit.NewEngine(packs).WithTables(sync.OnceValues(func() (settings.Tables, error) { return settings.LoadCompiled(rules.FS) }))
})

// audits lets one audit run at a time: an engine is not safe for concurrent use.
var audits sync.Mutex

func audited(profile string, tree hosttest.Files) *Input {
	root, err := host.OpenMembers("server", tree.Members())
	if err != nil {
		panic(err)
	}
	sys := collect.Collect(collect.Input{Root: root, PartNumbers: func() (*partnumber.Table, error) { return partnumber.Load(rules.FS) }})
	sys.Machine.Identifiers.SystemSerial = "SYSTEM-SECRET"
	for i := range sys.Slots {
		if s := &sys.Slots[i]; s.State == inventory.SlotPopulated {
			s.Serial, s.AssetTag = "SERIAL-SECRET", "ASSET-SECRET"
		}
	}
	topo := population.Derive(sys, rules.FS)
	audits.Lock()
	defer audits.Unlock()
	found, err := engine().Run(sys, topo, audit.Options{Profile: profile, Asked: true, Now: now, Waivers: []audit.WaiverSpec{
		{Rule: "setting.smt", Reason: "our solver gains 9 % with SMT, ticket HPC-311", Until: "2027-06-30"}}})
	if err != nil {
		panic(err)
	}
	return &Input{Sys: *sys, Topo: *topo, Audit: *found}
}

// Named audits the example server with this name.
func Named(t testing.TB, name string) *Input {
	t.Helper()
	m := machinetest.Named(t, name)
	return audited(m.Profile, m.Tree())
}

// Good is a machine whose memory is as it should be.
func Good(t testing.TB) *Input { t.Helper(); return Named(t, "dell-r610-good") }

// Bad is a machine with an empty channel, from which other failures follow, and with a rule that failed to evaluate.
func Bad(t testing.TB) *Input {
	t.Helper()
	m := Named(t, "dell-r610-unbalanced")
	m.Audit.Findings = append(m.Audit.Findings, verdict.Finding{Rule: "memory.own.rule", Result: verdict.Error, Severity: verdict.Info, Reason: "evaluation of check stopped after 200000 steps"})
	m.Audit.Summary = verdict.Summarize(m.Audit.Findings)
	return m
}

// Inputs are the machines that the writers' output is compared for, by name. Tests must not change them.
func Inputs(t testing.TB) map[string]*Input {
	t.Helper()
	inputs.Do(func() {
		all = map[string]*Input{"good": Good(t), "bad": Bad(t)}
		for name, machine := range map[string]string{"vm": "guest-without-smbios", "big": "fujitsu-rx900s2-one-controller", "chipset": "supermicro-x7db8-2ch", "wide": "dell-r7625-8-of-12"} {
			all[name] = Named(t, machine)
		}
		cut := machinetest.Named(t, "dell-r610-good")
		tree := cut.Tree()
		const table = "sys/firmware/dmi/tables/DMI"
		tree[table] = tree[table][:len(tree[table])*3/4]
		all["unknown"] = audited("hpc", tree)
	})
	return all
}

var (
	inputs sync.Once
	all    map[string]*Input
)

// Each runs a test on every one of them.
func Each(t *testing.T, run func(t *testing.T, m *Input)) {
	t.Helper()
	for name, m := range Inputs(t) {
		t.Run(name, func(t *testing.T) { run(t, m) })
	}
}

var now = time.Date(2026, 11, 20, 9, 30, 0, 0, time.FixedZone("CET", 3600))

// Options are those of a fixed program at a fixed time.
func Options() report.Options { return report.Options{Version: "1.2.3", Revision: "abcdef0", Now: now} }

// Report is the document of a machine.
func Report(m *Input) *report.Report {
	r := report.Build(&m.Sys, &m.Topo, &m.Audit, Options())
	return &r
}

// Comparison compares a machine with every profile documented for it.
func (m *Input) Comparison() *verdict.Comparison {
	audits.Lock()
	defer audits.Unlock()
	return engine().Compare(&m.Sys, &m.Topo)
}

// EachComparison runs a test on the comparisons of a machine and of one without a documented profile.
func EachComparison(t *testing.T, run func(t *testing.T, name string, m *Input, c *report.Comparison)) {
	t.Helper()
	for name, machine := range map[string]string{"some": "dell-r610-unbalanced", "none": "supermicro-x6dh8-g2"} {
		m := Named(t, machine)
		c := report.BuildComparison(&m.Sys, &m.Topo, m.Comparison(), Options())
		t.Run(name, func(t *testing.T) { run(t, name, m, &c) })
	}
}

// Update is the flag -update.
var Update = flag.Bool("update", false, "rewrite golden files and schemas")

// Golden compares with a committed file, or rewrites it under -update.
func Golden(t *testing.T, path string, got []byte) {
	t.Helper()
	if *Update {
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		require.NoError(t, os.WriteFile(path, got, 0o644))
		return
	}
	want, err := os.ReadFile(path)
	require.NoError(t, err, "run go test -update to make it")
	assert.Equal(t, string(want), string(got))
}
