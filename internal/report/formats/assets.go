package formats

import (
	"cmp"
	"encoding/csv"
	"io"

	"memaudit.example/memaudit/internal/model/inventory"
	"memaudit.example/memaudit/internal/model/nullable"
	"memaudit.example/memaudit/internal/report"
	"memaudit.example/memaudit/internal/report/printable"
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

func assetRow(inv *report.Inventory, s *inventory.Slot) []string {
	m := &inv.Machine
	errors := s.Errors
	errors = cmp.Or(errors, &inventory.Errors{})
	return []string{m.Host.Text(), m.Vendor.Text(), m.Product.Text(), m.BIOS.Version.Text(), s.Handle.String(), s.BankLocator.Text(), s.Locator.Text(),
		string(s.State), nullable.Text(s.Socket, ""), nullable.Text(s.Channel, ""), nullable.Text(s.Slot, ""), s.SizeBytes.Text(), s.Type.Text(), s.FormFactor.Text(), s.Ranks.Text(),
		s.RatedMTs.Text(), s.ConfiguredMTs.Text(), s.Manufacturer.Text(), s.PartNumber.Text(), s.Health.Text(), errors.Corrected.Text(),
		errors.Uncorrected.Text(), s.Serial, s.AssetTag, string(m.Identifiers.SystemSerial), string(m.Identifiers.AssetTag)}
}
