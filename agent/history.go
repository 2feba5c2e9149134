package agent

import (
	"slices"

	"rein/event"
	"rein/model"
)

// measuredHistory is the conversation as the model gets it, with what it takes. The zero value is empty. It is not safe for
// concurrent use.
type measuredHistory struct {
	items []item
	base  int // tokens of the system prompt and the tools, as estimated

	fix     map[string]correction // by model
	asked   string                // the model that is asked
	real    int                   // what the provider counted for the first items
	counted int                   // how many items that are; 0: nothing was counted since the last change
	since   int                   // estimate of the items after them
	sum     int                   // estimate of all items
}

// item is a message with the number of its event. A call and its results have the same number: they are one atom.
type item struct {
	message  *model.Message
	seq      int64
	estimate int
	notes    bool // made by a compaction
}

// Base sets which model is asked, and what the system prompt and the tools take for it.
func (h *measuredHistory) Base(asked, system string, tools []model.ToolSpec) {
	n := estimateTokens(system)
	for _, t := range tools {
		n += (estimateTokens(t.Name) + estimateTokens(t.Description) + estimateTokens(string(t.Schema))) * 11 / 10
	}
	if asked != h.asked || n != h.base {
		h.counted, h.since = 0, h.sum
	}
	h.asked, h.base = asked, n
}

// Add adds a message. seq is the number of its event; that of results is the number of the answer that made the calls.
// With 0 the message gets a number of its own.
func (h *measuredHistory) Add(m *model.Message, seq int64) {
	if seq == 0 {
		seq = h.last()
		if m.Role != model.Results {
			seq++
		}
	}
	it := item{message: m, seq: seq, estimate: messageTokens(m)}
	h.items = append(h.items, it)
	h.since += it.estimate
	h.sum += it.estimate
}

// Answered takes what the provider counted for the request with all items so far. Add the answer after it.
func (h *measuredHistory) Answered(asked string, tokens int64) {
	input := int(tokens)
	if input <= 0 {
		return
	}
	c := h.fix[asked]
	if h.base > 0 {
		c.learn(h.base+h.sum, input)
	}
	fix := map[string]correction{asked: c}
	for name, other := range h.fix {
		if name != asked {
			fix[name] = other
		}
	}
	h.fix = fix
	if asked == h.asked {
		h.real, h.counted, h.since = input, len(h.items), 0
	}
}

// Tokens returns how much the next request takes, as far as it is known: what the provider counted last, and an estimate of
// what came after it.
func (h *measuredHistory) Tokens() int {
	if h.counted == 0 {
		return h.fix[h.asked].apply(h.base + h.sum)
	}
	return h.real + h.fix[h.asked].apply(h.since)
}

// Messages returns the conversation. The slice is not changed later.
func (h *measuredHistory) Messages() []*model.Message {
	all := make([]*model.Message, len(h.items))
	for i, it := range h.items {
		all[i] = it.message
	}
	return all
}

// Newest returns the newest messages that take at most so many tokens together with the system prompt and the tools. They
// begin where no call is parted from its result.
func (h *measuredHistory) Newest(most int) []*model.Message {
	fix := h.fix[h.asked]
	from, used := len(h.items), fix.apply(h.base)
	for i := len(h.items) - 1; i >= 0; i-- {
		if used += fix.apply(h.items[i].estimate); used > most {
			break
		}
		if h.items[i].message.Role != model.Results {
			from = i
		}
	}
	return h.Messages()[from:]
}

// Asked returns the model for which Base was called last.
func (h *measuredHistory) Asked() string { return h.asked }

// Len returns how many messages there are.
func (h *measuredHistory) Len() int { return len(h.items) }

// Clone returns a copy: changes of one do not show in the other.
func (h *measuredHistory) Clone() measuredHistory {
	c := *h
	c.items = h.items[:len(h.items):len(h.items)]
	return c
}

func (h *measuredHistory) last() int64 {
	var n int64
	for _, it := range h.items {
		n = max(n, it.seq)
	}
	return n
}

// notes are those of the last compaction.
func (h *measuredHistory) notes() string {
	for _, it := range h.items {
		if it.notes {
			return it.message.Text()
		}
	}
	return ""
}

// Apply replaces what a compaction replaced. e is its event; the messages that it points at may be gone already.
func (h *measuredHistory) Apply(e event.Event, notes *model.Message) {
	if e.Compaction == nil {
		return
	}
	var items []item
	if notes != nil {
		items = append(items, item{message: notes, seq: e.Compaction.To, estimate: messageTokens(notes), notes: true})
	}
	texts := make(map[string]string, len(e.Compaction.References))
	for _, r := range e.Compaction.References {
		texts[r.Call] = r.Text
	}
	for _, it := range h.items {
		if notes != nil && (it.notes || it.seq <= e.Compaction.To) {
			continue
		}
		items = append(items, it.replaced(texts))
	}
	h.set(items)
}

func (h *measuredHistory) set(items []item) {
	h.items, h.counted, h.sum = items, 0, 0
	for _, it := range items {
		h.sum += it.estimate
	}
	h.since = h.sum
}

// replaced returns the item with texts in place of results.
func (it item) replaced(texts map[string]string) item {
	if it.message.Role != model.Results || len(texts) == 0 ||
		!slices.ContainsFunc(it.message.Parts, func(p model.Part) bool { _, ok := texts[p.ID]; return ok }) {
		return it
	}
	m := &model.Message{Role: model.Results, From: it.message.From}
	for _, p := range it.message.Parts {
		text, gone := texts[p.ID]
		switch {
		case gone && p.Kind == model.ResultKind:
			p.Text = text
		case gone:
			continue // its images and documents
		}
		m.Parts = append(m.Parts, p)
	}
	it.message, it.estimate = m, messageTokens(m)
	return it
}

// What images and documents take, where the provider's own rule needs more than their size.
const (
	imageTokens    = 1_600
	documentTokens = 2_000   // of a page
	pageBytes      = 100_000 // of a document, for a page
	perMessage     = 4
	perCall        = 12
)

// messageTokens returns about how many tokens a message takes.
func messageTokens(m *model.Message) int {
	n := perMessage
	for i := range m.Parts {
		n += part(&m.Parts[i])
	}
	return n
}

func part(p *model.Part) int {
	switch p.Kind {
	case model.ImageKind:
		return imageTokens
	case model.DocumentKind:
		if p.MediaType == "application/pdf" {
			return documentTokens * (1 + len(p.Data)/pageBytes)
		}
		return len(p.Data) / 3
	case model.CallKind:
		return perCall + estimateTokens(p.Name) + estimateQuickly(p.Args)
	case model.ResultKind:
		return perCall + estimateQuickly(p.Text)
	}
	return estimateQuickly(p.Text)
}
