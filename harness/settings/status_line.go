package settings

import (
	"cmp"
	"time"
)

// StatusLine is a command whose output is shown in the status line of the chat, as other programs have it too.
type StatusLine struct {
	Type    string   `json:"type,omitempty"`    // "command"
	Command string   `json:"command,omitempty"` // for bash; it gets the state of the session as JSON
	Padding int      `json:"padding,omitempty"` // blanks in front
	Timeout Duration `json:"timeout,omitempty"` // of one run; 5 s
	Sandbox string   `json:"sandbox,omitempty"` // "off": it runs without isolation
}

// Time is how long one run may take.
func (s StatusLine) Time() time.Duration { return cmp.Or(time.Duration(s.Timeout), 5*time.Second) }
