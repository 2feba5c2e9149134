// Package event holds what happened in a session, as one flat record. The same record is a line of the journal, a
// message on the wire and an update of the screen.
package event

import (
	"encoding/json"
	"fmt"
	"time"

	"rein/model"
	"rein/tool"
)

// Event is one thing that happened. Kind says which of the other fields are set. An event does not change once it has
// been passed on.
type Event struct {
	Kind Kind      `json:"kind"`
	Time time.Time `json:"time"`

	// Seq is the number of the event in the journal of its session: 1, 2, 3, … The journal sets it. Events that are not
	// recorded have 0.
	Seq int64 `json:"seq,omitempty"`
	// Format is the version of the record. The journal sets it on its first event, and on the first that a newer program
	// appends. See Format.
	Format int `json:"format,omitempty"`

	Session    string `json:"session,omitempty"`
	Parent     string `json:"parent,omitempty"`      // id of the parent session, when the session is a sub-agent's
	ParentCall string `json:"parent_call,omitempty"` // id of the call in the parent session that the sub-agent serves
	Within     string `json:"within,omitempty"`      // id of the call of the same session that made this call: see tool.Reply.Run
	Turn       int    `json:"turn,omitempty"`        // counts the requests to the model, from 1

	Text       string          `json:"text,omitempty"`
	Offset     int64           `json:"offset,omitempty"` // of a live Text: how many bytes of the same text came before it
	Call       *tool.Call      `json:"call,omitempty"`
	Intent     *tool.Intent    `json:"intent,omitempty"`
	Verdict    *Verdict        `json:"verdict,omitempty"`
	Grant      *Grant          `json:"grant,omitempty"`
	Answer     *Answer         `json:"answer,omitempty"`
	Reason     Reason          `json:"reason,omitempty"`
	Result     *tool.Result    `json:"result,omitempty"`
	Child      string          `json:"child,omitempty"` // id of the session of a sub-agent
	SubAgent   *SubAgent       `json:"sub_agent,omitempty"`
	Message    json.RawMessage `json:"message,omitempty"` // a model.Message, as it is sent back
	Request    *Request        `json:"request,omitempty"`
	Usage      *Usage          `json:"usage,omitempty"`
	Start      *Start          `json:"start,omitempty"`
	Stop       Stop            `json:"stop,omitempty"`
	Compaction *Compaction     `json:"compaction,omitempty"`
	Files      *Files          `json:"files,omitempty"`
	Tools      []Tool          `json:"tools,omitempty"`
	At         int64           `json:"at,omitempty"`     // Seq of another event of the same journal
	Origin     *Origin         `json:"origin,omitempty"` // where the events before this one come from
	Hook       *Hook           `json:"hook,omitempty"`
	Review     *Review         `json:"review,omitempty"`
	By         string          `json:"by,omitempty"` // who wrote the message, changed the call or went back, as Answer.By; "": it is not known

	// Blobs are the hashes of the data that the journal keeps in files beside it, in place of the data in this line. Only
	// the journal sets and reads it: events that it gives have their data.
	Blobs []string `json:"blobs,omitempty"`
}

// Format is the version of the record that this program writes. A program does not read a journal with a higher one.
//
//	1  the first
//	2  Rewound, Forked, Imported and Compacted; data in blobs beside the journal
const Format = 2

// Kind is what happened.
type Kind string

// The kinds. The journal does not keep those marked (live). The comment names the fields that are set.
const (
	Started           Kind = "started"            // a session began or was resumed: Start
	Changed           Kind = "changed"            // the user changed how the session runs: Start
	Prompted          Kind = "prompt"             // the user sent a message: Text, Message, By where a server knows it; At, in the session of a sub-agent, is the number of the event in the parent's that has the task
	Hinted            Kind = "hint"               // the program sent the model a message in the user's place: Text, Message; Child when it is the report of a sub-agent
	Requested         Kind = "request"            // the program sent a request to the model: Request with Model
	Delta             Kind = "delta"              // (live) the next piece of the answer: Text, Offset in the answer
	Thought           Kind = "thought"            // (live) the next piece of the thinking: Text, Offset in the thinking
	Restarted         Kind = "restarted"          // (live) the answer to the last request starts again, what came of it is void: Text
	Preparing         Kind = "preparing"          // (live) the model begins to write a call: Call without Args
	Responded         Kind = "response"           // the model's answer is complete: Text, Message, Usage, Request. Stop is Cancelled, and there is no Usage, when the user interrupted it
	Called            Kind = "called"             // a call was understood: Call with its final arguments, Intent. Or it was not: Call as the model wrote it
	ApprovalRequested Kind = "approval_requested" // the call needs an approval: Call, Intent, Verdict, Grant with the hash that an answer is bound to
	ApprovalVoid      Kind = "approval_void"      // the last approval request of the call no longer holds: Call (ID and Name), Reason, Text; By where somebody changed the call
	Granted           Kind = "granted"            // the call may run, exactly as Called has it: Call (ID and Name), Verdict, Grant; Answer when an approver approved it
	Refused           Kind = "refused"            // an approver denied the call: Call (ID and Name), Answer. Replied follows
	Output            Kind = "output"             // (live) a running tool wrote: Call (ID and Name), Text, Offset in the call's output
	Replied           Kind = "replied"            // the call has its result: Call (ID and Name), Result; Verdict when it was refused
	SubAgentStarted   Kind = "sub_agent_started"  // a sub-agent got a task: Call (ID and Name) that gave it, Child, SubAgent
	SubAgentStopped   Kind = "sub_agent_stopped"  // it stopped: Call (ID and Name), Child, Stop, Usage since it was started or resumed
	FilesModified     Kind = "files_modified"     // a call changed files of the workspace: Call (ID and Name), Files; Child when it is a sub-agent's
	FilesUndone       Kind = "files_undone"       // the user took back what calls did to files: Files, with the names of the steps
	Reviewed          Kind = "reviewed"           // a reviewer model looked at a call that needs an approval: Call (ID and Name), Review, Usage. Granted follows where it approved
	Hooked            Kind = "hook"               // a hook of the user had an effect, or failed: Hook, Text with its words for the user; Call (ID and Name) where it saw one
	Reached           Kind = "network"            // a program in the sandbox connected to a host, or tried to: Text
	Notice            Kind = "notice"             // a message of the program for the user: Text
	Audit             Kind = "audit"              // a message of the program for the operator: Text, Call; Usage where it is about a request to a model outside of the conversation
	Compacted         Kind = "compacted"          // older parts of the conversation were replaced for the model; the journal still has them: Compaction, Text; Message with the notes that take their place and Usage of the request for the summary, where there are such
	Rewound           Kind = "rewound"            // the user went back: the message of the user with the number At, and all that followed it, are no longer part of the conversation: At, Text; By where a server knows it
	Forked            Kind = "forked"             // the events before this one are a copy of those of another session: Origin
	Imported          Kind = "imported"           // the events that follow come from a file: Origin, Text with what could not be converted
	ToolsOffered      Kind = "tools_offered"      // the model sees more tools from its next request on, or a tool that it sees has another definition: Tools
	Damaged           Kind = "damaged"            // only from reading: a line of the journal cannot be read and is left out: Text
	Stopped           Kind = "stopped"            // the session's turn ended: Stop, Text with the error or the last answer, Usage of the session and its sub-agents
)

// Live reports whether events of this kind are shown and not recorded.
func (k Kind) Live() bool {
	switch k {
	case Delta, Thought, Restarted, Preparing, Output:
		return true
	}
	return false
}

// Synced reports whether the event must be on disk before anything else happens.
func (e *Event) Synced() bool { return e.MayAct() || e.Kind == Replied }

// MayAct reports whether the event grants a call that may do more than read. The grant is on disk before the call runs, and
// after a crash the call is not repeated. A call that only reads does not wait for the disk, and runs again.
func (e *Event) MayAct() bool {
	return e.Kind == Granted && (e.Grant == nil || !e.Grant.OnlyReads)
}

// SubAgent is a task of a sub-agent: all that is needed to start it again.
type SubAgent struct {
	Agent      string          `json:"agent"`                // the kind of agent: the name of its definition
	Name       string          `json:"name,omitempty"`       // by which its parent calls it, beside its id
	About      string          `json:"about,omitempty"`      // the task in a few words, for people
	Task       string          `json:"task"`                 // the message that it gets
	Item       int             `json:"item,omitempty"`       // which one of the sub-agents that serve the same call, from 1; 0: it is the only one
	Background bool            `json:"background,omitempty"` // its parent does not wait for it
	Isolation  string          `json:"isolation,omitempty"`  // "worktree": it works on a copy of the repository; "": in its parent's workspace
	Model      string          `json:"model,omitempty"`      // instead of that of the definition
	Tools      []string        `json:"tools,omitempty"`      // only these of the tools that its definition leaves
	Schema     json.RawMessage `json:"schema,omitempty"`     // that its answer has to fit
}

// Files is what happened to files of the workspace.
type Files struct {
	Changes   []FileChange `json:"changes,omitempty"`   // at most MaxFiles
	More      int          `json:"more,omitempty"`      // changes that are left out here
	Uncovered []string     `json:"uncovered,omitempty"` // what changed and cannot be restored, a line each
	Steps     []string     `json:"steps,omitempty"`     // of FilesUndone: the calls, by their ids
	Redo      bool         `json:"redo,omitempty"`      // of FilesUndone: what was taken back is there again
}

// Tool is a tool as the model sees it, where it came after the session began.
type Tool struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	Schema      json.RawMessage `json:"schema"`
}

// MaxFiles is how many changes one event lists.
const MaxFiles = 200

// FileChange is what happened to one file.
type FileChange struct {
	Path string `json:"path"`           // relative to the workspace, or absolute
	From string `json:"from,omitempty"` // where it was before it was moved
	What string `json:"what"`           // created, changed, deleted, moved, mode, type
}

// Verdict is a guard's verdict as it is recorded and shown.
type Verdict struct {
	Decision string   `json:"decision"` // allow, ask, deny
	Severity string   `json:"severity,omitempty"`
	Reason   string   `json:"reason,omitempty"`
	Rules    []string `json:"rules,omitempty"`
	RuleAt   string   `json:"rule_at,omitempty"` // file:line of the rule
	Effects  []string `json:"effects,omitempty"`
}

// Grant is the permission to run one call: by whom, and for exactly what.
type Grant struct {
	By   string `json:"by,omitempty"` // "guard" when the guards allowed it, else the approver
	Hash string `json:"hash"`         // SHA-256 in hex of everything that the grant is for: see guard.Binding

	OnlyReads bool `json:"only_reads,omitempty"` // the guards allowed it, and it reads files and does nothing else: see Event.MayAct
}

// Answer is an approver's answer to an approval request: see guard.Answer.
type Answer struct {
	Choice string `json:"choice"`          // approved, denied
	By     string `json:"by,omitempty"`    // who answered
	From   string `json:"from,omitempty"`  // through which client
	Scope  string `json:"scope,omitempty"` // how far an approval reaches; "" is this call only
	Words  string `json:"words,omitempty"` // the user's words for the model

	// Chosen is the user's answer to the questions of the call.
	Chosen *tool.Chosen `json:"chosen,omitempty"`
}

// Reason says why an approval request no longer holds.
type Reason string

// The reasons.
const (
	RulesChanged Reason = "rules_changed" // the mode, the rules or the workspace changed after the request
	FilesChanged Reason = "files_changed" // the files that the request showed changed after it
	WasCancelled Reason = "cancelled"     // the user cancelled the turn
	WasRewound   Reason = "rewound"       // the user went back to a message before the call
	WasEdited    Reason = "edited"        // the user changed the arguments of the call: Called with the new ones follows
)

// Review is what a reviewer model made of a call.
type Review struct {
	Model   string `json:"model"`            // provider/name
	Verdict string `json:"verdict"`          // approved, left (to the person), unavailable
	Reason  string `json:"reason,omitempty"` // the reviewer's words, or why it was unavailable
}

// String returns what the reviewer did, for people: "leaves it to you: …".
func (r Review) String() string {
	did := map[string]string{"approved": "approved it", "left": "leaves it to you", "unavailable": "is unavailable"}[r.Verdict]
	if r.Reason != "" {
		did += ": " + r.Reason
	}
	return did
}

// Hook is what one hook did.
type Hook struct {
	Name     string        `json:"name"`
	Event    string        `json:"event"`              // PreToolUse, …
	Decision string        `json:"decision,omitempty"` // allow, ask, deny
	Reason   string        `json:"reason,omitempty"`
	Changed  bool          `json:"changed,omitempty"` // it changed the arguments or the result of the call
	Halted   bool          `json:"halted,omitempty"`  // it ended the turn
	Error    string        `json:"error,omitempty"`   // why it failed
	Duration time.Duration `json:"duration_ns,omitempty"`
}

// String returns what the hook did in one line, for people.
func (h Hook) String() string {
	text := "hook " + h.Name + " (" + h.Event + ")"
	if h.Error != "" {
		text += " failed: " + h.Error
	}
	if h.Changed {
		text += " changed the call"
	}
	if h.Decision != "" {
		text += ": " + h.Decision
	}
	if h.Reason != "" && h.Error == "" {
		text += ": " + h.Reason
	}
	return text
}

// Compaction says what was replaced in the conversation that the model gets.
type Compaction struct {
	Stage  Stage  `json:"stage"`
	Reason string `json:"reason"`          // full, cold cache, large result, overflow, user
	Focus  string `json:"focus,omitempty"` // what the user wants to be kept
	// To is the number of the last event whose message the notes replace; 0 in the first stage.
	To int64 `json:"to,omitempty"`
	// References are the texts that take the place of results, in the first and the last stage.
	References []Reference `json:"references,omitempty"`
	Before     int         `json:"before"` // tokens of the request before, as estimated
	After      int         `json:"after"`  // and after
	Window     int         `json:"window"` // tokens that the model takes
}

// Stage is how much a compaction replaces.
type Stage string

// The stages, the cheapest first.
const (
	ByReference Stage = "references" // old results became one line each
	BySummary   Stage = "summary"    // notes with a summary by the model replace the older messages
	ByCut       Stage = "cut"        // notes without a summary replace the older messages
)

// Reference is the text that takes the place of a result.
type Reference struct {
	Call string `json:"call"` // id of the call
	Text string `json:"text"`
}

// Origin says where the beginning of a session comes from.
type Origin struct {
	Program string `json:"program"`           // rein, claude-code, codex
	Session string `json:"session,omitempty"` // its id there
	At      int64  `json:"at,omitempty"`      // the last event that was copied
}

// Request is one request to the model.
type Request struct {
	Model      string        `json:"model"`                    // provider/name
	FirstToken time.Duration `json:"first_token_ns,omitempty"` // from the request to the first piece of the answer
	Duration   time.Duration `json:"duration_ns,omitempty"`    // from the request to the end of the answer
	Retries    int           `json:"retries,omitempty"`        // how often the answer started again
	CacheMiss  string        `json:"cache_miss,omitempty"`     // why the provider read little of it from its cache; "": it did, or has none
}

// Usage counts tokens: it is the type that answers of models have.
type Usage = model.Usage

// Stop says why a session's turn ended.
type Stop string

// The reasons to stop.
const (
	Done      Stop = "done"
	MaxTurns  Stop = "max_turns"
	Budget    Stop = "budget"
	Cancelled Stop = "cancelled"
	Waiting   Stop = "waiting" // for an approval; the session can be resumed
	Denied    Stop = "denied"  // a call needed an approval and nobody was there to answer
	Halted    Stop = "halted"  // a hook of the user or a guard ended it
	Failed    Stop = "error"
)

// Whole returns what an event lacks that each of its kind has: whoever reads a journal relies on it.
func (e *Event) Whole() error {
	var missing string
	switch e.Kind {
	case Called, Granted, Refused, ApprovalRequested, ApprovalVoid, Preparing, Output, Replied, Reviewed:
		switch {
		case e.Call == nil:
			missing = "call"
		case e.Kind == Replied && e.Result == nil:
			missing = "result"
		case e.Kind == Reviewed && e.Review == nil:
			missing = "review"
		}
	case FilesModified, FilesUndone:
		if e.Files == nil {
			missing = "files"
		}
	case Compacted:
		if e.Compaction == nil {
			missing = "compaction"
		}
	case Hooked:
		if e.Hook == nil {
			missing = "hook"
		}
	}
	if missing != "" {
		return fmt.Errorf("an event of the kind %q lacks its %s", e.Kind, missing)
	}
	return nil
}
