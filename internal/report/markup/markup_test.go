package markup_test

import (
	"html"
	"strings"
	"testing"
	"unicode"

	"github.com/memaudit/memaudit/internal/report/markup"
)

func TestWriter(t *testing.T) {
	w := &markup.Writer{}
	w.Open("p", markup.Class("a"), markup.Int("data-n", -3))
	w.Text("x < y")
	w.Void("br")
	w.Shape("rect", markup.Attr{Name: "x", Value: `"`})
	w.Element("b", "&")
	w.Close()
	w.Line()
	if want := `<p class="a" data-n="-3">x &lt; y<br><rect x="&#34;"/><b>&amp;</b></p>` + "\n"; string(w.Bytes()) != want {
		t.Errorf("%s, expected %s", w.Bytes(), want)
	}
}

// FuzzText: html.UnescapeString is the outside truth of what a browser reads,
// and no text ends its element or attribute.
func FuzzText(f *testing.F) {
	for _, seed := range []string{"", "plain", `<script>alert("1")</script>`, "a\x00b\x1b[31m\u202e", "é 日本 \xff\xfe", "'\"&<>&amp;", "two\nlines"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		w := &markup.Writer{}
		w.Text(text)
		got := string(w.Bytes())
		if strings.ContainsAny(got, `<"'`) {
			t.Errorf("%q ends its element or attribute", got)
		}
		if want := cleanLines(text); html.UnescapeString(got) != want {
			t.Errorf("%q is read as %q, expected %q", got, html.UnescapeString(got), want)
		}
	})
}

// cleanLines is what a reader may see: printable runes and newlines, all else
// as '?'.
func cleanLines(text string) string {
	var out []rune
	for _, r := range text {
		if r == '\n' || r != unicode.ReplacementChar && unicode.IsPrint(r) {
			out = append(out, r)
			continue
		}
		out = append(out, '?')
	}
	return string(out)
}
