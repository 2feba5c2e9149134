package agent

import (
	"bytes"
	"encoding/json"
	"slices"

	"rein/event"
	"rein/model"
	"rein/tool"
)

// offerTools takes the tools that came since the last request into what the model sees, behind the others: the beginning of the
// request stays the same bytes. A tool that is no longer there stays in the list, and a call of it fails; a tool whose
// definition changed keeps its place. The journal has each change, so that a resumed session sends the same bytes.
func (r *run) offerTools() error {
	if r.tools.set.Source() == nil {
		return nil
	}
	seen := r.tools.later()
	names := make([]string, len(seen))
	for i, spec := range seen {
		names[i] = spec.Name
	}
	var more []event.Tool
	for _, t := range r.tools.set.Later(r.ctx, names) {
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
	if _, err := r.record(event.Event{Kind: event.ToolsOffered, Tools: more}); err != nil {
		return err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.tools.add(more)
	r.history.Base(r.model().Info().String(), r.agent.system(), r.tools.specs)
	return nil
}

// recordable returns a schema as the journal gives it back.
func recordable(schema json.RawMessage) json.RawMessage {
	if same, err := json.Marshal(schema); err == nil {
		return same
	}
	return schema
}

// toolbox is what the model may call.
type toolbox struct {
	set   tool.Set         // the runner's, and those of the team
	specs []model.ToolSpec // of set, then those that came later in their order: see offerTools
	err   error            // there is no set: the session cannot run
}

// later are the tools that the model sees and that came after the session began.
func (b *toolbox) later() []model.ToolSpec { return b.specs[len(b.set.First()):] }

// add adds tools to what the model sees, or changes those of the same name.
func (b *toolbox) add(tools []event.Tool) {
	fixed := len(b.set.First())
	all := slices.Clone(b.specs)
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
	b.specs = all
}

// equip gives the session the tools of its agent: those of the runner and, where it may have sub-agents, those of the team. What
// came later stays behind them.
func (s *Session) equip() {
	later := s.tools.later()
	set, more := s.agent.runner().Tools, []*tool.Tool(nil)
	if s.agent.Team != nil && s.options.Depth < s.agent.Limits.depth() {
		for _, t := range s.agent.Team.Tools(s) {
			if s.agent.allows == nil || s.agent.allows(t.Name) {
				more = append(more, t)
			}
		}
	}
	s.tools.set, s.tools.err = set.Add(more...)
	s.tools.specs = append(specs(s.tools.set), later...)
}
