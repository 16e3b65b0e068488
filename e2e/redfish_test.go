//go:build e2e && nightly

package e2e

import (
	"crypto/tls"
	"encoding/json"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const (
	bmcUser     = "auditor"
	bmcPassword = "h0rse-battery-st4ple"
	bmcToken    = "9f8e7d6c5b4a-token"
	bmcMachine  = "supermicro-rome-half"
	bmcMockup   = "testdata/redfish/supermicro-rome-half"
)

// bmcSecrets are the words that no output may contain: password, token, and the mockup's identifiers.
var bmcSecrets = []string{bmcPassword, bmcToken, "S000000X0000001", "3cecef000001", "rack 7 unit 12", "rome-0001", "S0000000000"}

// sushy starts the Redfish service of sushy-tools with a mockup, a folder from the repository's top, with TLS. Without the
// package it fails in CI; a developer is told how to get it.
func sushy(t *testing.T, mockup, cert, key string) *url.URL {
	t.Helper()
	program := os.Getenv("SUSHY_STATIC")
	if program == "" {
		var err error
		program, err = filepath.Abs(filepath.Join(root, ".tools", "sushy", "bin", "sushy-static"))
		require.NoError(t, err)
	}
	if _, err := os.Stat(program); err != nil {
		if os.Getenv("CI") != "" {
			require.NoError(t, err, "`make sushy` installs it")
		}
		t.Skip("sushy-static is not installed: `make sushy` installs it")
	}
	port := freePort(t)
	cmd := exec.Command(program, "-i", "127.0.0.1", "-p", port, "-m", mockup, "-c", cert, "-k", key)
	cmd.Dir = root
	startProcess(t, cmd)
	waitForPort(t, "127.0.0.1:"+port)
	return &url.URL{Scheme: "https", Host: "127.0.0.1:" + port}
}

// guard is a TLS proxy that asks for a login before it hands on to the real
// service: by sessions, or by Basic.
type guard struct {
	*httptest.Server
	proxy http.Handler
	basic bool

	mu          sync.Mutex
	open, wrote int
}

func newGuard(t *testing.T, service *url.URL, cert, key string) *guard {
	t.Helper()
	proxy := httputil.NewSingleHostReverseProxy(service)
	proxy.Transport = &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}
	g := &guard{proxy: proxy}
	pair, err := tls.LoadX509KeyPair(cert, key)
	require.NoError(t, err)
	g.Server = httptest.NewUnstartedServer(g)
	g.Config.ErrorLog = log.New(io.Discard, "", 0) // refused handshakes are what some tests want
	g.TLS = &tls.Config{Certificates: []tls.Certificate{pair}}
	g.StartTLS()
	t.Cleanup(g.Close)
	return g
}

func (g *guard) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	const sessions = "/redfish/v1/SessionService/Sessions"
	user, password, ok := r.BasicAuth()
	allowed := r.URL.Path == "/redfish/v1/" && !g.basic || g.basic && ok && user == bmcUser && password == bmcPassword ||
		!g.basic && r.Header.Get("X-Auth-Token") == bmcToken
	switch {
	case r.Method == http.MethodPost && r.URL.Path == sessions && !g.basic:
		g.login(w, r)
	case !allowed:
		w.Header().Set("WWW-Authenticate", `Basic realm="bmc"`)
		w.WriteHeader(http.StatusUnauthorized)
	case r.Method == http.MethodDelete && r.URL.Path == sessions+"/1":
		g.count(-1, 0)
		w.WriteHeader(http.StatusNoContent)
	case r.Method != http.MethodGet:
		g.count(0, 1)
		w.WriteHeader(http.StatusMethodNotAllowed)
	default:
		g.proxy.ServeHTTP(w, r)
	}
}

func (g *guard) count(open, wrote int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.open += open
	g.wrote += wrote
}

func (g *guard) login(w http.ResponseWriter, r *http.Request) {
	var body struct{ UserName, Password string }
	if json.NewDecoder(r.Body).Decode(&body) != nil || body.UserName != bmcUser || body.Password != bmcPassword {
		w.WriteHeader(http.StatusUnauthorized)
		return
	}
	g.count(1, 0)
	w.Header().Set("X-Auth-Token", bmcToken)
	w.Header().Set("Location", "/redfish/v1/SessionService/Sessions/1")
	w.WriteHeader(http.StatusCreated)
}

// askBMC runs a command for the machine and its controller and checks that no output contains a secret.
func askBMC(t *testing.T, command string, service *url.URL, ca, password string, more ...string) (status int, stdout, stderr string) {
	t.Helper()
	conf := "redfish: {timeout: 5s"
	if ca != "" {
		conf += ", ca: " + ca
	}
	args := append([]string{command, "--root", treeOf(t, bmcMachine), "--redfish", service.String(),
		"--redfish-credentials", private(t, "bmc.yaml", "username: "+bmcUser+"\npassword: "+password+"\n"),
		"--config", private(t, "memaudit.yaml", conf+"}\n")}, more...)
	start := time.Now()
	status, stdout, stderr = run(t, nil, args...)
	assert.Less(t, time.Since(start), 12*time.Second, "the deadline is 5 s, and 5 s more for the logout")
	for _, word := range append(bmcSecrets, password) {
		assert.NotContains(t, stdout, word)
		assert.NotContains(t, stderr, word)
	}
	return status, stdout, stderr
}

// bmcInventory is what the tests look at in JSON.
type bmcInventory struct {
	Settings map[string]struct {
		Configured, Pending, Effective struct {
			Value    *string
			Evidence []struct{ Source, Path, Raw string }
		}
	}
	Sources []struct{ Name, State, Detail string }
	Slots   []struct {
		Locator string
		Health  *string
		Errors  *struct {
			Corrected  int64
			Source, By string
		}
	}
	Inventory *bmcInventory
}

// source returns state and detail of the controller's entry.
func source(t *testing.T, stdout string) (state, detail string) {
	t.Helper()
	inv := decoded[bmcInventory](t, stdout)
	if inv.Inventory != nil {
		inv = *inv.Inventory
	}
	for _, s := range inv.Sources {
		if s.Name == "redfish" {
			return s.State, s.Detail
		}
	}
	t.Fatal("no source redfish")
	return "", ""
}

// TestRedfish audits through the real service of sushy-tools, over TLS with a
// login: by session, by Basic, and straight.
func TestRedfish(t *testing.T) {
	cert, key := certificate(t)
	service := sushy(t, bmcMockup, cert, key)
	for name, basic := range map[string]bool{"session": false, "basic": true} {
		t.Run(name, func(t *testing.T) {
			g := newGuard(t, service, cert, key)
			g.basic = basic
			at, err := url.Parse(g.URL)
			require.NoError(t, err)
			status, out, errs := askBMC(t, "inventory", at, cert, bmcPassword, "--format", "json")
			require.Zero(t, status, errs)
			assert.Empty(t, errs)
			state, detail := source(t, out)
			assert.Equal(t, "ok", state, detail)
			assert.Contains(t, detail, "AS -1014S-WTRT, known by its model; 15 BIOS attributes; 4 modules; differs from SMBIOS in 1 things, the first: speed of slot 0x000B (DIMMG1) is 2933, SMBIOS says 3200")
			assert.Zero(t, g.open, "the session was not given back")
			assert.Zero(t, g.wrote, "something was written")
			health(t, out)
		})
	}
	t.Run("straight", func(t *testing.T) {
		status, out, errs := askBMC(t, "check", service, cert, bmcPassword, "--format", "json")
		assert.Equal(t, 1, status, errs)
		got := results(t, out)
		assert.Equal(t, "fail", got["memory.channel.populated socket 0"])
		assert.Equal(t, "fail", got["settings.conflict setting smt"], "setup says disabled, the kernel runs with SMT")
		assert.Equal(t, "fail", got["settings.pending setting smt"])
		assert.Equal(t, "fail", got["memory.module.health slot 0x0009 (DIMME1)"])
		assert.Equal(t, "unknown", got["memory.errors.corrected slot 0x0009 (DIMME1)"], "61 errors in an unknown time")
	})
	t.Run("insecure", func(t *testing.T) {
		status, out, errs := askBMC(t, "inventory", service, "", bmcPassword, "--redfish-insecure")
		assert.Zero(t, status, errs)
		assert.Contains(t, out, "CERTIFICATE NOT VERIFIED")
	})
}

// health checks that the controller's settings, the pending ones and the kernel's are separate, and that the failing module
// is reported.
func health(t *testing.T, stdout string) {
	t.Helper()
	inv := decoded[bmcInventory](t, stdout)
	smt := inv.Settings["smt"]
	for _, f := range []struct {
		value *string
		want  string
	}{{smt.Configured.Value, "disabled"}, {smt.Pending.Value, "auto"}, {smt.Effective.Value, "enabled"},
		{inv.Settings["sub_numa"].Configured.Value, "nps1"}, {inv.Settings["determinism"].Configured.Value, "performance"}} {
		if assert.NotNil(t, f.value, f.want) {
			assert.Equal(t, f.want, *f.value)
		}
	}
	require.NotEmpty(t, smt.Configured.Evidence)
	e := smt.Configured.Evidence[0]
	assert.Equal(t, "redfish", e.Source)
	assert.True(t, strings.HasPrefix(e.Path, "/redfish/v1/Systems/1/Bios"), e.Path)
	got := map[string]string{}
	for _, s := range inv.Slots {
		if s.Health != nil {
			got[s.Locator] = *s.Health
		}
	}
	assert.Equal(t, map[string]string{"DIMMA1": "OK", "DIMMC1": "OK", "DIMME1": "Critical", "DIMMG1": "OK"}, got)
	counted := map[string]int64{}
	for _, s := range inv.Slots {
		if s.Errors != nil {
			counted[s.Locator] = s.Errors.Corrected
			assert.Equal(t, "redfish controller", s.Errors.Source+" "+s.Errors.By)
		}
	}
	assert.Equal(t, map[string]int64{"DIMMA1": 0, "DIMMC1": 0, "DIMME1": 61, "DIMMG1": 0}, counted)
}
