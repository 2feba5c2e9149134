package model

import (
	"fmt"
	"slices"
)

// Thinking says how a request may choose how long a model thinks.
type Thinking struct {
	Never   bool     // the model does not think: the other fields are empty
	Efforts []string // the words that the model takes
	Switch  bool     // thinking can be switched off
	Budget  bool     // the model takes a number of tokens,
	Min     int      // not less than this,
	Max     int      // and not more than this; zero: no bound is known
}

// efforts are the words for how long to think, the shortest first.
var efforts = [...]string{"none", "minimal", "low", "medium", "high", "xhigh", "max"}

// Effort returns the word that the model takes and that is nearest to want, the weaker one of two. It is "" when want is,
// and when the model takes no word. A note says what is sent instead of want; it is "" where that is want itself. When
// nothing is known of the model's thinking, the word is want.
func (i Info) Effort(want string) (word, note string) {
	if want == "" || i.Thinking == nil || slices.Contains(i.Thinking.Efforts, want) {
		return want, ""
	}
	if word = nearest(i.Thinking.Efforts, want); word == "" {
		return "", fmt.Sprintf("%s does not take an effort, so %q is not sent", i.Name, want)
	}
	return word, fmt.Sprintf("%s does not take the effort %q, so %q is sent", i.Name, want, word)
}

func nearest(words []string, want string) string {
	if want != "none" && slices.Contains(words, "default") {
		return "default" // thinking is on or off
	}
	best, far := "", len(efforts)
	at := slices.Index(efforts[:], want)
	for n, word := range efforts {
		if word == "none" && want != "none" {
			continue // who asks for thinking gets some
		}
		if distance := max(n-at, at-n); distance < far && slices.Contains(words, word) {
			best, far = word, distance
		}
	}
	return best
}

// Tokens returns the number of tokens for thinking that the model takes and that is nearest to want.
func (t *Thinking) Tokens(want int) int {
	if t == nil {
		return want
	}
	if want == 0 && t.Switch {
		return 0
	}
	if t.Max > 0 {
		want = min(want, t.Max)
	}
	return max(want, t.Min)
}
