// Package formats knows every format by its name and writes a document in it.
package formats

import (
	"fmt"
	"io"
	"strings"

	"memaudit.example/memaudit/internal/report"
	"memaudit.example/memaudit/internal/report/html"
	"memaudit.example/memaudit/internal/report/metrics"
	"memaudit.example/memaudit/internal/report/text"
)

// The formats that Write knows.
const (
	Text       = "text"
	JSON       = "json"
	HTML       = "html"
	JUnit      = "junit"
	Nagios     = "nagios"
	Prometheus = "prometheus"
	CSV        = "csv"
)

// Reports lists the formats of a report, the default first.
func Reports() []string {
	return []string{Text, JSON, HTML, JUnit, Nagios, Prometheus}
}

// Inventories lists the formats of an inventory, the default first.
func Inventories() []string { return []string{Text, JSON, CSV} }

// ForPlans lists the formats of a planned capacity and of a what-if, the default
// first.
func ForPlans() []string { return []string{Text, JSON} }

// Comparisons lists the formats of a comparison, the default first.
func Comparisons() []string { return []string{Text, JSON} }

// Write prints the report in one of Reports.
func Write(w io.Writer, format string, r *report.Report, o text.Options) error {
	switch format {
	case Text:
		return text.Write(w, r, o)
	case JSON:
		return report.WriteJSON(w, r)
	case HTML:
		return html.Write(w, r)
	case JUnit:
		return WriteJUnit(w, r)
	case Nagios:
		return WriteNagios(w, r)
	case Prometheus:
		return metrics.Write(w, r)
	default:
		return formatError(format, Reports())
	}
}

// WriteInventory prints the inventory in one of Inventories.
func WriteInventory(w io.Writer, format string, inv *report.Inventory, o text.Options) error {
	switch format {
	case Text:
		return text.WriteInventory(w, inv, o)
	case JSON:
		return report.WriteJSON(w, inv)
	case CSV:
		return writeCSV(w, inv)
	default:
		return formatError(format, Inventories())
	}
}

// WriteCapacity prints a planned capacity in one of ForPlans.
func WriteCapacity(w io.Writer, format string, r *report.Capacity, o text.Options) error {
	return writeTextOrJSON(w, format, r, text.WriteCapacity, o)
}

// WriteWhatIf prints a what-if in one of ForPlans.
func WriteWhatIf(w io.Writer, format string, r *report.WhatIf, o text.Options) error {
	return writeTextOrJSON(w, format, r, text.WriteWhatIf, o)
}

// WriteComparison prints a comparison in one of Comparisons.
func WriteComparison(w io.Writer, format string, c *report.Comparison, o text.Options) error {
	return writeTextOrJSON(w, format, c, text.WriteComparison, o)
}

func writeTextOrJSON[T report.Capacity | report.WhatIf | report.Comparison](w io.Writer, format string, document *T, write func(io.Writer, *T, text.Options) error, o text.Options) error {
	switch format {
	case Text:
		return write(w, document, o)
	case JSON:
		return report.WriteJSON(w, document)
	default:
		return formatError(format, []string{Text, JSON})
	}
}

func formatError(format string, known []string) error {
	return fmt.Errorf("format %q is not one of %s", format, strings.Join(known, ", "))
}
