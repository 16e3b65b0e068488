package report

// SchemaComparison is the schema of a Comparison, as its "schema" key states it.
const SchemaComparison = "memaudit.comparison/v1"

// Comparison is one machine beside every profile that is documented for it.
// Keys are always present; what is not known is null.
type Comparison struct {
	Schema string `json:"schema" jsonschema:"enum=memaudit.comparison/v1"`
	// GeneratedAt is RFC 3339 in UTC.
	GeneratedAt string  `json:"generated_at" jsonschema:"format=date-time"`
	Memaudit    Program `json:"memaudit"`
	Machine     Machine `json:"machine"`
	// Profiles is empty when no document gives one; Why then says why.
	Profiles []HeldProfile `json:"profiles"`
	Why      *string       `json:"why" jsonschema:"nullable"`
	// Undecided are profiles that may or may not be written for the machine.
	Undecided []Undecided `json:"undecided"`
	// Settings are the machine's own, as in the inventory.
	Settings map[string]Setting `json:"settings"`
	// Inventory is what the head of the text names.
	Inventory Inventory `json:"-"`
}
