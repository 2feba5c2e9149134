package text

import (
	"strconv"
	"strings"
)

// ColourDepth is how many colours a terminal has.
type ColourDepth uint8

// The depths. The zero value is none: only bold, underlined and reversed text.
const (
	NoColour   ColourDepth = iota
	Colours16              // 16
	Colours256             // 256
	TrueColour             // 24 bits
)

// DepthOf finds out how many colours a terminal has, from its environment alone: nothing is run and nothing is asked.
func DepthOf(getenv func(string) string) ColourDepth {
	term, colorterm := strings.ToLower(getenv("TERM")), strings.ToLower(getenv("COLORTERM"))
	switch {
	case getenv("NO_COLOR") != "", term == "dumb":
		return NoColour
	case colorterm == "truecolor", colorterm == "24bit", getenv("WT_SESSION") != "", strings.HasSuffix(term, "-direct"),
		strings.Contains(term, "kitty"), strings.Contains(term, "ghostty"), strings.Contains(term, "alacritty"), strings.Contains(term, "wezterm"),
		strings.Contains(term, "foot"):
		return TrueColour
	case strings.Contains(term, "256color"), strings.HasPrefix(term, "tmux"), strings.HasPrefix(term, "screen"), term == "":
		return Colours256
	}
	return Colours16
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
