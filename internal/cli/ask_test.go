package cli

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"memaudit.example/memaudit/internal/model/fact"
	"memaudit.example/memaudit/internal/source/redfish"
)

// slow is a slow controller whose answers can be changed.
type slow struct {
	asked  int
	takes  time.Duration
	answer redfish.Answer
	ended  int
	knew   []bool
}

func (s *slow) ask(ctx context.Context, o redfish.Options, _ redfish.Identity) *redfish.Answer {
	s.asked++
	s.knew = append(s.knew, o.KnownRegistry("Attributes.v1_0_0") != nil)
	a := s.answer
	if a.BIOS != nil {
		b := *a.BIOS
		a.BIOS = &b
	}
	select {
	case <-time.After(s.takes):
	case <-ctx.Done():
		s.ended++
	}
	return &a
}

func (s *slow) asker() *bmcAsker {
	a := newAsker(time.Now)
	a.ask = s.ask
	return a
}

var noSuchHost = []redfish.Problem{{State: fact.SourceRefused, Text: "no answer"}}

// TestControllerInterval checks that a controller is read once per interval, whatever audits there are, and again on request
// or if the machine is another one, and that its registry is read once.
func TestControllerInterval(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &slow{takes: time.Second, answer: redfish.Answer{Found: true, BIOS: &redfish.BIOS{RegistryName: "Attributes.v1_0_0", Registry: []byte("{}")}}}
		a := s.asker()
		read := func(who, revision string) *redfish.Answer {
			return a.read(redfish.Options{}, redfish.Identity{Serial: who}, 6*time.Hour, revision)
		}
		for range 24 * 12 { // a day of audits
			answer := read("1", "")
			require.NoError(t, answer.Err())
			assert.Equal(t, "{}", string(answer.BIOS.Registry))
			answer.Problems = noSuchHost // what an audit adds is its own
			time.Sleep(5 * time.Minute)
		}
		assert.Equal(t, 4, s.asked)
		assert.Equal(t, []bool{false, true, true, true}, s.knew)
		a.expire()
		read("1", "")
		assert.Equal(t, 5, s.asked, "a reload asks")
		read("1", "saved anew")
		assert.Equal(t, 6, s.asked, "a new baseline asks")
		read("2", "saved anew")
		assert.Equal(t, 7, s.asked, "another machine's answer is none")
	})
}

// TestControllerOfAnotherSystem checks that answers of one system of a service, also pending ones, are not used for
// another that a new configuration names.
func TestControllerOfAnotherSystem(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &slow{answer: redfish.Answer{Found: true, Model: "Node0"}}
		a := s.asker()
		read := func(system string) *redfish.Answer {
			return a.read(redfish.Options{System: system}, redfish.Identity{}, 6*time.Hour, "")
		}
		require.Equal(t, "Node0", read("Node0").Model)
		s.takes = 2 * time.Minute
		a.expire()
		answer := read("Node1")
		require.ErrorContains(t, answer.Err(), "has not answered yet")
		assert.Empty(t, answer.Model)
		read("Node0")
		synctest.Wait()
		assert.Equal(t, 1, s.ended, "the reading of the other system is ended")
		a.end(time.Second)
	})
}

// TestControllerHangs checks that an audit waits a moment and continues without the controller, that the next one
// does not start a second read, and that its answer starts an audit.
func TestControllerHangs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &slow{takes: 2 * time.Minute, answer: redfish.Answer{Found: true}}
		a := s.asker()
		read := func() *redfish.Answer { return a.read(redfish.Options{}, redfish.Identity{}, time.Hour, "") }
		began := time.Now()
		answer := read()
		assert.Equal(t, askPatience, time.Since(began))
		assert.Equal(t, fact.SourceRefused, answer.State())
		require.ErrorContains(t, answer.Err(), "has not answered yet")
		read()
		synctest.Wait()
		assert.Equal(t, 1, s.asked)
		<-a.again
		require.NoError(t, read().Err())
		assert.Equal(t, 1, s.asked)

		// Then it fails: what was known is gone, and it is asked ever more rarely.
		s.takes, s.answer = 0, redfish.Answer{Problems: noSuchHost}
		time.Sleep(time.Hour)
		s.asked = 0
		for range 6 * 12 {
			require.Error(t, read().Err())
			time.Sleep(5 * time.Minute)
		}
		assert.LessOrEqual(t, s.asked, 9, "after 5, 10, 20, 40, 60 minutes and each hour")
		s.answer = redfish.Answer{Found: true}
		time.Sleep(time.Hour)
		require.NoError(t, read().Err())

		s.takes = time.Hour
		a.expire()
		answer = read()
		require.NoError(t, answer.Err(), "the previous answer stays while it is asked again")
		a.end(time.Second)
		assert.Equal(t, 1, s.ended)
	})
}
