//go:build !js

package redfish

import (
	"context"
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
