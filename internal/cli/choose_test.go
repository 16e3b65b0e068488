package cli

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A misspelt name proposes what was meant, and what this machine has.
func TestWrongProfileNameProposes(t *testing.T) {
	t.Parallel()
	status, out, errs := run(nil, "check", "--root", tree(t, "dell-r610-good"), "--profile", "dell-11g/low-latancy")
	assert.Equal(t, 2, status)
	assert.Empty(t, out)
	nearest, rest, ok := strings.Cut(errs, "; for this machine: ")
	require.True(t, ok, errs)
	assert.Contains(t, nearest, "nearest: dell-11g/low-latency, ")
	_, proposed, _ := strings.Cut(nearest, "nearest: ")
	assert.Len(t, strings.Split(proposed, ", "), 3)
	mine, _, _ := strings.Cut(rest, ";")
	assert.Equal(t, "dell-11g/energy-efficiency, dell-11g/max-performance, dell-11g/balanced, dell-11g/low-latency, dell-11g/hpc, workloads/vsphere-5, workloads/database-ydb", mine)
}

// The profile of another vendor, of another generation or of other processors is a mistake of the
// caller; an intent and general guidance are answers.
func TestAnotherVendorsProfileIsWrongUsage(t *testing.T) {
	t.Parallel()
	rome := tree(t, "supermicro-rome-half")
	status, out, errs := run(nil, "check", "--root", rome, "--profile", "dell-16g/performance")
	assert.Equal(t, 2, status)
	assert.Empty(t, out)
	assert.Contains(t, errs, `"dell-16g/performance" is written for machines of Dell, and this one is of Supermicro; for this machine: supermicro/`)
	for profile, want := range map[string]string{
		"supermicro/packet-processing-ice-lake": "is written for the platforms ice-lake-sp, and this one is rome; for this machine: supermicro/",
		"amd-instinct/mi300x":                   "is written for the platforms genoa, and this one is rome; for this machine: supermicro/",
	} {
		status, out, errs = run(nil, "check", "--root", rome, "--profile", profile)
		assert.Equal(t, 2, status)
		assert.Empty(t, out)
		assert.Contains(t, errs, `"`+profile+`" `+want)
	}
	for _, profile := range []string{"balanced", "workloads/dpdk"} {
		status, out, errs = run(nil, "check", "--root", rome, "--profile", profile, "--fail-on", "never")
		assert.Equal(t, 0, status, errs)
		assert.NotEmpty(t, out, profile)
	}
}

// With a machine, profiles list prints what fits it.
func TestProfilesOfAMachine(t *testing.T) {
	t.Parallel()
	status, out, errs := run(nil, "profiles", "list", "--root", tree(t, "dell-r610-good"))
	require.Equal(t, 0, status, errs)
	assert.NotContains(t, out, "no document for this machine")
	assert.Contains(t, strings.Join(strings.Fields(out), " "), "; by the machine's own vendor")
	ids := 0
	for l := range strings.Lines(out) {
		if id, ok := strings.CutPrefix(l, "  dell-11g/"); ok {
			ids++
			words := strings.Fields(id)
			require.Len(t, words, 2, l)
			assert.Equal(t, words[0], words[1], "the intent that it answers")
		}
	}
	assert.Equal(t, 5, ids)
	_, out, _ = run(nil, "profiles", "list", "--root", tree(t, "dell-r610-good"), "--format", "json")
	var infos []struct {
		ID, Standing string
		Answers      []string
	}
	require.NoError(t, json.Unmarshal([]byte(out), &infos))
	assert.Len(t, infos, 7)
	for _, i := range infos {
		assert.Equal(t, map[bool]string{true: "own maker", false: "general practice"}[strings.HasPrefix(i.ID, "dell-11g/")], i.Standing)
		assert.Len(t, i.Answers, 1)
	}
	infos = nil
	_, out, _ = run(nil, "profiles", "list", "--root", tree(t, "supermicro-rome-half"))
	assert.True(t, strings.HasSuffix(out, "\n\nno document for this machine: balanced\n"), out)
	_, out, _ = run(nil, "profiles", "list", "--root", tree(t, "supermicro-rome-half"), "--format", "json")
	require.NoError(t, json.Unmarshal([]byte(out), &infos))
	standings := map[string]string{}
	for _, i := range infos {
		standings[i.ID] = i.Standing
	}
	assert.Equal(t, "general practice", standings["amd-epyc-7003/nic-latency"], "AMD's advice as HPE prints it, for a Supermicro")
	status, out, _ = run(nil, "profiles", "list", "--root", tree(t, "sun-x6440"))
	assert.Equal(t, 0, status)
	assert.Equal(t, "no document gives a profile for this machine\n", out)
}

// An export alone identifies its machine as far as its format does: Dell's includes the processors, so profiles
// apply; for others the vendor's profiles that may apply are listed with the missing fact.
func TestProfilesOfAnExport(t *testing.T) {
	t.Parallel()
	list := func(text string, args ...string) string {
		status, out, errs := run(nil, append([]string{"profiles", "list", "--bios", export(t, text)}, args...)...)
		require.Equal(t, 0, status, errs)
		return out
	}
	const dell = `{"@odata.id": "/redfish/v1/Systems/System.Embedded.1/Bios", "Attributes": {"SystemModelName": "PowerEdge R650", "SysProfile": "Custom", "ProcTurboMode": "Enabled"%s}}`
	whole := list(fmt.Sprintf(dell, `, "Proc1Brand": "Intel(R) Xeon(R) Gold 6330 CPU @ 2.00GHz", "Proc1Id": "6-6A-6"`))
	assert.Contains(t, whole, "dell-14g-15g/performance  ")
	assert.NotContains(t, whole, "dell-16g/")
	assert.NotContains(t, whole, "may apply")
	some := list(fmt.Sprintf(dell, ""))
	says, lines, ok := strings.Cut(some, "that may apply; unknown so far: processors (add --smbios FILE or --root DIR):\n")
	require.True(t, ok, some)
	assert.Contains(t, says, "its platform is not known")
	assert.NotContains(t, some, "no document for this machine")
	for _, id := range []string{"dell-14g-15g/performance", "dell-16g/performance", "dell-11g/hpc"} {
		assert.Contains(t, lines, "\n  "+id+" ")
	}
	assert.NotContains(t, lines, "hpe-")
	var infos []struct {
		ID      string
		Answers []string
		Missing []string
	}
	const lenovo = `{"@odata.id": "/redfish/v1/Systems/1/Bios", "AttributeRegistry": "BiosAttributeRegistry.1.0.0", "Attributes": {"OperatingModes_ChooseOperatingMode": "MaximumPerformance", "Processors_TurboMode": "Enabled"}}`
	require.NoError(t, json.Unmarshal([]byte(list(lenovo, "--format", "json")), &infos))
	require.NotEmpty(t, infos)
	for _, i := range infos {
		assert.Equal(t, []string{"processors", "product"}, i.Missing, i.ID)
		assert.Empty(t, i.Answers, i.ID)
	}
	assert.Equal(t, "no document is known to give a profile for this machine; its platform is not known: no processor was identified\n", list("turbo: enabled\n"), "nothing is listed without a vendor")
}
