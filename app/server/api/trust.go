package api

// Trust is what sessions in a workspace would obey of its folder, and what the user answered about it.
type Trust struct {
	Dir    string      `json:"dir" doc:"the workspace"`
	Folder string      `json:"folder" doc:"the work tree that the workspace lies in"`
	Always bool        `json:"always" doc:"the user's settings trust the folder whatever it holds"`
	Items  []TrustItem `json:"items"`
}

// TrustItem is a file, or a directory that is obeyed as a whole.
type TrustItem struct {
	Obeyed
	State string  `json:"state" enum:"trusted,declined,new"`
	Sends []Sends `json:"sends,omitempty" doc:"environment variables that its tool servers would get"`
}

// Sends is an environment variable that a tool server would get.
type Sends struct {
	Server   string `json:"server"`
	Variable string `json:"variable"`
	To       string `json:"to" doc:"the host, or what runs on this machine"`
	Secret   bool   `json:"secret,omitempty" doc:"its name says that it is one, and it would leave the machine"`
	Own      bool   `json:"own,omitempty" doc:"it is never sent: it is a key of rein or of a provider"`
}

// Obeyed names content that sessions would obey, as it is now.
type Obeyed struct {
	Kind string `json:"kind" maxLength:"40" doc:"instructions, skill, agent, command, hook, mcp"`
	Path string `json:"path" minLength:"1" maxLength:"4096" doc:"relative to the folder, with slashes"`
	Sum  string `json:"sum" maxLength:"128" doc:"hash of the content"`
}

// TrustAnswer says whether sessions may obey content. It is about the content as it was shown.
type TrustAnswer struct {
	Dir   string   `json:"dir,omitempty" doc:"one of the workspaces; empty: the first one"`
	Trust bool     `json:"trust" doc:"false: sessions do not use it, and nobody is asked again while it does not change"`
	Items []Obeyed `json:"items" minItems:"1" maxItems:"1000"`
}

// TrustText is the content of an item.
type TrustText struct {
	Sum   string      `json:"sum"`
	Files []TrustFile `json:"files"`
}

// TrustFile is one file of an item.
type TrustFile struct {
	Path  string `json:"path"`
	Text  string `json:"text"`
	Bytes int    `json:"bytes" doc:"of the whole file"`
	Cut   bool   `json:"cut,omitempty" doc:"text is only the beginning"`
	Plain bool   `json:"plain" doc:"it is text; else text is empty"`
}

// Place names a workspace.
type Place struct {
	Dir string `json:"dir,omitempty" doc:"one of the workspaces; empty: the first one"`
}
