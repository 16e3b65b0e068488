package facts

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"cel.dev/cel-go/common/types"
	"github.com/stretchr/testify/require"

	"github.com/memaudit/memaudit/internal/settings"
)

var update = flag.Bool("update", false, "rewrite golden files")

// TestFactsDocument keeps rules/facts.md in step with the schema.
func TestFactsDocument(t *testing.T) {
	file := filepath.Join("..", "..", "rules", "facts.md")
	want := factsDocument()
	if *update {
		require.NoError(t, os.WriteFile(file, []byte(want), 0o644))
	}
	got, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Equal(t, want, string(got), "rules/facts.md is out of date: run make golden")
}

func factsDocument() string {
	var b strings.Builder
	b.WriteString("# Facts\n\nWhat an expression of a rule may name. Made from the code by `make golden`.\n\n")
	b.WriteString("`socket`, `slot`, `node`, `setting` and `baseline` are the subject of a rule of that kind; `sockets`, `slots` and `nodes` list all of them.\n")
	s := Declared()
	for _, name := range Declared().VariableNames() {
		if t, ok := s.objects[name]; ok && name != "settings" {
			factTable(&b, "`"+name+"`: "+t.Doc, t)
		}
	}
	for _, name := range []string{"Controller", "Region"} {
		t := s.types[name]
		factTable(&b, "elements of `socket."+strings.ToLower(name)+"s`: "+t.Doc, t)
	}
	b.WriteString("\n## `settings`: canonical values, the configured face when known, else the effective one\n\n")
	ids := slices.Sorted(slices.Values(settings.IDs()))
	b.WriteString("`" + strings.Join(ids, "`, `") + "`\n")
	return b.String()
}

func factTable(b *strings.Builder, title string, t *ObjectType) {
	fmt.Fprintf(b, "\n## %s\n\n| fact | type | meaning |\n| --- | --- | --- |\n", title)
	for _, f := range t.Fields {
		fmt.Fprintf(b, "| `%s` | %s | %s |\n", f.Name, typeName(f.Type), strings.ReplaceAll(f.Doc, "|", "\\|"))
	}
}

func typeName(t *types.Type) string {
	if t.Kind() == types.ListKind {
		return "list of " + typeName(t.Parameters()[0])
	}
	return strings.TrimPrefix(t.String(), typePrefix)
}
