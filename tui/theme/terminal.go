package theme

import (
	"strconv"
	"strings"
)

// DepthOf finds out how many colours a terminal has, from its environment alone: nothing is run and nothing is asked.
func DepthOf(getenv func(string) string) Depth {
	term, colorterm := strings.ToLower(getenv("TERM")), strings.ToLower(getenv("COLORTERM"))
	switch {
	case getenv("NO_COLOR") != "", term == "dumb":
		return NoColour
	case colorterm == "truecolor", colorterm == "24bit", getenv("WT_SESSION") != "", strings.HasSuffix(term, "-direct"),
		strings.Contains(term, "kitty"), strings.Contains(term, "ghostty"), strings.Contains(term, "alacritty"), strings.Contains(term, "wezterm"),
		strings.Contains(term, "foot"):
		return True
	case strings.Contains(term, "256color"), strings.HasPrefix(term, "tmux"), strings.HasPrefix(term, "screen"), term == "":
		return Indexed
	}
	return Basic
}

// DarkBackground reads COLORFGBG, which some terminals set to "foreground;background". known is false where it is not set.
func DarkBackground(getenv func(string) string) (dark, known bool) {
	fields := strings.Split(getenv("COLORFGBG"), ";")
	n, err := strconv.Atoi(fields[len(fields)-1])
	if err != nil {
		return false, false
	}
	return n < 7 || n == 8, true
}

// Chosen is the theme of a name: dark, light or none. Another name is what the environment says about the background.
func Chosen(name string, getenv func(string) string) *Theme {
	depth := DepthOf(getenv)
	dark, known := DarkBackground(getenv)
	switch {
	case name == "none":
		return Dark(NoColour)
	case name == "dark", name != "light" && known && dark:
		return Dark(depth)
	case name == "light", known:
		return Light(depth)
	}
	return Unknown(depth)
}
