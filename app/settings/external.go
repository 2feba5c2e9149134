package settings

// ExternalAgent is another program that speaks the Agent Client Protocol, as a kind of sub-agent.
type ExternalAgent struct {
	Command     string            `json:"command"`
	Args        []string          `json:"args,omitempty"`
	Env         map[string]string `json:"env,omitempty"`         // added to its environment; ${NAME} is a variable of ours
	Description string            `json:"description,omitempty"` // when to use it, for the model

	// What the program may use beside the workspace and a directory of its own.
	Network []string `json:"network,omitempty"` // hosts, as in network.allow
	Write   []string `json:"write,omitempty"`   // directories
	Read    []string `json:"read,omitempty"`    // files and directories
	Sandbox string   `json:"sandbox,omitempty"` // "off": it runs as the user
}
