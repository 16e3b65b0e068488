package html

import (
	"math"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// palettes reads the colours of the style sheet: light, dark, print.
func palettes(t *testing.T) []map[string]string {
	t.Helper()
	var out []map[string]string
	for _, root := range regexp.MustCompile(`(?s):root \{(.*?)\}`).FindAllStringSubmatch(styleSheet, -1) {
		colours := map[string]string{}
		for _, m := range regexp.MustCompile(`--([a-z-]+): #([0-9a-f]{3,6});`).FindAllStringSubmatch(root[1], -1) {
			colours[m[1]] = m[2]
		}
		out = append(out, colours)
	}
	require.Len(t, out, 3, "light, dark and paper")
	return out
}

// luminance is WCAG 2.2's relative luminance.
func luminance(t *testing.T, hex string) float64 {
	t.Helper()
	if len(hex) == 3 {
		hex = strings.Join([]string{hex[:1], hex[:1], hex[1:2], hex[1:2], hex[2:], hex[2:]}, "")
	}
	sum := 0.0
	for i, weight := range []float64{.2126, .7152, .0722} {
		n, err := strconv.ParseUint(hex[2*i:2*i+2], 16, 8)
		require.NoError(t, err)
		c := float64(n) / 255
		if c <= .04045 {
			c /= 12.92
		} else {
			c = math.Pow((c+.055)/1.055, 2.4)
		}
		sum += weight * c
	}
	return sum
}

// TestContrast checks that text has at least the contrast of 4.5 of WCAG's level AA, and marks and lines with a
// meaning the 3 of its 1.4.11, in every palette.
func TestContrast(t *testing.T) {
	for i, p := range palettes(t) {
		hold := func(front, back string, least float64) {
			a, b := luminance(t, p[front]), luminance(t, p[back])
			got := (max(a, b) + .05) / (min(a, b) + .05)
			assert.GreaterOrEqual(t, got, least, "palette %d: %s on %s is %.2f", i, front, back, got)
		}
		for _, back := range []string{"page", "sheet"} {
			for _, front := range []string{"ink", "soft", "link", "critical", "warning", "pass"} {
				hold(front, back, 4.5)
			}
		}
		for _, kind := range []string{"critical", "warning", "info", "pass", "unknown"} {
			hold(kind, kind+"-back", 4.5)
		}
		for _, back := range []string{"full", "empty", "unclear", "pass-back", "info-back", "warning-back", "critical-back"} {
			hold("ink", back, 4.5)
		}
		for _, back := range []string{"full", "empty", "unclear"} {
			hold("warning", back, 3)
			hold("soft", back, 3)
		}
		hold("full-line", "full", 3)
		hold("full-line", "sheet", 3)
	}
}
