package cli

import (
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"memaudit.example/memaudit/internal/report"
	"memaudit.example/memaudit/internal/report/printable"
	"memaudit.example/memaudit/internal/report/text"
	"memaudit.example/memaudit/internal/tools/corpustest"
	"memaudit.example/memaudit/internal/tools/machinetest"
)

// documentOf is the document of one of the project's machines.
func documentOf(t *testing.T, m *machinetest.Machine) *report.Report {
	t.Helper()
	return judgedOnce(t, m.Name, m.Profile)
}

// judgedReports caches the reports of judgedOnce, which must not be modified.
var judgedReports sync.Map

// judgedOnce is the report of a machine of the project by a profile, made once for all tests.
func judgedOnce(t *testing.T, name, profile string) *report.Report {
	t.Helper()
	root := tree(t, name)
	once, _ := judgedReports.LoadOrStore([2]string{name, profile}, sync.OnceValues(func() (*report.Report, error) {
		p, _, _ := newProgram(nil)
		return p.auditedMachine(&checkFlags{profile: profile, input: inputFlags{root: root}})
	}))
	doc, err := once.(func() (*report.Report, error))()
	require.NoError(t, err)
	return doc
}

// TestTextFitsTheTerminal checks that output about a machine fits 80 and 160 columns, except for lines with an
// address, which is not wrapped, and that the report without -v fits a screen.
func TestTextFitsTheTerminal(t *testing.T) {
	for _, m := range corpustest.Sample(machinetest.Sample(t), 2) {
		t.Run(m.Name, func(t *testing.T) {
			t.Parallel()
			doc := documentOf(t, &m)
			for _, width := range []int{80, 160} {
				for name, write := range map[string]func(*strings.Builder) error{
					"report": func(b *strings.Builder) error {
						return text.Write(b, doc, text.Options{Width: width, ExitStatus: true})
					},
					"verbose": func(b *strings.Builder) error {
						return text.Write(b, doc, text.Options{Width: width, Verbose: true, ExitStatus: true})
					},
					"inventory": func(b *strings.Builder) error {
						return text.WriteInventory(b, &doc.Inventory, text.Options{Width: width})
					},
					"settings": func(b *strings.Builder) error {
						return text.WriteInventory(b, &doc.Inventory, text.Options{Width: width, Settings: true})
					},
				} {
					var out strings.Builder
					require.NoError(t, write(&out))
					for line := range strings.Lines(out.String()) {
						if line = strings.TrimSuffix(line, "\n"); !strings.Contains(line, "://") {
							assert.LessOrEqual(t, printable.Columns(line), width, "%s: %s", name, line)
						}
					}
					if name == "report" {
						assert.LessOrEqual(t, strings.Count(out.String(), "\n"), 60)
					}
				}
			}
		})
	}
}
