package cli

import (
	"archive/tar"
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"memaudit.example/memaudit/internal/serve/fleet"
	"memaudit.example/memaudit/internal/tools/machinetest"
)

// secret is a line outside the given input, which must not be in any output.
const secret = "SECRET of another file"

// goodReport is the report of a machine without failures.
func goodReport(t testing.TB) string {
	t.Helper()
	_, doc, errs := run(machinetest.Named(t, "dell-r610-good").Table.Dump(), "check", "--smbios", "-", "--format", "json")
	require.NotEmpty(t, doc, errs)
	return doc
}

// tarOf packs members; a link has a target instead of a body.
func tarOf(t testing.TB, members ...tar.Header) []byte {
	t.Helper()
	var out bytes.Buffer
	w := tar.NewWriter(&out)
	for _, h := range members {
		body := h.Linkname
		if h.Typeflag == tar.TypeReg {
			h.Size, h.Linkname = int64(len(body)), ""
		}
		h.Mode = 0o644
		require.NoError(t, w.WriteHeader(&h))
		if h.Typeflag == tar.TypeReg {
			_, err := w.Write([]byte(body))
			require.NoError(t, err)
		}
	}
	require.NoError(t, w.Close())
	return out.Bytes()
}

// fileIn is a file of an archive.
func fileIn(name, body string) tar.Header {
	return tar.Header{Name: name, Typeflag: tar.TypeReg, Linkname: body}
}

func writeFile(t testing.TB, path string, data []byte) string {
	t.Helper()
	require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o700))
	require.NoError(t, os.WriteFile(path, data, 0o600))
	return path
}

// fileOf writes a file of a test in a folder of its own.
func fileOf[T ~string | ~[]byte](t testing.TB, name string, text T) string {
	t.Helper()
	return writeFile(t, filepath.Join(t.TempDir(), name), []byte(text))
}

// reasons are those of the unreadable inputs, by the last element of their path.
func reasons(d fleet.Document) map[string]string {
	out := map[string]string{}
	for _, u := range d.Unreadable {
		out[filepath.Base(u.Input)] = u.Reason
	}
	return out
}

// TestFleetLists checks that a list is read from an argument and standard input only.
func TestFleetLists(t *testing.T) {
	t.Parallel()
	dir, outside := t.TempDir(), t.TempDir()
	one := writeFile(t, filepath.Join(outside, "one.json"), []byte(goodReport(t)))
	hidden := writeFile(t, filepath.Join(outside, "hidden.txt"), []byte(secret+"\n"))
	list := writeFile(t, filepath.Join(dir, "list"), []byte(one+"\n"+hidden+"\n"))
	archive := writeFile(t, filepath.Join(outside, "lists.tar"), tarOf(t, fileIn("list", one+"\n"+hidden+"\n"), fileIn("root", "/\n"), fileIn("dir", dir+"\n")))
	of := writeFile(t, filepath.Join(outside, "of"), []byte(list+"\n"))
	loop := filepath.Join(outside, "loop")
	writeFile(t, loop, []byte(loop+"\n"))
	for name, c := range map[string]struct {
		stdin                string
		arg                  string
		machines, unreadable int
	}{
		"an argument":          {"", list, 1, 1},
		"standard input":       {one + "\n", "-", 1, 0},
		"a list of a folder":   {outside + "\n", "-", 1, 6},
		"a list of a list":     {list + "\n", "-", 0, 1},
		"a list in a list":     {"", of, 0, 1},
		"a list in a folder":   {"", dir, 0, 1},
		"lists in an archive":  {"", archive, 0, 3},
		"itself":               {"", loop, 0, 1},
		"standard input in it": {"# list\n" + one + "\n-\n", "-", 1, 1},
	} {
		t.Run(name, func(t *testing.T) {
			status, out, errs := run([]byte(c.stdin), "fleet", "--format", "json", c.arg)
			var d fleet.Document
			decodeJSON(t, out, &d)
			assert.Len(t, d.Machines, c.machines)
			assert.Len(t, d.Unreadable, c.unreadable, "%+v", d.Unreadable)
			assert.Equal(t, c.unreadable > 0, status == 3)
			assert.NotContains(t, out+errs, secret)
		})
	}
	_, out, _ := run(nil, "fleet", hidden)
	assert.Contains(t, out, secret, "what an argument names may be quoted")
}

// TestFleetFolder checks that hidden files are skipped, as are links to folders inside, which are read in their own
// place, and that a link that leads out, a pipe and a file without a size are reported and not opened.
func TestFleetFolder(t *testing.T) {
	t.Parallel()
	dir, outside := t.TempDir(), t.TempDir()
	doc := []byte(goodReport(t))
	out := writeFile(t, filepath.Join(outside, "report"), doc)
	writeFile(t, filepath.Join(outside, "text"), []byte(secret))
	writeFile(t, filepath.Join(dir, "sub", "one.json"), doc)
	writeFile(t, filepath.Join(dir, ".hidden"), []byte("noise"))
	writeFile(t, filepath.Join(dir, "empty"), nil)
	require.NoError(t, unix.Mkfifo(filepath.Join(dir, "pipe"), 0o600))
	for name, target := range map[string]string{
		"two": "sub/one.json", "three": filepath.Join(dir, "sub", "one.json"), "round": dir, "up": "sub/..", ".linked": out, // inside
		"dangling": "none", "absolute": out, "relative": filepath.Join("..", filepath.Base(outside), "report"), "machine": "/", "folder": outside,
		"text": filepath.Join(outside, "text"), "kmsg": "/proc/kmsg", "itself": "itself",
	} {
		t.Run(name, func(t *testing.T) {
			require.NoError(t, os.Symlink(target, filepath.Join(dir, name)))
		})
	}
	status, d := fleetOf(t, nil, dir)
	assert.Equal(t, 3, status)
	assert.Len(t, d.Machines, 3)
	const link = "a link that leads out of the folder or to nothing; name its target as an argument"
	assert.Equal(t, map[string]string{"dangling": link, "absolute": link, "relative": link, "machine": link, "folder": link, "text": link, "kmsg": link, "itself": link,
		"pipe": "is a pipe, expected a file or a folder", "empty": "is empty: its size is 0 bytes"}, reasons(d))
}

// TestFleetKernelFiles checks that no device and no kernel file is read, whoever names it.
func TestFleetKernelFiles(t *testing.T) {
	t.Parallel()
	status, d := fleetOf(t, []byte("/proc/kmsg\n/dev/zero\n/proc/self/mem\n/dev/null\n"), "-")
	assert.Equal(t, 3, status)
	assert.Empty(t, d.Machines)
	for name, why := range reasons(d) {
		assert.Contains(t, []string{"is a device, expected a file or a folder", "is empty: its size is 0 bytes", "permission denied", "no such file or directory"}, why, name)
	}
}

// TestFleetArchives checks that captures in an archive and archives on standard input are read, and an archive of
// inputs in an archive is not; links, devices and names that lead out affect only themselves.
func TestFleetArchives(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	doc := goodReport(t)
	capture := filepath.Join(dir, "node7.tar.gz")
	must(t, "snapshot", "--root", tree(t, "dell-r610-good"), "-o", capture)
	packed := contentOf(t, capture)
	outside := writeFile(t, filepath.Join(dir, "outside.txt"), []byte(secret))
	inner := tarOf(t, fileIn("a.json", doc))
	data := tarOf(t, fileIn("a.json", doc), fileIn("node7.tar.gz", string(packed)), fileIn("inner.tar", string(inner)), fileIn("./x/.hidden", "x"),
		fileIn("../../up.json", doc), fileIn("/etc/shadow", doc), fileIn("cut.tar.gz", string(packed[:len(packed)/2])), fileIn(strings.Repeat("n", 5000), "x"),
		tar.Header{Name: "soft", Typeflag: tar.TypeSymlink, Linkname: outside}, tar.Header{Name: "hard", Typeflag: tar.TypeLink, Linkname: "a.json"},
		tar.Header{Name: "pipe", Typeflag: tar.TypeFifo}, tar.Header{Name: "folder/", Typeflag: tar.TypeDir})
	file := writeFile(t, filepath.Join(dir, "all.tar"), data)
	for _, c := range []struct {
		stdin []byte
		args  []string
	}{{nil, []string{file}}, {data, []string{"-"}}, {nil, []string{gzipped(t, file)}}} {
		status, d := fleetOf(t, c.stdin, c.args...)
		assert.Equal(t, 3, status)
		names := make([]string, 0, len(d.Machines))
		for _, m := range d.Machines {
			names = append(names, m.Name)
		}
		slices.Sort(names)
		assert.Equal(t, []string{"a", "node7", "shadow", "up"}, names)
		const special = "is a link or a device in an archive, expected a file"
		why := reasons(d)
		for name, want := range map[string]string{"soft": special, "hard": special, "pipe": special, "cut.tar.gz": "unexpected EOF",
			"inner.tar": "an archive in an archive, expected the capture of one machine", strings.Repeat("n", 1<<10) + "...": "not SMBIOS"} {
			assert.Contains(t, why[name], want, name)
		}
		assert.Len(t, why, 6)
	}
	status, d := fleetOf(t, packed, "-")
	assert.Zero(t, status)
	assert.Len(t, d.Machines, 1)

	// What precedes a machine's tree belongs to it.
	status, d = fleetOf(t, tarOf(t, fileIn("dmidecode.json", doc), fileIn("proc/cpuinfo", "processor\t: 0\n"), fileIn("sys/class/dmi/id/sys_vendor", "Dell Inc.\n")), "-")
	assert.NotEqual(t, 2, status)
	assert.LessOrEqual(t, len(d.Machines)+len(d.Unreadable), 1)

	// An archive that was cut between two members is not a smaller fleet.
	status, d = fleetOf(t, inner[:len(inner)-1024], "-")
	assert.Equal(t, 3, status)
	assert.Len(t, d.Machines, 1)
	require.Len(t, d.Unreadable, 1)
	assert.Contains(t, d.Unreadable[0].Reason, "no end mark after 1 members")
}

// TestFleetTreesInArchive checks that each folder of an archive with a machine's trees is a machine, and other files
// next to them are inputs; a machine's trees at the top are the only machine.
func TestFleetTreesInArchive(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "site.tar")
	members := []tar.Header{fileIn("site/n0.json", goodReport(t))}
	for _, node := range []string{"n1", "n2"} {
		for _, name := range []string{"proc/cpuinfo", "sys/devices/system/node/has_cpu", "sys/firmware/dmi/tables/DMI", "sys/firmware/dmi/tables/smbios_entry_point"} {
			members = append(members, fileIn("site/"+node+"/"+name, string(contentOf(t, filepath.Join(tree(t, "dell-r610-good"), name)))))
		}
	}
	writeFile(t, file, tarOf(t, members...))
	packed := contentOf(t, gzipped(t, file))
	for _, c := range []struct {
		stdin []byte
		arg   string
	}{{nil, file}, {packed, "-"}} {
		status, d := fleetOf(t, c.stdin, c.arg)
		assert.Zero(t, status)
		assert.Empty(t, d.Unreadable)
		var names []string
		for _, m := range d.Machines {
			names = append(names, m.Name)
		}
		assert.ElementsMatch(t, []string{"n0", "n1", "n2"}, names)
	}
}

// TestFleetDamagedReports checks that only valid reports count.
func TestFleetDamagedReports(t *testing.T) {
	t.Parallel()
	doc := goodReport(t)
	edited := func(edit func(r map[string]any)) string {
		r := map[string]any{}
		require.NoError(t, json.Unmarshal([]byte(doc), &r))
		edit(r)
		out, err := json.Marshal(r)
		require.NoError(t, err)
		return string(out)
	}
	first := func(r map[string]any) map[string]any { return r["findings"].([]any)[0].(map[string]any) }
	for want, text := range map[string]string{
		"document: key generated_at is missing":                         `{"schema": "memaudit.report/v1"}`,
		"the key occurs twice":                                          strings.Replace(doc, `"findings": [`, `"findings": [], "findings": [`, 1),
		"unexpected end of JSON input":                                  doc[:len(doc)-3],
		`"CRITICAL", expected one of info, warning, critical`:           edited(func(r map[string]any) { first(r)["severity"] = "CRITICAL" }),
		`findings[0].result: "FAIL", expected one of pass`:              edited(func(r map[string]any) { first(r)["result"] = "FAIL" }),
		"Findings: unknown key":                                         edited(func(r map[string]any) { r["Findings"] = []any{} }),
		"findings: null, expected a list":                               edited(func(r map[string]any) { r["findings"] = nil }),
		"summary.pass is 999, but findings has":                         edited(func(r map[string]any) { r["summary"].(map[string]any)["pass"] = 999 }),
		"verdict.judged is 3, but findings has":                         edited(func(r map[string]any) { r["verdict"].(map[string]any)["judged"] = 3 }),
		`verdict.status is "critical", but findings make it "ok"`:       edited(func(r map[string]any) { r["verdict"].(map[string]any)["status"] = "critical" }),
		`verdict.status is "not_applicable", but findings make it "ok"`: edited(func(r map[string]any) { r["verdict"].(map[string]any)["status"] = "not_applicable" }),
		`verdict.status is "ok", but findings make it "unknown"`: edited(func(r map[string]any) {
			for _, s := range r["inventory"].(map[string]any)["sources"].([]any) {
				if s := s.(map[string]any); s["name"] == "smbios" {
					s["state"] = "truncated"
				}
			}
		}),
		"findings is empty": edited(func(r map[string]any) {
			r["findings"] = []any{}
			for key := range r["summary"].(map[string]any) {
				if key != "worst_severity" {
					r["summary"].(map[string]any)[key] = 0
				}
			}
		}),
	} {
		status, d := fleetOf(t, []byte(text), "-")
		assert.Equal(t, 3, status, want)
		assert.Empty(t, d.Machines, want)
		require.Len(t, d.Unreadable, 1, want)
		assert.Contains(t, d.Unreadable[0].Reason, want)
	}
}

// TestFleetTooMany checks that the input below one argument is limited.
func TestFleetTooMany(t *testing.T) {
	t.Parallel()
	p, _, _ := newProgram(nil)
	auditors, err := p.auditors(&checkFlags{})
	require.NoError(t, err)
	auditors = auditors[:1]
	dir := t.TempDir()
	for i := range 5 {
		writeFile(t, filepath.Join(dir, fmt.Sprint(i)), []byte("noise"))
	}
	archive := writeFile(t, filepath.Join(t.TempDir(), "a.tar"), tarOf(t, fileIn("a", "noise"), fileIn("b", "noise"), fileIn("c", "noise")))
	list := writeFile(t, filepath.Join(t.TempDir(), "list"), []byte(strings.Repeat(archive+"\n", 3)))
	deep := filepath.Join(t.TempDir(), strings.Repeat("d/", maxFleetDepth+2))
	writeFile(t, filepath.Join(deep, "file"), []byte("noise"))
	for _, c := range []struct {
		path, want string
		left       int
		unreadable int
	}{
		{dir, "expected fewer", 4, 1}, {dir, "not SMBIOS", 5, 5}, {archive, "expected fewer", 2, 3}, {archive, "not SMBIOS", 3, 3}, {list, "expected fewer", 2, 3},
		{before(deep, "/d/"), "more than 32 folders deep", maxFleetEntries, 1},
	} {
		all := fleet.New("product", func(string) string { return "" })
		g := &gatherer{p: p, pool: startPool(auditors, func(o fleetInput) { o.addToFleet(all) }), left: c.left}
		g.gatherPath(c.path, fromArgument)
		g.pool.finishWork()
		d := all.Document()
		assert.Len(t, d.Unreadable, c.unreadable, "%s: %+v", c.path, d.Unreadable)
		assert.True(t, slices.ContainsFunc(d.Unreadable, func(u fleet.Unreadable) bool { return strings.Contains(u.Reason, c.want) }), "%+v", d.Unreadable)
	}
}

// before is the part of a text in front of a separator.
func before(text, separator string) string {
	first, _, _ := strings.Cut(text, separator)
	return first
}

// TestFleetContradictions checks that a report of a machine with a warning is not read once its verdict, problems or
// severities say something else than its findings.
func TestFleetContradictions(t *testing.T) {
	t.Parallel()
	_, failing, _ := run(machinetest.Named(t, "fujitsu-rx900s2-class2").Table.Dump(), "check", "--smbios", "-", "--format", "json")
	require.Contains(t, failing, `"status": "warning"`)
	for name, c := range map[string]struct {
		change func(r map[string]any)
		want   string
	}{
		"as printed":    {func(map[string]any) {}, ""},
		"ok":            {func(r map[string]any) { r["verdict"].(map[string]any)["status"] = "ok" }, `verdict.status is "ok", but findings make it "warning"`},
		"unknown":       {func(r map[string]any) { r["verdict"].(map[string]any)["status"] = "unknown" }, `is "unknown", but findings make it "warning"`},
		"no problem":    {func(r map[string]any) { r["problems"] = []any{} }, "problems has 0 failures"},
		"without a key": {func(r map[string]any) { delete(r, "problems") }, "problems has 0 failures"},
		"notes": {func(r map[string]any) {
			for _, p := range r["problems"].([]any) {
				p.(map[string]any)["severity"] = "info"
			}
		}, `the worst of problems is "info"`},
		"another rule": {func(r map[string]any) { r["problems"].([]any)[0].(map[string]any)["rule"] = "cpu.offline" }, `problems[0] is about "cpu.offline"`},
		"findings made info": {func(r map[string]any) {
			for _, f := range r["findings"].([]any) {
				f.(map[string]any)["severity"] = "info"
			}
		}, `summary.worst_severity is "warning"`},
		"ok, all in doubt": {func(r map[string]any) {
			r["verdict"].(map[string]any)["status"], r["summary"].(map[string]any)["worst_severity"] = "ok", "info"
			for _, list := range []string{"findings", "problems"} {
				for _, f := range r[list].([]any) {
					f.(map[string]any)["severity"] = "info"
				}
			}
			for _, f := range r["findings"].([]any) {
				f.(map[string]any)["doubt"] = "the table announces 11 slots and lists 8"
			}
		}, `verdict.status is "ok", but findings make it "unknown"`},
	} {
		t.Run(name, func(t *testing.T) {
			r := map[string]any{}
			require.NoError(t, json.Unmarshal([]byte(failing), &r))
			c.change(r)
			text, err := json.Marshal(r)
			require.NoError(t, err)
			status, d := fleetOf(t, text, "-")
			if c.want == "" {
				assert.Equal(t, 1, status)
				assert.Len(t, d.Machines, 1)
				return
			}
			assert.Equal(t, 3, status)
			require.Len(t, d.Unreadable, 1)
			assert.Contains(t, d.Unreadable[0].Reason, c.want)
		})
	}
}

// TestFleetUnreadList checks that the list of inputs that are none has an end, and the count has not; and that a second
// archive behind the first in one file is not left out in silence.
func TestFleetUnreadList(t *testing.T) {
	t.Parallel()
	members := make([]tar.Header, 0, 1237)
	for i := range cap(members) {
		members = append(members, fileIn(fmt.Sprintf("noise%d", i), "noise"))
	}
	many := tarOf(t, members...)
	status, d := fleetOf(t, many, "-")
	assert.Equal(t, 3, status)
	assert.Len(t, d.Unreadable, 1000)
	assert.Equal(t, 237, d.UnreadableMore)
	_, text, errs := run(many, "fleet", "--section", "unread", "-")
	assert.Contains(t, text, "and 237 other inputs")
	assert.Contains(t, errs, "1237 inputs could not be read")

	one := writeFile(t, filepath.Join(t.TempDir(), "a.tar"), tarOf(t, fileIn("a.json", goodReport(t))))
	first := contentOf(t, gzipped(t, one))
	status, d = fleetOf(t, slices.Concat(first, first), "-")
	assert.Equal(t, 3, status)
	require.Len(t, d.Unreadable, 1)
	assert.Contains(t, d.Unreadable[0].Reason, "another archive or other data")
}
