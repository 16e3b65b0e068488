package cli

import (
	"archive/tar"
	"bufio"
	"bytes"
	"compress/bzip2"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/memaudit/memaudit/internal/fleet"
	"github.com/memaudit/memaudit/internal/host"
	"github.com/memaudit/memaudit/internal/prose"
	"github.com/memaudit/memaudit/internal/report"
)

func (p *Program) fleetCommand() *cobra.Command {
	f := &checkFlags{}
	by := ""
	cmd := &cobra.Command{
		Use:   "fleet PATH...",
		Short: "bring many machines' reports together: findings by cause, groups, who differs",
		Long: `fleet reads reports, inventories, snapshots, machines' trees, SMBIOS dumps and dmidecode
texts of many machines: a folder, a file, a list of paths, a tar of such files, or
- for a list on standard input. They are told apart by content. It prints findings
by cause, groups of equal machines, who differs from most of its kind and in what,
who waits for a reboot, and what would make the unknown known.

Exit status: that of the worst machine by --fail-on; 3 when an input could not be
read.`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return usageError("%s: no argument, expected at least one folder, file, list, tar, or -", cmd.CommandPath())
			}
			return nil
		},
		RunE: func(_ *cobra.Command, args []string) error { return p.fleet(f, by, args) },
	}
	f.output.register(cmd, fleet.Formats())
	f.registerRules(p, cmd)
	fl := cmd.Flags()
	fl.StringVar(&by, "by", fleet.GroupKinds()[0], "compare machines of one `KIND`: "+strings.Join(fleet.GroupKinds(), ", "))
	registerFailOn(cmd, &f.failOn)
	_ = cmd.RegisterFlagCompletionFunc("by", cobra.FixedCompletions(fleet.GroupKinds(), cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

// gatherer finds the inputs, in order, and hands each to the pool.
type gatherer struct {
	p    *Program
	pool *auditorPool
}

func (p *Program) fleet(f *checkFlags, by string, paths []string) error {
	if err := errors.Join(f.output.check(fleet.Formats()), checkFlagWord("by", by, fleet.GroupKinds()), report.CheckFailOn(f.failOn)); err != nil {
		return usageError("%w", err)
	}
	auditors, err := p.auditors(f)
	if err != nil {
		return err
	}
	all := fleet.New(by)
	g := &gatherer{p: p, pool: startPool(auditors, func(o fleetInput) { o.join(all) })}
	for _, path := range paths {
		g.path(path)
	}
	g.pool.finish()
	doc := all.Document()
	if err := f.output.write(p, false, func(w *terminal) error { return doc.Write(w, f.output.format) }); err != nil {
		return err
	}
	switch {
	case len(doc.Unreadable) > 0:
		return &exitError{status: report.ExitNotAudited, err: fmt.Errorf("%s could not be read", prose.Count(len(doc.Unreadable), "input"))}
	case f.failOn != report.FailNever && doc.Fails(report.SeverityRank(f.failOn)):
		return &exitError{status: report.ExitFailed}
	default:
		return nil
	}
}

//go:noinline
func (g *gatherer) refuse(input string, err error) {
	g.pool.submit(func(*fleetAuditor) fleetInput { return fleetInput{input: input, refused: err} })
}

// path takes one argument or one line of a list.
func (g *gatherer) path(path string) {
	if path == "-" {
		data, err := readWhole(g.p.Stdin, maxSMBIOSFile)
		if err != nil {
			g.refuse("standard input", err)
			return
		}
		g.content("standard input", data)
		return
	}
	st, err := os.Stat(path)
	switch {
	case err != nil:
		g.refuse(path, err)
	case st.IsDir() && isTree(path):
		g.root(path, func() (*host.Root, error) { return host.OpenDir(path) })
	case st.IsDir():
		g.folder(path)
	case !st.Mode().IsRegular():
		g.refuse(path, fmt.Errorf("is a %s, expected a file or a folder", st.Mode().Type()))
	case st.Size() > maxSMBIOSFile && !isTar(path):
		g.refuse(path, longer(maxSMBIOSFile))
	case isTar(path):
		g.archive(path)
	default:
		data, err := os.ReadFile(path)
		if err != nil {
			g.refuse(path, err)
			return
		}
		g.content(path, data)
	}
}

// isTree reports whether a folder is a machine's root.
func isTree(path string) bool {
	st, err := os.Stat(filepath.Join(path, "sys"))
	return err == nil && st.IsDir()
}

func isTar(path string) bool {
	return slices.ContainsFunc([]string{".tar", ".tar.gz", ".tgz", ".tar.bz2"}, func(end string) bool { return strings.HasSuffix(path, end) })
}

// folder takes every file and every machine's tree below a folder, in order.
func (g *gatherer) folder(path string) {
	entries, err := os.ReadDir(path)
	if err != nil {
		g.refuse(path, err)
		return
	}
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), ".") || e.Type()&fs.ModeSymlink != 0 && !e.IsDir() && !isFile(filepath.Join(path, e.Name())) {
			continue
		}
		g.path(filepath.Join(path, e.Name()))
	}
}

func isFile(path string) bool {
	st, err := os.Stat(path)
	return err == nil && st.Mode().IsRegular()
}

// archive is one machine's capture, or a plain tar of inputs.
func (g *gatherer) archive(path string) {
	one, err := g.captures(path)
	if err != nil {
		g.refuse(path, err)
		return
	}
	if one {
		g.root(path, func() (*host.Root, error) { return host.OpenCaptureFile(path) })
	}
}

// captures reports whether an archive holds one machine's sys or proc tree; of
// an archive that does not, every file is taken as an input.
func (g *gatherer) captures(path string) (bool, error) {
	file, err := os.Open(path)
	if err != nil {
		return false, err
	}
	defer func() { _ = file.Close() }()
	plain, err := unpacked(bufio.NewReader(file))
	if err != nil {
		return false, err
	}
	for in := tar.NewReader(plain); ; {
		h, err := in.Next()
		switch {
		case errors.Is(err, io.EOF):
			return false, nil
		case err != nil:
			return false, err
		case ofTree(h.Name):
			return true, nil
		case h.Typeflag != tar.TypeReg:
			continue
		case h.Size > maxSMBIOSFile:
			g.refuse(path+"/"+h.Name, longer(maxSMBIOSFile))
			continue
		}
		data, err := io.ReadAll(in)
		if err != nil {
			return false, err
		}
		g.content(path+"/"+h.Name, data)
	}
}

// unpacked undoes the compression that a stream's first bytes show.
func unpacked(in *bufio.Reader) (io.Reader, error) {
	switch head, _ := in.Peek(3); {
	case bytes.HasPrefix(head, []byte{0x1f, 0x8b}):
		return gzip.NewReader(in)
	case bytes.HasPrefix(head, []byte("BZh")):
		return bzip2.NewReader(in), nil
	default:
		return in, nil
	}
}

// ofTree reports whether a member of an archive belongs to a machine: anything in
// its sys and proc, also below one leading folder, or what a capture of memaudit's own
// holds, which has neither where SMBIOS was all there was.
func ofTree(name string) bool {
	parts := strings.Split(strings.TrimPrefix(name, "./"), "/")
	parts = parts[:min(2, len(parts))]
	return slices.Contains(parts, "sys") || slices.Contains(parts, "proc") || host.OfCapture(name)
}

// root has a machine's tree audited.
func (g *gatherer) root(name string, open func() (*host.Root, error)) {
	g.pool.submit(func(a *fleetAuditor) fleetInput { return a.root(name, open) })
}

// content tells a file's kind by what is in it.
func (g *gatherer) content(name string, data []byte) {
	trimmed := bytes.TrimSpace(data)
	switch {
	case len(trimmed) == 0:
		g.refuse(name, errors.New("is empty"))
	case trimmed[0] != '{' && isList(trimmed):
		for line := range strings.Lines(string(trimmed)) {
			if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "#") {
				g.path(line)
			}
		}
	default:
		g.pool.submit(func(a *fleetAuditor) fleetInput { return a.content(name, data) })
	}
}

// isList reports whether the first line that says something names a path that
// is there.
func isList(data []byte) bool {
	for line := range strings.Lines(string(data[:min(len(data), 4096)])) {
		if line = strings.TrimSpace(line); line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		_, err := os.Stat(line)
		return err == nil
	}
	return false
}
