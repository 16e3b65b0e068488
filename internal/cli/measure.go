package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"

	"github.com/spf13/cobra"
	"golang.org/x/sys/unix"

	"github.com/memaudit/memaudit/internal/host"
	"github.com/memaudit/memaudit/internal/inventory"
	"github.com/memaudit/memaudit/internal/kerneltext"
	"github.com/memaudit/memaudit/internal/measure"
	"github.com/memaudit/memaudit/internal/measure/live"
	"github.com/memaudit/memaudit/internal/measured"
	"github.com/memaudit/memaudit/internal/report"
	"github.com/memaudit/memaudit/internal/report/formats"
	"github.com/memaudit/memaudit/internal/verdict"
)

// measureArea is the area of the rules that speak of a measurement.
const measureArea = "measure."

// measureFlags are those of measure.
type measureFlags struct {
	checkFlags
	options       measure.Options
	nodes         string
	save, compare string
	// hint is what to do about a refusal.
	hint string
}

func (p *Program) measureCommand() *cobra.Command {
	f := &measureFlags{}
	cmd := &cobra.Command{
		Use:   "measure",
		Short: "measure bandwidth and latency of each NUMA node and hold them against the prediction",
		Long: `measure reads and writes memory of its own on each NUMA node, with one thread a core,
and prints bandwidth (reads, STREAM Triad) and idle latency. It takes up to 10
seconds with two sockets and a quarter of the free memory at most, and is for a
machine that does nothing else meanwhile: what others disturb is undecided, never
a failure.

Exit status: 0 as predicted; 1 a failure at or above --fail-on; 2 wrong usage or
configuration; 3 refused (a virtual machine, a limit on processors or memory) or
undecided.`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return p.measure(cmd.Context(), f) },
	}
	f.output.register(cmd, []string{formats.Text, formats.JSON})
	f.registerRules(p, cmd)
	fl := cmd.Flags()
	registerFailOn(cmd, &f.failOn)
	fl.BoolVar(&f.options.Matrix, "matrix", false, "every pair of nodes, not only local memory and pairs of sockets")
	fl.BoolVar(&f.options.Quick, "quick", false, "take 3 seconds in all")
	fl.BoolVar(&f.options.Force, "force", false, "measure a virtual machine too, and judge nothing")
	fl.StringVar(&f.nodes, "nodes", "", "only these nodes: a `LIST` as 0,2-3")
	fl.StringVar(&f.save, "save", "", "keep the result in `FILE` for --measured, --compare and the daemon")
	fl.StringVar(&f.compare, "compare", "", "say what changed since the result in `FILE`, and judge it as the accepted one")
	return cmd
}

// check refuses wrong flags before anything is read.
func (f *measureFlags) check() error {
	if err := oneOf("fail-on", f.failOn, report.FailOn()); err != nil {
		return err
	}
	if err := f.output.check([]string{formats.Text, formats.JSON}); err != nil {
		return err
	}
	if f.nodes == "" {
		return nil
	}
	list, err := kerneltext.ParseCPUList([]byte(f.nodes))
	if err != nil || len(list) == 0 {
		return usage("--nodes: %q, expected a list of nodes as 0,2-3", f.nodes)
	}
	f.options.Nodes = list
	return nil
}

// measure measures, judges and prints.
func (p *Program) measure(ctx context.Context, f *measureFlags) error {
	if err := f.check(); err != nil {
		return err
	}
	engine, options, err := p.engine(&f.checkFlags)
	if err != nil {
		return err
	}
	then, err := f.earlier()
	if err != nil {
		return err
	}
	sys, failed := p.system(&f.input)
	if failed = both(failed, p.joinBaseline(&f.checkFlags, sys)); failed != nil {
		return failed
	}
	result, err := p.take(ctx, f, sys)
	if err != nil {
		return err
	}
	sys.Measurements = []inventory.Measurement{*measured.From(result)}
	if then != nil {
		sys.Accepted = measured.From(then)
	}
	j, err := p.judge(engine, options, sys)
	if err != nil {
		return usage("%w", err)
	}
	j.found = j.found.Area(measureArea)
	doc := j.report(p.reportOptions(&f.input))
	if err := describe(result, &doc); err != nil {
		return notAudited(err, "")
	}
	if err := f.keep(result); err != nil {
		return err
	}
	if err := f.output.write(p, false, func(w *terminal) error { return f.print(w, result, then, &doc) }); err != nil {
		return err
	}
	return f.measureStatus(result, &doc)
}

// take measures; a refusal is a result too.
func (p *Program) take(ctx context.Context, f *measureFlags, sys *inventory.System) (*measure.Result, error) {
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt, unix.SIGTERM)
	defer stop()
	open := p.Bench
	if open == nil {
		open = liveBench
	}
	b, err := open(ctx, guest(sys))
	if err != nil {
		return nil, notAudited(err, "")
	}
	defer b.close()
	plan, err := measure.NewPlan(b.site, f.options)
	var refusal *measure.Refusal
	switch {
	case errors.As(err, &refusal):
		f.hint = refusal.Hint
		result := measure.Refuse(refusal.Reason, p.Now())
		result.Store = live.Store
		return result, nil
	case err != nil:
		return nil, usage("--nodes: %w", err)
	}
	result, err := measure.Run(ctx, b.bench, plan)
	if err != nil {
		return nil, notAudited(fmt.Errorf("measure: %w", err), "")
	}
	result.Store = live.Store
	return result, nil
}

// liveBench is the running machine.
func liveBench(ctx context.Context, guest string) (*bench, error) {
	root, err := host.OpenLive()
	if err != nil {
		return nil, err
	}
	b := live.NewBench(ctx, root)
	return &bench{live.Survey(root, guest), b, func() { b.Close(); _ = root.Close() }}, nil
}

// guest names the hypervisor of a virtual machine.
func guest(sys *inventory.System) string {
	if !sys.Machine.Virtual.Or(false) {
		return ""
	}
	return sys.Machine.Hypervisor.Or("hypervisor not known")
}

// earlier reads the result of --compare.
func (f *measureFlags) earlier() (*measure.Result, error) {
	if f.compare == "" {
		return nil, nil
	}
	data, err := readBounded(f.compare, measured.MaxBytes)
	if err != nil {
		return nil, notAudited(fmt.Errorf("--compare: %w", err), "")
	}
	r, err := measure.Decode(data)
	if err != nil {
		return nil, notAudited(fmt.Errorf("--compare %s: %w", f.compare, err), "memaudit measure --save FILE makes such a file")
	}
	return r, nil
}

// describe puts the machine and the findings into the document.
func describe(result *measure.Result, doc *report.Report) (err error) {
	if result.Machine, err = json.Marshal(&doc.Machine); err != nil {
		return err
	}
	result.Findings, err = json.Marshal(doc.Findings)
	return err
}

// keep writes the file of --save; a refusal replaces no result.
func (f *measureFlags) keep(result *measure.Result) error {
	if f.save == "" || result.Refused != nil {
		return nil
	}
	data, err := result.Encode()
	if err == nil {
		err = writeAtomic(f.save, 0o644, func(w io.Writer) error { _, err := w.Write(data); return err })
	}
	if err != nil {
		return notAudited(fmt.Errorf("--save: %w", err), "")
	}
	return nil
}

func (f *measureFlags) print(w io.Writer, result, then *measure.Result, doc *report.Report) error {
	if f.output.format == formats.JSON {
		data, err := result.Encode()
		if err != nil {
			return err
		}
		_, err = w.Write(data)
		return err
	}
	if err := measure.WriteText(w, result); err != nil || result.Refused != nil {
		return err
	}
	if then != nil {
		if err := measure.WriteChange(w, then, result); err != nil {
			return err
		}
	}
	_, err := io.WriteString(w, findingLines(doc))
	return err
}

// findingLines are the findings that say something, in words.
func findingLines(doc *report.Report) string {
	var b strings.Builder
	for i := range doc.Findings {
		f := &doc.Findings[i]
		if f.Result == string(verdict.NotApplicable) {
			continue
		}
		fmt.Fprintf(&b, "\n%s  %s   %s\n", strings.ToUpper(f.Result), f.Rule, f.Subject)
		for _, line := range []struct {
			key  string
			text *string
		}{{"found", f.Found}, {"expected", f.Expected}, {"reason", f.Reason}, {"why", f.Why}, {"fix", f.Remedy}} {
			if line.text != nil && (f.Result == string(verdict.Fail) || line.key != "why" && line.key != "fix") {
				fmt.Fprintf(&b, "      %-9s %s\n", line.key, *line.text)
			}
		}
	}
	return b.String()
}

// measureStatus is 1 for a failure, 3 for what is refused or undecided.
func (f *measureFlags) measureStatus(result *measure.Result, doc *report.Report) error {
	status := report.ExitStatus(doc, f.failOn, true)
	switch {
	case status == report.ExitFailed:
		return &exit{status: status}
	case result.Refused != nil:
		return &exit{status: report.ExitNotAudited, err: fmt.Errorf("measure: refused: %s", *result.Refused), hint: f.hint}
	case !result.Decided() || status != report.ExitOK:
		return &exit{status: report.ExitNotAudited}
	default:
		return nil
	}
}
