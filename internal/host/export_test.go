package host

import (
	"strings"

	"github.com/memaudit/memaudit/internal/host/hosttest"
)

// Captured is a capture in memory that a test may change between readings.
type Captured struct{ tree *memTree }

// Capture makes one without the way through an archive.
func Capture(files hosttest.Files) Captured {
	c := Captured{newMemTree()}
	for path, content := range files {
		c.Put(path, content)
	}
	return c
}

// Root reads what the capture holds now.
func (c Captured) Root() *Root { return &Root{name: "test", b: c.tree} }

// Put makes or replaces a file, a link (hosttest.LinkTo) or an empty folder (a
// path that ends in a slash); restore puts back what was there.
func (c Captured) Put(path, content string) (restore func()) {
	n := &memNode{kind: KindFile, data: []byte(content)}
	if target, link := strings.CutPrefix(content, hosttest.LinkTo); link {
		n = &memNode{kind: KindOther, link: target}
	}
	if name, folder := strings.CutSuffix(path, "/"); folder {
		path, n = name, &memNode{kind: KindDir, kids: map[string]*memNode{}}
	}
	parent, name := splitPath(path)
	kids := c.tree.folder(parent).kids
	old := kids[name]
	kids[name] = n
	return func() { kids[name] = old }
}
