// Package history makes a conversation such that a provider accepts it: every call has its result, every text is valid,
// images and documents are of types and sizes that providers take. The conversation itself is not changed.
package history

import (
	"rein/model"
)

// Checker prepares the conversation of one session for each request. It keeps what it made of a message, so that a long
// conversation is looked at once. The zero value is ready; it is not safe for concurrent use.
type Checker struct {
	made    map[*model.Message]*model.Message // nil: the message is right as it is
	dropped map[*model.Message]bool           // a provider refused its images and documents
	images  map[*model.Message]int            // of messages that have any
}

// Legal returns the conversation as the model can be asked with it, and what was changed, once for each change.
func (c *Checker) Legal(messages []*model.Message, who model.Info) (legal []*model.Message, notes []string) {
	messages, notes = model.Repair(messages)
	if c.made == nil || len(c.made) > 2*len(messages)+1024 {
		c.made, c.images = map[*model.Message]*model.Message{}, map[*model.Message]int{}
	}
	copied, attachments := false, 0
	for i, m := range messages {
		made, seen := c.made[m]
		if !seen {
			var note []string
			made, note = c.clean(m)
			notes = append(notes, note...)
			c.made[m] = made
			if n := count(m); n > 0 {
				c.images[m] = n
			}
		}
		attachments += c.images[m]
		if made != nil {
			if !copied {
				messages, copied = append([]*model.Message(nil), messages...), true
			}
			messages[i] = made
		}
	}
	if attachments > MostAttachments && !who.TextOnly {
		messages = newest(messages)
	}
	return messages, notes
}

// clean returns a message that a provider takes in place of m; nil when it takes m.
func (c *Checker) clean(m *model.Message) (*model.Message, []string) {
	var notes []string
	var parts []model.Part
	for i := range m.Parts {
		p, note := cleaned(m.Parts[i], c.dropped[m])
		if note == unchanged {
			if parts != nil {
				parts = append(parts, p)
			}
			continue
		}
		if parts == nil {
			parts = append(make([]model.Part, 0, len(m.Parts)), m.Parts[:i]...)
		}
		parts = append(parts, p)
		if note != "" {
			notes = append(notes, note)
		}
	}
	if parts == nil {
		return nil, nil
	}
	return &model.Message{Role: m.Role, Parts: folded(m.Role, parts), From: m.From, Raw: m.Raw}, notes
}

// DropAttachments replaces the images and documents of these messages by texts from now on: a provider refused one of them
// and does not say which. It returns how many there are.
func (c *Checker) DropAttachments(messages []*model.Message) (n int) {
	if c.dropped == nil {
		c.dropped = map[*model.Message]bool{}
	}
	for _, m := range messages {
		if k := count(m); k > 0 && !c.dropped[m] {
			c.dropped[m] = true
			delete(c.made, m)
			n += k
		}
	}
	return n
}

func count(m *model.Message) (n int) {
	for i := range m.Parts {
		if m.Parts[i].Attachment() {
			n++
		}
	}
	return n
}

// newest keeps the newest images and documents and replaces the older ones by texts.
func newest(messages []*model.Message) []*model.Message {
	left := MostAttachments
	out := append([]*model.Message(nil), messages...)
	for i := len(out) - 1; i >= 0; i-- {
		m := out[i]
		if count(m) == 0 {
			continue
		}
		if left -= count(m); left >= 0 {
			continue
		}
		parts := append([]model.Part(nil), m.Parts...)
		for j := range parts {
			if parts[j].Attachment() {
				parts[j] = inWords(parts[j], "there are too many newer ones")
			}
		}
		out[i] = &model.Message{Role: m.Role, Parts: folded(m.Role, parts), From: m.From}
	}
	return out
}

// folded puts the texts among results into the results that they belong to: a message of results holds no texts.
func folded(role model.Role, parts []model.Part) []model.Part {
	if role != model.Results {
		return parts
	}
	texts := map[string]string{}
	for _, p := range parts {
		if p.Kind == model.TextKind {
			texts[p.ID] += "\n" + p.Text
		}
	}
	var out []model.Part
	for _, p := range parts {
		if p.Kind == model.ResultKind {
			p.Text += texts[p.ID]
		}
		if p.Kind != model.TextKind {
			out = append(out, p)
		}
	}
	return out
}
