package event

import (
	"bytes"
	"encoding/json"
	"time"
)

// Terms are how a session runs: what is fixed for it when it starts, and what the user changes later. They are recorded as they are, and a
// resumed session keeps them. The zero value of a field leaves it open.
type Terms struct {
	Model string `json:"model"` // provider/name; "": the first one that is found
	Mode  string `json:"mode"`
	Dir   string `json:"dir"` // the workspace

	AddDirs  []string      `json:"add_dirs,omitempty"` // further directories
	Dialect  string        `json:"dialect,omitempty"`
	Effort   string        `json:"effort,omitempty"`
	Think    bool          `json:"think_first,omitempty"` // the model writes a plan before it acts on a message
	Allow    []string      `json:"allow,omitempty"`       // rules of the command line
	Ask      []string      `json:"ask,omitempty"`
	Deny     []string      `json:"deny,omitempty"`
	Only     []string      `json:"only,omitempty"`        // rules of the only calls that there are: every other call is denied
	Sandbox  string        `json:"sandbox,omitempty"`     // required, auto, off
	Before   string        `json:"mode_before,omitempty"` // in plan mode: the mode that an approved plan goes back to
	Kept     string        `json:"mode_kept,omitempty"`   // the mode of the next run, where this one was started with a looser mode
	MaxTurns int           `json:"max_turns,omitempty"`   // model requests for one message
	Budget   int64         `json:"budget,omitempty"`      // tokens for one message
	MaxUSD   float64       `json:"max_usd,omitempty"`     // US dollars for one message
	MaxTime  time.Duration `json:"max_time_ns,omitempty"` // for one message
	Fallback []string      `json:"fallback,omitempty"`    // models that take over when Model fails
	Offer    []string      `json:"offer,omitempty"`       // the tools on offer, with wildcards: "-NAME" leaves one out

	MCPConfig []string `json:"mcp_config,omitempty"` // files with tool servers: the SHA-256 of the content in hex, a blank, the absolute path
	Record    bool     `json:"record,omitempty"`     // what is sent to models is recorded too, beside the journal
	StrictMCP bool     `json:"strict_mcp,omitempty"` // only the tool servers of these files
}

// Start is how a session runs.
type Start struct {
	Terms
	Tools   []string `json:"tools"`
	Resumed bool     `json:"resumed,omitempty"`
	Version string   `json:"version"`
}

// MarshalJSON writes the fields in the order that they have always had in journals.
func (s Start) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false) // whoever encodes the event decides
	err := enc.Encode(struct {
		Model   string   `json:"model"`
		Mode    string   `json:"mode"`
		Dir     string   `json:"dir"`
		Tools   []string `json:"tools"`
		Resumed bool     `json:"resumed,omitempty"`
		Version string   `json:"version"`
		Terms
	}{s.Model, s.Mode, s.Dir, s.Tools, s.Resumed, s.Version, s.Terms})
	return b.Bytes(), err
}
