package settings

import (
	"fmt"
	"path"
	"slices"
	"strings"
)

// Offers reports whether a tool is on offer. patterns are names with the wildcards of path.Match, those with a minus leave tools
// out, and the last one that matches decides. Where no pattern names tools without a minus, all others are on offer.
func Offers(patterns []string, tool string) bool {
	on := !slices.ContainsFunc(patterns, func(p string) bool { return !strings.HasPrefix(p, "-") })
	for _, p := range patterns {
		name, off := strings.CutPrefix(p, "-")
		if ok, err := path.Match(name, tool); ok && err == nil {
			on = !off
		}
	}
	return on
}

// CheckOffer refuses patterns that match nothing because they are not well formed.
func CheckOffer(patterns []string) error {
	for _, p := range patterns {
		if name, _ := strings.CutPrefix(p, "-"); name == "" {
			return fmt.Errorf("tools: an empty name")
		} else if _, err := path.Match(name, ""); err != nil {
			return fmt.Errorf("tools: %q: %w", p, err)
		}
	}
	return nil
}

// ToolSearch says from when on the tools of servers, and rarely used ones of our own, are shown to the model only when it
// searches for them. Zero means the default.
type ToolSearch struct {
	Off   bool `json:"off,omitempty"`   // always show all of them
	Share int  `json:"share,omitempty"` // percent of the model's window that their definitions may take: 10
	Count int  `json:"count,omitempty"` // of them: 60
}
