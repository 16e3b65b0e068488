// Package snapshot captures the files that an audit reads, so that an audit of the capture has the same result as one
// of the machine. The readers record them; identifiers of machines and parts are replaced with keyed hashes.
package snapshot

import (
	"encoding/json"
	"fmt"
	"io"
	"time"

	"memaudit.example/memaudit/internal/collect"
	"memaudit.example/memaudit/internal/model/inventory"
	"memaudit.example/memaudit/internal/model/settings"
	"memaudit.example/memaudit/internal/source/host"
	"memaudit.example/memaudit/internal/source/redfish"
)

// Options control how a capture is written.
type Options struct {
	// Identifiers keeps serial numbers, UUIDs and names as they are.
	Identifiers bool
	// Now is the modification time of the members.
	Now time.Time
	// Random is the source of the key, by default the system's.
	Random io.Reader
}

// Take audits a machine and records what was read. smbios is the content of the file of in.SMBIOS, nil without one.
func Take(in collect.Input, smbios []byte) (*Capture, error) {
	c := &Capture{tables: in.Tables}
	c.inputs.Tree, c.inputs.TreeFailed, c.inputs.SMBIOS = in.Root != nil, in.RootFailed, smbios
	for _, e := range in.Exports {
		if e.Export == nil {
			continue
		}
		var own collect.Export // a copy, because an audit joins others into it
		data, err := json.Marshal(e)
		if err == nil {
			err = json.Unmarshal(data, &own)
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", e.Path, err)
		}
		c.inputs.Exports = append(c.inputs.Exports, own)
	}
	for _, l := range in.EventLogs {
		if l.Log != nil {
			c.inputs.EventLogs = append(c.inputs.EventLogs, l)
		}
	}
	c.inputs.Measurements = in.Measurements
	if err := c.inputs.validate(); err != nil {
		return nil, fmt.Errorf("cannot be captured: %w", err)
	}
	if ask := in.BMC; ask != nil {
		in.BMC = func(who redfish.Identity) *redfish.Answer {
			a := ask(who)
			c.inputs.BMC = newCapturedBMC(a)
			return a
		}
	}
	if in.Root != nil {
		c.recorder = in.Root.Record()
		defer c.recorder.Stop()
	}
	c.System = collect.Collect(in)
	return c, nil
}

// Capture is what one audit read.
type Capture struct {
	// System is the resulting model.
	System   *inventory.System
	recorder *host.Recorder
	inputs   inputs
	tables   func() (settings.Tables, error)
}

// Files returns the paths of the files that were read.
func (c *Capture) Files() []string {
	if c.recorder == nil {
		return nil
	}
	return c.recorder.Paths()
}

// Write writes the capture as a .tar.gz archive. It returns an error if the key cannot be read, the inputs
// cannot be redacted or out fails.
func (c *Capture) Write(out io.Writer, o Options) error {
	var r *redactor
	if !o.Identifiers {
		hash, err := NewHash(o.Random)
		if err != nil {
			return err
		}
		tables, err := c.tables()
		if err != nil {
			return err
		}
		r = &redactor{Hash: hash, audited: auditedNames(tables, &c.inputs)}
	}
	more := map[string][]byte{}
	if !c.inputs.Tree || c.inputs.SMBIOS != nil || c.inputs.Exports != nil || c.inputs.BMC != nil || c.inputs.EventLogs != nil || c.inputs.Measurements != nil {
		data, err := c.inputs.encodeJSON(r)
		if err != nil {
			return fmt.Errorf("write capture: %w", err)
		}
		more[inputsName] = data
	}
	recorder := c.recorder
	if recorder == nil {
		recorder = host.NoRecording()
	}
	if r == nil {
		return recorder.Write(out, o.Now, nil, more)
	}
	r.entry = recorder.File(dmiEntry)
	return recorder.Write(out, o.Now, r.redactFile, more)
}
