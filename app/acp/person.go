package acp

import (
	"context"
	"encoding/base64"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	sdk "github.com/coder/acp-go-sdk"

	"rein/app/harness"
	"rein/guard"
	"rein/tool"
)

// person answers approval requests through the client.
type person struct{ a *agent }

// The options of a permission request beside the scopes of an approval.
const (
	optionOnce = "once"
	optionDeny = "deny"
	optionSay  = "deny-and-say"
)

// from names the client in the journal.
const from = "acp"

// Ask implements harness.Person. The request goes to the session that the client knows, also when a sub-agent asks, and the
// call is known to the client before.
func (p person) Ask(ctx context.Context, r *harness.Request) (guard.Answer, error) {
	s := p.a.session(r.Session)
	if s == nil {
		return guard.Answer{Choice: guard.Later}, nil
	}
	id := r.Call
	if r.Case.SubAgent != "" {
		id = r.Case.SubAgent + "/" + id
	}
	s.show.announce(id, r.Case.Call, &r.Case.Intent)
	if r.Case.Intent.Questions != nil {
		answer, err := s.askQuestions(ctx, id, r)
		if ctx.Err() != nil {
			return guard.Answer{Choice: guard.Abstain}, nil
		}
		if err != nil || r.Claim == nil {
			return answer, err
		}
		return r.Claim(answer)
	}
	outcome, err := sdk.SendRequest[sdk.RequestPermissionResponse](p.a.client, ctx, sdk.ClientMethodSessionRequestPermission, sdk.RequestPermissionRequest{
		SessionId: sdk.SessionId(s.ID()), ToolCall: s.asked(id, r), Options: choices(r),
	})
	switch {
	case ctx.Err() != nil: // the turn was cancelled, or somebody else answered
		return guard.Answer{Choice: guard.Abstain}, nil
	case err != nil:
		p.a.o.Log.Warn("the client did not answer a permission request", "error", err)
		return guard.Answer{}, err
	case outcome.Outcome.Selected == nil: // the client has cancelled the turn, or is about to
		s.interruptTurn()
		<-ctx.Done()
		return guard.Answer{Choice: guard.Abstain}, nil
	}
	option := string(outcome.Outcome.Selected.OptionId)
	if !slices.ContainsFunc(choices(r), func(o sdk.PermissionOption) bool { return string(o.OptionId) == option }) {
		return guard.Answer{}, fmt.Errorf("the editor answered with the option %q, which was not offered", option)
	}
	answer := s.answer(ctx, option, r)
	if r.Claim != nil {
		if answer, err = r.Claim(answer); err != nil {
			return answer, err
		}
	}
	if option == optionSay && answer.Words == sayNext {
		s.interruptTurn()
	}
	return answer, nil
}

// sayNext is what the model reads when the user writes the reason as the next message.
const sayNext = "the user says in the next message what to do instead"

// answer returns an option as an answer.
func (s *session) answer(ctx context.Context, option string, r *harness.Request) guard.Answer {
	answer := guard.Answer{Choice: guard.Denied, By: guard.ByPerson(""), From: from}
	if option == optionOnce {
		answer.Choice = guard.Approved
	}
	for _, scope := range r.Scopes {
		if option == string(scope.Scope) {
			answer.Choice, answer.Scope = guard.Approved, scope.Scope
		}
	}
	if option == optionSay {
		answer.Words = s.askWords(ctx)
	}
	return answer
}

// askWords asks for the words that go with a denial, where the client has forms. Else the user writes them as the next
// message.
func (s *session) askWords(ctx context.Context) string {
	if s.a.able().Elicitation.Form == nil {
		return sayNext
	}
	answer, err := sdk.SendRequest[struct {
		Action  string            `json:"action"`
		Content map[string]string `json:"content"`
	}](s.a.client, ctx, sdk.ClientMethodElicitationCreate, map[string]any{
		"sessionId": s.ID(), "mode": "form", "message": "What should rein do instead?",
		"requestedSchema": map[string]any{"type": "object", "required": []string{"words"},
			"properties": map[string]any{"words": map[string]any{"type": "string", "title": "Instead"}}},
	})
	if err != nil || answer.Action != "accept" || answer.Content["words"] == "" {
		return sayNext
	}
	return answer.Content["words"]
}

// choices are the options of a request. Lasting approvals are offered where the harness offers them.
func choices(r *harness.Request) []sdk.PermissionOption {
	all := []sdk.PermissionOption{{OptionId: optionOnce, Name: "Allow once", Kind: sdk.PermissionOptionKindAllowOnce}}
	for _, s := range r.Scopes {
		name := "Allow " + s.Text
		if len(s.Rules) > 0 {
			name += ": " + strings.Join(s.Rules, ", ")
		}
		all = append(all, sdk.PermissionOption{OptionId: sdk.PermissionOptionId(s.Scope), Name: name, Kind: sdk.PermissionOptionKindAllowAlways})
	}
	return append(all,
		sdk.PermissionOption{OptionId: optionDeny, Name: "Deny", Kind: sdk.PermissionOptionKindRejectOnce},
		sdk.PermissionOption{OptionId: optionSay, Name: "Deny, and say what to do instead", Kind: sdk.PermissionOptionKindRejectOnce})
}

// asked describes the call of a request: all that a person needs for the answer.
func (s *session) asked(id string, r *harness.Request) sdk.ToolCallUpdate {
	root := s.h.Root()
	u := sdk.ToolCallUpdate{
		ToolCallId: sdk.ToolCallId(id), Title: new(titleOf(r.Case.Call)), Kind: new(kindOfTool(r.Case.Call.Name)), Status: sdk.Ptr(sdk.ToolCallStatusPending),
		Locations: locations(&r.Case.Intent, nil, root), RawInput: rawInput(r.Case.Call.Args),
	}
	if r.Verdict.Reason != "" {
		u.Content = append(u.Content, sdk.ToolContent(sdk.TextBlock(r.Verdict.Reason)))
	}
	changes := changesOf(r.Shown.Diff)
	for _, c := range changes {
		u.Content = append(u.Content, diffs(c, root)...)
	}
	if len(changes) == 0 || r.Shown.Args != nil { // the diffs do not show all of the call
		u.Content = append(u.Content, sdk.ToolContent(sdk.TextBlock(fenced(strings.Join(r.Lines, "\n")))))
	}
	return u
}

// able returns what the client can do.
func (a *agent) able() capabilities {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.can
}

func base64Of(data []byte) string { return base64.StdEncoding.EncodeToString(data) }

// warn shows a line of the program in the sessions of a directory.
func (a *agent) warn(dir, line string) {
	a.o.Log.Warn(line)
	if !utf8.ValidString(line) {
		line = strings.ToValidUTF8(line, "?")
	}
	a.mu.Lock()
	var all []*session
	for _, s := range a.sessions {
		if s.h != nil && s.h.Root() == dir {
			all = append(all, s)
		}
	}
	a.mu.Unlock()
	for _, s := range all {
		s.show.notice(line)
	}
}

// changesOf reads the changes whose lines (tool.Change.Lines) were put one after the other. What else a request shows is lost.
func changesOf(lines []string) (all []tool.Change) {
	head := regexp.MustCompile(`^(change|create|delete) (.+) \(\+(\d+) -(\d+) lines\)$`)
	for _, line := range lines {
		if m := head.FindStringSubmatch(line); m != nil {
			c := tool.Change{Path: m[2], Created: m[1] == "create", Deleted: m[1] == "delete"}
			c.Added, _ = strconv.Atoi(m[3])
			c.Removed, _ = strconv.Atoi(m[4])
			all = append(all, c)
		} else if len(all) > 0 {
			all[len(all)-1].Diff += line + "\n"
		}
	}
	return all
}
