package host

import (
	"strings"

	"memaudit.example/memaudit/internal/model/fact"
	"memaudit.example/memaudit/internal/source/host/hosttest"
)

// Captured is a capture in memory that a test may change between reads.
type Captured struct{ tree *memTree }

// Capture makes a capture without an archive.
func Capture(files hosttest.Files) Captured {
	c := Captured{newMemTree()}
	for path, content := range files {
		c.Put(path, content)
	}
	return c
}

// Root returns a root of the capture's present content.
func (c Captured) Root() *Root { return &Root{name: "test", b: c.tree} }

// Put creates or replaces a file, a link (hosttest.LinkTo) or an empty folder (a path that ends in a slash); restore
// puts back what was there.
func (c Captured) Put(path, content string) (restore func()) {
	n := &memNode{kind: KindFile, data: []byte(content)}
	if target, link := strings.CutPrefix(content, hosttest.LinkTo); link {
		n = &memNode{kind: KindOther, link: target}
	}
	if name, folder := strings.CutSuffix(path, "/"); folder {
		path, n = name, &memNode{kind: KindDir, kids: map[string]*memNode{}}
	}
	parent, name := splitPath(path)
	kids := c.tree.makeFolder(parent).kids
	old := kids[name]
	kids[name] = n
	return func() { kids[name] = old }
}

// CPUNodes returns the online nodes that have CPUs, and MemoryNodes those that have memory, each from the nodes' own
// files and the kernel's list. The result is unknown if it is unknown for one node.
func (n *NUMA) CPUNodes() fact.Fact[[]int] {
	return n.those(func(node *Node) fact.Fact[bool] { return node.HasCPU })
}

// MemoryNodes is described with CPUNodes.
func (n *NUMA) MemoryNodes() fact.Fact[[]int] {
	return n.those(func(node *Node) fact.Fact[bool] { return node.HasMemory })
}

func (n *NUMA) those(has func(*Node) fact.Fact[bool]) fact.Fact[[]int] {
	if n.Online.State != fact.OK {
		return n.Online
	}
	ids := []int{}
	for i := range n.Nodes {
		v := has(&n.Nodes[i])
		if v.State != fact.OK {
			return fact.UnknownFrom[[]int](v)
		}
		if v.Value {
			ids = append(ids, n.Nodes[i].ID)
		}
	}
	return fact.Known(ids, fact.Direct, n.Online.From)
}

// ReadDir lists the names in a folder.
func (r *Root) ReadDir(path string) ([]string, error) {
	names, e := r.readDir(path)
	if e != nil {
		return nil, e
	}
	return names, nil
}

// Holds reports whether this root has an answer for the path: always for a complete tree, otherwise only if the file
// or its folder is there.
func (r *Root) Holds(path string) bool {
	_, err := r.Stat(path)
	return StateOf(err) != fact.Unread
}
