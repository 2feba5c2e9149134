// Package inbox stores the approval requests of all sessions and the answers to them, as files below the sessions'
// directory. A request is stored before it is shown. The first answer counts, whichever client and process gives it, and
// all others see it. Requests and answers survive a restart. A Reviewer is the approver of the mode auto: a model that is asked
// before a person is.
package inbox

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"sort"
	"strings"
	"sync"
	"time"

	"rein/event"
	"rein/guard"
	"rein/internal/plainfile"
	"rein/tool"
)

// DirName is the name of the directory beside the journal of a session that has its requests.
const DirName = "requests"

// Request is one call that waits for an approval, with all that a person needs for the answer.
type Request struct {
	Session  string          `json:"session"`
	Call     string          `json:"call"` // id of the call
	Tool     string          `json:"tool"`
	Args     json.RawMessage `json:"args,omitempty"`
	Dir      string          `json:"dir"`                 // the workspace
	Depth    int             `json:"depth,omitempty"`     // 0 for the user's own session, 1 for its sub-agents, …
	Agent    string          `json:"agent,omitempty"`     // the kind of the sub-agent that asks
	SubAgent string          `json:"sub_agent,omitempty"` // id of its own session
	Time     time.Time       `json:"time"`                // when it was asked first
	Intent   tool.Intent     `json:"intent,omitzero"`
	Verdict  event.Verdict   `json:"verdict"`        // why it is asked
	Lines    []string        `json:"lines"`          // the request as text: all of the call, its effects, the diff of an edit
	Shown    guard.Request   `json:"shown,omitzero"` // the same as data: what the call would do and open
	Scopes   []Scope         `json:"scopes,omitempty"`

	Hash  string `json:"hash"`  // of exactly what would run: an answer must name it
	Epoch string `json:"epoch"` // names the rules and the mode under which it was asked
	Root  string `json:"root_id,omitempty"`
	Files string `json:"files,omitempty"` // identifies the files that were shown, as they were; "": none
}

// Scope is one way in which an approval may reach beyond its call.
type Scope struct {
	Scope guard.Scope `json:"scope"`
	Text  string      `json:"text"`            // what it covers, and where it is kept
	Rules []string    `json:"rules,omitempty"` // the allow rules that it would add
}

// Answer is the answer to a request, as it is stored.
type Answer struct {
	Approved bool         `json:"approved"`
	Scope    guard.Scope  `json:"scope,omitempty"`
	Words    string       `json:"words,omitempty"`  // for the model, when denied
	Chosen   *tool.Chosen `json:"chosen,omitempty"` // to the questions of the call, when approved
	By       guard.Who    `json:"by"`
	From     string       `json:"from,omitempty"` // the client

	Args string    `json:"args,omitempty"` // JSON, of the call in place of those that were shown, when approved: see guard.Answer
	Hash string    `json:"hash"`
	Time time.Time `json:"time"`
	Used bool      `json:"used,omitempty"` // the session has recorded what became of it; it is kept for clients that come too late
}

// Guard returns the answer as an approver gives it.
func (a Answer) Guard() guard.Answer {
	choice := guard.Denied
	if a.Approved {
		choice = guard.Approved
	}
	return guard.Answer{Choice: choice, Scope: a.Scope, Words: a.Words, Chosen: a.Chosen, Args: a.Args, By: a.By, From: a.From}
}

func storedAnswer(a guard.Answer, hash string) Answer {
	return Answer{Approved: a.Choice == guard.Approved, Scope: a.Scope, Words: a.Words, Chosen: a.Chosen, Args: a.Args, By: a.By, From: a.From, Hash: hash}
}

// The errors of Answer.
var (
	ErrNotPending = errors.New("no such request waits for an answer")
	ErrAnswered   = errors.New("the request is answered already")
	ErrChanged    = errors.New("the request has changed since it was shown")
	ErrNotFitting = errors.New("the answer does not fit the questions")
)

// Inbox is the store of requests and answers. It may be used by several goroutines and several processes at once.
type Inbox struct {
	dir string // of the sessions

	mu       sync.Mutex
	taken    map[string]bool // answers that this process has taken: session/call
	watchers map[chan struct{}]bool
	unfollow context.CancelFunc // ends the look at other processes; nil while nobody watches
}

// New returns the inbox over the sessions' directory.
func New(sessions string) *Inbox {
	return &Inbox{dir: sessions, taken: map[string]bool{}, watchers: map[chan struct{}]bool{}}
}

var plainID = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z0-9_-]{1,128}$`) })

func (in *Inbox) requestFile(session, call string) string {
	return filepath.Join(in.dir, session, DirName, call+".json")
}

// Put stores a request before it is shown. A request for the same call is replaced; one that is the same stays as it was asked first.
func (in *Inbox) Put(r Request) error {
	if !plainID().MatchString(r.Session) || !plainID().MatchString(r.Call) {
		return fmt.Errorf("inbox: %q of session %q is not an id that can be stored", r.Call, r.Session)
	}
	if is, err := in.Get(r.Session, r.Call); err == nil && is.same(r) {
		return nil
	}
	text, err := json.Marshal(r)
	if err != nil {
		return fmt.Errorf("inbox: %w", err)
	}
	if err := plainfile.Replace(in.requestFile(r.Session, r.Call), append(text, '\n')); err != nil {
		return fmt.Errorf("inbox: %w", err)
	}
	in.changed()
	return nil
}

// same reports whether two requests differ at most in their times.
func (r Request) same(o Request) bool {
	r.Time, o.Time = time.Time{}, time.Time{}
	a, err := json.Marshal(r)
	b, otherErr := json.Marshal(o)
	return err == nil && otherErr == nil && bytes.Equal(a, b)
}

// Remove deletes a request that nobody need answer any more.
func (in *Inbox) Remove(session, call string) error {
	if !plainID().MatchString(session) || !plainID().MatchString(call) {
		return nil
	}
	err := os.Remove(in.requestFile(session, call))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	in.changed()
	return err
}

// Get returns one stored request, also when it is answered but not yet taken; ErrNotPending when there is none.
func (in *Inbox) Get(session, call string) (Request, error) {
	if !plainID().MatchString(session) || !plainID().MatchString(call) {
		return Request{}, ErrNotPending
	}
	var r Request
	text, err := os.ReadFile(in.requestFile(session, call))
	if errors.Is(err, fs.ErrNotExist) {
		return r, ErrNotPending
	}
	if err == nil {
		err = json.Unmarshal(text, &r)
	}
	if err != nil {
		return r, fmt.Errorf("inbox: %s of session %s: %w", call, session, err)
	}
	return r, nil
}

// Pending returns the requests that nobody has answered, of all sessions, oldest first. A file that cannot be read is left
// out and named in the error; the other requests are given all the same.
func (in *Inbox) Pending() ([]Request, error) { return in.list(false) }

// Unrecorded returns the requests that are answered, where no session has recorded yet what became of the answer: its process is about
// to, or was killed before it could.
func (in *Inbox) Unrecorded() ([]Request, error) { return in.list(true) }

// Open returns the ids of the sessions with a request that no session has settled, the user's own in place of those of sub-agents.
func (in *Inbox) Open() (map[string]bool, error) {
	pending, err := in.Pending()
	answered, otherErr := in.Unrecorded()
	open := map[string]bool{}
	for _, r := range append(pending, answered...) {
		open[r.Session] = true
	}
	return open, errors.Join(err, otherErr)
}

// list returns the requests that are answered, or those that are not.
func (in *Inbox) list(answered bool) ([]Request, error) {
	files, err := filepath.Glob(filepath.Join(in.dir, "*", DirName, "*.json"))
	if err != nil {
		return nil, err
	}
	var all []Request
	var faults []error
	for _, name := range files {
		call := strings.TrimSuffix(filepath.Base(name), ".json")
		session := filepath.Base(filepath.Dir(filepath.Dir(name)))
		r, err := in.Get(session, call)
		switch a, answerErr := in.read(session, call); {
		case errors.Is(err, ErrNotPending):
		case err != nil:
			faults = append(faults, err)
		case (answerErr == nil && a.Hash == r.Hash) == answered: // the session removes it when it has recorded the answer
			all = append(all, r)
		}
	}
	sort.SliceStable(all, func(i, j int) bool { return all[i].Time.Before(all[j].Time) })
	return all, errors.Join(faults...)
}

// Answer stores the answer to a request. hash is that of the request as it was shown. It fails with ErrNotPending,
// ErrChanged, ErrNotFitting, or ErrAnswered; with ErrAnswered it returns the answer that counts.
func (in *Inbox) Answer(session, call, hash string, a guard.Answer) (Answer, error) {
	r, err := in.Get(session, call)
	if err != nil {
		if first, readErr := in.read(session, call); errors.Is(err, ErrNotPending) && readErr == nil {
			return first, ErrAnswered
		}
		return Answer{}, err
	}
	if r.Hash != hash {
		if first, readErr := in.read(session, call); readErr == nil && first.Hash == r.Hash {
			return first, ErrAnswered
		}
		return Answer{}, ErrChanged
	}
	if q := r.Intent.Questions; q != nil {
		if err := q.Check(a.Chosen); err != nil {
			return Answer{}, fmt.Errorf("%w: %w", ErrNotFitting, err)
		}
	}
	first, err := in.leave(session, call, storedAnswer(a, hash))
	if errors.Is(err, fs.ErrExist) {
		err = ErrAnswered
	}
	if err == nil {
		in.changed()
	}
	return first, err
}
