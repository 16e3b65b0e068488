package collect

import (
	"github.com/memaudit/memaudit/internal/model/fact"
	"github.com/memaudit/memaudit/internal/model/inventory"
	"github.com/memaudit/memaudit/internal/model/partnumber"
	"github.com/memaudit/memaudit/internal/model/settings"
	"github.com/memaudit/memaudit/internal/source/bios"
	"github.com/memaudit/memaudit/internal/source/host"
	"github.com/memaudit/memaudit/internal/source/redfish"
	"github.com/memaudit/memaudit/internal/source/smbios"
)

// Input holds the sources of one machine.
type Input struct {
	// Root is the machine's sys and proc trees. It is nil if only a file is audited; then nothing
	// of the kernel is known.
	Root *host.Root
	// SMBIOS is a table from a file. It replaces the root's own table.
	SMBIOS *smbios.Table
	// SMBIOSFailed and RootFailed say why a requested file or tree could not be read. The root's
	// own table is never used in place of the file.
	SMBIOSFailed, RootFailed *Failure
	// BMC is asked for the machine with this identity; nil if there is none
	// to ask.
	BMC func(redfish.Identity) *redfish.Answer
	// DecodeBMC decodes the controller's settings; nil stands for bios.DecodeRedfish.
	DecodeBMC func(*redfish.BIOS) (*bios.Export, error)
	// Redacted says that serial numbers and UUIDs are not the machine's real ones.
	Redacted bool
	// Exports are exports of BIOS settings, including those that could not be read.
	Exports []Export
	// Measurements are measured results. No other fact is derived from them.
	Measurements []inventory.Measurement
	// Slurm is the scheduler's description of the machine, nil if not given.
	Slurm *inventory.SlurmNode
	// Tables returns the vendors' tables of BIOS attributes. It is called only if there is an
	// export.
	Tables func() (settings.Tables, error)
	// HostName says that the machine's name is to be read.
	HostName bool
	// PartNumbers returns the patterns of part numbers; if it is nil, part numbers are not decoded.
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
	// given says that the table comes from a file and not from the root.
	given bool
	facts *host.Facts
	root  *host.Root
	msr   *host.MSR
	// failed says why the table could not be read, rootFailed why the tree could not.
	failed, rootFailed *Failure
	// joined are the exports of BIOS settings, after those that belong together were joined.
	joined []*joinedExport
}

// conflict records that two readings of the same thing differ.
func (c *collector) conflict(thing string, kept, dropped fact.Evidence, why string) {
	c.sys.Conflicts = append(c.sys.Conflicts, inventory.Conflict{Fact: thing, Kept: kept, Dropped: dropped, Why: why})
}

// noKernel returns an unknown for something that only the kernel shows, if only an SMBIOS file is
// audited or the machine's tree could not be read.
func noKernel[T any](c *collector, what string) fact.Fact[T] {
	if f := c.rootFailed; f != nil {
		return fact.Unknown[T](f.State, f.Detail, "")
	}
	return fact.Unknown[T](fact.Unread, what+" is the kernel's, and this input is an SMBIOS file only",
		"audit the live machine, or give --root or --snapshot beside the file")
}

// Export is an export of BIOS settings that was to be read.
type Export struct {
	// Source is the name of the source in docs/interface.md, Path the name of the file or the path
	// of the resource.
	Source, Path string
	// Doubt says why it may be another machine's, "" if nothing suggests that.
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
	// byName finds attributes by their plain name or, if no attribute has that name, by their text
	// in BIOS setup.
	byName map[string][]*bios.Attribute
	// doubt says why the export may be another machine's, "" if nothing suggests that. A foreign
	// export is that of another vendor's machine or of a controller that names another model:
	// nothing that rests on it goes above info.
	doubt   string
	foreign bool
	// proven says that the export's vendor is certain: by the format, by what the document says, by
	// two names or by the machine's own statement. Only then does a setting that the export does
	// not list count as not offered by the machine.
	proven bool
}

// Joined is an export of BIOS settings, joined with what belongs to it, and the table that
// translates it (nil if the vendor has none).
type Joined struct {
	Path   string
	Export *bios.Export
	Table  *settings.Table
	// ByName finds attributes by plain name or, if no attribute has that name, by their text in
	// BIOS setup.
	ByName map[string][]*bios.Attribute
	// Doubt says why the export may be another machine's, "" if nothing suggests that; Foreign
	// reports that this is very likely.
	Doubt   string
	Foreign bool
}
