package agent

import (
	"fmt"

	"rein/event"
	"rein/model"
)

// boundary returns the number of the last event that notes may replace so that the messages after it take at most tail
// tokens. A call is never parted from its result. 0 means that there is nothing to replace.
func (h *measuredHistory) boundary(tail int) (to int64) {
	keep, used := len(h.items), 0
	for i := len(h.items) - 1; i >= 0 && !h.items[i].notes; i-- {
		used += h.fix[h.asked].apply(h.items[i].estimate)
		if used > tail {
			break
		}
		if h.items[i].message.Role != model.Results {
			keep = i
		}
	}
	for _, it := range h.items[:h.atom(keep)] {
		if !it.notes {
			to = max(to, it.seq)
		}
	}
	return to
}

// atom moves a cut back to where no call is parted from its result.
func (h *measuredHistory) atom(cut int) int {
	for cut > 0 && cut < len(h.items) && h.items[cut].message.Role == model.Results {
		cut--
	}
	return cut
}

// cutCompaction is a compaction without a model: what is left out until the conversation fits.
type cutCompaction struct {
	To         int64 // see event.Compaction
	References []event.Reference
	Notes      int // tokens that the notes may have
}

// CutTo returns what to leave out so that the conversation takes at most aim tokens together with notes of l.Anchors tokens.
// Whole messages go, the oldest first; then the results that are left are cut to their first and last lines; then everything
// goes, and the notes are the conversation. It fails only when the system prompt and the tools leave no room for notes.
func (h *measuredHistory) CutTo(l CompactionLimits, aim int) (cutCompaction, error) {
	fix := h.fix[h.asked]
	base := fix.apply(h.base)
	if room := aim - base - l.Anchors; room > 0 {
		if c, ok := h.Tail(l, room); ok {
			return c, nil
		}
	}
	c := cutCompaction{To: h.last(), Notes: min(l.Anchors, l.Usable-base)}
	if c.Notes < leastNotes {
		return cutCompaction{}, fmt.Errorf("the system prompt and the tools take %d of the %d tokens that the model takes: offer fewer tools, or use a model with a larger window", base, l.Usable)
	}
	return c, nil
}

// Tail returns the cut after which the newest messages stay, in room tokens. Where the last answer with its results needs
// more, the results are cut to their first and last lines. ok is false when nothing can stay.
func (h *measuredHistory) Tail(l CompactionLimits, room int) (c cutCompaction, ok bool) {
	if to := h.boundary(room); h.leaves(to) {
		return cutCompaction{To: to, Notes: l.Anchors}, true
	}
	return h.trimmed(l, room)
}

// leastNotes is how many tokens notes need to be of any use.
const leastNotes = 200

// leaves reports whether a message stays after the cut.
func (h *measuredHistory) leaves(to int64) bool {
	n := len(h.items)
	return n > 0 && !h.items[n-1].notes && h.items[n-1].seq > to
}

// trimmed keeps only the last answer with its results, cut so that they fit into room.
func (h *measuredHistory) trimmed(l CompactionLimits, room int) (cutCompaction, bool) {
	n := len(h.items)
	if n < 2 || h.items[n-1].message.Role != model.Results {
		return cutCompaction{}, false
	}
	asked, results := h.items[n-2], h.items[n-1]
	c := cutCompaction{To: h.before(asked.seq), Notes: l.Anchors}
	count := 0
	for _, p := range results.message.Parts {
		if p.Kind == model.ResultKind {
			count++
		}
	}
	fix := h.fix[h.asked]
	each := (room-fix.apply(asked.estimate))*2/3/max(count, 1) - perCall
	if each < shortResult/2 {
		return cutCompaction{}, false
	}
	for _, p := range results.message.Parts {
		if p.Kind == model.ResultKind && resultTokens(results.message, p.ID) > each {
			text := middle(p.Text, each, fmt.Sprintf(`; to read it: recall {"call": %q}`, p.ID))
			c.References = append(c.References, event.Reference{Call: p.ID, Text: text})
		}
	}
	return c, true
}

// before returns the number of the last message before an event.
func (h *measuredHistory) before(seq int64) (to int64) {
	for _, it := range h.items {
		if it.seq < seq && !it.notes {
			to = max(to, it.seq)
		}
	}
	return to
}

// Largest names the parts that take the most, for the message that a session does not fit.
func (h *measuredHistory) Largest() string {
	system := h.fix[h.asked].apply(h.base)
	largest, at := 0, ""
	for i, it := range h.items {
		for _, p := range it.message.Parts {
			if n := part(&p); n > largest {
				largest, at = n, describe(&p, h.callsBefore(i))
			}
		}
	}
	return fmt.Sprintf("the system prompt and the tools take %d tokens, all messages %d, the largest part of them, %s, %d",
		system, h.fix[h.asked].apply(h.sum), at, h.fix[h.asked].apply(largest))
}

func (h *measuredHistory) callsBefore(i int) []model.Part {
	if i == 0 {
		return nil
	}
	return h.items[i-1].message.Calls()
}

func describe(p *model.Part, calls []model.Part) string {
	for _, c := range calls {
		if p.Kind == model.ResultKind && c.ID == p.ID {
			return "the result of " + c.Name + " " + shorten(oneLine(c.Args), subject)
		}
	}
	switch p.Kind {
	case model.CallKind:
		return "the arguments of " + p.Name
	case model.ImageKind, model.DocumentKind:
		return "an attachment"
	}
	return fmt.Sprintf("a text that begins with %q", shorten(oneLine(p.Text), 40))
}

// contentShare is what a kind of content takes in the next request.
type contentShare struct {
	Name   string `json:"name"`
	Tokens int    `json:"tokens"`
	Count  int    `json:"count,omitempty"` // of messages, calls, results, images
}

// Parts returns what fills the request, by kind; the sum is about Tokens.
func (h *measuredHistory) Parts(system string) []contentShare {
	fix := h.fix[h.asked]
	prompt := estimateTokens(system)
	all := []contentShare{{Name: "system prompt", Tokens: fix.apply(prompt)}, {Name: "tools", Tokens: fix.apply(h.base - prompt)}}
	names := []string{"notes of compactions", "messages of the user", "answers", "thinking", "calls", "results", "references", "images and documents"}
	counts := make([]contentShare, len(names))
	for _, it := range h.items {
		for i := range it.message.Parts {
			p := &it.message.Parts[i]
			k := kind(it, p)
			counts[k].Tokens += part(p)
			counts[k].Count++
		}
	}
	for i, c := range counts {
		if c.Count > 0 {
			all = append(all, contentShare{names[i], fix.apply(c.Tokens), c.Count})
		}
	}
	return all
}

// kind returns the place of a part in the list of Parts.
func kind(it item, p *model.Part) int {
	switch {
	case it.notes:
		return 0
	case p.Attachment():
		return 7
	case p.Kind == model.ThinkingKind:
		return 3
	case p.Kind == model.CallKind:
		return 4
	case p.Kind == model.ResultKind && isReference(p.Text):
		return 6
	case p.Kind == model.ResultKind:
		return 5
	case it.message.Role == model.Assistant:
		return 2
	}
	return 1
}
