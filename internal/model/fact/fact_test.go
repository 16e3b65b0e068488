package fact_test

import (
	"reflect"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

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

// TestReading checks that the document's text of a reading has the field before what was read in it.
func TestReading(t *testing.T) {
	for want, e := range map[string]fact.Evidence{
		"":                           {},
		"1333":                       {Raw: "1333"},
		"type 17 0x1101 Speed":       {Field: "type 17 0x1101 Speed"},
		"type 17 0x1101 Speed: 1333": {Field: "type 17 0x1101 Speed", Raw: "1333"},
	} {
		assert.Equal(t, want, e.Reading())
	}
	var c fact.Certainty
	require.NoError(t, c.UnmarshalText([]byte("indirect")))
	assert.Equal(t, fact.Indirect, c)
	require.NoError(t, c.UnmarshalText([]byte("other")))
	assert.Equal(t, fact.None, c)
}
