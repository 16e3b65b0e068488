// Command skipped reads what `go test -json` prints, prints what `go test` would without -json, and adds the tests that
// were skipped to a file. With -list it prints such a file: each reason once, and the tests that gave it.
package main

import (
	"bufio"
	"cmp"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"regexp"
	"slices"
	"strings"
)

func main() {
	to := flag.String("to", "", "`FILE` that skipped tests are added to")
	list := flag.String("list", "", "`FILE` to print")
	verbose := flag.Bool("v", false, "print the output of tests that pass, too")
	flag.Parse()
	err := filterOrList(*to, *list, *verbose)
	if err != nil {
		_, _ = fmt.Fprintln(os.Stderr, "skipped:", err)
		os.Exit(1)
	}
}

func filterOrList(to, list string, verbose bool) error {
	if list != "" {
		in, err := os.ReadFile(list)
		if err == nil {
			_, err = io.WriteString(os.Stdout, listed(string(in)))
		}
		return err
	}
	f, err := os.OpenFile(to, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	return cmp.Or(filter(os.Stdin, os.Stdout, f, verbose), f.Close())
}

// testEvent is a line of `go test -json` (go doc test2json).
type testEvent struct {
	Action, Package, Test, Output string
}

// reason matches the line of a test's log with the reason for skipping it.
var reason = regexp.MustCompile(`^ *[\w.-]+\.go:\d+: (.*)`)

// filter prints the lines of `go test` about packages and failed tests, and records each skipped test: its reason, a tab and
// its name.
func filter(in io.Reader, out, skipped io.Writer, verbose bool) error {
	said := map[testEvent][]string{} // by package and test, until that has ended
	lines := bufio.NewReader(in)
	for {
		line, err := lines.ReadString('\n')
		if err == io.EOF && line == "" {
			return nil
		} else if err != nil && err != io.EOF {
			return err
		}
		var e testEvent
		if json.Unmarshal([]byte(line), &e) != nil {
			_, _ = fmt.Fprint(out, line) // the go command's own output
			continue
		}
		of := testEvent{Package: e.Package, Test: e.Test}
		switch e.Action {
		case "build-output":
			_, _ = fmt.Fprint(out, e.Output)
		case "output":
			said[of] = append(said[of], e.Output)
			if verbose {
				_, _ = fmt.Fprint(out, e.Output)
			}
		case "pass", "fail", "skip":
			if e.Action == "skip" && e.Test != "" {
				_, _ = fmt.Fprintf(skipped, "%s\t%s.%s\n", lastReason(said[of]), strings.TrimPrefix(e.Package, "memaudit.example/memaudit/"), e.Test)
			}
			switch {
			case verbose:
			case e.Action == "fail":
				_, _ = fmt.Fprint(out, strings.Join(said[of], ""))
			case e.Test == "" && len(said[of]) > 0:
				_, _ = fmt.Fprint(out, said[of][len(said[of])-1])
			}
			delete(said, of)
		}
	}
}

func lastReason(log []string) string {
	for _, line := range slices.Backward(log) {
		if m := reason.FindStringSubmatch(strings.TrimRight(line, "\n")); m != nil {
			return m[1]
		}
	}
	return "no reason given"
}

func listed(notes string) string {
	tests := map[string][]string{}
	for line := range strings.Lines(notes) {
		reason, test, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		tests[reason] = append(tests[reason], test)
	}
	reasons := make([]string, 0, len(tests))
	for reason := range tests {
		reasons = append(reasons, reason)
	}
	slices.Sort(reasons)
	var out strings.Builder
	_, _ = fmt.Fprintf(&out, "Skipped, by reason: %d\n", len(reasons))
	for _, reason := range reasons {
		all := tests[reason]
		slices.Sort(all)
		_, _ = fmt.Fprintf(&out, "- %s: %s\n", reason, strings.Join(slices.Compact(all), ", "))
	}
	return out.String()
}
