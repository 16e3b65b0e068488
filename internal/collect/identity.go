package collect

import (
	"github.com/memaudit/memaudit/internal/model/fact"
	"github.com/memaudit/memaudit/internal/model/inventory"
	"github.com/memaudit/memaudit/internal/source/host"
	"github.com/memaudit/memaudit/internal/source/smbios"
)

// identity is the kernel's copy of firmware's identity strings.
type identity struct {
	vendor, product, version, family  fact.Fact[string]
	boardVendor, board                fact.Fact[string]
	biosVendor, biosVersion, biosDate fact.Fact[string]
}

// identity reads the strings of /sys/class/dmi/id, through ghw as well if sys and proc below the root
// are the kernel's own. Our own reader says why a string is missing, which ghw does not tell.
func (c *collector) identity() identity {
	d := c.facts.DMIID
	own := identity{
		vendor: identityFact(d.Vendor), product: identityFact(d.Product), version: identityFact(d.ProductVersion), family: identityFact(d.ProductFamily),
		boardVendor: identityFact(d.BoardVendor), board: identityFact(d.Board),
		biosVendor: identityFact(d.BIOSVendor), biosVersion: identityFact(d.BIOSVersion), biosDate: identityFact(d.BIOSDate),
	}
	if folder := c.root.KernelFolder(); folder != "" && d.Vendor.Known() {
		return c.askedAt(folder, own)
	}
	return own
}

// ask returns ghw's word, or our own reading if ghw has only a placeholder, such as its "unknown". If
// the two differ, that is a conflict, and our own reading stays.
func (c *collector) ask(word string, own fact.Fact[string]) fact.Fact[string] {
	if smbios.Placeholder(word) {
		return own
	}
	if own.Known() && own.Value != word {
		c.conflict("machine identity", own.From, fact.At(inventory.SourceDMIID, own.From.Path, word), "ghw reads a different word")
		return own
	}
	return fact.Known(word, fact.Direct, fact.At(inventory.SourceDMIID, own.From.Path, word))
}

// identityFact is one of our own readings; a placeholder of firmware's is Unstated.
func identityFact(v host.Value[string]) fact.Fact[string] {
	f := host.Fact(inventory.SourceDMIID, v, fact.Direct)
	if f.Known() && smbios.Placeholder(f.Value) {
		return fact.Unknown[string](fact.Unstated, "firmware leaves a placeholder in "+v.Path, "", f.From)
	}
	return f
}
