package html_test

import (
	htmlesc "html"
	"regexp"
	"strings"
	"testing"

	"github.com/memaudit/memaudit/internal/report"

	"github.com/stretchr/testify/require"
)

func number(n int) *int { return &n }

var tags = regexp.MustCompile(`(<[^>]*>\s*)+`)

// wordsOf returns the text of a part of a page, with a bar at the end of each element.
func wordsOf(t *testing.T, r *report.Report, begins, ends string) string {
	t.Helper()
	page := pageOf(t, r)
	nodes(t, page)
	_, page, found := strings.Cut(page, begins)
	require.True(t, found, begins)
	page, _, _ = strings.Cut(page, ends)
	return htmlesc.UnescapeString(tags.ReplaceAllString("<"+page, "|"))
}

func section(t *testing.T, r *report.Report, id string) string {
	t.Helper()
	return wordsOf(t, r, `<section id="`+id+`"`, "</section>")
}
