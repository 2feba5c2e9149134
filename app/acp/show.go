package acp

import (
	"cmp"
	"encoding/base64"
	"fmt"
	"strings"
	"sync"
	"time"

	sdk "github.com/coder/acp-go-sdk"

	"rein/event"
	"rein/tool"
)

// show sends what happens in a session to the client.
type show struct {
	s *session

	mu      sync.Mutex
	calls   map[string]*call // those that have no result yet, by the id that the client knows
	answer  int              // bytes of the answer that were sent
	message int              // counts the answers, for their ids
	titled  bool
	window  int // tokens that the model takes
}

// call is one call that the client knows.
type call struct {
	id     string // as the client knows it
	output strings.Builder
	sent   time.Time // when its output was sent last

	command string  // its whole command line; "": it is no command
	screen  *screen // nil: its output is sent as text
}

func newShow(s *session) *show { return &show{s: s, calls: map[string]*call{}} }

// send sends one update. A client that does not read any more ends the connection by itself.
func (w *show) send(u sdk.SessionUpdate) { w.sendAny(u) }

func (w *show) sendAny(update any) {
	params := map[string]any{"sessionId": w.s.ID(), "update": update}
	if err := w.s.a.client.SendNotification(w.s.a.ctx, sdk.ClientMethodSessionUpdate, params); err != nil {
		w.s.a.o.Log.Debug("an update was not sent", "error", err)
	}
}

// past sends an event of a recorded session. What comes live in pieces, or beside a message, is read from the message.
func (w *show) past(e event.Event) {
	switch e.Kind {
	case event.Prompted:
		if e.Text != "" {
			w.send(sdk.UpdateUserMessageText(e.Text))
		}
		for _, p := range e.MessageParts() {
			if p.Kind == "image" && len(p.Data) > 0 {
				w.send(sdk.UpdateUserMessage(sdk.ImageBlock(base64.StdEncoding.EncodeToString(p.Data), p.MediaType)))
			}
		}
		w.titled = true
		return
	case event.Responded:
		for _, p := range e.MessageParts() {
			if p.Kind == "thinking" && p.Text != "" && e.Parent == "" {
				w.send(sdk.UpdateAgentThoughtText(p.Text))
			}
		}
	}
	w.live(e)
}

// live sends an event that happens now.
func (w *show) live(e event.Event) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if e.Parent == "" {
		w.words(e)
	}
	if e.Call == nil {
		return
	}
	switch e.Kind {
	case event.Called:
		w.called(idOf(e), *e.Call, e.Intent)
	case event.Granted:
		if w.calls[idOf(e)] == nil {
			return
		}
		w.send(sdk.UpdateToolCall(w.id(idOf(e)), sdk.WithUpdateStatus(sdk.ToolCallStatusInProgress)))
	case event.Output:
		w.output(idOf(e), e.Text)
	case event.Replied:
		w.replied(idOf(e), e)
	}
}

// words sends what the model writes, and what else is to be read.
func (w *show) words(e event.Event) {
	switch e.Kind {
	case event.Requested:
		w.answer = 0
		w.message++
	case event.Delta:
		w.answer += len(e.Text)
		w.text(e.Text)
	case event.Restarted:
		w.answer = 0
		w.message++ // the client shows another message
	case event.Thought:
		w.send(sdk.UpdateAgentThoughtText(e.Text))
	case event.Responded:
		if w.answer < len(e.Text) { // it did not come in pieces, or is of the past
			w.text(e.Text[w.answer:])
		}
		w.answer = 0
		w.message++
		w.usage(e)
	case event.Prompted:
		w.title(e)
	case event.Notice:
		w.notice(e.Text)
	}
}

func (w *show) text(text string) {
	w.send(sdk.SessionUpdate{AgentMessageChunk: &sdk.SessionUpdateAgentMessageChunk{
		Content: sdk.TextBlock(text), MessageId: new(fmt.Sprintf("answer-%d", w.message)),
	}})
}

// notice sends a message of the program: as such where the client knows notices, else as a thought.
func (w *show) notice(text string) {
	if w.s.a.able().Session.Notices == nil {
		w.send(sdk.UpdateAgentThoughtText(text + "\n"))
		return
	}
	w.sendAny(map[string]string{"sessionUpdate": "notice", "severity": "info", "title": text})
}

// usage sends how full the window is, and what the session costs.
func (w *show) usage(e event.Event) {
	if e.Usage == nil || e.Usage.Input == 0 {
		return
	}
	if w.window == 0 {
		w.window = w.s.Context().Window
	}
	if w.window <= 0 {
		return // not known
	}
	u := sdk.SessionUsageUpdate{Used: int(e.Usage.Input + e.Usage.Output), Size: w.window}
	if cost := w.s.Usage().Cost; cost > 0 {
		u.Cost = &sdk.Cost{Amount: cost, Currency: "USD"}
	}
	w.send(sdk.SessionUpdate{UsageUpdate: &u})
}

// title sends the title of the session: the beginning of the first message.
func (w *show) title(e event.Event) {
	if w.titled {
		return
	}
	w.titled = true
	title, _, _ := strings.Cut(strings.TrimSpace(e.Text), "\n")
	if runes := []rune(title); len(runes) > 80 {
		title = string(runes[:79]) + "…"
	}
	w.send(sdk.SessionUpdate{SessionInfoUpdate: &sdk.SessionSessionInfoUpdate{Title: &title, UpdatedAt: new(e.Time.UTC().Format(time.RFC3339))}})
}

// idOf returns the id of a call as the client knows it. The ids of sub-agents' calls may be those of others.
func idOf(e event.Event) string {
	if e.Parent != "" {
		return e.Session + "/" + e.Call.ID
	}
	return e.Call.ID
}

// id returns the id of a call that the client knows.
func (w *show) id(id string) sdk.ToolCallId { return sdk.ToolCallId(id) }

// announce makes a call known to the client before it is asked about, when the event has not come yet.
func (w *show) announce(id string, c tool.Call, intent *tool.Intent) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.called(id, c, intent)
}

// called sends a call when it is new.
func (w *show) called(id string, c tool.Call, intent *tool.Intent) {
	if c.Name == planTool || w.calls[id] != nil {
		return
	}
	w.calls[id] = &call{id: id}
	if intent != nil {
		w.calls[id].command = intent.Command
	}
	root := w.s.h.Root()
	w.send(sdk.SessionUpdate{ToolCall: &sdk.SessionUpdateToolCall{
		ToolCallId: sdk.ToolCallId(id), Title: titleOf(c), Kind: kindOfTool(c.Name), Status: sdk.ToolCallStatusPending,
		Locations: locations(intent, nil, root), RawInput: rawInput(c.Args),
	}})
}

// The bounds of a running command's output.
const (
	outputEvery = 200 * time.Millisecond
	outputTail  = 16 << 10 // bytes
)

// output sends the end of what a running call wrote, not too often.
func (w *show) output(id, text string) {
	c := w.calls[id]
	if c == nil {
		return
	}
	if t := w.screenOf(c); t != nil {
		if _, err := t.file.WriteString(text); err != nil {
			w.s.a.o.Log.Warn("an output is not shown", "error", err)
		}
		return
	}
	c.output.WriteString(text)
	if c.output.Len() > 2*outputTail {
		tail := c.output.String()[c.output.Len()-outputTail:]
		c.output.Reset()
		c.output.WriteString(strings.ToValidUTF8(tail, ""))
	}
	if time.Since(c.sent) < outputEvery {
		return
	}
	c.sent = time.Now()
	w.send(sdk.UpdateToolCall(w.id(id), sdk.WithUpdateContent([]sdk.ToolCallContent{sdk.ToolContent(sdk.TextBlock(fenced(c.output.String())))})))
}

// replied sends the result of a call.
func (w *show) replied(id string, e event.Event) {
	if e.Result == nil {
		return
	}
	d := tool.ParseDetail(e.Result.Detail)
	if e.Call.Name == planTool {
		if d.Plan != nil && e.Parent == "" {
			w.plan(d.Plan)
		}
		return
	}
	w.called(id, *e.Call, e.Intent)
	status := sdk.ToolCallStatusCompleted
	if e.Result.Failed {
		status = sdk.ToolCallStatusFailed
	}
	content := resultContent(*e.Result, d, w.s.h.Root())
	if t := w.calls[id].screen; t != nil {
		if terminal := t.close(w.s, d.Command); terminal != "" {
			content = []sdk.ToolCallContent{sdk.ToolTerminalRef(terminal)}
		}
	}
	w.send(sdk.UpdateToolCall(w.id(id), sdk.WithUpdateStatus(status), sdk.WithUpdateContent(content),
		sdk.WithUpdateLocations(locations(nil, &d, w.s.h.Root())), sdk.WithUpdateRawOutput(map[string]any{"text": e.Result.Text})))
	delete(w.calls, id)
}

// planTool is the tool that keeps the plan: the client shows the plan instead of its calls.
const planTool = "todo"

// plan sends the whole plan. The protocol has no state for a step that is not done any more.
func (w *show) plan(p *tool.PlanDetail) {
	entries := []sdk.PlanEntry{}
	for _, s := range p.Steps {
		if s.Status == "cancelled" {
			continue
		}
		entries = append(entries, sdk.PlanEntry{Content: s.Content, Priority: sdk.PlanEntryPriorityMedium,
			Status: sdk.PlanEntryStatus(cmp.Or(s.Status, "pending"))})
	}
	w.send(sdk.UpdatePlan(entries...))
}

// flush forgets what a turn left open.
func (w *show) flush() {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, c := range w.calls {
		if c.screen != nil {
			c.screen.close(w.s, nil)
		}
	}
	clear(w.calls)
}

// forgetWindow forgets how many tokens the model takes, because the session has another one.
func (w *show) forgetWindow() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.window = 0
}
