// Package hook lets programs and functions of the user see what a session does, change it within limits, and hold it back.
//
// A Hook is a value with a function. A Set holds the hooks of a session; the pipeline of calls and the loop of the agent run
// those that fit an event. Hooks see the calls of sub-agents at every depth too. A hook may deny or ask for any call. Its
// approval never overrules a denial, and it answers an approval request only where Hook.Approves is set. What it changes in a
// call is validated and judged like what the model wrote.
//
// Hooks that are programs, and the files that list them, are in package app/extend.
package hook

import (
	"context"
	"encoding/json"
	"time"
)

// Event is a point at which hooks run.
type Event string

// The events. The comment names the fields of Input that are set beside those that all events have, and what Output may do.
const (
	PreToolUse         Event = "PreToolUse"         // before a call is judged: Tool, Call, Args. Allow, Ask, Deny, Args, Context
	PostToolUse        Event = "PostToolUse"        // after a call: Tool, Call, Args, Text, Duration. Deny adds its reason to the result; Result, Context
	PostToolUseFailure Event = "PostToolUseFailure" // after a call that ran and failed: as PostToolUse
	PermissionRequest  Event = "PermissionRequest"  // before a person is asked: Tool, Call, Args, Why. Allow, Deny
	UserPromptSubmit   Event = "UserPromptSubmit"   // before the model gets a message of the user: Text. Deny, Context
	SessionStart       Event = "SessionStart"       // before the first request of a session: Why (startup, resume). Context
	SessionEnd         Event = "SessionEnd"         // when a session is closed: Why
	Stop               Event = "Stop"               // when the model has answered and calls nothing: Text, Again. Deny continues, with the reason for the model
	SubagentStart      Event = "SubagentStart"      // as SessionStart, in a sub-agent
	SubagentStop       Event = "SubagentStop"       // as Stop, in a sub-agent
	PreCompact         Event = "PreCompact"         // before older messages are replaced: Why (auto, manual), Focus. Deny prevents it where there is still room
	PostCompact        Event = "PostCompact"        // after it: Why, Text with the summary
	Notification       Event = "Notification"       // a person is wanted: Why (permission_prompt), Text
)

// Events returns all events, in the order in which a session meets them.
func Events() []Event {
	return []Event{SessionStart, UserPromptSubmit, PreToolUse, PermissionRequest, Notification, PostToolUse, PostToolUseFailure,
		SubagentStart, SubagentStop, PreCompact, PostCompact, Stop, SessionEnd}
}

// Input is what a hook sees, with a copy of the arguments for each hook.
type Input struct {
	Event     Event
	Session   string // id of the user's session
	Agent     string // id of the sub-agent's session; "" in the user's session
	AgentType string // name of the sub-agent's kind; "" in the user's session, and where it is not known
	Dir       string // absolute path of the workspace
	Mode      string // read-only, plan, ask, supervised, auto, full

	Tool     string          // name of the tool
	Call     string          // id of the call
	Args     json.RawMessage // final arguments, valid for the tool
	Duration time.Duration   // of the call

	Text  string // the result, the message, the last answer, the summary: see the events
	Why   string // what caused the event: see the events
	Focus string // what the user wants a summary to keep
	Again bool   // the session continues already because a hook wanted it
}

// subject is what Match is asked about.
func (in Input) subject() string {
	switch in.Event {
	case PreToolUse, PostToolUse, PostToolUseFailure, PermissionRequest:
		return in.Tool
	case SubagentStart, SubagentStop:
		return in.AgentType
	}
	return in.Why
}

// Decision is what a hook decides. The zero value is no opinion.
type Decision uint8

// The decisions, from the mildest to the strictest.
const (
	None  Decision = iota
	Allow          // answers an approval request where Hook.Approves is set; nothing else
	Ask            // a person must approve the call
	Deny           // the call does not run; the message is not sent; the session continues
)

// String returns "", "allow", "ask" or "deny".
func (d Decision) String() string { return [...]string{"", "allow", "ask", "deny"}[d] }

// Output is the answer of a hook. The zero value has no effect.
type Output struct {
	Decision Decision
	Reason   string          // of the decision: for the model when it is Deny, for the person when it is Ask
	Args     json.RawMessage // of PreToolUse: the arguments that replace those of the call
	Context  string          // text for the model
	Result   *string         // of PostToolUse: the text that the model gets in place of the result
	Notice   string          // text for the user
	Halt     string          // a reason to end the turn; "" continues
}

// Hook is a function of the user that runs at an event.
type Hook struct {
	Name  string // shown and recorded
	Event Event
	// Match reports whether the hook runs for a tool (events of calls), a kind of sub-agent, or a cause (Input.Why, all other
	// events). Nil: always.
	Match func(subject string) bool
	// Timeout bounds one run; 0 means DefaultTimeout.
	Timeout time.Duration
	// Open lets the session continue when the hook fails or is late. It is set for events that can hold nothing back. Without it a
	// PreToolUse hook that fails denies the call; at other events a failure is only reported.
	Open bool
	// Approves lets Allow answer an approval request. Only the user's own settings may set it.
	Approves bool
	// Run does the work. An error is a failure: see Open. Several goroutines may call it at once.
	Run func(context.Context, Input) (Output, error)
}

// DefaultTimeout bounds one run of a hook when Hook.Timeout is 0.
const DefaultTimeout = time.Minute

// IsZero reports whether the output has no effect.
func (o Output) IsZero() bool {
	return o.Decision == None && o.Reason == "" && len(o.Args) == 0 && o.Context == "" && o.Result == nil && o.Notice == "" && o.Halt == ""
}
