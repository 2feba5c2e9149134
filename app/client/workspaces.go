package client

import (
	"context"
	"io"
	"net/http"

	"rein/app/server/api"
)

// Workspaces returns the directories that the user sees. An empty dir elsewhere means the first one.
func (c *Client) Workspaces(ctx context.Context) (all []api.Workspace, err error) {
	return all, c.get(ctx, at("workspaces"), &all)
}

// Models returns the models that sessions of a workspace can ask.
func (c *Client) Models(ctx context.Context, dir string) (all []api.Model, err error) {
	return all, c.get(ctx, with(at("models"), "dir", dir), &all)
}

// Files returns what is in a directory of a workspace; path is relative to the workspace, with forward slashes.
func (c *Client) Files(ctx context.Context, dir, path string) (l api.Listing, err error) {
	return l, c.get(ctx, with(at("files"), "dir", dir, "path", path), &l)
}

// FileText returns the content of a file of a workspace, 1 MB at most.
func (c *Client) FileText(ctx context.Context, dir, path string) (f api.FileText, err error) {
	return f, c.get(ctx, with(at("files", "text"), "dir", dir, "path", path), &f)
}

// Download returns a file of a workspace, as it is. The caller closes it.
func (c *Client) Download(ctx context.Context, dir, path string) (io.ReadCloser, error) {
	return c.open(ctx, with(at("files", "download"), "dir", dir, "path", path))
}

// WorkspaceChanges returns what all sessions together changed in a workspace.
func (c *Client) WorkspaceChanges(ctx context.Context, dir string) (all api.Changes, err error) {
	return all, c.get(ctx, with(at("changes"), "dir", dir), &all)
}

// GitChanges returns what differs in a workspace from the last commit of its git repository.
func (c *Client) GitChanges(ctx context.Context, dir string) (g api.GitChanges, err error) {
	return g, c.get(ctx, with(at("git"), "dir", dir), &g)
}

// Tools returns the tools that new sessions have.
func (c *Client) Tools(ctx context.Context, dir string) (all []api.Tool, err error) {
	return all, c.get(ctx, with(at("tools"), "dir", dir), &all)
}

// Agents returns the kinds of sub-agents, also those that are not used, with the reason.
func (c *Client) Agents(ctx context.Context, dir string) (all []api.Agent, err error) {
	return all, c.get(ctx, with(at("agents"), "dir", dir), &all)
}

// Skills returns the skills that sessions have, with what the scanner found in them.
func (c *Client) Skills(ctx context.Context, dir string) (s api.Skills, err error) {
	return s, c.get(ctx, with(at("skills"), "dir", dir), &s)
}

// MemoryQuery says which entries of the memory to give.
type MemoryQuery struct {
	Dir      string // the workspace
	Words    string // the best entries come first; empty: the newest first
	Proposed bool   // only those that wait for a user
	Limit    int    // how many at most, up to 1,000; 0: 200
}

// Memory returns what sessions remember for later ones.
func (c *Client) Memory(ctx context.Context, q MemoryQuery) (all []api.Memory, err error) {
	return all, c.get(ctx, with(at("memory"), "dir", q.Dir, "q", q.Words, "proposed", q.Proposed, "limit", q.Limit), &all)
}

// AddMemory lets sessions remember a text.
func (c *Client) AddMemory(ctx context.Context, m api.MemoryText) error {
	return c.post(ctx, at("memory"), m, nil)
}

// EditMemory gives an entry another text, when it still has the one that Was has.
func (c *Client) EditMemory(ctx context.Context, id int64, m api.MemoryText) error {
	return c.do(ctx, http.MethodPut, at("memory", id), m, nil)
}

// ConfirmMemory lets sessions see an entry that was only proposed.
func (c *Client) ConfirmMemory(ctx context.Context, dir string, id int64) error {
	return c.post(ctx, with(at("memory", id, "confirm"), "dir", dir), nil, nil)
}

// DeleteMemory deletes an entry.
func (c *Client) DeleteMemory(ctx context.Context, dir string, id int64) error {
	return c.do(ctx, http.MethodDelete, with(at("memory", id), "dir", dir), nil, nil)
}

// ToolServers returns the tool servers (MCP) of a workspace with their tools. It starts none.
func (c *Client) ToolServers(ctx context.Context, dir string) (all []api.ToolServer, err error) {
	return all, c.get(ctx, with(at("mcp"), "dir", dir), &all)
}

// TryToolServer starts or contacts a tool server, lists its tools, and ends it.
func (c *Client) TryToolServer(ctx context.Context, dir, name string) (s api.ToolServer, err error) {
	return s, c.post(ctx, with(at("mcp", name, "try"), "dir", dir), nil, &s)
}

// AcceptTool takes the changed definition of a tool as it was shown.
func (c *Client) AcceptTool(ctx context.Context, name string, a api.PinAnswer) (s api.ToolServer, err error) {
	return s, c.post(ctx, at("mcp", name, "accept"), a, &s)
}

// LoginToolServer begins to sign in to a tool server. It returns the address for a browser on the server's machine.
func (c *Client) LoginToolServer(ctx context.Context, dir, name string) (a api.LoginAddress, err error) {
	return a, c.post(ctx, with(at("mcp", name, "login"), "dir", dir), nil, &a)
}

// LogoutToolServer forgets the sign-in to a tool server.
func (c *Client) LogoutToolServer(ctx context.Context, dir, name string) (s api.ToolServer, err error) {
	return s, c.post(ctx, with(at("mcp", name, "logout"), "dir", dir), nil, &s)
}

// Trust returns what the folders of the workspaces would make sessions obey, and what the user answered.
func (c *Client) Trust(ctx context.Context) (all []api.Trust, err error) {
	return all, c.get(ctx, at("trust"), &all)
}

// TrustText returns the content of one item that sessions would obey; kind and path are those of Trust.
func (c *Client) TrustText(ctx context.Context, dir, kind, path string) (t api.TrustText, err error) {
	return t, c.get(ctx, with(at("trust", "text"), "dir", dir, "kind", kind, "path", path), &t)
}

// AnswerTrust lets sessions obey content as it was shown, or not. Content that has changed since gives a Problem.
func (c *Client) AnswerTrust(ctx context.Context, a api.TrustAnswer) (t api.Trust, err error) {
	return t, c.post(ctx, at("trust"), a, &t)
}

// ForgetTrust takes all answers about a folder back.
func (c *Client) ForgetTrust(ctx context.Context, where api.Place) (t api.Trust, err error) {
	return t, c.post(ctx, at("trust", "forget"), where, &t)
}

// SaveAgent writes a kind of sub-agent of the user's own, when its file still has the text that Was has.
func (c *Client) SaveAgent(ctx context.Context, name string, d api.Definition) (out api.Defined, err error) {
	return out, c.do(ctx, http.MethodPut, at("agents", name), d, &out)
}

// DeleteAgent deletes a kind of sub-agent of the user's own.
func (c *Client) DeleteAgent(ctx context.Context, name string, r api.Removal) error {
	return c.post(ctx, at("agents", name, "delete"), r, nil)
}

// SaveSkill writes the SKILL.md of a skill of the user's own, when it still has the text that Was has.
func (c *Client) SaveSkill(ctx context.Context, name string, d api.Definition) (out api.Defined, err error) {
	return out, c.do(ctx, http.MethodPut, at("skills", name), d, &out)
}

// DeleteSkill deletes a skill of the user's own.
func (c *Client) DeleteSkill(ctx context.Context, name string, r api.Removal) error {
	return c.post(ctx, at("skills", name, "delete"), r, nil)
}
