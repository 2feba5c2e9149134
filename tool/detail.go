package tool

import (
	"encoding/json"
	"time"
)

// Detail is what Result.Detail contains for rein's own tools: the data of one result, for the screen. The model never sees it. At most one
// field is set; it says what the result is about, whatever tool made it. The zero value means that there is nothing but the text.
type Detail struct {
	Command *CommandDetail `json:"command,omitempty"` // bash, job_output, job_input, job_kill
	Changes []Change       `json:"changes,omitempty"` // edit_file, write_file, apply_patch, insert, undo_edit, notebook_edit
	Read    *ReadDetail    `json:"read,omitempty"`    // read_file
	Found   *FoundDetail   `json:"found,omitempty"`   // list_dir, glob, grep
	Plan    *PlanDetail    `json:"plan,omitempty"`    // todo
	Page    *PageDetail    `json:"page,omitempty"`    // web_fetch
	Request *RequestDetail `json:"request,omitempty"` // http_request
	Access  *AccessDetail  `json:"access,omitempty"`  // request_access
	Answers *AnswersDetail `json:"answers,omitempty"` // ask_user
	Search  *SearchDetail  `json:"search,omitempty"`  // web_search
	Files   []FileDetail   `json:"files,omitempty"`   // view_image, view_video, screenshot, send_file; read_file of an image or a document
}

// ParseDetail decodes the Detail of a result. No detail, and a detail of a tool that is not ours, give the zero value.
func ParseDetail(raw json.RawMessage) Detail {
	var d Detail
	if json.Unmarshal(raw, &d) != nil {
		return Detail{}
	}
	return d
}

// CommandDetail is how a shell command ended, or that it still runs.
type CommandDetail struct {
	Job      string        `json:"job,omitempty"` // id of the background job; "" for a command that was waited for
	Running  bool          `json:"running,omitempty"`
	Cwd      string        `json:"cwd,omitempty"`       // the directory where it started
	ExitCode int           `json:"exit_code"`           // -1 where a signal ended it; without meaning while it runs
	Signal   string        `json:"signal,omitempty"`    // the signal that ended it, such as "killed"
	TimedOut bool          `json:"timed_out,omitempty"` // stopped by rein because its time was over
	Limit    string        `json:"limit,omitempty"`     // the limit that it reached: memory, processes, …
	Duration time.Duration `json:"duration_ns"`         // since the start
	Left     int           `json:"left,omitempty"`      // processes that it left running and that were ended with it
	Blocked  []Blocked     `json:"blocked,omitempty"`   // what the sandbox stopped, the most likely cause first
}

// Failed reports whether the command ended without success.
func (c *CommandDetail) Failed() bool {
	return !c.Running && (c.ExitCode != 0 || c.Signal != "" || c.TimedOut)
}

// Blocked is one thing that the sandbox stopped.
type Blocked struct {
	Kind    string `json:"kind"`             // write, read, hidden, network, socket, sockets, tracing, keys or kernel
	Target  string `json:"target,omitempty"` // the path, the host, or what the program wanted from the kernel
	Certain bool   `json:"certain"`          // false: concluded from what the program printed
}

// Change is what a tool changed in one file, or would change.
type Change struct {
	Path    string `json:"path"`
	From    string `json:"from,omitempty"` // the path before, if the file was moved
	Created bool   `json:"created,omitempty"`
	Deleted bool   `json:"deleted,omitempty"`
	Mode    bool   `json:"mode,omitempty"` // only its mode or its attributes changed
	Added   int    `json:"added"`          // lines
	Removed int    `json:"removed"`        // lines
	Diff    string `json:"diff"`           // unified, with line numbers; at most 400 lines
	Cut     bool   `json:"cut,omitempty"`  // the diff has more lines than are shown
	Sum     string `json:"sum,omitempty"`  // SHA-256 in hex of the new content, if the model knows all of it
}

// ReadDetail is the part of a file that was shown.
type ReadDetail struct {
	Path  string `json:"path"`
	First int64  `json:"first"`         // the first line shown, from 1
	Last  int64  `json:"last"`          // the last line shown
	Total int64  `json:"total"`         // lines of the file; -1 if they were not counted
	Sum   string `json:"sum,omitempty"` // SHA-256 in hex of the content, if all of it has been shown
}

// FoundDetail is what a search or a listing found.
type FoundDetail struct {
	Path    string `json:"path"`              // where it looked
	Pattern string `json:"pattern,omitempty"` // what it looked for; "" for a listing
	Shown   int    `json:"shown"`             // files or directories in the text
	Lines   int64  `json:"lines,omitempty"`   // matching lines, for grep
	Total   int    `json:"total,omitempty"`   // files or directories that were found; 0 if More is set and they were not counted
	More    bool   `json:"more,omitempty"`    // there is, or may be, more than is shown
}

// PlanDetail is the plan after the call.
type PlanDetail struct {
	Steps []PlanStep `json:"steps"`
}

// PlanStep is one step of a plan.
type PlanStep struct {
	Content string `json:"content"`
	Status  string `json:"status"` // pending, in_progress, completed or cancelled
}

// PageDetail is a page of the web that was read.
type PageDetail struct {
	URL   string `json:"url"` // after redirects
	Title string `json:"title,omitempty"`
	Page  int    `json:"page"`  // the part of the text that was shown, from 1
	Pages int    `json:"pages"` // parts that the text has
}

// RequestDetail is an HTTP request and the answer to it.
type RequestDetail struct {
	Method   string        `json:"method"`
	URL      string        `json:"url"` // secrets are hidden
	Status   int           `json:"status"`
	Bytes    int           `json:"bytes"` // of the answer's body, as far as it was read
	Duration time.Duration `json:"duration_ns"`
}

// AnswersDetail are what the user answered.
type AnswersDetail struct {
	Given   []AnswerDetail `json:"given"`
	Default bool           `json:"default,omitempty"` // nobody answered in time: the first choices count
}

// AnswerDetail is the answer to one question. Without Choices and Text the user left the question out.
type AnswerDetail struct {
	Question string   `json:"question"`
	Choices  []string `json:"choices,omitempty"`
	Text     string   `json:"text,omitempty"`
}

// SearchDetail is what a search engine found.
type SearchDetail struct {
	Query   string       `json:"query"`
	Engine  string       `json:"engine"` // which one answered
	Results []SearchLink `json:"results,omitempty"`
}

// SearchLink is a page on the web.
type SearchLink struct {
	Title string `json:"title"`
	URL   string `json:"url"`
}

// FileDetail is a file that was looked at or is shown to the user.
type FileDetail struct {
	Path      string `json:"path"`                 // as it was named
	Abs       string `json:"abs,omitempty"`        // send_file: where it is
	Size      int64  `json:"size,omitempty"`       // bytes
	MediaType string `json:"media_type,omitempty"` // "image/png"
	Width     int    `json:"width,omitempty"`      // pixels of an image or a video
	Height    int    `json:"height,omitempty"`
	Note      string `json:"note,omitempty"` // send_file: what it is, in the model's words
}

// AccessDetail is what was opened beyond the sandbox. Exactly one of Write, Read and Host is set.
type AccessDetail struct {
	Write   string `json:"write,omitempty"`
	Read    string `json:"read,omitempty"`
	Host    string `json:"host,omitempty"`
	Send    bool   `json:"send,omitempty"`    // with Host: plain HTTP may send data
	Already bool   `json:"already,omitempty"` // it was open before the call
	Lasts   string `json:"lasts,omitempty"`   // for how long, in words
}
