package bios

import "fmt"

// isQuestion recognises an entry of an AMI SCE dump: a UEFI question with its title and its number
// or value.
func isQuestion(o object) bool {
	_, title := o["Title"].(string)
	_, id := o["Question Id"]
	_, value := o["Value"]
	return title && (id || value)
}

// decodeSCE decodes the JSON dump of AMI's setup configuration editor (SCE), which ASRock Rack
// provides. Values are numbers, with their titles beside them.
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
