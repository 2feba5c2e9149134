package api

// ToolServer is a server of tools (MCP) that sessions of a workspace use.
type ToolServer struct {
	Name     string            `json:"name"`
	Kind     string            `json:"kind" enum:"stdio,http,sse"`
	Target   string            `json:"target" doc:"the command line, or the address"`
	Scope    string            `json:"scope" doc:"whose entry it is: user, project, …"`
	Source   string            `json:"source" doc:"the file of the entry"`
	Disabled bool              `json:"disabled,omitempty"`
	State    string            `json:"state" doc:"not started, connected, failed: …"`
	Start    string            `json:"start,omitempty" doc:"lazy (as empty), eager or required"`
	About    string            `json:"about,omitempty" doc:"what the server calls itself, once it was connected"`
	SignedIn bool              `json:"signed_in,omitempty" doc:"an account is kept for it"`
	Network  []string          `json:"network,omitempty" doc:"hosts that its program may contact"`
	Sandbox  string            `json:"sandbox,omitempty" doc:"off: its program runs as the user"`
	Tools    []ToolServerTool  `json:"tools" doc:"by what is pinned; empty: it was never used"`
	Log      string            `json:"log,omitempty" doc:"the end of what it logged last"`
	Env      map[string]string `json:"env,omitempty" doc:"variables of its program, without secrets"`
}

// ToolServerTool is one tool of a server.
type ToolServerTool struct {
	Name        string `json:"name" doc:"by which the model calls it"`
	Description string `json:"description"`
	Question    string `json:"question,omitempty" doc:"why a person must approve the tool before it is called: what changed since it was pinned"`
	Hash        string `json:"hash,omitempty" doc:"of the question"`
}

// PinAnswer takes a changed definition of a tool, as it was shown.
type PinAnswer struct {
	Dir  string `json:"dir,omitempty"`
	Tool string `json:"tool" minLength:"1" maxLength:"200"`
	Hash string `json:"hash" minLength:"1" maxLength:"128" doc:"of the question"`
}

// LoginAddress is where a person signs in to a server of tools, on the machine of the rein server.
type LoginAddress struct {
	URL string `json:"url"`
}
