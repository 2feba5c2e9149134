package edit

import (
	"fmt"
	"strings"
)

// Reason is why an edit was refused.
type Reason string

// The reasons of refusals.
const (
	EmptyOld    Reason = "empty_old"   // old_text has nothing but blanks
	NoChange    Reason = "no_change"   // the edit changes nothing
	NotFound    Reason = "not_found"   // old_text is not in the file
	Ambiguous   Reason = "ambiguous"   // several places fit
	Truncated   Reason = "truncated"   // old_text begins or ends inside a word
	Placeholder Reason = "placeholder" // new_text leaves text out
	InComment   Reason = "in_comment"  // the only place is commented out
	Unclear     Reason = "unclear"     // the place is known, what to write there is not
	WrongCount  Reason = "wrong_count" // not as many places as expected
	Overlap     Reason = "overlap"     // two edits change the same lines
	Applied     Reason = "applied"     // new_text is there already
	TooMuch     Reason = "too_much"    // over a limit of size or time
)

// Place is a region of the file that a refusal names.
type Place struct {
	First, Last int    // lines from one, both included
	Diff        string // the model's lines beside the file's where they differ; may be empty
}

// Refusal is the error of an edit that was not made. Its text is for the model: what happened, where, and what to send
// instead.
type Refusal struct {
	Reason Reason
	Edit   int // index of the edit
	Text   string
	Hint   string
	Places []Place
}

func refuse(reason Reason, text, hint string) *Refusal {
	return &Refusal{Reason: reason, Text: text, Hint: hint}
}

// refusalLines bounds the text of a refusal.
const refusalLines = 60

// Error is the whole message, at most refusalLines lines and some more for the hint.
func (r *Refusal) Error() string {
	var b strings.Builder
	b.WriteString(r.Text)
	left := refusalLines
	for _, p := range r.Places {
		if p.Diff == "" {
			continue
		}
		fmt.Fprintf(&b, "\nClosest: %s (- yours, + file):", lineRange(p.First, p.Last))
		for l := range strings.SplitSeq(strings.TrimRight(p.Diff, "\n"), "\n") {
			if left--; left < 0 {
				b.WriteString("\n…")
				break
			}
			b.WriteString("\n" + l)
		}
	}
	if r.Hint != "" {
		b.WriteString("\n" + r.Hint)
	}
	return b.String()
}

// Refusals is the error of a call with several edits of which some were refused. Nothing was changed.
type Refusals struct {
	Of   int // how many edits the call had
	Each []*Refusal
}

// Error lists every failing edit with its index.
func (r *Refusals) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "Edits that do not match: %d of %d. Nothing was changed.", len(r.Each), r.Of)
	for _, e := range r.Each {
		fmt.Fprintf(&b, "\nEdit %d: %s", e.Edit+1, e.Error())
	}
	return b.String()
}

// Unwrap gives the single refusals to errors.As.
func (r *Refusals) Unwrap() []error {
	out := make([]error, len(r.Each))
	for i, e := range r.Each {
		out[i] = e
	}
	return out
}
