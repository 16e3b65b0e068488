// Package compiled stores the built-in knowledge in the form that an audit reads. Parsing the YAML and the expressions of all rules at every start
// would take longer than the audit. Each part is one CBOR file below rules/compiled, encoded deterministically; `go generate ./...` writes them
// from the files that people edit.
package compiled

import (
	"fmt"
	"io"
	"io/fs"
	"sync"

	"github.com/fxamacker/cbor/v2"
)

// Dir is the folder of the parts, next to the files that they are made from.
const Dir = "compiled"

// Raw is an encoded value that is decoded when it is needed: of many platforms an audit reads one.
type Raw = cbor.RawMessage

// File returns the name of the file with a part.
func File(part string) string { return Dir + "/" + part + ".cbor" }

// Encode returns the encoded form of a value.
func Encode(v any) ([]byte, error) {
	mode, err := cbor.CoreDetEncOptions().EncMode()
	if err != nil {
		return nil, err
	}
	return mode.Marshal(v)
}

// Decode decodes into v, a pointer.
func Decode(data []byte, v any) error { return cbor.Unmarshal(data, v) }

// ReadPart decodes a part of the knowledge into v, a pointer. Errors: the file cannot be read, or does not fit v.
func ReadPart(knowledge fs.FS, part string, v any) error {
	data, err := fs.ReadFile(knowledge, File(part))
	if err != nil {
		return err
	}
	if err := cbor.Unmarshal(data, v); err != nil {
		return fmt.Errorf("%s: %w (go generate ./... writes it)", File(part), err)
	}
	return nil
}

// Piece is an encoded value in a part that is never decoded as a whole, because an audit needs few of its many values: Bytes
// at At.
type Piece struct {
	_         struct{} `cbor:",toarray"` // stored without field names
	At, Bytes int
}

// Decode decodes a piece of a part of the knowledge into v, a pointer. Errors are those of ReadPart.
func (p Piece) Decode(knowledge fs.FS, part string, v any) error {
	f, err := knowledge.Open(File(part))
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }()
	data, in := make([]byte, p.Bytes), f.(io.ReaderAt) // as the files of embed and of testing/fstest
	if _, err := in.ReadAt(data, int64(p.At)); err != nil {
		return err
	}
	return Decode(data, v)
}

// KeepDecoded returns the knowledge such that Part decodes each part once: an audit of one machine after the other reads the
// same ones. It may be used concurrently.
func KeepDecoded(knowledge fs.FS) fs.FS { return &kept{FS: knowledge, parts: map[string]any{}} }

type kept struct {
	fs.FS
	mu    sync.Mutex
	parts map[string]any
}

// ReadFile reads a file as the knowledge itself does.
func (k *kept) ReadFile(name string) ([]byte, error) { return fs.ReadFile(k.FS, name) }

// Part returns a decoded part of the knowledge, which must not be changed: Keep shares it. Errors are those of ReadPart.
func Part[T any](knowledge fs.FS, part string) (T, error) {
	var out T
	k, ok := knowledge.(*kept)
	if !ok {
		return out, ReadPart(knowledge, part, &out)
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if before, there := k.parts[part].(T); there {
		return before, nil
	}
	err := ReadPart(k.FS, part, &out)
	if err == nil {
		k.parts[part] = out
	}
	return out, err
}
