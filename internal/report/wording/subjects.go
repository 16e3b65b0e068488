package wording

import (
	"slices"
	"strconv"
	"strings"

	"github.com/memaudit/memaudit/internal/report"
)

// Subjects brings numbered subjects of one kind together: "sockets 0-3".
func Subjects(subjects []string) []string {
	numbers := map[string][]int{}
	var out []string
	for _, s := range subjects {
		kind, rest, _ := strings.Cut(s, " ")
		n, err := strconv.Atoi(rest)
		if err != nil || n < 0 {
			out = append(out, s)
			continue
		}
		if numbers[kind] == nil {
			out = append(out, kind)
		}
		numbers[kind] = append(numbers[kind], n)
	}
	for i, kind := range out {
		if list := numbers[kind]; list != nil {
			slices.Sort(list)
			if len(list) > 1 {
				kind += "s"
			}
			out[i] = kind + " " + report.CPUList(list)
		}
	}
	return out
}

// NoSocket stands for memory behind a controller outside the processors.
const NoSocket = -1

// SocketID is a socket's number, NoSocket where the report gives none.
func SocketID(socket *int) int {
	if socket == nil {
		return NoSocket
	}
	return *socket
}
