//go:build corpus

package platform

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"memaudit.example/memaudit/internal/collect/collecttest"
	"memaudit.example/memaudit/internal/model/fact"
	"memaudit.example/memaudit/internal/tools/corpustest"
	"memaudit.example/memaudit/rules"
)

// TestRecogniseWithoutCPUID checks that without the CPUID the brand finds the same platform or none. LPDDR is not in
// the brand.
func TestRecogniseWithoutCPUID(t *testing.T) {
	machines, recognised := 0, 0
	lost := map[string]int{}
	for _, archive := range []string{corpustest.Servers, corpustest.Workstations, corpustest.Others} {
		corpustest.Members(t, archive, func(name string, text []byte) {
			sys := collecttest.Read(t, name, text)
			whole, ok := Recognise(sys, rules.FS).Get()
			if !ok {
				return
			}
			machines++
			for i := range sys.Sockets {
				s := &sys.Sockets[i]
				s.Family, s.Model, s.Stepping = fact.Fact[int]{}, fact.Fact[int]{}, fact.Fact[int]{}
			}
			byBrand, ok := Recognise(sys, rules.FS).Get()
			if !ok {
				lost[whole.ID]++
				return
			}
			recognised++
			if whole.ID != "client-lpddr" {
				assert.Equal(t, whole.ID, byBrand.ID, name)
			}
		})
	}
	corpustest.LogCounts(t, "lost", lost)
	t.Logf("%d of %d machines recognised by brand alone", recognised, machines)
	assert.GreaterOrEqual(t, float64(recognised)/float64(machines), 0.92)
}
