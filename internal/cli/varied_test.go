package cli

import (
	"cmp"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"memaudit.example/memaudit/internal/advice/plan"
	"memaudit.example/memaudit/internal/audit"
	"memaudit.example/memaudit/internal/audit/rulepack"
	"memaudit.example/memaudit/internal/audit/verdict"
	"memaudit.example/memaudit/internal/report"
	"memaudit.example/memaudit/internal/serve/fleet"
	"memaudit.example/memaudit/internal/source/host/hosttest"
	"memaudit.example/memaudit/internal/source/smbios/smbiostest"
	"memaudit.example/memaudit/internal/tools/machinetest"
	"memaudit.example/memaudit/rules"
)

// TestVaried holds servers drawn at random to what is true of every machine. MEMAUDIT_SEEDS is how many are drawn; a failing
// seed is run again with -run 'TestVaried/^seed_17$'.
func TestVaried(t *testing.T) {
	t.Parallel()
	seeds, err := strconv.Atoi(cmp.Or(os.Getenv("MEMAUDIT_SEEDS"), "12"))
	require.NoError(t, err)
	for seed := range seeds {
		t.Run(fmt.Sprintf("seed %d", seed), func(t *testing.T) {
			t.Parallel()
			s := drawn(uint64(seed))
			root := s.Tree().Write(t)
			r := readable(t, root)
			sameVerdict(t, root, r, seed)
			equalLabels(t, s, root)
			sameFromText(t, s)
			noBetterWord(t, s, r, uint64(seed))
			carriedOutOn(t, s, r)
		})
	}
}

// clumsy is what no text may hold: an unrounded figure, a value of Go, an empty clause, or one that stands twice.
var clumsy = regexp.MustCompile(`\d\.\d{4,}|\d{7,} [KM]iB|%!|<nil>|\bNaN\b|\bInf\b|\(\)|[;,:] *[;,.]|  +[;,]`)

// sameFix is the fix that stands at another problem.
var sameFix = regexp.MustCompile(`Fix +as for problem (\d+)`)

// readable audits a tree: the JSON holds to its schema and fleet reads it back, and the text is well formed in 80 columns.
func readable(t *testing.T, root string) *report.Report {
	t.Helper()
	_, out, errs := run(nil, "check", "--root", root, "--format", "json")
	r := validReport(t, reportSchema(t), out)
	_, text, _ := run(nil, "check", "--root", root)
	for _, named := range sameFix.FindAllStringSubmatch(text, -1) {
		assert.NotRegexp(t, `(?m)^`+named[1]+`\. .*\n(?:   .*\n)*?   Fix +as for`, text, "a problem whose steps another problem has")
	}
	for line := range strings.Lines(text + errs) {
		assert.LessOrEqual(t, len([]rune(strings.TrimSpace(line))), 80, line)
		assert.NotRegexp(t, clumsy, line)
	}
	for clause := range strings.SplitSeq(r.Verdict.Sentence, ", and ") {
		assert.Equal(t, 1, strings.Count(r.Verdict.Sentence, clause), r.Verdict.Sentence)
	}
	_, out, errs = run(nil, "fleet", fileOf(t, "node.json", out), "--format", "json")
	require.Empty(t, errs)
	var all fleet.Document
	decodeJSON(t, out, &all)
	require.Len(t, all.Machines, 1, "%v", all.Unreadable)
	assert.Equal(t, r.Verdict, *all.Machines[0].Verdict)
	return r
}

// sameVerdict checks that the formats that people and monitoring read give one verdict, one format a seed.
func sameVerdict(t *testing.T, root string, r *report.Report, seed int) {
	t.Helper()
	word, sentence := r.Verdict.Status.Word(), strings.TrimSuffix(r.Verdict.Sentence, ".")
	c := []struct{ format, want string }{
		{"nagios", "MEMAUDIT " + word + " - "}, {"nagios", sentence}, {"prometheus", fmt.Sprintf("memaudit_verdict{status=%q} 1\n", r.Verdict.Status)},
		{"html", "<strong>" + word + "</strong>"}, {"junit", fmt.Sprintf(`name="verdict" value=%q`, r.Verdict.Status)},
	}[seed%5]
	status, out, _ := run(nil, "check", "--root", root, "--format", c.format)
	assert.Contains(t, out, c.want)
	if c.format != "nagios" {
		assert.Equal(t, r.Verdict.ExitStatus, status, c.format)
	}
}

// problemLabels are the series of a machine's problems.
var problemLabels = regexp.MustCompile(`(?m)^memaudit_(?:problem|finding)_info\{.*`)

// equalLabels checks that a machine that only ran on has the labels that it had: no label holds a figure that moves.
func equalLabels(t *testing.T, s *machinetest.Varied, root string) {
	t.Helper()
	later := clone(s)
	for path, text := range later.Files {
		n, err := strconv.Atoi(strings.TrimSpace(text))
		switch {
		case err != nil:
		case strings.HasSuffix(path, "seconds_since_reset"):
			later.Files[path] = fmt.Sprintln(n + 307)
		case strings.HasSuffix(path, "dimm_ce_count") && n > 100, strings.HasSuffix(path, "dimm_ue_count") && n > 0:
			later.Files[path] = fmt.Sprintln(n + 3)
		}
	}
	_, before, _ := run(nil, "check", "--root", root, "--format", "prometheus")
	_, after, _ := run(nil, "check", "--root", later.Tree().Write(t), "--format", "prometheus")
	assert.Equal(t, problemLabels.FindAllString(before, -1), problemLabels.FindAllString(after, -1))
}

// sameFromText checks that dmidecode's text of a table gives the verdict of the table.
func sameFromText(t *testing.T, s *machinetest.Varied) {
	t.Helper()
	if _, err := exec.LookPath("dmidecode"); err != nil {
		return
	}
	dump := s.Table().Dump()
	text, err := exec.CommandContext(t.Context(), "dmidecode", "--from-dump", fileOf(t, "dump", dump)).Output()
	require.NoError(t, err)
	var of [2]report.Report
	for i, input := range [][]byte{dump, text} {
		_, out, _ := run(input, "check", "--smbios", "-", "--format", "json")
		decodeJSON(t, out, &of[i])
	}
	assert.Equal(t, of[0].Verdict, of[1].Verdict)
	assert.Equal(t, failures(&of[0]), failures(&of[1]))
}

// noBetterWord damages the machine's input: no rule that failed or was unknown passes then, and a machine with a problem
// does not become ok.
func noBetterWord(t *testing.T, s *machinetest.Varied, r *report.Report, seed uint64) {
	t.Helper()
	rnd := rand.New(rand.NewPCG(seed, 1))
	packs, err := rulepack.LoadCompiled(rules.FS)
	require.NoError(t, err)
	engine := audit.NewEngine(packs).WithTables(readTables)
	whole := resultsOf(t, engine, s.Tree().Write(t))
	for range 2 {
		damaged := clone(s)
		dir, what, cut := "", "", false
		switch rnd.IntN(6) {
		case 0:
			i := rnd.IntN(len(s.Modules))
			damaged.Unlisted, what = append(damaged.Unlisted, i), fmt.Sprint("slot not listed: ", i)
			dir = damaged.Tree().Write(t)
		case 1:
			damaged.Nameless, what = true, "processors without a version"
			dir = damaged.Tree().Write(t)
		default:
			dir = s.Tree().Write(t)
			what, cut = ruin(t, s, dir, rnd)
		}
		for key, result := range resultsOf(t, engine, dir) {
			if before := whole[key]; result == verdict.Pass {
				assert.NotContains(t, []verdict.Result{verdict.Fail, verdict.Unknown}, before, "%s: %s passes", what, key)
				listed := strings.HasPrefix(key, "memory.") && !strings.HasPrefix(key, "memory.errors.") && !strings.Contains(key, "/ slot")
				assert.False(t, cut && listed, "%s: %s passes", what, key)
			}
		}
		if r.Verdict.Status == report.StatusWarning || r.Verdict.Status == report.StatusCritical {
			var after report.Report
			_, out, _ := run(nil, "check", "--root", dir, "--format", "json")
			decodeJSON(t, out, &after)
			assert.NotEqual(t, report.StatusOK, after.Verdict.Status, "%s: %s became %s", what, r.Verdict.Sentence, after.Verdict.Sentence)
		}
	}
}

// failures lists what fails of the modules, without what depends on the slots that errors were counted for.
func failures(r *report.Report) []string {
	var out []string
	for i := range r.Findings {
		f := &r.Findings[i]
		if f.Result == "fail" && strings.HasPrefix(f.Rule, "memory.") && !strings.HasPrefix(f.Rule, "memory.errors.") && f.Rule != "memory.speed.expected" {
			out = append(out, fmt.Sprintf("%s %s %s", f.Rule, f.Subject, f.Severity))
		}
	}
	slices.Sort(out)
	return out
}

// carriedOutOn carries out each advice about the modules and checks that the next audit says what the advice promised.
func carriedOutOn(t *testing.T, s *machinetest.Varied, r *report.Report) {
	t.Helper()
	for i := range r.Advice {
		a := &r.Advice[i]
		if a.ID == plan.Settings || slices.ContainsFunc(a.Steps, func(s plan.Step) bool { return s.ToChannel != nil || s.FromChannel != nil }) {
			continue
		}
		next := clone(s)
		for j := range a.Steps {
			carryOut(next, s, &a.Steps[j])
		}
		for j := range next.Modules {
			next.Modules[j].Configured = 0 // the next boot decides
		}
		var after report.Report
		_, out, _ := run(nil, "check", "--root", next.Tree().Write(t), "--format", "json")
		decodeJSON(t, out, &after)
		promised := &report.Report{}
		for _, f := range a.Reaches.Findings {
			promised.Findings = append(promised.Findings, verdict.Finding{Rule: f.Rule, Subject: f.Subject, Severity: f.Severity, Result: verdict.Fail})
		}
		assert.Equal(t, failures(promised), failures(&after), "%s: %+v", a.ID, a.Steps)
		var capacity int64
		for j := range next.Modules {
			capacity += next.Modules[j].Bytes
		}
		assert.Equal(t, capacity, *a.Reaches.CapacityBytes, a.ID)
		for j := range a.Reaches.Sockets {
			want, got := &a.Reaches.Sockets[j], &after.Inventory.Population.Sockets[j]
			assert.Equal(t, []any{want.Socket, want.Class, want.ExpectedMTs}, []any{got.Socket, got.Class, got.ExpectedMTs.Pointer()}, a.ID)
		}
	}
}

// clone returns a copy that can be changed.
func clone(s *machinetest.Varied) *machinetest.Varied {
	own := *s
	own.Modules, own.Files = slices.Clone(s.Modules), maps.Clone(s.Files)
	own.Without, own.Unlisted = slices.Clone(s.Without), slices.Clone(s.Unlisted)
	return &own
}

// slotOf returns a module's place in Modules by the handle that the report prints.
func slotOf(s *machinetest.Varied, handle string) int {
	n, err := strconv.ParseUint(strings.TrimPrefix(handle, "0x"), 16, 16)
	if at := int(n) - machinetest.FirstSlot; err == nil && at >= 0 && at < len(s.Modules) {
		return at
	}
	panic("no slot has the handle " + handle)
}

// carryOut does one step; was is the machine before the first one.
func carryOut(next, was *machinetest.Varied, step *plan.Step) {
	m := next.Modules
	switch step.Do {
	case "move", "swap":
		from, to := slotOf(next, step.From), slotOf(next, step.To)
		m[from], m[to] = m[to], m[from]
	case "remove":
		m[slotOf(next, step.From)] = smbiostest.DIMM{}
	case "install":
		m[slotOf(next, step.To)] = was.Modules[slotOf(was, step.Like)]
	case "exchange":
		m[slotOf(next, step.At)] = was.Modules[slotOf(was, step.Like)]
	}
}

// drawn returns the server of a seed.
func drawn(seed uint64) *machinetest.Varied {
	rnd := rand.New(rand.NewPCG(seed, 0x6d656d61))
	servers := machinetest.Servers()
	s := &machinetest.Varied{Server: servers[slices.Sorted(maps.Keys(servers))[rnd.IntN(len(servers))]], Sockets: 1 + rnd.IntN(2), Threads: 1 + rnd.IntN(2), Files: hosttest.Files{}}
	s.Server.Single = s.Sockets == 1
	kinds := make([]smbiostest.DIMM, 1+rnd.IntN(5)/3) // now and then modules of two kinds
	for i := range kinds {
		kinds[i] = smbiostest.DIMM{Bytes: []int64{8, 16, 24, 32, 48, 64, 96}[rnd.IntN(7)] << 30, Rank: byte(1 + rnd.IntN(2)), Speed: s.Server.MTs,
			Manufacturer: []string{"Samsung", "SK Hynix", "Micron Technology"}[rnd.IntN(3)], Part: fmt.Sprintf("M3%02dR%dG40", rnd.IntN(100), 1+i)}
	}
	full := 1 + rnd.IntN(100)
	for range s.Sockets {
		if rnd.IntN(3) > 0 { // most processors are filled alike
			full = min(full, 100)
		} else {
			full = 1 + rnd.IntN(100)
		}
		for range s.Server.Depth * s.Server.Channels {
			var d smbiostest.DIMM
			if rnd.IntN(100) < full {
				d = kinds[rnd.IntN(len(kinds))]
				d.Configured = d.Speed
				if rnd.IntN(40) == 0 {
					d.Configured -= 267 // one module that trained at less
				}
			}
			s.Modules = append(s.Modules, d)
		}
	}
	running(s, rnd)
	return s
}

func running(s *machinetest.Varied, rnd *rand.Rand) {
	const cpu = "sys/devices/system/cpu/"
	s.Files[cpu+"smt/control"] = []string{"on\n", "off\n", "forceoff\n", "notsupported\n", "notimplemented\n"}[rnd.IntN(5)]
	if s.Threads == 2 {
		s.Files[cpu+"smt/control"] = "on\n"
	}
	s.Files["proc/uptime"] = fmt.Sprintf("%d.%02d 1234567.89\n", 61+rnd.IntN(30_000_000), rnd.IntN(100))
	if s.Server.Product == "PowerEdge R740" && rnd.IntN(2) == 0 {
		maps.Copy(s.Files, machinetest.SkylakeEDAC(s.Sockets, 32<<10))
		for mc := range 2 * s.Sockets {
			dir := fmt.Sprintf("sys/devices/system/edac/mc/mc%d/", mc)
			s.Files[dir+"seconds_since_reset"] = fmt.Sprintln(37 + rnd.IntN(9_000_000))
			s.Files[dir+"dimm0/dimm_ce_count"] = fmt.Sprintln(rnd.IntN(3) * rnd.IntN(9000))
			s.Files[dir+"dimm2/dimm_ue_count"] = fmt.Sprintln(rnd.IntN(8) / 7)
		}
	}
	if rnd.IntN(4) == 0 {
		s.Without = append(s.Without, []string{cpu + "cpufreq/", cpu + "cpu0/cpuidle/", "sys/devices/system/node/", "sys/firmware/acpi/tables/SRAT",
			"sys/firmware/memmap/", "sys/devices/virtual/dmi/", "proc/cpuinfo", "sys/firmware/dmi/", "proc/meminfo"}[rnd.IntN(9)])
	}
}
