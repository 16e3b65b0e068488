package facts

import (
	"strconv"

	"github.com/memaudit/memaudit/internal/model/inventory"
	"github.com/memaudit/memaudit/internal/topology/population"
)

// SubjectMachine is the subject of a machine-wide verdict.
const SubjectMachine = "machine"

// Subject is one thing a rule is asked of.
type Subject struct {
	Name string
	// Variable is the expression variable bound to object; "" for machine.
	Variable string
	object   *Object
}

// SlotSubject names a slot as findings do.
func SlotSubject(s *inventory.Slot) string { return inventory.SlotSubject(s.Handle, s.Locator.Or("")) }

// SubjectOfPopulation names the processor of a population, or the machine on a
// front-side bus.
func SubjectOfPopulation(p *population.Population) string {
	if p.Socket < 0 {
		return SubjectMachine
	}
	return "socket " + strconv.Itoa(p.Socket)
}

// SubjectBaseline is the kind of subject of what is compared with a baseline.
const SubjectBaseline = "baseline"

// SubjectMeasured is the kind of subject of a node whose own memory was
// measured.
const SubjectMeasured = "measured"

// SubjectCounter is the kind of subject of memory errors: each populated slot, and the
// machine for the errors that no slot is known for.
const SubjectCounter = "counter"
