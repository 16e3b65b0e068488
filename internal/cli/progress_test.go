package cli

import (
	"bytes"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

// locked is a buffer that a timer may write to.
type locked struct {
	sync.Mutex
	bytes.Buffer
}

func (l *locked) Write(b []byte) (int, error) {
	l.Lock()
	defer l.Unlock()
	return l.Buffer.Write(b)
}

func (l *locked) text() string {
	l.Lock()
	defer l.Unlock()
	return l.String()
}

func TestProgressLine(t *testing.T) {
	var quick locked
	progressLine(&quick, "reading", time.Hour)()
	assert.Empty(t, quick.text(), "an audit that is quick says nothing")

	var slow locked
	done := progressLine(&slow, "reading", time.Nanosecond)
	assert.Eventually(t, func() bool { return slow.text() == "memaudit: reading ..." }, 10*time.Second, time.Millisecond)
	done()
	done()
	assert.Equal(t, "memaudit: reading ...\r\x1b[K", slow.text(), "the line is wiped out once")

	assert.False(t, isTerminal(&slow))
}
