package client

import (
	"context"

	"rein/app/server/api"
)

// Inbox returns the approval requests that wait.
func (c *Client) Inbox(ctx context.Context) (r api.Requests, err error) {
	return r, c.get(ctx, at("inbox"), &r)
}

// Answer answers an approval request. The first answer counts; Answered has it.
func (c *Client) Answer(ctx context.Context, session, call string, a api.Answer) (got api.Answered, err error) {
	return got, c.post(ctx, at("inbox", session, call), a, &got)
}

// AnswerAll answers several requests alike, each as it was shown. What became of each is in the answers, in the same order.
func (c *Client) AnswerAll(ctx context.Context, a api.BatchAnswer) (got []api.Answered, err error) {
	return got, c.post(ctx, at("inbox"), a, &got)
}
