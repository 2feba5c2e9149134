// Package session holds what the chat on a terminal needs of a session, and of the place where sessions are: this process, or a
// server.
package session

import (
	"context"
	"errors"
	"iter"
	"time"

	"rein/event"
	"rein/tool"
)

// Session is what the screen shows: a session of this process, or one of a server. Methods without a context answer at once: the
// screen calls some of them for each frame.
type Session interface {
	ID() string
	How() How
	Usage() event.Usage
	Window() int64 // tokens that the model takes; 0: not known
	// Waiting reports whether something is at work that Resume shows, or open that Resume continues.
	Waiting() bool

	// The turns. When the context ends the turn is stopped, unless the cause is ErrLeaves.
	Send(ctx context.Context, text string, attached []tool.Part) iter.Seq2[event.Event, error]
	SendLine(ctx context.Context, line string) iter.Seq2[event.Event, error] // a slash command of a file or a skill too
	Resume(ctx context.Context) iter.Seq2[event.Event, error]
	Compact(ctx context.Context, focus string) iter.Seq2[event.Event, error]

	// The messages while a turn runs: see harness.Session
	Steer(text string, attached []tool.Part) error
	Queue(text string) error
	Queued() []Queued
	Unqueue(id int) bool

	SetMode(mode string) error
	SetModel(ctx context.Context, ref string) error
	SlashCommands() []Command                              // of files, features and skills
	Files(ctx context.Context, most int) ([]string, error) // what a message can name with an @
	Past() (Past, error)                                   // the end of the conversation when the session was opened
	// WholeOutput returns the first most bytes of the output of a call whose result holds only a part.
	WholeOutput(ctx context.Context, r tool.Result, most int64) ([]byte, error)
	Jobs() []Job
	Changes(ctx context.Context) (Changes, error)
	PlanUndo(ctx context.Context, what Undoing) (*Undo, error) // ErrNothing: there is nothing to undo
	Close(ctx context.Context) error
}

// How says how a session runs.
type How struct {
	Dir, Model, Mode, Sandbox string
	AddDirs                   []string // further directories
}

// Queued is a message of the user that waits while the session is at work.
type Queued struct {
	ID    int
	Steer bool // the model gets it with its next request, else after its answer
	Text  string
}

// Past is the end of a conversation: see sessions.Past.
type Past struct {
	Events []event.Event
	Turns  int
	Steps  int
	More   bool
}

// How much of a conversation is shown when it is opened again.
const (
	PastTurns = 10
	PastSteps = 100
)

// Message is a message of a session.
type Message struct {
	Seq  int64 // the number of its event; 0: not known
	Time time.Time
	User bool // the user's; else the model's answer
	Text string
	Gone bool // the user went back from it
}

// Info is a session in a list.
type Info struct {
	ID, Dir, Name string // the user's name, or its title
	Last          time.Time
	Cost          float64 // in US dollars
	Waits         bool    // a call waits for an approval
}

// ErrLeaves is why the context of a turn ends when the user leaves: a turn of a server continues.
var ErrLeaves = errors.New("the user leaves")

// Job is a command of a session that has not ended.
type Job struct {
	ID, Command string
	Started     time.Time
	Waited      bool                                            // a call waits for it
	Tail        func(from int64) (output []byte, startAt int64) // answers at once
	Ended       func() bool
	Stop        func()
	Leave       func() // lets it run in the background; nil: it cannot
}

// Changes are changes of files.
type Changes []tool.Change

// Add adds a change. what is "created", "deleted" or another word; diff may be empty.
func (c *Changes) Add(path, from, what, diff string, added, removed int) {
	*c = append(*c, tool.Change{Path: path, From: from, Created: what == "created", Deleted: what == "deleted", Added: added, Removed: removed, Diff: diff})
}

// Undoing says what to take back: what the last calls did to files, or all since a message of the user.
type Undoing struct {
	Last    int
	Redo    bool   // take back undos instead of calls
	Message int64  // the number of its event; 0: what Last says
	Which   string // what the user named: a number of calls, "turn", a call, a sub-agent; "": what Last and Message say
}

// ErrNothing means that there is nothing to undo.
var ErrNothing = errors.New("there is nothing to undo")

// Undo is a plan to take changes of files back.
type Undo struct {
	Changes Changes
	Stays   []string                             // files that stay as they are, and why
	Do      func(context.Context) (*Undo, error) // does it, and returns what it did
}

// Place is where sessions are: this process, or a server.
type Place interface {
	Root() string      // the directory in which the sessions work
	How() (How, error) // of a new session
	Models(ctx context.Context) ([]Model, error)
	Start(ctx context.Context) (Session, error)
	Open(ctx context.Context, id string) (Session, error)
	Fork(ctx context.Context, id string) (Session, error)
	Rewind(ctx context.Context, id string, at int64) (Session, error)
	Sessions(ctx context.Context, dir string) ([]Info, error) // the newest ones, of a directory; "": of all
	Messages(ctx context.Context, id string) ([]Message, error)
	Rename(ctx context.Context, id, name string) error
	Again(id string) string // the command line that comes back to a session
	// RuleFiles are the files with the user's rules: for this project, and for all. KeepRules adds rules that allow, ask or deny, or none of
	// them where one cannot be read.
	RuleFiles() []string
	KeepRules(ctx context.Context, decision string, rules []string, everywhere bool) error
}

// Command is a slash command.
type Command struct{ Name, About, Hint string }

// Model is a model that sessions can ask.
type Model struct {
	Ref     string // provider/name
	Context int    // tokens that it takes; 0: not known
}
