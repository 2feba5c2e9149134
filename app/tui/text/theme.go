package text

import (
	"fmt"
	"strconv"
	"strings"
)

// colour is one colour for each depth: #rrggbb, an index of the 256, an index of the 16 (-1 is the terminal's own).
type colour struct {
	rgb     uint32
	indexed int
	basic   int
}

// Theme turns styled text into what a terminal is sent. It does not change; With gives a changed copy.
type Theme struct {
	Name  string
	Depth ColourDepth
	fore  [Roles]colour
	back  [Grounds]ground
}

// ground is a background, and the text on it where it is not the usual one.
type ground struct {
	on   colour
	fore colour // indexed 0: as the role has it
	mark string // SGR parameters where there are no colours
}

// DarkTheme is for terminals with a dark background, LightTheme for light ones. Both have a contrast of at least 4.5 to 1 on
// the common backgrounds.
func DarkTheme(d ColourDepth) *Theme {
	return &Theme{Name: "dark", Depth: d, fore: darkText, back: darkGrounds}
}

// LightTheme returns the theme for a light ground.
func LightTheme(d ColourDepth) *Theme {
	return &Theme{Name: "light", Depth: d, fore: lightText, back: lightGrounds}
}

// UnknownTheme is for a background that is not known: few colours, which can be read on both.
func UnknownTheme(d ColourDepth) *Theme {
	return &Theme{Name: "unknown", Depth: min(d, Colours16), fore: basicText, back: darkGrounds}
}

// ThemeNamed is the theme of a name: dark, light or none. Another name is what the environment says about the background.
func ThemeNamed(name string, getenv func(string) string) *Theme {
	depth := DepthOf(getenv)
	dark, known := DarkBackground(getenv)
	switch {
	case name == "none":
		return DarkTheme(NoColour)
	case name == "dark", name != "light" && known && dark:
		return DarkTheme(depth)
	case name == "light", known:
		return LightTheme(depth)
	}
	return UnknownTheme(depth)
}

// Render returns the escape sequences and the text of a line. Styles end with the line.
func (t *Theme) Render(l Line) string {
	var b strings.Builder
	t.Append(&b, l)
	return b.String()
}

// Append is Render into a builder.
func (t *Theme) Append(b *strings.Builder, l Line) {
	for _, s := range l {
		sgr := t.sgr(s.Style)
		if s.Link != "" {
			b.WriteString("\x1b]8;;" + s.Link + "\x1b\\")
		}
		if sgr != "" {
			b.WriteString("\x1b[" + sgr + "m")
		}
		b.WriteString(s.Text)
		if sgr != "" {
			b.WriteString("\x1b[m")
		}
		if s.Link != "" {
			b.WriteString("\x1b]8;;\x1b\\")
		}
	}
}

// sgr returns the parameters of the style.
func (t *Theme) sgr(s Style) string {
	if s == (Style{}) || s == (Style{Link: s.Link}) {
		return ""
	}
	var p []string
	add := func(on bool, code string) {
		if on {
			p = append(p, code)
		}
	}
	add(s.Bold, "1")
	add(s.Italic, "3")
	add(s.Under || s.Link != "", "4")
	add(s.Strike, "9")
	g := t.back[s.Ground]
	fore := t.fore[s.Role]
	if g.fore != (colour{}) {
		fore = g.fore
	}
	if t.Depth == NoColour {
		add(g.mark != "", g.mark)
		add(s.Role == Error || s.Role == Warn, "1")
		return strings.Join(p, ";")
	}
	p = append(p, fore.code(t.Depth, 38)...)
	if s.Ground != NoGround {
		if t.Depth == Colours16 {
			add(g.mark != "", g.mark)
		} else {
			p = append(p, g.on.code(t.Depth, 48)...)
		}
	}
	return strings.Join(p, ";")
}

// code returns the parameters of a colour; plane is 38 for text and 48 for what is behind it.
func (c colour) code(d ColourDepth, plane int) []string {
	switch {
	case c == colour{}:
		return nil
	case d == TrueColour:
		return []string{strconv.Itoa(plane), "2", strconv.Itoa(int(c.rgb >> 16)), strconv.Itoa(int(c.rgb >> 8 & 255)), strconv.Itoa(int(c.rgb & 255))}
	case d == Colours256:
		return []string{strconv.Itoa(plane), "5", strconv.Itoa(c.indexed)}
	case c.basic < 0:
		return nil
	case c.basic < 8:
		return []string{strconv.Itoa(plane - 8 + c.basic)}
	}
	return []string{strconv.Itoa(plane + 52 + c.basic - 8)}
}

// roleNames are the names of the roles in settings.
var roleNames = map[string]Role{
	"text": Plain, "dim": Dim, "accent": Accent, "ok": OK, "warn": Warn, "error": Error, "mode": Mode,
	"code": Code, "keyword": Keyword, "string": String, "comment": Comment, "number": Number, "name": Name,
}

// With returns a copy in which roles have other colours, written as "#rrggbb".
func (t *Theme) With(colours map[string]string) (*Theme, error) {
	out := *t
	for name, value := range colours {
		role, ok := roleNames[name]
		if !ok {
			return nil, fmt.Errorf("the theme has no role %q", name)
		}
		rgb, err := strconv.ParseUint(strings.TrimPrefix(value, "#"), 16, 32)
		if err != nil || len(value) != 7 || value[0] != '#' {
			return nil, fmt.Errorf("the colour of %q is %q: expected #rrggbb", name, value)
		}
		out.fore[role] = colour{uint32(rgb), nearest(uint32(rgb)), -1}
	}
	return &out, nil
}

// nearest returns the index of the colour cube that is closest.
func nearest(rgb uint32) int {
	level := func(v uint32) int {
		if v < 48 {
			return 0
		}
		return min(int(v-35)/40, 5)
	}
	return 16 + 36*level(rgb>>16) + 6*level(rgb>>8&255) + level(rgb&255)
}
