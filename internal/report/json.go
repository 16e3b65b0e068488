package report

import (
	"fmt"
	"io"

	"github.com/memaudit/memaudit/internal/report/printable"
)

// WriteJSON prints a document: two spaces a level, a newline at the end, keys and findings
// in a stable order.
func WriteJSON[T Report | Inventory | Comparison | WhatIf | Capacity](w io.Writer, v *T) error {
	text, err := printable.EncodeJSON(v)
	if err != nil {
		return fmt.Errorf("encode JSON: %w", err)
	}
	if _, err := w.Write(text); err != nil {
		return fmt.Errorf("write JSON: %w", err)
	}
	return nil
}
