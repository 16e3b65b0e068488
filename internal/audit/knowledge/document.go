package knowledge

import (
	"bytes"
	"errors"
	"io"
	"io/fs"

	"go.yaml.in/yaml/v3"

	"github.com/memaudit/memaudit/internal/model/humanize"
)

// itemsOf returns the items of a list.
func itemsOf(n *yaml.Node) []*yaml.Node {
	if n == nil {
		return nil
	}
	out := make([]*yaml.Node, len(n.Content))
	for i, item := range n.Content {
		out[i] = resolveAlias(item)
	}
	return out
}

func mappingOfFile(k fs.FS, file string) map[string]*yaml.Node {
	raw, err := fs.ReadFile(k, file)
	if err != nil {
		return nil
	}
	docs, bad := documents(file, raw)
	if bad != nil {
		return nil
	}
	return pairs(docs[0])
}

func orEmpty(n *yaml.Node) *yaml.Node {
	if n == nil {
		return &yaml.Node{}
	}
	return n
}

// documents parses the documents of a YAML file. Decoding each as values as well rejects an anchor that
// contains itself.
func documents(name string, data []byte) ([]*yaml.Node, *Fault) {
	var out []*yaml.Node
	for dec := yaml.NewDecoder(bytes.NewReader(data)); ; {
		var doc yaml.Node
		var values any
		err := dec.Decode(&doc)
		if errors.Is(err, io.EOF) && len(out) > 0 {
			return out, nil
		}
		if err == nil {
			err = doc.Decode(&values)
		}
		if err != nil {
			return nil, yamlFault(name, err)
		}
		out = append(out, doc.Content[0])
	}
}

// yamlFault converts an error of the YAML parser to one with a position.
func yamlFault(name string, err error) *Fault {
	if errors.Is(err, io.EOF) {
		return &Fault{name, 1, 1, "nothing in it, expected rules, profiles or other knowledge"}
	}
	line, text := humanize.YAMLError(err.Error())
	return &Fault{name, max(line, 1), 1, text}
}

// pairs returns a mapping's values by key, including merged ones.
func pairs(n *yaml.Node) map[string]*yaml.Node {
	out, merged := map[string]*yaml.Node{}, map[string]*yaml.Node{}
	if n = resolveAlias(n); n.Kind != yaml.MappingNode {
		return out
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		if n.Content[i].Tag == "!!merge" {
			for _, m := range mergedIn(n.Content[i+1]) {
				for k, v := range pairs(m) {
					if merged[k] == nil {
						merged[k] = v
					}
				}
			}
			continue
		}
		out[n.Content[i].Value] = resolveAlias(n.Content[i+1])
	}
	for k, v := range merged {
		if out[k] == nil {
			out[k] = v
		}
	}
	return out
}

func resolveAlias(n *yaml.Node) *yaml.Node {
	for n.Kind == yaml.AliasNode {
		n = n.Alias
	}
	return n
}

// mergedIn returns the mappings of a "<<": one, or a list in which earlier ones take precedence.
func mergedIn(n *yaml.Node) []*yaml.Node {
	n = resolveAlias(n)
	if n.Kind != yaml.SequenceNode {
		return []*yaml.Node{n}
	}
	out := make([]*yaml.Node, len(n.Content))
	for i, m := range n.Content {
		out[i] = resolveAlias(m)
	}
	return out
}
