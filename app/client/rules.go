package client

import (
	"context"

	"rein/app/server/api"
)

// Rules returns the rules that hold in a workspace, with their files.
func (c *Client) Rules(ctx context.Context, dir string) (r api.Rules, err error) {
	return r, c.get(ctx, with(at("rules"), "dir", dir), &r)
}

// ChangeRule adds a rule to the user's settings or takes it away. With Check it changes nothing and returns the warnings.
func (c *Client) ChangeRule(ctx context.Context, change api.RuleChange) (r api.RuleChanged, err error) {
	return r, c.post(ctx, at("rules"), change, &r)
}

// Explain returns what a call would do, and what is decided about it. Nothing runs.
func (c *Client) Explain(ctx context.Context, call api.ExplainCall) (e api.Explained, err error) {
	return e, c.post(ctx, at("rules", "explain"), call, &e)
}

// Simulate returns what the rules, and further ones, decide about the calls of recorded sessions.
func (c *Client) Simulate(ctx context.Context, what api.Simulation) (s api.Simulated, err error) {
	return s, c.post(ctx, at("rules", "simulate"), what, &s)
}

// Settings returns the settings that hold in a workspace, with the files that set them.
func (c *Client) Settings(ctx context.Context, dir string) (s api.Settings, err error) {
	return s, c.get(ctx, with(at("settings"), "dir", dir), &s)
}

// ChangeSetting changes a setting of the user. The next start or ReloadSettings uses it.
func (c *Client) ChangeSetting(ctx context.Context, change api.SettingChange) (s api.Settings, err error) {
	return s, c.post(ctx, at("settings"), change, &s)
}

// ReloadSettings reads the settings again, for the server and for new sessions. When a file has a fault, nothing changes.
func (c *Client) ReloadSettings(ctx context.Context) error {
	return c.post(ctx, at("settings", "reload"), api.Reload{}, nil)
}
