package compiled

import (
	"errors"
	"io/fs"
	"runtime"
	"strings"
	"testing"
	"testing/fstest"
)

func TestParts(t *testing.T) {
	whole := Join(map[string][]byte{"b": []byte("two\n\nlines"), "a": {}, "c": []byte("3")})
	at := fstest.MapFS{File: {Data: whole}}
	for name, want := range map[string]string{"a": "", "b": "two\n\nlines", "c": "3"} {
		for _, from := range []fs.FS{at, embedded(whole)} {
			if got, err := Part(from, name); err != nil || got != want {
				t.Errorf("%s of %T: %q, %v, expected %q", name, from, got, err, want)
			}
		}
	}
	if _, err := Part(at, "d"); err == nil || !strings.Contains(err.Error(), `no part "d"`) {
		t.Errorf("%v, expected that there is no such part", err)
	}
	if _, err := Part(fstest.MapFS{}, "a"); err == nil || !strings.Contains(err.Error(), "file does not exist") {
		t.Errorf("%v, expected that there is no file", err)
	}
	for n := range whole {
		if _, err := Part(fstest.MapFS{File: {Data: whole[:n]}}, "b"); !errors.Is(err, errDamaged) {
			t.Errorf("cut at %d: %v, expected that it is damaged", n, err)
		}
		if _, err := Part(embedded(whole[:n]), "b"); err == nil {
			t.Errorf("a text that is cut at %d is read", n)
		}
	}
	if _, err := Part(fstest.MapFS{File: {Data: append(whole, 'x')}}, "b"); !errors.Is(err, errDamaged) {
		t.Errorf("%v, expected that it is damaged: something follows the last part", err)
	}
}

// TestPartAlone: a part costs its own bytes, not the file's.
func TestPartAlone(t *testing.T) {
	small := []byte("a few bytes")
	whole := fstest.MapFS{File: {Data: Join(map[string][]byte{"large": make([]byte, 1<<20), "small": small})}}
	for name, at := range map[string]fs.FS{"at any place": whole, "in order alone": inOrder{whole}} {
		if got, err := Part(at, "small"); err != nil || got != string(small) {
			t.Errorf("%s: %q, %v, expected %q", name, got, err, small)
		}
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for range 100 {
		_, _ = Part(whole, "small")
	}
	runtime.ReadMemStats(&after)
	if each := (after.TotalAlloc - before.TotalAlloc) / 100; each >= 16<<10 {
		t.Errorf("a part takes %d bytes, expected less than 16 KiB", each)
	}
}

// TestPartOfText: of an artefact that is one text a part costs nothing.
func TestPartOfText(t *testing.T) {
	whole := embedded(Join(map[string][]byte{"large": make([]byte, 1<<20), "small": []byte("a few bytes")}))
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	got, err := Part(whole, "large")
	runtime.ReadMemStats(&after)
	if err != nil || len(got) != 1<<20 {
		t.Errorf("%d bytes, %v, expected 1 MiB", len(got), err)
	}
	if taken := after.TotalAlloc - before.TotalAlloc; taken >= 16<<10 {
		t.Errorf("a part takes %d bytes, expected less than 16 KiB", taken)
	}
}

// embedded is an artefact that is one text.
type embedded string

func (e embedded) Compiled() string { return string(e) }

// Open implements fs.FS: there is no file.
func (embedded) Open(string) (fs.File, error) { return nil, fs.ErrNotExist }

// inOrder opens files that can be read from their beginning alone.
type inOrder struct{ fs.FS }

func (i inOrder) Open(name string) (fs.File, error) {
	file, err := i.FS.Open(name)
	return struct{ fs.File }{file}, err
}

// TestReadText: a file that is a text already is that text, any other is opened.
func TestReadText(t *testing.T) {
	k := withText{fstest.MapFS{"a": {Data: []byte("opened")}, "b": {Data: []byte("opened")}}}
	for name, want := range map[string]string{"a": "there", "b": "opened"} {
		if have, err := ReadText(k, name); err != nil || have != want {
			t.Errorf("%s: %q, %v, expected %q", name, have, err, want)
		}
	}
	if _, err := ReadText(k, "c"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%v, expected that there is no file", err)
	}
	if have, err := ReadText(k.FS, "a"); err != nil || have != "opened" {
		t.Errorf("%q, %v, expected what is opened", have, err)
	}
}

type withText struct{ fs.FS }

func (withText) Text(name string) (string, bool) { return "there", name == "a" }
