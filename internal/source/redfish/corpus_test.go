//go:build corpus

package redfish

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/memaudit/memaudit/internal/tools/corpustest"
)

// TestRealResources requests the Bios resources of real machines: each is returned completely, whatever the format of
// its attributes, links and name.
func TestRealResources(t *testing.T) {
	dir := corpustest.Shared(t, "corpus/redfish")
	files, err := filepath.Glob(filepath.Join(dir, "*.json"))
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			raw, err := os.ReadFile(file)
			require.NoError(t, err)
			var head struct {
				AttributeRegistry string
				Settings          struct {
					SettingsObject struct {
						ID string `json:"@odata.id"`
					}
				} `json:"@Redfish.Settings"`
			}
			require.NoError(t, json.Unmarshal(raw, &head))
			tree := treeAround(t, raw, head.AttributeRegistry, head.Settings.SettingsObject.ID)
			c := newClient(Options{Base: &url.URL{Scheme: "https", Host: "bmc.example"}, Timeout: time.Second})
			c.http.Transport = tree
			a := c.read(context.Background(), Identity{})
			require.NoError(t, a.Err())
			require.NotNil(t, a.BIOS)
			assert.Equal(t, raw, a.BIOS.Resource)
			assert.Equal(t, head.Settings.SettingsObject.ID != "", a.BIOS.Settings != nil, a.Notes)
			assert.Equal(t, head.AttributeRegistry != "", a.BIOS.Registry != nil, a.Notes)
			assert.Equal(t, "/redfish/v1/Systems/ID/Bios", a.BIOS.Path, "the name of a Cisco system is its serial number")
		})
	}
}

// treeAround is a service with that Bios resource, the settings object that it names, and its registry under the name
// with dots.
func treeAround(t *testing.T, resource []byte, registry, settings string) answers {
	t.Helper()
	tree := answers{
		rootPath:                            `{"Systems":{"@odata.id":"/s"},"Registries":{"@odata.id":"/r"}}`,
		"/s":                                `{"Members":[{"@odata.id":"/redfish/v1/Systems/REDACTED"}]}`,
		"/redfish/v1/Systems/REDACTED/Bios": string(resource),
		"/r":                                `{"Members":[{"@odata.id":"/r/Base.1.0"},{"@odata.id":"/r/` + strings.ToLower(registry) + `/"}]}`,
		"/r/en.json":                        `{"RegistryEntries":{"Attributes":[{"AttributeName":"NumaNodes"}]}}`,
		"/redfish/v1/Systems/REDACTED":      `{"Bios":{"@odata.id":"/redfish/v1/Systems/REDACTED/Bios"}}`,
	}
	if registry != "" {
		tree["/r/"+strings.ToLower(registry)+"/"] = `{"Location":[{"Language":"en-US","Uri":"/r/en.json"}]}`
	}
	if settings != "" {
		tree[settings] = `{"Attributes":{}}`
	}
	return tree
}

// answers is a service without a network.
type answers map[string]string

func (a answers) RoundTrip(r *http.Request) (*http.Response, error) {
	body, ok := a[r.URL.RequestURI()]
	if !ok {
		resp, err := sameAnswer("{}").RoundTrip(r)
		resp.StatusCode = http.StatusNotFound
		return resp, err
	}
	return answerOf(r, body), nil
}
