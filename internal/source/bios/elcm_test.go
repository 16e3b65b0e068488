package bios_test

import (
	"testing"

	"memaudit.example/memaudit/internal/source/bios"
)

// TestELCMForms checks a profile of Fujitsu's iRMC: the groups are menus, keys with @ are the profile's own.
func TestELCMForms(t *testing.T) {
	profile := func(inside string) string {
		return `{"Server":{"@Version":"1.01","SystemConfig":{"BiosConfig":{"@Version":"1.03",` + inside + `}}}}`
	}
	testForms(t, bios.ELCM, []form{
		{name: "a group", in: profile(`"CpuConfig":{"@Processing":"execute","HyperThreading":"Enabled","ActiveCores":12}`),
			want: []string{"ActiveCores=12 menu:CpuConfig", "HyperThreading=Enabled menu:CpuConfig"}},
		{name: "a group in a group, and a list", in: profile(`"MemoryConfig":{"Ras":{"Redundancy":"Sparing"},"Order":["a"]},"QuietBoot":true`),
			want: []string{"Redundancy=Sparing menu:MemoryConfig > Ras", "QuietBoot=true"}},
		{name: "a password", in: profile(`"SecurityConfig":{"AdminPassword":"hunter2","NumaOptimization":"Enabled"}`),
			want: []string{"AdminPassword=(none) menu:SecurityConfig", "NumaOptimization=Enabled menu:SecurityConfig"}},
	})
}
