// Command gomutate changes conditions, bounds and returned errors of the Go code
// of packages, one at a time, and tells which changes no test notices. The
// sources stay as they are: the toolchain is shown the changed file in their place.
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

func main() {
	sample := flag.Int("sample", 0, "changes of each package to try, 0 for all")
	seed := flag.Uint64("seed", 1, "which sample")
	reasons := flag.String("reasons", "", "file of changes that no test can notice: file, old, new, reason")
	files := flag.String("files", "", "names of files to change, with commas; all of a package without")
	also := flag.String("also", "", "packages whose tests may notice as well, with commas")
	flag.Parse()
	known, err := readReasons(*reasons)
	if err == nil {
		var survived int
		survived, err = mutate(os.Stdout, flag.Args(), plan{sample: *sample, seed: *seed, known: known, files: listed(*files), also: listed(*also)})
		if err == nil && survived > 0 {
			os.Exit(1)
		}
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "gomutate:", err)
		os.Exit(2)
	}
}

// plan is what to try.
type plan struct {
	sample int
	seed   uint64
	known  map[string]bool
	files  []string
	also   []string
}

// mutate tries the changes of each package and prints the survivors, then one
// line of figures a package; it gives the number of survivors without a reason.
func mutate(out io.Writer, packages []string, p plan) (int, error) {
	unexplained := 0
	for _, dir := range packages {
		all, err := changesOf(dir)
		if err != nil {
			return 0, err
		}
		all = sampled(inFiles(all, p.files), p)
		killed, broken, explained, survived := 0, 0, 0, 0
		for i := range all {
			c := &all[i]
			switch result, err := try(c, append([]string{"./" + filepath.ToSlash(filepath.Clean(dir))}, p.also...)); {
			case err != nil:
				return 0, err
			case result == noticed:
				killed++
			case result == notGo:
				broken++
			case p.known[c.String()]:
				explained++
			default:
				survived++
				_, _ = fmt.Fprintf(out, "%s:%d\t%s\t%s\n", c.File, c.Line, oneLine(c.Old), oneLine(c.New))
			}
		}
		_, _ = fmt.Fprintf(out, "# %s: %d tried, %d noticed, %d do not compile, %d with a reason, %d not noticed\n", dir, len(all), killed, broken, explained, survived)
		unexplained += survived
	}
	return unexplained, nil
}

// listed splits a list at its commas.
func listed(s string) []string {
	return strings.FieldsFunc(s, func(r rune) bool { return r == ',' })
}

// inFiles keeps the changes of files with one of the names, all without names.
func inFiles(all []change, names []string) []change {
	if len(names) == 0 {
		return all
	}
	return slices.DeleteFunc(all, func(c change) bool { return !slices.Contains(names, filepath.Base(c.File)) })
}

func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

// sampled draws some of the changes, the same for the same seed.
func sampled(all []change, p plan) []change {
	if p.sample <= 0 || len(all) <= p.sample {
		return all
	}
	r := rand.New(rand.NewPCG(p.seed, uint64(len(all))))
	r.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	return all[:p.sample]
}

// outcome is what became of a change.
type outcome int

const (
	survived outcome = iota
	noticed
	notGo
)

// patience bounds the tests of one change: a loop that does not end is noticed.
const patience = 3 * time.Minute

// try runs the tests with one change.
func try(c *change, packages []string) (outcome, error) {
	text, err := os.ReadFile(c.File)
	if err != nil {
		return survived, err
	}
	dir, err := os.MkdirTemp("", "gomutate")
	if err != nil {
		return survived, err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	changed := filepath.Join(dir, filepath.Base(c.File))
	full, err := filepath.Abs(c.File)
	if err != nil {
		return survived, err
	}
	overlay, err := json.Marshal(map[string]map[string]string{"Replace": {full: changed}})
	if err != nil {
		return survived, err
	}
	text = bytes.Join([][]byte{text[:c.From], []byte(c.New), text[c.To:]}, nil)
	if err := os.WriteFile(changed, text, 0o600); err != nil {
		return survived, err
	}
	list := filepath.Join(dir, "overlay.json")
	if err := os.WriteFile(list, overlay, 0o600); err != nil {
		return survived, err
	}
	// A change that is not Go says nothing of the tests.
	if out, err := goTool("build", "-overlay", list, packages[0]); err != nil {
		return notGo, unlessExit(err, out)
	}
	out, err := goTool(append([]string{"test", "-overlay", list, "-failfast", "-vet=off"}, packages...)...)
	if err != nil {
		return noticed, unlessExit(err, out)
	}
	return survived, nil
}

// goTool runs the toolchain.
func goTool(args ...string) ([]byte, error) {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	out, err := exec.CommandContext(ctx, "go", args...).CombinedOutput()
	if ctx.Err() != nil {
		return out, &exec.ExitError{}
	}
	return out, err
}

// unlessExit passes on what is not the tool's own verdict.
func unlessExit(err error, out []byte) error {
	if _, exited := err.(*exec.ExitError); exited { //nolint:errorlint // exec.Command gives it unwrapped
		return nil
	}
	return fmt.Errorf("%w: %s", err, out)
}

// readReasons reads the changes that no test can notice, each with its reason.
func readReasons(name string) (map[string]bool, error) {
	known := map[string]bool{}
	if name == "" {
		return known, nil
	}
	data, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	for i, line := range strings.Split(strings.TrimRight(string(data), "\n"), "\n") {
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		cols := strings.Split(line, "\t")
		if len(cols) != 4 || cols[3] == "" {
			return nil, fmt.Errorf("%s:%d: expected file, old, new and a reason", name, i+1)
		}
		known[strings.Join(cols[:3], "\t")] = true
	}
	return known, nil
}
