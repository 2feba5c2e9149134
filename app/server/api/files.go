package api

import "time"

// Listing is what is in a directory of a workspace.
type Listing struct {
	Dir     string      `json:"dir" doc:"the workspace"`
	Path    string      `json:"path" doc:"of the directory, in the workspace; empty: the workspace itself"`
	Entries []FileEntry `json:"entries" nullable:"false" doc:"directories first"`
	Hidden  int         `json:"hidden" doc:"entries that are not shown, because they may hold secrets or are not files of the user"`
	More    bool        `json:"more" doc:"the directory has more entries"`
}

// FileEntry is a file or a directory.
type FileEntry struct {
	Name string    `json:"name"`
	Dir  bool      `json:"dir,omitempty"`
	Link bool      `json:"link,omitempty"`
	Size int64     `json:"size" doc:"in bytes; 0 for a directory"`
	Time time.Time `json:"time" doc:"of the last change"`
}

// FileText is the content of a file.
type FileText struct {
	Path   string    `json:"path"`
	Text   string    `json:"text" doc:"empty for a binary file"`
	Binary bool      `json:"binary,omitempty"`
	Cut    bool      `json:"cut,omitempty" doc:"the file is longer than the text"`
	Size   int64     `json:"size" doc:"in bytes"`
	Time   time.Time `json:"time" doc:"of the last change"`
}

// Changes are what sessions changed in the files of a workspace, from before their first change until after their last.
type Changes struct {
	Files []File `json:"files" nullable:"false"`
	More  bool   `json:"more" doc:"some diffs are left out, because all of them together are too long"`
}

// GitChanges are what differs in a workspace from the last commit of its git repository, staged or not.
type GitChanges struct {
	Repository bool   `json:"repository" doc:"false: the workspace is in no git repository"`
	Branch     string `json:"branch,omitempty"`
	Commit     string `json:"commit,omitempty" doc:"its first digits; empty before the first commit"`
	Upstream   string `json:"upstream,omitempty"`
	Ahead      int    `json:"ahead,omitempty" doc:"commits that the upstream does not have"`
	Behind     int    `json:"behind,omitempty" doc:"commits that only the upstream has"`
	Files      []File `json:"files" nullable:"false"`
	More       bool   `json:"more" doc:"some files or diffs are left out, because all of them together are too long"`
}

// Names are what a message to a session may name: its slash commands, and files after an @.
type Names struct {
	Commands []Command `json:"commands" nullable:"false"`
	Files    []string  `json:"files" nullable:"false" doc:"of the workspace, without those that are ignored or may hold secrets; and resources of MCP servers"`
	More     bool      `json:"more,omitempty" doc:"there are more files: ask for those with letters of the name"`
}

// Command is a slash command.
type Command struct {
	Name  string `json:"name" doc:"without the slash"`
	About string `json:"about,omitempty"`
	Hint  string `json:"hint,omitempty" doc:"what arguments it takes"`
	From  string `json:"from,omitempty" doc:"user, project, skill, or an MCP server"`
}

// Model is a model that sessions can ask.
type Model struct {
	Ref     string `json:"ref" doc:"provider/name"`
	Context int    `json:"context,omitempty" doc:"tokens that it takes"`
}

// Upload is a file that goes with a message.
type Upload struct {
	Name string `json:"name" minLength:"1" maxLength:"200"`
	Data []byte `json:"data" minLength:"1" doc:"the file, as base64: an image, a PDF file or a text"`
}

// Attachment is an uploaded file. It waits in the server for a message that names it.
type Attachment struct {
	ID   string `json:"id"`
	Name string `json:"name"`
	Type string `json:"type" doc:"media type, by the content"`
	Size int    `json:"size" doc:"in bytes"`
}
