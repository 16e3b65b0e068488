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
