//go:build e2e

package e2e

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/hex"
	"encoding/pem"
	"math/big"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"memaudit.example/memaudit/internal/tools/machinetest"
)

// TestExamples runs every command of the console blocks in the documents and
// expects it to work. `make test` and `make check` are run by the tests' own
// callers and by hand.
func TestExamples(t *testing.T) {
	var files []string
	for _, pattern := range []string{"*.md", "*/*.md", "*/*/*.md"} {
		more, err := filepath.Glob(filepath.Join(root, pattern))
		require.NoError(t, err)
		files = append(files, more...)
	}
	count := 0
	for _, file := range files {
		data := readFile(t, file)
		for _, command := range commands(data) {
			count++
			t.Run(command, func(t *testing.T) {
				if command == "make test" {
					t.Skip("these tests run below it")
				}
				cmd := exec.Command("bash", "-c", command)
				cmd.Dir = root
				cmd.Env = append(os.Environ(), "PATH="+filepath.Dir(binary(t))+":"+os.Getenv("PATH"))
				out, err := cmd.CombinedOutput()
				if err != nil && (strings.Contains(command, "unbalanced") || strings.Contains(command, "demo") || strings.Contains(command, "examples/")) && cmd.ProcessState.ExitCode() == 1 {
					err = nil // the example is a machine with findings
				}
				require.NoError(t, err, string(out))
				assert.NotEmpty(t, out)
			})
		}
	}
	assert.Positive(t, count)
}

// commands lists the lines after "$ " in blocks marked console.
func commands(text string) []string {
	var out []string
	inside := false
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\n")
		switch {
		case line == "```console":
			inside = true
		case strings.HasPrefix(line, "```"):
			inside = false
		case inside && strings.HasPrefix(line, "$ "):
			out = append(out, strings.TrimPrefix(line, "$ "))
		}
	}
	return out
}

// TestReportsInPages compares the first report in the guide and the tutorial with the program's output, except for
// the number of passes, which each rule changes.
func TestReportsInPages(t *testing.T) {
	for name, args := range map[string][]string{"docs/guide.md": {"demo", "--profile", "max-performance"}, "docs/tutorial.md": {"demo"}} {
		_, want, _ := run(t, nil, args...)
		file := filepath.Join(root, name)
		before, rest, ok := strings.Cut(readFile(t, file), "```text\n")
		require.True(t, ok, name)
		shown, after, ok := strings.Cut(rest, "```")
		require.True(t, ok, name)
		if machinetest.Uncounted(want) == machinetest.Uncounted(shown) {
			continue
		}
		if os.Getenv("UPDATE") != "" {
			require.NoError(t, os.WriteFile(file, []byte(before+"```text\n"+want+"```"+after), 0o644))
			continue
		}
		assert.Equal(t, want, shown, "%s: UPDATE=1 make e2e rewrites it", name)
	}
}

// TestTutorialPlay checks that the play in the tutorial is that of the collection's page, which TestAnsible runs.
func TestTutorialPlay(t *testing.T) {
	tutorial, page := readFile(t, filepath.Join(root, "docs", "tutorial.md")), readFile(t, filepath.Join(root, "deploy", "ansible", "README.md"))
	require.Len(t, fenced(tutorial, "yaml"), 1)
	assert.Contains(t, fenced(page, "yaml"), fenced(tutorial, "yaml")[0])
}

// TestRuleExample checks that the rule in rules/README.md is valid, including its cases.
func TestRuleExample(t *testing.T) {
	file := private(t, "site.yaml", fenced(readFile(t, filepath.Join(root, "rules", "README.md")), "yaml")[0])
	status, out, errs := run(t, nil, "rules", "validate", file)
	assert.Equal(t, 0, status, errs)
	assert.Contains(t, out, "1 rule, 3 cases, no complaint")
	status, out, errs = run(t, nil, "check", "--root", treeOf(t, "dell-r610-good"), "--rules", filepath.Dir(file), "--format", "json")
	assert.Equal(t, 1, status, errs)
	assert.Equal(t, "fail", results(t, out)["memory.site.capacity machine"])
}

// TestExampleConfiguration checks that the program reads the example configuration.
func TestExampleConfiguration(t *testing.T) {
	status, _, errs := run(t, nil, "check", "--root", treeOf(t, "dell-r610-good"), "--config", private(t, "memaudit.yaml", readFile(t, filepath.Join(root, "deploy/memaudit.yaml"))))
	assert.Equal(t, 0, status, errs)
}

// sum is a file's SHA-256.
func sum(t *testing.T, file string) string {
	t.Helper()
	h := sha256.Sum256([]byte(readFile(t, file)))
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
	data := readFile(t, name)
	var out map[string]any
	require.NoError(t, yaml.Unmarshal([]byte(data), &out), name)
	return out
}

// certificate writes a certificate for 127.0.0.1 and its key, valid for an hour, and gives their files.
func certificate(t *testing.T) (cert, key string) {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	tmpl := &x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "bmc"}, NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, IsCA: true, BasicConstraintsValid: true,
		KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}}
	der, err := x509.CreateCertificate(rand.Reader, tmpl, tmpl, &private.PublicKey, private)
	require.NoError(t, err)
	raw, err := x509.MarshalPKCS8PrivateKey(private)
	require.NoError(t, err)
	dir := t.TempDir()
	cert, key = filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")
	require.NoError(t, os.WriteFile(cert, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), 0o600))
	require.NoError(t, os.WriteFile(key, pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: raw}), 0o600))
	return cert, key
}

// private writes a file for its owner's eyes.
func private[T ~string | ~[]byte](t *testing.T, name string, text T) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), name)
	require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
	return file
}
