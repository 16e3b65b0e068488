package formats

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/memaudit/memaudit/internal/report"
	"github.com/memaudit/memaudit/internal/report/printable"
	"github.com/memaudit/memaudit/internal/report/reporttest"
)

// schema is what a standard asks for, as far as memaudit writes it: stricter
// than the standard's own, for what it does not name is refused.
func schema(t *testing.T, name string) *jsonschema.Schema {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", name))
	require.NoError(t, err)
	c := jsonschema.NewCompiler()
	c.AssertFormat()
	require.NoError(t, c.AddResource(name, decoded(t, data)))
	s, err := c.Compile(name)
	require.NoError(t, err)
	return s
}

func decoded(t *testing.T, data []byte) any {
	t.Helper()
	v, err := jsonschema.UnmarshalJSON(bytes.NewReader(data))
	require.NoError(t, err, string(data))
	return v
}

// hostile is a report of a machine whose firmware prints anything.
func hostile() *report.Report {
	m := reporttest.Bad()
	const evil = "a\x00\n\"<\u202e\xff%20/..\x7f\u009b31m"
	for i := range m.Sys.Slots {
		m.Sys.Slots[i].Locator = reporttest.Direct(evil)
	}
	for i := range m.Audit.Findings {
		f := &m.Audit.Findings[i]
		f.Found, f.Subject = evil, evil
		for j := range f.Evidence {
			f.Evidence[j].Path = "/" + evil
		}
	}
	return reporttest.Report(m)
}

func reports() map[string]*report.Report {
	out := map[string]*report.Report{"hostile": hostile(), "empty": {GeneratedAt: "2026-11-20T08:30:00Z"}}
	for name, m := range reporttest.Inputs() {
		out[name] = reporttest.Report(m)
	}
	return out
}

// TestFormatsArePrintable: whatever firmware prints, no terminal acts on any format.
func TestFormatsArePrintable(t *testing.T) {
	for _, format := range Reports() {
		var b bytes.Buffer
		require.NoError(t, Write(&b, format, hostile(), &Options{}))
		for line := range strings.Lines(b.String()) {
			if line = strings.TrimSuffix(strings.ReplaceAll(line, "\t", ""), "\n"); line != printable.Clean(line) {
				t.Errorf("%s: %q", format, line)
				break
			}
		}
	}
}

func TestSARIFSchema(t *testing.T) {
	s := schema(t, "sarif.schema.json")
	for name, r := range reports() {
		var b bytes.Buffer
		require.NoError(t, WriteSARIF(&b, r))
		require.NoError(t, s.Validate(decoded(t, b.Bytes())), name)
	}
}

// TestOCPTVSchema: every line is one of the specification's, numbered without
// a gap, each step begins and ends once, and a diagnosis names hardware that
// the run listed.
func TestOCPTVSchema(t *testing.T) {
	s := schema(t, "ocptv.schema.json")
	for name, r := range reports() {
		var b bytes.Buffer
		require.NoError(t, WriteOCPTV(&b, r))
		hardware, open := map[any]bool{}, map[any]bool{}
		lines := strings.Split(strings.TrimSuffix(b.String(), "\n"), "\n")
		for i, line := range lines {
			v := decoded(t, []byte(line)).(map[string]any)
			require.NoError(t, s.Validate(v), "%s: %s", name, line)
			assert.EqualValues(t, json.Number(strconv.Itoa(i)), v["sequenceNumber"])
			if run, ok := v["testRunArtifact"].(map[string]any); ok && run["testRunStart"] != nil {
				for _, h := range run["testRunStart"].(map[string]any)["dutInfo"].(map[string]any)["hardwareInfos"].([]any) {
					hardware[h.(map[string]any)["hardwareInfoId"]] = true
				}
			}
			step, ok := v["testStepArtifact"].(map[string]any)
			if !ok {
				continue
			}
			id := step["testStepId"]
			assert.Equal(t, step["testStepStart"] == nil, open[id], "%s: %s", name, line)
			open[id] = step["testStepEnd"] == nil
			if d, ok := step["diagnosis"].(map[string]any); ok && d["hardwareInfoId"] != nil {
				assert.True(t, hardware[d["hardwareInfoId"]], line)
			}
		}
		assert.Contains(t, lines[0], "schemaVersion")
		assert.Contains(t, lines[len(lines)-1], "testRunEnd")
		for id, still := range open {
			assert.False(t, still, "%s: step %v has no end", name, id)
		}
	}
}

// TestOCPTVHardware: a failure of a slot names its module.
func TestOCPTVHardware(t *testing.T) {
	var b bytes.Buffer
	require.NoError(t, WriteOCPTV(&b, reporttest.Report(reporttest.Big())))
	assert.Regexp(t, `"diagnosis":\{"hardwareInfoId":"0x1012","message":"[^"]*","type":"FAIL","verdict":"memory.slot.reachable-fail"\}`, b.String())
	assert.Contains(t, b.String(), `"location":"P2_DIMM_C1"`)
}

// TestOCPTVResult: nothing judged is not a pass, and a remark no failure.
func TestOCPTVResult(t *testing.T) {
	for words, want := range map[string]string{
		"pass:info": "PASS", "fail:info pass:info": "PASS", "fail:warning": "FAIL", "fail:critical": "FAIL", "waived:critical": "PASS",
		"unknown:warning": "NOT_APPLICABLE", "not_applicable:info": "NOT_APPLICABLE", "": "NOT_APPLICABLE",
	} {
		assert.Equal(t, want, runResult(reportOf(words)), words)
	}
}
