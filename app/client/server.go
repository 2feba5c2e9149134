package client

import (
	"context"
	"io"

	"rein/app/server/api"
)

// Health gives an error unless the server works. It needs no key.
func (c *Client) Health(ctx context.Context) error { return c.get(ctx, at("health"), nil) }

// Me returns who the key belongs to, and the version of the server.
func (c *Client) Me(ctx context.Context) (m api.Me, err error) { return m, c.get(ctx, at("me"), &m) }

// Audit returns who did what, newest first: entries with a lower number than before; 0 means the newest. At most limit come, up
// to 1,000; 0 means 200.
func (c *Client) Audit(ctx context.Context, before int64, limit int) (all []api.Entry, err error) {
	return all, c.get(ctx, with(at("audit"), "before", before, "limit", limit), &all)
}

// Usage returns tokens, money and calls of the last days by day, workspace and model; 0 days means 30. An empty dir means all
// workspaces.
func (c *Client) Usage(ctx context.Context, days int, dir string) (all []api.Spent, err error) {
	return all, c.get(ctx, with(at("usage"), "days", days, "dir", dir), &all)
}

// UsageTable returns the same as Usage as a table for a spreadsheet (CSV). The caller closes it.
func (c *Client) UsageTable(ctx context.Context, days int, dir string) (io.ReadCloser, error) {
	return c.open(ctx, with(at("usage.csv"), "days", days, "dir", dir))
}

// CountCalls returns calls, failures and denials by tool, approvals by who answered, and sub-agents by kind. days and dir are
// those of Usage.
func (c *Client) CountCalls(ctx context.Context, days int, dir string) (n api.Counted, err error) {
	return n, c.get(ctx, with(at("usage", "calls"), "days", days, "dir", dir), &n)
}

// Metrics returns figures about the server in the text format of Prometheus. The caller closes it.
func (c *Client) Metrics(ctx context.Context) (io.ReadCloser, error) {
	return c.open(ctx, at("metrics"))
}
