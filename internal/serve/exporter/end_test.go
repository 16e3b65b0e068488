package exporter

import (
	"bytes"
	"context"
	"log/slog"
	"net"
	"net/http"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
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

// TestFolderNotWatched checks that a folder that cannot be watched is named, and that others are not.
func TestFolderNotWatched(t *testing.T) {
	var out bytes.Buffer
	there, gone := t.TempDir(), filepath.Join(t.TempDir(), "gone")
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	watchFiles(ctx, &watched{folders: []string{there, gone}, files: func() []string { return nil }}, make(chan auditEvent), time.Hour, slog.New(slog.NewTextHandler(&out, nil)))
	assert.Contains(t, out.String(), "folder="+gone)
	assert.NotContains(t, out.String(), "folder="+there+" ")
}
