//go:build e2e && nightly

package e2e

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"memaudit.example/memaudit/internal/tools/machinetest"
)

// harness shows every page in turn and sends the results of its checks; lookScript has the checks.
//
//go:embed testdata/page/harness.html
var harness string

//go:embed testdata/page/look.js
var lookScript string

// chromium runs the browser headless until stop is closed or it ends by itself.
func chromium(t *testing.T, stop <-chan struct{}, args ...string) {
	t.Helper()
	program := needProgram(t, "chromium", "chromium-browser", "google-chrome")
	runBrowser(t, stop, exec.Command(program, append([]string{"--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--hide-scrollbars", "--no-first-run",
		"--disable-background-networking", "--disable-component-update", "--disable-sync", "--user-data-dir=" + t.TempDir()}, args...)...))
}

// firefox shows a page in a narrow dark headless Firefox until stop is closed.
func firefox(t *testing.T, stop <-chan struct{}, url string) {
	t.Helper()
	path, profile := needProgram(t, "firefox-esr", "firefox"), t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(profile, "user.js"), []byte(`user_pref("layout.css.prefers-color-scheme.content-override", 0);
user_pref("browser.shell.checkDefaultBrowser", false);
user_pref("datareporting.policy.dataSubmissionEnabled", false);
user_pref("app.normandy.enabled", false);
user_pref("network.captive-portal-service.enabled", false);
user_pref("network.connectivity-service.enabled", false);
`), 0o600))
	cmd := exec.Command(path, "--headless", "--no-remote", "--profile", profile, url)
	cmd.Env = append(os.Environ(), "HOME="+profile, "MOZ_HEADLESS_WIDTH=400", "MOZ_HEADLESS_HEIGHT=900")
	runBrowser(t, stop, cmd)
}

// runBrowser runs a browser until stop is closed or it ends by itself.
func runBrowser(t *testing.T, stop <-chan struct{}, cmd *exec.Cmd) {
	t.Helper()
	// The browser has many processes, which keep its output open.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.WaitDelay = 5 * time.Second
	var said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &said, &said
	require.NoError(t, cmd.Start())
	kill := func() { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	select {
	case <-stop:
		kill()
		<-ended
	case err := <-ended:
		require.NoError(t, err, said.String())
		if stop != nil {
			require.Fail(t, "the browser ended early", said.String())
		}
	case <-time.After(10 * time.Minute):
		kill()
		<-ended
		require.Fail(t, "the browser did not end within 10 minutes", said.String())
	}
}

// axe is the accessibility checker, "" if make axe did not install it.
func axe(t *testing.T) string {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(root, ".tools", "axe", "lib", "python3*", "site-packages", "axe_playwright_python", "axe.min.js"))
	require.NoError(t, err)
	if len(found) == 0 {
		require.Empty(t, os.Getenv("CI"), "no axe-core: make axe installs it")
		t.Log("axe-core is not installed (make axe): accessibility is checked against the test's own checks alone")
		return ""
	}
	return readFile(t, found[0])
}

// shownPages are the pages of all machines of the project, each alone and all as a fleet.
func shownPages(t *testing.T) map[string]string {
	t.Helper()
	pages := map[string]string{}
	for _, m := range machinetest.All() {
		_, pages[m.Name], _ = run(t, nil, "check", "--root", treeOf(t, m.Name), "--profile", m.Profile, "--format", "html")
	}
	var trees []string
	for _, m := range machinetest.All() {
		trees = append(trees, treeOf(t, m.Name))
	}
	_, pages["fleet"], _ = run(t, nil, append([]string{"fleet", "--format", "html"}, trees...)...)
	return pages
}

// contrastByAxe are the pages whose contrast axe-core measures too: with failures, with something of every kind,
// without a slot.
var contrastByAxe = []string{machine, "made-up bad", "guest-without-smbios"}

// list is a list of names as JavaScript writes it.
func list(names []string) string {
	out, _ := json.Marshal(names) // strings alone
	return string(out)
}

// looked are the results of the checks of one page at one width.
type looked struct {
	Page      string
	Problems  []string
	Articles  int
	Violation []string
	// Texts is the number of texts compared with their painted background.
	Texts int
}

// site serves the pages with the checks added, and notes what is asked for.
type site struct {
	width int
	pages map[string]string
	axe   string
	mu    sync.Mutex
	asked []string
	got   chan looked
}

func (s *site) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	s.asked = append(s.asked, r.URL.Path)
	s.mu.Unlock()
	switch name := strings.TrimPrefix(r.URL.Path, "/page/"); {
	case r.URL.Path == "/":
		names := make([]string, 0, len(s.pages))
		for name := range s.pages {
			names = append(names, name)
		}
		slices.Sort(names)
		io.WriteString(w, strings.NewReplacer("PAGES", list(names), "BYAXE", list(contrastByAxe), "WIDTH", strconv.Itoa(s.width)).Replace(harness))
	case r.URL.Path == "/look.js":
		io.WriteString(w, lookScript)
	case r.URL.Path == "/axe.js":
		io.WriteString(w, s.axe)
	case r.URL.Path == "/result":
		var one looked
		if err := json.NewDecoder(r.Body).Decode(&one); err != nil {
			one.Problems = []string{err.Error()}
		}
		s.got <- one
	case s.pages[name] != "":
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		checked := regexp.MustCompile(`<meta http-equiv="Content-Security-Policy"[^>]*>`).ReplaceAllString(s.pages[name], "")
		io.WriteString(w, strings.Replace(checked, "</body>", `<script src="/axe.js"></script><script src="/look.js"></script></body>`, 1))
	default:
		http.NotFound(w, r)
	}
}

// TestBrowser checks at the width of a phone and of a screen, collapsed and expanded, that nothing on any page
// overlaps, is cut or exceeds its frame, that every text has enough contrast in light and in dark colours, and that
// axe-core finds no fault.
func TestBrowser(t *testing.T) {
	pages, script := shownPages(t), axe(t)
	for _, width := range []int{400, 1280} {
		t.Run(strconv.Itoa(width), func(t *testing.T) {
			t.Parallel()
			lookAt(t, &site{width: width, pages: pages, axe: script, got: make(chan looked)})
		})
	}
}

// lookAt opens all pages of a site in a browser.
func lookAt(t *testing.T, s *site) {
	t.Helper()
	server := httptest.NewServer(s)
	defer server.Close()
	stop := make(chan struct{})
	var all []looked
	go func() {
		for len(all) < len(s.pages) {
			all = append(all, <-s.got)
		}
		close(stop)
	}()
	chromium(t, stop, "--remote-debugging-port=0", server.URL+"/")
	require.Len(t, all, len(s.pages))
	for _, l := range all {
		assert.Empty(t, l.Problems, l.Page)
		assert.Empty(t, l.Violation, l.Page)
		assert.Greater(t, l.Texts, 40, l.Page)
		if strings.Contains(s.pages[l.Page], "<article") {
			assert.Positive(t, l.Articles, l.Page)
		}
	}
	for _, path := range s.asked {
		known := path == "/" || path == "/look.js" || path == "/axe.js" || path == "/result" || path == "/favicon.ico" || strings.HasPrefix(path, "/page/")
		assert.True(t, known, "a page asked for %s", path)
	}
}

// TestBrowserPrints checks that a machine prints on one sheet for the rack, also one of eight processors with 128
// slots whose advice affects each, and one compared with another profile's settings.
func TestBrowserPrints(t *testing.T) {
	for name, profile := range map[string]string{
		machine: "max-performance", "fujitsu-rx900s2-one-controller": "max-performance", "fujitsu-rx900s2-class1": "balanced", "fujitsu-rx900s2-class2": "balanced",
		"fujitsu-rx600s6-class1": "balanced", "fujitsu-rx600s6-class2": "balanced", "fujitsu-rx600s6-class3": "balanced", "supermicro-x7db8-deep": "balanced",
	} {
		dir := t.TempDir()
		page, pdf := filepath.Join(dir, "page.html"), filepath.Join(dir, "page.pdf")
		status, _, errs := run(t, nil, "check", "--root", treeOf(t, name), "--profile", profile, "--format", "html", "--output", page, "--fail-on", "never")
		require.Contains(t, []int{0, 3}, status, "3: the verdict of some is unknown. %s", errs)
		chromium(t, nil, "--no-pdf-header-footer", "--print-to-pdf="+pdf, "file://"+page)
		assert.Len(t, regexp.MustCompile(`/Type\s*/Page\b`).FindAll([]byte(readFile(t, pdf)), -1), 1, name)
	}
}

// TestBiggestPage checks that 8 equal sockets with 128 slots make less than 400 kB, with one picture.
func TestBiggestPage(t *testing.T) {
	_, page, errs := run(t, nil, "check", "--smbios", private(t, "big.bin", machinetest.ManySlots().Dump()), "--format", "html")
	require.Empty(t, errs)
	t.Logf("%d bytes", len(page))
	assert.Less(t, len(page), 400_000)
	assert.Equal(t, 128, strings.Count(page, `<td data-head="handle">`), "all slots are in the table")
	assert.Equal(t, 16, strings.Count(page, "data-handle="), "the processors are equal: one is drawn")
}
