package server

import (
	"io/fs"
	"maps"
	"math"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// Each pair of colours that is used together can be read: 4.5 for text, 3 for the edges of controls.
func TestColoursCanBeRead(t *testing.T) {
	names, err := fs.Glob(pageFiles(), "assets/*.css")
	if err != nil || len(names) != 1 {
		t.Fatal(names, err)
	}
	css, err := fs.ReadFile(pageFiles(), names[0])
	if err != nil {
		t.Fatal(err)
	}
	themes := []map[string]string{{}} // light, dark of the system, dark by choice
	for _, m := range regexp.MustCompile(`--([a-z0-9-]+):\s*#([0-9a-fA-F]{3,6})\b`).FindAllStringSubmatch(string(css), -1) {
		if _, again := themes[len(themes)-1][m[1]]; again {
			themes = append(themes, map[string]string{})
		}
		if len(m[2]) == 3 { // the build shortens colours
			m[2] = strings.Repeat(m[2][:1], 2) + strings.Repeat(m[2][1:2], 2) + strings.Repeat(m[2][2:], 2)
		}
		themes[len(themes)-1][m[1]] = strings.ToLower(m[2])
	}
	if len(themes) != 3 || !maps.Equal(themes[1], themes[2]) {
		t.Fatalf("%d sets of colours; the dark ones are to be equal", len(themes))
	}
	type pair struct {
		fore, back string
		least      float64
	}
	var pairs []pair
	add := func(least float64, fore, back string) {
		for _, f := range strings.Fields(fore) {
			for _, b := range strings.Fields(back) {
				pairs = append(pairs, pair{f, b, least})
			}
		}
	}
	add(4.5, "text text-2 text-3 accent allow ask deny run sub", "bg surface sunken")
	add(4.5, "text text-2 code-key code-string code-number", "allow-tint deny-tint allow-mark deny-mark")
	add(4.5, "code-key code-string code-number code-comment", "surface sunken")
	add(3, "line-strong focus", "bg surface")
	for _, name := range []string{"allow", "ask", "deny", "run", "sub"} {
		add(4.5, name, name+"-tint")
	}
	add(4.5, "on-accent", "accent")
	for i, theme := range themes[:2] {
		for _, p := range pairs {
			if got := contrast(t, theme[p.fore], theme[p.back]); got < p.least {
				t.Errorf("theme %d: %s on %s has a contrast of %.2f, at least %.1f", i, p.fore, p.back, got, p.least)
			}
		}
	}
}

// contrast is the ratio of WCAG 2 between two colours.
func contrast(t *testing.T, a, b string) float64 {
	x, y := luminance(t, a), luminance(t, b)
	return (max(x, y) + 0.05) / (min(x, y) + 0.05)
}

func luminance(t *testing.T, colour string) (sum float64) {
	t.Helper()
	if len(colour) != 6 {
		t.Fatalf("%q is no colour", colour)
	}
	for i, weight := range []float64{0.2126, 0.7152, 0.0722} {
		n, err := strconv.ParseUint(colour[2*i:2*i+2], 16, 8)
		if err != nil {
			t.Fatal(err)
		}
		c := float64(n) / 255
		if c <= 0.03928 {
			c /= 12.92
		} else {
			c = math.Pow((c+0.055)/1.055, 2.4)
		}
		sum += weight * c
	}
	return sum
}
