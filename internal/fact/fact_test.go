package fact_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/memaudit/memaudit/internal/fact"
)

// TestBlame: the reason of an unknown fact is another's; a known one gives no reason, and
// never the zero value of another type as if that were known.
func TestBlame(t *testing.T) {
	denied := fact.Unknown[int](fact.Denied, "not permitted", "root", fact.At("msr", "/dev/cpu/0/msr", ""))
	said := fact.Blame[string](denied)
	assert.Equal(t, fact.Unknown[string](fact.Denied, "not permitted", "root", denied.From), said)
	_, known := fact.Blame[string](fact.Known(4, fact.Direct, denied.From)).Get()
	assert.False(t, known)
	assert.Equal(t, fact.Unread, fact.Blame[string](fact.Known(4, fact.Direct, denied.From)).State)
}
