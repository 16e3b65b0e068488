package report

import (
	"fmt"
	"io"
	"strings"
)

// The formats that Write knows.
const (
	FormatText       = "text"
	FormatJSON       = "json"
	FormatJUnit      = "junit"
	FormatNagios     = "nagios"
	FormatPrometheus = "prometheus"
)

// Formats lists the formats of a report, the default first.
func Formats() []string {
	return []string{FormatText, FormatJSON, FormatJUnit, FormatNagios, FormatPrometheus}
}

// InventoryFormats lists the formats of an inventory, the default first.
func InventoryFormats() []string { return []string{FormatText, FormatJSON} }

// TextOptions say how text is laid out. The caller knows the terminal.
type TextOptions struct {
	// Width in columns; 0 is 80.
	Width int
	// Color colours the severity words.
	Color bool
	// Verbose adds every reading behind a finding and what passed.
	Verbose bool
	// Settings prints of an inventory the settings alone, each with all that it
	// rests on.
	Settings bool
	// Plugin is what a monitoring plugin says of itself; FormatNagios alone
	// reads it.
	Plugin Plugin
}

// Write prints the report in one of Formats.
func Write(w io.Writer, format string, r *Report, o TextOptions) error {
	switch format {
	case FormatText:
		return WriteText(w, r, o)
	case FormatJSON:
		return WriteJSON(w, r)
	case FormatJUnit:
		return WriteJUnit(w, r)
	case FormatNagios:
		return WriteNagios(w, r, o.Plugin)
	case FormatPrometheus:
		return WritePrometheus(w, r)
	default:
		return formatError(format, Formats())
	}
}

// WriteInventory prints the inventory in one of InventoryFormats.
func WriteInventory(w io.Writer, format string, inv *Inventory, o TextOptions) error {
	switch format {
	case FormatText:
		return WriteInventoryText(w, inv, o)
	case FormatJSON:
		return WriteJSON(w, inv)
	default:
		return formatError(format, InventoryFormats())
	}
}

func formatError(format string, known []string) error {
	return fmt.Errorf("format %q is not one of %s", format, strings.Join(known, ", "))
}
