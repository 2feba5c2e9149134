package server

import (
	"context"
	"crypto/rand"
	"errors"
	"net/http"
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/danielgtaylor/huma/v2"

	"rein/harness/browse"
	"rein/server/api"
	"rein/server/audit"
	"rein/server/auth"
	"rein/tool"
	"rein/undo"
)

// mostDiffs is how many bytes of diffs one answer has.
const mostDiffs = 2 << 20

// binary describes an answer that is a file.
func binary() map[string]*huma.Response {
	return map[string]*huma.Response{"200": {Description: "The file", Content: map[string]*huma.MediaType{"application/octet-stream": {Schema: &huma.Schema{Type: "string", Format: "binary"}}}}}
}

// PathInDir names a file of a workspace in a query. It is exported because huma fills no field of an unexported type.
type PathInDir struct {
	InDir
	Path string `query:"path" maxLength:"4096" doc:"in the workspace, with forward slashes"`
}

// treeOperations show the files of workspaces. They need the role that may start sessions, which read the files anyway.
func (s *Server) treeOperations(a huma.API) {
	add(a, auth.Operator, huma.Operation{OperationID: "list-files", Method: http.MethodGet, Path: "/v1/files", Summary: "What is in a directory of a workspace", Tags: []string{"files"}},
		inTree(s, func(_ context.Context, w *workspace, tree *browse.Tree, name string) (*body[api.Listing], error) {
			all, hidden, more, err := tree.List(name)
			out := api.Listing{Dir: w.dir, Path: name, Entries: []api.FileEntry{}, Hidden: hidden, More: more}
			for _, e := range all {
				out.Entries = append(out.Entries, api.FileEntry{Name: e.Name, Dir: e.Dir, Link: e.Link, Size: e.Size, Time: e.Time})
			}
			return &body[api.Listing]{out}, err
		}))
	add(a, auth.Operator, huma.Operation{OperationID: "read-file", Method: http.MethodGet, Path: "/v1/files/text", Summary: "The content of a file of a workspace", Tags: []string{"files"}},
		inTree(s, func(ctx context.Context, _ *workspace, tree *browse.Tree, name string) (*body[api.FileText], error) {
			f, err := tree.Read(ctx, name)
			return &body[api.FileText]{api.FileText{Path: name, Text: string(s.mask([]byte(f.Text))), Binary: f.Binary, Cut: f.Cut, Size: f.Size, Time: f.Time}}, err
		}))
	add(a, auth.Operator, huma.Operation{OperationID: "download-file", Method: http.MethodGet, Path: "/v1/files/download", Summary: "A file of a workspace, as it is", Tags: []string{"files"}, Responses: binary()},
		inTree(s, func(ctx context.Context, w *workspace, tree *browse.Tree, name string) (*huma.StreamResponse, error) {
			f, err := tree.File(name)
			if err != nil {
				return nil, err
			}
			s.note(clientOf(ctx), audit.Entry{What: "downloaded", Dir: w.dir, Text: f.Name})
			return download(path.Base(f.Name), f.Info.ModTime(), f, f), nil
		}))
	add(a, auth.Viewer, huma.Operation{OperationID: "list-changes", Method: http.MethodGet, Path: "/v1/changes", Summary: "What all sessions together changed in a workspace", Tags: []string{"files"}},
		func(ctx context.Context, in *InDir) (*body[api.Changes], error) {
			w, err := s.room(clientOf(ctx).User, in.Dir)
			if err != nil {
				return nil, err
			}
			out, err := s.changes(ctx, w, "")
			return &body[api.Changes]{out}, err
		})
	add(a, auth.Viewer, huma.Operation{OperationID: "session-changes", Method: http.MethodGet, Path: "/v1/sessions/{id}/changes", Summary: "What a session changed in files", Tags: []string{"files"}},
		inSeen(s, func(ctx context.Context, w *workspace, in SessionPath) (api.Changes, error) {
			return s.changes(ctx, w, in.ID)
		}))
}

// inTree opens the files of the workspace that a request names.
func inTree[O any](s *Server, do func(context.Context, *workspace, *browse.Tree, string) (*O, error)) func(context.Context, *PathInDir) (*O, error) {
	return func(ctx context.Context, in *PathInDir) (*O, error) {
		w, err := s.room(clientOf(ctx).User, in.Dir)
		if err != nil {
			return nil, err
		}
		tree, err := s.tree(w)
		if err != nil {
			return nil, err
		}
		defer tree.Close()
		out, err := do(ctx, w, tree, in.Path)
		switch {
		case errors.Is(err, browse.ErrHidden):
			err = problem(http.StatusForbidden, "hidden_file", browse.ErrHidden.Error())
		case errors.Is(err, browse.ErrNone):
			err = problem(http.StatusNotFound, "no_file", browse.ErrNone.Error())
		}
		return out, err
	}
}

func (s *Server) tree(w *workspace) (*browse.Tree, error) {
	d := w.h.Dirs()
	return browse.Open(w.dir, []string{d.Config, d.Sessions, d.Output, d.Private, d.State, d.Worktrees, s.o.Dir})
}

// changes gives the changes of a session, or of all sessions of the workspace. A file that may hold secrets has no diff.
func (s *Server) changes(ctx context.Context, w *workspace, session string) (api.Changes, error) {
	out := api.Changes{Files: []api.File{}}
	history, err := w.h.FileHistory(session)
	if err != nil {
		return out, err
	}
	found, err := history.Changes(ctx, undo.Filter{})
	if err != nil {
		return out, err
	}
	tree, err := s.tree(w)
	if err != nil {
		return out, err
	}
	defer tree.Close()
	size := 0
	for _, f := range filesOf(found) {
		switch size += len(f.Diff); {
		case !tree.MayShow(f.Path):
			f.Diff, f.Hidden = "", true
		case size > mostDiffs:
			f.Diff, out.More = "", true
		default:
			f.Diff = string(s.mask([]byte(f.Diff)))
		}
		out.Files = append(out.Files, f)
	}
	return out, nil
}

// Bounds of the files that wait for a message.
const (
	mostAttached     = 10        // files of one message, and that wait in one session
	mostAttachedText = 256 << 10 // bytes of one text
)

// attached is an uploaded file.
type attached struct {
	api.Attachment
	part tool.Part
}

// attach keeps a file for the next message that names it. The oldest makes room when there are too many.
func (l *live) attach(u api.Upload) (api.Attachment, error) {
	a := attached{Attachment: api.Attachment{ID: rand.Text(), Name: path.Base(strings.ReplaceAll(u.Name, "\\", "/")), Size: len(u.Data), Type: http.DetectContentType(u.Data)}}
	a.part = tool.Part{MediaType: a.Type, Data: u.Data, Name: a.Name}
	switch kind, _, _ := strings.Cut(a.Type, ";"); {
	case slices.Contains([]string{"image/png", "image/jpeg", "image/gif", "image/webp"}, kind):
		a.part.Kind = tool.ImagePart
	case kind == "application/pdf":
		a.part.Kind = tool.DocumentPart
	case utf8.Valid(u.Data) && !slices.Contains(u.Data, 0):
		if len(u.Data) > mostAttachedText {
			return a.Attachment, problem(http.StatusUnprocessableEntity, "too_long", "a text that goes with a message has at most 256 KiB: put it into the workspace")
		}
		a.Type = "text/plain"
		a.part = tool.Part{Kind: tool.TextPart, Text: string(u.Data), Name: a.Name}
	default:
		return a.Attachment, problem(http.StatusUnprocessableEntity, "file_kind", "only images, PDF files and texts can go with a message")
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return a.Attachment, errClosed
	}
	l.attached = append(l.attached[max(0, len(l.attached)+1-mostAttached):], a)
	return a.Attachment, nil
}

// takeAttachedLocked gives the text of a message with the texts that go with it, and the other files; l.mu is held.
func (l *live) takeAttachedLocked(text string, ids []string) (string, []tool.Part, error) {
	var parts []tool.Part
	for _, id := range ids {
		i := slices.IndexFunc(l.attached, func(a attached) bool { return a.ID == id })
		if i < 0 {
			return "", nil, problem(http.StatusUnprocessableEntity, "no_attachment", "an attachment is not there any more: add it again")
		}
		if p := l.attached[i].part; p.Kind == tool.TextPart {
			text += "\n\n" + fenced(p.Name, p.Text)
		} else {
			parts = append(parts, p)
		}
	}
	l.attached = slices.DeleteFunc(l.attached, func(a attached) bool { return slices.Contains(ids, a.ID) })
	return text, parts, nil
}

// fenced is a text with its name, between fences that are longer than any in it.
func fenced(name, text string) string {
	fence := "```"
	for strings.Contains(text, fence) {
		fence += "`"
	}
	return "File " + strings.Map(func(r rune) rune {
		if r < ' ' {
			return '_'
		}
		return r
	}, name) + ":\n" + fence + "\n" + strings.TrimSuffix(text, "\n") + "\n" + fence
}
