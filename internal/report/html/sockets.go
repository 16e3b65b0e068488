package html

import (
	"github.com/memaudit/memaudit/internal/model/prose"
	"github.com/memaudit/memaudit/internal/report"
	"github.com/memaudit/memaudit/internal/report/wording"
)

// names names processors: "CPU1 and CPU2".
func (p *pageWriter) names(ids []int) string {
	names := make([]string, len(ids))
	for i, id := range ids {
		if names[i] = p.r.Inventory.SocketName(id); id == wording.NoSocket {
			names[i] = "all processors"
		}
	}
	return prose.And(names)
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
