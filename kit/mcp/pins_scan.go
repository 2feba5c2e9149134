package mcp

import (
	"fmt"
	"regexp"
	"strings"
	"sync"
	"unicode"
)

// orders are phrases with which a description gives the model orders that have nothing to do with calling the tool.
var orders = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)ignore (all |any |the )?(previous|prior|above|other|earlier) (instructions?|prompts?|messages?|rules?)|` +
		`disregard (all |any |the )?(previous|prior|above|other|system)|` +
		`(do not|don't|never|without) (tell|telling|mention|mentioning|inform|informing|show|showing|reveal|revealing)( this| it)?( to)? (the )?user|` +
		`(before|after|instead of|when) (using|calling|you use|you call|invoking) (this|any|other|another|all)( other)? tools?[^.]{0,80}(must|always|first|read|send|include)|` +
		`<(important|system|instructions?|secret|admin)>|\bsystem prompt\b|you (must|should) (always|never|first) (call|use|read|send|run|execute|include)|` +
		`(\.ssh|id_rsa|\.env\b|\.aws|api[ _-]?keys?|credentials?|passwords?)[^.]{0,60}(pass|send|include|append|attach|provide|put)|` +
		`(pass|send|include|append|attach|upload)[^.]{0,60}(\.ssh|id_rsa|\.env\b|\.aws|(the|your|all) (api[ _-]?keys?|credentials?|passwords?|conversation|chat history))`)
})

// findSuspicions lists what in a text for the model could be meant to steer it: characters that nobody sees, and orders that are
// no description. Each is a line for a person. The list is a warning, not a proof.
func findSuspicions(text string) (found []string) {
	hidden := map[rune]int{}
	var order []rune
	for _, r := range text {
		if invisible(r) {
			if hidden[r] == 0 {
				order = append(order, r)
			}
			hidden[r]++
		}
	}
	for _, r := range order[:min(len(order), 4)] {
		found = append(found, fmt.Sprintf("it has hidden characters: %U (%d)", r, hidden[r]))
	}
	if m := orders().FindString(visibleText(text)); m != "" {
		found = append(found, fmt.Sprintf("it gives orders to the model: %q", m))
	}
	return found
}

// invisible reports whether a character has no shape of its own: format characters, tags, private use, controls. The
// characters that join emoji and scripts count too: a description needs none of them to be understood.
func invisible(r rune) bool {
	switch r {
	case '\n', '\t', '\r':
		return false
	case 0x115F, 0x1160, 0x3164, 0xFFA0, 0x2800, 0x034F, 0x17B4, 0x17B5:
		return true
	}
	return unicode.Is(unicode.Cf, r) || unicode.Is(unicode.Cc, r) || unicode.Is(unicode.Co, r) || unicode.Is(unicode.Variation_Selector, r) && r != 0xFE0F
}

// visibleText is the text without the characters that nobody sees.
func visibleText(text string) string {
	return strings.Map(func(r rune) rune {
		if invisible(r) {
			return -1
		}
		return r
	}, strings.ToValidUTF8(text, ""))
}
