package cli

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/spf13/cobra"

	"memaudit.example/memaudit/internal/cli/assess"
	"memaudit.example/memaudit/internal/collect"
	"memaudit.example/memaudit/internal/collect/snapshot"
	"memaudit.example/memaudit/internal/model/humanize"
	"memaudit.example/memaudit/internal/model/inventory"
	"memaudit.example/memaudit/internal/model/partnumber"
	"memaudit.example/memaudit/internal/model/strictjson"
	"memaudit.example/memaudit/internal/report"
	"memaudit.example/memaudit/internal/report/formats"
	"memaudit.example/memaudit/internal/serve/fleet"
	"memaudit.example/memaudit/internal/source/host"
	"memaudit.example/memaudit/internal/source/smbios"
)

func (p *Program) fleetCommand() *cobra.Command {
	f, planned := &checkFlags{}, &spareFlags{}
	by, section := "", ""
	cmd := &cobra.Command{
		Use:   "fleet PATH...",
		Short: "summarize the reports of many machines: problems, worst machines, outliers",
		Long: `fleet reads reports, inventories, snapshots, machines' trees, SMBIOS dumps and dmidecode
texts of many machines: a folder, a file, a list of paths, a tar of such files, or
- for any of these but a folder on standard input. The format is detected
automatically. It prints the machines by verdict, each problem with the number of
machines that have it, their lowest bandwidth and the fix, the worst machines, those
that differ from most of their kind, and what was not checked. --section prints one
part in full.

--plan prints which machines gain most by moving modules, which can give modules up
without losing class, bandwidth or a passed check, and in which the modules of --spare
do most good, as steps by machine. Each step is proven by an audit of that machine.
Reports and inventories do not hold the machine: no plan is made for them.

Only an argument and standard input can be a list of paths; a file that a list names
or that is in a folder or a tar cannot. Links that lead out of a folder are not
followed.

Exit status: that of the worst machine by --fail-on; 3 when an input could not be
read, or no machine fails and the verdict of one is unknown. With --plan 0 whatever
the audits say; 3 when an input could not be read or nothing can be planned for any.`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return usageError("%s: no argument, expected at least one folder, file, list, tar, or -", cmd.CommandPath())
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			plan, err := p.readPlanning(cmd, planned, f.output.format, section)
			if err != nil {
				return err
			}
			if section != "" && f.output.format != formats.Text {
				return usageError("--section is part of --format text, not of %s", f.output.format)
			}
			p.collectLess()
			auditors, err := p.auditors(f)
			if err != nil {
				return err
			}
			doc := p.gatherFleet(auditors, plan, by, args)
			if err := f.output.writeOutput(p, false, func(t *terminal) error {
				return doc.Write(t, f.output.format, fleet.Options{Width: t.options.Width, Section: section})
			}); err != nil {
				return err
			}
			switch {
			case doc.NotRead() > 0:
				return &exitError{status: report.ExitNotAudited, err: fmt.Errorf("%s could not be read", humanize.Plural(doc.NotRead(), "input"))}
			case plan != nil && doc.HasNoPlan():
				return &exitError{status: report.ExitNotAudited}
			case plan != nil:
				return nil
			case f.failOn != report.FailNever && doc.FailsAtRank(report.SeverityRank(f.failOn)):
				return &exitError{status: report.ExitFailed}
			case doc.Unknown():
				return &exitError{status: report.ExitNotAudited}
			default:
				return nil
			}
		},
	}
	f.output.registerFlags(cmd, fleet.Formats())
	f.registerRules(p, cmd)
	registerWord(cmd, &by, "by", fleet.GroupKinds()[0], fleet.GroupKinds(), "compare machines of one `KIND`: %s")
	registerWord(cmd, &section, "section", "", fleet.Sections(), "print one `SECTION` of the text in full: %s")
	planned.registerFlags(cmd)
	f.registerFailOn(cmd)
	return cmd
}

func (p *Program) gatherFleet(auditors []*fleetAuditor, plan *planning, by string, paths []string) *fleet.Document {
	all := fleet.New(by, auditors[0].auditor.Engine.Headline)
	if plan != nil {
		all.RequestPlan(plan.stock, &plan.floors)
		for _, a := range auditors {
			a.planning = plan
		}
	}
	var count atomic.Int64
	done := p.showProgress(func() string { return humanize.Plural(int(count.Load()), "machine") + " read" })
	defer done()
	g := &gatherer{p: p, pool: startPool(auditors, func(o fleetInput) { o.addToFleet(all); count.Add(1) })}
	for _, path := range paths {
		g.gatherArgument(path)
	}
	g.pool.finishWork()
	return all.Document()
}

// fleetAuditor reads and audits inputs, one at a time. Its engine and part number patterns are its own, because
// they cache and are not safe for concurrent use.
type fleetAuditor struct {
	p           *Program
	auditor     *assess.Auditor
	partNumbers func() (*partnumber.Table, error)
	failOn      string
	// planning is nil unless a plan is requested.
	planning *planning
}

// mostAuditors limits the memory used: each may hold an input of maxSMBIOSFile.
const mostAuditors = 4

func (p *Program) auditors(f *checkFlags) ([]*fleetAuditor, error) {
	var all []*fleetAuditor
	for range min(runtime.GOMAXPROCS(0), mostAuditors) {
		auditor, err := p.loadAuditor(f)
		if err != nil {
			return nil, err
		}
		all = append(all, &fleetAuditor{p, auditor, sync.OnceValues(p.partNumbers), f.failOn, nil})
	}
	return all, nil
}

type fleetInput struct {
	name, input string
	report      *report.Report
	inventory   *report.Inventory
	refused     error
	// stake is the machine's part in the plan, nil without a plan, or without the machine.
	stake *fleet.Stake
}

var errInternal = errors.New("an error in memaudit itself, which could not go on with this input; please report it")

func (o *fleetInput) addToFleet(all *fleet.Fleet) {
	defer func() {
		if recover() != nil {
			all.RecordRefusal(o.input, errInternal.Error())
		}
	}()
	switch {
	case o.refused != nil:
		all.RecordRefusal(o.input, o.refused.Error())
	case o.report != nil:
		all.AddStake(all.Add(o.name, o.input, o.report), cmp.Or(o.stake, withoutMachine))
	default:
		all.AddStake(all.AddInventory(o.name, o.input, o.inventory), withoutMachine)
	}
}

// auditorPool reads inputs with several auditors concurrently and delivers the results in the order of the
// inputs, so that the output does not depend on their number. Only a few inputs per auditor may wait.
type auditorPool struct {
	free  chan *fleetAuditor
	order chan (<-chan fleetInput)
	taken chan struct{}
}

func startPool(auditors []*fleetAuditor, take func(fleetInput)) *auditorPool {
	q := &auditorPool{make(chan *fleetAuditor, len(auditors)), make(chan (<-chan fleetInput), len(auditors)), make(chan struct{})}
	for _, a := range auditors {
		q.free <- a
	}
	go func() {
		defer close(q.taken)
		for o := range q.order {
			take(<-o)
		}
	}()
	return q
}

// submitInput blocks while too many inputs are in progress.
func (q *auditorPool) submitInput(input string, read func(*fleetAuditor) fleetInput) {
	done := make(chan fleetInput, 1)
	q.order <- done
	a := <-q.free
	go func() {
		done <- a.containPanic(input, read)
		q.free <- a
	}()
}

// containPanic reads an input. After a panic, which affects only this input, the engine is replaced, because its
// state may be inconsistent.
func (a *fleetAuditor) containPanic(input string, read func(*fleetAuditor) fleetInput) (o fleetInput) {
	defer func() {
		if recover() == nil {
			return
		}
		o = fleetInput{input: input, refused: errInternal}
		a.partNumbers = sync.OnceValues(a.p.partNumbers)
		a.auditor.Engine = a.auditor.Engine.Clone()
	}()
	return read(a)
}

func (q *auditorPool) finishWork() {
	close(q.order)
	<-q.taken
}

func (a *fleetAuditor) auditRoot(name string, open func() (*host.Root, error)) fleetInput {
	root, err := open()
	if err == nil {
		defer func() { _ = root.Close() }()
		err = host.CheckSize(root)
	}
	if err != nil {
		return fleetInput{input: name, refused: err}
	}
	in := collect.Input{Root: root, Tables: a.p.tables, PartNumbers: a.partNumbers}
	if err := snapshot.AddInputs(root, &in); err != nil {
		return fleetInput{input: name, refused: err}
	}
	return a.auditSystem(name, collect.Collect(in))
}

// readContent reads a document of memaudit, or SMBIOS. Its text is quoted in an error only if the user named the
// file.
func (a *fleetAuditor) readContent(name string, data []byte, quote bool) fleetInput {
	if trimmed := bytes.TrimSpace(data); len(trimmed) > 0 && trimmed[0] == '{' {
		return readDocument(name, trimmed)
	}
	table, err := smbios.Parse(data)
	if err != nil {
		if !quote {
			err = withoutText(err)
		}
		return fleetInput{input: name, refused: fmt.Errorf("%w; expected a report, an inventory, a snapshot or SMBIOS (a list of paths only as an argument)", err)}
	}
	return a.auditSystem(name, collect.Collect(collect.Input{SMBIOS: table, Tables: a.p.tables, PartNumbers: a.partNumbers}))
}

// withoutText returns an error of reading SMBIOS without quoted text.
func withoutText(err error) error {
	for _, kind := range []error{smbios.ErrUnrecognised, smbios.ErrEmpty, smbios.ErrNoTable, smbios.ErrDenied, smbios.ErrNoHandles, smbios.ErrTooLarge} {
		if errors.Is(err, kind) {
			return kind
		}
	}
	return errors.New("cannot be read")
}

func readDocument(name string, data []byte) fleetInput {
	o := fleetInput{input: name}
	kind, err := schemaOf(data)
	switch {
	case err != nil:
		o.refused = fmt.Errorf("JSON: %w", err)
		return o
	case kind != report.SchemaReport && kind != report.SchemaInventory:
		o.refused = fmt.Errorf("JSON with another schema, expected %s or %s", report.SchemaReport, report.SchemaInventory)
		return o
	}
	var host string
	if kind == report.SchemaReport {
		o.report = &report.Report{}
		if err = strictjson.Document(data, o.report); err == nil {
			err = o.report.Contradiction()
		}
		host = o.report.Machine.Host.Text()
	} else {
		o.inventory = &report.Inventory{}
		err = strictjson.Document(data, o.inventory)
		host = o.inventory.Machine.Host.Text()
	}
	if err != nil {
		o.refused = fmt.Errorf("damaged %s, or of another version of memaudit: %w", kind, err)
	}
	o.name = cmp.Or(host, machineName(name))
	return o
}

// schemaOf returns the document's schema. memaudit writes it first, and then the rest is not parsed twice.
func schemaOf(data []byte) (string, error) {
	in := json.NewDecoder(bytes.NewReader(data))
	_, _ = in.Token() // the brace
	if key, err := in.Token(); err == nil && key == "schema" {
		if value, err := in.Token(); err == nil {
			if schema, ok := value.(string); ok {
				return schema, nil
			}
		}
	}
	var head struct{ Schema string }
	err := json.Unmarshal(data, &head)
	return head.Schema, err
}

func (a *fleetAuditor) auditSystem(name string, sys *inventory.System) fleetInput {
	if err := orNothing(nil, sys, "audit", ""); err != nil {
		return fleetInput{input: name, refused: err}
	}
	j, err := a.auditor.Assess(sys)
	if err != nil {
		return fleetInput{input: name, refused: err}
	}
	o := report.Options{Version: a.p.Version, Revision: a.p.Revision, Now: a.p.Now(), Rules: a.auditor.Rules, Criteria: report.Criteria{FailOn: a.failOn}}
	out := fleetInput{name: machineName(name), input: name}
	doc := a.reportWithStake(&out, j, o)
	out.report = &doc
	return out
}

func machineName(path string) string {
	name := filepath.Base(path)
	for _, end := range []string{".json", ".txt", ".bin", ".dmi", ".gz", ".bz2", ".tgz", ".tar"} {
		name = strings.TrimSuffix(name, end)
	}
	return name
}
