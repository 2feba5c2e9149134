// Package session holds what the chat on a terminal needs of a session, and of the place where sessions are: this process, or a
// server. Local and LocalPlace are those of this process.
package session

import (
	"context"
	"errors"
	"iter"
	"time"

	"rein/app/extend"
	"rein/app/harness"
	"rein/app/sessions"
	"rein/app/stats"
	"rein/event"
	"rein/tool"
)

// Session is what the screen shows: a session of this process, or one of a server. Methods without a context answer at once: the
// screen calls some of them for each frame. What a session cannot do where it is fails with NotThere.
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
	// Continue returns the turn that continues one that was interrupted; nil: there is nothing to continue.
	Continue() func(context.Context) iter.Seq2[event.Event, error]

	// What the user has run through the checks of calls; happened gets the events of the calls.
	//
	// Expand makes the message of a slash command of a file, a feature or a skill. ErrNoCommand: there is none of that name. ErrSendLine:
	// SendLine takes it as it is. The output of a command that was denied is "".
	Expand(ctx context.Context, name, args string, happened func(event.Event)) (message string, attached []tool.Part, err error)
	RunCommand(ctx context.Context, command string, happened func(event.Event)) (output string, err error)

	// The messages while a turn runs: see harness.Session
	Steer(text string, attached []tool.Part) error
	Queue(text string, attached []tool.Part) error
	Queued() []harness.Queued
	Unqueue(id int) bool

	SetMode(mode string) error
	// Allowed are the rules by which calls run because a person allowed their kind for this session. Disallow takes one away, and reports
	// whether there was one.
	Allowed(context.Context) ([]string, error)
	Disallow(_ context.Context, rule string) (bool, error)
	SetModel(ctx context.Context, ref string) error
	Commands() []extend.Command                                   // of files, features and skills
	Files(ctx context.Context, most int) ([]string, error)        // what a message can name with an @
	Past() (sessions.Past, error)                                 // the end of the conversation when the session was opened
	StatusLine(ctx context.Context, state []byte) (string, error) // what the user's command for the status line prints
	Context() (Context, error)
	// WholeOutput returns the first most bytes of the output of a call whose result holds only a part.
	WholeOutput(ctx context.Context, r tool.Result, most int64) ([]byte, error)
	Jobs() []Job
	Changes(ctx context.Context) ([]tool.Change, error)
	PlanUndo(ctx context.Context, what Undoing) (*Undo, error) // ErrNothing: there is nothing to undo
	Close(ctx context.Context) error
}

// NotThere is why a session cannot do something where it is, with what to do instead.
type NotThere string

// Error says what is not there.
func (n NotThere) Error() string { return string(n) }

// Why a slash command is not expanded: there is none, or it is expanded where the session is.
var (
	ErrNoCommand = errors.New("there is no such command")
	ErrSendLine  = errors.New("the command is expanded where the session is")
)

// How says how a session runs.
type How struct {
	Dir, Model, Mode, Sandbox string
	AddDirs                   []string // further directories
	Joined                    bool     // another process has the session open, and it does not end here
}

// Context is what the next request has, and the files with instructions that the session looked at.
type Context struct {
	Window, Tokens int  // of the model, 0 where that is not known, and of the request
	Assumed        bool // nothing is known of the model, and Window is a guess
	Parts          []Part
	Instructions   []extend.InstructionFile
}

// Part is what one kind of content takes of a request.
type Part struct {
	Name   string
	Tokens int
}

// How much of a conversation is shown when it is opened again.
const (
	PastTurns = 10
	PastSteps = 100
)

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

// Undoing says what to take back: what the last calls did to files, or all since a message of the user.
type Undoing struct {
	Last    int
	Redo    bool   // take back undos instead of calls
	Message int64  // the number of its event; 0: what Last says
	Which   string // what the user named: a number of calls, "turn", a call, a sub-agent; "": what Last and Message say
}

// ErrNothing means that there is nothing to undo.
var ErrNothing = errors.New("there is nothing to undo")

// Undo is a plan to take changes of files back. Do does it, restores also the conflicts that it gets, and returns what it did.
type Undo struct {
	harness.ShownUndo
	Do func(_ context.Context, also ...string) (harness.ShownUndo, error)
}

// Place is where sessions are: this process, or a server.
type Place interface {
	// Elsewhere reports whether the sessions are those of a server: they work on its files, and continue when the chat leaves.
	Elsewhere() bool
	Root() string      // the directory in which the sessions work
	How() (How, error) // of a new session
	Models(ctx context.Context) ([]Model, error)
	Agents() ([]extend.AgentFile, error) // the kinds of sub-agents that a message can name
	Start(ctx context.Context) (Session, error)
	Open(ctx context.Context, id string) (Session, error)
	Fork(ctx context.Context, id string) (Session, error)
	Rewind(ctx context.Context, id string, at int64) (Session, error)
	Sessions(ctx context.Context, dir string) ([]sessions.Session, error) // the newest ones, of a directory; "": of all
	Messages(ctx context.Context, id string) ([]sessions.Message, error)
	Rename(ctx context.Context, id, name string) error
	Use(id string) (stats.Use, error) // what a session used, by message, model and tool, as far as that is known
	Again(id string) string           // the command line that comes back to a session
	SeeAll(id string) string          // what shows the whole conversation of a session
	// RuleFiles are the files with the user's rules: for this project, and for all. KeepRules adds rules that allow, ask or deny, or none of
	// them where one cannot be read.
	RuleFiles() []string
	KeepRules(ctx context.Context, decision string, rules []string, everywhere bool) error
}

// Keeper is a session that keeps what waits in the screen itself, where no turn is at work that takes it: a command of the user runs. Whoever kills
// the process does not lose it: Resume sends it.
type Keeper interface {
	// Keep keeps a message until release is called: with sends set just before Send has it, else it is forgotten.
	Keep(text string, attached []tool.Part) (release func(sends bool))
	// Unsent reports whether the message that began a turn which could not be recorded is kept, too.
	Unsent() bool
}

// Toolbox is a session that has its tools in this process. The catalogue lists those of a server.
type Toolbox interface{ Tools() tool.Set }

// Model is a model that sessions can ask.
type Model struct {
	Ref     string // provider/name
	Context int    // tokens that it takes; 0: not known
}

// Named returns the text of an event of a person, before it the name of one who has one.
func Named(e event.Event, text string) string {
	if name := sessions.AuthorOf(&e); name != "" {
		return name + ": " + text
	}
	return text
}
