package agent

import (
	"bytes"
	"fmt"
	"regexp"
	"strings"
	"sync"
	"unicode/utf8"

	"rein/model"
)

// Shrink returns an image as every provider takes it, and what was changed: "" where it is sent as it is. An image with which it
// fails is sent as a text.
type Shrink func(image []byte) (smaller []byte, note string, err error)

// checker makes the conversation of one session such that a provider accepts it: every call has its result, every text is valid,
// images and documents are of types and sizes that providers take. The conversation itself is not changed. The checker keeps what
// it made of a message, so that a long conversation is looked at once. The zero value is ready; it is not safe for concurrent use.
type checker struct {
	made    map[*model.Message]*model.Message // nil: the message is right as it is
	dropped map[*model.Message]bool           // a provider refused its images and documents
	images  map[*model.Message]int            // of messages that have any
	told    map[string]bool                   // what was said of a broken history: it stays so with each request
}

// legal returns the conversation as the model can be asked with it, and what was changed, once for each change.
func (c *checker) legal(messages []*model.Message, who model.Info, shrink Shrink) (legal []*model.Message, notes []string) {
	messages, repaired := model.Repair(messages)
	for _, note := range repaired {
		if !c.told[note] {
			if c.told == nil {
				c.told = map[string]bool{}
			}
			c.told[note] = true
			notes = append(notes, note)
		}
	}
	if c.made == nil || len(c.made) > 2*len(messages)+1024 {
		c.made, c.images = map[*model.Message]*model.Message{}, map[*model.Message]int{}
	}
	copied, count := false, 0
	for i, m := range messages {
		made, seen := c.made[m]
		if !seen {
			var note []string
			made, note = c.clean(m, shrink)
			notes = append(notes, note...)
			c.made[m] = made
			if n := countAttachments(m); n > 0 {
				c.images[m] = n
			}
		}
		count += c.images[m]
		if made != nil {
			if !copied {
				messages, copied = append([]*model.Message(nil), messages...), true
			}
			messages[i] = made
		}
	}
	if count > mostAttachments && !who.TextOnly {
		messages = newestAttachments(messages)
	}
	return messages, notes
}

// clean returns a message that a provider takes in place of m; nil when it takes m.
func (c *checker) clean(m *model.Message, shrink Shrink) (*model.Message, []string) {
	var notes []string
	var parts []model.Part
	for i := range m.Parts {
		p, note := cleaned(m.Parts[i], c.dropped[m], shrink)
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

// dropAttachments replaces the images and documents of these messages by texts from now on: a provider refused one of them
// and does not say which. It returns how many there are.
func (c *checker) dropAttachments(messages []*model.Message) (n int) {
	if c.dropped == nil {
		c.dropped = map[*model.Message]bool{}
	}
	for _, m := range messages {
		if k := countAttachments(m); k > 0 && !c.dropped[m] {
			c.dropped[m] = true
			delete(c.made, m)
			n += k
		}
	}
	return n
}

func countAttachments(m *model.Message) (n int) {
	for i := range m.Parts {
		if m.Parts[i].Attachment() {
			n++
		}
	}
	return n
}

// newestAttachments keeps the newest images and documents and replaces the older ones by texts.
func newestAttachments(messages []*model.Message) []*model.Message {
	left := mostAttachments
	out := append([]*model.Message(nil), messages...)
	for i := len(out) - 1; i >= 0; i-- {
		m := out[i]
		if countAttachments(m) == 0 {
			continue
		}
		if left -= countAttachments(m); left >= 0 {
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

// What every provider takes.
const (
	mostAttachments = 20       // images and documents in a request; with more, one provider lowers the size that it takes
	mostDocument    = 20 << 20 // bytes of one document
)

// unchanged marks a part that is right as it is.
const unchanged = "\x00"

// cleaned returns a part that a provider takes, and what was changed; unchanged when it takes p.
func cleaned(p model.Part, drop bool, shrink Shrink) (model.Part, string) {
	switch p.Kind {
	case model.ImageKind:
		if drop {
			return inWords(p, "the provider refused the images of this conversation"), ""
		}
		return cleanImage(p, shrink)
	case model.DocumentKind:
		switch {
		case drop:
			return inWords(p, "the provider refused the documents of this conversation"), ""
		case len(p.Data) > mostDocument:
			return inWords(p, "it is too large"), fmt.Sprintf("a document of %d bytes is sent as a text: it is too large", len(p.Data))
		}
		return p, unchanged
	}
	text, args, name := valid(p.Text), p.Args, valid(p.Name)
	if p.Kind == model.CallKind {
		args = loneSurrogate().ReplaceAllStringFunc(valid(args), onlyPairs)
	}
	if text == p.Text && args == p.Args && name == p.Name {
		return p, unchanged
	}
	p.Text, p.Args, p.Name = text, args, name
	return p, ""
}

// valid returns a text with a sign in place of bytes that are no UTF-8.
func valid(text string) string {
	if utf8.ValidString(text) {
		return text
	}
	return strings.ToValidUTF8(text, "\uFFFD")
}

// loneSurrogate matches escaped halves of a character, alone or in pairs, after an even number of backslashes.
var loneSurrogate = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)\\\\|\\ud[89ab][0-9a-f]{2}(?:\\ud[c-f][0-9a-f]{2})?|\\ud[c-f][0-9a-f]{2}`)
})

// onlyPairs replaces half of a character by a sign.
func onlyPairs(found string) string {
	if found == `\\` || len(found) == 12 {
		return found
	}
	return `\ufffd`
}

// inWords is the text in place of an image or a document.
func inWords(p model.Part, why string) model.Part {
	name := p.Name
	if name != "" {
		name = " " + name
	}
	return model.Part{Kind: model.TextKind, ID: p.ID, Text: fmt.Sprintf("[The %s%s (%s, %d bytes) was not sent: %s.]", p.Kind, name, p.MediaType, len(p.Data), why)}
}

// cleanImage corrects the type of an image, and makes one that is too large smaller.
func cleanImage(p model.Part, shrink Shrink) (model.Part, string) {
	found := imageType(p.Data)
	if found == "" {
		if strings.HasPrefix(p.MediaType, "image/hei") {
			return p, unchanged
		}
		return inWords(p, "it is not an image"), "an image is sent as a text: its data are not an image"
	}
	if shrink != nil {
		data, note, err := shrink(p.Data)
		if err != nil {
			return inWords(p, "it cannot be read"), "an image is sent as a text: " + err.Error()
		}
		if note != "" {
			p.Data, p.MediaType = data, imageType(data)
			return p, note
		}
	}
	if found == p.MediaType {
		return p, unchanged
	}
	note := fmt.Sprintf("an image that was said to be %s is %s, and is sent as that", p.MediaType, found)
	p.MediaType = found
	return p, note
}

// imageType returns the type of an image by its first bytes, "" where they are of no image. It knows those that http.DetectContentType
// knows; net/http would be a third of a small program.
func imageType(data []byte) string {
	for _, image := range [...]struct{ begins, kind string }{
		{"\x89PNG\r\n\x1a\n", "png"}, {"\xff\xd8\xff", "jpeg"}, {"GIF87a", "gif"}, {"GIF89a", "gif"}, {"BM", "bmp"},
		{"\x00\x00\x01\x00", "x-icon"}, {"\x00\x00\x02\x00", "x-icon"},
	} {
		if bytes.HasPrefix(data, []byte(image.begins)) {
			return "image/" + image.kind
		}
	}
	if len(data) >= 14 && string(data[:4]) == "RIFF" && string(data[8:14]) == "WEBPVP" {
		return "image/webp"
	}
	return ""
}
