package agent

import (
	"bytes"
	"encoding/json"
	"slices"

	"rein/event"
	"rein/model"
)

// offer takes the tools that came since the last request into what the model sees, behind the others: the beginning of the
// request stays the same bytes. A tool that is no longer there stays in the list, and a call of it fails; a tool whose
// definition changed keeps its place. The journal has each change, so that a resumed session sends the same bytes.
func (w *work) offer() error {
	if w.tools.Source() == nil {
		return nil
	}
	seen := w.later()
	names := make([]string, len(seen))
	for i, spec := range seen {
		names[i] = spec.Name
	}
	var more []event.Tool
	for _, t := range w.tools.Later(w.ctx, names) {
		i := slices.IndexFunc(seen, func(s model.ToolSpec) bool { return s.Name == t.Name })
		if i >= 0 && seen[i].Description == t.Description && bytes.Equal(seen[i].Schema, t.Input.Raw()) {
			continue
		}
		if schema := recordable(t.Input.Raw()); i < 0 || seen[i].Description != t.Description || !bytes.Equal(seen[i].Schema, schema) {
			more = append(more, event.Tool{Name: t.Name, Description: t.Description, Schema: schema})
		}
	}
	if len(more) == 0 {
		return nil
	}
	if _, err := w.record(event.Event{Kind: event.ToolsOffered, Tools: more}); err != nil {
		return err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.offered(more)
	w.history.Base(w.model().Info().String(), w.agent.system(), w.specs)
	return nil
}

// recordable returns a schema as the journal gives it back.
func recordable(schema json.RawMessage) json.RawMessage {
	if same, err := json.Marshal(schema); err == nil {
		return same
	}
	return schema
}

// later are the tools that the model sees and that came after the session began.
func (s *Session) later() []model.ToolSpec { return s.specs[len(s.tools.First()):] }

// offered adds tools to what the model sees, or changes those of the same name.
func (s *Session) offered(tools []event.Tool) {
	fixed := len(s.tools.First())
	all := slices.Clone(s.specs)
	for _, t := range tools {
		spec := model.ToolSpec{Name: t.Name, Description: t.Description, Schema: t.Schema}
		i := slices.IndexFunc(all, func(have model.ToolSpec) bool { return have.Name == t.Name })
		switch {
		case i < 0:
			all = append(all, spec)
		case i >= fixed: // a tool of the session's own stays as it is
			all[i] = spec
		}
	}
	s.specs = all
}
