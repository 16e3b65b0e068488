// Package fleet reads the dashboards of deploy/grafana for tests. Its own tests check them, and the rules of
// deploy/prometheus, against the metrics that memaudit has.
package fleet

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"memaudit.example/memaudit/internal/tools/corpustest"
)

// Dashboard is the part of Grafana's dashboard model that tests use.
type Dashboard struct {
	Title, UID string
	Templating struct {
		List []struct{ Name, Type, Definition string }
	}
	Panels []Panel
}

// Panel is one panel with its queries; JSON is the complete text without spaces.
type Panel struct {
	Title, Type string
	Targets     []struct {
		RefID, Expr string
		Datasource  struct{ UID string }
	}
	JSON string `json:"-"`
}

// UnmarshalJSON keeps the text beside the fields.
func (p *Panel) UnmarshalJSON(text []byte) error {
	var compact bytes.Buffer
	if err := json.Compact(&compact, text); err != nil {
		return err
	}
	type fields Panel
	p.JSON = compact.String()
	return json.Unmarshal(text, (*fields)(p))
}

// Overview reads the page of all machines.
func Overview(t testing.TB) *Dashboard { return dashboard(t, "memaudit-fleet.json") }

// Machine reads the page of one machine.
func Machine(t testing.TB) *Dashboard { return dashboard(t, "memaudit-machine.json") }

func dashboard(t testing.TB, name string) *Dashboard {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(corpustest.Root(t), "deploy", "grafana", name))
	require.NoError(t, err)
	page := &Dashboard{}
	require.NoError(t, json.Unmarshal(text, page), name)
	return page
}
