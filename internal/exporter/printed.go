package exporter

import (
	"bytes"
	"compress/flate"
	"encoding/binary"
	"hash/crc32"
	"sync"

	"github.com/memaudit/memaudit/internal/report/metrics"
)

// exposition is a format of the metrics.
type exposition struct {
	kind string
	as   metrics.Exposition
	end  string
}

// expositions in the order in which they are preferred: text for whoever takes
// anything.
var expositions = [...]exposition{
	{"text/plain; version=0.0.4; charset=utf-8", metrics.Text, ""},
	{"application/openmetrics-text; version=1.0.0; charset=utf-8", metrics.OpenMetrics, metrics.OpenMetricsEnd},
}

// printed is one audit's metrics in one format. Between two audits they do not
// change, so that a scrape compresses nothing but the few lines about the process.
type printed struct {
	plain []byte
	// deflated gives plain as deflate blocks (RFC 1951) that end at a byte, none
	// of them the last; it is made for the first client that wants it.
	deflated func() []byte
}

func newPrinted(families []metrics.Family, as metrics.Exposition) *printed {
	p := &printed{plain: metrics.Append(nil, families, as)}
	p.deflated = sync.OnceValue(p.deflate)
	return p
}

func (p *printed) deflate() []byte {
	var out bytes.Buffer
	w, err := flate.NewWriter(&out, flate.DefaultCompression)
	if err != nil {
		panic(err) // the level is one of those there are
	}
	_, _ = w.Write(p.plain) // into memory
	_ = w.Flush()
	return bytes.Clone(out.Bytes())
}

// gzipHead begins a member of a gzip file (RFC 1952, 2.3): deflate, no name, no
// time, any system.
var gzipHead = [...]byte{0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255}

// gzipped is plain followed by more, as a gzip file: what was compressed before,
// then more as a last block that is stored as it is (RFC 1951, 3.2.4), then the
// checksum and the length of both. more has less than 64 KiB.
func (p *printed) gzipped(more []byte) []byte {
	body := p.deflated()
	length := uint16(len(more))
	out := make([]byte, 0, len(gzipHead)+len(body)+len(more)+13)
	out = append(append(out, gzipHead[:]...), body...)
	out = append(out, 1) // last block, stored
	out = binary.LittleEndian.AppendUint16(out, length)
	out = binary.LittleEndian.AppendUint16(out, ^length)
	out = append(out, more...)
	out = binary.LittleEndian.AppendUint32(out, crc32.Update(crc32.ChecksumIEEE(p.plain), crc32.IEEETable, more))
	return binary.LittleEndian.AppendUint32(out, uint32(len(p.plain)+len(more)))
}
