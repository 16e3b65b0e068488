package snapshot

import (
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/memaudit/memaudit/internal/collect"
	"github.com/memaudit/memaudit/internal/model/fact"
	"github.com/memaudit/memaudit/internal/model/inventory"
	"github.com/memaudit/memaudit/internal/model/settings"
	"github.com/memaudit/memaudit/internal/model/strictjson"
	"github.com/memaudit/memaudit/internal/source/bios"
	"github.com/memaudit/memaudit/internal/source/host"
	"github.com/memaudit/memaudit/internal/source/redfish"
	"github.com/memaudit/memaudit/internal/source/smbios"
)

const (
	// inputsName is the member that holds what an audit was given beside the
	// trees.
	inputsName   = "/" + host.InputsFolder + "inputs.json"
	inputsSchema = "memaudit.inputs/v1"
	// maxExports and maxMeasurements limit how many files of a kind an audit is given.
	maxExports      = 64
	maxMeasurements = 64
	// leastParsed is how much memory the values of the shortest inputs may take, in bytes.
	leastParsed = 1 << 20
)

// inputs are the other inputs of an audit: a table given as a file, exports,
// the BMC's answer.
type inputs struct {
	Schema string `json:"schema"`
	// Tree says that the machine's trees were audited; TreeFailed why not.
	Tree       bool             `json:"tree"`
	TreeFailed *collect.Failure `json:"tree_failed,omitempty"`
	// SMBIOS is the file given with --smbios.
	SMBIOS  []byte           `json:"smbios,omitempty"`
	Exports []capturedExport `json:"exports,omitempty"`
	BMC     *controller      `json:"controller,omitempty"`
	// Measurements are those given with --measured.
	Measurements []inventory.Measurement `json:"measurements,omitempty"`
}

// capturedExport is one export of BIOS settings, decoded. Path is the name of its file.
type capturedExport struct {
	Path   string       `json:"path"`
	Export *bios.Export `json:"export"`
}

// controller is what a BMC answered. Its BIOS settings are
// decoded.
type controller struct {
	Answer  *redfish.Answer `json:"answer"`
	Path    string          `json:"path,omitempty"`
	Export  *bios.Export    `json:"export,omitempty"`
	Failure string          `json:"failure,omitempty"`
}

// newController takes an answer as it came, before anything is made of it.
func newController(a *redfish.Answer) *controller {
	kept := *a
	c := &controller{Answer: &kept}
	if a.BIOS == nil {
		return c
	}
	kept.BIOS, c.Path = nil, a.BIOS.Path
	e, err := bios.DecodeRedfish(a.BIOS.Path, a.BIOS.Resource, a.BIOS.Settings, a.BIOS.Registry)
	if err != nil {
		c.Failure = err.Error()
	}
	c.Export = e
	return c
}

// replay is the answer once more, and how its settings are decoded.
func (c *controller) replay(in *collect.Input) {
	in.BMC = func(redfish.Identity) *redfish.Answer {
		a := *c.Answer
		a.Problems = slices.Clone(a.Problems) // an audit may add to them
		if c.Export != nil || c.Failure != "" {
			a.BIOS = &redfish.BIOS{Path: c.Path}
		}
		return &a
	}
	in.DecodeBMC = func(*redfish.BIOS) (*bios.Export, error) {
		if c.Failure != "" {
			return nil, errors.New(c.Failure)
		}
		return c.Export, nil
	}
}

// Inputs joins the inputs that a capture holds beside its trees to those of an
// audit of it. What the audit is given itself goes before: a table and a
// controller's answer replace those of the capture, exports are added to its.
func Inputs(root *host.Root, in *collect.Input) error {
	in.Redacted = root.Redacted()
	data, err := root.ReadLimit(inputsName, host.LimitInputs)
	switch host.StateOf(err) {
	case fact.OK:
	case fact.Absent, fact.Unread:
		return nil // another program's capture, or one without other inputs
	default:
		return err
	}
	var i inputs
	if err := i.decode(data); err != nil {
		return fmt.Errorf("%s: damaged: %w", inputsName, err)
	}
	return i.join(in)
}

// decode reads and checks what encode wrote, or what somebody else did.
func (i *inputs) decode(data []byte) error {
	var head struct {
		Schema string `json:"schema"`
	}
	if err := json.Unmarshal(data, &head); err == nil && head.Schema != inputsSchema {
		return fmt.Errorf("schema: %q, expected %q", head.Schema, inputsSchema)
	}
	if err := strictjson.Unmarshal(data, i, leastParsed+host.ParsedPerByte*int64(len(data))); err != nil {
		return err
	}
	return i.check()
}

// check reports the first value that no capture of a machine has.
func (i *inputs) check() error {
	if n := len(i.Exports); n > maxExports {
		return fmt.Errorf("exports: %d, expected at most %d", n, maxExports)
	}
	if n := len(i.Measurements); n > maxMeasurements {
		return fmt.Errorf("measurements: %d, expected at most %d", n, maxMeasurements)
	}
	if f := i.TreeFailed; f != nil && (f.State == fact.OK || f.State > fact.Malformed) {
		return fmt.Errorf("tree_failed.State: %d, expected the state of a failure", f.State)
	}
	for n := range i.Exports {
		if i.Exports[n].Export == nil {
			return fmt.Errorf("exports[%d].export: missing", n)
		}
		if err := i.Exports[n].Export.Check(); err != nil {
			return fmt.Errorf("exports[%d].export: %w", n, err)
		}
	}
	for n := range i.Measurements {
		if err := i.Measurements[n].Check(); err != nil {
			return fmt.Errorf("measurements[%d].%w", n, err)
		}
	}
	if i.BMC == nil {
		return nil
	}
	if err := i.BMC.check(); err != nil {
		return fmt.Errorf("controller.%w", err)
	}
	return nil
}

func (c *controller) check() error {
	switch {
	case c.Answer == nil:
		return errors.New("answer: missing")
	case c.Answer.BIOS != nil:
		return errors.New("answer.BIOS: an object, expected null and the decoded export beside the answer")
	}
	if err := c.Answer.Check(); err != nil {
		return fmt.Errorf("answer.%w", err)
	}
	if c.Export == nil {
		return nil
	}
	if err := c.Export.Check(); err != nil {
		return fmt.Errorf("export: %w", err)
	}
	return nil
}

// join adds the inputs of a capture to those of an audit of it.
func (i *inputs) join(in *collect.Input) error {
	if len(i.SMBIOS) > 0 && in.SMBIOS == nil && in.SMBIOSFailed == nil {
		table, err := smbios.Parse(i.SMBIOS)
		if err != nil {
			return fmt.Errorf("%s: smbios: %w", inputsName, err)
		}
		in.SMBIOS = table
	}
	exports := make([]collect.Export, 0, len(i.Exports)+len(in.Exports))
	for _, e := range i.Exports {
		exports = append(exports, collect.Export{Source: "bios", Path: e.Path, Export: e.Export})
	}
	in.Exports = append(exports, in.Exports...)
	in.Measurements = append(slices.Clone(i.Measurements), in.Measurements...)
	if i.BMC != nil && in.BMC == nil {
		i.BMC.replay(in)
	}
	if !i.Tree {
		in.Root, in.RootFailed = nil, i.TreeFailed
	}
	return nil
}

// encode writes the inputs; redaction is nil to keep identifiers.
func (i inputs) encode(r *redactor) ([]byte, error) {
	i.Schema, i.Exports = inputsSchema, slices.Clone(i.Exports)
	if r != nil {
		if err := i.redact(r); err != nil {
			return nil, err
		}
	}
	return json.Marshal(&i)
}

func (i *inputs) redact(r *redactor) error {
	if len(i.SMBIOS) > 0 {
		redacted, err := smbios.Redact(i.SMBIOS, r.hide())
		if err != nil {
			return err
		}
		i.SMBIOS = redacted
	}
	for n := range i.Exports {
		e := &i.Exports[n]
		e.Path, e.Export = fileName("bios", n, e.Path), e.Export.Without(r.audited)
		e.Export.Name = e.Path
	}
	i.Measurements = slices.Clone(i.Measurements)
	for n := range i.Measurements {
		i.Measurements[n].Path = fileName("measured", n, i.Measurements[n].Path)
	}
	if f := i.TreeFailed; f != nil && f.Detail != "" {
		i.TreeFailed = &collect.Failure{State: f.State, Detail: "the tree could not be read when the capture was made: " + f.State.String()}
	}
	if i.BMC != nil && i.BMC.Export != nil {
		own := *i.BMC
		own.Export = own.Export.Without(r.audited)
		i.BMC = &own
	}
	return nil
}

// fileName replaces the name of a file, which may hold the names of users, machines and customers:
// "bios-1.json".
func fileName(kind string, n int, path string) string {
	if path == "" {
		return "" // not from a file
	}
	end := filepath.Ext(path)
	if !slices.Contains([]string{".json", ".xml", ".txt", ".csv", ".cfg", ".yaml", ".log"}, end) {
		end = ""
	}
	return fmt.Sprintf("%s-%d%s", kind, n+1, end)
}

// audited reports the BIOS attributes that any vendor's table speaks of, by
// their names or by the texts that the exports' registries have for them.
func audited(tables settings.Tables, i *inputs) func(name, display string) bool {
	named := map[string]bool{}
	for _, id := range settings.IDs() {
		named[settings.PlainName(id)] = true // a file of memaudit's own words
	}
	for t := range tables.All() {
		for name := range t.Names() {
			named[name] = true
		}
	}
	texts := map[string][]string{}
	for _, e := range i.Exports {
		for n := range e.Export.Attributes {
			a := &e.Export.Attributes[n]
			texts[a.Name] = append(texts[a.Name], a.Display)
		}
	}
	return func(name, display string) bool {
		for _, text := range append([]string{name, display}, texts[name]...) {
			if named[settings.PlainName(text)] {
				return true
			}
		}
		return false
	}
}
