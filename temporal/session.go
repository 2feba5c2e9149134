// Package temporal runs sessions as durable workflows on Temporal. A session is a workflow; each step of its loop is an activity: requests to
// the model on a queue that all workers share, and everything else (messages, calls, hooks) on the queue of the host that has the workspace. The
// loop is that of package agent: see agent.Session.Step. The transcript is in a Store; the history of the workflow has numbers and ids.
//
// What runs twice is decided by the journal and not by Temporal: a call is recorded as granted before it runs, so a step that is lost with its
// worker is taken up by the next one as a program takes up a session after a crash. A call that may have run gets the result that its outcome
// is unknown.
package temporal

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	sdk "go.temporal.io/sdk/temporal"

	"rein/agent"
	"rein/event"
	"rein/guard"
	"rein/model"
	"rein/tool"
)

// The names that clients in other languages use.
const (
	WorkflowName = "rein.session" // takes a Session
	SendName     = "send"         // signal: a Message; where too many wait, it is taken later
	MessageName  = "message"      // update: a Message; it is refused where too many wait
	CancelName   = "cancel"       // signal: stops the turn
	CloseName    = "close"        // signal: the workflow ends when nothing is at work
	RetryName    = "retry"        // signal: a session that is in trouble tries again
	MoveName     = "move"         // signal: the queue of another host, as a string
	AnswerName   = "answer"       // update: an Answer; it is refused where the request does not wait for it
	StateName    = "state"        // query: gives a State
	ChildName    = "child"        // signal of a step: a sub-agent is to work, a ChildTask
	AnsweredName = "answered"     // signal of the session above: an Answer to a request of this one
)

// DefaultQueue and DefaultModels are the task queues of the workflows and of requests to models.
const (
	DefaultQueue  = "rein-sessions"
	DefaultModels = "rein-models"
)

// TeamQueue is the queue of a team instead of that of all; "" is no team.
func TeamQueue(queue, team string) string {
	if team == "" {
		return queue
	}
	return queue + "-" + team
}

// Session is what the workflow of a session starts with.
type Session struct {
	ID     string          `json:"id"`                // of the session, and of its workflow
	Host   string          `json:"host"`              // the task queue of the host that has the workspace
	Models string          `json:"models,omitempty"`  // the task queue of requests to models; "": DefaultModels
	About  json.RawMessage `json:"about,omitempty"`   // what the host makes the agent from: see Worker.Agent
	After  int64           `json:"after,omitempty"`   // the number of the last event that the session had before
	Kept   string          `json:"kept,omitempty"`    // what the session had kept of its workspace before: see StepInput
	Lost   time.Duration   `json:"lost_ns,omitempty"` // a worker that says nothing for so long is gone; 0: 10 s
	Once   bool            `json:"once,omitempty"`    // the workflow ends with the turn
	State  *State          `json:"state,omitempty"`   // of the run before, of which this one is the continuation

	Task *agent.Assignment `json:"task,omitempty"` // of a sub-agent; nil: it is a session of the user

	// Priority is that of the steps, those of sub-agents too, among those that wait for the same workers: 1 is first, MostPriority last; 0: 3. With the same
	// one, sessions take turns where the server has matching.enableFairness.
	Priority int `json:"priority,omitempty"`
}

// MostPriority is the last priority that a Temporal server has, unless its matching.priorityLevels says otherwise.
const MostPriority = 5

// turn is the place of the session among others. What it starts inherits it: all sub-agents together are served as one session is.
func (s Session) turn() sdk.Priority { return sdk.Priority{PriorityKey: s.Priority, FairnessKey: s.ID} }

// Message is a message of the user.
type Message struct {
	ID    string `json:"id"`              // a message with an id that the session has seen is left out
	Steer bool   `json:"steer,omitempty"` // it does not wait for the end of the turn
	Text  string `json:"text,omitempty"`
	Ref   string `json:"ref,omitempty"`  // instead of Text: the name under which the Store has its parts
	Task  int64  `json:"task,omitempty"` // instead of both: it is the task of a sub-agent, see agent.Queued
}

// Answer is the answer to an approval request.
type Answer struct {
	Request  string       `json:"request"` // Pending.ID
	Hash     string       `json:"hash"`    // Pending.Hash: what the person saw
	Approved bool         `json:"approved"`
	By       guard.Who    `json:"by"`
	From     string       `json:"from,omitempty"`
	Scope    guard.Scope  `json:"scope,omitempty"`
	Words    string       `json:"words,omitempty"`
	Chosen   *tool.Chosen `json:"chosen,omitempty"`
	Args     string       `json:"args,omitempty"` // see guard.Answer
}

func (a Answer) guard() guard.Answer {
	g := guard.Answer{Choice: guard.Denied, By: a.By, From: a.From, Scope: a.Scope, Words: a.Words, Chosen: a.Chosen, Args: a.Args}
	if a.Approved {
		g.Choice = guard.Approved
	}
	return g
}

// Pending is an approval request that waits. What it is about is in the event ApprovalRequested of the session.
type Pending struct {
	ID         string `json:"id"` // that of the call; SESSION/CALL where a sub-agent asks
	Session    string `json:"session"`
	Tool       string `json:"tool"`
	Hash       string `json:"hash"`
	PersonOnly bool   `json:"person_only,omitempty"` // nobody but a person may approve it
}

// State is what the workflow knows of a session.
type State struct {
	Host     string        `json:"host"`
	Due      agent.Part    `json:"due,omitempty"`     // the part of the loop that comes next; "": it waits for a message
	Working  agent.Part    `json:"working,omitempty"` // the part that is at work, or waits for a worker; "": none
	Stop     event.Stop    `json:"stop,omitempty"`    // how the last turn ended; "": one is open
	Seq      int64         `json:"seq,omitempty"`     // the last event of the session
	Messages []Message     `json:"messages,omitempty"`
	Pending  []Pending     `json:"pending,omitempty"`
	Answers  []Answer      `json:"answers,omitempty"`  // that were taken and are not acted on
	Trouble  string        `json:"trouble,omitempty"`  // why the session does nothing until Retry or a message
	Failing  string        `json:"failing,omitempty"`  // why the last step failed, which is done again by itself
	Lost     int           `json:"lost,omitempty"`     // events that the journal does not have any more, as the last step found
	LeftOut  int           `json:"left_out,omitempty"` // those of them without which Retry lets the session continue
	Usage    event.Usage   `json:"usage,omitzero"`
	Carried  agent.Carried `json:"carried,omitzero"` // the budget, with that of sub-agents
	Steps    int           `json:"steps,omitempty"`
	Count    int           `json:"count,omitempty"` // messages that came
	Seen     []string      `json:"seen,omitempty"`  // ids of the last messages
	Closing  bool          `json:"closing,omitempty"`
	Cancel   bool          `json:"cancel,omitempty"`   // the turn is to be stopped
	Offer    string        `json:"offer,omitempty"`    // see StepInput
	Kept     string        `json:"kept,omitempty"`     // see StepInput
	Ends     bool          `json:"ends,omitempty"`     // the host hears of the end of the session: see Worker.End
	Children []Child       `json:"children,omitempty"` // sub-agents whose workflows run
}

// Child is a sub-agent whose workflow runs.
type Child struct {
	ID   string `json:"id"`   // of its session, and of its workflow
	Task int64  `json:"task"` // see agent.Assignment
	Host string `json:"host"`
}

// ChildTask is a task for a sub-agent.
type ChildTask struct {
	agent.Assignment
	Host string `json:"host,omitempty"` // "": that of the session above
}

// AgentQueue is the task queue of a host for the sub-agents at a depth; 0 are the sessions of users. Each depth has one of its own, as a step waits
// for those of the sub-agents that it started.
func AgentQueue(host string, depth int) string {
	if depth == 0 {
		return host
	}
	return fmt.Sprint(host, agentsSuffix, depth)
}

const agentsSuffix = ".agents"

// hostOf is the host that has a queue of AgentQueue.
func hostOf(queue string) string {
	if at := strings.LastIndex(queue, agentsSuffix); at > 0 && strings.Trim(queue[at+len(agentsSuffix):], "0123456789") == "" {
		return queue[:at]
	}
	return queue
}

// depth is how deep a session is.
func depth(to *agent.Assignment) int {
	if to == nil {
		return 0
	}
	return len(to.Above)
}

// StepInput is one step of a session, for an activity.
type StepInput struct {
	Session  string          `json:"session"`
	Part     agent.Part      `json:"part"`
	About    json.RawMessage `json:"about,omitempty"`
	After    int64           `json:"after,omitempty"` // the last event when the step before ended
	Messages []Message       `json:"messages,omitempty"`
	Answers  []Answer        `json:"answers,omitempty"`
	Carried  agent.Carried   `json:"carried,omitzero"`
	Cancel   bool            `json:"cancel,omitempty"`
	LeftOut  int             `json:"left_out,omitempty"` // see State
	Models   string          `json:"models,omitempty"`   // Session.Models
	Kept     string          `json:"kept,omitempty"`     // the name under which the Store has the workspace as it was last
	Offer    string          `json:"offer,omitempty"`    // the name under which the Store has what the model is offered

	Task *agent.Assignment `json:"task,omitempty"` // see Session
}

// StepResult is what a step did.
type StepResult struct {
	Seq     int64         `json:"seq"`
	Due     agent.Part    `json:"due,omitempty"`
	Stop    event.Stop    `json:"stop,omitempty"` // "": the turn continues
	Taken   int           `json:"taken,omitempty"`
	Pending []Pending     `json:"pending,omitempty"`
	Carried agent.Carried `json:"carried,omitzero"`
	Usage   event.Usage   `json:"usage,omitzero"`
	Offer   string        `json:"offer,omitempty"`
	Kept    string        `json:"kept,omitempty"`
	Host    string        `json:"host,omitempty"` // see Opened
	Ends    bool          `json:"ends,omitempty"`
}

// parts are those of a message whose parts are in the store.
func (m Message) parts(ref []byte) (parts []model.Part, err error) {
	if m.Ref == "" {
		return []model.Part{model.Text(m.Text)}, nil
	}
	err = json.Unmarshal(ref, &parts)
	return parts, err
}
