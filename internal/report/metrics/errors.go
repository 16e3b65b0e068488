package metrics

import (
	"github.com/memaudit/memaudit/internal/model/inventory"
	"github.com/memaudit/memaudit/internal/report"
)

// errors counts the memory errors of each module, but those of the kernel's log: old messages leave it, and a counter that falls
// would read as a restart. A counter that nothing puts
// down to a slot stands under the driver's label of it, without a handle: it
// must not be lost.
func (b *families) errors(inv *report.Inventory) {
	for _, kind := range []struct {
		name, help string
		of         func(e *report.Errors) *int64
	}{
		{"dimm_corrected_errors_total", "Memory errors corrected", func(e *report.Errors) *int64 { return e.Corrected }},
		{"dimm_uncorrected_errors_total", "Memory errors that could not be corrected", func(e *report.Errors) *int64 { return e.Uncorrected }},
	} {
		b.family(kind.name, "handle locator", kind.help+" on a module since the kernel's EDAC driver was loaded. Without a handle: the driver's own label, where nothing says which slot that is.")
		eachModule(inv.Slots, func(s *report.Slot) {
			if s.Errors != nil && s.Errors.Source != inventory.SourceKernelLog {
				addKnown(b, kind.of(s.Errors), 1, s.Handle, report.OrEmpty(s.Locator))
			}
		})
		for i := range inv.UnplacedErrors {
			if e := &inv.UnplacedErrors[i]; e.Source != inventory.SourceKernelLog {
				addKnown(b, kind.of(&e.Errors), 1, "", e.Label)
			}
		}
		b.end()
	}
}
