package main

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"rein/harness/settings"
	"time"

	"rein/guard"
)

// note is an answer to a call: one file, good for one run of exactly what was shown. It is made whole and only where
// none is, so the first answer stands, whichever process gives it.
type note struct {
	Yes   bool      `json:"yes"`
	Words string    `json:"words,omitempty"`
	By    string    `json:"by"`
	From  string    `json:"from,omitempty"` // the client
	Hash  string    `json:"hash"`           // of exactly what was asked: see guard.Binding
	Time  time.Time `json:"time"`
	Used  bool      `json:"used,omitempty"` // it has counted; it is kept for those who come too late
}

func (n note) answer() guard.Answer {
	if n.Yes {
		return guard.Answer{Choice: guard.Approved, By: n.By, From: n.From, Words: n.Words}
	}
	return guard.Answer{Choice: guard.Denied, By: n.By, From: n.From, Words: n.Words}
}

// notes are the answers to the calls of a session. Each is marked as used before it counts, so that none counts twice;
// one that is about something else is void.
type notes struct {
	dir string // of the session
}

var plainID = regexp.MustCompile(`^[A-Za-z0-9_-]{1,128}$`)

func (n notes) path(call string) string { return filepath.Join(n.dir, "answers", call+".json") }

// read gives the answer to a call; fs.ErrNotExist where there is none.
func (n notes) read(call string) (note, error) {
	var left note
	text, err := os.ReadFile(n.path(call))
	if err == nil && json.Unmarshal(text, &left) != nil {
		return note{}, nil // it has the hash of nothing
	}
	return left, err
}

// leave makes a note where none is; else it fails with fs.ErrExist and gives the one that is there.
func (n notes) leave(call string, left note) (note, error) {
	left.Time = time.Now().UTC()
	text, err := json.Marshal(left)
	if err != nil {
		return note{}, err
	}
	path := n.path(call)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return note{}, err
	}
	err = createWhole(path, append(text, '\n'))
	if !errors.Is(err, fs.ErrExist) {
		return left, err
	}
	first, readErr := n.read(call)
	if errors.Is(readErr, fs.ErrNotExist) { // it was cleared away between the two: the question is put anew
		return n.leave(call, left)
	}
	return first, errors.Join(fs.ErrExist, readErr)
}

// createWhole makes a file with its content at one stroke; fs.ErrExist where there is one.
func createWhole(path string, text []byte) error {
	f, err := os.CreateTemp(filepath.Dir(path), ".answer-*")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	_, err = f.Write(text)
	if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
		return err
	}
	err = os.Link(f.Name(), path)
	if err == nil || errors.Is(err, fs.ErrExist) {
		return err
	}
	return createAndWrite(path, text) // a file system without links
}

func createAndWrite(path string, text []byte) error {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	return errors.Join(err, f.Close())
}

// Approve takes the answer that was left for a call before its question is put, or passes. What is there of an earlier
// question is cleared away.
func (n notes) Approve(ctx context.Context, c guard.Case, v guard.Verdict) (guard.Answer, error) {
	answer, err := n.taken(c)
	if err != nil || answer.Choice != guard.Abstain || !plainID.MatchString(c.Call.ID) {
		return answer, err
	}
	if err := os.Remove(n.path(c.Call.ID)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return guard.Answer{}, err
	}
	return answer, nil
}

// taken takes the answer to a call, or passes.
func (n notes) taken(c guard.Case) (guard.Answer, error) {
	pass := guard.Answer{Choice: guard.Abstain}
	if !plainID.MatchString(c.Call.ID) {
		return pass, nil
	}
	left, err := n.read(c.Call.ID)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return pass, nil
	case err != nil:
		return guard.Answer{}, err
	case left.Used || left.Hash != c.Binding().Hash():
		return pass, nil
	}
	return left.answer(), n.use(c.Call.ID, left)
}

// use marks an answer as used.
func (n notes) use(call string, left note) error {
	left.Used = true
	text, err := json.Marshal(left)
	if err != nil {
		return err
	}
	return settings.ReplaceFile(n.path(call), append(text, '\n'))
}

// claim makes an answer that was given here the one that stands, unless another one was first: then it gives that.
func (n notes) claim(c guard.Case, a guard.Answer) (guard.Answer, error) {
	if _, err := os.Stat(n.dir); err != nil || !plainID.MatchString(c.Call.ID) {
		return a, nil // nobody else can know of the question
	}
	mine := note{Yes: a.Choice == guard.Approved, Words: a.Words, By: a.By, From: a.From, Hash: c.Binding().Hash(), Used: true}
	first, err := n.leave(c.Call.ID, mine)
	switch {
	case err == nil:
		return a, nil
	case !errors.Is(err, fs.ErrExist):
		return guard.Answer{}, err
	case first.Hash != mine.Hash:
		return guard.Answer{}, errors.New("an answer to something else is in the way")
	case !first.Used:
		return first.answer(), n.use(c.Call.ID, first)
	}
	return first.answer(), nil // by another client of this process
}

// said tells what a call was answered that does not wait any more.
func (n notes) said(call string) string {
	if left, err := n.read(call); err == nil && plainID.MatchString(call) && left.Used {
		return "; it was answered: " + left.answer().String()
	}
	return ""
}
