// Package yaml stands in for go.yaml.in/yaml/v2, with which exporter-toolkit and
// prometheus/common read the file of --web.config.file: memaudit reads YAML with version
// 3 everywhere, and a second parser would cost 0.2 MB and every start its patterns. Only
// what they call is here. Version 3 still asks a type's UnmarshalYAML in version 2's form,
// refuses keys that stand twice, and takes yes and no where a bool is wanted.
package yaml

import (
	"bytes"
	"errors"
	"io"

	"go.yaml.in/yaml/v3"
)

// Marshal writes a value as YAML.
func Marshal(value any) ([]byte, error) { return yaml.Marshal(value) }

// UnmarshalStrict reads the first document of a text into what out points to, and
// refuses keys that it has no field for. An empty text leaves out as it is.
func UnmarshalStrict(text []byte, out any) error {
	d := yaml.NewDecoder(bytes.NewReader(text))
	d.KnownFields(true)
	if err := d.Decode(out); !errors.Is(err, io.EOF) {
		return err
	}
	return nil
}
