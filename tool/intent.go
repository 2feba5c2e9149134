package tool

// Intent is what one call would do: judged by guards, shown to the user, ordered against its neighbours, and kept by
// the journal. The zero value does nothing and waits for nobody.
type Intent struct {
	Reads   []string `json:"reads,omitempty"`   // paths as the model gave them; a directory stands for all below it
	Writes  []string `json:"writes,omitempty"`  // likewise
	Command string   `json:"command,omitempty"` // a shell command, whole
	Cwd     string   `json:"cwd,omitempty"`     // where Command starts; "" is the workspace
	Hosts   []string `json:"hosts,omitempty"`   // host or host:port reached

	// Widens means that what is listed would be opened to later programs and calls, beyond the walls. It is never
	// unasked, and what comes after it in the turn waits for it.
	RequestsAccess bool `json:"requests_access,omitempty"`

	// Around is what was seen where Command would run; nil where nothing matters.
	Surroundings *Surroundings `json:"surroundings,omitempty"`

	// Unknown means that the call may do more than is listed: it is ordered as if it wrote everywhere.
	Unknown bool `json:"unknown,omitempty"`
}

// Surroundings is what the harness saw on the disk where a command would run, for those who judge it and look at no disk
// themselves.
type Surroundings struct {
	// Dashed are absolute paths of files whose names begin with a dash, in the directories where the command has wildcards: such
	// a name becomes an option.
	Dashed []string `json:"dashed,omitempty"`
	// Git names settings of the repository that make git run programs, and "hooks" where it has any.
	Git []string `json:"git,omitempty"`
}

// IsZero reports whether the intent does nothing.
func (i Intent) IsZero() bool {
	return len(i.Reads) == 0 && len(i.Writes) == 0 && i.Command == "" && len(i.Hosts) == 0 && !i.RequestsAccess && !i.Unknown
}
