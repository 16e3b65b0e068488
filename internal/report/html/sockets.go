package html

import (
	"slices"
	"strconv"
	"strings"

	"github.com/memaudit/memaudit/internal/report"
	"github.com/memaudit/memaudit/internal/report/wording"
)

func socketTitle(id int) string {
	if id == wording.NoSocket {
		return "memory of all processors"
	}
	return "socket " + strconv.Itoa(id)
}

// socketTitles names sockets of which the same is said: "sockets 0-3".
func socketTitles(ids []int) string {
	if slices.Contains(ids, wording.NoSocket) {
		return socketTitle(wording.NoSocket)
	}
	names := make([]string, len(ids))
	for i, id := range ids {
		names[i] = socketTitle(id)
	}
	return strings.Join(wording.Subjects(names), ", ")
}

// alikeNumbers groups the numbers below n by what is said of them, in the order of the first.
func alikeNumbers(n int, says func(int) string) [][]int {
	var out [][]int
	at := map[string]int{}
	for i := range n {
		key := says(i)
		if group, seen := at[key]; seen {
			out[group] = append(out[group], i)
			continue
		}
		at[key] = len(out)
		out = append(out, []int{i})
	}
	return out
}

func (p *pageWriter) population(id int) *report.PopulationSocket {
	for i := range p.r.Inventory.Population.Sockets {
		if s := &p.r.Inventory.Population.Sockets[i]; wording.SocketID(s.Socket) == id {
			return s
		}
	}
	return nil
}
