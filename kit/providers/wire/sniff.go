package wire

import (
	"bytes"
	"io"
	"strings"

	"rein/model"
)

// form is how the body of an answer is written.
type form uint8

const (
	eventStream form = iota // server-sent events
	wholeAnswer             // one JSON value
	otherForm               // anything else, such as a web page
)

// opened is the body of an answer whose beginning was looked at.
type opened struct {
	io.Reader
	head []byte
}

// sniff finds how a body is written: by its type, else by its first bytes, because servers send wrong types. Nothing but
// spaces is an event stream without events: the connection broke.
func sniff(s *stream) (*opened, form) {
	head, err := firstBytes(s)
	head = bytes.TrimPrefix(head, []byte("\ufeff"))
	body := &opened{head: head}
	if body.Reader = io.MultiReader(bytes.NewReader(head), s); err != nil {
		body.Reader = io.MultiReader(bytes.NewReader(head), failing{err})
	}
	text := bytes.TrimSpace(head)
	if len(text) == 0 {
		return body, eventStream
	}
	for _, field := range []string{":", "data", "event", "id", "retry"} {
		if bytes.HasPrefix(text, []byte(field)) {
			return body, eventStream
		}
	}
	switch isObject := text[0] == '{' || text[0] == '['; {
	case isObject && (s.Type() == "text/event-stream" || s.Type() == "application/x-ndjson"):
		return body, eventStream // lines of JSON; some servers write an error so
	case isObject, s.Type() == "application/json":
		return body, wholeAnswer
	}
	return body, otherForm
}

// firstBytes reads until there is more than white space.
func firstBytes(s io.Reader) ([]byte, error) {
	head := make([]byte, 0, 512)
	for len(head) < cap(head) && len(bytes.TrimSpace(head)) == 0 {
		n, err := s.Read(head[len(head):cap(head)])
		if head = head[:len(head)+n]; err != nil {
			return head, err
		}
	}
	return head, nil
}

type failing struct{ error }

func (f failing) Read([]byte) (int, error) { return 0, f.error }

// foreign returns the error for an answer that is not of this protocol.
func (h *HTTP) foreign(body *opened) *model.Error {
	head := bytes.TrimSpace(body.head)
	text := strings.ToValidUTF8(string(head[:min(len(head), 120)]), "")
	if strings.HasPrefix(text, "<") {
		text = "a web page: " + text
	}
	return &model.Error{Provider: h.Who.Provider, Kind: model.WrongProtocol, Text: hide("the address "+h.Base+" answered with "+text, h.Key)}
}
