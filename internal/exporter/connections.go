package exporter

import (
	"net"
	"net/http"
	"sync"
)

// maxConnections is how many clients may be connected at one time. Each costs
// some 20 KB, and nobody scrapes one machine from so many places.
const maxConnections = 256

// connections bounds the connections of a server: one more than there may be
// takes the place of the one that has been idle longest, and is refused when
// all are at work.
type connections struct {
	most int
	mu   sync.Mutex
	// open holds the state of each; idle are the idle ones, longest first.
	open map[net.Conn]bool
	idle []net.Conn
}

func newConnections(most int) *connections {
	return &connections{most: most, open: map[net.Conn]bool{}}
}

// state is http.Server.ConnState.
func (c *connections) state(conn net.Conn, s http.ConnState) {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch s {
	case http.StateNew:
		c.open[conn] = true
		// A client that says nothing is as idle as one that said something once.
		c.idle = append(c.idle, conn)
		if len(c.open) > c.most {
			c.makeRoom()
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

// makeRoom closes the connection that has been idle longest, which may be the
// new one: it is idle as well. The server hears of it and reports it as closed.
func (c *connections) makeRoom() {
	victim := c.idle[0]
	c.forget(victim)
	delete(c.open, victim)
	_ = victim.Close()
}

// forget takes a connection off the list of the idle.
func (c *connections) forget(conn net.Conn) {
	for i, other := range c.idle {
		if other == conn {
			c.idle = append(c.idle[:i], c.idle[i+1:]...)
			return
		}
	}
}
