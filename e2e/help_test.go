//go:build e2e

package e2e

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"
)

// sum is a file's SHA-256.
func sum(t *testing.T, file string) string {
	t.Helper()
	data, err := os.ReadFile(file)
	require.NoError(t, err)
	h := sha256.Sum256(data)
	return hex.EncodeToString(h[:])
}

// fenced lists the blocks of one language of a page.
func fenced(page, language string) []string {
	var out []string
	for {
		_, rest, ok := strings.Cut(page, "```"+language+"\n")
		if !ok {
			return out
		}
		block, after, _ := strings.Cut(rest, "```")
		out, page = append(out, block), after
	}
}

// yamlFile reads one YAML document.
func yamlFile(t *testing.T, name string) map[string]any {
	t.Helper()
	data, err := os.ReadFile(name)
	require.NoError(t, err)
	var out map[string]any
	require.NoError(t, yaml.Unmarshal(data, &out), name)
	return out
}
