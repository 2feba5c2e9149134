// Package api holds the types of the server's HTTP interface: what its requests and answers contain. The server makes its
// OpenAPI description from them, and the Go client uses them.
//
// Events reach the clients by a hub with topics, bounded subscribers, and server-sent events with a cursor, so that a client that
// connects again misses nothing and gets nothing twice.
package api

import (
	"encoding/json"
	"time"

	"rein/app/stats"
	"rein/event"
	"rein/guard"
	"rein/tool"
)

// State is what a session does.
type State string

// The states.
const (
	Working     State = "working"     // the model answers, or calls run
	Waiting     State = "waiting"     // a call waits for an approval
	Idle        State = "idle"        // the last message is answered
	Failed      State = "failed"      // the last turn ended with an error or a limit
	Cancelled   State = "cancelled"   // the last turn was cancelled
	Interrupted State = "interrupted" // the program ended in the middle of a turn; it can be continued
	Stuck       State = "stuck"       // nothing happens until somebody helps: see Session.Trouble
)

// Me is who is signed in, and what the server is.
type Me struct {
	Name    string `json:"name" doc:"empty for the owner"`
	Role    string `json:"role" enum:"viewer,approver,operator,owner"`
	SeesAll bool   `json:"sees_all" doc:"all workspaces: only such a user changes what holds for all"`
	Version string `json:"version"`
	Boot    string `json:"boot" doc:"changes when the server starts again"`
}

// Workspace is a directory that the server serves.
type Workspace struct {
	Dir   string `json:"dir"`
	Name  string `json:"name" doc:"last part of the directory"`
	Model string `json:"model,omitempty" doc:"provider/name that new sessions use; empty: the first one that is found"`
	Mode  string `json:"mode" doc:"of new sessions"`
}

// Session is one session in lists.
type Session struct {
	ID      string       `json:"id"`
	Title   string       `json:"title"`
	Dir     string       `json:"dir"`
	Model   string       `json:"model,omitempty"`
	Mode    string       `json:"mode,omitempty"`
	State   State        `json:"state" enum:"working,waiting,idle,failed,cancelled,interrupted,stuck"`
	Stop    event.Stop   `json:"stop,omitempty" doc:"how the last turn ended"`
	Started time.Time    `json:"started"`
	Last    time.Time    `json:"last"`
	Calls   int          `json:"calls"`
	Working bool         `json:"working" doc:"a turn is running in this server, and can be cancelled"`
	Pending int          `json:"pending" doc:"approval requests that wait"`
	Queued  []Queued     `json:"queued,omitempty" doc:"messages that are sent when the turn has ended"`
	Unsent  []Queued     `json:"unsent,omitempty" doc:"messages that a hook did not let through, or whose turn was stopped before the model had them: to take one back gives it"`
	Usage   *event.Usage `json:"usage,omitempty" doc:"known while the session is open in this server"`
	Allowed []string     `json:"allowed,omitempty" doc:"rules by which calls run because a person allowed their kind for this session; known while it is open in this server"`
	Window  int          `json:"window,omitempty" doc:"tokens that the model takes; known while the session is open in this server"`

	Damaged    int    `json:"damaged,omitempty" doc:"lines of its journal that cannot be read and are left out"`
	Unreadable bool   `json:"unreadable,omitempty" doc:"its journal cannot be read to the end"`
	Unrecorded string `json:"unrecorded,omitempty" doc:"why the last turn could not be recorded; the next message opens the session again"`

	Trouble *Trouble `json:"trouble,omitempty" doc:"of a session that runs on other machines"`
}

// Trouble is why nothing happens in a session that runs on other machines, or why it takes long.
type Trouble struct {
	Kind    string    `json:"kind" enum:"halted,retrying,no_worker,busy,host_lost,version,no_server,no_store" doc:"halted: its last steps failed, and resume-session lets it try again; retrying: it tries again by itself"`
	Session string    `json:"session,omitempty" doc:"the sub-agent that is in trouble; empty: the session itself is"`
	Queue   string    `json:"queue,omitempty" doc:"from which no worker takes its next step"`
	Why     string    `json:"why,omitempty" doc:"the error"`
	Do      string    `json:"do,omitempty" doc:"what helps, for who runs the workers: a command where it begins with rein-temporal"`
	Since   time.Time `json:"since,omitzero"`
	Text    string    `json:"text" doc:"all of it in English"`
	Stuck   bool      `json:"stuck" doc:"nothing happens until somebody helps"`
}

// Queued is a message that waits for the end of the turn.
type Queued struct {
	ID   string `json:"id"`
	Text string `json:"text"`
	By   string `json:"by,omitempty"`

	Attached []Attachment `json:"attached,omitempty" doc:"files that go with it: once it is taken back or dropped, they wait again and a message may name them"`

	Steer bool `json:"steer,omitempty" doc:"it waits for the next request of the turn, not for its end"`
	Begun bool `json:"begun,omitempty" doc:"its turn has begun, and hooks see it before the model: it cannot be taken back"`
}

// NewSession begins a session.
type NewSession struct {
	ID    string `json:"id,omitempty" pattern:"^[a-z0-9][a-z0-9-]{0,63}$" doc:"made by the client: where a session of this id is there, it is the answer and none begins, so that the request can be sent again; empty: the server makes one"`
	Dir   string `json:"dir,omitempty" doc:"one of the workspaces; empty: the first one"`
	Model string `json:"model,omitempty" maxLength:"200" doc:"provider/name"`
	Mode  string `json:"mode,omitempty" enum:"read-only,plan,ask,supervised,auto,full"`
	Text  string `json:"text,omitempty" maxLength:"500000" doc:"the first message"`
}

// NewMessage is a message to a session.
type NewMessage struct {
	ID   string `json:"id,omitempty" pattern:"^[A-Za-z0-9_-]{1,64}$" doc:"made by the client; a message with an id that was sent already is not sent again"`
	Text string `json:"text" minLength:"1" maxLength:"500000"`

	Attachments []string `json:"attachments,omitempty" maxItems:"10" doc:"ids of uploaded files"`

	Steer bool `json:"steer,omitempty" doc:"while a turn is running the model gets the message with its next request, not after its answer"`
}

// Sent says what became of a message.
type Sent struct {
	State string `json:"state" enum:"sent,steered,queued,repeated"`
}

// Events is a part of a session's recorded events.
type Events struct {
	Events []event.Event `json:"events"`
	More   bool          `json:"more" doc:"there are earlier events"`
}

// Request is an approval request, with all that a person needs for the answer.
type Request struct {
	Root    string          `json:"root" doc:"id of the user's session; another one than session where a sub-agent asks"`
	Title   string          `json:"title" doc:"of the user's session"`
	High    bool            `json:"high_risk" doc:"must be answered by itself"`
	Session string          `json:"session"`
	Call    string          `json:"call"`
	Tool    string          `json:"tool"`
	Args    json.RawMessage `json:"args,omitempty"`
	Dir     string          `json:"dir"`
	Depth   int             `json:"depth,omitempty"` // 0 for the user's own session, 1 for its sub-agents, …
	Agent   string          `json:"agent,omitempty"` // the kind of the sub-agent that asks
	Task    string          `json:"task,omitempty" doc:"what the sub-agent that asks is to do: the title of its session"`
	Time    time.Time       `json:"time"`
	Intent  tool.Intent     `json:"intent,omitzero"`
	Verdict event.Verdict   `json:"verdict"`
	Lines   []string        `json:"lines"`          // the request as text
	Shown   guard.Request   `json:"shown,omitzero"` // the same as data
	Scopes  []InboxScope    `json:"scopes,omitempty"`
	Hash    string          `json:"hash"`
	Epoch   string          `json:"epoch"` // names the rules and the mode under which it was asked
}

// InboxScope is one way in which an approval may reach beyond its call.
type InboxScope struct {
	Scope guard.Scope `json:"scope"`
	Text  string      `json:"text"`            // what it covers, and where it is kept
	Rules []string    `json:"rules,omitempty"` // the allow rules that it would add
}

// Requests is the inbox.
type Requests struct {
	Requests []Request `json:"requests"`
	Fault    string    `json:"fault,omitempty" doc:"why some requests cannot be shown"`
}

// WorkspaceRequests is the inbox of one workspace, as the stream of events brings it.
type WorkspaceRequests struct {
	Dir string `json:"dir"`
	Requests
}

// Answer is an answer to an approval request.
type Answer struct {
	Choice string      `json:"choice" enum:"approved,denied"`
	Hash   string      `json:"hash" minLength:"1" maxLength:"128" doc:"of the request as it was shown"`
	Scope  guard.Scope `json:"scope,omitempty" enum:"session,project,always" doc:"how far an approval reaches; empty: this call only"`
	Words  string      `json:"words,omitempty" maxLength:"10000" doc:"for the model, when denied"`

	Chosen *tool.Chosen    `json:"chosen,omitempty" doc:"to the questions of the call, when approved"`
	Args   json.RawMessage `json:"args,omitempty" doc:"an object: arguments of the call in place of those that were shown, when approved once. The changed call is checked again, and asks again where the rules say so. Needs the role operator"`
}

// BatchAnswer answers several requests with one choice. None of them may be high risk.
type BatchAnswer struct {
	Choice string  `json:"choice" enum:"approved,denied"`
	Words  string  `json:"words,omitempty" maxLength:"10000"`
	Calls  []Shown `json:"calls" minItems:"1" maxItems:"100"`
}

// Shown names a request as it was shown.
type Shown struct {
	Session string `json:"session" maxLength:"128"`
	Call    string `json:"call" maxLength:"128"`
	Hash    string `json:"hash" maxLength:"128"`
}

// Answered is the answer that counts.
type Answered struct {
	Session  string       `json:"session"`
	Call     string       `json:"call"`
	Mine     bool         `json:"mine" doc:"the answer that was sent counts; else another one was first"`
	Approved bool         `json:"approved"`
	Scope    guard.Scope  `json:"scope,omitempty"`
	Words    string       `json:"words,omitempty"`
	Chosen   *tool.Chosen `json:"chosen,omitempty"`
	By       string       `json:"by"`
	From     string       `json:"from,omitempty"` // the client
	Args     string       `json:"args,omitempty"` // JSON, in place of those that were shown
	Hash     string       `json:"hash"`
	Time     time.Time    `json:"time"`
	Used     bool         `json:"used,omitempty"` // the session has taken it
	Problem  string       `json:"problem,omitempty" doc:"why there is no answer (in a batch)"`
}

// Guard returns the answer as an approver gives it.
func (a Answered) Guard() guard.Answer {
	choice := guard.Denied
	if a.Approved {
		choice = guard.Approved
	}
	return guard.Answer{Choice: choice, Scope: a.Scope, Words: a.Words, Chosen: a.Chosen, Args: a.Args, By: guard.ParseWho(a.By), From: a.From}
}

// Found is a session in which a search found words.
type Found struct {
	Session Session `json:"session"`
	Matches []Match `json:"matches"`
	More    bool    `json:"more,omitempty"`
}

// Match is a text that has the words of a search.
type Match struct {
	Seq  int64    `json:"seq" doc:"of the event; 0: the title or the name"`
	Kind string   `json:"kind" doc:"title, user, model, call, result"`
	Text string   `json:"text" doc:"the words around"`
	Hits [][2]int `json:"hits" doc:"where in text the words are, in bytes: from, to"`
}

// Change changes a session. What is not there stays as it is.
type Change struct {
	Name  *string `json:"name,omitempty" maxLength:"100" doc:"the user's name for the session; empty takes it away"`
	Mode  string  `json:"mode,omitempty" enum:"read-only,plan,ask,supervised,auto,full"`
	Model string  `json:"model,omitempty" maxLength:"200" doc:"provider/name; only while no turn is running"`

	Disallow string `json:"disallow,omitempty" maxLength:"4000" doc:"one of the rules of the session: it allows nothing any more"`
}

// Compaction says how to compact a session.
type Compaction struct {
	Focus string `json:"focus,omitempty" maxLength:"10000" doc:"what the summary must keep"`
}

// At names an event of a session.
type At struct {
	At int64 `json:"at" minimum:"0" doc:"number of the event; for a fork 0 is the end"`
}

// Undoing says what to take back. Exactly one of call, last and message is set.
type Undoing struct {
	Call    string `json:"call,omitempty" maxLength:"128" doc:"what this call changed"`
	Last    int    `json:"last,omitempty" minimum:"0" maximum:"1000" doc:"what the last calls changed"`
	Message int64  `json:"message,omitempty" minimum:"0" doc:"all since this message of the user, by the number of its event"`
	Redo    bool   `json:"redo,omitempty" doc:"redo: restore what undos changed"`
	Hash    string `json:"hash,omitempty" maxLength:"64" doc:"of the plan as it was shown; without it nothing changes, and the answer is the plan"`
}

// Undone is what taking something back does, or did.
type Undone struct {
	Hash      string     `json:"hash" doc:"of this plan"`
	Done      bool       `json:"done" doc:"it is done; else it is only a plan"`
	Files     []File     `json:"files" nullable:"false"`
	Conflicts []Conflict `json:"conflicts" nullable:"false" doc:"files that were changed since; they stay as they are"`
	Failed    []string   `json:"failed,omitempty" doc:"files that could not be written"`
	Running   []string   `json:"running,omitempty" doc:"calls that have not ended, in English: what they change after this stays"`
}

// File is a change of one file.
type File struct {
	Path    string `json:"path"`
	From    string `json:"from,omitempty" doc:"where a moved file was"`
	What    string `json:"what" doc:"created, changed, deleted, moved, mode or type; compared with git also conflict, untracked or closed: git could not open it"`
	Diff    string `json:"diff,omitempty"`
	Added   int    `json:"added"`
	Removed int    `json:"removed"`
	Hidden  bool   `json:"hidden,omitempty" doc:"the diff is not shown, because the file may hold secrets or lies outside the workspace"`
}

// Conflict is a file that was changed since.
type Conflict struct {
	Path string `json:"path"`
	Why  string `json:"why"`
}

// Step is something that changed files and can be taken back.
type Step struct {
	Number int64     `json:"number"`
	Call   string    `json:"call"`
	Title  string    `json:"title"`
	Time   time.Time `json:"time"`
	Undo   bool      `json:"undo,omitempty" doc:"it is an undo"`
	Redo   bool      `json:"redo,omitempty" doc:"it is a redo: it took back an undo"`
	Undone bool      `json:"undone,omitempty" doc:"it was undone"`
	Files  []File    `json:"files" nullable:"false"`
}

// Counted is what the calls of sessions came to.
type Counted struct {
	Stats stats.Stats `json:"stats"`
	More  bool        `json:"more,omitempty" doc:"only the newest sessions were counted"`
}

// Spent is what sessions of one day, workspace and model have used. A session counts on the day on which it began.
type Spent struct {
	Day      string      `json:"day" doc:"2026-11-22, in UTC"`
	Dir      string      `json:"dir"`
	Model    string      `json:"model"`
	Sessions int         `json:"sessions" doc:"those of sub-agents too"`
	Calls    int         `json:"calls"`
	Failed   int         `json:"failed" doc:"calls that failed"`
	Usage    event.Usage `json:"usage" doc:"of a session with its sub-agents"`
}
