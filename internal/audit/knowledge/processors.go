package knowledge

import (
	"bufio"
	"bytes"
	"fmt"
	"strconv"
	"strings"

	"memaudit.example/memaudit/internal/model/datafile"
)

const columns = "#key,vendor,number,codename,cores,threads,smt,turbo,channels,max_mts,max_mts_2dpc,how,source"

// longest limits a row, because the table is searched by bisection.
const longest = 512

func checkProcessors(name string, data []byte) datafile.Complaints {
	var out datafile.Complaints
	last, at := "", 0
	for scan := bufio.NewScanner(bytes.NewReader(data)); scan.Scan(); {
		at++
		if at == 1 {
			if scan.Text() != columns {
				return datafile.Complaints{datafile.OfFile(name, "expected the columns "+columns)}
			}
			continue
		}
		if text := processorFault(scan.Text(), last); text != "" {
			out = append(out, datafile.Complaint{File: name, Line: at, Column: 1, Text: text})
		}
		last, _, _ = strings.Cut(scan.Text(), ",")
	}
	if at == 0 {
		out = append(out, datafile.OfFile(name, "an empty file, expected the columns "+columns))
	}
	return out
}

func processorFault(row, last string) string {
	cells, want := strings.Split(row, ","), strings.Count(columns, ",")+1
	switch {
	case len(cells) != want || strings.Contains(row, `"`):
		return fmt.Sprintf("%d cells, expected %d without quotes", len(cells), want)
	case len(row) >= longest:
		return fmt.Sprintf("%d characters, expected fewer than %d", len(row), longest)
	case cells[0] != strings.ToLower(cells[0]) || cells[0] == "":
		return fmt.Sprintf("key %q, expected the name in small letters", cells[0])
	case cells[0] <= last:
		return fmt.Sprintf("key %q after %q: rows are in the order of their keys, each key once", cells[0], last)
	case cells[len(cells)-1] == "":
		return cells[0] + ": the source is missing"
	}
	for _, i := range []int{4, 5, 8, 9, 10} {
		if n, err := strconv.Atoi(cells[i]); cells[i] != "" && (err != nil || n <= 0) {
			return fmt.Sprintf("%s: %s is %q, expected a number or nothing", cells[0], strings.Split(columns, ",")[i], cells[i])
		}
	}
	return ""
}
