//go:build !js

package redfish

import (
	"context"

	"github.com/memaudit/memaudit/internal/model/fact"
)

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

// counts reads the errors of each installed module, one request for each. metrics are the paths for a.DIMMs, in
// the same order. It stops after maxProblems failures. These requests are the last ones.
func (c *client) counts(ctx context.Context, metrics []string, a *Answer) *Problem {
	failures := 0
	for i, path := range metrics {
		if path == "" || !a.DIMMs[i].Installed {
			continue
		}
		var m memoryMetrics
		if _, p := c.get(ctx, path, maxAnswer, &m); p != nil {
			if failures++; p.last || failures >= maxProblems {
				return a.absent(p, "the service links to counts of memory errors and has none")
			}
			if p.State != fact.SourceAbsent {
				a.failed(p)
			}
			continue
		}
		a.DIMMs[i].Counts = m.stated(printablePath(path))
	}
	return nil
}

// total reads the errors of all modules together, which some services report although they have no counts of
// single modules.
func (c *client) total(ctx context.Context, path string, a *Answer) *Problem {
	var m memoryMetrics
	if _, p := c.get(ctx, path, maxAnswer, &m); p != nil {
		return a.absent(p, "the service links to counts of all memory errors and has none")
	}
	a.Counts = m.stated(printablePath(path))
	return nil
}

// stated returns the counts, nil if the resource has none.
func (m *memoryMetrics) stated(path string) *Counts {
	out := Counts{Path: path, Corrected: m.CurrentPeriod.CorrectableECCErrorCount.count(maxErrors),
		Uncorrected: m.CurrentPeriod.UncorrectableECCErrorCount.count(maxErrors)}
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
