package guard

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"rein/guard/effect"
	"rein/tool"
)

// Request is an approval request as data: exactly what would run, what it would do and open, and why a person must
// approve it. User interfaces show it as they like; Lines renders it as text.
type Request struct {
	Session string `json:"session,omitempty"`
	Call    string `json:"call"` // id of the call
	Tool    string `json:"tool"`
	Depth   int    `json:"depth,omitempty"` // 0 for the user's own session, 1 for its sub-agents, …
	Mode    string `json:"mode"`

	// Command is the whole command line, Cwd where it starts, relative to the workspace. Marks are the parts of Command
	// that need the approval.
	Command string `json:"command,omitempty"`
	Cwd     string `json:"cwd,omitempty"`
	Marks   []Span `json:"marks,omitempty"`
	// Args are the exact arguments of a call without a command; nil where Diff shows all of them.
	Args json.RawMessage `json:"args,omitempty"`
	Diff []string        `json:"diff,omitempty"` // lines of the change to files

	// What the call would do, as far as it is known. Paths are absolute for a command, else as the model gave them.
	Effects  []string  `json:"effects,omitempty"` // all of it, in words
	Reads    []string  `json:"reads,omitempty"`
	Writes   []string  `json:"writes,omitempty"`
	Removes  []string  `json:"removes,omitempty"`
	Programs []string  `json:"programs,omitempty"`
	Contacts []Contact `json:"contacts,omitempty"`
	// Network means that the call contacts the network. It may contact more hosts than Contacts, or, where Contacts is
	// empty, hosts that are not known before it runs.
	Network bool `json:"network,omitempty"`
	// Questions are what the call asks the user. Args is nil then.
	Questions *tool.Questions `json:"questions,omitempty"`
	// GrantsAccess means that an approval would let later calls use Reads, Writes and Contacts.
	GrantsAccess bool `json:"grants_access,omitempty"`

	Severity string   `json:"severity"`
	Guard    string   `json:"guard,omitempty"` // who wants the approval
	Rules    []string `json:"rules,omitempty"` // ids of the rules that matched
	Reason   string   `json:"reason,omitempty"`
	Hint     string   `json:"hint,omitempty"`
	RuleAt   string   `json:"rule_at,omitempty"` // file:line of the user's rule, if one decided

	// Origins say where words of the arguments come from, as far as the session has read them. DescribeRequest leaves them out.
	Origins []Origin `json:"origins,omitempty"`

	// Hash is that of the call's Binding: an answer holds for exactly this.
	Hash string `json:"hash"`
	// Always are the rules that a lasting approval would make, as they are written. DescribeRequest leaves them out: package
	// kit/guards offers them. None: only an approval of this call is on offer.
	Always []string `json:"always,omitempty"`
}

// Origin says where words of a call come from.
type Origin struct {
	Words string `json:"words"` // of the arguments
	From  string `json:"from"`  // user, repository, memory, or what is not trusted: "web example.org", "tool server x"
	Text  string `json:"text"`  // the passage that has them
}

// String is the origin in words.
func (o Origin) String() string { return fmt.Sprintf("%s: from %s, %q", o.Words, o.From, o.Text) }

// Risky reports whether much could be lost: the severity is above low, or not known.
func (r Request) Risky() bool {
	return r.Severity != "" && r.Severity != None.String() && r.Severity != Low.String()
}

// Alone reports whether the request is never answered together with others: its risk is high, it asks a question, it deletes something,
// or it may send something to where others see it. A severity that is not known counts as high.
func (r Request) Alone() bool {
	if r.Risky() || r.Questions != nil || len(r.Removes) > 0 {
		return true
	}
	return slices.ContainsFunc(r.Rules, func(id string) bool {
		_, name, _ := strings.Cut(id, ".")
		class, ok := effect.ClassNamed(name)
		return id == "tool.unknown" || ok && (class == effect.Delete || class == effect.Publish || class >= effect.Unparsed)
	})
}

// Span is a range of bytes.
type Span struct {
	Start int `json:"start"`
	End   int `json:"end"`
}

// PresetPrefix begins an entry of a list of hosts that names a list of package kit/guards: "preset:npm".
const PresetPrefix = "preset:"

// Contact is a network address that an approval would open.
type Contact struct {
	effect.Contact
	// Preset names the list of hosts that the address comes from: "npm". The command does not name the host itself.
	Preset string `json:"preset,omitempty"`
}

// String returns host:port/path, with the preset.
func (c Contact) String() string {
	if c.Preset == "" {
		return c.Contact.String()
	}
	return c.Contact.String() + " (" + PresetPrefix + c.Preset + ")"
}
