package guards

import (
	"strings"

	"rein/guard"
)

// mostOrigins bounds how many words of one call Origins explains.
const mostOrigins = 6

// Origins says where words in the arguments of a call come from: a whole argument, else the places that it names. The earliest text counts that
// has them. Words that no text has are the model's own, and are left out.
func (t *Taint) Origins(c guard.Case) (all []guard.Origin) {
	args := t.argumentsOf(c)
	defer t.locked()()
	s := t.known(c.Session)
	if t.read(s); s == nil {
		return nil
	}
	seen := map[string]bool{}
	explain := func(words string) bool {
		folded := fold(words)
		for i := range s.heard {
			p := &s.heard[i]
			if strings.Contains(p.text(), folded) {
				if !seen[folded] {
					seen[folded] = true
					all = append(all, guard.Origin{Words: oneLine(words), From: p.label(), Text: quote(p.raw, strings.TrimSpace(folded))})
				}
				return true
			}
		}
		return false
	}
	for _, arg := range args {
		if len(all) >= mostOrigins {
			break
		}
		words := strings.Fields(fold(arg))
		if n := len(strings.Join(words, " ")); n < leastTarget || len(words) == 1 && c.Intent.Command != "" && !namesPlace(writeSink, words[0]) || explain(arg) {
			continue
		}
		for _, word := range words {
			if len(all) < mostOrigins && namesPlace(writeSink, word) {
				explain(word)
			}
		}
	}
	return all
}

// oneLine is the beginning of a text, on one line.
func oneLine(text string) string {
	text = strings.Join(strings.Fields(text), " ")
	if len(text) > mostQuoted {
		text = strings.ToValidUTF8(text[:mostQuoted], "") + "…"
	}
	return text
}
