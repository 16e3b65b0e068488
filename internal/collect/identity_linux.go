package collect

import (
	"log/slog"

	"github.com/jaypipes/ghw"

	"memaudit.example/memaudit/internal/model/inventory"
)

func (c *collector) readGHW(folder string, own *inventory.Machine) {
	opts := []any{ghw.WithChroot(folder), ghw.WithDisableTools(), ghw.WithLogger(slog.New(slog.DiscardHandler))}
	if p, err := ghw.Product(opts...); err == nil {
		c.preferGHW(p.Vendor, &own.Vendor)
		c.preferGHW(p.Name, &own.Product)
		c.preferGHW(p.Version, &own.ProductVersion)
		c.preferGHW(p.Family, &own.Family)
	}
	if b, err := ghw.Baseboard(opts...); err == nil {
		c.preferGHW(b.Vendor, &own.BoardVendor)
		c.preferGHW(b.Product, &own.Board)
	}
	if b, err := ghw.BIOS(opts...); err == nil {
		c.preferGHW(b.Vendor, &own.BIOS.Vendor)
		c.preferGHW(b.Version, &own.BIOS.Version)
		c.preferGHW(b.Date, &own.BIOS.Date)
	}
}
