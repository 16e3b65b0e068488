// Package yaml stands in for gopkg.in/yaml.v3, which ghw asks to print its answers as
// YAML: memaudit links go.yaml.in/yaml/v3, the same code under the name by which it is
// kept up, and a second copy would cost every start its patterns. Only what ghw calls is here.
package yaml

import "go.yaml.in/yaml/v3"

// Marshal writes a value as YAML.
func Marshal(value any) ([]byte, error) { return yaml.Marshal(value) }

// Unmarshal reads the first document of a text into what out points to.
func Unmarshal(text []byte, out any) error { return yaml.Unmarshal(text, out) }
