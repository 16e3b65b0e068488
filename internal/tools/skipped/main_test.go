package main

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const events = `# words of the go command
{"ImportPath":"m/broken","Action":"build-output","Output":"broken.go:1: no\n"}
{"Action":"run","Package":"m/a","Test":"TestGood"}
{"Action":"output","Package":"m/a","Test":"TestGood","Output":"    a_test.go:1: quiet\n"}
{"Action":"pass","Package":"m/a","Test":"TestGood"}
{"Action":"output","Package":"m/a","Test":"TestSkipped/one","Output":"    a_test.go:7: tried\n"}
{"Action":"output","Package":"m/a","Test":"TestSkipped/one","Output":"    a_test.go:8: only root may\n"}
{"Action":"output","Package":"m/a","Test":"TestSkipped/one","Output":"    --- SKIP: TestSkipped/one (0.00s)\n"}
{"Action":"skip","Package":"m/a","Test":"TestSkipped/one"}
{"Action":"skip","Package":"m/a","Test":"TestSilent"}
{"Action":"output","Package":"m/a","Output":"PASS\n"}
{"Action":"output","Package":"m/a","Output":"ok  \tm/a\t0.1s\n"}
{"Action":"pass","Package":"m/a"}
{"Action":"output","Package":"m/b","Test":"TestBad","Output":"    b_test.go:2: bad\n"}
{"Action":"output","Package":"m/b","Test":"TestBad","Output":"--- FAIL: TestBad (0.00s)\n"}
{"Action":"fail","Package":"m/b","Test":"TestBad"}
{"Action":"output","Package":"m/b","Output":"FAIL\n"}
{"Action":"output","Package":"m/b","Output":"FAIL\tm/b\t0.1s\n"}
{"Action":"fail","Package":"m/b"}
{"Action":"output","Package":"m/c","Output":"?   \tm/c\t[no test files]\n"}
{"Action":"skip","Package":"m/c"}
`

// TestFilter checks that the output equals that of `go test`, and that skipped tests are recorded.
func TestFilter(t *testing.T) {
	var out, skipped strings.Builder
	require.NoError(t, filter(strings.NewReader(events), &out, &skipped, false))
	assert.Equal(t, "# words of the go command\nbroken.go:1: no\nok  \tm/a\t0.1s\n    b_test.go:2: bad\n--- FAIL: TestBad (0.00s)\nFAIL\nFAIL\tm/b\t0.1s\n?   \tm/c\t[no test files]\n", out.String())
	assert.Equal(t, "only root may\tm/a.TestSkipped/one\nno reason given\tm/a.TestSilent\n", skipped.String())

	out.Reset()
	require.NoError(t, filter(strings.NewReader(events), &out, &skipped, true))
	assert.Contains(t, out.String(), "quiet\n")
	assert.Equal(t, 1, strings.Count(out.String(), "TestBad (0.00s)"))
}

func TestListed(t *testing.T) {
	assert.Equal(t, "Skipped, by reason: 2\n- no root: a.TestA, b.TestB\n- no space: a.TestC\n",
		listed("no root\tb.TestB\nno space\ta.TestC\nno root\ta.TestA\nno root\ta.TestA\n"))
	assert.Equal(t, "Skipped, by reason: 0\n", listed(""))
}
