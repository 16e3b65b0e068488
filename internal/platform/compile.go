package platform

import (
	"bytes"
	"cmp"
	"fmt"
	"io/fs"
	"strconv"
	"strings"

	yaml "go.yaml.in/yaml/v3"

	"github.com/memaudit/memaudit/internal/arrange"
)

// wholePlatformFile is both documents of a platform file.
type wholePlatformFile struct {
	platformFile
	recogniseFile
}

// readFiles reads every platform file, those that take what no other platform
// does last. An unknown key is an error.
func readFiles(k fs.FS) ([]wholePlatformFile, error) {
	names, err := fs.Glob(k, "platforms/*.yaml")
	if err != nil {
		return nil, err
	}
	files := make([]wholePlatformFile, 0, len(names))
	for _, name := range names {
		raw, err := fs.ReadFile(k, name)
		if err != nil {
			return nil, err
		}
		var f wholePlatformFile
		d := yaml.NewDecoder(bytes.NewReader(raw))
		d.KnownFields(true)
		if err := d.Decode(&f.platformFile); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		if err := d.Decode(&f.recogniseFile); err != nil {
			return nil, fmt.Errorf("%s: how the platform is recognised: %w", name, err)
		}
		if want := "platforms/" + f.ID + ".yaml"; name != want {
			return nil, fmt.Errorf("%s: the platform's id is %q, expected in %s", name, f.ID, want)
		}
		files = append(files, f)
	}
	arrange.Stably(files, func(a, b wholePlatformFile) int { return cmp.Compare(orderOfRest(a.Rest), orderOfRest(b.Rest)) })
	return files, nil
}

// orderOfRest puts what takes the rest after the others.
func orderOfRest(rest bool) int {
	if rest {
		return 1
	}
	return 0
}

// Compile makes Part from the platform files.
func Compile(k fs.FS) ([]byte, error) {
	files, err := readFiles(k)
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	for i := range files {
		for j := range files[i].Recognise {
			out.WriteString(strings.Join(files[i].Recognise[j].columns(files[i].ID, files[i].Rest), "\t") + "\n")
		}
	}
	return out.Bytes(), nil
}

// columns are those of an indexRow, in its order.
func (r *recogniseRow) columns(id string, takesRest bool) []string {
	num := func(n *int) string {
		if n == nil {
			return ""
		}
		return strconv.Itoa(*n)
	}
	var steps []string
	for _, s := range r.Stepping {
		steps = append(steps, strconv.Itoa(s))
	}
	state, rest, sockets := "ok", "", ""
	if !orTrue(r.Verified) {
		state = "unverified"
	}
	if takesRest {
		rest = "rest"
	}
	if r.Sockets > 0 {
		sockets = strconv.Itoa(r.Sockets)
	}
	return []string{id, r.Vendor, num(r.Family), num(r.Model), strings.Join(steps, ","),
		state, r.Brand, r.Product, r.Memory, r.Codename, rest, sockets}
}
