package server

import (
	"bytes"
	"context"
	"errors"
	"net/http"
	"path/filepath"
	"time"

	"rein/harness/sent"
	"rein/server/audit"
	"rein/server/description"
	"rein/server/shown"
	"rein/server/signin"
)

// callPath names a call of a session in a path.
type callPath struct {
	sessionPath
	Call string `path:"call" pattern:"^[A-Za-z0-9_-]{1,128}$"`
}

// mostOutput bounds how much of an output is given, in bytes.
const mostOutput = 16 << 20

// whole returns an output as a download. Who sees the session sees its results, so no further role is needed.
func (o fileOperations) whole(_ context.Context, w *workspace, in callPath) (none description.File, err error) {
	f, err := sent.Whole(w.h.Dirs().Output, in.ID, w.h.Store().Events(in.ID, 0), in.Call)
	if errors.Is(err, sent.ErrNotKept) {
		return none, problem(http.StatusNotFound, "no_output", sent.ErrNotKept.Error())
	}
	if err != nil {
		return none, err
	}
	defer f.Close()
	text, err := shown.Mask(o.mask).Start(f, mostOutput)
	if err != nil {
		return none, err
	}
	return description.File{Name: in.Call + ".txt", Changed: time.Now(), Content: bytes.NewReader(text)}, nil
}

// sent returns a file as a download.
func (o fileOperations) sent(ctx context.Context, w *workspace, in callPath) (none description.File, err error) {
	file, err := sent.Open(w.dir, w.h.Store().Events(in.ID, 0), in.Call)
	if err != nil {
		return none, problem(http.StatusNotFound, "no_file", sent.ErrNone.Error())
	}
	o.note(signin.Of(ctx), audit.Entry{What: "downloaded", Dir: w.dir, Session: in.ID, Text: file.Name})
	return description.File{Name: filepath.Base(file.Name), Changed: file.Info.ModTime(), Content: file}, nil
}
