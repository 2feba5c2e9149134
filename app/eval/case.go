// Package eval measures how well a model works in rein: it runs cases, each several times in fresh copies of its files, checks
// what came of it, and says with which certainty one configuration is better than another.
//
// A case is YAML (see Case): files, what the user says, and checks. Read reads cases, Run runs them, Results is what came of
// it, and Compare compares two results. Nothing of an attempt touches the files that the case names.
package eval

import (
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"rein/kit/script"
)

// Case is one task with its checks.
type Case struct {
	Name  string   `yaml:"name"`  // unique among the cases of a run
	About string   `yaml:"about"` // why the case is there
	Tags  []string `yaml:"tags"`
	Needs []string `yaml:"needs"` // programs; the case is skipped where one is not installed

	Workspace Workspace `yaml:"workspace"`
	Hidden    Files     `yaml:"hidden"` // files that are put into the workspace after the last answer, before the checks

	Prompt       string      `yaml:"prompt"`       // what the user says; or
	Conversation []Step      `yaml:"conversation"` // several messages, and what happens between them
	User         *User       `yaml:"user"`         // who answers the model, after that
	Answers      []Answering `yaml:"answers"`      // to approval requests and questions; what no one is for is denied
	Tools        []MockTool  `yaml:"tools"`        // further tools, whose answers stand here
	Limits       Limits      `yaml:"limits"`       // for each message; of the limits of the configuration the smaller ones hold
	Terms        `yaml:",inline"`

	Model  string         `yaml:"model"`  // provider/name, when the configuration names none; or
	Script *script.Script `yaml:"script"` // a scripted model: see docs/models.md

	Checks []Check `yaml:"checks"`

	file  string // where the case stands
	line  int
	dir   string // what paths of the case are relative to
	unmet string // what it needs and this machine has not; "": nothing is known to be missing
	raw   []byte // what it was read from
	sum   string // of everything that the case is, files included; "": that is not known, so results of it are not used again
}

// Terms are how sessions run, beside their model.
type Terms struct {
	Mode   string   `yaml:"mode" json:"mode,omitempty"`     // default: supervised
	System string   `yaml:"system" json:"system,omitempty"` // added to the system prompt
	Allow  []string `yaml:"allow" json:"allow,omitempty"`   // rules
	Ask    []string `yaml:"ask" json:"ask,omitempty"`
	Deny   []string `yaml:"deny" json:"deny,omitempty"`
	Offer  []string `yaml:"offer" json:"offer,omitempty"` // names of tools, with wildcards
	Trust  bool     `yaml:"trust" json:"trust,omitempty"` // what the folder would make sessions obey is trusted
}

// Workspace says which files an attempt begins with: those of a directory or of a commit, then Files over them.
type Workspace struct {
	Dir   string   `yaml:"dir"` // a directory, relative to the file of the case
	Git   *Git     `yaml:"git"`
	Files Files    `yaml:"files"`
	Setup []string `yaml:"setup"` // commands that run in the sandbox before the first message
}

// Git is a commit of a repository on this machine.
type Git struct {
	Repo string `yaml:"repo"` // a directory or a bundle, relative to the file of the case
	Ref  string `yaml:"ref"`  // default: HEAD
}

// Files are contents by path.
type Files map[string]Content

// Content is the content of a file: a text, or bytes.
type Content []byte

// Step is one thing in a conversation; exactly one field is set.
type Step struct {
	Say     string `yaml:"say"`     // a message of the user
	Undo    int    `yaml:"undo"`    // takes back the last so many calls that changed files
	Redo    int    `yaml:"redo"`    // takes back the last so many undos
	Mode    string `yaml:"mode"`    // changes the mode
	Compact string `yaml:"compact"` // compacts the conversation; the text says what to keep
	Restart bool   `yaml:"restart"` // closes the session and resumes it
	Write   Files  `yaml:"write"`   // somebody else changes files
	Run     string `yaml:"run"`     // somebody else runs a command, in the sandbox
}

// User is a user who answers the model after the conversation: by rules, or by a model that plays the user.
type User struct {
	Replies []Reply `yaml:"replies"` // the first one that fits the model's last answer and was not yet used; none: the dialogue ends

	Model        string `yaml:"model"`        // provider/name
	Instructions string `yaml:"instructions"` // who the user is and what the user wants
	End          string `yaml:"end"`          // the words with which the model says that it is done; default: ###STOP###
	Most         int    `yaml:"most"`         // messages; default: 20
}

// Reply is a reply to a fitting answer.
type Reply struct {
	When script.Pattern `yaml:"when"` // none: every answer
	Say  string         `yaml:"say"`
}

// Answering answers approval requests and questions; the first one that fits counts.
type Answering struct {
	Tool    string         `yaml:"tool"`    // a name with wildcards; none: all
	Args    script.Pattern `yaml:"args"`    // matches the arguments, as JSON
	Approve bool           `yaml:"approve"` // else: denied
	Session bool           `yaml:"session"` // approved until the session ends
	Words   string         `yaml:"words"`   // for the model, when denied; the answer to a question without choices
	Choose  []string       `yaml:"choose"`  // labels, for a question
	Times   int            `yaml:"times"`   // how often; 0: always
}

// MockTool is a tool whose replies stand in the case.
type MockTool struct {
	Name        string         `yaml:"name"`
	Description string         `yaml:"description"`
	Parameters  map[string]any `yaml:"parameters"` // a JSON Schema; none: an object of anything
	Changes     bool           `yaml:"changes"`    // it changes something elsewhere: a call needs an approval, but in the mode full
	Replies     []MockReply    `yaml:"replies"`    // the first one that fits; none: the call fails
}

// MockReply is a reply of a tool.
type MockReply struct {
	When  map[string]any `yaml:"when"` // arguments that the call must have
	Text  string         `yaml:"text"`
	Fails bool           `yaml:"fails"`
}

// Limits bound one message; 0: no limit.
type Limits struct {
	Turns  int           `yaml:"turns" json:"turns,omitempty"`
	Tokens int64         `yaml:"tokens" json:"tokens,omitempty"`
	USD    float64       `yaml:"usd" json:"usd,omitempty"`
	Time   time.Duration `yaml:"time" json:"time,omitempty"` // default: 10 minutes
}

// messages returns the steps of the conversation.
func (c *Case) steps() []Step {
	if c.Prompt != "" {
		return []Step{{Say: c.Prompt}}
	}
	return c.Conversation
}

// Title is the first line of what the user says.
func (c *Case) Title() string {
	for _, s := range c.steps() {
		if first, _, _ := strings.Cut(strings.TrimSpace(s.Say), "\n"); first != "" {
			return first
		}
	}
	return c.Name
}

// UnmarshalYAML implements yaml.Unmarshaler: a text, or !!binary.
func (c *Content) UnmarshalYAML(n *yaml.Node) error {
	var text string
	if err := n.Decode(&text); err != nil {
		return err
	}
	*c = Content(text)
	return nil
}
