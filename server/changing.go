package server

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"slices"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"rein/harness/sessions"
	"rein/harness/snapshot"
	"rein/kit/undo"
	"rein/server/api"
	"rein/server/audit"
	"rein/server/auth"
	"rein/server/description"
	"rein/server/past"
	"rein/server/signin"
)

// changeOperations are those that change a session: its name, mode and model, forks and rewinds.
func (s *Server) changeOperations(a huma.API) {
	type changeInput struct {
		SessionPath
		Body api.Change
	}
	add(a, auth.Operator, huma.Operation{OperationID: "change-session", Method: http.MethodPost, Path: "/v1/sessions/{id}", Summary: "Change the name, the mode or the model of a session", Tags: []string{"sessions"}},
		inSeen(s, func(ctx context.Context, w *workspace, in changeInput) (api.Session, error) {
			return s.change(ctx, w, in.ID, in.Body)
		}))
	type atInput struct {
		SessionPath
		Body api.At
	}
	add(a, auth.Operator, huma.Operation{OperationID: "fork-session", Method: http.MethodPost, Path: "/v1/sessions/{id}/fork", Summary: "Begin a session with the past of this one, up to an event", Tags: []string{"sessions"}, DefaultStatus: http.StatusCreated},
		inSeen(s, func(ctx context.Context, w *workspace, in atInput) (api.Session, error) {
			id, err := w.h.Store().Fork(in.ID, in.Body.At, "")
			if err != nil {
				return api.Session{}, problem(http.StatusUnprocessableEntity, "fork", err.Error())
			}
			s.note(signin.Of(ctx), audit.Entry{What: "forked", Dir: w.dir, Session: id, Text: "from " + in.ID})
			s.touched.Add(id)
			r, err := s.past.Get(id)
			return r.Shown(0), err
		}))
	add(a, auth.Operator, huma.Operation{OperationID: "rewind-session", Method: http.MethodPost, Path: "/v1/sessions/{id}/rewind", Summary: "Take the conversation back to before a message of the user; files stay as they are", Tags: []string{"sessions"}},
		inSeen(s, func(ctx context.Context, w *workspace, in atInput) (api.Session, error) {
			return s.rewind(ctx, w, in.ID, in.Body.At)
		}))
}

// pastOperations are those over the whole past of a session.
func (s *Server) pastOperations(a huma.API) {
	type compactInput struct {
		SessionPath
		Body api.Compaction
	}
	add(a, auth.Operator, huma.Operation{OperationID: "compact-session", Method: http.MethodPost, Path: "/v1/sessions/{id}/compact", Summary: "Replace older parts of the conversation by a summary, for the model", Tags: []string{"sessions"}, DefaultStatus: http.StatusAccepted},
		inOpened(s, func(c signin.Client, l *live, in compactInput) (api.Session, error) {
			if !l.compact(in.Body.Focus) {
				return api.Session{}, problem(http.StatusConflict, "working", "the session is running a turn or has something to continue")
			}
			s.note(c, audit.Entry{What: "compacted", Dir: l.room.dir, Session: l.id})
			return l.summary(), nil
		}))
	type exportInput struct {
		SessionPath
		Format string `query:"format" enum:"markdown,html,json" default:"markdown"`
	}
	add(a, auth.Viewer, huma.Operation{OperationID: "export-session", Method: http.MethodGet, Path: "/v1/sessions/{id}/export", Summary: "A session as a document: Markdown, one HTML page, or JSON with everything", Tags: []string{"sessions"}, Responses: description.File()},
		func(ctx context.Context, in *exportInput) (*huma.StreamResponse, error) {
			c := signin.Of(ctx)
			w, err := s.seen(c.User, in.ID)
			if err != nil {
				return nil, err
			}
			var text bytes.Buffer
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
				return nil, err
			}
			s.note(c, audit.Entry{What: "exported", Dir: w.dir, Session: in.ID, Text: in.Format})
			return description.Download(name, time.Now(), bytes.NewReader(s.mask(text.Bytes())), io.NopCloser(nil)), nil
		})
}

// fileOperations are what calls did to files, and the search.
func (s *Server) fileOperations(a huma.API) {
	add(a, auth.Viewer, huma.Operation{OperationID: "list-steps", Method: http.MethodGet, Path: "/v1/sessions/{id}/steps", Summary: "What calls did to files, the oldest first", Tags: []string{"files"}},
		inSeen(s, func(ctx context.Context, w *workspace, in SessionPath) ([]api.Step, error) {
			return s.steps(ctx, w, in.ID)
		}))
	type undoInput struct {
		SessionPath
		Body api.Undoing
	}
	add(a, auth.Operator, huma.Operation{OperationID: "undo", Method: http.MethodPost, Path: "/v1/sessions/{id}/undo", Summary: "Show what taking changes of files back would do, or do what was shown", Tags: []string{"files"}},
		inSeen(s, func(ctx context.Context, w *workspace, in undoInput) (api.Undone, error) {
			return s.undo(ctx, w, in.ID, in.Body)
		}))
	type searchInput struct {
		Query string `query:"q" required:"true" minLength:"1" maxLength:"200" doc:"words; in quotes they must follow each other"`
		Limit int    `query:"limit" minimum:"1" maximum:"100" default:"30"`
	}
	add(a, auth.Viewer, huma.Operation{OperationID: "search", Method: http.MethodGet, Path: "/v1/search", Summary: "Sessions in which a text has all of the words", Tags: []string{"sessions"}},
		func(ctx context.Context, in *searchInput) (*body[[]api.Found], error) {
			all, err := s.search(ctx, signin.Of(ctx).User, in.Query, in.Limit)
			return &body[[]api.Found]{all}, err
		})
}

func (s *Server) change(ctx context.Context, w *workspace, id string, change api.Change) (api.Session, error) {
	if change.Name != nil {
		if err := w.h.Store().SetName(id, *change.Name); err != nil {
			return api.Session{}, problem(http.StatusUnprocessableEntity, "name", err.Error())
		}
		s.past.Forget()
		if _, err := s.past.Get(id); err != nil {
			return api.Session{}, err
		}
	}
	if change.Mode != "" || change.Model != "" {
		l, err := s.resume(ctx, w, id)
		if err == nil && change.Mode != "" {
			err = l.s.SetMode(change.Mode)
		}
		if err == nil && change.Model != "" {
			err = l.use(ctx, change.Model)
		}
		if err != nil {
			return api.Session{}, err
		}
		s.note(signin.Of(ctx), audit.Entry{What: "changed", Dir: w.dir, Session: id, Text: change.Mode + " " + change.Model})
	}
	s.touched.Add(id)
	return s.session(w, id)
}

// session returns a session as lists show it. Of one that runs here nothing is read: it changes often.
func (s *Server) session(w *workspace, id string) (api.Session, error) {
	if l := s.running(id); l != nil {
		v := l.summary()
		v.Title = cmp.Or(s.past.Known(id).Name, v.Title)
		return v, nil
	}
	r, err := s.past.Get(id)
	v := r.Shown(w.inbox.count(id))
	v.Queued = shownQueue(s.queues.Get(id))
	return v, err
}

// rewind closes the session, takes its conversation back, and opens it again with the next message.
func (s *Server) rewind(ctx context.Context, w *workspace, id string, at int64) (api.Session, error) {
	s.opened.Lock()
	defer s.opened.Unlock()
	if l := s.running(id); l != nil {
		if !l.closeNow() {
			return api.Session{}, problem(http.StatusConflict, "working", "the session is running a turn: stop it first")
		}
		s.mu.Lock()
		delete(s.live, id)
		s.mu.Unlock()
		if err := l.s.Close(ctx); err != nil {
			return api.Session{}, err
		}
	}
	before := w.h.Store().Rewind(id, at)
	if errors.Is(before, sessions.ErrNotAMessage) {
		return api.Session{}, problem(http.StatusUnprocessableEntity, "not_a_message", before.Error())
	}
	if before != nil {
		return api.Session{}, before
	}
	for e, err := range w.h.Events(id, 0) {
		if err == nil && e.Kind == "rewound" {
			s.hub.Event(id, e) // clients drop those that they have
		}
	}
	s.hub.Ended(id)
	s.past.Forget()
	s.note(signin.Of(ctx), audit.Entry{What: "rewound", Dir: w.dir, Session: id})
	s.touched.Add(id)
	return s.session(w, id)
}

// closeNow marks an idle session as closed.
func (l *live) closeNow() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.cancel != nil {
		return false
	}
	l.closed = true
	return true
}

// history returns what a session did to files; "" is all sessions of the workspace.
func (s *Server) history(w *workspace, id string) (*snapshot.History, error) {
	if l := s.running(id); l != nil {
		return l.s.FileHistory()
	}
	return w.newest().FileHistory(id)
}

func (s *Server) steps(ctx context.Context, w *workspace, id string) ([]api.Step, error) {
	all := []api.Step{}
	history, err := s.history(w, id)
	if err != nil {
		return all, err
	}
	found, err := history.Steps(ctx, undo.Filter{})
	for _, f := range found {
		all = append(all, api.Step{Number: int64(f.N), Call: f.Call.ID, Title: f.Call.Title, Time: f.Time, Undo: f.Undo, Undone: f.Undone, Files: api.FilesOf(f.Changes)})
	}
	return all, err
}

// undo plans, and does what was shown when the plan still is the one that was shown.
func (s *Server) undo(ctx context.Context, w *workspace, id string, u api.Undoing) (api.Undone, error) {
	history, err := s.history(w, id)
	if err != nil {
		return api.Undone{}, err
	}
	plan, err := history.Plan(ctx, undo.Selection{Filter: undo.Filter{Call: u.Call, Message: u.Message}, Last: u.Last, Redo: u.Redo})
	if errors.Is(err, undo.ErrNothing) || errors.Is(err, undo.ErrNoStep) || errors.Is(err, undo.ErrUndone) {
		return api.Undone{}, problem(http.StatusConflict, "nothing", err.Error())
	}
	if err != nil {
		return api.Undone{}, err
	}
	out := api.UndoneOf(plan.Changes, plan.Conflicts)
	shown, err := json.Marshal(out)
	if err != nil {
		return out, err
	}
	sum := sha256.Sum256(shown)
	out.Hash = hex.EncodeToString(sum[:])
	if u.Hash == "" {
		return out, nil
	}
	if u.Hash != out.Hash {
		return out, problem(http.StatusConflict, "changed", "the files have changed since this was shown")
	}
	did, err := history.Undo(ctx, plan, nil)
	if err != nil {
		return out, err
	}
	hash := out.Hash
	out = api.UndoneOf(did.Changes, did.Conflicts)
	out.Hash, out.Done = hash, true
	for _, f := range did.Failed {
		out.Failed = append(out.Failed, f.Path)
	}
	s.note(signin.Of(ctx), audit.Entry{What: "undid", Dir: w.dir, Session: id, Call: u.Call})
	return out, nil
}

func (s *Server) search(ctx context.Context, u auth.User, query string, most int) ([]api.Found, error) {
	all := []api.Found{}
	hits, err := s.rooms[0].h.Store().Search(ctx, query, sessions.Filter{Limit: 3 * most})
	for _, h := range hits {
		w := s.workspace(h.Session.Dir)
		if w == nil || !u.Sees(w.dir) || len(all) == most {
			continue
		}
		f := api.Found{Session: past.Of(h.Session).Shown(w.inbox.count(h.Session.ID)), Matches: []api.Match{}, More: h.More}
		for _, m := range h.Matches {
			f.Matches = append(f.Matches, api.Match{Seq: m.Seq, Kind: m.Kind, Text: m.Text, Hits: slices.Clone(m.Hits)})
		}
		all = append(all, f)
	}
	return all, err
}
