package redfish

import (
	"fmt"
	"strings"

	"github.com/memaudit/memaudit/internal/model/fact"
)

// Answer is the data that a service returned about one machine.
type Answer struct {
	// Model is the machine's model according to the service. MatchedBy is the property by which the system
	// was recognised as the audited machine: "serial number", "UUID" or "model"; "" if there was nothing to
	// compare.
	Model, MatchedBy string
	// Doubt is the reason why this may be another machine, "" if there is none.
	Doubt string
	// BIOS holds the BIOS settings, nil if none were read.
	BIOS *BIOS
	// DIMMs lists memory modules and empty slots in the order of the service.
	DIMMs []DIMM
	// Counts are the errors of all modules together, nil if the service does not report them.
	Counts *Counts
	// Problems lists what could not be read. Notes lists what the service does not have and what an
	// operator should know.
	Problems []Problem
	Notes    []string
	// Insecure is set if the certificate was not verified.
	Insecure bool

	// Found is set if one of the service's systems was used as the audited machine.
	Found bool
}

// BIOS is the Bios resource as sent, with its settings object (the values of the next boot) and its
// attribute registry (what the attributes mean). Settings and Registry are nil if the service does
// not have them.
type BIOS struct {
	Resource, Settings, Registry []byte
	// RegistryName is the registry's name including its version, "" if the resource names none.
	RegistryName string
	// Path is the path of the resource without identifiers of the machine.
	Path string
	// JobWaits is set if a job of the BMC will change BIOS settings at the next boot. Dell's resource then
	// already shows the new values.
	JobWaits bool
}

// failed adds p to Problems and returns true, unless p is nil.
func (a *Answer) failed(p *Problem) bool {
	if p == nil {
		return false
	}
	a.Problems = append(a.Problems, *p)
	return true
}

func (a *Answer) note(format string, args ...any) {
	a.Notes = append(a.Notes, fmt.Sprintf(format, args...))
}

// Check returns an error that names the key if Read could not have returned this answer. It checks answers
// from captures.
func (a *Answer) Check() error {
	if len(a.DIMMs) > maxModules {
		return fmt.Errorf("DIMMs: %d, expected at most %d", len(a.DIMMs), maxModules)
	}
	for i := range a.DIMMs {
		if err := a.DIMMs[i].check(); err != nil {
			return fmt.Errorf("DIMMs[%d].%w", i, err)
		}
	}
	if err := a.Counts.check(); err != nil {
		return err
	}
	for i := range a.Problems {
		switch s := a.Problems[i].State; s {
		case fact.SourcePartial, fact.SourceAbsent, fact.SourceDenied, fact.SourceRefused, fact.SourceTruncated, fact.SourceMalformed:
		case fact.SourceOK:
			return fmt.Errorf("Problems[%d].State: %q, which is no problem", i, s)
		default:
			return fmt.Errorf("Problems[%d].State: %q is not a state", i, s)
		}
	}
	return nil
}

// State summarises the answer as the state of a source.
func (a *Answer) State() fact.SourceState {
	switch {
	case len(a.Problems) == 0 && a.Doubt != "":
		return fact.SourcePartial
	case len(a.Problems) == 0:
		return fact.SourceOK
	case a.Found && (a.BIOS != nil || len(a.DIMMs) > 0):
		return fact.SourcePartial
	default:
		return a.Problems[0].State
	}
}

// Err returns the first problem and the number of others; nil if there are none.
func (a *Answer) Err() error {
	switch len(a.Problems) {
	case 0:
		return nil
	case 1:
		return &a.Problems[0]
	default:
		return fmt.Errorf("%w, and %d more", &a.Problems[0], len(a.Problems)-1)
	}
}

// Hint returns the advice of the first problem, "" if there is none.
func (a *Answer) Hint() string {
	if len(a.Problems) == 0 {
		return ""
	}
	return a.Problems[0].Hint
}

// Detail summarises in one line what was read and what was not.
func (a *Answer) Detail() string {
	var parts []string
	if a.Insecure {
		parts = append(parts, "CERTIFICATE NOT VERIFIED (--redfish-insecure): anybody could have answered")
	}
	if err := a.Err(); err != nil {
		parts = append(parts, err.Error())
	}
	if a.Found {
		model := a.Model
		if model == "" {
			model = "a system without a model"
		}
		switch {
		case a.Doubt != "":
			model = a.Doubt
		case a.MatchedBy != "":
			model += ", known by its " + a.MatchedBy
		default:
			model += ", with nothing to compare it with"
		}
		parts = append(parts, model)
	}
	return strings.Join(append(parts, a.Notes...), "; ")
}

// absent records a missing resource as a note and returns nil. It returns any other problem, and one that ends
// the reading.
func (a *Answer) absent(p *Problem, text string) *Problem {
	if p.State != fact.SourceAbsent || p.last {
		return p
	}
	a.note("%s", text)
	return nil
}
