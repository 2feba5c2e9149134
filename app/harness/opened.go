package harness

import (
	"log/slog"
	"slices"
	"sync"

	"rein/app/extend"
	"rein/app/replay"
	"rein/app/settings"
	"rein/event"
	"rein/journal"
	"rein/kit/guards"
	"rein/kit/workspace"
	"rein/tool"
)

// opened is the first stage of a session: its terms and its workspace are known, nothing runs and nothing is recorded.
//
// The stages are opened → confined → equipped → guarded → Session. Each is made of the one before it and holds it, so what needs the sandbox cannot be
// made before there is one, and no call can run before there are guards. A sub-agent's copy of the workspace gets as far as guarded.
type opened struct {
	h         *Harness
	id        string
	log       *slog.Logger
	terms     *conditions
	record    *record
	models    *models
	workspace *workspace.Workspace
	skills    *extend.Skills
	running   sync.WaitGroup // tools that are at work

	replace func(*tool.Tool) *tool.Tool // see NewSession; may be nil
	later   *Step                       // nil: the session is not made for a step
	ends    bool                        // the step is the last one

	copies   *copies  // of the workspace
	above    *guarded // that of the session, or of the copy, whose workspace this is a copy of; nil: it is no copy
	readable []string // what programs in a copy must read: the history of the original
}

// openSession makes the first stage of a session in the workspace of h. above is as in opened.
func (h *Harness) openSession(id string, terms event.Terms, above *guarded) (*opened, error) {
	ws, err := workspace.Open(h.root, terms.AddDirs...)
	if err != nil {
		return nil, inputError(err)
	}
	ws.Ask = "the tool request_access asks the user for access to a place for a while, and --add-dir adds a directory"
	o := &opened{h: h, id: id, log: h.log.With("session", id), workspace: ws, above: above,
		terms:  &conditions{terms: terms, layers: h.layers},
		record: &record{id: id, version: h.options.Version, sessions: h.dirs.Sessions, mask: h.mask.Bytes, settle: h.settle}}
	if dir, err := journal.Dir(h.dirs.Sessions, id); err == nil && terms.Record && above == nil {
		o.record.recorder = &replay.Recorder{Dir: dir, Most: h.settings.Limits.Recording, Mask: h.mask.Bytes, Warn: h.options.Warn}
	}
	o.models = &models{h: h, terms: o.terms, record: o.record}
	if above == nil {
		o.skills, o.copies = h.Skills(), &copies{session: id, trees: h.copies}
		return o, nil
	}
	o.replace = above.replace
	o.terms.above, o.record.above, o.record.recorder, o.skills, o.copies = above.terms, above.record, above.record.recorder, above.skills, above.copies
	return o, nil
}

// offers reports whether a tool is on offer. A session of only some calls offers no tool that none of them is about.
func (o *opened) offers(name string) bool {
	t := o.terms.now()
	return settings.Offers(t.Offer, name) && (o.later == nil || !slices.Contains(lastingTools(), name)) && (len(t.Only) == 0 || guards.RulesAbout(t.Only, name))
}
