package snapshot

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/memaudit/memaudit/internal/bios"
	"github.com/memaudit/memaudit/internal/collect"
	"github.com/memaudit/memaudit/internal/fact"
	"github.com/memaudit/memaudit/internal/host"
	"github.com/memaudit/memaudit/internal/inventory"
	"github.com/memaudit/memaudit/internal/redfish"
	"github.com/memaudit/memaudit/internal/settings"
	"github.com/memaudit/memaudit/internal/smbios"
)

const (
	// inputsName is the member that holds what an audit was given beside the
	// trees.
	inputsName   = "/" + host.InputsFolder + "inputs.json"
	inputsSchema = "memaudit.inputs/v1"
	limitInputs  = 32 << 20
)

// inputs are the other inputs of an audit: a table given as a file, exports,
// the management controller's answer.
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

// capturedExport is one export of BIOS settings, decoded.
type capturedExport struct {
	Path   string       `json:"path"`
	Export *bios.Export `json:"export"`
}

// controller is what a management controller answered. Its BIOS settings are
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
	data, err := root.ReadLimit(inputsName, limitInputs)
	switch host.StateOf(err) {
	case fact.OK:
	case fact.Absent, fact.Unread:
		return nil // another program's capture, or one without other inputs
	default:
		return err
	}
	var i inputs
	if err := json.Unmarshal(data, &i); err != nil {
		return fmt.Errorf("%s: malformed: %w", inputsName, err)
	}
	if i.Schema != inputsSchema {
		return fmt.Errorf("%s: schema %q, expected %q", inputsName, i.Schema, inputsSchema)
	}
	return i.join(in)
}

func (i *inputs) join(in *collect.Input) error {
	if len(i.SMBIOS) > 0 && in.SMBIOS == nil && in.SMBIOSFailed == nil {
		table, err := smbios.Parse(i.SMBIOS)
		if err != nil {
			return fmt.Errorf("%s: smbios: %w", inputsName, err)
		}
		in.SMBIOS = table
	}
	var exports []collect.Export
	for _, e := range i.Exports {
		if e.Export == nil {
			return fmt.Errorf("%s: malformed: export %q is empty", inputsName, e.Path)
		}
		exports = append(exports, collect.Export{Source: "bios", Path: e.Path, Export: e.Export})
	}
	in.Exports = append(exports, in.Exports...)
	in.Measurements = append(slices.Clone(i.Measurements), in.Measurements...)
	if i.BMC != nil && i.BMC.Answer != nil && in.BMC == nil {
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
		i.Exports[n].Export = i.Exports[n].Export.Without(r.audited)
	}
	if i.BMC != nil && i.BMC.Export != nil {
		own := *i.BMC
		own.Export = own.Export.Without(r.audited)
		i.BMC = &own
	}
	return nil
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
