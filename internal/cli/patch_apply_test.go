//go:build corpus

package cli

import (
	"encoding/json"
	"encoding/xml"
	"fmt"
	"io"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"memaudit.example/memaudit/internal/advice/patch"
	"memaudit.example/memaudit/internal/source/bios"
)

// set is one attribute set by a change, as the vendor's tool reads it: menu is the path before the name if the tool
// needs one.
type set struct {
	menu, name, value string
	// typed is the value of a request with its JSON type.
	typed any
}

// commandLines take name and value out of the commands of one tool.
var commandLines = map[patch.Form]*regexp.Regexp{
	patch.Racadm:  regexp.MustCompile(`^racadm set BIOS\.[A-Za-z0-9]+\.(\S+) (\S+|'[^']*')$`),
	patch.ILORest: regexp.MustCompile(`^ilorest set '?([^=']+)=([^']*?)'? --select Bios\.(?: --commit)?$`),
	patch.Syscfg:  regexp.MustCompile(`^syscfg --([a-z0-9]+)=(\S+)$`),
	patch.OneCLI:  regexp.MustCompile(`^(?:onecli config|asu) set (\S+) (\S+|'[^']*?')(?: --override)?$`),
}

// sets reads a printed change as the vendor's tool would, with none of the code that wrote it.
func sets(t *testing.T, form patch.Form, text string) []set {
	t.Helper()
	if pattern, ok := commandLines[form]; ok {
		return commandSets(t, pattern, text)
	}
	if form == patch.Redfish {
		return redfishSets(t, text)
	}
	if form == patch.SUM {
		return sumSets(t, text)
	}
	var file struct {
		Attributes []struct {
			Name  string `xml:"Name,attr"`
			Value string `xml:",chardata"`
		} `xml:"Component>Attribute"`
		Sections []struct {
			Name  string `xml:"name,attr"`
			Value string `xml:",chardata"`
		} `xml:"Section"`
	}
	require.NoError(t, xml.Unmarshal([]byte(text), &file), text)
	var out []set
	for _, a := range file.Attributes {
		out = append(out, set{name: a.Name, value: a.Value})
	}
	for _, s := range file.Sections {
		out = append(out, set{name: s.Name, value: s.Value})
	}
	return out
}

func commandSets(t *testing.T, pattern *regexp.Regexp, text string) []set {
	t.Helper()
	var out []set
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "#") || line == "racadm jobqueue create BIOS.Setup.1-1" {
			continue
		}
		m := pattern.FindStringSubmatch(line)
		require.NotNil(t, m, line)
		out = append(out, set{name: strings.Trim(m[1], "'"), value: strings.Trim(m[2], "'")})
	}
	return out
}

// redfishSets keeps the order of the members.
func redfishSets(t *testing.T, text string) []set {
	t.Helper()
	body := decoded[struct{ Attributes json.RawMessage }](t, text)
	d := json.NewDecoder(strings.NewReader(string(body.Attributes)))
	d.UseNumber()
	_, err := d.Token()
	require.NoError(t, err)
	var out []set
	for d.More() {
		name, err := d.Token()
		require.NoError(t, err)
		value, err := d.Token()
		require.NoError(t, err)
		out = append(out, set{name: name.(string), value: fmt.Sprint(value), typed: value})
	}
	return out
}

// sumSets walks SUM's file.
func sumSets(t *testing.T, text string) []set {
	t.Helper()
	var out []set
	eachSUM(t, text, func(path string, s xml.StartElement, _ int64) {
		out = append(out, set{menu: path, name: attributeOf(s, "name"), value: attributeOf(s, "selectedOption")})
	})
	return out
}

// eachSUM calls f with every setting of a SUM file, its menus and the end of its tag.
func eachSUM(t *testing.T, text string, f func(path string, s xml.StartElement, end int64)) {
	t.Helper()
	d := xml.NewDecoder(strings.NewReader(text))
	d.CharsetReader = func(_ string, in io.Reader) (io.Reader, error) { return in, nil } // names of settings are ASCII
	var path []string
	for {
		token, err := d.Token()
		if err != nil {
			require.ErrorContains(t, err, "EOF")
			return
		}
		switch e := token.(type) {
		case xml.StartElement:
			switch e.Name.Local {
			case "Menu":
				path = append(path, attributeOf(e, "name"))
			case "Setting":
				f(strings.Join(path, " > "), e, d.InputOffset())
			}
		case xml.EndElement:
			if e.Name.Local == "Menu" {
				path = path[:len(path)-1]
			}
		}
	}
}

func attributeOf(e xml.StartElement, name string) string {
	for _, a := range e.Attr {
		if a.Name.Local == name {
			return a.Value
		}
	}
	return ""
}

// applied is an export's file after a change, as the machine would export it then: the file of the corpus with the
// values replaced in place.
func applied(t *testing.T, e *bios.Export, raw string, changes []set) string {
	t.Helper()
	if e.Format == bios.Redfish || e.Format == bios.SCPJSON {
		return appliedJSON(t, e.Format, raw, changes)
	}
	if e.Format == bios.SUMXML {
		return appliedSUM(t, raw, changes)
	}
	for _, c := range changes {
		patterns := map[bios.Format]string{
			bios.SCPXML:     `(<Attribute Name="` + regexp.QuoteMeta(c.name) + `">)[^<]*(</Attribute>)`,
			bios.WSMan:      `(<n1:AttributeName>` + regexp.QuoteMeta(c.name) + `</n1:AttributeName>\s*<n1:CurrentValue>)[^<]*(</n1:CurrentValue>)`,
			bios.Racadm:     `(?m)(^#?` + regexp.QuoteMeta(c.name) + `=).*($)`,
			bios.DellSyscfg: `(?m)(^` + regexp.QuoteMeta(c.name) + `=).*($)`,
			bios.Conrep:     `(<Section name="` + regexp.QuoteMeta(c.name) + `"[^>]*>)[^<]*(</Section>)`,
		}
		require.Contains(t, patterns, e.Format)
		pattern := regexp.MustCompile(patterns[e.Format])
		require.Len(t, pattern.FindAllString(raw, -1), 1, "%s: %s", e.Name, c.name)
		raw = pattern.ReplaceAllString(raw, "${1}"+strings.ReplaceAll(c.value, "$", "$$")+"${2}")
	}
	return raw
}

func appliedJSON(t *testing.T, format bios.Format, raw string, changes []set) string {
	t.Helper()
	d := json.NewDecoder(strings.NewReader(raw))
	d.UseNumber()
	var file map[string]any
	require.NoError(t, d.Decode(&file))
	for _, c := range changes {
		if format == bios.SCPJSON {
			setSCP(t, file, c)
			continue
		}
		attributes := file["Attributes"].(map[string]any)
		now, ok := attributes[c.name]
		require.True(t, ok, c.name)
		if nested, ok := now.(map[string]any); ok {
			nested["current_value"] = c.value
			continue
		}
		attributes[c.name] = c.typed
		if c.typed == nil {
			attributes[c.name] = c.value
		}
	}
	out, err := json.Marshal(file)
	require.NoError(t, err)
	return string(out)
}

// setSCP replaces a value in a Server Configuration Profile written as JSON.
func setSCP(t *testing.T, file map[string]any, c set) {
	t.Helper()
	for _, component := range file["SystemConfiguration"].(map[string]any)["Components"].([]any) {
		for _, a := range component.(map[string]any)["Attributes"].([]any) {
			if attribute := a.(map[string]any); attribute["Name"] == c.name {
				attribute["Value"] = c.value
				return
			}
		}
	}
	require.Fail(t, "no such attribute", c.name)
}

// selected is the chosen option of a setting's tag.
var selected = regexp.MustCompile(`selectedOption="[^"]*"`)

func appliedSUM(t *testing.T, raw string, changes []set) string {
	t.Helper()
	at := strings.Index(raw, "<?xml")
	require.GreaterOrEqual(t, at, 0)
	head, body := raw[:at], raw[at:]
	for _, c := range changes {
		found := 0
		next := body
		eachSUM(t, body, func(path string, s xml.StartElement, end int64) {
			if path != c.menu || attributeOf(s, "name") != c.name {
				return
			}
			found++
			start := strings.LastIndex(body[:end], "<Setting")
			tag := selected.ReplaceAllString(body[start:end], `selectedOption="`+strings.ReplaceAll(c.value, "$", "$$")+`"`)
			next = body[:start] + tag + body[end:]
		})
		require.Equal(t, 1, found, "%s > %s", c.menu, c.name)
		body = next
	}
	return head + body
}
