package server

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"path/filepath"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"rein/harness/sent"
	"rein/server/audit"
	"rein/server/auth"
	"rein/server/description"
	"rein/server/shown"
	"rein/server/signin"
)

// sentOperation gives files that send_file showed, and whole outputs. A file needs the role that may start sessions: it may have
// changed since the call, and who starts sessions reads the workspace anyway.
func (s *Server) sentOperation(a huma.API) {
	type input struct {
		SessionPath
		Call string `path:"call" pattern:"^[A-Za-z0-9_-]{1,128}$"`
	}
	add(a, auth.Operator, huma.Operation{OperationID: "sent-file", Method: http.MethodGet, Path: "/v1/sessions/{id}/files/{call}", Summary: "The file that a call of send_file showed, as it is now", Tags: []string{"files"}, Responses: description.File()},
		func(ctx context.Context, in *input) (*huma.StreamResponse, error) {
			return s.sent(signin.Of(ctx), in.ID, in.Call)
		})
	add(a, auth.Viewer, huma.Operation{OperationID: "whole-output", Method: http.MethodGet, Path: "/v1/sessions/{id}/outputs/{call}", Summary: "The whole output of a call whose result holds only a part, its first 16 MB", Tags: []string{"sessions"}, Responses: description.File()},
		func(ctx context.Context, in *input) (*huma.StreamResponse, error) {
			return s.whole(signin.Of(ctx), in.ID, in.Call)
		})
}

// mostOutput bounds how much of an output is given, in bytes.
const mostOutput = 16 << 20

// whole returns an output as a download. Who sees the session sees its results, so no further role is needed.
func (s *Server) whole(c signin.Client, id, call string) (*huma.StreamResponse, error) {
	w, err := s.seen(c.User, id)
	if err != nil {
		return nil, err
	}
	f, err := sent.Whole(w.h.Dirs().Output, id, w.h.Store().Events(id, 0), call)
	if errors.Is(err, sent.ErrNotKept) {
		return nil, problem(http.StatusNotFound, "no_output", sent.ErrNotKept.Error())
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	text, err := shown.Mask(s.mask).Start(f, mostOutput)
	if err != nil {
		return nil, err
	}
	return description.Download(call+".txt", time.Now(), bytes.NewReader(text), io.NopCloser(nil)), nil
}

// sent returns a file as a download.
func (s *Server) sent(c signin.Client, id, call string) (*huma.StreamResponse, error) {
	w, err := s.seen(c.User, id)
	if err != nil {
		return nil, err
	}
	file, err := sent.Open(w.dir, w.h.Store().Events(id, 0), call)
	if err != nil {
		return nil, problem(http.StatusNotFound, "no_file", sent.ErrNone.Error())
	}
	s.note(c, audit.Entry{What: "downloaded", Dir: w.dir, Session: id, Text: file.Name})
	return description.Download(filepath.Base(file.Name), file.Info.ModTime(), file, file), nil
}
