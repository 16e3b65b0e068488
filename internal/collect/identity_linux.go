package collect

import (
	"io"
	"log/slog"

	"github.com/jaypipes/ghw"
)

// askedAt asks ghw for the same strings below a folder.
func (c *collector) askedAt(folder string, own identity) identity {
	opts := ghwOptions(folder)
	if p, err := ghw.Product(opts...); err == nil {
		own.vendor, own.product = c.ask(p.Vendor, own.vendor), c.ask(p.Name, own.product)
		own.version, own.family = c.ask(p.Version, own.version), c.ask(p.Family, own.family)
	}
	if b, err := ghw.Baseboard(opts...); err == nil {
		own.boardVendor, own.board = c.ask(b.Vendor, own.boardVendor), c.ask(b.Product, own.board)
	}
	if b, err := ghw.BIOS(opts...); err == nil {
		own.biosVendor, own.biosVersion = c.ask(b.Vendor, own.biosVendor), c.ask(b.Version, own.biosVersion)
		own.biosDate = c.ask(b.Date, own.biosDate)
	}
	return own
}

// ghwOptions points ghw at a folder and keeps it silent.
func ghwOptions(folder string) []any {
	return []any{ghw.WithChroot(folder), ghw.WithDisableTools(), ghw.WithLogger(slog.New(slog.NewTextHandler(io.Discard, nil)))}
}
