package collect

import (
	"memaudit.example/memaudit/internal/model/fact"
	"memaudit.example/memaudit/internal/model/inventory"
	"memaudit.example/memaudit/internal/model/placeholder"
)

type identity struct {
	vendor, product, version, family  fact.Fact[string]
	boardVendor, board                fact.Fact[string]
	biosVendor, biosVersion, biosDate fact.Fact[string]
}

// identity reads the strings of /sys/class/dmi/id, also through ghw if sys and proc below the root are
// the running kernel's. Our own reader is needed because ghw does not report why a string is missing.
func (c *collector) identity() identity {
	d := c.facts.DMIID
	own := identity{
		vendor: identityFact(d.Vendor), product: identityFact(d.Product), version: identityFact(d.ProductVersion), family: identityFact(d.ProductFamily),
		boardVendor: identityFact(d.BoardVendor), board: identityFact(d.Board),
		biosVendor: identityFact(d.BIOSVendor), biosVersion: identityFact(d.BIOSVersion), biosDate: identityFact(d.BIOSDate),
	}
	if folder := c.root.KernelFolder(); folder != "" && d.Vendor.Known() {
		return c.readGHW(folder, own)
	}
	return own
}

// preferGHW returns ghw's string, or our own if ghw has only a placeholder such as "unknown". If both differ,
// it records a conflict and keeps our own.
func (c *collector) preferGHW(word string, own fact.Fact[string]) fact.Fact[string] {
	if placeholder.Is(word) {
		return own
	}
	if own.Known() && own.Value != word {
		c.conflict("machine identity", own.From, fact.At(inventory.SourceDMIID, own.From.Path, word), "ghw reads a different word")
		return own
	}
	return fact.Known(word, fact.Direct, fact.At(inventory.SourceDMIID, own.From.Path, word))
}

// identityFact converts a string that we read; a placeholder is unstated.
func identityFact(v fact.Fact[string]) fact.Fact[string] {
	f := v
	if f.Known() && placeholder.Is(f.Value) {
		return fact.Unknown[string](fact.Unstated, "firmware leaves a placeholder in "+f.From.Path, "", f.From)
	}
	return f
}
