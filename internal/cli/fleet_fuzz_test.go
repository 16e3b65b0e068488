package cli

import (
	"archive/tar"
	"bytes"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/memaudit/memaudit/internal/serve/fleet"
	"github.com/memaudit/memaudit/internal/tools/machinetest"
)

// fuzzedInputs are the inputs described by a text: files, links and archives of a fleet. Each begins with a line "--
// NAME --", "-- NAME -> TARGET --" (symbolic link) or "-- NAME => TARGET --" (hard link). A body that begins with
// REPORT, DUMP, TEXT, CAPTURE or TAR is this fixture, with a replacement for each further line "OLD<tab>NEW". OUTSIDE
// is a folder that is not part of the input.
type fuzzedInputs struct {
	fixtures map[string]string
	outside  string
}

// fixtures are created once for all runs.
func fixtures(t testing.TB) map[string]string {
	t.Helper()
	m := machinetest.Named(t, "dell-r610-unbalanced")
	dump := m.Table.Dump()
	_, report, errs := run(dump, "check", "--smbios", "-", "--format", "json")
	require.NotEmpty(t, report, errs)
	capture := filepath.Join(t.TempDir(), "capture.tar.gz")
	status, _, errs := run(dump, "snapshot", "--smbios", "-", "-o", capture)
	require.Zero(t, status, errs)
	packed, err := os.ReadFile(capture)
	require.NoError(t, err)
	text, err := os.ReadFile(filepath.Join("..", "..", "testdata", "smbios", "made-2.8.dmidecode.txt"))
	require.NoError(t, err)
	return map[string]string{"REPORT": report, "DUMP": string(dump), "TEXT": string(text), "CAPTURE": string(packed),
		"TAR": string(tarOf(t, fileIn("a.json", report), fileIn("sub/b.bin", string(dump))))}
}

// members reads the text.
func (f *fuzzedInputs) members(text string) []tar.Header {
	var out []tar.Header
	text = strings.ReplaceAll(text, "OUTSIDE", f.outside)
	for part := range strings.SplitSeq("\n"+text, "\n-- ") {
		head, body, _ := strings.Cut(part, "\n")
		head, ok := strings.CutSuffix(head, " --")
		if !ok || len(out) == 32 {
			continue
		}
		h := tar.Header{Name: head, Typeflag: tar.TypeReg, Linkname: f.body(body)}
		if name, target, ok := strings.Cut(head, " -> "); ok {
			h = tar.Header{Name: name, Typeflag: tar.TypeSymlink, Linkname: target}
		} else if name, target, ok := strings.Cut(head, " => "); ok {
			h = tar.Header{Name: name, Typeflag: tar.TypeLink, Linkname: target}
		}
		out = append(out, h)
	}
	return out
}

// body returns a fixture with its replacements if the text names one.
func (f *fuzzedInputs) body(text string) string {
	name, edits, _ := strings.Cut(text, "\n")
	body, ok := f.fixtures[name]
	if !ok {
		return text
	}
	for edit := range strings.Lines(edits) {
		if old, by, ok := strings.Cut(strings.TrimSuffix(edit, "\n"), "\t"); ok {
			body = strings.Replace(body, old, by, 1)
		}
	}
	return body
}

// unpack creates them in a folder, as far as their names allow it, without leaving it.
func unpack(dir string, members []tar.Header) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return
	}
	defer func() { _ = root.Close() }()
	for _, h := range members {
		_ = root.MkdirAll(filepath.Dir(h.Name), 0o700)
		switch h.Typeflag {
		case tar.TypeSymlink:
			_ = root.Symlink(h.Linkname, h.Name)
		case tar.TypeLink:
			_ = root.Link(h.Linkname, h.Name)
		default:
			_ = root.WriteFile(h.Name, []byte(h.Linkname), 0o600)
		}
	}
}

// pack creates an archive of them, without names that a tar cannot have.
func pack(members []tar.Header) []byte {
	var out bytes.Buffer
	w := tar.NewWriter(&out)
	for _, h := range members {
		body := ""
		if h.Typeflag == tar.TypeReg {
			body, h.Linkname = h.Linkname, ""
		}
		h.Mode, h.Size = 0o644, int64(len(body))
		if w.WriteHeader(&h) == nil {
			_, _ = io.WriteString(w, body)
		}
	}
	_ = w.Close()
	return out.Bytes()
}

// FuzzFleet gives fleet a folder and an archive of the same inputs, an archive on standard input and arbitrary bytes
// as an archive. Nothing outside them is read, no input affects another, and none makes memaudit panic.
func FuzzFleet(f *testing.F) {
	for _, seed := range []string{
		"-- a.json --\nREPORT\n-- b.bin --\nDUMP\n-- c.txt --\nTEXT\n-- d.tar.gz --\nCAPTURE\n-- e.tar --\nTAR\n",
		"-- list --\nOUTSIDE/report.json\n-- root --\n/\n-- dots --\n../outside/secret\n-- OUTSIDE/x --\nOUTSIDE/secret\n-- ../up --\nREPORT",
		"-- a -> OUTSIDE/secret --\n-- b -> ../outside/report.json --\n-- c => OUTSIDE/report.json --\n-- d -> / --\n-- e -> d --\n-- f -> . --\n-- sub/x --\nREPORT\n-- g -> sub/x --\n",
		"-- n/sys/class/dmi/id/sys_vendor --\nDell Inc.\n-- n/proc/cpuinfo --\nprocessor\t: 0\n-- n/sys/devices/system/cpu/online -> OUTSIDE/secret --\n",
		"-- n/sys -> / --\n-- n/proc -> OUTSIDE --\n-- m/sys/firmware/dmi/tables -> OUTSIDE --\n-- x.json --\nREPORT\n\"fail\"\t\"FAIL\"\n-- y.json --\nREPORT\n\"findings\": [\t\"findings\": [], \"findings\": [\n",
		"-- a.json --\nREPORT\n\"slots\": [\t\"slots\": [null,\n-- b.json --\nREPORT\n\"value\": null\t\"value\": 1e308\n-- c.json --\nREPORT\n\"size_bytes\": 4294967296\t\"size_bytes\": 9e18\n-- c.json/x --\n{\"schema\":\"memaudit.inventory/v1\"}",
		"-- .hidden --\nDUMP\n-- b.tar.gz --\nCAPTURE\nmemaudit\tMEMAUDIT\n-- t.tar --\nTAR\na.json\tsys/x\n-- l --\n/proc/kmsg\n-- m -> /proc/kmsg --\n-- z -> /dev/zero --\n",
	} {
		f.Add(seed, []byte(nil))
	}
	in := &fuzzedInputs{fixtures: fixtures(f)}
	for _, raw := range []string{"CAPTURE", "TAR"} {
		f.Add("-- raw.tar --\n"+raw+"\n", []byte(in.fixtures[raw]))
	}
	p, _, _ := newProgram(nil)
	auditors, err := p.auditors(&checkFlags{})
	require.NoError(f, err)
	auditors = auditors[:1]
	decoy := strings.ReplaceAll(in.fixtures["REPORT"], `"product": "PowerEdge R610"`, `"product": "decoy"`)
	require.Contains(f, decoy, `"decoy"`)
	f.Fuzz(func(t *testing.T, text string, raw []byte) {
		base := t.TempDir()
		in.outside = filepath.Join(base, "outside")
		writeFile(t, filepath.Join(in.outside, "secret"), []byte(secret))
		writeFile(t, filepath.Join(in.outside, "report.json"), []byte(decoy))
		members := in.members(text)
		folder := filepath.Join(base, "given")
		require.NoError(t, os.Mkdir(folder, 0o700))
		unpack(folder, members)
		archive := pack(members)
		p.Stdin = bytes.NewReader(archive)
		start := time.Now()
		d := p.gatherFleet(auditors, nil, "product", []string{folder, writeFile(t, filepath.Join(base, "given.tar"), archive), "-",
			writeFile(t, filepath.Join(base, "raw.tar"), raw)})
		assert.Less(t, time.Since(start), time.Minute)
		for _, u := range d.Unreadable {
			assert.NotEqual(t, errInternal.Error(), u.Reason, u.Input)
			assert.NotEmpty(t, u.Reason, u.Input)
		}
		for _, m := range d.Machines {
			assert.NotEqual(t, "decoy", m.Product, m.Name)
		}
		for _, format := range fleet.Formats() {
			var out bytes.Buffer
			require.NoError(t, d.Write(&out, format, fleet.Options{}))
			assert.NotContains(t, out.String(), secret, format)
		}
	})
}
