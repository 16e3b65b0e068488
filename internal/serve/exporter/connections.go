package exporter

import (
	"net"
	"net/http"
	"sync"
)

// maxConnections is how many clients may be connected at the same time. Each costs about 20 KB, and
// no machine is scraped from that many places.
const maxConnections = 256

// connections limits the open connections of a server. When there is one too many, the one that has been idle longest
// is closed. A new connection is idle too, so it is itself closed if all others are being served.
type connections struct {
	most int
	mu   sync.Mutex
	// open holds all connections; idle lists those that are idle, the longest idle first.
	open map[net.Conn]bool
	idle []net.Conn
}

func newConnections(most int) *connections {
	return &connections{most: most, open: map[net.Conn]bool{}}
}

func (c *connections) state(conn net.Conn, s http.ConnState) {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch s {
	case http.StateNew:
		c.open[conn] = true
		// A client that has sent nothing yet is idle too.
		c.idle = append(c.idle, conn)
		if len(c.open) > c.most {
			// The connection that has been idle longest is closed, which may be the new one.
			victim := c.idle[0]
			c.forget(victim)
			delete(c.open, victim)
			_ = victim.Close()
		}
	case http.StateIdle:
		c.forget(conn)
		c.idle = append(c.idle, conn)
	case http.StateActive:
		c.forget(conn)
	case http.StateClosed, http.StateHijacked:
		c.forget(conn)
		delete(c.open, conn)
	}
}

func (c *connections) forget(conn net.Conn) {
	for i, other := range c.idle {
		if other == conn {
			c.idle = append(c.idle[:i], c.idle[i+1:]...)
			return
		}
	}
}
