package text

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"

	"memaudit.example/memaudit/internal/model/humanize"
	"memaudit.example/memaudit/internal/topology/population"
)

// slashed joins numbers with '/', with '?' for an unknown one; "" if none is known.
func slashed(numbers ...string) string {
	known := strings.Join(numbers, "") != ""
	for i := range numbers {
		numbers[i] = cmp.Or(numbers[i], "?")
	}
	if !known {
		return ""
	}
	return strings.Join(numbers, "/")
}

func joined(values []int) string {
	return strings.Trim(fmt.Sprint(values), "[]")
}

// regionText lists interleave regions: "8 GiB x2, 4 GiB x1".
func regionText(regions []population.Region) string {
	parts := make([]string, len(regions))
	for i, r := range regions {
		parts[i] = humanize.Size(r.Bytes) + " x" + strconv.Itoa(r.Ways)
	}
	return strings.Join(parts, ", ")
}
