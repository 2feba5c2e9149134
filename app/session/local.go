package session

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"strings"
	"time"

	"rein/app/harness"
	"rein/app/sessions"
	"rein/app/stats"
	"rein/event"
	"rein/kit/undo"
	"rein/tool"
)

// LocalPlace is where the sessions of a harness are.
func LocalPlace(h *harness.Harness) Place { return place{h} }

type place struct{ *harness.Harness }

func (h place) Elsewhere() bool { return false }

// Local returns a session of this process for the screen.
func Local(s *harness.Session) Session { return local{s} }

// local is a session of this process.
type local struct{ *harness.Session }

func openLocal(s *harness.Session, err error) (Session, error) {
	if err != nil {
		return nil, err
	}
	return Local(s), nil
}

func (h place) Start(ctx context.Context) (Session, error) {
	return openLocal(h.Harness.Start(ctx, harness.NewSession{}))
}

func (h place) Open(ctx context.Context, id string) (Session, error) {
	return openLocal(h.Harness.Resume(ctx, id, harness.NewSession{}))
}

func (h place) Fork(ctx context.Context, id string) (Session, error) {
	return openLocal(h.Harness.Fork(ctx, id, 0, harness.NewSession{}))
}

func (h place) Rewind(ctx context.Context, id string, at int64) (Session, error) {
	return openLocal(h.Harness.Rewind(ctx, id, at, harness.NewSession{}))
}

func (h place) Models(ctx context.Context) (list []Model, err error) {
	all, err := harness.Available(ctx, h.Root())
	for _, m := range all {
		list = append(list, Model{Ref: m.Provider + "/" + m.ID, Context: m.Limit.Context})
	}
	return list, err
}

func (h place) How() (How, error) {
	how, err := h.Harness.Terms()
	return describeTerms(how), err
}

func describeTerms(h harness.Terms) How {
	return How{Dir: h.Dir, Model: h.Model, Mode: h.Mode, Sandbox: h.Sandbox, AddDirs: h.AddDirs}
}

// mostSessions is how many sessions a list has.
const mostSessions = 500

func (h place) Sessions(ctx context.Context, dir string) ([]sessions.Session, error) {
	all, _, err := h.Store().List(ctx, sessions.Filter{Dir: dir, Limit: mostSessions})
	return all, err
}

func (h place) Messages(_ context.Context, id string) ([]sessions.Message, error) {
	return h.Store().Messages(id)
}

func (h place) Rename(_ context.Context, id, name string) error { return h.Store().SetName(id, name) }

func (h place) Use(id string) (stats.Use, error) { return h.Store().Use(id) }

func (h place) Again(id string) string { return "rein -r " + id }

// SeeAll needs only the end of an id of ours.
func (h place) SeeAll(id string) string {
	if at := strings.LastIndexByte(id, '-'); len(id)-at > 5 {
		id = id[at+1:]
	}
	return "/sessions show " + id
}

func (h place) RuleFiles() []string { return harness.RuleFiles(h.Dirs(), h.Root()) }

func (h place) KeepRules(_ context.Context, decision string, rules []string, everywhere bool) error {
	return harness.KeepRules(h.Dirs(), h.Root(), decision, rules, everywhere)
}

func (s local) How() How { return describeTerms(s.Session.Terms()) }

func (s local) Allowed(context.Context) ([]string, error) { return harness.Allowed(s.Session), nil }

func (s local) Disallow(_ context.Context, rule string) (bool, error) {
	return harness.Disallow(s.Session, rule), nil
}

func (s local) Send(ctx context.Context, text string, attached []tool.Part) iter.Seq2[event.Event, error] {
	return s.Session.Send(ctx, harness.Message(text, attached...)...)
}

func (s local) Steer(text string, attached []tool.Part) error {
	return s.Session.Steer(harness.Message(text, attached...)...)
}

func (s local) Queue(text string, attached []tool.Part) error {
	return s.Session.Queue(harness.Message(text, attached...)...)
}

func (s local) Unsent() bool { return harness.Unsent(s.Session) }

func (s local) Keep(text string, attached []tool.Part) func(sends bool) {
	return s.KeepWaiting(harness.Message(text, attached...)...)
}

func (s local) Continue() func(context.Context) iter.Seq2[event.Event, error] {
	if !s.Waiting() && !s.CutOff() {
		return nil
	}
	return s.Resume
}

func (s local) Expand(ctx context.Context, name, args string, happened func(event.Event)) (string, []tool.Part, error) {
	message, attached, ok, err := s.Session.Expand(ctx, name, args, happened)
	if err == nil && !ok {
		err = ErrNoCommand
	}
	return message, attached, err
}

func (s local) RunCommand(ctx context.Context, command string, happened func(event.Event)) (output string, err error) {
	args, _ := json.Marshal(map[string]string{"command": command}) // a text always can be encoded
	results, err := s.Call(ctx, []tool.Call{{ID: fmt.Sprintf("user-%d", time.Now().UnixNano()), Name: "bash", Args: args}}, happened)
	if len(results) > 0 && results[0].Kind != tool.Denied && results[0].Kind != tool.Unapproved {
		output = results[0].Text
	}
	return output, err
}

func (s local) Window() int64 { return int64(s.Session.Context().Window) }

func (s local) Context() (Context, error) {
	c := s.Session.Context()
	out := Context{Window: c.Window, Tokens: c.Tokens, Assumed: c.Assumed, Instructions: s.Instructions()}
	for _, p := range c.Parts {
		out.Parts = append(out.Parts, Part{Name: p.Name, Tokens: p.Tokens})
	}
	return out, nil
}

func (s local) Files(ctx context.Context, most int) ([]string, error) {
	names, err := s.Session.Files(ctx, most)
	return append(names, s.ToolServers().Names()...), err
}

func (s local) Past() (sessions.Past, error) {
	return s.Session.Past(sessions.Most{Turns: PastTurns, Steps: PastSteps})
}

func (s local) WholeOutput(_ context.Context, r tool.Result, most int64) ([]byte, error) {
	f, err := s.Output(*r.Cut)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	out, err := io.ReadAll(io.LimitReader(f, most))
	if int64(len(out)) == most { // a secret may begin at the end
		out = out[:len(out)-s.Mask().Pending(out)]
	}
	return s.Mask().Bytes(out), err
}

// jobGrace is how long a job that the user stops has to end.
const jobGrace = 2 * time.Second

func (s local) Jobs() (all []Job) {
	for _, j := range s.Session.Jobs().Running() {
		tail := func(from int64) ([]byte, int64) {
			out, start := j.Tail(from)
			return s.Mask().Bytes(out), start
		}
		all = append(all, Job{ID: j.ID, Command: s.Mask().String(j.Command), Started: j.Started, Waited: j.Waited(), Tail: tail, Ended: j.Ended,
			Stop: func() { go j.Stop(jobGrace) }, Leave: j.Leave})
	}
	return all
}

func (s local) Changes(ctx context.Context) ([]tool.Change, error) {
	h, err := s.FileHistory()
	if err != nil {
		return nil, err
	}
	return h.ShowChanges(ctx)
}

func (s local) PlanUndo(ctx context.Context, what Undoing) (*Undo, error) {
	h, err := s.FileHistory()
	if err != nil {
		return nil, err
	}
	sel := undo.Selection{Filter: undo.Filter{Message: what.Message}, Last: what.Last}
	if what.Which != "" {
		if sel, err = h.Select(ctx, what.Which); err != nil {
			return nil, noUndoError(err)
		}
	}
	sel.Redo = what.Redo
	plan, do, err := h.ShowPlan(ctx, sel)
	return &Undo{ShownUndo: plan, Do: do}, noUndoError(err)
}

func noUndoError(err error) error {
	if errors.Is(err, undo.ErrNothing) {
		return ErrNothing
	}
	return err
}
