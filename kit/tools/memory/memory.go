// Package memory has the tools that remember things from one session to the next: memory_store, memory_recall, memory_forget,
// memory_list, and session_search, which looks into past sessions. They know no store: the harness gives one.
package memory

import (
	"context"
	"time"

	"rein/tool"
)

// The scopes of an entry.
const (
	User    = "user"    // it holds in all projects
	Project = "project" // it holds in one project
)

// Categories are the kinds of entries.
func Categories() []string { return []string{"knowledge", "preference", "task", "skill"} }

// The bounds of an entry.
const (
	MaxText = 4 << 10 // bytes
	MaxTags = 10
	MaxTag  = 40 // bytes
)

// Entry is one thing that is remembered.
type Entry struct {
	ID         int64     `json:"id"`
	Scope      string    `json:"scope"`             // user or project
	Project    string    `json:"project,omitempty"` // absolute path of the directory; "" in the scope user
	Category   string    `json:"category"`
	Text       string    `json:"text"`
	Importance int       `json:"importance"` // 0 to 10
	Tags       []string  `json:"tags,omitempty"`
	Created    time.Time `json:"created"`
	Expires    time.Time `json:"expires,omitzero"` // zero: never
	Source     string    `json:"source,omitempty"` // id of the session; "" when the user wrote it
	By         string    `json:"by"`               // who said it: user, model
	// Proposed means that the user has not confirmed it: the session had read untrusted text. It is neither recalled nor in the
	// digest.
	Proposed bool   `json:"proposed,omitempty"`
	Why      string `json:"why,omitempty"` // it is proposed: what the session had read
}

// Query says which entries are wanted. The zero value wants all of the user.
type Query struct {
	Text     string // words; the best entries come first. "": the newest first
	Project  string // also the entries of this project
	All      bool   // those of all projects
	Scope    string // only this scope
	Category string
	Tag      string
	Since    time.Time // created then or later
	Until    time.Time // created before
	Proposed bool      // only those that wait for the user; otherwise only those that do not
	Limit    int       // 0: 10
}

// Store keeps entries. Several goroutines may call its methods at once.
type Store interface {
	// Put stores an entry, gives it an id where it has none, and replaces the one that has its id, or its text in the same
	// scope. It fails with a *tool.Error where the entry holds a secret, or is too large.
	Put(ctx context.Context, e Entry) (Entry, error)
	// Get returns one entry; ok is false when there is none.
	Get(ctx context.Context, id int64) (e Entry, ok bool, err error)
	// Find returns the entries that match, and how many there are; the number is -1 where it was not counted.
	Find(ctx context.Context, q Query) (all []Entry, total int, err error)
	// Delete deletes one entry; ok is false when there is none.
	Delete(ctx context.Context, id int64) (ok bool, err error)
}

// Tools are the tools over one store, for one session.
type Tools struct {
	Store   Store
	Project string // absolute path of the workspace
	Session string // id of the session
	// Untrusted names the untrusted text that the session has read. What is stored after that is proposed only. Nil: none.
	Untrusted func() []string
	// ReadOnly reports whether a call may change nothing: in a mode that only reads, or of a sub-agent that only reads. Nil: none.
	ReadOnly func(call string) bool
	// Sessions searches past sessions of the workspace; nil: there is no tool session_search.
	Sessions func(ctx context.Context, query string, most int) ([]Found, error)
}

// Found is a past session in which a search found something.
type Found struct {
	ID      string
	Title   string
	Last    time.Time
	Matches []string // the words around
}

// writable refuses a call that may change nothing: what is remembered steers later sessions.
func (t Tools) writable(call string) error {
	if t.ReadOnly == nil || !t.ReadOnly(call) {
		return nil
	}
	return &tool.Error{Kind: tool.Denied, Text: "Nothing may be changed here, and what is remembered would steer later sessions.", Hint: "Say in your answer what should be remembered or forgotten."}
}
