package platform

import (
	"reflect"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/memaudit/memaudit/internal/compiled"
	"github.com/memaudit/memaudit/internal/corpustest"
)

// TestRowsAreTheFiles: a platform reads the same from the artefact as from its file, whatever
// the processor.
func TestRowsAreTheFiles(t *testing.T) {
	k := corpustest.Rules(t)
	want, err := CompileRows(k)
	require.NoError(t, err)
	have, err := compiled.Part(k, RowPart)
	require.NoError(t, err)
	require.Equal(t, string(want), have, "go generate ./rules makes %s anew", compiled.File)
	for _, f := range platformFiles(t) {
		file, err := readRow(k, f.ID)
		require.NoError(t, err)
		compiled, err := findRow(k, f.ID)
		require.NoError(t, err)
		assert.Equal(t, file, compiled, f.ID)
	}
	none, err := findRow(k, "no-such")
	require.NoError(t, err)
	assert.Nil(t, none)
}

// TestEveryFieldIsCompiled: no field of a platform's file is left out, in use today or not.
func TestEveryFieldIsCompiled(t *testing.T) {
	for _, v := range []interface{ code(*compiled.Coding) }{&platformFile{}, &Document{}, &Author{}} {
		n := 0
		fill(reflect.ValueOf(v).Elem(), &n)
		w := compiled.NewWriter()
		v.code(w)
		have := reflect.New(reflect.TypeOf(v).Elem()).Interface().(interface{ code(*compiled.Coding) })
		r := compiled.NewReader(w.Written())
		have.code(r)
		require.NoError(t, r.Err())
		assert.Equal(t, v, have)
	}
}

// fill gives everything in a value a value of its own.
func fill(v reflect.Value, n *int) {
	*n++
	switch v.Kind() {
	case reflect.String:
		v.SetString(strconv.Itoa(*n))
	case reflect.Int:
		v.SetInt(int64(*n))
	case reflect.Float64:
		v.SetFloat(float64(*n) / 4)
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(v.Elem(), n)
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 2, 2))
		fill(v.Index(0), n)
		fill(v.Index(1), n)
	case reflect.Map:
		v.Set(reflect.MakeMap(v.Type()))
		key, value := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
		fill(key, n)
		fill(value, n)
		v.SetMapIndex(key, value)
	case reflect.Struct:
		for i := range v.NumField() {
			fill(v.Field(i), n)
		}
	default:
		panic("a field of kind " + v.Kind().String())
	}
}

// TestDamagedRows: an artefact that is cut within the rows is an error, and no platform with
// less in it; one whose lengths are not those of what follows too.
func TestDamagedRows(t *testing.T) {
	k := site(map[string]string{"platforms/site.yaml": sitePlatform + siteRecognised})
	whole, err := CompileRows(k)
	require.NoError(t, err)
	at := func(part []byte) fstest.MapFS {
		return fstest.MapFS{compiled.File: {Data: compiled.Join(map[string][]byte{RowPart: part})}}
	}
	p, err := loadPlatform(at(whole), "site", "A Small One")
	require.NoError(t, err)
	assert.Equal(t, 1, p.ChannelsPerSocket)
	assert.Len(t, p.Documents, 2)
	for n := range whole {
		_, err := loadPlatform(at(whole[:n]), "site", "")
		require.ErrorContains(t, err, "is damaged", n)
	}
	w := compiled.NewWriter()
	(&rowTable{ids: []string{"site"}, rows: []int{-1}}).code(w)
	_, err = findRow(at([]byte(w.Written())), "site")
	require.Error(t, err)
	k[makersFile] = &fstest.MapFile{Data: []byte("OWN\n")}
	_, err = CompileRows(k)
	require.ErrorContains(t, err, makersFile)
	_, err = CompileRows(fstest.MapFS{"platforms/site.yaml": {Data: []byte(strings.TrimSuffix(sitePlatform, "\n"))}})
	require.Error(t, err)
}
