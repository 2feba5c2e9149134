package agent

import (
	"rein/event"
	"rein/model"
	"rein/tool"
)

// openAnswer is an answer of the model whose calls are not all done.
type openAnswer struct {
	message *model.Message
	seq     int64                  // of its event
	results map[string]tool.Result // of the calls that are done, by id
	lost    []string               // of these, the calls whose result is that the outcome is unknown, and is not recorded yet
}

// remaining are the calls that have no result.
func (o *openAnswer) remaining() (calls []tool.Call) {
	for _, p := range o.message.Calls() {
		if _, done := o.results[p.ID]; !done {
			calls = append(calls, tool.Call{ID: p.ID, Name: p.Name, Args: []byte(p.Args), Truncated: p.Truncated})
		}
	}
	return calls
}

// nameOf returns the name of a call.
func (o *openAnswer) nameOf(call string) (name string) {
	for _, p := range o.message.Calls() {
		if p.ID == call {
			name = p.Name
		}
	}
	return name
}

// parts are the results so far, as the model gets them.
func (o *openAnswer) parts() (parts []model.Part) {
	for _, p := range o.message.Calls() {
		if r, ok := o.results[p.ID]; ok {
			parts = append(append(parts, model.Result(p.ID, r.Text, r.Failed)), attached(r)...)
		}
	}
	return parts
}

// attached are the images and documents of a result, for the model. Its links are in the text.
func attached(r tool.Result) (parts []model.Part) {
	for _, p := range r.Parts {
		switch p.Kind {
		case tool.ImagePart:
			parts = append(parts, model.Part{Kind: model.ImageKind, ID: r.ID, MediaType: p.MediaType, Data: p.Data})
		case tool.DocumentPart:
			parts = append(parts, model.Part{Kind: model.DocumentKind, ID: r.ID, MediaType: p.MediaType, Data: p.Data, Name: p.Name})
		}
	}
	return parts
}

// closeAnswer adds the message with the results of the open answer.
func (r *run) closeAnswer() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.close()
}

// recordLost records the results of calls whose outcome is unknown.
func (r *run) recordLost() error {
	for _, id := range r.open.lost {
		result := r.open.results[id]
		if _, err := r.record(event.Event{Kind: event.Replied, Call: &tool.Call{ID: id, Name: result.Name}, Result: &result}); err != nil {
			return err
		}
	}
	r.open.lost = nil
	return nil
}
