package exporter

import (
	"context"
	"net"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestShutdown checks that an answer that does not end is cut off with a message, and that there is no message
// otherwise.
func TestShutdown(t *testing.T) {
	for _, hangs := range []bool{false, true} {
		asked, stop := make(chan struct{}), make(chan struct{})
		s := &http.Server{Handler: http.HandlerFunc(func(http.ResponseWriter, *http.Request) { close(asked); <-stop })}
		l, err := net.Listen("tcp", "127.0.0.1:0")
		require.NoError(t, err)
		go func() { _ = s.Serve(l) }()
		answered := make(chan error, 1)
		if hangs {
			go func() {
				answer, err := http.Get("http://" + l.Addr().String())
				if err == nil {
					_ = answer.Body.Close()
				}
				answered <- err
			}()
			<-asked
		}
		err = shutdown([]*http.Server{s}, 20*time.Millisecond)
		if hangs {
			require.ErrorIs(t, err, context.DeadlineExceeded)
			require.Error(t, <-answered, "the client is not left waiting")
		} else {
			require.NoError(t, err)
		}
		close(stop)
	}
}
