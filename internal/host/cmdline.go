package host

import (
	"strings"

	"github.com/memaudit/memaudit/internal/kerneltext"
)

// Cmdline is the kernel command line.
type Cmdline struct {
	Source Source
	// Line is /proc/cmdline, trimmed.
	Line Value[string]
	// Options are its words in order; the last one counts for most options.
	Options []kerneltext.Option
}

// ReadCmdline reads /proc/cmdline.
func ReadCmdline(root *Root) *Cmdline {
	r := newReader(root)
	c := &Cmdline{}
	b, err := r.line("/proc/cmdline", LimitList)
	if err != nil {
		c.Line = unknown[string](err)
	} else {
		line := strings.ToValidUTF8(string(b), "\uFFFD")
		c.Line = known(line, "/proc/cmdline", line)
		c.Options = kerneltext.ParseCmdline(line)
	}
	c.Source = sourceOf("cmdline", []outcomer{c.Line})
	return c
}
