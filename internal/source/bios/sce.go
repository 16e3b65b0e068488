package bios

import (
	"fmt"
	"regexp"
	"strings"
	"sync"
)

// isQuestion recognises an entry of an AMI SCE dump: a UEFI question with its title and its number
// or value.
func isQuestion(o object) bool {
	_, title := o["Title"].(string)
	_, id := o["Question Id"]
	_, value := o["Value"]
	return title && (id || value)
}

// decodeSCE decodes the JSON dump of AMI's setup configuration editor (SCE), which ASRock Rack provides. Values are
// numbers with titles.
func decodeSCE(list []any) (*Export, error) {
	e := &Export{Format: SCE, Vendor: ASRockRack}
	for i, v := range list {
		at := fmt.Sprintf("$[%d]", i)
		o, ok := v.(object)
		if !ok || !isQuestion(o) {
			e.problem("%s: no question, expected Title and Value", at)
			continue
		}
		a := Attribute{Name: stringMember(o, "Title"), Place: at}
		a.Value, a.Stated = scalar(o["Value"])
		a.Default, _ = scalar(o[";Default Value"])
		options, _ := o["Valid Value"].([]any)
		for _, option := range options {
			choice, ok := option.(object)
			if !ok {
				continue
			}
			title := stringMember(choice, "Title")
			a.Options = append(a.Options, title)
			if number, ok := scalar(choice["Value"]); ok && number == a.Value && a.Stated {
				a.Text = title
			}
		}
		if err := e.add(a); err != nil {
			return nil, err
		}
	}
	e.Complete = len(e.Attributes) >= 40
	return e, nil
}

// Patterns of lines of AMI's SCELNX (SCEWIN): "Name = value // comment" and an option "*[0F]Auto".
var (
	sceLine   = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^(Setup Question|Options|Value)\s*=\s*(.*)$`) })
	sceOption = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^(\*?)\[([0-9A-Fa-f]+)\](.*)$`) })
)

// decodeSCEText decodes the script that "SCELNX /o" writes: a block for each question of setup, in which a star marks the
// current option, or a number is in angle brackets.
func decodeSCEText(lines []textLine) (*Export, error) {
	e := &Export{Format: SCE, Vendor: AMI, Guessed: true}
	var a *Attribute
	finish := func() error {
		if a == nil {
			return nil
		}
		return e.add(*a)
	}
	for _, l := range lines {
		text, _, _ := strings.Cut(l.text, "\t//")
		text, _, _ = strings.Cut(text, " // ")
		if m := sceLine().FindStringSubmatch(text); m != nil {
			switch m[1] {
			case "Setup Question":
				if err := finish(); err != nil {
					return nil, err
				}
				a = &Attribute{Name: cleanValue(m[2]), Place: l.place()}
				continue
			case "Value":
				if a != nil {
					a.Value, a.Stated = strings.Trim(cleanValue(m[2]), "<>"), true
				}
				continue
			}
			text = m[2]
		}
		if m := sceOption().FindStringSubmatch(cleanValue(text)); m != nil && a != nil {
			title := cleanValue(m[3])
			a.Options = append(a.Options, title)
			switch {
			case m[1] != "" && a.Stated:
				e.problem("%s: a second star among the options of %q", l.place(), a.Name)
				a.Stated, a.Value = false, ""
			case m[1] != "":
				a.Value, a.Stated = title, true
			}
		}
	}
	if err := finish(); err != nil {
		return nil, err
	}
	e.Complete = len(e.Attributes) >= 40
	return e, e.some(lines, "Setup Question = ... with a star at one of its options")
}
