package server

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"math"
	"net/http"
	"slices"
	"strings"
	"time"

	"rein/app/extend"
	"rein/app/harness"
	"rein/app/server/api"
	"rein/app/sessions"
)

// sessionOperations are those on sessions and their turns.
type sessionOperations struct{ *allSessions }

func (o sessionOperations) table() []apiOperation {
	const tag = "sessions"
	return []apiOperation{
		operationAt(RoleViewer, "GET /v1/sessions", "list-sessions", tag, "Sessions, newest first", o.listAll, http.StatusBadRequest),
		operationAt(roleOperator, "POST /v1/sessions", "create-session", tag, "Begin a session", o.begun, http.StatusCreated),
		operationAt(RoleViewer, "GET /v1/sessions/{id}", "get-session", tag, "One session", inSeen(o.allSessions, o.get)),
		operationAt(RoleViewer, "GET /v1/sessions/{id}/events", "list-events", tag, "Recorded events of a session, a page of them", inSeen(o.allSessions, o.events)),
		operationAt(roleOperator, "POST /v1/sessions/{id}/messages", "send-message", tag, "Send a message; while a turn is running it waits in a queue", inOpened(o.allSessions, o.send), http.StatusAccepted),
		operationAt(roleOperator, "DELETE /v1/sessions/{id}/messages/{message}", "unqueue-message", tag, "Take back a message that waits: gives it", inOpened(o.allSessions, o.takeBack)),
		operationAt(roleOperator, "POST /v1/sessions/{id}/attachments", "attach-file", tag, "Upload a file for the next message", inOpened(o.allSessions, o.attach), http.StatusCreated),
		operationAt(roleOperator, "POST /v1/sessions/{id}/cancel", "cancel-turn", tag, "Cancel what the session does", inSeen(o.allSessions, o.interrupt), http.StatusAccepted),
		operationAt(roleOperator, "POST /v1/sessions/{id}/resume", "resume-session", tag, "Continue a session that was suspended or interrupted", inOpened(o.allSessions, o.goOn), http.StatusAccepted),
		operationAt(roleOperator, "POST /v1/sessions/{id}", "change-session", tag, "Change the name, the mode or the model of a session", inSeen(o.allSessions, o.change)),
		operationAt(roleOperator, "DELETE /v1/sessions/{id}", "delete-session", tag, "Delete a session and those of its sub-agents, while nothing of it is at work; what it changed in files stays", inSeen(o.allSessions, o.remove), http.StatusConflict),
		operationAt(roleOperator, "POST /v1/sessions/{id}/fork", "fork-session", tag, "Begin a session with the past of this one, up to an event", inSeen(o.allSessions, o.fork), http.StatusCreated),
		operationAt(roleOperator, "POST /v1/sessions/{id}/rewind", "rewind-session", tag, "Take the conversation back to before a message of the user; files stay as they are", inSeen(o.allSessions, o.goBack)),
		operationAt(roleOperator, "POST /v1/sessions/{id}/compact", "compact-session", tag, "Replace older parts of the conversation by a summary, for the model", inOpened(o.allSessions, o.compact), http.StatusAccepted),
		operationAt(RoleViewer, "GET /v1/sessions/{id}/export", "export-session", tag, "A session as a document: Markdown, one HTML page, or JSON with everything", inSeen(o.allSessions, o.export)),
		operationAt(RoleViewer, "GET /v1/search", "search", tag, "Sessions in which a text has all of the words", o.search),
		operationAt(roleOperator, "GET /v1/models", "list-models", tag, "The models that sessions of a workspace can ask", inWorkspace(o.workspaces, models)),
	}
}

// sessionPath names a session in a path.
type sessionPath struct {
	ID string `path:"id" pattern:"^[a-z0-9][a-z0-9-]{0,63}$" maxLength:"64"`
}

func (p sessionPath) session() string { return p.ID }

// onSession is a request that names a session.
type onSession interface{ session() string }

// inSeen answers requests about a session that the user sees.
func inSeen[I onSession, O any](s *allSessions, do func(context.Context, *servedWorkspace, I) (O, error)) func(context.Context, I) (O, error) {
	return func(ctx context.Context, in I) (out O, err error) {
		w, err := s.seen(senderOf(ctx).User, in.session())
		if err != nil {
			return out, err
		}
		return do(ctx, w, in)
	}
}

// inOpened answers requests about a session that the user sees and that must be open: it is opened where it is not.
func inOpened[I onSession, O any](s *allSessions, do func(requestSender, *live, I) (O, error)) func(context.Context, I) (O, error) {
	return inSeen(s, func(ctx context.Context, w *servedWorkspace, in I) (out O, err error) {
		l, err := s.resume(ctx, w, in.session())
		if err != nil {
			return out, err
		}
		return do(senderOf(ctx), l, in)
	})
}

type listInput struct {
	Dir    string `query:"dir" doc:"of one workspace; empty: of all"`
	Search string `query:"search" maxLength:"200" doc:"words of the title"`
	Before string `query:"before" maxLength:"120" doc:"only sessions that follow this one in the list: its last time and its id, with a comma between them; empty: from the newest on"`
	Limit  int    `query:"limit" minimum:"1" maximum:"1000" default:"100"`
}

// listPlace is a place in a list of sessions, newest first: behind a session of this id that was at work last at this time.
type listPlace struct {
	last time.Time
	id   string
}

// readPlace reads a place; the zero one is the beginning.
func readPlace(text string) (p listPlace, err error) {
	if text == "" {
		return p, nil
	}
	last, id, _ := strings.Cut(text, ",")
	if p.last, err = time.Parse(time.RFC3339Nano, last); err != nil || id == "" {
		return p, problem(http.StatusBadRequest, "cursor", "before is the time and the id of a session, with a comma between them")
	}
	p.id = id
	return p, nil
}

// compare says in which order two sessions are in a list.
func (p listPlace) compare(o listPlace) int {
	return cmp.Or(o.last.Compare(p.last), cmp.Compare(p.id, o.id))
}

func (o sessionOperations) listAll(ctx context.Context, in listInput) ([]api.Session, error) {
	all := []api.Session{}
	from, err := readPlace(in.Before)
	if err != nil {
		return nil, err
	}
	for _, w := range o.visible(senderOf(ctx).User) {
		if in.Dir != "" && in.Dir != w.dir {
			continue
		}
		list, err := o.list(w, in.Search, math.MaxInt)
		if err != nil {
			return nil, err
		}
		all = append(all, list...)
	}
	slices.SortFunc(all, func(a, b api.Session) int { return listPlace{a.Last, a.ID}.compare(listPlace{b.Last, b.ID}) })
	if in.Before != "" {
		all = slices.DeleteFunc(all, func(s api.Session) bool { return listPlace{s.Last, s.ID}.compare(from) <= 0 })
	}
	return all[:min(len(all), in.Limit)], nil
}

func (o sessionOperations) begun(ctx context.Context, in api.NewSession) (api.Session, error) {
	return o.create(ctx, senderOf(ctx), in)
}

func (o sessionOperations) get(_ context.Context, w *servedWorkspace, in sessionPath) (api.Session, error) {
	return o.session(w, in.ID)
}

type eventsInput struct {
	sessionPath
	Before int64 `query:"before" minimum:"0" doc:"only events with a lower number; 0: the last ones"`
	Limit  int   `query:"limit" minimum:"1" maximum:"2000" default:"500"`
}

func (o sessionOperations) events(_ context.Context, w *servedWorkspace, in eventsInput) (api.Events, error) {
	all, more, err := api.Page(w.h.Events(in.ID, 0), in.Before, in.Limit)
	return api.Events{Events: all, More: more}, err
}

type messageInput struct {
	sessionPath
	Body api.NewMessage
}

func (o sessionOperations) send(c requestSender, l *live, in messageInput) (api.Sent, error) {
	if name, ok := unknownCommand(l.s, in.Body); ok {
		return api.Sent{}, problem(http.StatusUnprocessableEntity, "no_command", fmt.Sprintf("there is no command /%s; write // to send a message that begins with a slash", name))
	}
	state, err := l.send(c.User, in.Body)
	if err == nil {
		o.note(c, api.Entry{What: "sent", Dir: l.room.dir, Session: l.id})
	}
	return api.Sent{State: state}, err
}

// unknownCommand names the slash command of a message that is nowhere. Whether a tool server has one is known when the turn begins.
func unknownCommand(s *harness.Session, m api.NewMessage) (string, bool) {
	command, ok := strings.CutPrefix(m.Text, "/")
	name, _, _ := strings.Cut(command, " ")
	if !ok || len(m.Attachments) > 0 || strings.HasPrefix(name, "/") || name == "compact" || strings.Contains(name, ":") {
		return "", false
	}
	return name, !slices.ContainsFunc(s.Commands(), func(c extend.Command) bool { return c.Name == name })
}

type waitingInput struct {
	sessionPath
	Message string `path:"message" minLength:"1" maxLength:"64" doc:"the id of a message in the session's queue"`
}

func (o sessionOperations) takeBack(c requestSender, l *live, in waitingInput) (api.Queued, error) {
	m, ok := l.takeBack(in.Message, c.User.Name)
	if !ok {
		return m, problem(http.StatusNotFound, "not_waiting", "the model has the message already, or it was taken back")
	}
	o.note(c, api.Entry{What: "unqueued", Dir: l.room.dir, Session: l.id})
	return m, nil
}

type uploadInput struct {
	sessionPath
	Body api.Upload
}

func (o sessionOperations) attach(_ requestSender, l *live, in uploadInput) (api.Attachment, error) {
	return l.attach(in.Body)
}

func (o sessionOperations) interrupt(ctx context.Context, w *servedWorkspace, in sessionPath) (api.Session, error) {
	l := o.running(in.ID)
	if l == nil || !l.interrupt(senderOf(ctx).User.Name) {
		var err error
		if l, err = o.interruptWaiting(ctx, w, in.ID); err != nil {
			return api.Session{}, err
		}
	}
	if l == nil {
		return api.Session{}, problem(http.StatusConflict, "not_working", "no turn is running in this session")
	}
	o.note(senderOf(ctx), api.Entry{What: "cancelled", Dir: w.dir, Session: l.id})
	return l.summary(), nil
}

// interruptWaiting stops a session whose calls wait for answers since an earlier process. nil: nothing waits.
func (o sessionOperations) interruptWaiting(ctx context.Context, w *servedWorkspace, id string) (*live, error) {
	if w.inbox.count(id) == 0 {
		return nil, nil
	}
	l, err := o.resume(ctx, w, id)
	if err != nil || !l.giveUpWaiting() {
		return nil, err
	}
	return l, nil
}

func (o sessionOperations) goOn(c requestSender, l *live, _ sessionPath) (api.Session, error) {
	if !l.goOn() {
		return api.Session{}, problem(http.StatusConflict, "nothing_open", "this session has nothing to continue")
	}
	o.note(c, api.Entry{What: "resumed", Dir: l.room.dir, Session: l.id})
	return l.summary(), nil
}

type changeInput struct {
	sessionPath
	Body api.Change
}

func (o sessionOperations) change(ctx context.Context, w *servedWorkspace, in changeInput) (api.Session, error) {
	id, change := in.ID, in.Body
	if change.Name != nil {
		if err := w.h.Store().SetName(id, *change.Name); err != nil {
			return api.Session{}, problem(http.StatusUnprocessableEntity, "name", err.Error())
		}
		o.past.Forget()
		if _, err := o.past.Get(id); err != nil {
			return api.Session{}, err
		}
	}
	if change.Mode != "" || change.Model != "" || change.Disallow != "" {
		l, err := o.resume(ctx, w, id)
		if err == nil && change.Mode != "" {
			err = l.s.SetMode(change.Mode)
		}
		if err == nil && change.Model != "" {
			err = l.use(ctx, change.Model)
		}
		if err == nil && change.Disallow != "" && !harness.Disallow(l.s, change.Disallow) {
			err = problem(http.StatusNotFound, "no_rule", "this session has no rule "+change.Disallow)
		}
		if err != nil {
			return api.Session{}, err
		}
		o.note(senderOf(ctx), api.Entry{What: "changed", Dir: w.dir, Session: id, Text: strings.Join([]string{change.Mode, change.Model, change.Disallow}, " ")})
	}
	o.touched.Add(id)
	return o.session(w, id)
}

type atInput struct {
	sessionPath
	Body api.At
}

func (o sessionOperations) fork(ctx context.Context, w *servedWorkspace, in atInput) (api.Session, error) {
	id, err := w.h.Store().Fork(in.ID, in.Body.At, "")
	if err != nil {
		return api.Session{}, problem(http.StatusUnprocessableEntity, "fork", err.Error())
	}
	o.note(senderOf(ctx), api.Entry{What: "forked", Dir: w.dir, Session: id, Text: "from " + in.ID})
	o.touched.Add(id)
	r, err := o.past.Get(id)
	return r.Shown(0), err
}

func (o sessionOperations) goBack(ctx context.Context, w *servedWorkspace, in atInput) (api.Session, error) {
	if err := o.rewind(ctx, w, in.ID, in.Body.At, senderOf(ctx).User.By().String()); err != nil {
		return api.Session{}, err
	}
	o.note(senderOf(ctx), api.Entry{What: "rewound", Dir: w.dir, Session: in.ID})
	o.touched.Add(in.ID)
	return o.session(w, in.ID)
}

func (o sessionOperations) remove(ctx context.Context, w *servedWorkspace, in sessionPath) (done noContent, err error) {
	if err := o.delete(ctx, w, in.ID); err != nil {
		return done, err
	}
	o.note(senderOf(ctx), api.Entry{What: "deleted", Dir: w.dir, Session: in.ID})
	return done, nil
}

type compactInput struct {
	sessionPath
	Body api.Compaction
}

func (o sessionOperations) compact(c requestSender, l *live, in compactInput) (api.Session, error) {
	if !l.compact(in.Body.Focus) {
		return api.Session{}, problem(http.StatusConflict, "working", "the session is running a turn or has something to continue")
	}
	o.note(c, api.Entry{What: "compacted", Dir: l.room.dir, Session: l.id})
	return l.summary(), nil
}

type exportInput struct {
	sessionPath
	Format string `query:"format" enum:"markdown,html,json" default:"markdown"`
}

func (o sessionOperations) export(ctx context.Context, w *servedWorkspace, in exportInput) (fileAnswer, error) {
	var text bytes.Buffer
	var err error
	name := in.ID + ".md"
	switch in.Format {
	case "html":
		name, err = in.ID+".html", w.h.Store().Export(&text, in.ID, "html")
	case "json":
		name, err = in.ID+".json", w.h.Store().Export(&text, in.ID, "json")
	default:
		err = w.h.Store().Export(&text, in.ID, "markdown")
	}
	if err != nil {
		return fileAnswer{}, err
	}
	o.note(senderOf(ctx), api.Entry{What: "exported", Dir: w.dir, Session: in.ID, Text: in.Format})
	return fileAnswer{Name: name, Changed: time.Now(), Content: bytes.NewReader(o.mask(text.Bytes()))}, nil
}

type searchInput struct {
	Query string `query:"q" required:"true" minLength:"1" maxLength:"200" doc:"words; in quotes they must follow each other"`
	Limit int    `query:"limit" minimum:"1" maximum:"100" default:"30"`
}

func (o sessionOperations) search(ctx context.Context, in searchInput) ([]api.Found, error) {
	u, all := senderOf(ctx).User, []api.Found{}
	hits, err := o.workspaces.all[0].h.Store().Search(ctx, in.Query, sessions.Filter{Limit: 3 * in.Limit})
	for _, h := range hits {
		w := o.of(h.Session.Dir)
		if w == nil || !u.Sees(w.dir) || len(all) == in.Limit {
			continue
		}
		f := api.Found{Session: pastSessionOf(h.Session).Shown(w.inbox.count(h.Session.ID)), Matches: []api.Match{}, More: h.More}
		for _, m := range h.Matches {
			f.Matches = append(f.Matches, api.Match{Seq: m.Seq, Kind: m.Kind, Text: m.Text, Hits: slices.Clone(m.Hits)})
		}
		all = append(all, f)
	}
	return all, err
}

func models(ctx context.Context, w *servedWorkspace, _ ofDir) ([]api.Model, error) {
	found, err := harness.Available(ctx, w.dir)
	all := []api.Model{}
	for _, m := range found {
		all = append(all, api.Model{Ref: m.Provider + "/" + m.ID, Context: m.Limit.Context})
	}
	return all, err
}
