package cli

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"golang.org/x/sys/unix"

	"memaudit.example/memaudit/internal/audit/verdict"
	"memaudit.example/memaudit/internal/collect/measured"
	"memaudit.example/memaudit/internal/measure"
	"memaudit.example/memaudit/internal/measure/live"
	"memaudit.example/memaudit/internal/model/figure"
	"memaudit.example/memaudit/internal/model/inventory"
	"memaudit.example/memaudit/internal/report"
	"memaudit.example/memaudit/internal/report/formats"
	"memaudit.example/memaudit/internal/report/printable"
	"memaudit.example/memaudit/internal/report/text"
	"memaudit.example/memaudit/internal/source/host"
	"memaudit.example/memaudit/internal/source/host/kerneltext"
)

// measureArea is the prefix of rules about measurements.
const measureArea = "measure."

type measureFlags struct {
	checkFlags
	options       measure.Options
	nodes         string
	save, compare string
	// hint is what to do if measuring is refused.
	hint string
}

func (p *Program) measureCommand() *cobra.Command {
	f := &measureFlags{}
	cmd := &cobra.Command{
		Use:   "measure",
		Short: "measure bandwidth and latency of each NUMA node and compare them with the prediction",
		Long: `measure reads and writes memory of its own on each NUMA node, with one thread a core,
and prints bandwidth (reads, STREAM Triad) and idle latency. It takes up to 10
seconds with two sockets and a quarter of the free memory at most, and is for a
machine that does nothing else meanwhile: what other work disturbs is undecided, never
a failure.

Exit status: 0 as predicted; 1 a failure at or above --fail-on; 2 wrong usage or
configuration; 3 refused (a virtual machine, a limit on processors or memory) or
undecided.`,
		Args: nothing,
		RunE: func(cmd *cobra.Command, _ []string) error { return p.runMeasure(cmd.Context(), f) },
	}
	f.output.registerFlags(cmd, formats.Others())
	f.registerRules(p, cmd)
	f.registerFailOn(cmd)
	fl := cmd.Flags()
	fl.BoolVar(&f.options.Matrix, "matrix", false, "every pair of nodes, not only local memory and pairs of sockets")
	fl.BoolVar(&f.options.Loaded, "loaded", false, "the latency under load, too: while each core follows 1 to 8 chains of addresses (2.5 seconds more a node)")
	fl.BoolVar(&f.options.Quick, "quick", false, "take 3 seconds in all")
	fl.BoolVar(&f.options.Force, "force", false, "measure a virtual machine too, without checking it")
	fl.StringVar(&f.nodes, "nodes", "", "only these nodes: a `LIST` such as 0,2-3")
	fl.StringVar(&f.save, "save", "", "keep the result in `FILE` for --measured, --compare and the daemon")
	fl.StringVar(&f.compare, "compare", "", "compare with the earlier result in `FILE`")
	return cmd
}

func (p *Program) runMeasure(ctx context.Context, f *measureFlags) error {
	if f.nodes != "" {
		list, err := kerneltext.ParseCPUList([]byte(f.nodes))
		if err != nil || len(list) == 0 {
			return usageError("--nodes: %q, expected a list of nodes such as 0,2-3", f.nodes)
		}
		f.options.Nodes = list
	}
	auditor, err := p.loadAuditor(&f.checkFlags)
	if err != nil {
		return err
	}
	then, err := f.earlierResult()
	if err != nil {
		return err
	}
	sys, failed := p.readSystem(&f.input)
	if failed = joinInputErrors(failed, p.joinBaseline(&f.checkFlags, sys)); failed != nil {
		return failed
	}
	result, err := p.measureMemory(ctx, f, sys)
	if err != nil {
		return err
	}
	sys.Measurements = []inventory.Measurement{*measured.FromResult(result)}
	if then != nil {
		sys.Accepted = measured.FromResult(then)
	}
	j, err := auditor.Assess(sys)
	if err != nil {
		return usageError("%w", err)
	}
	j.Found = j.Found.FilterByPrefix(measureArea)
	doc := j.Report(p.reportOptions(&f.input, report.Criteria{FailOn: f.failOn, Strict: true}))
	if result.Machine, err = json.Marshal(&doc.Machine); err == nil {
		result.Findings, err = json.Marshal(doc.Findings)
	}
	if err != nil {
		return notAudited(err, "")
	}
	if err := f.saveResult(result); err != nil {
		return err
	}
	if err := f.output.writeOutput(p, false, func(w *terminal) error { return f.printResult(w, result, then, &doc) }); err != nil {
		return err
	}
	status := doc.Verdict.ExitStatus
	switch {
	case status == report.ExitFailed:
		return &exitError{status: status}
	case result.Refused != "":
		return &exitError{status: report.ExitNotAudited, err: fmt.Errorf("measure: refused: %s", string(result.Refused)), hint: f.hint}
	case !result.IsDecided() || status != report.ExitOK:
		return &exitError{status: report.ExitNotAudited}
	default:
		return nil
	}
}

// measureMemory measures; a refusal is a result, too.
func (p *Program) measureMemory(ctx context.Context, f *measureFlags, sys *inventory.System) (*measure.Result, error) {
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt, unix.SIGTERM)
	defer stop()
	open, guest := p.Bench, ""
	if open == nil {
		open = liveBench
	}
	if sys.Machine.Virtual.Or(false) {
		guest = sys.Machine.Hypervisor.Or("hypervisor not known")
	}
	b, err := open(ctx, guest)
	if err != nil {
		return nil, notAudited(err, "")
	}
	defer b.close()
	plan, err := measure.NewPlan(b.site, f.options)
	var refusal *measure.Refusal
	var result *measure.Result
	switch {
	case errors.As(err, &refusal):
		f.hint = refusal.Hint
		result = measure.RefusedResult(refusal.Reason, p.Now())
	case err != nil:
		return nil, usageError("--nodes: %w", err)
	default:
		done := p.showProgress(func() string { return "measuring bandwidth and latency" })
		result, err = measure.Run(ctx, b.bench, plan)
		if done(); err != nil {
			return nil, notAudited(fmt.Errorf("measure: %w", err), "")
		}
	}
	result.Store = live.Store
	return result, nil
}

func liveBench(ctx context.Context, guest string) (*measureBench, error) {
	root, err := host.OpenLive()
	if err != nil {
		return nil, err
	}
	b := live.NewBench(ctx, root)
	return &measureBench{live.Survey(root, guest), b, func() { b.Close(); _ = root.Close() }}, nil
}

func (f *measureFlags) earlierResult() (*measure.Result, error) {
	if f.compare == "" {
		return nil, nil
	}
	data, err := readBounded(f.compare, measured.MaxBytes)
	hint := ""
	if err == nil {
		var r *measure.Result
		if r, err = measure.Decode(data); err == nil {
			return r, nil
		}
		hint = "memaudit measure --save FILE makes such a file"
	}
	return nil, notAudited(fmt.Errorf("--compare %s: %w", f.compare, err), hint)
}

func (f *measureFlags) saveResult(result *measure.Result) error {
	if f.save == "" || result.Refused != "" {
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

func (f *measureFlags) printResult(w *terminal, result, then *measure.Result, doc *report.Report) error {
	if f.output.format == formats.JSON {
		data, err := result.Encode()
		if err != nil {
			return err
		}
		_, err = w.Write(printable.EscapeJSON(data))
		return err
	}
	return measurePage(result, then, doc, w.options).Write(w)
}

const matrixWidth = 80

func measurePage(result, then *measure.Result, doc *report.Report, options text.Options) *text.Page {
	out := text.NewPage(options)
	fields := func(lines []measure.Line) {
		for _, l := range lines {
			out.Field(0, l.Name, l.Text, false)
		}
	}
	fields(result.Circumstances())
	if result.Refused != "" {
		return out
	}
	width := cmp.Or(max(options.Width, 0), matrixWidth)
	var matrices []string
	for _, kind := range figure.Kinds() {
		matrices = append(matrices, result.FormatMatrix(kind, width-2))
	}
	if curves := result.DrawCurves(); curves != "" {
		matrices = append(matrices, curves)
	}
	out.Example(strings.Join(matrices, "\n"))
	fields(result.DoubtLines())
	if then != nil {
		out.Head(2, "since", then.GeneratedAt)
		fields(result.ChangeLines(then))
	}
	for _, f := range findingOrder(doc.Findings) {
		out.Head(2, strings.ToUpper(string(f.Result)), f.Rule+", "+f.Subject.String())
		out.Field(2, "found", string(f.Found), false)
		out.Field(2, "expected", string(f.Expected), false)
		out.Field(2, "reason", string(f.Reason), false)
		if f.Result == verdict.Fail {
			out.Field(2, "why", string(f.Why), false)
			out.Field(2, "fix", string(f.Remedy), false)
			out.Field(2, "source", f.Citation.Line(), false)
		}
	}
	return out
}

// findingOrder returns the findings to print: first comparisons within the machine, then with the
// accepted result, then with those of others.
func findingOrder(findings []verdict.Finding) []*verdict.Finding {
	order := []string{"measure.bandwidth.share", "measure.baseline.dropped", "measure.socket.asymmetric"}
	var out []*verdict.Finding
	for i := range findings {
		if findings[i].Result != verdict.NotApplicable {
			out = append(out, &findings[i])
		}
	}
	slices.SortStableFunc(out, func(a, b *verdict.Finding) int { return slices.Index(order, b.Rule) - slices.Index(order, a.Rule) })
	return out
}
