package fact_test

import (
	"bytes"
	"encoding/json"
	"reflect"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"memaudit.example/memaudit/internal/model/fact"
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

// TestFactInADocument checks that a document has the value or null, and that what is read from it is known or not.
func TestFactInADocument(t *testing.T) {
	type document struct {
		Label fact.Fact[string] `json:"label"`
		Ranks fact.Fact[int]    `json:"ranks"`
		Host  fact.Fact[string] `json:"host,omitzero"`
	}
	at := fact.At("smbios", "/sys/firmware/dmi/tables/DMI", "0")
	for text, d := range map[string]document{
		`{"label":null,"ranks":null}`:                 {Label: fact.Known("", fact.Direct, at), Ranks: fact.Unknown[int](fact.Denied, "not permitted", "")},
		`{"label":"<A1>","ranks":0}`:                  {Label: fact.Known("<A1>", fact.Indirect, at), Ranks: fact.Known(0, fact.Direct, at)},
		`{"label":null,"ranks":4,"host":"node-17.x"}`: {Ranks: fact.Known(4, fact.Direct, at), Host: fact.Known("node-17.x", fact.Direct, at)},
	} {
		var out bytes.Buffer
		e := json.NewEncoder(&out)
		e.SetEscapeHTML(false)
		require.NoError(t, e.Encode(d))
		assert.Equal(t, text+"\n", out.String())
		var read document
		require.NoError(t, json.Unmarshal(out.Bytes(), &read))
		assert.Equal(t, []string{d.Label.Text(), d.Ranks.Text(), d.Host.Text()}, []string{read.Label.Text(), read.Ranks.Text(), read.Host.Text()})
	}
	assert.Error(t, json.Unmarshal([]byte(`{"ranks":"two"}`), &document{}))
}
