package host

import "strings"

// Cmdline is the kernel command line.
type Cmdline struct {
	Source Source
	// Line is /proc/cmdline as read.
	Line Value[string]
	// Options are its words in order; for most options the last one wins.
	Options []Option
}

// Option is one word of the command line: "numa=off", "quiet".
type Option struct {
	Key, Value string
	// HasValue tells "key=" from "key".
	HasValue bool
	// Raw is the word as it stands there, with its quotes.
	Raw string
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
		c.Options = ParseCmdline(line)
	}
	c.Source = sourceOf("cmdline", []outcomer{c.Line})
	return c
}

// Last returns the last option of that key.
func (c *Cmdline) Last(key string) (Option, bool) {
	for i := len(c.Options) - 1; i >= 0; i-- {
		if c.Options[i].Key == key {
			return c.Options[i], true
		}
	}
	return Option{}, false
}

// maxOptions bounds the words of a command line.
const maxOptions = 4096

// ParseCmdline splits a command line as the kernel does (lib/cmdline.c): words
// end at blanks outside double quotes; quotes around the word or its value are
// no part of it. Words after "--" belong to init and are left out.
func ParseCmdline(line string) []Option {
	var out []Option
	rest := line
	for len(out) < maxOptions {
		rest = strings.TrimLeft(rest, " \t\r\n\v\f")
		if rest == "" {
			break
		}
		word := rest[:WordEnd(rest)]
		rest = rest[len(word):]
		if word == "--" {
			break
		}
		out = append(out, option(word))
	}
	return out
}

// WordEnd is the length of the word of a command line that s begins with: it
// ends at a blank outside double quotes.
func WordEnd[T string | []byte](s T) int {
	quoted := false
	for i := range len(s) {
		switch c := s[i]; {
		case c == '"':
			quoted = !quoted
		case !quoted && strings.IndexByte(" \t\r\n\v\f", c) >= 0:
			return i
		}
	}
	return len(s)
}

func option(word string) Option {
	o := Option{Raw: word}
	bare := word
	if strings.HasPrefix(bare, `"`) {
		bare = strings.TrimSuffix(bare[1:], `"`)
	}
	o.Key, o.Value, o.HasValue = strings.Cut(bare, "=")
	if strings.HasPrefix(o.Value, `"`) {
		o.Value = strings.TrimSuffix(o.Value[1:], `"`)
	}
	return o
}
