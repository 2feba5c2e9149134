package server

import (
	"bytes"
	"context"
	"errors"
	"net/http"
	"path/filepath"
	"time"

	"rein/app/server/api"
)

// callPath names a call of a session in a path.
type callPath struct {
	sessionPath
	Call string `path:"call" pattern:"^[A-Za-z0-9_-]{1,128}$"`
}

// mostOutput bounds how much of an output is given, in bytes.
const mostOutput = 16 << 20

// whole returns an output as a download. Who sees the session sees its results, so no further role is needed.
func (o fileOperations) whole(_ context.Context, w *servedWorkspace, in callPath) (none fileAnswer, err error) {
	f, err := openWhole(w.h.Dirs().Output, in.ID, w.h.Store().Events(in.ID, 0), in.Call)
	if errors.Is(err, errNotKept) {
		return none, problem(http.StatusNotFound, "no_output", errNotKept.Error())
	}
	if err != nil {
		return none, err
	}
	defer f.Close()
	text, err := secretMask(o.mask).Start(f, mostOutput)
	if err != nil {
		return none, err
	}
	return fileAnswer{Name: in.Call + ".txt", Changed: time.Now(), Content: bytes.NewReader(text)}, nil
}

// sent returns a file as a download.
func (o fileOperations) sent(ctx context.Context, w *servedWorkspace, in callPath) (none fileAnswer, err error) {
	file, err := openSent(w.dir, w.h.Store().Events(in.ID, 0), in.Call)
	if err != nil {
		return none, problem(http.StatusNotFound, "no_file", errNotSent.Error())
	}
	o.note(senderOf(ctx), api.Entry{What: "downloaded", Dir: w.dir, Session: in.ID, Text: file.Name})
	return fileAnswer{Name: filepath.Base(file.Name), Changed: file.Info.ModTime(), Content: file}, nil
}
