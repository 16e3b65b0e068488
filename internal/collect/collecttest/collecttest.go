// Package collecttest builds models from trees and tables for tests.
package collecttest

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"memaudit.example/memaudit/internal/collect"
	"memaudit.example/memaudit/internal/model/fact"
	"memaudit.example/memaudit/internal/model/inventory"
	"memaudit.example/memaudit/internal/model/settings"
	"memaudit.example/memaudit/internal/source/host"
	"memaudit.example/memaudit/internal/source/host/hosttest"
	"memaudit.example/memaudit/internal/source/smbios"
	"memaudit.example/memaudit/internal/source/smbios/smbiostest"
)

// Table adds an SMBIOS table to a tree.
func Table(f hosttest.Files, b *smbiostest.Builder) hosttest.Files {
	return f.With(hosttest.Files{hosttest.DMITable: string(b.Table()), hosttest.DMIEntry: string(b.EntryPoint())})
}

// Capture opens a tree like a capture.
func Capture(t *testing.T, f hosttest.Files) *host.Root {
	t.Helper()
	root, err := host.OpenMembers("test", f.Members())
	require.NoError(t, err)
	return root
}

// Collected returns the model of a tree and checks its settings against the vocabulary.
func Collected(t *testing.T, f hosttest.Files) *inventory.System {
	t.Helper()
	sys := collect.Collect(collect.Input{Root: Capture(t, f)})
	inVocabulary(t, sys)
	return sys
}

func inVocabulary(t *testing.T, sys *inventory.System) {
	t.Helper()
	for id, s := range sys.Settings {
		entry, ok := settings.Lookup(id)
		assert.True(t, ok, "setting %s is not in the vocabulary", id)
		for _, f := range []fact.Fact[string]{s.Effective, s.DecidedBy} {
			assert.True(t, f.Known() || f.Reason != "", "setting %s: no reason", id)
			assert.True(t, !f.Known() || len(f.Evidence()) > 0 && f.Certainty > fact.None, "setting %s: no evidence", id)
		}
		if v, ok := s.Effective.Get(); ok {
			assert.True(t, entry.Accepts(v) && v != settings.Auto, "setting %s: %q is not a word of it", id, v)
		}
		if who, ok := s.DecidedBy.Get(); ok {
			assert.Contains(t, []string{"firmware", "command line", "administrator", "kernel", "hypervisor", "firmware or the processor"}, who)
		}
	}
}

// Decoded returns the model of an SMBIOS file.
func Decoded(t *testing.T, b *smbiostest.Builder) *inventory.System {
	t.Helper()
	return collect.Collect(collect.Input{SMBIOS: Parsed(t, b.Dump())})
}

// Parsed parses a dump and fails the test if it is malformed.
func Parsed(t *testing.T, data []byte) *smbios.Table {
	t.Helper()
	table, err := smbios.Parse(data)
	require.NoError(t, err)
	return table
}

// Known returns a fact that SMBIOS states.
func Known[T any](v T) fact.Fact[T] {
	return fact.Known(v, fact.Direct, fact.Evidence{Source: inventory.SourceSMBIOS})
}

// Sockets returns n sockets with processors of the same model.
func Sockets(n int, vendor string, family, model, stepping int, brand string) []inventory.Socket {
	var out []inventory.Socket
	for i := range n {
		out = append(out, inventory.Socket{ID: i, Populated: Known(true), Vendor: Known(vendor),
			Family: Known(family), Model: Known(model), Stepping: Known(stepping), Brand: Known(brand)})
	}
	return out
}

// Read returns the model of a dmidecode text.
func Read(t testing.TB, name string, text []byte) *inventory.System {
	t.Helper()
	table, err := smbios.Parse(text)
	require.NoError(t, err, name)
	return collect.Collect(collect.Input{SMBIOS: table})
}
