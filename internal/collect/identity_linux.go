package collect

import (
	"log/slog"

	"github.com/jaypipes/ghw"
)

func (c *collector) readGHW(folder string, own identity) identity {
	opts := []any{ghw.WithChroot(folder), ghw.WithDisableTools(), ghw.WithLogger(slog.New(slog.DiscardHandler))}
	if p, err := ghw.Product(opts...); err == nil {
		own.vendor, own.product = c.preferGHW(p.Vendor, own.vendor), c.preferGHW(p.Name, own.product)
		own.version, own.family = c.preferGHW(p.Version, own.version), c.preferGHW(p.Family, own.family)
	}
	if b, err := ghw.Baseboard(opts...); err == nil {
		own.boardVendor, own.board = c.preferGHW(b.Vendor, own.boardVendor), c.preferGHW(b.Product, own.board)
	}
	if b, err := ghw.BIOS(opts...); err == nil {
		own.biosVendor, own.biosVersion = c.preferGHW(b.Vendor, own.biosVendor), c.preferGHW(b.Version, own.biosVersion)
		own.biosDate = c.preferGHW(b.Date, own.biosDate)
	}
	return own
}
