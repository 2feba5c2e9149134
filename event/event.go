// Package event holds what happened, as one flat record: a line of the journal, a message on the wire, a step for the
// screen.
package event

import (
	"encoding/json"
	"time"

	"rein/tool"
)

// Event is one thing that happened. Kind says which of the other fields are set; each kind names them. An event does
// not change once it has been handed on.
type Event struct {
	Kind    Kind      `json:"kind"`
	Time    time.Time `json:"time"`
	Session string    `json:"session,omitempty"`
	Turn    int       `json:"turn,omitempty"`   // counts the requests to the model, from 1
	Parent  string    `json:"parent,omitempty"` // id of the call that this session works for, when it is a delegate's

	Text    string          `json:"text,omitempty"`
	Call    *tool.Call      `json:"call,omitempty"`
	Intent  *tool.Intent    `json:"intent,omitempty"`
	Verdict *Verdict        `json:"verdict,omitempty"`
	Grant   *Grant          `json:"grant,omitempty"`
	Result  *tool.Result    `json:"result,omitempty"`
	Message json.RawMessage `json:"message,omitempty"` // a model.Message, as it is sent back
	Usage   *Usage          `json:"usage,omitempty"`
	Start   *Start          `json:"start,omitempty"`
	Stop    Stop            `json:"stop,omitempty"`
}

// Kind is what happened.
type Kind string

// The kinds. Those marked (live) are shown and not kept in the journal.
const (
	Started           Kind = "started"            // a session began or went on: Start
	Prompted          Kind = "prompt"             // the user said something: Text, Message
	Delta             Kind = "delta"              // (live) the model says: Text
	Thought           Kind = "thought"            // (live) the model thinks: Text
	Restarted         Kind = "restarted"          // (live) what the model said since the last request is void, it starts anew: Text
	Preparing         Kind = "preparing"          // (live) the model writes a call: Call without Args
	Responded         Kind = "response"           // the model's turn is complete: Text, Message, Usage
	Called            Kind = "called"             // a call was understood: Call with its final arguments, Intent; or it was not: Call as the model said it
	ApprovalRequested Kind = "approval_requested" // the call needs a yes: Call, Intent, Verdict, Grant (only what it would be bound to)
	Granted           Kind = "granted"            // the call may run, exactly as Called has it: Call (ID and Name), Verdict, Grant
	Output            Kind = "output"             // (live) a running tool wrote: Call (ID and Name), Text, the end of what it wrote at once
	Replied           Kind = "replied"            // the call has its result: Call (ID and Name), Verdict when it was refused, Result
	Reached           Kind = "network"            // a program in the sandbox asked for a host: Text says which, and what came of it
	Notice            Kind = "notice"             // the harness tells the user something: Text
	Audit             Kind = "audit"              // the harness tells the operator something: Text, Call
	Stopped           Kind = "stopped"            // the session's turn ended: Stop, Text with the error or the last words, Usage of the session
)

// Live reports whether events of this kind are only shown.
func (k Kind) Live() bool {
	switch k {
	case Delta, Thought, Restarted, Preparing, Output:
		return true
	}
	return false
}

// Synced reports whether an event of this kind must be on disk before anything else happens.
func (k Kind) Synced() bool { return k == Granted || k == Replied }

// Start is how a session runs.
type Start struct {
	Model   string   `json:"model"`
	Mode    string   `json:"mode"`
	Dir     string   `json:"dir"`
	Tools   []string `json:"tools"`
	Resumed bool     `json:"resumed,omitempty"`
	Version string   `json:"version"`
}

// Verdict is a guard's judgement as it is kept and shown.
type Verdict struct {
	Decision string   `json:"decision"` // allow, ask, deny
	Severity string   `json:"severity,omitempty"`
	Reason   string   `json:"reason,omitempty"`
	Rules    []string `json:"rules,omitempty"`
	RuleAt   string   `json:"rule_at,omitempty"` // file:line of the rule
	Effects  []string `json:"effects,omitempty"`
}

// Grant is the leave to run one call: by whom, and of exactly what.
type Grant struct {
	By   string `json:"by,omitempty"` // "guard" when nobody had to be asked, else the approver
	Hash string `json:"hash"`         // SHA-256 in hex over all that the leave is for: see guard.Binding
}

// Usage counts tokens; zero means not told.
type Usage struct {
	Input     int64 `json:"input,omitempty"`
	Output    int64 `json:"output,omitempty"`
	CacheRead int64 `json:"cache_read,omitempty"`
}

// Stop says why a session's turn ended.
type Stop string

// The reasons to stop.
const (
	Done      Stop = "done"
	MaxTurns  Stop = "max_turns"
	Budget    Stop = "budget"
	Cancelled Stop = "cancelled"
	Waiting   Stop = "waiting" // for an approval; the session can be resumed
	Denied    Stop = "denied"  // nobody was there to say yes
	Failed    Stop = "error"
)
