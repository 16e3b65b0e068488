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

	"memaudit.example/memaudit/internal/cli/assess"
	"memaudit.example/memaudit/internal/collect"
	"memaudit.example/memaudit/internal/collect/snapshot"
	"memaudit.example/memaudit/internal/model/inventory"
	"memaudit.example/memaudit/internal/model/partnumber"
	"memaudit.example/memaudit/internal/model/strictjson"
	"memaudit.example/memaudit/internal/report"
	"memaudit.example/memaudit/internal/serve/fleet"
	"memaudit.example/memaudit/internal/source/host"
	"memaudit.example/memaudit/internal/source/smbios"
)

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
		auditor, err := p.auditor(f)
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

// errInternal is the reason for an input that made memaudit panic.
var errInternal = errors.New("an error in memaudit itself, which could not go on with this input; please report it")

func (o *fleetInput) join(all *fleet.Fleet) {
	defer func() {
		if recover() != nil {
			all.Refuse(o.input, errInternal.Error())
		}
	}()
	switch {
	case o.refused != nil:
		all.Refuse(o.input, o.refused.Error())
	case o.report != nil:
		all.AddStake(all.Add(o.name, o.input, o.report), cmp.Or(o.stake, withoutMachine))
	default:
		all.AddStake(all.AddInventory(o.name, o.input, o.inventory), withoutMachine)
	}
}

// auditorPool reads inputs with several auditors concurrently and delivers the results in the order of the
// inputs, so that the output does not depend on their number. Only a few inputs per auditor may wait.
type auditorPool struct {
	work  chan func(*fleetAuditor)
	order chan (<-chan fleetInput)
	taken chan struct{}
}

func startPool(auditors []*fleetAuditor, take func(fleetInput)) *auditorPool {
	q := &auditorPool{make(chan func(*fleetAuditor)), make(chan (<-chan fleetInput), len(auditors)), make(chan struct{})}
	for _, a := range auditors {
		go func() {
			for read := range q.work {
				read(a)
			}
		}()
	}
	go func() {
		defer close(q.taken)
		for o := range q.order {
			take(<-o)
		}
	}()
	return q
}

// submit blocks while too many inputs are in progress.
func (q *auditorPool) submit(input string, read func(*fleetAuditor) fleetInput) {
	done := make(chan fleetInput, 1)
	q.order <- done
	q.work <- func(a *fleetAuditor) { done <- a.contain(input, read) }
}

// contain reads an input. After a panic, which affects only this input, the engine is replaced, because its
// state may be inconsistent.
func (a *fleetAuditor) contain(input string, read func(*fleetAuditor) fleetInput) (o fleetInput) {
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

func (q *auditorPool) finish() {
	close(q.work)
	close(q.order)
	<-q.taken
}

func (a *fleetAuditor) root(name string, open func() (*host.Root, error)) fleetInput {
	root, err := open()
	if err == nil {
		defer func() { _ = root.Close() }()
		err = host.CheckSize(root)
	}
	if err != nil {
		return fleetInput{input: name, refused: err}
	}
	in := collect.Input{Root: root, Tables: a.p.tables, PartNumbers: a.partNumbers}
	if err := snapshot.Inputs(root, &in); err != nil {
		return fleetInput{input: name, refused: err}
	}
	return a.audit(name, collect.Collect(in))
}

// content reads a document of memaudit, or SMBIOS. Its text is quoted in an error only if the user named the
// file.
func (a *fleetAuditor) content(name string, data []byte, quote bool) fleetInput {
	if trimmed := bytes.TrimSpace(data); len(trimmed) > 0 && trimmed[0] == '{' {
		return document(name, trimmed)
	}
	table, err := smbios.Parse(data)
	if err != nil {
		if !quote {
			err = withoutText(err)
		}
		return fleetInput{input: name, refused: fmt.Errorf("%w; expected a report, an inventory, a snapshot or SMBIOS (a list of paths only as an argument)", err)}
	}
	return a.audit(name, collect.Collect(collect.Input{SMBIOS: table, Tables: a.p.tables, PartNumbers: a.partNumbers}))
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

func document(name string, data []byte) fleetInput {
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

func (a *fleetAuditor) audit(name string, sys *inventory.System) fleetInput {
	if nothingRead(sys) {
		return fleetInput{input: name, refused: errors.New("nothing to audit: no source of this input could be read")}
	}
	j, err := a.auditor.Assess(sys)
	if err != nil {
		return fleetInput{input: name, refused: err}
	}
	o := report.Options{Version: a.p.Version, Revision: a.p.Revision, Now: a.p.Now(), Rules: a.auditor.Rules, Criteria: report.Criteria{FailOn: a.failOn}}
	out := fleetInput{name: machineName(name), input: name}
	doc := a.stake(&out, j, o)
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
