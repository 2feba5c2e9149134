package acp

import (
	"context"
	"fmt"
	"strings"

	sdk "github.com/coder/acp-go-sdk"

	"rein/app/harness"
)

// The options of the question whether sessions may obey a folder.
const (
	optionTrust   = "trust"
	optionNoTrust = "do-not-trust"
)

// mostItems is how many files of the folder the question names.
const mostItems = 40

// trusted asks the user, with the first message of a session, about what the folder would make sessions obey and the user did not
// answer yet. When the user trusts it, the session starts again: nothing has happened in it. It returns the session that continues.
func (s *session) trusted(ctx context.Context) (*session, error) {
	s.mu.Lock()
	asked := s.askedTrust
	s.askedTrust = true
	s.mu.Unlock()
	if asked || len(s.Messages()) > 0 {
		return s, nil
	}
	folder := s.h.Trust()
	all := folder.New(folder.Found(s.h.Root(), true))
	if len(all) == 0 {
		s.h.WarnUntrusted()
		return s, nil
	}
	var b strings.Builder
	fmt.Fprintf(&b, "The folder %s has content that sessions would use. It may come from anybody who can change the folder. Rules and the sandbox hold in any case.\n", folder.Dir())
	for i, item := range all {
		if i == mostItems {
			fmt.Fprintf(&b, "\nand %d more", len(all)-i)
			break
		}
		fmt.Fprintf(&b, "\n- %s: %s", item.Kind, item.Path)
	}
	const call, title = sdk.ToolCallId("trust"), "Trust this folder as it is now?"
	content := []sdk.ToolCallContent{sdk.ToolContent(sdk.TextBlock(b.String()))}
	s.show.send(sdk.StartToolCall(call, title, sdk.WithStartKind(sdk.ToolKindOther), sdk.WithStartStatus(sdk.ToolCallStatusPending), sdk.WithStartContent(content)))
	outcome, err := sdk.SendRequest[sdk.RequestPermissionResponse](s.a.client, ctx, sdk.ClientMethodSessionRequestPermission, sdk.RequestPermissionRequest{
		SessionId: sdk.SessionId(s.ID()), ToolCall: sdk.ToolCallUpdate{ToolCallId: call, Title: sdk.Ptr(title), Kind: sdk.Ptr(sdk.ToolKindOther), Status: sdk.Ptr(sdk.ToolCallStatusPending),
			Content: content},
		Options: []sdk.PermissionOption{{OptionId: optionTrust, Name: "Trust it", Kind: sdk.PermissionOptionKindAllowOnce},
			{OptionId: optionNoTrust, Name: "Do not trust it", Kind: sdk.PermissionOptionKindRejectOnce}},
	})
	s.show.send(sdk.UpdateToolCall(call, sdk.WithUpdateStatus(sdk.ToolCallStatusCompleted)))
	switch {
	case err != nil || outcome.Outcome.Selected == nil: // the question comes again with the next session
		s.h.WarnUntrusted()
		return s, nil
	case outcome.Outcome.Selected.OptionId != optionTrust:
		return s, folder.Decline(all)
	}
	if err := folder.Accept(all); err != nil {
		return s, err
	}
	return s.anew(ctx)
}

// anew starts the session again, before its first message, with what the user chose for it.
func (s *session) anew(ctx context.Context) (*session, error) {
	id, how := s.ID(), s.Terms()
	if _, err := s.a.deleteSession(ctx, sessionParams{Session: id}); err != nil {
		return s, err
	}
	next, err := s.a.open(ctx, s.params, func(h *harness.Harness, ctx context.Context, n harness.NewSession) (*harness.Session, error) {
		n.ID, n.ModelName, n.Mode = id, how.Model, how.Mode
		return h.Start(ctx, n)
	})
	if err != nil {
		return s, err
	}
	next.askedTrust = true
	return next, nil
}
