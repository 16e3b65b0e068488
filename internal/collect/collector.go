package collect

import (
	"github.com/memaudit/memaudit/internal/bios"
	"github.com/memaudit/memaudit/internal/fact"
	"github.com/memaudit/memaudit/internal/host"
	"github.com/memaudit/memaudit/internal/inventory"
	"github.com/memaudit/memaudit/internal/partnumber"
	"github.com/memaudit/memaudit/internal/redfish"
	"github.com/memaudit/memaudit/internal/settings"
	"github.com/memaudit/memaudit/internal/smbios"
)

// Input names the sources of one machine.
type Input struct {
	// Root is the machine's sys and proc trees; nil when only a file is
	// audited. Then nothing of the kernel is known.
	Root *host.Root
	// SMBIOS is a table given as a file; it replaces the root's own.
	SMBIOS *smbios.Table
	// SMBIOSFailed and RootFailed say why a file or tree that was asked for
	// could not be read. The root's own table never stands in for a file.
	SMBIOSFailed, RootFailed *Failure
	// BMC asks the management controller for the machine of an identity; nil
	// when there is none to ask.
	BMC func(redfish.Identity) *redfish.Answer
	// DecodeBMC decodes the controller's settings; nil for the decoder of what
	// a controller sends.
	DecodeBMC func(*redfish.BIOS) (*bios.Export, error)
	// Redacted says that serial numbers and UUIDs are not the machine's own.
	Redacted bool
	// Exports are exports of BIOS settings, read or failed.
	Exports []Export
	// Measurements are results of measurements, which nothing here is made of.
	Measurements []inventory.Measurement
	// Tables gives the vendors' tables of BIOS attributes; asked for when there
	// is an export to translate.
	Tables func() (settings.Tables, error)
	// HostName asks for the machine's name.
	HostName bool
	// PartNumbers gives the patterns of modules' part numbers; nil leaves the
	// numbers unread.
	PartNumbers func() (*partnumber.Table, error)
}

// Failure is an input that could not be read.
type Failure struct {
	State  fact.State
	Detail string
}

// collector is one collection in progress.
type collector struct {
	sys   *inventory.System
	table *smbios.Table
	// said are the texts that many of the table's structures share.
	said phrases
	// given says that the table is a file's, not the root's own.
	given bool
	facts *host.Facts
	root  *host.Root
	msr   *host.MSR
	// failed is the table's failure, rootFailed the tree's.
	failed, rootFailed *Failure
	// joined are the exports of BIOS settings that belong together.
	joined []*joinedExport
}

// conflict records that two readings of one fact differ.
//
//go:noinline
func (c *collector) conflict(thing string, kept, dropped fact.Evidence, why string) {
	c.sys.Conflicts = append(c.sys.Conflicts, inventory.Conflict{Fact: thing, Kept: kept, Dropped: dropped, Why: why})
}

// noKernel is the reason of a kernel fact when only an SMBIOS file is audited,
// or when the machine's tree could not be read.
func noKernel[T any](c *collector, what string) fact.Fact[T] {
	if f := c.rootFailed; f != nil {
		return fact.Unknown[T](f.State, f.Detail, "")
	}
	return fact.Unknown[T](fact.Unread, what+" is the kernel's, and this input is an SMBIOS file only",
		"audit the live machine, or give --root or --snapshot beside the file")
}

// Export is one export of BIOS settings that was asked for.
type Export struct {
	// Source is the source's name in docs/interface.md, Path the file's name or the
	// resource's path.
	Source, Path string
	// Doubt says why it may be another machine's, "" when nothing says so.
	Doubt string
	// Export is nil when it could not be read; Failed then says why.
	Export *bios.Export
	Failed *Failure
}

// joinedExport is an export with the table that translates it.
type joinedExport struct {
	source, path string
	export       *bios.Export
	table        *settings.Table
	// byName finds attributes by their plain name, or by their text in setup
	// where no attribute has that name.
	byName map[string][]*bios.Attribute
	// doubt says why the export may be another machine's, "" when nothing
	// speaks for it. foreign exports are of another vendor's machine, or of a
	// controller that names another model: nothing that rests on them goes
	// above info.
	doubt   string
	foreign bool
	// proven: the export's vendor is certain, by the format, by what the document
	// says, by two names or by the machine's own word. Only then is a setting that
	// it does not list one that the machine does not offer.
	proven bool
}

// Joined is an export of BIOS settings with all that belongs to it, and the
// table that translates it (nil when the vendor has none).
type Joined struct {
	Path   string
	Export *bios.Export
	Table  *settings.Table
	// ByName finds attributes by plain name, or by their text in setup where
	// no attribute has that name.
	ByName map[string][]*bios.Attribute
	// Doubt says why the export may be another machine's, Foreign that it
	// very likely is.
	Doubt   string
	Foreign bool
}
