package harness

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	sdk "github.com/coder/acp-go-sdk"

	"rein/model"
)

// How a conversation continues in a program that was started again. The id of the agent's session is kept in the conversation, as the
// signature of its first thinking, where the agent can load sessions.

const agentSessionMark = "acp-session:"

// agentSessionOf returns the agent's session in a conversation; "" where none is known.
func agentSessionOf(messages []*model.Message, from string) sdk.SessionId {
	for i := len(messages) - 1; i >= 0; i-- {
		if messages[i].From != from {
			continue
		}
		for _, p := range messages[i].Parts {
			if id, ok := strings.CutPrefix(p.Signature, agentSessionMark); ok && p.Kind == model.ThinkingKind {
				return sdk.SessionId(id)
			}
		}
	}
	return ""
}

// again makes the agent continue with a session; lost is why it does not.
func (r *externalRun) again(ctx context.Context, can sdk.AgentCapabilities, session sdk.SessionId) (lost string) {
	method := ""
	switch {
	case can.SessionCapabilities.Resume != nil:
		method = sdk.AgentMethodSessionResume
	case can.LoadSession:
		method = sdk.AgentMethodSessionLoad
	default:
		return "it cannot load sessions"
	}
	r.mu.Lock()
	r.quiet = true // a session that is loaded is shown again
	r.mu.Unlock()
	err := r.peer.SendRequestNoResult(ctx, method, sdk.LoadSessionRequest{SessionId: session, Cwd: r.o.Dir, McpServers: []sdk.McpServer{}})
	if err != nil {
		return peerError(err).Error()
	}
	r.session, r.resumed = session, true
	return ""
}

// mostMissed bounds each result that an agent learns after a start, in bytes.
const mostMissed = 4000

// missedPrompt is the first prompt of a program that continues with its session: what it asked for before it ended, with the results, and what
// the user wrote since.
func missedPrompt(messages []*model.Message, start externalAction) string {
	from := len(messages) - 1
	for from >= 0 && (messages[from].Role != model.Assistant || start.asks(messages[from])) {
		from--
	}
	if from < 0 {
		return firstPrompt(messages)
	}
	asked := map[string]model.Part{}
	for _, c := range messages[from].Calls() {
		asked[c.ID] = c
	}
	var done, texts strings.Builder
	for _, m := range messages[from+1:] {
		for _, p := range m.Parts {
			switch c, ok := asked[p.ID]; {
			case p.Kind == model.ResultKind && ok:
				fmt.Fprintf(&done, "- %s %s\n  %s\n", c.Name, clipText(c.Args), strings.ReplaceAll(clipText(p.Text), "\n", "\n  "))
			case p.Kind == model.TextKind && m.Role == model.User:
				texts.WriteString(p.Text + "\n\n")
			}
		}
	}
	text := texts.String()
	if done.Len() > 0 {
		text = "[You were interrupted. This is what you asked for, and what came of it:]\n" + done.String() + "\n" + text
	}
	if text == "" || done.Len() > 0 {
		text += "[Go on.]"
	}
	return strings.TrimSpace(text)
}

// asks reports whether a message asks for the action.
func (a externalAction) asks(m *model.Message) bool {
	want, err := json.Marshal(a)
	return err == nil && slices.ContainsFunc(m.Calls(), func(c model.Part) bool { return c.Name == actionTool && c.Args == string(want) })
}

func clipText(text string) string {
	if len(text) > mostMissed {
		return strings.ToValidUTF8(text[:mostMissed], "") + "…"
	}
	return text
}
