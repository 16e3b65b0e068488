package patch

import (
	"fmt"
	"strings"

	"github.com/memaudit/memaudit/internal/bios"
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
		fmt.Fprintf(&b, "# %s\n%s\n", oneLine(c.said()), command(i, c))
	}
	return b.String()
}

// racadm sets one attribute a line; without the job nothing would happen at
// the next boot.
func (p *Patch) racadm() string {
	return p.shell(func(_ int, c *Change) string {
		return "racadm set " + c.Group + "." + quoted(c.Attribute.Name) + " " + quoted(c.To)
	}) + "racadm jobqueue create BIOS.Setup.1-1\n"
}

// ilorest sets one attribute a line and commits with the last.
func (p *Patch) ilorest() string {
	return p.shell(func(i int, c *Change) string {
		line := "ilorest set " + quoted(c.Attribute.Name+"="+c.To) + " --select Bios."
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
			return "asu set " + quoted(c.Attribute.Name) + " " + quoted(c.To)
		}
		return "onecli config set " + quoted(c.Attribute.Name) + " " + quoted(c.To) + " --override"
	})
}

// plainWord are the characters that mean nothing to a shell.
const plainWord = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-+:,=@%"

// quoted is one word of a shell's command line, whatever is in it. A line break
// would end the command: it becomes a space.
func quoted(s string) string {
	s = oneLine(s)
	if s != "" && strings.Trim(s, plainWord) == "" {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

// oneLine makes one line without control characters of a text.
func oneLine(s string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f {
			return ' '
		}
		return r
	}, s)
}
