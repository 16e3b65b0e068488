package patch

import (
	"fmt"
	"strings"

	"github.com/memaudit/memaudit/internal/model/settings"
	"github.com/memaudit/memaudit/internal/source/bios"
)

// said is a change as a comment says it.
func (c *Change) said() string {
	from := c.From
	if from == "" {
		from = "(not stated)"
	}
	return fmt.Sprintf("%s: %s, %s -> %s", c.Setting, c.Attribute.Name, from, c.To)
}

// shell is a comment line and a command line for every change.
func (p *Patch) shell(command func(i int, c *Change) string) string {
	var b strings.Builder
	for i := range p.Changes {
		c := &p.Changes[i]
		fmt.Fprintf(&b, "# %s\n%s\n", settings.OneLine(c.said()), command(i, c))
	}
	return b.String()
}

// racadm sets one attribute a line; without the job nothing would happen at
// the next boot.
func (p *Patch) racadm() string {
	return p.shell(func(_ int, c *Change) string {
		return "racadm set " + settings.ShellWord(c.Group+"."+c.Attribute.Name) + " " + settings.ShellWord(c.To)
	}) + "racadm jobqueue create BIOS.Setup.1-1\n"
}

// ilorest sets one attribute a line and commits with the last.
func (p *Patch) ilorest() string {
	return p.shell(func(i int, c *Change) string {
		line := "ilorest set " + settings.ShellWord(c.Attribute.Name+"="+c.To) + " --select Bios."
		if i == len(p.Changes)-1 {
			line += " --commit"
		}
		return line
	})
}

// onecli sets one attribute a line; IBM's machines have its predecessor.
func (p *Patch) onecli() string {
	return p.shell(func(_ int, c *Change) string {
		if p.Export.Vendor == bios.IBM {
			return "asu set " + settings.ShellWord(c.Attribute.Name) + " " + settings.ShellWord(c.To)
		}
		name, word := c.Attribute.Name, c.To
		if p.Export.Format == bios.Redfish && p.oneCLI(c) {
			name, word, _ = p.maker.src.Table.InForm(name, word, settings.FormASU)
		}
		return "onecli config set " + settings.ShellWord(name) + " " + settings.ShellWord(word) + " --override"
	})
}

// syscfg sets one option a line; the options of a command (the profile of power) need the override of
// the setup password.
func (p *Patch) syscfg() string {
	return p.shell(func(_ int, c *Change) string {
		pair := settings.ShellWord(c.Attribute.Name + "=" + c.To)
		if c.Group != "" {
			return "syscfg " + c.Group + " -" + pair + " --setuppwdoverride"
		}
		return "syscfg --" + pair
	})
}
