package server

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"

	"rein/app/server/api"
	"rein/event"
)

// engineOperations are those on sessions that an engine runs.
type engineOperations struct {
	*allSessions

	mu       sync.Mutex
	attached map[string]*attachedFiles // by session
}

// keptOperations do with an engine what they do without one: what they need is here.
var keptOperations = strings.Fields(`me list-workspaces list-audit list-users add-user remove-user reload-settings list-sessions get-session list-events export-session
	search list-models list-requests answer-request answer-requests session-changes list-steps undo usage usage-table count-calls list-jobs`)

// replace changes the operations that are done elsewhere, and lets those fail that cannot be: settings, rules, files and programs of a
// workspace are on its host, and a conversation is in the hands of the engine.
func (o *engineOperations) replace(all []apiOperation) {
	for i, a := range all {
		if !slices.Contains(keptOperations, a.ID) {
			all[i].do = func(context.Context, func(any) error) (any, error) {
				return nil, problem(http.StatusUnprocessableEntity, "elsewhere", "these sessions run on other machines, and this page cannot do that there: "+a.Summary)
			}
		}
	}
	instead(all, "create-session", o.begin)
	instead(all, "send-message", inSeen(o.allSessions, o.send))
	instead(all, "attach-file", inSeen(o.allSessions, o.attach))
	instead(all, "cancel-turn", inSeen(o.allSessions, o.interrupt))
	instead(all, "resume-session", inSeen(o.allSessions, o.goOn))
	instead(all, "change-session", inSeen(o.allSessions, o.change))
}

// instead gives an operation another function, that reads and answers the same.
func instead[I, O any](all []apiOperation, id string, do func(context.Context, I) (O, error)) {
	i := slices.IndexFunc(all, func(a apiOperation) bool { return a.ID == id })
	is := operationAt(all[i].Role, "", id, "", "", do)
	if is.in != all[i].in || is.out != all[i].out {
		panic(fmt.Sprintf("the operation %s reads or answers something else", id))
	}
	all[i].do = is.do
}

func (o *engineOperations) begin(ctx context.Context, in api.NewSession) (v api.Session, err error) {
	c := senderOf(ctx)
	w, err := o.find(c.User, in.Dir)
	switch {
	case err != nil:
		return v, problem(http.StatusUnprocessableEntity, "workspace", err.Error())
	case in.Text == "":
		return v, problem(http.StatusUnprocessableEntity, "input", "a session there begins with its first message: give the text")
	case in.ID != "" && o.past.Known(in.ID).ID != "":
		if where, err := o.seen(c.User, in.ID); err != nil || where != w {
			return v, problem(http.StatusConflict, "taken", "a session of another workspace has this id")
		}
		return o.session(w, in.ID)
	}
	if in.Text, err = plainLine(in.Text); err != nil {
		return v, err
	}
	id, err := o.engine.Begin(ctx, w.dir, in)
	if err != nil {
		return v, err
	}
	o.note(c, api.Entry{What: "created", Dir: w.dir, Session: id, Text: strings.TrimSpace(in.Model + " " + in.Mode)})
	o.past.Forget()
	o.touched.Add(id)
	return o.session(w, id)
}

// plainLine refuses a slash command, which only the host could expand. A line that begins with two slashes is a text.
func plainLine(text string) (string, error) {
	if name, ok := strings.CutPrefix(text, "/"); ok && !strings.HasPrefix(name, "/") {
		if name, _, _ = strings.Cut(name, " "); name != "" && !strings.ContainsAny(name, "/\n") {
			return "", problem(http.StatusUnprocessableEntity, "elsewhere", "there are no slash commands in a session that runs on another machine: write what is to be done, or begin with // to send the line as it is")
		}
		return text, nil
	}
	return strings.TrimPrefix(text, "/"), nil
}

func (o *engineOperations) send(ctx context.Context, w *servedWorkspace, in messageInput) (out api.Sent, err error) {
	c := senderOf(ctx)
	if len(in.Body.Attachments) == 0 {
		if in.Body.Text, err = plainLine(in.Body.Text); err != nil {
			return out, err
		}
	}
	o.mu.Lock()
	files := o.filesLocked(in.ID)
	before := slices.Clone(*files)
	taken, err := files.Take(in.Body.Attachments)
	o.mu.Unlock()
	if err != nil {
		return out, problem(http.StatusUnprocessableEntity, "attachment", err.Error())
	}
	now, err := o.session(w, in.ID)
	if err != nil {
		return out, err
	}
	if err := o.engine.Send(ctx, in.ID, in.Body.ID, in.Body.Steer, taken.Message(in.Body.Text)); err != nil {
		o.mu.Lock()
		defer o.mu.Unlock()
		*files = before
		return out, err
	}
	o.note(c, api.Entry{What: "sent", Dir: w.dir, Session: in.ID})
	switch {
	case !now.Working:
		out.State = "sent"
	case in.Body.Steer:
		out.State = "steered"
	default:
		out.State = "queued"
	}
	return out, nil
}

// filesLocked are those that wait for a message to a session; o.mu is held.
func (o *engineOperations) filesLocked(id string) *attachedFiles {
	if o.attached[id] == nil {
		o.attached[id] = &attachedFiles{}
	}
	return o.attached[id]
}

func (o *engineOperations) attach(_ context.Context, _ *servedWorkspace, in uploadInput) (api.Attachment, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return attach(o.filesLocked(in.ID), in.Body)
}

func (o *engineOperations) interrupt(ctx context.Context, w *servedWorkspace, in sessionPath) (api.Session, error) {
	now, err := o.session(w, in.ID)
	switch {
	case err != nil:
		return now, err
	case !now.Working:
		return now, problem(http.StatusConflict, "not_working", "no turn is running in this session")
	}
	if err := o.engine.Cancel(ctx, in.ID); err != nil {
		return now, err
	}
	o.note(senderOf(ctx), api.Entry{What: "cancelled", Dir: w.dir, Session: in.ID})
	return now, nil
}

func (o *engineOperations) goOn(ctx context.Context, w *servedWorkspace, in sessionPath) (api.Session, error) {
	now, err := o.session(w, in.ID)
	switch {
	case err != nil:
		return now, err
	case now.Stop != "" && now.Stop != event.Waiting && now.Trouble == nil:
		return now, problem(http.StatusConflict, "nothing_open", "this session has nothing to continue")
	}
	if err := o.engine.Continue(ctx, in.ID); err != nil {
		return now, err
	}
	o.note(senderOf(ctx), api.Entry{What: "resumed", Dir: w.dir, Session: in.ID})
	return now, nil
}

func (o *engineOperations) change(ctx context.Context, w *servedWorkspace, in changeInput) (api.Session, error) {
	if in.Body.Mode != "" || in.Body.Model != "" {
		return api.Session{}, problem(http.StatusUnprocessableEntity, "elsewhere", "a session that runs on another machine keeps its model and its mode: begin another one with those that you want")
	}
	return sessionOperations{o.allSessions}.change(ctx, w, in)
}
