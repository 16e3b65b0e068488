//go:build e2e && nightly

package e2e

import (
	"bytes"
	"crypto/tls"
	"encoding/json"
	"maps"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// patchPack is a site's own profile: rows that the mockup's machine fails, one
// that waits for its next boot, one that it meets.
const patchPack = `profiles:
  - id: site/quiet
    intent: [low-latency]
    title: our own
    for: {vendors: [Supermicro]}
    citation: {vendor: Site, title: Decision 7}
    settings:
      smt: {want: [enabled, auto], level: warning}
      sub_numa: {want: nps4, level: warning}
      virtualization: {want: enabled, level: info}
      turbo: {want: disabled, level: info}
      determinism: {want: power, level: info}
      iommu: {want: enabled, level: info}
`

// emulator is the real service over a copy of the mockup, whose settings object
// this test keeps: the service itself throws a PATCH away.
type emulator struct {
	mockup string
	at     *url.URL
	cert   string
}

func newEmulator(t *testing.T) *emulator {
	t.Helper()
	mockup := t.TempDir()
	require.NoError(t, os.CopyFS(mockup, os.DirFS(filepath.Join(root, bmcMockup))))
	cert, key := certificate(t)
	return &emulator{mockup, sushy(t, mockup, cert, key), cert}
}

func (e *emulator) read(t *testing.T, path string) map[string]any {
	t.Helper()
	return decoded[map[string]any](t, readFile(t, filepath.Join(e.mockup, path, "index.json")))
}

func (e *emulator) write(t *testing.T, path string, resource map[string]any) {
	t.Helper()
	data, err := json.Marshal(resource)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(e.mockup, path, "index.json"), data, 0o600))
}

// apply sends the request as an operator does, and keeps it as a service does
// that knows its registry: a name that the resource does not have, a value that
// the registry does not offer or an attribute that cannot be changed is refused.
func (e *emulator) apply(t *testing.T, to string, body string) {
	t.Helper()
	client := &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}}
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPatch, e.at.String()+to, bytes.NewBufferString(body))
	require.NoError(t, err)
	request.Header.Set("Content-Type", "application/json")
	answer, err := client.Do(request)
	require.NoError(t, err)
	require.NoError(t, answer.Body.Close())
	require.Equal(t, http.StatusNoContent, answer.StatusCode)
	change := decoded[struct{ Attributes map[string]any }](t, body)
	registry := decoded[struct {
		RegistryEntries struct {
			Attributes []struct {
				AttributeName string
				ReadOnly      bool
				Value         []struct{ ValueName string }
			}
		}
	}](t, readFile(t, filepath.Join(e.mockup, "Registries/BiosAttributeRegistry.v1_0_0/en/index.json")))
	settings := e.read(t, "Systems/1/Bios/SD")
	for name, value := range change.Attributes {
		require.Contains(t, e.read(t, "Systems/1/Bios")["Attributes"], name)
		for _, a := range registry.RegistryEntries.Attributes {
			if a.AttributeName == name {
				require.False(t, a.ReadOnly, name)
				require.Contains(t, a.Value, struct{ ValueName string }{value.(string)}, name)
			}
		}
	}
	maps.Copy(settings["Attributes"].(map[string]any), change.Attributes)
	e.write(t, "Systems/1/Bios/SD", settings)
}

// boot applies the pending changes.
func (e *emulator) boot(t *testing.T) {
	t.Helper()
	now, next := e.read(t, "Systems/1/Bios"), e.read(t, "Systems/1/Bios/SD")
	maps.Copy(now["Attributes"].(map[string]any), next["Attributes"].(map[string]any))
	e.write(t, "Systems/1/Bios", now)
	next["Attributes"] = map[string]any{}
	e.write(t, "Systems/1/Bios/SD", next)
}

// configured are the findings about settings of the controller alone, because the machine's own tree is from before
// the boot.
func (e *emulator) configured(t *testing.T, rules string) map[string]string {
	t.Helper()
	empty := t.TempDir()
	require.NoError(t, os.Mkdir(filepath.Join(empty, "sys"), 0o700))
	_, out, errs := run(t, nil, "check", "--root", empty, "--redfish", e.at.String(), "--redfish-insecure", "--rules", rules, "--profile", "site/quiet",
		"--redfish-credentials", private(t, "bmc.yaml", "username: "+bmcUser+"\npassword: "+bmcPassword+"\n"), "--format", "json")
	got := results(t, out)
	require.NotEmpty(t, got, errs)
	maps.DeleteFunc(got, func(id, _ string) bool { return !regexp.MustCompile(`^settings?\.`).MatchString(id) })
	return got
}

// TestRedfishPatch applies the output of profiles patch to the real service's settings object: only what differs is
// changed, what is pending already is not changed again, nothing is left to change before the boot nor after it, and
// the audit then passes every row that was not left open.
func TestRedfishPatch(t *testing.T) {
	e := newEmulator(t)
	rules := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(rules, "quiet.yaml"), []byte(patchPack), 0o600))
	patch := func() (int, string, string) {
		return askBMC(t, "profiles", e.at, e.cert, bmcPassword, "patch", "site/quiet", "--rules", rules)
	}
	before := e.read(t, "Systems/1/Bios")["Attributes"].(map[string]any)
	status, body, notes := patch()
	require.Zero(t, status, notes)
	assert.JSONEq(t, `{"Attributes": {"NUMANodesPerSocket_703E": "NPS4", "SVMMode_00D8": "Enabled"}}`, body, notes)
	assert.Contains(t, notes, "2 to change, 2 as wanted")
	assert.Contains(t, notes, "determinism is left as it is", "nothing proves how this machine spells it")
	assert.Contains(t, notes, "turbo is left as it is", "two spellings are on record, and the service's registry does not list it")
	to := regexp.MustCompile(`PATCH (/redfish/\S+)`).FindStringSubmatch(notes)
	require.NotNil(t, to, notes)
	e.apply(t, to[1], body)
	status, body, notes = patch()
	require.Zero(t, status, notes)
	assert.Empty(t, body, "what waits is not changed again")
	e.boot(t)
	status, body, notes = patch()
	require.Zero(t, status, notes)
	assert.Empty(t, body)
	assert.Contains(t, notes, "0 to change, 4 as wanted")
	after := e.read(t, "Systems/1/Bios")["Attributes"].(map[string]any)
	for name, value := range before {
		changed := slices.Contains([]string{"NUMANodesPerSocket_703E", "SVMMode_00D8", "SMTControl_00CB"}, name)
		assert.Equal(t, !changed, value == after[name], name)
	}
	got := e.configured(t, rules)
	for _, id := range []string{"smt", "sub_numa", "virtualization", "iommu"} {
		assert.Equal(t, "pass", got["setting."+id+" setting "+id], id)
	}
	assert.Equal(t, "fail", got["setting.determinism setting determinism"], "it was left open")
}
