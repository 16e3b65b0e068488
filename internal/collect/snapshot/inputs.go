package snapshot

import (
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"

	"memaudit.example/memaudit/internal/collect"
	"memaudit.example/memaudit/internal/model/fact"
	"memaudit.example/memaudit/internal/model/inventory"
	"memaudit.example/memaudit/internal/model/settings"
	"memaudit.example/memaudit/internal/model/strictjson"
	"memaudit.example/memaudit/internal/source/bios"
	"memaudit.example/memaudit/internal/source/host"
	"memaudit.example/memaudit/internal/source/redfish"
	"memaudit.example/memaudit/internal/source/smbios"
)

const (
	inputsName   = "/" + host.InputsFolder + "inputs.json"
	inputsSchema = "memaudit.inputs/v1"
	// maxExports and maxMeasurements limit the number of files of each kind, maxExports also that of event logs.
	maxExports      = 64
	maxMeasurements = 64
	// leastParsed is the memory limit in bytes for the decoded values of the shortest inputs.
	leastParsed = 1 << 20
)

type inputs struct {
	Schema string `json:"schema"`
	// Tree is set if the machine's trees were audited; otherwise TreeFailed may have the reason.
	Tree       bool             `json:"tree"`
	TreeFailed *collect.Failure `json:"tree_failed,omitempty"`
	// SMBIOS is the file given with --smbios.
	SMBIOS  []byte           `json:"smbios,omitempty"`
	Exports []collect.Export `json:"exports,omitempty"`
	BMC     *capturedBMC     `json:"controller,omitempty"`
	// EventLogs are those given with --event-log.
	EventLogs []collect.EventLog `json:"event_logs,omitempty"`
	// Measurements are those given with --measured.
	Measurements []inventory.Measurement `json:"measurements,omitempty"`
}

type capturedBMC struct {
	Answer  *redfish.Answer `json:"answer"`
	Path    string          `json:"path,omitempty"`
	Export  *bios.Export    `json:"export,omitempty"`
	Failure string          `json:"failure,omitempty"`
}

func newCapturedBMC(a *redfish.Answer) *capturedBMC {
	kept := *a
	c := &capturedBMC{Answer: &kept}
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

// AddInputs adds the inputs stored in a capture to the inputs of an audit of it. The audit's own table and
// BMC take precedence; exports of both are used. It returns an error if the stored inputs are damaged.
func AddInputs(root *host.Root, in *collect.Input) error {
	in.Redacted = root.Redacted()
	data, err := root.ReadLimit(inputsName, host.LimitInputs)
	switch host.StateOf(err) {
	case fact.OK:
	case fact.Absent, fact.Unread:
		return nil // a capture by another program or without other inputs
	default:
		return err
	}
	var i inputs
	if err := i.decodeChecked(data); err != nil {
		return fmt.Errorf("%s: damaged: %w", inputsName, err)
	}
	if len(i.SMBIOS) > 0 && in.SMBIOS == nil && in.SMBIOSFailed == nil {
		table, err := smbios.Parse(i.SMBIOS)
		if err != nil {
			return fmt.Errorf("%s: smbios: %w", inputsName, err)
		}
		in.SMBIOS = table
	}
	for n := range i.Exports {
		i.Exports[n].Source = inventory.SourceBIOS
	}
	in.Exports = slices.Concat(i.Exports, in.Exports)
	in.EventLogs = slices.Concat(i.EventLogs, in.EventLogs)
	in.Measurements = append(slices.Clone(i.Measurements), in.Measurements...)
	if i.BMC != nil && in.BMC == nil {
		in.BMC = func(redfish.Identity) *redfish.Answer {
			a := *i.BMC.Answer
			a.Problems = slices.Clone(a.Problems) // an audit may add to them
			if i.BMC.Export != nil || i.BMC.Failure != "" {
				a.BIOS = &redfish.BIOS{Path: i.BMC.Path}
			}
			return &a
		}
		in.DecodeBMC = func(*redfish.BIOS) (*bios.Export, error) {
			if i.BMC.Failure != "" {
				return nil, errors.New(i.BMC.Failure)
			}
			return i.BMC.Export, nil
		}
	}
	if !i.Tree {
		in.Root, in.RootFailed = nil, i.TreeFailed
	}
	return nil
}

// decodeChecked reads and checks the stored inputs. They are not trusted.
func (i *inputs) decodeChecked(data []byte) error {
	var head struct {
		Schema string `json:"schema"`
	}
	if err := json.Unmarshal(data, &head); err == nil && head.Schema != inputsSchema {
		return fmt.Errorf("schema: %q, expected %q", head.Schema, inputsSchema)
	}
	if err := strictjson.Unmarshal(data, i, leastParsed+host.ParsedPerByte*int64(len(data))); err != nil {
		return err
	}
	return i.validate()
}

func (i *inputs) validate() error {
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
	if n := len(i.EventLogs); n > maxExports {
		return fmt.Errorf("event_logs: %d, expected at most %d", n, maxExports)
	}
	for n := range i.EventLogs {
		if i.EventLogs[n].Log == nil {
			return fmt.Errorf("event_logs[%d].log: missing", n)
		}
		if err := i.EventLogs[n].Log.Check(); err != nil {
			return fmt.Errorf("event_logs[%d].log.%w", n, err)
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
	if err := i.BMC.validate(); err != nil {
		return fmt.Errorf("controller.%w", err)
	}
	return nil
}

func (c *capturedBMC) validate() error {
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

func (i inputs) encodeJSON(r *redactor) ([]byte, error) {
	i.Schema, i.Exports = inputsSchema, slices.Clone(i.Exports)
	if r != nil {
		if err := i.redactAll(r); err != nil {
			return nil, err
		}
	}
	return json.Marshal(&i)
}

func (i *inputs) redactAll(r *redactor) error {
	if len(i.SMBIOS) > 0 {
		redacted, err := smbios.Redact(i.SMBIOS, r.hideFunctions())
		if err != nil {
			return err
		}
		i.SMBIOS = redacted
	}
	for n := range i.Exports {
		e := &i.Exports[n]
		e.Path, e.Export = fileName("bios", n, e.Path), e.Export.WithoutValues(r.audited)
		e.Export.Name = e.Path
	}
	i.EventLogs = slices.Clone(i.EventLogs)
	for n := range i.EventLogs {
		i.EventLogs[n].Path = fileName("event-log", n, i.EventLogs[n].Path)
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
		own.Export = own.Export.WithoutValues(r.audited)
		i.BMC = &own
	}
	return nil
}

// fileName returns a neutral name for a file such as "bios-1.json"; the original may contain names of
// users, machines and customers.
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

func auditedNames(tables settings.Tables, i *inputs) func(name, display string) bool {
	named := map[string]bool{}
	for _, id := range settings.IDs() {
		named[settings.PlainName(id)] = true // a file of canonical values
	}
	for t := range tables.All() {
		for name := range t.Names() {
			named[name] = true
		}
	}
	texts := map[string][]string{}
	for _, e := range i.Exports {
		for a := range inventory.Pointers(e.Export.Attributes) {
			texts[a.Name] = append(texts[a.Name], a.Display)
		}
	}
	return func(name, display string) bool {
		isNamed := func(text string) bool { return named[settings.PlainName(text)] }
		return slices.ContainsFunc(append([]string{name, display}, texts[name]...), isNamed)
	}
}
