package settings_test

import (
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"memaudit.example/memaudit/internal/model/settings"
	"memaudit.example/memaudit/rules"
)

var readTables = sync.OnceValues(func() (settings.Tables, error) { return settings.LoadCompiled(rules.FS) })

// shippedTables are the vendors' tables, read once for all tests and changed by none.
func shippedTables(t testing.TB) settings.Tables {
	tables, err := readTables()
	require.NoError(t, err)
	return tables
}

func TestAccepts(t *testing.T) {
	for _, c := range []struct {
		id, value string
		want      bool
	}{
		{"turbo", "enabled", true}, {"turbo", "auto", true}, {"turbo", "on", false}, {"turbo", "", false},
		{"sub_numa", "nps4", true}, {"sub_numa", "4", false},
		{"memory_speed", "max", true}, {"memory_speed", "1866", true}, {"memory_speed", "18", false},
		{"patrol_scrub", "24h", true}, {"patrol_scrub", "24", false},
		{"workload_profile", "PerfOptimized", true}, {"workload_profile", "", false},
	} {
		s, ok := settings.Lookup(c.id)
		require.True(t, ok, c.id)
		require.Equal(t, c.want, s.Accepts(c.value), "%s %q", c.id, c.value)
	}
	_, ok := settings.Lookup("turbo_boost")
	require.False(t, ok)
}

func TestTables(t *testing.T) {
	tables := shippedTables(t)
	dell := tables.FindTable("Dell Inc.")
	require.NotNil(t, dell)
	require.Nil(t, tables.FindTable("Del"))
	found := dell.Find("proc turbo-mode")
	require.Len(t, found, 1)
	require.Equal(t, "turbo", found[0].ID)
	s, _ := settings.Lookup("turbo")
	value, ok := found[0].Attr.Canonical(s, "disabled")
	require.True(t, ok)
	require.Equal(t, settings.Disabled, value)
	_, ok = found[0].Attr.Canonical(s, "perhaps")
	require.False(t, ok)
}

// TestNext checks that a value may pass the decision to the setting's next attribute.
func TestNext(t *testing.T) {
	tables := shippedTables(t)
	found := tables.FindTable("HPE").Find("DeterminismControl")
	require.Len(t, found, 1)
	s, _ := settings.Lookup("determinism")
	require.False(t, s.Accepts(settings.Next), "no profile may ask for it")
	word, ok := found[0].Attr.Canonical(s, "DeterminismCtrlManual")
	require.True(t, ok)
	require.Equal(t, settings.Next, word)
}

// TestCounts checks that a number of cores is kept, Dell's and Supermicro's, where
// 0 means all of them (SUM's help text of Cores Enabled).
func TestCounts(t *testing.T) {
	tables := shippedTables(t)
	cores, _ := settings.Lookup("enabled_cores")
	for _, c := range [][4]string{{"Supermicro", "Cores Enabled", "0", "all"}, {"Supermicro", "Cores Enabled", "12", "12"}, {"Supermicro", "Active Processor Cores", "All", "all"}, {"Dell Inc.", "ProcCores", "4", "4"}} {
		found := tables.FindTable(c[0]).Find(c[1])
		require.Len(t, found, 1, c[1])
		got, ok := found[0].Attr.Canonical(cores, c[2])
		require.True(t, ok, c)
		require.Equal(t, c[3], got, c)
	}
	_, ok := tables.FindTable("Dell Inc.").Find("ProcCores")[0].Attr.Canonical(cores, "many")
	require.False(t, ok)
}

func TestCompatible(t *testing.T) {
	for _, c := range []struct {
		id, configured, effective string
		want                      bool
	}{
		{"turbo", "enabled", "enabled", true},
		{"turbo", "enabled", "disabled", false},
		{"turbo", "auto", "disabled", true},
		{"smt", "disabled", "enabled", false},
		{"c_states", "enabled", "c6", true},
		{"c_states", "c6", "enabled", true},
		{"c_states", "enabled", "c1", false},
		{"c_states", "disabled", "c1e", true},
		{"c_states", "disabled", "c6", false},
		{"c_states", "c6", "c3", false},
		{"sub_numa", "snc", "snc4", true},
		{"sub_numa", "snc2", "snc4", false},
		{"sub_numa", "off", "nps1", true},
		{"sub_numa", "nps4", "nps1", false},
		{"memory_speed", "max", "2933", true},
		{"memory_speed", "3200", "2933", false},
		{"memory_speed", "max", "efficiency", false},
		{"memory_ras_mode", "advanced_ecc", "independent", true},
		{"memory_ras_mode", "mirror_full", "independent", false},
		{"patrol_scrub", "24h", "enabled", true},
		{"patrol_scrub", "disabled", "enabled", false},
		{"workload_profile", "PerfOptimized", "Custom", true},
	} {
		require.Equal(t, c.want, settings.Compatible(c.id, c.configured, c.effective), "%s: %s beside %s", c.id, c.configured, c.effective)
		require.Equal(t, c.want, settings.Compatible(c.id, c.effective, c.configured), "%s: %s beside %s", c.id, c.effective, c.configured)
	}
}

// TestSatisfies checks that a recommended value is satisfied by a specific one that it includes, but
// never the other way round.
func TestSatisfies(t *testing.T) {
	for _, c := range []struct {
		id    string
		want  []string
		value string
		ok    bool
	}{
		{"c_states", []string{"enabled", "c6"}, "c6_acpi_c2", true},
		{"c_states", []string{"c6"}, "c6_acpi_c3", true},
		{"c_states", []string{"c6", "enabled"}, "c6_without_c1e", false},
		{"c_states", []string{"enabled"}, "autonomous", true},
		{"c_states", []string{"enabled", "c6"}, "autonomous", true},
		{"c_states", []string{"c6_acpi_c2", "c6", "enabled"}, "c6p_acpi_c2", false},
		{"c_states", []string{"enabled"}, "c2", false},
		{"c_states", []string{"c6"}, "c3", false},
		{"c_states", []string{"c6_acpi_c2"}, "c6", false},
		{"c_states", []string{"disabled"}, "c1", false},
		{"package_c_state", []string{"c6"}, "c6nr", true},
		{"package_c_state", []string{"nolimit"}, "c6", false},
		{"sub_numa", []string{"snc"}, "snc4", true},
		{"sub_numa", []string{"off"}, "nps1", true},
		{"sub_numa", []string{"snc2"}, "snc", false},
		{"patrol_scrub", []string{"enabled"}, "24h", true},
		{"patrol_scrub", []string{"standard"}, "24h", false},
		{"memory_ras_mode", []string{"independent"}, "spare", false},
		{"power_policy", []string{"custom"}, "os_control", false},
		{"turbo", []string{"enabled"}, "enabled", true},
		{"turbo", []string{"enabled"}, "auto", false},
	} {
		require.Equal(t, c.ok, settings.Satisfies(c.id, c.want, c.value), "%s: %s where %v is wanted", c.id, c.value, c.want)
	}
}
