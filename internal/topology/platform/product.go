package platform

import (
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"memaudit.example/memaudit/internal/model/inventory"
)

// ProductName returns the machine's product and board, as the patterns of the platform files expect them.
func ProductName(m *inventory.Machine) string {
	product, board := m.Product.Or(""), m.Board.Or("")
	if board == "" || board == product {
		return product
	}
	return strings.TrimSpace(product + " " + board)
}

// FindBoard returns the first board with a matching pattern, nil if there is none.
func FindBoard(boards []Board, product string) *Board {
	for i := range boards {
		if product != "" && matches(boards[i].Product, product) {
			return &boards[i]
		}
	}
	return nil
}

// Unverified reports whether the data of the board have no document.
func (b *Board) Unverified() bool { return !orTrue(b.Verified) }

// Document returns the document of a key as "vendor, title"; the key itself if the document is not listed (a
// site's own platform).
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

// MeasuredOn lists the measurements that apply to a product.
func (p *Platform) MeasuredOn(product string) []*Measurement {
	var out []*Measurement
	for i := range p.Measured {
		if m := &p.Measured[i]; m.Product == "" || matches(m.Product, product) {
			out = append(out, m)
		}
	}
	return out
}

// LengthOfName returns the length of the name in a list of models that a product starts with, 0 if none does. A
// version or a generation after the name is another model; words after a slash or in brackets are another name
// of the same board.
func LengthOfName(models, product string) int {
	longest := 0
	for m := range strings.SplitSeq(models, ";") {
		rest, ok := strings.CutPrefix(product, m)
		if m != "" && ok && (rest == "" || rest[0] == '/' || rest[0] == '(' || rest[0] == ' ' && !anotherModel(rest)) {
			longest = max(longest, len(m))
		}
	}
	return longest
}

// anotherModel reports whether the words after a model's name make it another model: "V2", "Plus", "II",
// "Gen10", "M5".
func anotherModel(rest string) bool {
	words := strings.Fields(strings.ToLower(rest))
	if len(words) == 0 {
		return false
	}
	w := words[0]
	if w == "plus" || strings.Trim(w, "i") == "" {
		return true
	}
	number := strings.TrimLeft(w, "0123456789")
	for _, prefix := range []string{"gen", "v", "m", "g"} {
		if left, ok := strings.CutPrefix(w, prefix); ok && left != "" {
			number = strings.TrimLeft(left, "0123456789")
		}
	}
	return number == ""
}

const vendorsFile = "platforms/makers.tsv"

// DocumentedFor reports whether a document of the machine's vendor that covers the product is a source of the
// platform's table.
func (d *Detail) DocumentedFor(vendor, product string) bool {
	maker := VendorWord(vendor)
	return slices.ContainsFunc(d.Authors, func(a Author) bool {
		return a.Vendor == maker && !slices.ContainsFunc(a.Not, func(n string) bool { return strings.Contains(product, n) })
	})
}

// authorsOf returns the vendors of the documents in keys, from makersFile. A site's own knowledge may lack the
// file; then it returns nil.
func authorsOf(k fs.FS, keys []string) ([]Author, error) {
	raw, err := fs.ReadFile(k, vendorsFile)
	if err != nil {
		return nil, nil //nolint:nilerr // without authors, speeds of full channels stay unverified
	}
	var out []Author
	n := 0
	for line := range strings.Lines(string(raw)) {
		n++
		if strings.HasPrefix(line, "#") {
			continue
		}
		cells := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		if len(cells) != 3 || cells[0] == "" || cells[0] != VendorWord(cells[0]) || cells[1] == "" {
			return nil, fmt.Errorf("%s:%d: expected a maker in one small word, beginnings of keys, parts of products", vendorsFile, n)
		}
		begins := func(key string) bool {
			return slices.ContainsFunc(strings.Fields(cells[1]), func(b string) bool { return strings.HasPrefix(key, b) })
		}
		if slices.ContainsFunc(keys, begins) {
			out = append(out, Author{cells[0], strings.FieldsFunc(cells[2], func(r rune) bool { return r == ',' })})
		}
	}
	return out, nil
}
