//go:build e2e && nightly

package e2e

import (
	_ "embed"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

//go:embed testdata/web/drive.js
var driveScript string

// maxWeb limits the compressed program of the page in the browser, in bytes. About a megabyte of it
// are methods that the linker keeps for html/template.
const maxWeb = 7_000_000

// webInput is a file for the page, and what the native program prints of it.
type webInput struct {
	Name       string
	Text       bool // pasted, not dropped
	Data       []byte
	JSON, HTML string
}

// realTexts are dmidecode texts of real servers, none without the tag corpus.
var realTexts = func(testing.TB) []webInput { return nil }

// webInputs are captures, dmidecode texts and tables; with the tag corpus fifty texts of real servers too.
func webInputs(t *testing.T) []webInput {
	t.Helper()
	var all []webInput
	add := func(in webInput, args ...string) {
		var stdin []byte
		if args[1] == "-" {
			stdin = in.Data
		}
		_, in.JSON, _ = run(t, stdin, append([]string{"check", "--format", "json"}, args...)...)
		_, in.HTML, _ = run(t, stdin, append([]string{"check", "--format", "html"}, args...)...)
		require.NotEmpty(t, in.JSON, in.Name)
		all = append(all, in)
	}
	for _, name := range []string{"dell-r610.tar.gz", "dell-r7625.tar.gz"} {
		file := filepath.Join("examples", name)
		add(webInput{Name: name, Data: []byte(readFile(t, filepath.Join(root, file)))}, "--snapshot", file)
	}
	for _, name := range []string{"fujitsu-rx900s2-class2", "supermicro-rome-half"} {
		data := []byte(readFile(t, filepath.Join(treeOf(t, name), "sys/firmware/dmi/tables/DMI")))
		add(webInput{Name: name, Data: data}, "--smbios", "-")
	}
	for _, name := range []string{"made-2.7", "made-3.2"} {
		data := []byte(readFile(t, filepath.Join(root, "testdata/smbios", name+".dmidecode.txt")))
		add(webInput{Name: name, Text: true, Data: data}, "--smbios", "-")
	}
	for _, in := range realTexts(t) {
		if _, _, errs := run(t, in.Data, "check", "--smbios", "-", "--format", "json"); errs == "" {
			add(in, "--smbios", "-")
		}
	}
	return all
}

// TestWebPage checks in Chromium (light) and Firefox (dark) that the page gives the native program's documents and
// what-ifs, and makes no request after it is loaded.
func TestWebPage(t *testing.T) {
	dir := t.TempDir()
	inputs := webInputs(t)
	var native struct {
		Memaudit struct{ Version, Revision string }
	}
	require.NoError(t, json.Unmarshal([]byte(inputs[0].JSON), &native))
	build := exec.Command("scripts/web", dir, "-X main.version="+native.Memaudit.Version+" -X main.revision="+native.Memaudit.Revision)
	build.Dir = root
	out, err := build.CombinedOutput()
	require.NoError(t, err, string(out))
	checkSize(t, filepath.Join(dir, "memaudit.wasm.gz"), maxWeb)
	if kept := os.Getenv("WEB_KEEP"); kept != "" {
		require.NoError(t, os.CopyFS(kept, os.DirFS(dir)))
	}

	_, whatIf, _ := run(t, nil, "plan", "--snapshot", "examples/dell-r610.tar.gz", "--move", "DIMM_B4=DIMM_B3")
	quoted := func(v any) string {
		data, err := json.Marshal(v)
		require.NoError(t, err)
		return string(data)
	}
	for name, show := range map[string]func(t *testing.T, stop <-chan struct{}, url string){
		"Chromium": func(t *testing.T, stop <-chan struct{}, url string) {
			chromium(t, stop, "--remote-debugging-port=0", "--window-size=400,900", url)
		},
		"Firefox": firefox,
	} {
		t.Run(name, func(t *testing.T) {
			dark := quoted(name == "Firefox")
			drivePage(t, dir, strings.NewReplacer("PAGES", quoted(inputs), "WHATIF", quoted(whatIf), "DARK", dark).Replace(driveScript), len(inputs), show)
		})
	}
}

// drivePage serves the page in dir with a script that uses it and checks count documents.
func drivePage(t *testing.T, dir, drive string, count int, show func(t *testing.T, stop <-chan struct{}, url string)) {
	t.Helper()
	var mu sync.Mutex
	var asked []string
	stop := make(chan struct{})
	var result struct {
		Problems     []string
		Milliseconds []float64
		Loading      float64
	}
	files := http.FileServer(http.Dir(dir))
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		asked = append(asked, r.URL.Path)
		switch r.URL.Path {
		case "/":
			page := readFile(t, filepath.Join(dir, "index.html"))
			_, _ = w.Write([]byte(strings.Replace(page, "</head>", `<script src="look.js" defer></script><script src="drive.js" defer></script></head>`, 1)))
		case "/look.js", "/drive.js":
			w.Header().Set("Content-Type", "text/javascript")
			_, _ = w.Write([]byte(map[string]string{"/look.js": lookScript, "/drive.js": drive}[r.URL.Path]))
		case "/done":
			text, _ := url.QueryUnescape(r.URL.RawQuery)
			if err := json.Unmarshal([]byte(text), &result); err != nil {
				result.Problems = []string{err.Error(), text}
			}
			close(stop)
		default:
			files.ServeHTTP(w, r)
		}
	}))
	defer server.Close()
	show(t, stop, server.URL+"/")
	assert.Empty(t, result.Problems)
	slices.Sort(result.Milliseconds)
	require.Len(t, result.Milliseconds, count)
	t.Logf("%d documents; loaded in %.0f ms; a report in %.0f ms (median), %.0f ms at most", count, result.Loading,
		result.Milliseconds[count/2], result.Milliseconds[count-1])
	slices.Sort(asked)
	assert.Equal(t, []string{"/", "/done", "/drive.js", "/look.js", "/memaudit.wasm.gz", "/page.css", "/page.js", "/wasm_exec.js"}, asked)
}
