package client

import (
	"context"
	"io"
	"net/http"
	"time"

	"rein/app/server/api"
)

// Start begins a session. With an ID it may be sent again after an error: the server begins it once.
func (c *Client) Start(ctx context.Context, n api.NewSession) (s api.Session, err error) {
	return s, c.post(ctx, at("sessions"), n, &s)
}

// Session returns one session.
func (c *Client) Session(ctx context.Context, id string) (s api.Session, err error) {
	return s, c.get(ctx, at("sessions", id), &s)
}

// Sessions returns the newest 100 sessions that the user sees, newest first.
func (c *Client) Sessions(ctx context.Context) (all []api.Session, err error) {
	return c.FindSessions(ctx, SessionQuery{})
}

// DeleteSession deletes a session and those of its sub-agents, while nothing of it is at work. What it changed in files stays.
func (c *Client) DeleteSession(ctx context.Context, session string) error {
	return c.do(ctx, http.MethodDelete, at("sessions", session), nil, nil)
}

// SessionQuery says which sessions to give.
type SessionQuery struct {
	Dir    string // of one workspace; empty: of all
	Title  string // words of the title; empty: any
	Before string // only those that follow a place in the list: see Behind; empty: from the newest on
	Limit  int    // how many at most, up to 1,000; 0: 100
}

// Behind is the place in a list behind a session: with that of the last one of a page the next page begins.
func Behind(s api.Session) string { return s.Last.Format(time.RFC3339Nano) + "," + s.ID }

// FindSessions returns the sessions that fit, newest first.
func (c *Client) FindSessions(ctx context.Context, q SessionQuery) (all []api.Session, err error) {
	return all, c.get(ctx, with(at("sessions"), "dir", q.Dir, "search", q.Title, "before", q.Before, "limit", q.Limit), &all)
}

// Search returns the sessions in whose texts all words are; words in quotes must follow each other. At most limit sessions come,
// up to 100; 0 means 30.
func (c *Client) Search(ctx context.Context, words string, limit int) (all []api.Found, err error) {
	return all, c.get(ctx, with(at("search"), "q", words, "limit", limit), &all)
}

// Past returns the last recorded events of a session before one; before 0 means its last ones. At most limit come, up to 2,000; 0
// means 500.
func (c *Client) Past(ctx context.Context, session string, before int64, limit int) (e api.Events, err error) {
	return e, c.get(ctx, with(at("sessions", session, "events"), "before", before, "limit", limit), &e)
}

// Send sends a message. With an ID it may be sent again after an error: the server takes it once.
func (c *Client) Send(ctx context.Context, session string, m api.NewMessage) (s api.Sent, err error) {
	return s, c.post(ctx, at("sessions", session, "messages"), m, &s)
}

// Attach uploads a file for the next message, which names it by its ID.
func (c *Client) Attach(ctx context.Context, session string, file api.Upload) (a api.Attachment, err error) {
	return a, c.post(ctx, at("sessions", session, "attachments"), file, &a)
}

// Names returns what a message to a session may name: slash commands, and files after an @. letters are of the files: see api.Names; "" is all.
func (c *Client) Names(ctx context.Context, session, letters string) (n api.Names, err error) {
	return n, c.get(ctx, with(at("sessions", session, "names"), "letters", letters), &n)
}

// Change changes the name, the mode or the model of a session.
func (c *Client) Change(ctx context.Context, session string, change api.Change) (s api.Session, err error) {
	return s, c.post(ctx, at("sessions", session), change, &s)
}

// Resume continues a session that was suspended or interrupted.
func (c *Client) Resume(ctx context.Context, session string) (s api.Session, err error) {
	return s, c.post(ctx, at("sessions", session, "resume"), nil, &s)
}

// TakeBack takes a message back that waits in the queue of a session, and returns it.
func (c *Client) TakeBack(ctx context.Context, session, message string) (m api.Queued, err error) {
	return m, c.do(ctx, http.MethodDelete, at("sessions", session, "messages", message), nil, &m)
}

// Cancel cancels what a session does.
func (c *Client) Cancel(ctx context.Context, session string) error {
	return c.post(ctx, at("sessions", session, "cancel"), nil, nil)
}

// Fork begins a session with the past of another one, up to an event.
func (c *Client) Fork(ctx context.Context, session string, event api.At) (s api.Session, err error) {
	return s, c.post(ctx, at("sessions", session, "fork"), event, &s)
}

// Rewind takes the conversation back to before a message of the user. Files stay as they are; Undo changes them.
func (c *Client) Rewind(ctx context.Context, session string, message api.At) (s api.Session, err error) {
	return s, c.post(ctx, at("sessions", session, "rewind"), message, &s)
}

// Compact begins to replace older parts of the conversation by a summary, for the model. The events show the end.
func (c *Client) Compact(ctx context.Context, session string, how api.Compaction) (s api.Session, err error) {
	return s, c.post(ctx, at("sessions", session, "compact"), how, &s)
}

// Export returns a session as a document: format is "markdown", "html" or "json"; empty means Markdown. The caller closes it.
func (c *Client) Export(ctx context.Context, session, format string) (io.ReadCloser, error) {
	return c.open(ctx, with(at("sessions", session, "export"), "format", format))
}

// SentFile returns the file that a call of send_file showed, as it is now. The caller closes it.
func (c *Client) SentFile(ctx context.Context, session, call string) (io.ReadCloser, error) {
	return c.open(ctx, at("sessions", session, "files", call))
}

// WholeOutput returns the output of a call whose result holds only a part of it, its first 16 MB. The caller closes it.
func (c *Client) WholeOutput(ctx context.Context, session, call string) (io.ReadCloser, error) {
	return c.open(ctx, at("sessions", session, "outputs", call))
}

// Changes returns what a session changed in files.
func (c *Client) Changes(ctx context.Context, session string) (all api.Changes, err error) {
	return all, c.get(ctx, at("sessions", session, "changes"), &all)
}

// Steps returns what calls of a session did to files, the oldest first.
func (c *Client) Steps(ctx context.Context, session string) (all []api.Step, err error) {
	return all, c.get(ctx, at("sessions", session, "steps"), &all)
}

// Undo returns what taking changes of files back would do. With the hash of that plan it does it, unless the files have changed
// since.
func (c *Client) Undo(ctx context.Context, session string, what api.Undoing) (u api.Undone, err error) {
	return u, c.post(ctx, at("sessions", session, "undo"), what, &u)
}

// Jobs returns the background jobs of the sessions that are open in the server, the newest first.
func (c *Client) Jobs(ctx context.Context) (all []api.Job, err error) {
	return all, c.get(ctx, at("jobs"), &all)
}

// JobOutput returns a job, and what it wrote from a byte of its output on: Next of the answer is from of the next request. from 0
// means all that is kept.
func (c *Client) JobOutput(ctx context.Context, session, job string, from int64) (o api.JobOutput, err error) {
	return o, c.get(ctx, with(at("sessions", session, "jobs", job), "from", from), &o)
}

// StopJob ends a job and all that it started.
func (c *Client) StopJob(ctx context.Context, session, job string) (j api.Job, err error) {
	return j, c.post(ctx, at("sessions", session, "jobs", job, "stop"), nil, &j)
}
