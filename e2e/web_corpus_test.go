//go:build e2e && nightly && corpus

package e2e

import (
	"slices"
	"testing"

	"memaudit.example/memaudit/internal/tools/corpustest"
)

func init() {
	realTexts = func(t testing.TB) []webInput {
		var all []webInput
		corpustest.Texts(t, func(name string, data []byte) {
			all = append(all, webInput{Name: name, Text: true, Data: slices.Clone(data)})
		})
		var some []webInput
		for i := range 52 { // two may be no tables
			some = append(some, all[i*len(all)/52])
		}
		return some
	}
}
