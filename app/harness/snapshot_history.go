package harness

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"rein/event"
	"rein/kit/undo"
)

// UndoHistory is what the calls of a session did to the files of the workspace: it lists it, and takes it back. The calls of
// sub-agents and jobs are part of it.
type UndoHistory struct {
	Store   *undo.Store
	Session string                  // "": all sessions of the directory
	Done    func(event.Event) error // records what was taken back
}

// Steps lists the calls that changed files, the oldest first, and what was taken back. See undo.Step.
func (f *UndoHistory) Steps(ctx context.Context, of undo.Filter) ([]undo.Step, error) {
	return f.Store.Steps(ctx, f.mine(of))
}

// Changes returns what calls changed together, with diffs: all calls of the session, or those that the filter lets pass.
func (f *UndoHistory) Changes(ctx context.Context, of undo.Filter) ([]undo.Change, error) {
	return f.Store.Changes(ctx, f.mine(of))
}

// Plan finds out what taking back a selection would do, with diffs and conflicts. Nothing changes.
//
//	the last call                    undo.Selection{Last: 1}
//	one call                         undo.Selection{Filter: undo.Filter{Call: id}}
//	the last undo (a redo)           undo.Selection{Last: 1, Redo: true}
//	all since a message of the user  undo.Selection{Filter: undo.Filter{Message: seq}}, seq is the number of its event
//	a sub-agent                      undo.Selection{Filter: undo.Filter{SubAgent: id}}
//
// undo.ErrNothing means that there is nothing to undo.
func (f *UndoHistory) Plan(ctx context.Context, sel undo.Selection) (*undo.Plan, error) {
	sel.Filter = f.mine(sel.Filter)
	return f.Store.Plan(ctx, sel)
}

// Undo does what a plan says. Conflicts stay as they are, unless the answers name them. See undo.Store.Apply.
func (f *UndoHistory) Undo(ctx context.Context, p *undo.Plan, answers *undo.Answers) (*undo.Outcome, error) {
	out, err := f.Store.Apply(ctx, p, undo.Call{Session: f.Session}, answers)
	if err != nil || out.Step == 0 {
		return out, err
	}
	e := event.Event{Kind: event.FilesUndone, Files: eventFiles(out.Changes)}
	for _, st := range out.Steps {
		e.Files.Steps = append(e.Files.Steps, st.Name())
		e.Files.Redo = e.Files.Redo || st.Undo
	}
	return out, f.Done(e)
}

// Select reads what a person wants to take back: nothing is the last call, a number the last so many calls, "turn" everything since
// the message that the last call serves; else it is the id of a call, the number of a step ("#12"), or the end of a sub-agent's id.
func (f *UndoHistory) Select(ctx context.Context, text string) (sel undo.Selection, err error) {
	n, bad := strconv.Atoi(text)
	switch {
	case text == "":
		sel.Last = 1
	case text == "turn" || text == "--turn":
		if _, sel.Message, err = f.Last(ctx); sel.Message == 0 && err == nil {
			err = undo.ErrNothing
		}
	case bad == nil && n > 0:
		sel.Last = n
	default:
		sel.Call = text
		steps, err := f.Steps(ctx, undo.Filter{})
		if err != nil {
			return sel, err
		}
		if i := slices.IndexFunc(steps, func(st undo.Step) bool { return st.Call.SubAgent != "" && strings.HasSuffix(st.Call.SubAgent, text) }); i >= 0 {
			sel.Call, sel.SubAgent = "", steps[i].Call.SubAgent
		}
	}
	return sel, err
}

// Last returns the session of the last call that changed files and was not taken back, and the number of the event of the
// user's message that the call serves; 0 if there is no such call, or no message.
func (f *UndoHistory) Last(ctx context.Context) (session string, message int64, err error) {
	steps, err := f.Steps(ctx, undo.Filter{})
	for _, st := range slices.Backward(steps) {
		if !st.Undo && !st.Undone {
			return st.Call.Session, st.Call.Message, err
		}
	}
	return "", 0, err
}

func (f *UndoHistory) mine(of undo.Filter) undo.Filter {
	if of.Session == "" {
		of.Session = f.Session
	}
	return of
}
