package platform

import (
	"bytes"
	"compress/flate"
	"fmt"
	"io"
	"io/fs"
	"strconv"
	"strings"

	"github.com/memaudit/memaudit/internal/compiled"
)

// ProcessorPart is the part of the compiled knowledge that holds the processor table,
// packed: an eighth of its room. Its head has a line for each chunk of rows, with the
// key of the first and the chunk's size; an empty line ends it. An audit unpacks one.
const ProcessorPart = "processors"

// rowsOfChunk weighs what one look into the table unpacks against what all chunks take.
const rowsOfChunk = 64

// CompileProcessors makes ProcessorPart from the table.
func CompileProcessors(k fs.FS) ([]byte, error) {
	raw, err := fs.ReadFile(k, processorTable)
	if err != nil {
		return nil, err
	}
	_, table, _ := strings.Cut(string(raw), "\n")
	var head, body bytes.Buffer
	for table != "" {
		end := endOfRows(table, rowsOfChunk)
		before := body.Len()
		w, err := flate.NewWriter(&body, flate.BestCompression)
		if err == nil {
			_, err = io.WriteString(w, table[:end])
		}
		if err == nil {
			err = w.Close()
		}
		if err != nil {
			return nil, err
		}
		key, _, _ := strings.Cut(table, ",")
		fmt.Fprintf(&head, "%s\t%d\n", key, body.Len()-before)
		table = table[end:]
	}
	head.WriteByte('\n')
	return append(head.Bytes(), body.Bytes()...), nil
}

// endOfRows is where the first rows of a table end.
func endOfRows(table string, rows int) int {
	at := 0
	for range rows {
		next := strings.IndexByte(table[at:], '\n')
		if next < 0 {
			return len(table)
		}
		at += next + 1
	}
	return at
}

// packedRow finds a key's row in the compiled table; known is false where the knowledge
// has no such part, as with a site's own processors.
func packedRow(k fs.FS, key string) (row string, known bool) {
	part, err := compiled.Part(k, ProcessorPart)
	if err != nil {
		return "", false
	}
	head, body, _ := strings.Cut(part, "\n\n")
	chunk, from := "", 0
	for line := range strings.SplitSeq(head, "\n") {
		first, number, _ := strings.Cut(line, "\t")
		size, err := strconv.Atoi(number)
		if err != nil || size < 0 || size > len(body)-from {
			return "", false
		}
		if first > key {
			break
		}
		chunk = body[from : from+size]
		from += size
	}
	if chunk == "" {
		return "", true
	}
	rows := lastChunk.of(chunk, unpacked)
	return rowOfKey(rows, key), rows != ""
}

// lastChunk is the chunk of the table that was unpacked last.
var lastChunk lastMade[string]

// unpacked are the rows of a chunk, "" of a damaged one.
func unpacked(chunk string) string {
	text, err := io.ReadAll(flate.NewReader(strings.NewReader(chunk)))
	if err != nil {
		return ""
	}
	return string(text)
}

// rowOfKey is the row of a key, "" without.
func rowOfKey(rows, key string) string {
	for line := range strings.SplitSeq(rows, "\n") {
		if have, _, _ := strings.Cut(line, ","); have == key {
			return line
		}
	}
	return ""
}
