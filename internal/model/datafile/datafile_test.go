package datafile_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"memaudit.example/memaudit/internal/model/datafile"
)

// TestManyComplaints checks that only the first of many faults are reported, each once, and that there are more.
func TestManyComplaints(t *testing.T) {
	var c datafile.Complaints
	for i := range 601 {
		for range 2 { // of an anchor that two rules merge in
			c = c.Add(datafile.Complaint{File: "a.yaml", Line: i, Column: 1, Text: "fault"})
		}
	}
	require.Len(t, c, 201)
	assert.Equal(t, "fault", c[199].Text)
	assert.Equal(t, "more errors than are listed here, the next: fault", c[200].Text)
}

// TestAliasBomb checks that a few lines of aliases that stand for millions of values are refused where the limit is.
func TestAliasBomb(t *testing.T) {
	text := "a: &a [1, 2]\n"
	for name := 'b'; name < 'w'; name++ {
		text += string(name) + ": &" + string(name) + " [*" + string(name-1) + ", *" + string(name-1) + "]\n"
	}
	f := datafile.Parse("bomb.yaml", []byte(text))
	assert.Empty(t, f.Docs)
	assert.Contains(t, f.Faults.Error(), "with its aliases the file holds more than 1048576 values")
}

// TestDecode checks that a value of another type, an unknown key and a number below 0 have their place, also in a merged
// mapping, and that the rest is read.
func TestDecode(t *testing.T) {
	type entry struct {
		Name  string             `yaml:"name"`
		Slots []int              `yaml:"slots"`
		Share map[string]float64 `yaml:"share"`
	}
	for text, want := range map[string]string{
		"name: DIMM_A1\nslots: [3, 7]\nshare: {a: 0.31}\n": "",
		"name: [a]\n":             "x.yaml:1:7: name: a list, expected a text",
		"slots: 3\n":              `x.yaml:1:8: slots: "3", expected a list: [3]`,
		"slots: [3, seven]\n":     `x.yaml:1:12: slots[1]: "seven", expected a whole number`,
		"slots: [3, -7]\n":        "x.yaml:1:12: slots[1]: -7, expected at least 0",
		"share: {a: much}\n":      `x.yaml:1:12: share.a: "much", expected a number`,
		"<<: {nam: a}\n":          `x.yaml:1:6: unknown key "nam", expected one of name, share, slots`,
		"- a\n":                   "x.yaml:1:1: a list, expected a mapping with the keys name, share, slots",
		"slots: [&a [*a]]\n":      "x.yaml:1:13: values nest deeper than 256",
		"name: a\n\tslots: [3]\n": "x.yaml:2:1: found a tab character that violates indentation, here or below: indent with spaces",
	} {
		t.Run(text, func(t *testing.T) {
			var e entry
			f := datafile.Parse("x.yaml", []byte(text))
			if len(f.Docs) > 0 {
				f.Decode(0, &e)
			}
			assert.Equal(t, want, f.Faults.Error())
			if want == "" {
				assert.Equal(t, entry{"DIMM_A1", []int{3, 7}, map[string]float64{"a": 0.31}}, e)
			}
		})
	}
}
