package redfish

import (
	"fmt"
	"strings"

	"github.com/memaudit/memaudit/internal/fact"
)

// Answer is what a service said of one machine. The zero Answer is nothing.
type Answer struct {
	// Model is the system's own name for itself; MatchedBy says by what the
	// system was found to be the audited machine: "serial number", "UUID",
	// "model", or "" when there was nothing to compare.
	Model, MatchedBy string
	// Doubt says why it may be another machine, "" when nothing says so.
	Doubt string
	// BIOS holds the settings; nil where the service has none.
	BIOS *BIOS
	// DIMMs lists the memory modules and empty places, in the service's order.
	DIMMs []DIMM
	// Problems lists what could not be read; Notes what the service does not
	// have, and what an operator should know.
	Problems []*Problem
	Notes    []string
	// Insecure says that nobody vouched for the service.
	Insecure bool

	// Found says that the machine was found among the service's systems.
	Found bool
}

// BIOS is the Bios resource with what belongs to it, as sent: the settings
// object holds the values of the next boot, the registry their meaning. Either
// is nil where the service does not have it.
type BIOS struct {
	Resource, Settings, Registry []byte
	// RegistryName is the registry's name with its version, "" where the resource
	// names none.
	RegistryName string
	// Path and SettingsPath name the resources without what identifies a machine.
	Path, SettingsPath string
}

// failed keeps a problem; what is merely absent is kept by its caller.
func (a *Answer) failed(p *Problem) bool {
	if p == nil {
		return false
	}
	a.Problems = append(a.Problems, p)
	return true
}

func (a *Answer) note(format string, args ...any) {
	a.Notes = append(a.Notes, fmt.Sprintf(format, args...))
}

// State sums the answer up as the state of a source.
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

// Err is the first problem as an error, with the number of the others; nil
// when everything that the service has was read.
func (a *Answer) Err() error {
	switch len(a.Problems) {
	case 0:
		return nil
	case 1:
		return a.Problems[0]
	default:
		return fmt.Errorf("%w, and %d more", a.Problems[0], len(a.Problems)-1)
	}
}

// Hint is the advice of the first problem.
func (a *Answer) Hint() string {
	if len(a.Problems) == 0 {
		return ""
	}
	return a.Problems[0].Hint
}

// Detail says in one line what was read and what was not.
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

// absent turns a resource that is merely not there into a note.
func (a *Answer) absent(p *Problem, text string) *Problem {
	if p.State != fact.SourceAbsent || p.last {
		return p
	}
	a.note("%s", text)
	return nil
}
