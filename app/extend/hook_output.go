package extend

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"rein/hook"
)

// hookEnd is what a program or a server answered.
type hookEnd struct {
	Code           int // the exit code; 0 for a server
	Stdout, Stderr string
}

// claudeAnswer is the JSON of Claude Code.
type claudeAnswer struct {
	Continue *bool           `json:"continue"`
	Stop     string          `json:"stopReason"`
	Notice   string          `json:"systemMessage"`
	Decision string          `json:"decision"`
	Reason   string          `json:"reason"`
	Specific *claudeSpecific `json:"hookSpecificOutput"`
}

type claudeSpecific struct {
	Event    string          `json:"hookEventName"`
	Decision string          `json:"permissionDecision"`
	Reason   string          `json:"permissionDecisionReason"`
	Args     json.RawMessage `json:"updatedInput"`
	Context  string          `json:"additionalContext"`
	Result   json.RawMessage `json:"updatedToolOutput"`
	Answer   *struct {
		Behavior  string          `json:"behavior"`
		Message   string          `json:"message"`
		Args      json.RawMessage `json:"updatedInput"`
		Interrupt bool            `json:"interrupt"`
	} `json:"decision"`
}

// mostHookText is how many characters of one text of a hook are used.
const mostHookText = 10_000

// decodeOutput reads what a hook of that format answered to an input. Text that begins with "{" is JSON whatever the exit code is; text that is no JSON is plain.
// Exit code 2 blocks, with the errors as the reason. Another code without JSON is a failure.
func decodeOutput(in hook.Input, format string, e hookEnd) (out hook.Output, err error) {
	switch format {
	case "gemini":
		return decodeGemini(in, e)
	case "crush":
		return decodeCrush(in, e)
	}
	at := in.Event
	var a claudeAnswer
	isJSON := false
	if text := strings.TrimSpace(e.Stdout); strings.HasPrefix(text, "{") && json.Valid([]byte(text)) {
		isJSON = true
		if err := json.Unmarshal([]byte(text), &a); err != nil {
			return out, fmt.Errorf("its answer has another form: %w", err)
		}
		if out, err = a.output(at, format); err != nil {
			return out, err
		}
		out.Args = ourArgs(in.Tool, format, out.Args)
	}
	switch {
	case e.Code == 2:
		out.Args, out.Result = nil, nil
		hookBlock(&out, at, boundText(strings.TrimSpace(e.Stderr)))
	case isJSON, e.Code == 0 && at != hook.UserPromptSubmit && at != hook.SessionStart:
	case e.Code == 0:
		out.Context = boundText(strings.TrimSpace(e.Stdout))
	default:
		return hook.Output{}, e.failure()
	}
	return out, nil
}

// failure is the error of a program that failed, with the first line that it wrote.
func (e hookEnd) failure() error {
	first, _, _ := strings.Cut(strings.TrimSpace(e.Stderr), "\n")
	if first == "" {
		return fmt.Errorf("exit code %d", e.Code)
	}
	return fmt.Errorf("exit code %d: %s", e.Code, boundText(first))
}

// hookBlock is what exit code 2 means for an event. Where nothing can be held back the user sees the reason.
func hookBlock(out *hook.Output, at hook.Event, reason string) {
	switch at {
	case hook.PermissionRequest, hook.SessionStart, hook.SessionEnd, hook.SubagentStart, hook.PostCompact, hook.Notification:
		out.Notice = strings.TrimSpace(out.Notice + "\n" + reason)
		return
	}
	if reason == "" {
		reason = "the hook gave no reason"
	}
	out.Decision, out.Reason = hook.Deny, reason
}

// output reads an answer.
func (a claudeAnswer) output(at hook.Event, format string) (hook.Output, error) {
	out := hook.Output{Notice: boundText(a.Notice), Reason: boundText(a.Reason)}
	if a.Continue != nil && !*a.Continue {
		out.Halt = boundText(a.Stop)
		if out.Halt == "" {
			out.Halt = "the hook gave no reason"
		}
	}
	switch a.Decision {
	case "":
	case "block", "deny":
		hookBlock(&out, at, out.Reason)
	case "approve", "allow":
		if at == hook.PreToolUse {
			out.Decision = hook.Allow
		}
	default:
		return out, fmt.Errorf("its decision is %q: expected approve or block", shortText(a.Decision))
	}
	s := a.Specific
	if s == nil {
		return out, nil
	}
	if s.Event != string(at) {
		return out, fmt.Errorf("its answer is for %q, not for %s", shortText(s.Event), at)
	}
	out.Context = boundText(s.Context)
	switch at {
	case hook.PreToolUse:
		return out, s.before(&out, format)
	case hook.PermissionRequest:
		return out, s.answered(&out)
	case hook.PostToolUse:
		out.Result = s.result()
	}
	return out, nil
}

// before reads what is for a call.
func (s claudeSpecific) before(out *hook.Output, format string) error {
	if len(s.Args) > 0 && !bytes.Equal(s.Args, []byte("null")) {
		if s.Args[0] != '{' {
			return errors.New("updatedInput is not an object")
		}
		out.Args = s.Args
	}
	if s.Reason != "" {
		out.Reason = boundText(s.Reason)
	}
	switch s.Decision {
	case "":
	case "allow":
		if format != "codex" || len(out.Args) > 0 { // Codex knows no approval by a hook, only a change
			out.Decision = max(out.Decision, hook.Allow)
		}
	case "ask", "defer":
		out.Decision = max(out.Decision, hook.Ask)
	case "deny":
		out.Decision = hook.Deny
	default:
		return fmt.Errorf("permissionDecision is %q: expected allow, ask or deny", shortText(s.Decision))
	}
	return nil
}

// answered reads the answer to an approval request. One that changes the call is no answer to this call.
func (s claudeSpecific) answered(out *hook.Output) error {
	if s.Answer == nil {
		return nil
	}
	switch s.Answer.Behavior {
	case "allow":
		if len(s.Answer.Args) > 0 {
			return errors.New("an answer to a request cannot change the call")
		}
		out.Decision = hook.Allow
	case "deny":
		out.Decision, out.Reason = hook.Deny, boundText(s.Answer.Message)
		if s.Answer.Interrupt {
			out.Halt = "the hook denied a call and ended the turn"
		}
	default:
		return fmt.Errorf("behavior is %q: expected allow or deny", shortText(s.Answer.Behavior))
	}
	return nil
}

// result is the text that replaces that of a call; nil: none.
func (s claudeSpecific) result() *string {
	if len(s.Result) == 0 || string(s.Result) == "null" {
		return nil
	}
	var text string
	if json.Unmarshal(s.Result, &text) == nil {
		return &text
	}
	var parts struct{ Stdout, Stderr, Content string }
	if json.Unmarshal(s.Result, &parts) != nil || parts.Stdout+parts.Stderr+parts.Content == "" {
		text = string(s.Result)
		return &text
	}
	text = parts.Stdout + parts.Stderr + parts.Content
	return &text
}

// boundText cuts a text that is longer than what of a hook is used.
func boundText(text string) string {
	text = strings.ToValidUTF8(text, "�")
	if len(text) <= mostHookText {
		return text
	}
	return strings.ToValidUTF8(text[:mostHookText], "") + "… (cut)"
}

// shortText returns a text in one line of at most 80 bytes.
func shortText(text string) string {
	text = strings.Join(strings.Fields(text), " ")
	if len(text) > 80 {
		text = strings.ToValidUTF8(text[:80], "") + "…"
	}
	return text
}
