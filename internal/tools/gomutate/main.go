// Command gomutate changes conditions, bounds and returned errors of the Go code
// of packages, one at a time, and tells which changes no test notices. The
// sources stay as they are: the toolchain is shown changed files in their place.
// All changes of a package are built at once, each behind a choice that is made
// when the tests start; a change is then checked against the tests that run past it.
package main

import (
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

func main() {
	sample := flag.Int("sample", 0, "changes of each package to try, 0 for all")
	seed := flag.Uint64("seed", 1, "which sample")
	reasons := flag.String("reasons", "", "file of changes that no test can notice: file, function, old, new, reason")
	files := flag.String("files", "", "names of files to change, with commas; all of a package without")
	again := flag.String("again", "", "output of an earlier run: only what it left is tried")
	also := flag.String("also", "", "packages whose tests may notice as well, with commas")
	flag.Parse()
	known, err := readReasons(*reasons)
	var left map[string]bool
	if err == nil {
		left, err = readLeft(*again)
	}
	if err == nil {
		var survived int
		survived, err = mutate(os.Stdout, flag.Args(), mutationPlan{sample: *sample, seed: *seed, known: known, left: left, files: listed(*files), also: listed(*also)})
		if err == nil && survived > 0 {
			os.Exit(1)
		}
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "gomutate:", err)
		os.Exit(2)
	}
}

// mutationPlan is what to try.
type mutationPlan struct {
	sample int
	seed   uint64
	known  map[string]bool
	left   map[string]bool // only these are tried, all if nil
	files  []string
	also   []string
}

// figures are what came of the changes of one package.
type figures struct{ tried, noticed, notGo, explained, survived int }

// mutate tries the changes of each package and prints the survivors, then one
// line of figures a package; it gives the number of survivors without a reason.
func mutate(out io.Writer, packages []string, p mutationPlan) (int, error) {
	unexplained := 0
	for _, dir := range packages {
		dir = "./" + filepath.ToSlash(filepath.Clean(dir))
		all, err := changesOf(dir)
		if err != nil {
			return 0, err
		}
		if p.left != nil {
			all = slices.DeleteFunc(all, func(c change) bool { return !p.left[c.String()] })
		}
		all = sampled(inFiles(all, p.files), p)
		slices.SortFunc(all, func(a, b change) int { return a.Number - b.Number })
		f, err := mutatePackage(out, dir, all, p)
		if err != nil {
			return 0, err
		}
		_, _ = fmt.Fprintf(out, "# %s: %d tried, %d noticed, %d do not compile, %d with a reason, %d not noticed\n", dir, f.tried, f.noticed, f.notGo, f.explained, f.survived)
		unexplained += f.survived
	}
	return unexplained, nil
}

// mutatePackage tries the changes of one package: those that compile beside
// each other by one build, the others one by one.
func mutatePackage(out io.Writer, dir string, changes []change, p mutationPlan) (figures, error) {
	folder, err := os.MkdirTemp("", "gomutate")
	if err != nil {
		return figures{}, err
	}
	defer func() { _ = os.RemoveAll(folder) }()
	together, apart, binaries, err := buildAll(folder, append([]string{dir}, p.also...), changes)
	if err != nil {
		return figures{}, err
	}
	f := figures{tried: len(changes)}
	for _, b := range binaries {
		for _, name := range b.failing {
			_, _ = fmt.Fprintf(out, "# left out, fails with the choices built in: %s of %s\n", name, filepath.Base(b.dir))
		}
	}
	for i := range together {
		result, reached := survived, false
		for _, b := range binaries {
			fails, runs := b.notices(together[i].Number)
			if reached = reached || runs; fails {
				result = noticed
				break
			}
		}
		f.count(out, &together[i], result, reached, p)
	}
	for i := range apart {
		result, err := try(&apart[i], append([]string{dir}, p.also...))
		if err != nil {
			return f, err
		}
		f.count(out, &apart[i], result, true, p)
	}
	return f, nil
}

// count counts a change, and prints it when it is left.
func (f *figures) count(out io.Writer, c *change, result outcome, reached bool, p mutationPlan) {
	switch {
	case result == noticed:
		f.noticed++
		if p.known[c.String()] {
			_, _ = fmt.Fprintf(out, "# noticed, and needs no reason: %s\n", c)
		}
	case result == uncompilable:
		f.notGo++
	case p.known[c.String()]:
		f.explained++
	default:
		f.survived++
		words := ""
		if !reached {
			words = "\tno test comes here"
		}
		_, _ = fmt.Fprintf(out, "%s:%d\t%s\t%s\t%s%s\n", c.File, c.Line, c.Func, oneLine(c.Old), oneLine(c.New), words)
	}
}

// buildAll builds the tests of the packages with the changes that compile
// beside each other, and gives those apart that do not.
func buildAll(folder string, packages []string, changes []change) (together, apart []change, binaries []*binary, err error) {
	together = changes
	for len(together) > 0 {
		s, err := writeSchema(folder, packages[0], together)
		if err != nil {
			return nil, nil, nil, err
		}
		binaries = nil
		var refused []complaint
		for _, dir := range packages {
			var b *binary
			if b, refused, err = buildTests(s, dir); err != nil {
				return nil, nil, nil, err
			}
			if len(refused) > 0 {
				break
			}
			if err := b.survey(); err != nil {
				return nil, nil, nil, err
			}
			binaries = append(binaries, b)
		}
		if len(refused) == 0 {
			break
		}
		before := len(together)
		var left []change
		for _, c := range together {
			if slices.ContainsFunc(refused, func(p complaint) bool { return p.about(&c) }) {
				apart = append(apart, c)
			} else {
				left = append(left, c)
			}
		}
		if together = left; len(left) == before {
			return nil, nil, nil, fmt.Errorf("the tests of %s do not compile with the changes built in: %v", packages[0], refused)
		}
	}
	return together, apart, binaries, nil
}

// readLeft reads the changes that an earlier run printed, nil without a file.
func readLeft(name string) (map[string]bool, error) {
	if name == "" {
		return nil, nil
	}
	data, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	left := map[string]bool{}
	for _, row := range strings.Split(string(data), "\n") {
		cols := strings.Split(row, "\t")
		file, _, placed := strings.Cut(cols[0], ":")
		if len(cols) >= 4 && placed {
			left[strings.Join(append([]string{file}, cols[1:4]...), "\t")] = true
		}
	}
	return left, nil
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

// sampled draws some of the changes, the same for the same seed.
func sampled(all []change, p mutationPlan) []change {
	if p.sample <= 0 || len(all) <= p.sample {
		return all
	}
	r := rand.New(rand.NewPCG(p.seed, uint64(len(all))))
	r.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	return all[:p.sample]
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
		if len(cols) != 5 || cols[4] == "" {
			return nil, fmt.Errorf("%s:%d: expected file, function, old, new and a reason", name, i+1)
		}
		known[strings.Join(cols[:4], "\t")] = true
	}
	return known, nil
}
