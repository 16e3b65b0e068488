package html

import (
	"strconv"

	"github.com/memaudit/memaudit/internal/report"
)

// offSocket stands for memory behind a controller outside the processors.
const offSocket = -1

func socketOf(socket *int) int {
	if socket == nil {
		return offSocket
	}
	return *socket
}

func socketTitle(id int) string {
	if id == offSocket {
		return "memory of all processors"
	}
	return "socket " + strconv.Itoa(id)
}

func (p *page) population(id int) *report.PopulationSocket {
	for i := range p.r.Inventory.Population.Sockets {
		if s := &p.r.Inventory.Population.Sockets[i]; socketOf(s.Socket) == id {
			return s
		}
	}
	return nil
}
