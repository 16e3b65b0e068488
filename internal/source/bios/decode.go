package bios

import (
	"bytes"
	"cmp"
	"encoding/xml"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"

	"memaudit.example/memaudit/internal/model/lazy"
	"memaudit.example/memaudit/internal/model/settings"
)

// Decode reads one export and detects its format automatically. name becomes Export.Name. The error is ErrEmpty,
// ErrUnrecognised or ErrMalformed; its text names what was found and expected, and usually the line or JSON path.
func Decode(name string, data []byte) (*Export, error) {
	if len(data) > MaxBytes {
		return nil, fmt.Errorf("%w: longer than %d bytes", ErrMalformed, MaxBytes)
	}
	data = toUTF8(data)
	trimmed := bytes.TrimSpace(data)
	if len(trimmed) == 0 {
		return nil, fmt.Errorf("%w, %s", ErrEmpty, expected)
	}
	document, err := data, error(nil)
	if !isJSON(trimmed) {
		document, err = ansibleLog(data)
	}
	var e *Export
	switch start := xmlStart(data); {
	case err != nil:
	case document != nil:
		e, err = decodeJSON(document)
	case start >= 0:
		e, err = decodeXML(data, start)
	case bytes.IndexByte(trimmed, 0) >= 0:
		err = fmt.Errorf("%w: binary data, %s", ErrUnrecognised, expected)
	case hostFirmware().Match(data):
		e, err = decodeKubernetesYAML(data)
	default:
		e, err = decodeText(string(data))
	}
	if err != nil {
		return nil, err
	}
	e.Name = name
	return e, nil
}

// isJSON reports whether a text begins like a JSON object or a list of objects. SUM's "[Advanced|..." and Intel's
// "[BIOS::..." begin with a bracket too, and what Python prints has other quotation marks.
func isJSON(trimmed []byte) bool {
	rest := bytes.TrimSpace(trimmed[1:])
	return trimmed[0] == '{' && !bytes.HasPrefix(rest, []byte("'")) || trimmed[0] == '[' && len(rest) > 0 && (rest[0] == '{' || rest[0] == ']')
}

func decodeXML(data []byte, start int) (*Export, error) {
	w := &walker{Decoder: xml.NewDecoder(bytes.NewReader(data[start:])), before: bytes.Count(data[:start], []byte{'\n'})}
	w.CharsetReader = convertCharset
	w.Strict = true
	for t := w.nextToken(); t != nil; t = w.nextToken() {
		root, ok := t.(xml.StartElement)
		if !ok {
			continue
		}
		switch name := root.Name.Local; {
		case name == "BiosCfg":
			return w.decodeSUM()
		case name == "SystemConfiguration":
			return w.decodeSCP(root)
		case strings.EqualFold(name, "Conrep"):
			return w.decodeConrep(root)
		case name == "Envelope":
			return w.decodeWSMan()
		case strings.HasPrefix(name, "bios"), strings.HasPrefix(name, "config"), strings.HasPrefix(name, "outConfig"):
			return w.decodeUCS(root)
		default:
			return nil, fmt.Errorf("%w: %s: XML root <%s>, %s", ErrUnrecognised, w.currentPlace(), name, expected)
		}
	}
	return nil, cmp.Or(w.err, malformedError(lineOrigin(1), "XML without an element, %s", expected))
}

func decodeJSON(data []byte) (*Export, error) {
	root, twice, err := parseJSON(data)
	if err != nil {
		return nil, err
	}
	var e *Export
	switch v := root.(type) {
	case object:
		e, err = decodeObject(v)
	case []any:
		e, err = decodeArray(v)
	default:
		return nil, fmt.Errorf("%w: $: JSON that is neither an object nor an array, %s", ErrUnrecognised, expected)
	}
	if err != nil {
		return nil, err
	}
	e.recordAmbiguous(twice)
	return e, nil
}

func decodeObject(o object) (*Export, error) {
	if body, ok := o["SystemConfiguration"].(object); ok {
		return decodeSCPJSON(body)
	}
	if kindOfDocument(o) != notBIOS {
		return combineDocuments([]document{{"$", o}})
	}
	if stringMember(o, "ObjectType") == "bios.Policy" || stringMember(o, "ClassId") == "bios.Policy" {
		return decodePolicy(o)
	}
	if stringMember(o, "kind") != "" {
		return decodeKubernetes("$", o)
	}
	if config := within(o, "Server", "SystemConfig", "BiosConfig"); config != nil {
		return decodeELCM(config)
	}
	if list, ok := o["bios"].([]any); ok && isPairList(list) {
		return decodePairs("$.bios", list)
	}
	if facts, at := redfishFacts(o); facts != nil {
		return decodeAnsible(facts, at)
	}
	for _, key := range []string{"Members", "members", "value", "Results"} {
		if list, ok := o[key].([]any); ok {
			return decodeList("$."+key, list)
		}
	}
	docs := ilorestDocuments("$", o)
	for _, key := range slices.Sorted(maps.Keys(o)) {
		if body, ok := o[key].(object); ok && kindOfDocument(body) != notBIOS {
			docs = append(docs, document{"$" + pathStep(key), body})
		}
	}
	if len(docs) > 0 {
		return combineDocuments(docs)
	}
	return decodeFlat(o)
}

func decodeArray(list []any) (*Export, error) {
	if len(list) > 0 {
		if first, ok := list[0].(object); ok && isQuestion(first) {
			return decodeSCE(list)
		}
	}
	if isPairList(list) {
		return decodePairs("$", list)
	}
	return decodeList("$", list)
}

type textFormat struct {
	tell   *regexp.Regexp
	decode func([]textLine) (*Export, error)
}

// textFormats lists the text formats in the order in which they are tried, the most certain pattern first. Like every
// pattern of this package they are compiled at first use, because most runs read no export.
var textFormats = sync.OnceValue(func() []textFormat {
	return []textFormat{
		{regexp.MustCompile(`^\[Key=|^(#|racadm .*)?(set )?BIOS\.[A-Za-z]+\.[A-Za-z0-9]+[= ]`), decodeRacadm},
		{regexp.MustCompile(`^Setup Question\s*=`), decodeSCEText},
		{regexp.MustCompile(`^\[BIOS(::.*)?\]$`), decodeIntel},
		{regexp.MustCompile(`^Supermicro Update Manager|^\[[^\]|]+\|[^\]]+\]$|^[^=\[\]/]+=\S*\s+//\s*\*?[0-9A-Fa-f]+ \(`), decodeSUMText},
		{regexp.MustCompile(`^(set (CMOS_|(` + asuGroups + `)\.)\S* \S|loaddefault \S)`), decodeASUBatch},
		{regexp.MustCompile(`^((` + asuGroups + `)\.[A-Za-z0-9][^=]*|CMOS_[A-Za-z0-9_]+)=`), decodeASU},
		{regexp.MustCompile(`^(` + ilorestNames + `)`), decodeILORest},
		{regexp.MustCompile(omreportTell), decodeOmreport},
		{regexp.MustCompile(`^(--)?(` + syscfgNames + `)=`), decodeSyscfg},
		{regexp.MustCompile(`^#?(` + racadmNames + `)=`), decodeRacadm},
		{regexp.MustCompile(`^(` + strings.Join(settings.IDs(), "|") + `)\s*[:=]`), decodeWords},
		{regexp.MustCompile(tableTell), decodeTable},
	}
})

// Patterns of lines of cluster tools: the node's name before each line (confluent's nodeconfig, pasu, clush), and a
// setting of a UEFI group with a colon, as nodeconfig prints it.
var (
	nodeLine  = lazy.Pattern(`^([A-Za-z0-9][A-Za-z0-9._-]*): +([^:=]+(?:=|: ).*)$`)
	groupLine = lazy.Pattern(`^((?:` + asuGroups + `)\.[^:=]+): (.*)$`)
	colonLine = lazy.Pattern(`^([A-Za-z][A-Za-z0-9_]*)\s*: +(.*)$`)
	// valueLine is a line of ironic's list without its table (-f value); an option may have no value.
	valueLine = lazy.Pattern(`^([A-Za-z][\w.#$-]*)(?: ([^\s:=].*))?$`)
)

func severalMachinesError(place, other, first string) error {
	return malformedError(place, "settings of %q after those of %q, expected one machine's: leave those of one, or make a file of each", other, first)
}

// withoutNode removes the name of the node that begins every line. Settings of several nodes are several machines'.
func withoutNode(lines []textLine) ([]textLine, error) {
	out, node := make([]textLine, len(lines)), ""
	for i, l := range lines {
		switch m := nodeLine().FindStringSubmatch(l.text); {
		case m == nil:
			return separateByEquals(lines, groupLine()), nil
		case node == "" || node == m[1]:
			node, out[i] = m[1], textLine{l.n, m[2]}
		case groupLine().MatchString(m[2]) || asuLine().MatchString(m[2]):
			return nil, severalMachinesError(l.originOfLine(), m[1], node)
		default:
			return separateByEquals(lines, groupLine()), nil
		}
	}
	return separateByEquals(out, groupLine()), nil
}

func separateByEquals(lines []textLine, colon *regexp.Regexp) []textLine {
	out := slices.Clone(lines)
	for i := range out {
		out[i].text = colon.ReplaceAllString(out[i].text, "$1=$2")
	}
	return out
}

func decodeText(text string) (*Export, error) {
	var lines []textLine
	n := 0
	for l := range strings.Lines(text) {
		switch n++; {
		case n > maxLines:
			return nil, malformedError(lineOrigin(n), "more than %d lines", maxLines)
		case len(l) > maxValue:
			return nil, malformedError(lineOrigin(n), "longer than %d bytes", maxValue)
		}
		if l = cleanValue(l); l != "" {
			lines = append(lines, textLine{n, l})
		}
	}
	if len(lines) == 0 {
		return nil, fmt.Errorf("%w, %s", ErrEmpty, expected)
	}
	if list, problems := tableRows(lines); isPairList(list) {
		e, err := decodePairs("row", list)
		if err == nil {
			e.Problems = append(e.Problems, problems...)
		}
		return e, err
	} else if e, err := decodeWideTable(list); e != nil || err != nil {
		return e, err
	}
	first := lines[0]
	lines, err := printedSettings(lines)
	if err == nil {
		lines, err = withoutNode(lines)
	}
	if err != nil {
		return nil, err
	}
	if list := propertyRecords(lines); isPairList(list) {
		return decodePairs("record", list)
	}
	// Attributes are also listed with colons: YAML, PowerShell's Format-List.
	for _, lines := range [][]textLine{lines, separateByEquals(lines, colonLine())} {
		for _, f := range textFormats() {
			for _, l := range lines {
				if f.tell.MatchString(l.text) {
					return f.decode(lines)
				}
			}
		}
	}
	if !slices.ContainsFunc(lines, func(l textLine) bool { return !valueLine().MatchString(l.text) }) {
		lines = separateByEquals(lines, valueLine())
	}
	if e, err := decodeTable(lines); err == nil && e.Vendor != "" { // rows with a vendor's names of attributes
		if strings.HasPrefix(lines[0].text, `resource "`) { // of Terraform: what is to be set
			e.PendingOnly, e.Complete = true, false
			e.moveToPending()
		}
		return e, nil
	}
	switch {
	case isSecretName(first.text):
		first.text = "(a password)"
	case len(first.text) > 60:
		first.text = first.text[:60] + "..."
	}
	return nil, fmt.Errorf("%w: line %d: %q, %s", ErrUnrecognised, first.n, first.text, expected)
}
