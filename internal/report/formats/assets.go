package formats

import (
	"encoding/csv"
	"io"
	"strconv"

	"github.com/memaudit/memaudit/internal/model/nullable"
	"github.com/memaudit/memaudit/internal/report"
	"github.com/memaudit/memaudit/internal/report/printable"
)

// assetColumns head the table of slots. The last ones identify a machine and its
// parts: empty unless identifiers were asked for.
var assetColumns = []string{"host", "vendor", "product", "bios_version", "handle", "bank_locator", "locator", "state", "socket", "channel", "slot",
	"size_bytes", "type", "form_factor", "ranks", "rated_mts", "configured_mts", "manufacturer", "part_number", "health", "corrected_errors",
	"uncorrected_errors", "serial", "asset_tag", "machine_serial", "machine_asset_tag"}

// writeCSV writes one row a slot, empty ones included. What is not known is an
// empty cell.
func writeCSV(w io.Writer, inv *report.Inventory) error {
	out := csv.NewWriter(w)
	_ = out.Write(assetColumns)
	for i := range inv.Slots {
		row := assetRow(inv, &inv.Slots[i])
		for j := range row {
			row[j] = printable.CSVCell(row[j])
		}
		_ = out.Write(row)
	}
	out.Flush()
	return out.Error()
}

func assetRow(inv *report.Inventory, s *report.Slot) []string {
	m := &inv.Machine
	ids := m.Identifiers
	if ids == nil {
		ids = &report.Identifiers{}
	}
	errors := s.Errors
	if errors == nil {
		errors = &report.Errors{}
	}
	word := func(s nullable.String) string { return string(s) }
	return []string{m.Host, word(m.Vendor), word(m.Product), word(m.BIOS.Version), s.Handle, word(s.BankLocator), word(s.Locator), s.State,
		digits(s.Socket), digits(s.Channel), digits(s.Slot), digits(s.SizeBytes), word(s.Type), word(s.FormFactor), digits(s.Ranks), digits(s.RatedMTs),
		digits(s.ConfiguredMTs), word(s.Manufacturer), word(s.PartNumber), word(s.Health), digits(errors.Corrected), digits(errors.Uncorrected),
		s.Serial, s.AssetTag, word(ids.SystemSerial), word(ids.AssetTag)}
}

// digits writes a number, nothing for one that is not known.
func digits[T int | int64](n *T) string {
	if n == nil {
		return ""
	}
	return strconv.FormatInt(int64(*n), 10)
}
