package modeltest

import (
	"slices"
	"testing"

	"rein/model"
)

// files sends images and documents, from the user and from a tool. The model gets the bytes, or a text that names the type
// and the size of what it does not take.
func (s Suite) files(t *testing.T) {
	m := s.open(t, `turns: [
		{expect: [{contains: "image/png, 4 bytes"}, {contains: "application/pdf, 5 bytes"}, {contains: look}], calls: [{name: read_file, args: {path: a}}, {name: read_file, args: {path: b}}]},
		{expect: [{call: 1, contains: seen}, {call: 2, contains: broken}, {contains: "image/png, 4 bytes"}, {contains: "application/pdf, 5 bytes"}], text: ok}]`)
	of := func(id string) []model.Part {
		parts := []model.Part{model.Image("image/png", []byte("\x89PNG")), model.Document("application/pdf", "a.pdf", []byte("%PDF-"))}
		for i := range parts {
			parts[i].ID = id
		}
		return parts
	}
	r := ask("")
	r.Messages = []*model.Message{model.UserParts(append([]model.Part{model.Text("look")}, of("")...)...)}
	first, err := listen(t, t.Context(), m, r)
	if err != nil {
		t.Fatal(err)
	}
	calls := first.done.Message.Calls()
	results := append([]model.Part{model.Result(calls[0].ID, "seen", false)}, of(calls[0].ID)...)
	results = append(results, model.Result(calls[1].ID, "broken", true))
	results = append(results, of(calls[1].ID)...)
	r.Messages = append(slices.Clone(r.Messages), first.done.Message, model.Answer(first.done.Message, results...))
	if err := model.Check(r.Messages); err != nil {
		t.Fatal(err)
	}
	second, err := listen(t, t.Context(), m, r)
	if err != nil || second.text != "ok" {
		t.Errorf("got %q, %v", second.text, err)
	}
}
