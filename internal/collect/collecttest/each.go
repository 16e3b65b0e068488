//go:build corpus

package collecttest

import (
	"testing"

	"memaudit.example/memaudit/internal/model/inventory"
	"memaudit.example/memaudit/internal/tools/corpustest"
)

// Each calls use for every text in an archive of the corpus.
func Each(t testing.TB, archive string, use func(name string, sys *inventory.System)) {
	t.Helper()
	corpustest.Members(t, archive, func(name string, text []byte) { use(name, Read(t, name, text)) })
}
