//go:build !js

package redfish

import (
	"context"
	"slices"
	"strings"

	"memaudit.example/memaudit/internal/model/fact"
)

// memoryLocation is the property MemoryLocation of Memory (DSP2046).
type memoryLocation struct {
	Socket, MemoryController, Channel, Slot number
}

// statedLocation returns the location, nil if socket or channel is missing: only both together name a channel of the machine.
func (m *memoryLocation) statedLocation() *Location {
	// of is -1 for what is missing or not a whole number from 0 to maxModules.
	of := func(n number) int {
		if v, ok := n.wholeWithin(0, maxModules); ok {
			return int(v)
		}
		return -1
	}
	at := Location{of(m.Socket), of(m.MemoryController), of(m.Channel), of(m.Slot)}
	if at.Socket < 0 || at.Channel < 0 {
		return nil
	}
	return &at
}

// memoryResource is one Memory resource (DSP2046). Serial numbers are not read.
type memoryResource struct {
	ID            string `json:"Id"`
	Name          string
	DeviceLocator string
	Location      struct {
		PartLocation struct{ ServiceLabel string }
	}
	MemoryLocation    memoryLocation
	CapacityMiB       number
	OperatingSpeedMHz number `json:"OperatingSpeedMhz"`
	RankCount         number
	MemoryDeviceType  string
	PartNumber        string
	Status            struct{ State, Health string }
	Metrics           resourceLink
}

func (c *client) readMemory(ctx context.Context, root *serviceRoot, at string, a *Answer) *Problem {
	if root.Features.Expand.NoLinks && root.Features.Expand.Levels {
		if metrics, ok := c.readExpanded(ctx, at, a); ok {
			return c.readErrorCounts(ctx, metrics, a)
		}
	}
	metrics, p := c.readModules(ctx, at, a)
	if p != nil {
		return p
	}
	return c.readErrorCounts(ctx, metrics, a)
}

// readModules reads each module with a request of its own. It returns the paths of their metrics, in the order of a.DIMMs.
func (c *client) readModules(ctx context.Context, at string, a *Answer) (metrics []string, p *Problem) {
	list, p := c.memberPaths(ctx, at)
	if p != nil {
		return nil, a.noteIfAbsent(p, "the service offers no memory inventory")
	}
	if len(list) > maxModules {
		return nil, newProblem(fact.SourceRefused, "GET "+printablePath(at), "more than %d modules", maxModules)
	}
	failures := 0
	for _, path := range list {
		var m memoryResource
		if _, p := c.getResource(ctx, path, maxAnswer, &m); p != nil {
			if failures++; p.last || failures >= maxProblems {
				return nil, p
			}
			a.recordProblem(p)
			continue
		}
		a.DIMMs, metrics = append(a.DIMMs, c.buildDIMM(path, &m)), append(metrics, m.Metrics.targetPath())
	}
	return metrics, nil
}

// readExpanded reads all modules with one request, for services that support it, and returns the paths of their
// metrics. It returns false and drops the answer if that is incomplete; modules is used then.
func (c *client) readExpanded(ctx context.Context, at string, a *Answer) (metrics []string, ok bool) {
	var page struct {
		Members members[struct {
			resourceLink
			memoryResource
		}]
		Count number `json:"Members@odata.count"`
		Next  string `json:"Members@odata.nextLink"`
	}
	if _, p := c.getResource(ctx, at+"?$expand=.($levels=1)", maxAnswer, &page); p != nil || page.Next != "" || len(page.Members) == 0 || len(page.Members) > maxModules {
		return nil, false
	}
	if page.Count.known && page.Count.positiveInteger(maxMembers) != int64(len(page.Members)) {
		return nil, false
	}
	var all []DIMM
	for i := range page.Members {
		m := &page.Members[i]
		if m.targetPath() == "" || m.memoryResource.ID == "" {
			return nil, false // a link in place of the resource
		}
		all, metrics = append(all, c.buildDIMM(m.targetPath(), &m.memoryResource)), append(metrics, m.Metrics.targetPath())
	}
	a.DIMMs = append(a.DIMMs, all...)
	return metrics, true
}

func (c *client) buildDIMM(path string, m *memoryResource) DIMM {
	d := DIMM{Path: printablePath(path), Health: c.lineWithoutSecrets(m.Status.Health), Condition: c.lineWithoutSecrets(m.Status.State),
		SizeBytes: m.CapacityMiB.positiveInteger(maxMiB) << 20, SpeedMTs: int(m.OperatingSpeedMHz.positiveInteger(maxMTs)),
		Ranks: int(m.RankCount.positiveInteger(maxRanks)), Type: c.lineWithoutSecrets(m.MemoryDeviceType),
		PartNumber: c.lineWithoutSecrets(m.PartNumber), Location: m.MemoryLocation.statedLocation()}
	for i, label := range [...]string{m.Location.PartLocation.ServiceLabel, m.DeviceLocator, m.Name, m.ID} {
		d.Labels[i] = c.lineWithoutSecrets(label)
	}
	absent := strings.EqualFold(d.Condition, "Absent")
	d.Installed = !absent && d.SizeBytes != 0
	// A module without capacity that is not reported absent (a disabled one) is not an empty slot.
	d.Known = absent || d.Installed || d.Condition == "" && m.CapacityMiB == number{0, true}
	return d
}

func (c *client) lineWithoutSecrets(s string) string {
	if s = strings.TrimSpace(s); s == "" {
		return ""
	}
	return c.hideSecrets(s)
}

// memoryMetrics is one MemoryMetrics resource (DSP0268).
type memoryMetrics struct {
	CurrentPeriod struct {
		CorrectableECCErrorCount, UncorrectableECCErrorCount number
	}
	HealthData struct {
		AlarmTrips map[string]any
	}
}

// maxErrors is more errors than a module can have had; a larger number is ignored.
const maxErrors = 1 << 48

// readErrorCounts reads the errors of each installed module, one request for each. metrics are the paths for a.DIMMs, in
// the same order. It stops after maxProblems failures. These requests are the last ones.
func (c *client) readErrorCounts(ctx context.Context, metrics []string, a *Answer) *Problem {
	failures := 0
	for i, path := range metrics {
		if path == "" || !a.DIMMs[i].Installed {
			continue
		}
		var m memoryMetrics
		if _, p := c.getResource(ctx, path, maxAnswer, &m); p != nil {
			if failures++; p.last || failures >= maxProblems {
				return a.noteIfAbsent(p, "the service links to counts of memory errors and has none")
			}
			if p.State != fact.SourceAbsent {
				a.recordProblem(p)
			}
			continue
		}
		a.DIMMs[i].Counts = m.statedCounts(printablePath(path))
	}
	return nil
}

// readTotalCounts reads the errors of all modules together, which some services report although they have no counts of
// single modules.
func (c *client) readTotalCounts(ctx context.Context, path string, a *Answer) *Problem {
	var m memoryMetrics
	if _, p := c.getResource(ctx, path, maxAnswer, &m); p != nil {
		return a.noteIfAbsent(p, "the service links to counts of all memory errors and has none")
	}
	a.Counts = m.statedCounts(printablePath(path))
	return nil
}

func (m *memoryMetrics) statedCounts(path string) *Counts {
	out := Counts{Path: path}
	if v, ok := m.CurrentPeriod.CorrectableECCErrorCount.wholeWithin(0, maxErrors); ok {
		out.Corrected = &v
	}
	if v, ok := m.CurrentPeriod.UncorrectableECCErrorCount.wholeWithin(0, maxErrors); ok {
		out.Uncorrected = &v
	}
	for _, name := range [...]string{"AddressParityError", "CorrectableECCError", "UncorrectableECCError"} {
		if tripped, said := m.HealthData.AlarmTrips[name].(bool); said {
			if out.Alarms == nil {
				out.Alarms = []string{} // stated, even if no alarm is set
			}
			if tripped {
				out.Alarms = append(out.Alarms, name)
			}
		}
	}
	if out.Corrected == nil && out.Uncorrected == nil && out.Alarms == nil {
		return nil
	}
	return &out
}

// whichSystem is the advice if several systems may be the audited machine.
const whichSystem = "run as root: serial number and UUID identify it; or name one with --redfish-system"

const maxSystems = 64

// If the service describes another machine, that is a problem, because its memory is not this machine's.
func (c *client) findSystem(ctx context.Context, root *serviceRoot, who Identity, a *Answer) (*system, *Problem) {
	list, p := c.memberPaths(ctx, root.Systems.targetPath())
	if p != nil {
		return nil, p
	}
	op := "GET " + printablePath(root.Systems.targetPath())
	if len(list) == 0 {
		return nil, newProblem(fact.SourceAbsent, op, "the service lists no system")
	}
	if len(list) > maxSystems {
		return nil, newProblem(fact.SourceRefused, op, "the service lists more than %d systems", maxSystems)
	}
	var all []*system
	for _, at := range list {
		s := &system{at: at}
		if _, p := c.getResource(ctx, at, maxAnswer, s); p != nil {
			if len(list) == 1 || p.last {
				return nil, p
			}
			a.recordProblem(p)
			continue
		}
		c.concealIdentifiers(s)
		s.compareIdentity(who)
		all = append(all, s)
	}
	s, p := chooseSystem(op, all, len(list), c.o.System)
	if p != nil {
		return nil, p
	}
	a.Model, a.MatchedBy = c.hideSecrets(strings.TrimSpace(s.Model)), s.matchedBy
	if s.fits == doubtfulSystem {
		a.Doubt = "it calls its machine " + a.Model + ", and this one is " + c.hideSecrets(s.here) + ": is it another machine's controller?"
	}
	return s, nil
}

func (c *client) concealIdentifiers(s *system) {
	for _, id := range s.identifiers() {
		// Lenovo's SKU is the machine type, which the model names too.
		if !strings.Contains(s.Model, id) {
			c.secrets = append(c.secrets, id)
		}
	}
}

// chooseSystem returns the system that matches best, or a problem with the reason why none can be chosen. listed is
// the number of systems that the service lists; all are those that could be read. The only system of a service
// is chosen even if its model differs. If there are several, one with a different model is never chosen, nor
// one without anything to compare just because the others are other machines. If some could not be read, only
// one with the same identifier is chosen.
func chooseSystem(op string, all []*system, listed int, name string) (*system, *Problem) {
	if name != "" {
		return systemNamed(op, all, listed, name)
	}
	if len(all) == 0 {
		return nil, newProblem(fact.SourceAbsent, op, "no system of the service could be read")
	}
	most := slices.MaxFunc(all, func(a, b *system) int { return int(a.fits - b.fits) }).fits
	best := slices.DeleteFunc(slices.Clone(all), func(s *system) bool { return s.fits < most })
	switch {
	case best[0].fits < sameSystem && len(all) < listed:
		return nil, newProblem(fact.SourceRefused, op, "%d of the service's %d systems could not be read, and one of them may be the audited machine", listed-len(all), listed).
			withHint(whichSystem)
	case best[0].fits == otherSystem && len(all) == 1:
		return nil, newProblem(fact.SourceRefused, op, "the service describes another machine: its %s differs", best[0].differsBy).
			withHint("give the address of this machine's own BMC")
	case best[0].fits <= doubtfulSystem && len(all) > 1:
		return nil, newProblem(fact.SourceRefused, op, "none of the service's %d systems is the audited machine", len(all))
	case best[0].fits == unknownSystem && len(best) < len(all):
		return nil, newProblem(fact.SourceRefused, op, "no other of the service's %d systems is the audited machine, and nothing identifies it as %s", len(all), listSystemNames(best)).
			withHint(whichSystem)
	case len(best) > 1:
		return nil, newProblem(fact.SourceRefused, op, "%d of the service's %d systems could be the audited machine: %s", len(best), len(all), listSystemNames(best)).
			withHint(whichSystem)
	default:
		return best[0], nil
	}
}

// systemNamed returns the system with this name, unless an identifier shows that it is another machine. Name is
// compared last, because several systems may share it.
func systemNamed(op string, all []*system, listed int, name string) (*system, *Problem) {
	names := []func(*system) string{(*system).lastSegment, func(s *system) string { return s.ID }, func(s *system) string { return s.Name }}
	var named []*system
	for i := 0; i < len(names) && named == nil; i++ {
		for _, s := range all {
			if strings.EqualFold(names[i](s), name) {
				named = append(named, s)
			}
		}
	}
	switch {
	case named == nil && len(all) < listed:
		return nil, newProblem(fact.SourceRefused, op, "the system %s is not among the %d of the service's %d systems that could be read", name, len(all), listed)
	case named == nil:
		return nil, newProblem(fact.SourceAbsent, op, "the service has no system %s, expected one of %s", name, listSystemNames(all))
	case len(named) > 1:
		return nil, newProblem(fact.SourceRefused, op, "%d of the service's %d systems are called %s, expected one of %s", len(named), len(all), name, listSystemNames(all))
	case named[0].fits == otherSystem:
		return nil, newProblem(fact.SourceRefused, op, "the system %s is another machine: its %s differs", name, named[0].differsBy)
	}
	return named[0], nil
}

func (s *system) lastSegment() string { return lastSegment(s.at) }

func lastSegment(path string) string {
	path = strings.TrimRight(path, "/")
	return path[strings.LastIndex(path, "/")+1:]
}

// listSystemNames lists the names of the systems. A system with an identifier in its path is listed by its Name.
func listSystemNames(all []*system) string {
	var out []string
	for _, s := range all {
		name := s.lastSegment()
		if s.showsIdentifier(name) {
			name = s.Name
		}
		if name == "" || s.showsIdentifier(name) {
			name = "(one whose name identifies it)"
		}
		out = append(out, printableText(name))
	}
	return strings.Join(out, ", ")
}

// identifiers returns the machine's identifiers, without short texts that other names may contain.
func (s *system) identifiers() []string {
	return slices.DeleteFunc([]string{s.SerialNumber, s.SKU, s.UUID, s.AssetTag, s.HostName}, func(id string) bool { return len(id) < 4 })
}

func (s *system) showsIdentifier(name string) bool {
	return slices.ContainsFunc(s.identifiers(), func(id string) bool { return strings.Contains(name, id) })
}
