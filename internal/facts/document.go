package facts

import (
	"fmt"
	"slices"
	"strings"

	"cel.dev/cel-go/common/types"

	"github.com/memaudit/memaudit/internal/settings"
)

// Document describes every fact that an expression may name: rules/facts.md.
func Document() string {
	var b strings.Builder
	b.WriteString("# Facts\n\nWhat an expression of a rule may name. Made from the code by `go generate ./...`.\n\n")
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

// factTable describes the fields of one type.
func factTable(b *strings.Builder, title string, t *ObjectType) {
	fmt.Fprintf(b, "\n## %s\n\n| fact | type | meaning |\n| --- | --- | --- |\n", title)
	for _, f := range t.Fields {
		fmt.Fprintf(b, "| `%s` | %s | %s |\n", f.Name, typeName(f.Type), strings.ReplaceAll(f.Doc, "|", "\\|"))
	}
}

// typeName is the type as CEL writes it.
func typeName(t *types.Type) string {
	if t.Kind() == types.ListKind {
		return "list of " + typeName(t.Parameters()[0])
	}
	return strings.TrimPrefix(t.String(), typePrefix)
}
