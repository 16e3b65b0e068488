package rules

import (
	"bytes"
	"compress/flate"
	_ "embed" // the artefact
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/memaudit/memaudit/internal/compiled"
)

//go:embed compiled.bin
var compiledText string

// artefact is the compiled knowledge alone.
type artefact struct{}

// Compiled is compiled.bin as one text, which is read without a copy.
func (artefact) Compiled() string { return compiledText }

// Open implements fs.FS.
func (artefact) Open(name string) (fs.File, error) {
	return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
}

// PackedPart is the part of the compiled knowledge that holds the files that are rarely read, a
// compressed stream a folder, so that a change of one leaves the other folders' bytes as they
// are. Each stream has a line a file (its size and name) and one of its own (its packed
// size); an empty line ends them, and the streams follow.
const PackedPart = "files"

// archive is what the head of the part says.
type archive struct {
	files   []packedFile // in the order of their names within a folder
	streams []func() string
}

// packedFile is a file's place in its unpacked stream.
type packedFile struct {
	name           string
	stream         int
	from, to, size int
}

// packedFiles reads the head when a packed file is first asked for. An artefact that is damaged
// was never built: a test checks it against the files.
var packedFiles = sync.OnceValue(func() *archive {
	part, err := compiled.Part(artefact{}, PackedPart)
	a := &archive{}
	if err != nil {
		return a
	}
	head, body, _ := strings.Cut(part, "\n\n")
	at := 0
	for line := range strings.SplitSeq(head, "\n") {
		number, name, ofFile := strings.Cut(line, " ")
		size, err := strconv.Atoi(number)
		switch {
		case err != nil || size < 0 || !ofFile && size > len(body):
			return a
		case ofFile:
			a.files = append(a.files, packedFile{name, len(a.streams), at, at + size, size})
			at += size
		default:
			stream := body[:size]
			a.streams = append(a.streams, sync.OnceValue(func() string { return inflated(stream) }))
			body, at = body[size:], 0
		}
	}
	return a
})

func inflated(stream string) string {
	var out strings.Builder
	if _, err := io.Copy(&out, flate.NewReader(strings.NewReader(stream))); err != nil {
		return ""
	}
	return out.String()
}

// unpacked is what a packed file holds.
func unpacked(name string) (string, error) {
	a := packedFiles()
	at := slices.IndexFunc(a.files, func(f packedFile) bool { return f.name == name })
	if at < 0 {
		return "", fs.ErrNotExist
	}
	f := &a.files[at]
	text := a.streams[f.stream]()
	if f.to > len(text) {
		return "", fmt.Errorf("%s is damaged; go generate ./rules makes it again", compiled.File)
	}
	return text[f.from:f.to], nil
}

// packedEntries are the packed files and the folders of such in a folder.
func packedEntries(dir string) []fs.DirEntry {
	var out []fs.DirEntry
	for _, f := range packedFiles().files {
		folder, base := path.Split(f.name)
		folder = path.Clean(folder)
		switch {
		case folder == dir:
			out = append(out, fs.FileInfoToDirEntry(fileInfo{base, int64(f.size), 0o444}))
		case dir == "." && (len(out) == 0 || out[len(out)-1].Name() != folder):
			out = append(out, fs.FileInfoToDirEntry(fileInfo{folder, 0, fs.ModeDir | 0o555}))
		}
	}
	return out
}

// Pack makes that part of a folder of rules: of its data files those that are not embedded as they are.
func Pack(dir fs.FS) ([]byte, error) {
	var head, body bytes.Buffer
	names, err := rareFiles(dir)
	for from := 0; err == nil && from < len(names); {
		to := from
		var text bytes.Buffer
		for ; err == nil && to < len(names) && path.Dir(names[to]) == path.Dir(names[from]); to++ {
			var data []byte
			data, err = fs.ReadFile(dir, names[to])
			text.Write(data)
			fmt.Fprintf(&head, "%d %s\n", len(data), names[to])
		}
		before := body.Len()
		if err == nil {
			err = deflate(&body, text.Bytes())
		}
		fmt.Fprintf(&head, "%d\n", body.Len()-before)
		from = to
	}
	return append(append(head.Bytes(), '\n'), body.Bytes()...), err
}

func deflate(to io.Writer, text []byte) error {
	w, err := flate.NewWriter(to, flate.BestCompression)
	if err == nil {
		_, err = w.Write(text)
	}
	if err == nil {
		err = w.Close()
	}
	return err
}

// plainTables are read by audits as they are, as slots/ is.
var plainTables = [...]string{"platforms/modules.tsv", "platforms/observed-speeds.tsv", "settings/vocabulary.tsv", "settings/includes.tsv"}

// withTables is a file that lies in the part of the settings' tables, each vendor's rows with its table.
const withTables = "settings/spellings.tsv"

var errWithTables = errors.New("it lies with the settings' compiled tables, not by itself")

// rareFiles are the data files that are not embedded as they are, by folder and name.
func rareFiles(dir fs.FS) ([]string, error) {
	var out []string
	for _, pattern := range []string{"*.csv", "*.schema.json", "*/*.yaml", "*/*.tsv"} {
		names, err := fs.Glob(dir, pattern)
		if err != nil {
			return nil, err
		}
		out = append(out, names...)
	}
	out = slices.DeleteFunc(out, func(name string) bool {
		return path.Dir(name) == "slots" || name == withTables || slices.Contains(plainTables[:], name)
	})
	slices.SortFunc(out, func(a, b string) int {
		if c := strings.Compare(path.Dir(a), path.Dir(b)); c != 0 {
			return c
		}
		return strings.Compare(a, b)
	})
	return out, nil
}

// textFile is an open file that was packed.
type textFile struct {
	*strings.Reader
	info fileInfo
}

func (f *textFile) Stat() (fs.FileInfo, error) { return f.info, nil }
func (f *textFile) Close() error               { return nil }

// folder is an open folder.
type folder struct {
	name string
	rest []fs.DirEntry
}

func (f *folder) Stat() (fs.FileInfo, error) {
	return fileInfo{path.Base(f.name), 0, fs.ModeDir | 0o555}, nil
}
func (f *folder) Close() error { return nil }
func (f *folder) Read([]byte) (int, error) {
	return 0, &fs.PathError{Op: "read", Path: f.name, Err: fs.ErrInvalid}
}

// ReadDir implements fs.ReadDirFile.
func (f *folder) ReadDir(n int) ([]fs.DirEntry, error) {
	if n <= 0 || n > len(f.rest) {
		if n > 0 && len(f.rest) == 0 {
			return nil, io.EOF
		}
		n = len(f.rest)
	}
	out := f.rest[:n]
	f.rest = f.rest[n:]
	return out, nil
}

// fileInfo describes a file or a folder.
type fileInfo struct {
	name string
	size int64
	mode fs.FileMode
}

func (i fileInfo) Name() string       { return i.name }
func (i fileInfo) Size() int64        { return i.size }
func (i fileInfo) Mode() fs.FileMode  { return i.mode }
func (i fileInfo) ModTime() time.Time { return time.Time{} }
func (i fileInfo) IsDir() bool        { return i.mode.IsDir() }
func (i fileInfo) Sys() any           { return nil }
