package rulepack

import (
	"encoding/binary"
	"errors"
	"maps"
	"math"
	"slices"

	"github.com/memaudit/memaudit/internal/slab"
)

// The built-in rules are compiled ahead of time: parsing YAML and CEL of every
// rule at each start would cost more than the audit itself. A blob is a table
// of strings and a stream of numbers; the strings alias the blob when read.

var errBlob = errors.New("compiled rules are damaged: go generate ./... makes them again")

// blobWriter collects numbers and strings.
type blobWriter struct {
	body    []byte
	strings []string
	index   map[string]uint64
}

func newBlobWriter() *blobWriter { return &blobWriter{index: map[string]uint64{}} }

func (w *blobWriter) uint(n uint64) { w.body = binary.AppendUvarint(w.body, n) }
func (w *blobWriter) int(n int64)   { w.body = binary.AppendVarint(w.body, n) }
func (w *blobWriter) float(f float64) {
	w.body = binary.LittleEndian.AppendUint64(w.body, math.Float64bits(f))
}

func (w *blobWriter) bool(b bool) {
	if b {
		w.uint(1)
		return
	}
	w.uint(0)
}

// text writes the number of a string.
func (w *blobWriter) text(s string) {
	n, ok := w.index[s]
	if !ok {
		n = uint64(len(w.strings))
		w.index[s] = n
		w.strings = append(w.strings, s)
	}
	w.uint(n)
}

func (w *blobWriter) texts(list []string) {
	w.uint(uint64(len(list)))
	for _, s := range list {
		w.text(s)
	}
}

// bytes is the string table followed by the body.
func (w *blobWriter) bytes() []byte {
	out := binary.AppendUvarint(nil, uint64(len(w.strings)))
	for _, s := range w.strings {
		out = binary.AppendUvarint(out, uint64(len(s)))
	}
	for _, s := range w.strings {
		out = append(out, s...)
	}
	return append(out, w.body...)
}

// blobReader reads what a blobWriter wrote; a damaged blob sets err and gives
// zero values from there on.
type blobReader struct {
	body    string
	strings []string
	err     error
	// lists keeps the texts of many lists beside each other.
	lists slab.Of[string]
}

func newBlobReader(data string) *blobReader {
	r := &blobReader{body: data}
	count := r.uint()
	if count > uint64(len(data)) {
		r.err = errBlob
		return r
	}
	lengths := blobReader{body: r.body} // read twice: kept, they would be half as large as the strings' heads
	var total uint64
	for range count {
		total += min(r.uint(), uint64(len(data))+1) // so that the sum cannot wrap
	}
	if r.err != nil || total > uint64(len(r.body)) {
		r.err = errBlob
		return r
	}
	all := r.body[:total]
	r.body = r.body[total:]
	r.strings = make([]string, count)
	for i := range r.strings {
		n := lengths.uint()
		r.strings[i], all = all[:n], all[n:]
	}
	return r
}

// fail ends the reading: nothing is left.
func (r *blobReader) fail() { r.err, r.body = errBlob, "" }

// front is what the next number is in.
func (r *blobReader) front() []byte { return []byte(r.body[:min(len(r.body), binary.MaxVarintLen64)]) }

func (r *blobReader) uint() uint64 {
	n, size := binary.Uvarint(r.front())
	if size <= 0 {
		r.fail()
		return 0
	}
	r.body = r.body[size:]
	return n
}

// count reads a length that cannot exceed what is left.
func (r *blobReader) count() int {
	n := r.uint()
	if n > uint64(len(r.body)) {
		r.fail()
		return 0
	}
	return int(n)
}

func (r *blobReader) int() int64 {
	n, size := binary.Varint(r.front())
	if size <= 0 {
		r.fail()
		return 0
	}
	r.body = r.body[size:]
	return n
}

func (r *blobReader) float() float64 {
	if len(r.body) < 8 {
		r.fail()
		return 0
	}
	f := math.Float64frombits(binary.LittleEndian.Uint64([]byte(r.body[:8])))
	r.body = r.body[8:]
	return f
}

func (r *blobReader) bool() bool { return r.uint() == 1 }

func (r *blobReader) text() string {
	n := r.uint()
	if n >= uint64(len(r.strings)) {
		r.err = errBlob
		return ""
	}
	return r.strings[n]
}

func (r *blobReader) texts() []string {
	n := r.count()
	if n == 0 {
		return nil
	}
	out := r.lists.Slice(n)
	for i := range out {
		out[i] = r.text()
	}
	return out
}

func sortedKeys(m map[string]string) []string {
	return slices.Sorted(maps.Keys(m))
}
