package platform

import (
	"strings"

	"github.com/memaudit/memaudit/internal/model/inventory"
)

// ProductName is the machine's product and board, as the patterns of the
// platform files expect them.
func ProductName(m *inventory.Machine) string {
	product, board := m.Product.Or(""), m.Board.Or("")
	if board == "" || board == product {
		return product
	}
	return strings.TrimSpace(product + " " + board)
}

// FindBoard is the first board whose pattern matches the product, nil without.
func FindBoard(boards []Board, product string) *Board {
	for i := range boards {
		if product != "" && matches(boards[i].Product, product) {
			return &boards[i]
		}
	}
	return nil
}

// Unverified reports whether what the table says of the board has no document.
func (b *Board) Unverified() bool { return !orTrue(b.Verified) }

// Document names the document of a key as "vendor, title", for people; the key
// itself where nothing describes it (a site's own platform).
func (p *Platform) Document(key string) string {
	if c := &p.Citation; c.Key == key && c.Title != "" {
		return c.Vendor + ", " + c.Title
	}
	for i := range p.Documents {
		if c := &p.Documents[i].Citation; c.Key == key && c.Title != "" {
			return c.Vendor + ", " + c.Title
		}
	}
	return key
}

// MeasuredOn lists the measurements that hold for a product.
func (p *Platform) MeasuredOn(product string) []*Measurement {
	var out []*Measurement
	for i := range p.Measured {
		if m := &p.Measured[i]; m.Product == "" || matches(m.Product, product) {
			out = append(out, m)
		}
	}
	return out
}
