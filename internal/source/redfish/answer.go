package redfish

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"memaudit.example/memaudit/internal/model/eventlog"
	"memaudit.example/memaudit/internal/model/fact"
	"memaudit.example/memaudit/internal/model/lazy"
)

// Answer is the data that a service returned about one machine.
type Answer struct {
	// Model is the machine's model according to the service. MatchedBy is the property by which the system was
	// recognised as the audited machine: "serial number", "UUID" or "model"; "" if there was nothing to compare.
	Model, MatchedBy string
	// Doubt is the reason why this may be another machine, "" if there is none.
	Doubt string
	// BIOS holds the BIOS settings, nil if none were read.
	BIOS *BIOS
	// DIMMs lists memory modules and empty slots in the order of the service.
	DIMMs []DIMM
	// Counts are the errors of all modules together, nil if the service does not report them.
	Counts *Counts
	// Events are the entries about memory of the machine's event log, in the order of time. LogRead is set if a log was read,
	// LogProblem if none was or not all of it.
	Events     []Event
	LogRead    bool
	LogProblem *Problem
	// Problems lists what could not be read. Notes lists what the service does not have and what an
	// operator should know.
	Problems []Problem
	Notes    []string
	// Insecure is set if the certificate was not verified.
	Insecure bool

	// Found is set if one of the service's systems was used as the audited machine.
	Found bool
}

// BIOS is the Bios resource as sent, with its settings object (the values of the next boot) and its attribute registry
// (what the attributes mean). Settings and Registry are nil if the service does not have them.
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

// recordProblem adds p to Problems and returns true, unless p is nil.
func (a *Answer) recordProblem(p *Problem) bool {
	if p == nil {
		return false
	}
	a.Problems = append(a.Problems, *p)
	return true
}

func (a *Answer) recordNote(format string, args ...any) {
	a.Notes = append(a.Notes, fmt.Sprintf(format, args...))
}

// Check returns an error that names the key if Read could not have returned this answer. It checks answers
// from captures.
func (a *Answer) Check() error {
	if len(a.DIMMs) > maxModules {
		return fmt.Errorf("DIMMs: %d, expected at most %d", len(a.DIMMs), maxModules)
	}
	for i := range a.DIMMs {
		if err := a.DIMMs[i].validate(); err != nil {
			return fmt.Errorf("DIMMs[%d].%w", i, err)
		}
	}
	if err := cmp.Or(a.Counts.validate(), checkEvents(a.Events)); err != nil {
		return err
	}
	all := a.Problems
	if a.LogProblem != nil {
		all = append(slices.Clone(all), *a.LogProblem)
	}
	for i := range all {
		switch s := all[i].State; {
		case s == fact.SourceOK:
			return fmt.Errorf("Problems[%d].State: %q, which is no problem", i, s)
		case !slices.Contains(s.Values(), s):
			return fmt.Errorf("Problems[%d].State: %q is not a state", i, s)
		}
	}
	return nil
}

func checkEvents(events []Event) error {
	if len(events) > maxEvents {
		return fmt.Errorf("Events: %d, expected at most %d", len(events), maxEvents) //nolint:staticcheck // begins with the name of the key
	}
	for i := range events {
		e := &events[i]
		_, err := time.Parse(time.RFC3339, e.Time)
		if !slices.Contains(e.Says.Values(), e.Says) || e.Time != "" && err != nil || len(e.Place) > maxShown+3 || e.ID != "" && !plainID().MatchString(e.ID) {
			return fmt.Errorf("Events[%d]: %+v is not an entry about memory", i, *e) //nolint:staticcheck // begins with the name of the key
		}
	}
	return nil
}

// SavedLog is an event log from a file.
type SavedLog struct {
	// Entries is the number of all entries, Events are those about memory, in the order of time. Partial says what is missing
	// of the log, "" if nothing is.
	Entries int
	Events  []Event
	Partial string
}

// Check returns an error that names the key if DecodeLog could not have returned this log.
func (l *SavedLog) Check() error { return checkEvents(l.Events) }

// Event is an entry about memory in the machine's event log, without its text.
type Event struct {
	Says eventlog.Says
	// ID is the message's id, Place the slot that the message names, Time the BMC's clock in UTC by RFC 3339 (as it is written,
	// where a saved log has no time zone); "" if the entry has none.
	ID, Place, Time string
	// AfterReset is the time in seconds since the machine's last reset by the same clock, negative before it; nil if the
	// service reports no reset (ComputerSystem, LastResetTime) or the entry no time.
	AfterReset *int64
	// Resolved is set if the service calls the cause resolved or repaired, Open if it says that it is not (HPE's Repaired).
	Resolved, Open bool
}

// maxEvents is the number of entries about memory that are kept: all that are read of a log.
const maxEvents = 2000

// plainID matches the id of a message: MEM0001, FQXSFMA0026I, 806F010C-2001-FFFF.
var plainID = lazy.Pattern(`^[A-Za-z0-9_-]{3,40}$`)

// State summarises the answer as the state of a source.
func (a *Answer) State() fact.SourceState {
	switch {
	case len(a.Problems) == 0 && (a.Doubt != "" || a.LogProblem != nil && a.LogProblem.State != fact.SourceAbsent):
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
		model := cmp.Or(a.Model, "a system without a model")
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

// noteIfAbsent records a missing resource as a note and returns nil. It returns any other problem, and one that ends
// the reading.
func (a *Answer) noteIfAbsent(p *Problem, text string) *Problem {
	if p.State != fact.SourceAbsent || p.last {
		return p
	}
	a.recordNote("%s", text)
	return nil
}

// Problem is something that could not be read, and why. Its text contains no user name, password,
// token or identifier of the machine.
type Problem struct {
	State fact.SourceState
	// Op is what was being done, for example "GET /redfish/v1/Systems".
	Op string
	// Text describes the problem, and what was expected if that helps.
	Text string
	// Hint tells the user what to do, "" if there is no advice.
	Hint string
	// last is set if further requests are pointless: nothing more is read.
	last bool
}

// Error returns Op and Text.
func (p *Problem) Error() string {
	if p.Op == "" {
		return p.Text
	}
	return p.Op + ": " + p.Text
}

func newProblem(s fact.SourceState, op, format string, args ...any) *Problem {
	return &Problem{State: s, Op: op, Text: fmt.Sprintf(format, args...)}
}

func (p *Problem) markFinal() *Problem {
	p.last = true
	return p
}

func (p *Problem) withHint(text string) *Problem {
	p.Hint = text
	return p
}

// printablePath returns a path for messages. It replaces the IDs of systems and chassis that may be
// serial numbers (Cisco: /redfish/v1/Systems/<serial>), and those of sessions.
func printablePath(path string) string {
	path, _, _ = strings.Cut(path, "?")
	parts := strings.Split(path, "/")
	for i := 1; i < len(parts); i++ {
		switch strings.ToLower(parts[i-1]) {
		case "systems", "chassis":
			if !isGenericName(parts[i]) {
				parts[i] = "ID"
			}
		case "sessions":
			if parts[i] != "" {
				parts[i] = "ID"
			}
		}
	}
	return printableText(strings.Join(parts, "/"))
}

// isGenericName reports whether all machines of a vendor use this ID of a system: "1", "Self",
// "System.Embedded.1", "Node0". A longer number may be a serial number.
func isGenericName(name string) bool {
	if len(name) <= 2 {
		return true
	}
	for _, p := range []string{"system", "self", "node"} {
		if rest, ok := strings.CutPrefix(strings.ToLower(name), p); ok {
			number := strings.Trim(strings.TrimPrefix(rest, ".embedded"), "._-")
			return len(number) <= 2 && strings.Trim(number, "0123456789") == ""
		}
	}
	return false
}

const maxShown = 120

// printableText replaces what is not printable ASCII by '?' and shortens the text to maxShown bytes.
func printableText(s string) string {
	s = strings.Map(func(r rune) rune {
		if r < 0x20 || r > 0x7e {
			return '?'
		}
		return r
	}, s)
	if len(s) > maxShown {
		s = s[:maxShown] + "..."
	}
	return s
}

// DIMM is a memory module or an empty slot as the controller describes it (DSP2046 Memory). Numbers
// that are 0 and strings that are "" were not stated.
type DIMM struct {
	// Path is the path of the resource without identifiers of the machine.
	Path string
	// Labels are the names of its slot: service label, device locator, name and ID, in this order.
	Labels [4]string
	// Installed is false for an empty slot. Known is false if the service does not report it.
	Installed, Known bool
	// Health is Status.Health (OK, Warning, Critical), Condition is Status.State (Enabled,
	// Disabled, Absent and others), both as sent.
	Health, Condition string
	// SizeBytes is the module's capacity. SpeedMTs is its operating speed: in MT/s by the schema,
	// but some services give the clock in MHz.
	SizeBytes int64
	SpeedMTs  int
	Ranks     int
	// Type is MemoryDeviceType as sent, for example DDR4 or DDR5.
	Type, PartNumber string
	// Location is MemoryLocation, nil if the service does not state socket and channel.
	Location *Location
	// Counts are the module's errors, nil if the service does not report them.
	Counts *Counts
}

func (d *DIMM) validate() error {
	switch {
	case d.SizeBytes < 0 || d.SizeBytes > maxMiB<<20:
		return fmt.Errorf("SizeBytes: %d, expected 0 to %d", d.SizeBytes, int64(maxMiB)<<20)
	case d.SpeedMTs < 0 || d.SpeedMTs > maxMTs:
		return fmt.Errorf("SpeedMTs: %d, expected 0 to %d", d.SpeedMTs, maxMTs)
	case d.Ranks < 0 || d.Ranks > maxRanks:
		return fmt.Errorf("Ranks: %d, expected 0 to %d", d.Ranks, maxRanks) //nolint:staticcheck // begins with the name of the key
	}
	if l := d.Location; l != nil {
		if min(l.Socket, l.Channel, l.Controller+1, l.Slot+1) < 0 || max(l.Socket, l.Controller, l.Channel, l.Slot) > maxModules {
			return fmt.Errorf("Location: %+v, expected socket and channel from 0, controller and slot from -1, all up to %d", *l, maxModules)
		}
	}
	return d.Counts.validate()
}

// Location is the position of a module's slot with the service's numbers; -1 for a number that it does not report.
type Location struct{ Socket, Controller, Channel, Slot int }

const (
	maxModules = 256
	// maxMiB (16 TiB), maxMTs and maxRanks are more than any module has.
	maxMiB, maxMTs, maxRanks = 1 << 24, 20000, 64
	// maxProblems is the number of failed modules after which the others are not read.
	maxProblems = 4
)

// Counts are the memory errors of a module, or of all together, since the last reset of the machine or of the
// counters (DSP0268 MemoryMetrics, CurrentPeriod). Errors over the lifetime of a module are not read, because
// it is not known when they happened.
type Counts struct {
	// Path is the path of the resource without identifiers of the machine. Corrected and
	// Uncorrected are nil if the service does not state them.
	Path                   string
	Corrected, Uncorrected *int64
	// Alarms are the names of the active alarms about errors (AlarmTrips in the schema); nil if the service
	// does not report alarms, empty if none is active.
	Alarms []string
}

func (c *Counts) validate() error {
	if c == nil {
		return nil
	}
	for _, n := range []*int64{c.Corrected, c.Uncorrected} {
		if n != nil && *n < 0 {
			return fmt.Errorf("Counts: %d errors, expected 0 or more", *n)
		}
	}
	return nil
}
