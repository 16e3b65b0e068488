package collect

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/memaudit/memaudit/internal/fact"
	"github.com/memaudit/memaudit/internal/host"
	"github.com/memaudit/memaudit/internal/inventory"
	"github.com/memaudit/memaudit/internal/prose"
	"github.com/memaudit/memaudit/internal/redfish"
)

// anothersTable compares a table that was given as a file with the machine's tree. What they disagree
// about is a doubt: the table may be another machine's.
func (c *collector) anothersTable() {
	f := &c.sys.Firmware
	if !c.given || c.table == nil || c.facts == nil {
		return
	}
	own := c.treeIdentity()
	same, differs := redfish.SameIdentifiers(c.tableIdentity(), own)
	if same {
		f.Compared = true
		return
	}
	var says []string
	compare := func(comparable bool, doubt string) {
		f.Compared = f.Compared || comparable
		if doubt != "" {
			says = append(says, doubt)
		}
	}
	compare(differs != "", differs)
	compare(c.productsDiffer())
	compare(c.boardsDiffer())
	compare(c.modelsDiffer())
	compare(c.packagesDiffer())
	compare(c.capacitiesDiffer())
	if len(says) == 0 {
		return
	}
	f.Doubt = "the SMBIOS file may be another machine's: " + strings.Join(says, "; ")
	c.saySource(f.Doubt)
	c.partialSource()
}

// tableIdentity returns the identifiers that the table states; none where serial numbers are hashes.
func (c *collector) tableIdentity() redfish.Identity {
	if c.sys.Redacted {
		return redfish.Identity{}
	}
	y, _ := c.table.System()
	return redfish.Identity{Serial: y.Serial.Or(""), UUID: y.UUID.Or("")}
}

// treeIdentity returns the identifiers that the tree states.
func (c *collector) treeIdentity() redfish.Identity {
	if c.sys.Redacted {
		return redfish.Identity{}
	}
	return redfish.Identity{Serial: c.facts.DMIID.ProductSerial.V, UUID: c.facts.DMIID.ProductUUID.V}
}

// productsDiffer compares the product's names.
func (c *collector) productsDiffer() (comparable bool, doubt string) {
	y, _ := c.table.System()
	return namesDiffer("machine", []string{statedText(y.Product)}, c.facts.DMIID.Product)
}

// boardsDiffer compares the board's names. A blade has several boards.
func (c *collector) boardsDiffer() (comparable bool, doubt string) {
	var names []string
	for _, b := range c.table.Boards() {
		names = append(names, statedText(b.Product))
	}
	return namesDiffer("board", names, c.facts.DMIID.Board)
}

func namesDiffer(what string, names []string, tree host.Value[string]) (comparable bool, doubt string) {
	own := identityFact(tree)
	names = slices.DeleteFunc(names, func(n string) bool { return n == "" })
	switch {
	case !own.Known() || len(names) == 0:
		return false, ""
	case slices.ContainsFunc(names, func(n string) bool { return sameProduct(n, own.Value) }):
		return true, ""
	default:
		return true, fmt.Sprintf("it calls the %s %q, and %s says %q", what, names[0], own.From.Path, own.Value)
	}
}

// modelNumber matches the words of a brand string that tell models apart: "E5-2670", "X5670", "7742".
var modelNumber = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`[A-Z0-9-]*[0-9]{3}[A-Z0-9-]*`) })

// modelsDiffer compares the processors by CPUID, else by the numbers in their brand strings.
func (c *collector) modelsDiffer() (comparable bool, doubt string) {
	cpu := &c.sys.CPU
	for _, s := range c.sys.Running() {
		fromTable := s.Brand.From.Source == inventory.SourceSMBIOS
		if theirs, own := s.Brand.Or(""), cpu.Brand.Or(""); fromTable && theirs != "" && own != "" {
			a, b := modelNumbers(theirs), modelNumbers(own)
			if len(a) > 0 && len(b) > 0 {
				comparable = true
				if !slices.ContainsFunc(a, func(n string) bool { return slices.Contains(b, n) }) {
					return true, fmt.Sprintf("it lists %q, and the kernel runs on %q", theirs, own)
				}
			}
		}
		if s.Family.From.Source != inventory.SourceSMBIOS || !s.Family.Known() || !s.Model.Known() || !cpu.Family.Known() || !cpu.Model.Known() {
			continue
		}
		comparable = true
		if s.Family.Value != cpu.Family.Value || s.Model.Value != cpu.Model.Value {
			return true, fmt.Sprintf("it lists a processor of family %d model %d, and the kernel runs on family %d model %d",
				s.Family.Value, s.Model.Value, cpu.Family.Value, cpu.Model.Value)
		}
	}
	return comparable, ""
}

// modelNumbers returns the model numbers of a brand string, without its clock.
func modelNumbers(brand string) []string {
	brand, _, _ = strings.Cut(strings.ToUpper(brand), "@")
	return modelNumber().FindAllString(brand, -1)
}

// packagesDiffer compares the number of processors that run. The kernel may run on fewer than there
// are where it was told so or CPUs are offline, and on Arm its packages may be clusters.
func (c *collector) packagesDiffer() (comparable bool, doubt string) {
	packages, ok := c.sys.CPU.Packages.Get()
	running := c.sys.Running()
	if !ok || len(running) == 0 || running[0].Handle < 0 || c.privileged() || !strings.HasPrefix(c.sys.Machine.Architecture.Or("x86"), "x86") {
		return false, ""
	}
	fewer := len(packages) < len(running)
	if fewer && (c.hasOption("maxcpus=", "nr_cpus=", "possible_cpus=") || len(c.sys.CPU.Online.Value) < len(c.sys.CPU.Present.Value)) {
		return false, ""
	}
	if len(packages) == len(running) {
		return true, ""
	}
	return true, fmt.Sprintf("it lists %s, and the kernel runs on %d", prose.Count(len(running), "running processor"), len(packages))
}

// capacitiesDiffer compares the modules' capacity with the memory that the kernel sees: it never sees
// more, and much less only where an option takes it away.
func (c *collector) capacitiesDiffer() (comparable bool, doubt string) {
	listed, ok := c.listedBytes()
	seen := c.seenBytes()
	if !ok || !seen.Known() || c.privileged() || c.hasOption("mem=", "memmap=") {
		return false, ""
	}
	if seen.Value <= listed+listed/100 && listed-seen.Value <= max(listed/25, 2<<30) {
		return true, ""
	}
	return true, fmt.Sprintf("its modules have %s, and the kernel sees %s", prose.ExactSize(listed), prose.Rounded(seen.Value))
}

// hasOption tells whether the kernel's command line has an option that begins so.
func (c *collector) hasOption(beginnings ...string) bool {
	options, _ := c.sys.NUMA.Options.Get()
	return slices.ContainsFunc(options, func(o string) bool {
		return slices.ContainsFunc(beginnings, func(b string) bool { return strings.HasPrefix(o, b) })
	})
}

// partialSource notes that the table is not to be taken as it stands.
func (c *collector) partialSource() {
	for i := range c.sys.Sources {
		if s := &c.sys.Sources[i]; s.Name == inventory.SourceSMBIOS && s.State == fact.SourceOK {
			s.State = fact.SourcePartial
		}
	}
}
