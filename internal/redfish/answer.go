package redfish

import (
	"context"
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

// Read asks a service for one machine. It never fails: what could not be read
// is a Problem of the answer. The session is given back whatever happens.
func Read(ctx context.Context, o Options, who Identity) *Answer {
	c := newClient(o)
	defer c.close()
	return c.read(ctx, who)
}

func (c *client) read(ctx context.Context, who Identity) *Answer {
	a := &Answer{Insecure: c.o.Insecure}
	ctx, cancel := context.WithTimeout(ctx, c.o.timeout())
	defer cancel()
	root, p := c.root(ctx)
	if a.failed(p) {
		return a
	}
	if a.failed(c.login(ctx, root)) {
		return a
	}
	c.all(ctx, root, who, a)
	if text := c.logout(ctx); text != "" {
		a.note("%s", text)
	}
	return a
}

// all reads the machine's resources, what nothing else tells first: without the
// registry the settings of some makers are codes, and the modules, a request
// each on many services, are in SMBIOS, too. What a service that stops answering
// has said until then stays.
func (c *client) all(ctx context.Context, root *serviceRoot, who Identity, a *Answer) {
	s, p := c.system(ctx, root, who, a)
	if a.failed(p) || s == nil {
		return
	}
	a.Found = true
	registry := ""
	if at := s.bios(); at == "" {
		a.note("the service offers no BIOS settings")
	} else if registry, p = c.bios(ctx, at, a); a.failed(p) && p.last {
		return
	}
	if p := c.named(ctx, root, registry, a); a.failed(p) && p.last {
		return
	}
	if at := s.Memory.path(); at == "" {
		a.note("the service offers no memory inventory")
	} else {
		a.failed(c.memory(ctx, root, at, a))
	}
}

// named reads the registry that the settings name, unless the caller has it.
func (c *client) named(ctx context.Context, root *serviceRoot, registry string, a *Answer) *Problem {
	if registry == "" || a.BIOS == nil {
		return nil
	}
	a.BIOS.RegistryName = registry
	if c.o.KnownRegistry != nil {
		a.BIOS.Registry = c.o.KnownRegistry(registry)
	}
	if a.BIOS.Registry != nil {
		return nil
	}
	return c.registry(ctx, root, registry, a)
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
			model += ", with nothing to compare it by"
		}
		parts = append(parts, model)
	}
	return strings.Join(append(parts, a.Notes...), "; ")
}
