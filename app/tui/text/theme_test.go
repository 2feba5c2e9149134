package text

import (
	"math"
	"testing"
)

func luminance(rgb uint32) float64 {
	sum := 0.0
	for i, weight := range []float64{0.2126, 0.7152, 0.0722} {
		v := float64(rgb>>(16-8*i)&255) / 255
		if v <= 0.03928 {
			v /= 12.92
		} else {
			v = math.Pow((v+0.055)/1.055, 2.4)
		}
		sum += weight * v
	}
	return sum
}

func contrast(a, b uint32) float64 {
	x, y := luminance(a), luminance(b)
	return (max(x, y) + 0.05) / (min(x, y) + 0.05)
}

// Every role can be read on the common backgrounds, and on the grounds of diffs.
func TestContrast(t *testing.T) {
	for _, row := range []struct {
		theme   *Theme
		grounds []uint32
	}{
		{DarkTheme(TrueColour), []uint32{0x000000, 0x1e1e2e, 0x282c34, 0x002b36, 0x2e3440, 0x12361f, 0x45181a}},
		{LightTheme(TrueColour), []uint32{0xffffff, 0xfafafa, 0xfdf6e3, 0xeff1f5, 0xeeeeee, 0xdcf5e2, 0xfde4e2}},
	} {
		for role := Dim; role < Roles; role++ {
			for _, g := range row.grounds {
				if c := contrast(row.theme.fore[role].rgb, g); c < 4.4 {
					t.Errorf("%s: role %d on #%06x has a contrast of %.1f", row.theme.Name, role, g, c)
				}
			}
		}
		for g := Added; g < Grounds; g++ {
			if back := row.theme.back[g]; back.fore != (colour{}) && contrast(back.fore.rgb, back.on.rgb) < 4.5 {
				t.Errorf("%s: the text on ground %d", row.theme.Name, g)
			}
		}
	}
}

func TestRender(t *testing.T) {
	line := Line{In(Plain, "a "), Bold(Error, "b"), {Text: "c", Style: Style{Link: "https://x.org"}}, {Text: "d", Style: Style{Ground: Chosen}}}
	own, err := DarkTheme(TrueColour).With(map[string]string{"error": "#ff0000"})
	if err != nil {
		t.Fatal(err)
	}
	rows := map[string]struct {
		theme *Theme
		want  string
	}{
		"true colour": {DarkTheme(TrueColour), "a \x1b[1;38;2;242;139;130mb\x1b[m\x1b]8;;https://x.org\x1b\\c\x1b]8;;\x1b\\\x1b[38;2;255;255;255;48;2;43;74;115md\x1b[m"},
		"own":         {own, "a \x1b[1;38;2;255;0;0mb\x1b[m\x1b]8;;https://x.org\x1b\\c\x1b]8;;\x1b\\\x1b[38;2;255;255;255;48;2;43;74;115md\x1b[m"},
		"256":         {DarkTheme(Colours256), "a \x1b[1;38;5;210mb\x1b[m\x1b]8;;https://x.org\x1b\\c\x1b]8;;\x1b\\\x1b[38;5;231;48;5;24md\x1b[m"},
		"16":          {DarkTheme(Colours16), "a \x1b[1;91mb\x1b[m\x1b]8;;https://x.org\x1b\\c\x1b]8;;\x1b\\\x1b[7md\x1b[m"},
		"none":        {LightTheme(NoColour), "a \x1b[1;1mb\x1b[m\x1b]8;;https://x.org\x1b\\c\x1b]8;;\x1b\\\x1b[7md\x1b[m"},
	}
	for name, row := range rows {
		if got := row.theme.Render(line); got != row.want {
			t.Errorf("%s: %q, want %q", name, got, row.want)
		}
	}
	if _, err := own.With(map[string]string{"eror": "#ff0000"}); err == nil {
		t.Error("a role that does not exist was taken")
	}
}

func TestDepthOf(t *testing.T) {
	for env, want := range map[[3]string]ColourDepth{
		{"xterm-256color", "truecolor", ""}: TrueColour, {"xterm-256color", "", ""}: Colours256, {"xterm", "", ""}: Colours16,
		{"xterm-256color", "truecolor", "1"}: NoColour, {"dumb", "", ""}: NoColour, {"xterm-kitty", "", ""}: TrueColour,
	} {
		got := DepthOf(func(name string) string {
			return map[string]string{"TERM": env[0], "COLORTERM": env[1], "NO_COLOR": env[2]}[name]
		})
		if got != want {
			t.Errorf("%v: %d, want %d", env, got, want)
		}
	}
}
