package cli

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// advisedDoc is what the test reads of a report.
type advisedDoc struct {
	Findings []struct {
		Rule, Result string
		Advice       []string
	}
	Advice []struct {
		ID    string
		Cures []struct{ Rule string }
		Steps []struct {
			Do, Setting, Value, Tool, Command string
		}
		Reaches struct {
			Findings []struct{ Rule string }
		}
	}
}

// settings lists the rules of settings with a result.
func (d *advisedDoc) settings(result string) []string {
	var out []string
	for _, f := range d.Findings {
		if strings.HasPrefix(f.Rule, "setting.") && f.Result == result {
			out = append(out, f.Rule)
		}
	}
	return out
}

func checked(t *testing.T, args ...string) advisedDoc {
	t.Helper()
	_, out, errs := run(nil, append([]string{"check", "--root", emptyTree(t), "--format", "json"}, args...)...)
	var doc advisedDoc
	require.NoError(t, json.Unmarshal([]byte(out), &doc), errs)
	return doc
}
