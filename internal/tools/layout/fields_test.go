package layout

import (
	"go/ast"
	"go/token"
	"go/types"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// unreadFields are exported fields of the model and the sources that the program never selects, each with its reason.
var unreadFields = map[string]string{
	"inventory.Conflict.Why":         "tests check the reason of each conflict",
	"inventory.Location.Evidence":    "tests check that each position names its source",
	"partnumber.Module.Sources":      "tests check the documents of each pattern",
	"partnumber.Module.DeviceBits":   "compared with the vendors' own tables of part numbers",
	"smbios.Chassis.Handle":          "compared with dmidecode",
	"smbios.Chassis.Type":            "compared with dmidecode",
	"smbios.DeviceMapping.Handle":    "compared with dmidecode",
	"smbios.MemoryArray.MaxCapacity": "compared with dmidecode",
}

// TestEveryFieldIsRead checks that what a source decodes and the model carries is used by a rule, a report or a later
// stage. A field without an encoding tag that is only written is unused.
func TestEveryFieldIsRead(t *testing.T) {
	own, err := product()
	require.NoError(t, err)
	read := map[types.Object]bool{}
	for _, p := range own {
		for _, file := range p.Syntax {
			written := map[*ast.SelectorExpr]bool{}
			ast.Inspect(file, func(n ast.Node) bool {
				switch n := n.(type) {
				case *ast.AssignStmt:
					if n.Tok == token.ASSIGN {
						for _, left := range n.Lhs {
							if s, ok := left.(*ast.SelectorExpr); ok {
								written[s] = true
							}
						}
					}
				case *ast.SelectorExpr:
					if !written[n] {
						read[origin(p.TypesInfo.Uses[n.Sel])] = true
					}
				}
				return true
			})
		}
	}
	seen := map[string]bool{}
	for _, p := range own {
		if s := stage(p.PkgPath); s != "internal/model" && s != "internal/source" && s != "internal/collect" || strings.HasSuffix(p.PkgPath, "test") {
			continue
		}
		for _, name := range p.Types.Scope().Names() {
			typ, ok := p.Types.Scope().Lookup(name).(*types.TypeName)
			if !ok || !typ.Exported() {
				continue
			}
			st, ok := typ.Type().Underlying().(*types.Struct)
			for i := 0; ok && i < st.NumFields(); i++ {
				f := st.Field(i)
				if f.Exported() && !f.Embedded() && st.Tag(i) == "" && !read[f] {
					id := p.Types.Name() + "." + name + "." + f.Name()
					seen[id] = true
					assert.NotEmpty(t, unreadFields[id], "nothing reads %s", id)
				}
			}
		}
	}
	for id := range unreadFields {
		assert.True(t, seen[id], "%s is read, or gone", id)
	}
}
