package bios

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"reflect"
	"slices"
	"strings"
)

// The list is below RegistryEntries or, in a reduced registry, at the top.
func registryEntries(o object) ([]any, bool) {
	if entries, ok := o["RegistryEntries"].(object); ok {
		list, ok := entries["Attributes"].([]any)
		return list, ok
	}
	list, ok := o["Attributes"].([]any)
	if !ok || len(list) == 0 {
		return nil, false
	}
	first, ok := list[0].(object)
	return list, ok && first["AttributeName"] != nil
}

// decodeRegistry leaves out an attribute that is listed twice with different content.
func decodeRegistry(d document) (*Export, error) {
	entries, _ := registryEntries(d.body)
	e := &Export{Format: Registry, RegistryName: stringMember(d.body, "Id"), Locks: readDependencies(d.body)}
	first, doubted := map[string]Attribute{}, map[string]bool{}
	for i, entry := range entries {
		at := fmt.Sprintf("%s.Attributes[%d]", d.path, i)
		o, _ := entry.(object)
		name := stringMember(o, "AttributeName")
		if name == "" {
			e.recordProblem("%s: no AttributeName", at)
			continue
		}
		a := Attribute{Name: name, Display: strings.TrimSpace(stringMember(o, "DisplayName")), Menu: stringMember(o, "MenuPath"), OptionTexts: map[string]string{}}
		a.ReadOnly, _ = o["ReadOnly"].(bool)
		a.Default, _ = scalarText(o["DefaultValue"])
		for _, key := range []string{"Value", "Values"} {
			values, _ := o[key].([]any)
			for _, v := range values {
				if word, text := registeredValue(v); word != "" {
					a.Options = append(a.Options, word)
					a.OptionTexts[word] = text
				}
			}
		}
		switch before, listed := first[name]; {
		case doubted[name] || listed && !reflect.DeepEqual(before, a):
			doubted[name] = true
			e.recordProblem("%s: %s is listed more than once, and differently, so none of it is taken", at, name)
		default:
			first[name] = a
			a.Place = at
			e.add(a)
		}
	}
	if err := e.errorIfEmpty(d.path, "an attribute registry without attributes"); err != nil {
		return nil, err
	}
	e.Attributes = slices.DeleteFunc(e.Attributes, func(a Attribute) bool { return doubted[a.Name] })
	systems, _ := d.body["SupportedSystems"].([]any)
	if len(systems) == 1 { // one of several does not identify this machine
		s, _ := systems[0].(object)
		e.Product, e.Firmware = stringMember(s, "ProductName"), stringMember(s, "FirmwareVersion")
	}
	e.Vendor, e.Guessed = e.findVendor(d.body)
	return e, nil
}

// registeredValue reads a possible value: an object with ValueName and ValueDisplayName, or an array of the two.
func registeredValue(v any) (name, text string) {
	switch v := v.(type) {
	case object:
		name, _ = scalarText(v["ValueName"])
		text = stringMember(v, "ValueDisplayName")
	case []any:
		if len(v) > 0 {
			name, _ = scalarText(v[0])
		}
		if len(v) > 1 {
			text, _ = scalarText(v[1])
		}
	}
	return name, text
}

func (e *Export) applyRegistry(registries ...*Export) {
	for _, r := range registries {
		e.Locks = r.Locks
		known := map[string]*Attribute{}
		for i := range r.Attributes {
			known[r.Attributes[i].Name] = &r.Attributes[i]
		}
		for i := range e.Attributes {
			a := &e.Attributes[i]
			k := known[a.Name]
			if k == nil {
				continue
			}
			a.Display, a.ReadOnly = k.Display, a.ReadOnly || k.ReadOnly
			if a.Menu == "" && e.Format != Racadm { // what racadm prints is a group of its own, and no menu
				a.Menu = k.Menu
			}
			a.Default = cmp.Or(a.Default, k.Default)
			if len(a.Options) == 0 {
				a.Options, a.OptionTexts = k.Options, k.OptionTexts
			}
			a.Text, a.PendingText = k.OptionTexts[a.Value], k.OptionTexts[a.Pending]
		}
	}
}

// readDependencies reads from a registry's Dependencies under which conditions each attribute can be
// changed. Dependencies about values, texts and bounds are skipped: a value that a preset once
// wrote may have changed since, and the attribute itself states it.
func readDependencies(body object) map[string][]dependency {
	entries, ok := body["RegistryEntries"].(object)
	if !ok {
		entries = body
	}
	list, _ := entries["Dependencies"].([]any)
	out := map[string][]dependency{}
	for _, entry := range list {
		o, _ := entry.(object)
		d, _ := o["Dependency"].(object)
		if stringMember(o, "Type") != "Map" {
			continue
		}
		to, property := stringMember(d, "MapToAttribute"), stringMember(d, "MapToProperty")
		locks, said := d["MapToValue"].(bool)
		terms, complete := readTerms(d["MapFrom"])
		if to == "" || !said || !complete || property != "ReadOnly" && property != "GrayOut" {
			continue
		}
		out[to] = append(out[to], dependency{locks, terms})
	}
	if len(out) == 0 {
		return nil
	}
	return out
}

// readTerms is false without a condition, and if one is not a comparison (EQU, NEQ) with an attribute's current value.
func readTerms(v any) ([]dependencyTerm, bool) {
	list, _ := v.([]any)
	var out []dependencyTerm
	for _, entry := range list {
		o, _ := entry.(object)
		value, stated := scalarText(o["MapFromValue"])
		t := dependencyTerm{stringMember(o, "MapFromAttribute"), stringMember(o, "MapFromCondition"), value, strings.EqualFold(stringMember(o, "MapTerms"), "OR")}
		if t.Attribute == "" || !stated || t.Condition != "EQU" && t.Condition != "NEQ" || stringMember(o, "MapFromProperty") != "CurrentValue" {
			return nil, false
		}
		out = append(out, t)
	}
	return out, len(out) > 0
}

// IsLocked reports whether the registry forbids changing an attribute while other attributes have the values that current
// returns, and by which attribute. said is false if no dependency applies. If several apply, the last one counts.
func (e *Export) IsLocked(name string, current func(attribute string) (string, bool)) (locked, said bool, by string) {
	for _, d := range e.Locks[name] {
		if d.evaluateTerms(current) {
			first := slices.IndexFunc(d.Terms, func(t dependencyTerm) bool { return t.isTrueFor(current) })
			locked, said, by = d.Locks, true, d.Terms[first].Attribute
		}
	}
	return locked, said, by
}

// GreyedOut returns for each attribute that the registry forbids changing now "NAME = value" of the one that is the cause.
func (e *Export) GreyedOut() map[string]string {
	values := map[string]string{}
	for i := range e.Attributes {
		if a := &e.Attributes[i]; a.Stated {
			values[a.Name] = a.Value
		}
	}
	out := map[string]string{}
	for name := range e.Locks {
		if locked, _, by := e.IsLocked(name, func(attribute string) (string, bool) { v, ok := values[attribute]; return v, ok }); locked {
			out[name] = by + " = " + values[by]
		}
	}
	return out
}

// DependsOn reports whether the value of the attribute other is among the conditions under which the attribute name can
// be changed.
func (e *Export) DependsOn(name, other string) bool {
	return slices.ContainsFunc(e.Locks[name], func(d dependency) bool {
		return slices.ContainsFunc(d.Terms, func(t dependencyTerm) bool { return t.Attribute == other })
	})
}

func (t *dependencyTerm) isTrueFor(current func(attribute string) (string, bool)) bool {
	value, known := current(t.Attribute)
	return known && (value == t.Value) == (t.Condition == "EQU")
}

// evaluateTerms evaluates the terms from left to right. A term with an unknown value is false.
func (d *dependency) evaluateTerms(current func(attribute string) (string, bool)) bool {
	holds := false
	for i, t := range d.Terms {
		switch one := t.isTrueFor(current); {
		case i == 0:
			holds = one
		case t.Or:
			holds = holds || one
		default:
			holds = holds && one
		}
	}
	return holds
}

type object = map[string]any

// parseJSON decodes a single JSON value; numbers stay as written. A key that occurs more than once in an object with
// different values becomes null, because RFC 8259, clause 4, does not define which value applies; twice lists the paths
// of these keys, sorted. Anything after the value, nesting deeper than maxDepth and more than maxJSONValues are errors.
func parseJSON(data []byte) (root any, twice []string, err error) {
	dec := json.NewDecoder(bytes.NewReader(data))
	var value json.RawMessage
	err = dec.Decode(&value)
	var syntax *json.SyntaxError
	switch {
	case errors.As(err, &syntax):
		return nil, nil, malformedError(lineOfOffset(data, syntax.Offset), "JSON: %v", err)
	case errors.Is(err, io.ErrUnexpectedEOF):
		return nil, nil, malformedError(lineOfOffset(data, int64(len(data))), "JSON ends before its value does")
	case err != nil:
		return nil, nil, malformedError("$", "JSON: %v", err)
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return nil, nil, malformedError(lineOfOffset(data, dec.InputOffset()), "something follows the JSON value, expected one object or array")
	}
	w := jsonWalker{dec: json.NewDecoder(bytes.NewReader(value)), twice: map[string]bool{}}
	w.dec.UseNumber()
	w.path = append(w.path, "$")
	if root = w.decodeValue(); w.err != nil {
		return nil, nil, w.err
	}
	return root, slices.Sorted(maps.Keys(w.twice)), nil
}

func lineOfOffset(data []byte, offset int64) string {
	return lineOrigin(1 + bytes.Count(data[:max(0, min(int(offset), len(data)))], []byte{'\n'}))
}

// jsonWalker decodes JSON that is known to be valid. Its time and memory are proportional to the text, so the path of a
// value is put together only for a message.
type jsonWalker struct {
	dec *json.Decoder
	// path are the steps to the current value: a name, a key or an index.
	path   []any
	values int
	twice  map[string]bool
	err    error
}

func (w *jsonWalker) currentPlace() string {
	var b strings.Builder
	for _, step := range w.path {
		switch step := step.(type) {
		case int:
			fmt.Fprintf(&b, "[%d]", step)
		case jsonKey:
			b.WriteString(pathStep(string(step)))
		case string:
			b.WriteString(step)
		}
	}
	return b.String()
}

// jsonKey is a step of a path that leads to the value of a key.
type jsonKey string

func (w *jsonWalker) recordError(format string, args ...any) {
	if w.err == nil {
		w.err = malformedError(w.currentPlace(), format, args...)
	}
}

func (w *jsonWalker) decodeValue() any {
	if w.values++; w.values > maxJSONValues {
		w.recordError("more than %d values", maxJSONValues)
		return nil
	}
	token, _ := w.dec.Token()
	switch token {
	case json.Delim('['):
		w.enterValue(0)
		defer w.leaveValue()
		list := []any{}
		for w.err == nil && w.dec.More() {
			w.path[len(w.path)-1] = len(list)
			list = append(list, w.decodeValue())
		}
		return list
	case json.Delim('{'):
		w.enterValue(nil)
		defer w.leaveValue()
		o, twice := object{}, map[string]bool{}
		for w.err == nil && w.dec.More() {
			token, _ := w.dec.Token()
			key, _ := token.(string)
			w.path[len(w.path)-1] = jsonKey(key)
			v := w.decodeValue()
			if before, there := o[key]; there && (twice[key] || !reflect.DeepEqual(before, v)) {
				if !twice[key] && len(w.twice) <= maxProblems {
					w.twice[w.currentPlace()] = true
				}
				twice[key], v = true, nil
			}
			if o[key] = v; len(o) > maxAttributes {
				w.recordError("more than %d keys in one object", maxAttributes)
			}
		}
		return o
	}
	return token
}

func (w *jsonWalker) enterValue(step any) {
	if w.path = append(w.path, step); len(w.path) > maxDepth+1 {
		w.recordError("JSON nested deeper than %d levels", maxDepth)
	}
}

func (w *jsonWalker) leaveValue() {
	w.path = w.path[:len(w.path)-1]
	_, _ = w.dec.Token() // the closing bracket
}

func (e *Export) recordAmbiguous(places []string) {
	for _, at := range places {
		e.recordProblem("%s: is listed more than once with different values, and none of them is taken", at)
	}
}

type document struct {
	path string
	body object
}

// maxStep is the longest key that a path shows in full: each attribute has its path.
const maxStep = 200

// pathStep returns the step of a JSON path that leads to a key: ".key" or ["key"]; a long key is cut.
func pathStep(key string) string {
	if len(key) > maxStep {
		key = strings.ToValidUTF8(key[:maxStep], "") + "..."
	}
	if strings.ContainsAny(key, " .[]/#@") {
		return fmt.Sprintf("[%q]", key)
	}
	return "." + key
}

// within returns the object below the keys, nil if there is none.
func within(o object, keys ...string) object {
	for _, key := range keys {
		o, _ = o[key].(object)
	}
	return o
}

func stringMember(o object, key string) string {
	s, _ := o[key].(string)
	return cleanValue(s)
}

// scalarText returns the text of a string, number or boolean; false for null, objects and arrays.
func scalarText(v any) (string, bool) {
	switch v := v.(type) {
	case string:
		return cleanValue(v), true
	case json.Number:
		return v.String(), true
	case bool:
		return fmt.Sprint(v), true
	default:
		return "", false
	}
}

func isBareValue(v any) bool {
	_, text := v.(string)
	return v != nil && !text
}

func scalarTexts(v any) []string {
	list, _ := v.([]any)
	var out []string
	for _, entry := range list {
		if word, ok := scalarText(entry); ok {
			out = append(out, word)
		}
	}
	return out
}
