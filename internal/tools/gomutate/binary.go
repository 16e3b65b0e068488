package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// binary is the tests of one package, built over changed sources.
type binary struct {
	path, dir string
	tests     []*timedTest // those that pass without a change
	failing   []string
}

// timedTest is a test function: how much processor time it takes, which changes it
// runs past, and how many of them it was the first to notice.
type timedTest struct {
	name    string
	takes   time.Duration
	reaches map[int]bool
	first   int
}

// price is what it costs to ask a test, the less the more it noticed before.
func (t *timedTest) price() time.Duration { return t.takes / time.Duration(1+t.first) }

// buildTests builds the tests of a package with an overlay; of changes that do
// not compile in that form the complaints tell file and line.
func buildTests(s *schema, dir string) (*binary, []complaint, error) {
	full, err := filepath.Abs(dir)
	if err != nil {
		return nil, nil, err
	}
	b := &binary{path: filepath.Join(s.folder, filepath.Base(full)+".test"), dir: full}
	out, err := goTool("test", "-c", "-vet=off", "-gcflags=-e", "-ldflags=-s -w", "-overlay", s.overlay, "-o", b.path, dir)
	if err != nil {
		found := complaints(string(out))
		if len(found) == 0 {
			return nil, nil, fmt.Errorf("build of the tests of %s: %w: %s", dir, err, out)
		}
		return nil, found, nil
	}
	return b, nil, nil
}

// complaint is a place that the compiler did not take.
type complaint struct {
	file string
	line int
}

var complaintText = regexp.MustCompile(`(?m)^\S*?([^\s/:]+\.go):(\d+):`)

func complaints(out string) []complaint {
	var found []complaint
	for _, m := range complaintText.FindAllStringSubmatch(out, -1) {
		line, err := strconv.Atoi(m[2])
		if err != nil {
			continue
		}
		found = append(found, complaint{m[1], line})
	}
	return found
}

// about reports whether a complaint is about a change's site.
func (p complaint) about(c *change) bool {
	return p.file == filepath.Base(c.File) && c.Site.Line <= p.line && p.line <= c.Site.End
}

// survey runs each test once without a change, and records what it runs past.
// A test that fails is left out: the added conditions may cost what it counts.
func (b *binary) survey() error {
	out, _, err := b.run(patience, nil, "-test.list", "^(Test|Example|Fuzz)")
	if err != nil {
		return fmt.Errorf("%w: %s", err, out)
	}
	record := b.path + ".reached"
	for _, name := range strings.Fields(string(out)) {
		_ = os.Remove(record)
		_, takes, err := b.run(patience, []string{reachedKey + "=" + record}, "-test.run", exactly(name))
		if err != nil {
			b.failing = append(b.failing, name)
			continue
		}
		t := &timedTest{name: name, takes: takes, reaches: map[int]bool{}}
		numbers, err := os.ReadFile(record)
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			return err
		}
		for _, n := range strings.Fields(string(numbers)) {
			number, err := strconv.Atoi(n)
			if err != nil {
				return err
			}
			t.reaches[number] = true
		}
		b.tests = append(b.tests, t)
	}
	return nil
}

// quickly is how long the first tests of a change may take together; the
// others run only when these notice nothing. In processor time, as all here.
const quickly = 300 * time.Millisecond

// notices reports whether a test that runs past a change fails with it, and
// whether there is such a test.
func (b *binary) notices(number int) (fails, reached bool) {
	var names []string
	var takes time.Duration
	flush := func() bool {
		if len(names) == 0 {
			return false
		}
		out, _, err := b.run(10*takes+5*time.Second, []string{chosenKey + "=" + strconv.Itoa(number)}, "-test.failfast", "-test.run", exactly(names...))
		names, takes = nil, 0
		if err == nil {
			return false
		}
		for _, t := range b.tests {
			if bytes.Contains(out, []byte("--- FAIL: "+t.name+" ")) {
				t.first++
			}
		}
		return true
	}
	slices.SortStableFunc(b.tests, func(x, y *timedTest) int { return cmp.Compare(x.price(), y.price()) })
	for _, t := range b.tests {
		if !t.reaches[number] {
			continue
		}
		reached = true
		if takes > 0 && takes+t.takes > quickly && flush() {
			return true, true
		}
		names, takes = append(names, t.name), takes+t.takes
	}
	return flush(), reached
}

func exactly(names ...string) string { return "^(" + strings.Join(names, "|") + ")$" }

// memory bounds a changed program, in KiB: a loop that only grows is noticed
// before the machine feels it.
const memory = 3000000

// run runs the test binary in its package's folder. Its processor time is
// bounded, and not the clock, which on a busy machine says nothing; only what
// waits for ever is ended by the clock.
func (b *binary) run(limit time.Duration, env []string, args ...string) (out []byte, takes time.Duration, err error) {
	ctx, cancel := context.WithTimeout(context.Background(), patience+limit)
	defer cancel()
	bounded := fmt.Sprintf(`ulimit -v %d; ulimit -t %d; exec "$0" "$@"`, memory, int(limit.Seconds())+1)
	command := exec.CommandContext(ctx, "sh", append([]string{"-c", bounded, b.path}, args...)...)
	command.Dir = b.dir
	command.Env = append(os.Environ(), env...)
	command.WaitDelay = time.Second
	out, err = command.CombinedOutput()
	if s := command.ProcessState; s != nil {
		takes = s.UserTime() + s.SystemTime()
	}
	return out, takes, err
}
