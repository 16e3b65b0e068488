package settings

import (
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"
)

// TestBrokenVocabulary checks that an invalid row is an error with its line.
func TestBrokenVocabulary(t *testing.T) {
	good := "# head\nsmt\tswitch\t\t\tthreads\nsub_numa\tchoice\t\toff snc2\tdomains\npatrol_scrub\tchoice\thours\tenabled disabled\tscrubbing\n"
	read := func(vocabulary, includes string) error {
		_, err := readVocabulary(fstest.MapFS{vocabularyFile: {Data: []byte(vocabulary)}, includesFile: {Data: []byte(includes)}})
		return err
	}
	require.NoError(t, read(good, "patrol_scrub\tenabled\thours\t\tyes\n"))
	for row, says := range map[string]string{
		"smt\tswitch\t\t\tagain\n":           "vocabulary.tsv:5: two lines have the id smt",
		"x\tknob\t\t\ttitle\n":               "expected switch, choice, rate or name",
		"x\tchoice\t\t\ttitle\n":             "choices and rates have words",
		"x\tswitch\t\tone two\ttitle\n":      "choices and rates have words",
		"x\tchoice\tweeks\tone two\ttitle\n": "expected count, hours or nothing",
		"x\tswitch\t\t\t\n":                  "an id and a title",
		"x\tswitch\n":                        "2 columns, expected 5",
	} {
		require.ErrorContains(t, read(good+row, ""), says, row)
	}
	for row, says := range map[string]string{
		"smt\tenabled\tsnc2\t\t\n":       "includes.tsv:1: smt: \"snc2\" is not one of its words",
		"sub_numa\toff\thours\t\t\n":     "\"hours\" is not one of its words",
		"turbo\tenabled\tdisabled\t\t\n": "turbo is not a setting",
		"sub_numa\toff\tsnc2\t\tno\n":    "fulfils \"no\", expected yes or nothing",
		"sub_numa\tauto\toff\t\t\n":      "\"auto\" is not one of its words",
	} {
		require.ErrorContains(t, read(good, row), says, row)
	}
	require.Error(t, func() error { _, err := readVocabulary(fstest.MapFS{}); return err }())
}
