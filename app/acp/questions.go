package acp

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	sdk "github.com/coder/acp-go-sdk"

	"rein/app/harness"
	"rein/guard"
	"rein/tool"
)

// cannotAsk is what the model reads where the client can show no such question.
const cannotAsk = "the editor cannot show these questions; write them in your answer, and the user answers with the next message"

// askQuestions asks the user what a call wants to know: in a form, or, where the client has none, one question as a request
// with its choices.
func (s *session) askQuestions(ctx context.Context, id string, r *harness.Request) (guard.Answer, error) {
	answer := guard.Answer{Choice: guard.Denied, By: guard.ByPerson(""), From: from}
	list := r.Case.Intent.Questions.List
	var lines []string
	var err error
	switch {
	case s.a.able().Elicitation.Form != nil:
		lines, err = s.form(ctx, list)
	case len(list) == 1 && len(list[0].Choices) > 0 && !list[0].Several:
		lines, err = s.pick(ctx, id, r, list[0])
	default:
		answer.By, answer.Words = guard.ByPolicy("the editor"), cannotAsk
		return answer, nil
	}
	if err != nil || len(lines) != len(list) {
		return answer, err
	}
	chosen := &tool.Chosen{}
	for i, q := range list {
		a, err := q.Read(lines[i])
		if err != nil {
			answer.Words = "the answer " + strconv.Quote(lines[i]) + " is none of the choices"
			return answer, nil
		}
		chosen.Answers = append(chosen.Answers, a)
	}
	answer.Choice, answer.Chosen = guard.Approved, chosen
	return answer, nil
}

// form asks all questions in a form and returns the answers as lines; none when the user declines.
func (s *session) form(ctx context.Context, list []tool.Question) ([]string, error) {
	fields, required := map[string]any{}, []string{}
	for i, q := range list {
		name := "answer" + strconv.Itoa(i+1)
		field := map[string]any{"type": "string", "title": q.Asks()}
		var labels []string
		for k, c := range q.Choices {
			labels = append(labels, fmt.Sprintf("%d. %s", k+1, c.Label))
		}
		switch {
		case len(labels) > 0 && !q.Several && !q.Free:
			field["enum"] = labels
		case len(labels) > 0:
			field["description"] = strings.Join(labels, "\n")
		}
		fields[name], required = field, append(required, name)
	}
	answer, err := sdk.SendRequest[struct {
		Action  string            `json:"action"`
		Content map[string]string `json:"content"`
	}](s.a.client, ctx, sdk.ClientMethodElicitationCreate, map[string]any{
		"sessionId": s.ID(), "mode": "form", "message": "rein has a question",
		"requestedSchema": map[string]any{"type": "object", "required": required, "properties": fields},
	})
	if err != nil || answer.Action != "accept" {
		return nil, err
	}
	var lines []string
	for i, q := range list {
		line := answer.Content["answer"+strconv.Itoa(i+1)]
		if number, _, ok := strings.Cut(line, ". "); ok && len(q.Choices) > 0 {
			if _, err := strconv.Atoi(number); err == nil {
				line = number
			}
		}
		lines = append(lines, line)
	}
	return lines, nil
}

// pick asks one question as a permission request with a choice for each option.
func (s *session) pick(ctx context.Context, id string, r *harness.Request, q tool.Question) ([]string, error) {
	request := sdk.RequestPermissionRequest{SessionId: sdk.SessionId(s.ID()), ToolCall: s.asked(id, r)}
	request.ToolCall.Title = new(q.Asks())
	for i, c := range q.Choices {
		request.Options = append(request.Options, sdk.PermissionOption{OptionId: sdk.PermissionOptionId(strconv.Itoa(i + 1)), Name: c.Label, Kind: sdk.PermissionOptionKindAllowOnce})
	}
	request.Options = append(request.Options, sdk.PermissionOption{OptionId: optionDeny, Name: "Do not answer", Kind: sdk.PermissionOptionKindRejectOnce})
	answer, err := sdk.SendRequest[sdk.RequestPermissionResponse](s.a.client, ctx, sdk.ClientMethodSessionRequestPermission, request)
	if err != nil || answer.Outcome.Selected == nil || answer.Outcome.Selected.OptionId == optionDeny {
		return nil, err
	}
	return []string{string(answer.Outcome.Selected.OptionId)}, nil
}
