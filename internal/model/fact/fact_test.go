package fact_test

import (
	"reflect"
	"testing"

	"github.com/memaudit/memaudit/internal/model/fact"
)

// TestUnknownFrom checks that an unknown fact takes its reason from another, and that a known one gives neither a
// reason nor the zero value of another type.
func TestUnknownFrom(t *testing.T) {
	denied := fact.Unknown[int](fact.Denied, "not permitted", "root", fact.At("msr", "/dev/cpu/0/msr", ""))
	said := fact.UnknownFrom[string](denied)
	if want := fact.Unknown[string](fact.Denied, "not permitted", "root", denied.From); !reflect.DeepEqual(want, said) {
		t.Errorf("said %+v, expected %+v", said, want)
	}
	if blamed := fact.UnknownFrom[string](fact.Known(4, fact.Direct, denied.From)); blamed.Known() || blamed.State != fact.Unread {
		t.Errorf("a known fact is blamed as %+v", blamed)
	}
}
