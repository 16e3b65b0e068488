package exporter

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/prometheus/exporter-toolkit/web"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestWebConfigIsReadAsDocumented: exporter-toolkit's file of TLS and users is read by
// third_party/yaml-v2. What is refused and taken is what exporter-toolkit v0.20.0 refuses
// and takes with the parser that it names itself, tried on these texts.
func TestWebConfigIsReadAsDocumented(t *testing.T) {
	for text, refused := range map[string]string{
		"":       "",
		"null\n": "",
		"tls_server_config:\nhttp_server_config:\n":                "",
		"http_server_config: {http2: no}\n":                        "",
		"http_server_config: {headers: {X-Frame-Options: deny}}\n": "",
		"http_server_config: {headers: {X-Own: deny}}\n":           `HTTP header "X-Own" can not be configured`,
		"rate_limit: {interval: 1s, burst: 2}\n":                   "",
		"rate_limit: {interval: 1x}\n":                             "1x",
		"basic_auth_users: {yes: x}\n":                             "too short to be a bcrypted password",
		"basic_auth_users: {a: x, a: y}\n":                         "already",
		"tls_server_config: {}\ntls_server_config: {}\n":           "already",
		"tls_server_config: {min_version: TLS9}\n":                 "TLS9",
		"tls_server_config: {certificate: x}\n":                    "field certificate not found",
		"users: {a: x}\n":                                          "field users not found",
		"- 1\n":                                                    "cannot unmarshal",
		"basic_auth_users: [\n":                                    "yaml: line",
	} {
		file := filepath.Join(t.TempDir(), "web.yml")
		require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
		err := web.Validate(file)
		if refused == "" {
			assert.NoError(t, err, text)
		} else {
			assert.ErrorContains(t, err, refused, text)
		}
	}
}
