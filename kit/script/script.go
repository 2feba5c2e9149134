// Package script is a model whose answers come from a YAML file: what it answers turn by turn, and what the messages before
// must hold. It is for tests, demonstrations, and a user's own checks without network and key.
package script

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
	"strings"
	"sync"
	"time"

	"go.yaml.in/yaml/v3"
)

// Script holds the answers of a scripted model. The zero Script has none.
type Script struct {
	// Turns are the answers to a conversation that no one of Conversations is for.
	Turns []Turn `yaml:"turns"`
	// Conversations are for sessions of their own, such as those of sub-agents; the first that matches is used.
	Conversations []Conversation `yaml:"conversations"`

	Context   int `yaml:"context"`    // tokens that the model takes, request and answer; more is refused. 0: no limit
	MaxOutput int `yaml:"max_output"` // tokens of an answer; 0: no limit

	Delta int           `yaml:"delta"` // bytes of a streamed piece; 0 means 64
	Pace  time.Duration `yaml:"pace"`  // pause before each piece
}

// Conversation is a sequence of turns for the sessions whose first message matches.
type Conversation struct {
	When  Pattern `yaml:"when"`
	Turns []Turn  `yaml:"turns"`
}

// Turn is one answer.
type Turn struct {
	Expect Expectations `yaml:"expect"` // what must hold of the last message before; else the answer is an error
	Error  *Failure     `yaml:"error"`  // fails instead of answering

	Think string        `yaml:"think"`
	Text  string        `yaml:"text"`
	Calls []Call        `yaml:"calls"`
	Stop  string        `yaml:"stop"`  // why it stops, as in model.Stop; none: as the calls say
	Usage Usage         `yaml:"usage"` // none: counted as 4 bytes a token
	Delay time.Duration `yaml:"delay"` // before the first piece

	Repeat int `yaml:"repeat"` // how often this turn is played, one after the other; 0 means once
}

// Call is one call of a turn.
type Call struct {
	Name string    `yaml:"name"`
	Args Arguments `yaml:"args"`
	ID   string    `yaml:"id"` // the provider's; none: one is made
}

// Usage is what a turn costs, in tokens.
type Usage struct {
	Input  int64 `yaml:"input"`
	Output int64 `yaml:"output"`
	Cached int64 `yaml:"cached"` // of the input, read from the cache

	CacheWrite int64   `yaml:"cache_write"` // of the input, written to the cache
	Thinking   int64   `yaml:"thinking"`    // of the output
	Cost       float64 `yaml:"cost"`        // in US dollars
}

// Failure is an error instead of an answer.
type Failure struct {
	Status     int           `yaml:"status"` // as of HTTP: 429, 529, 400 …; 0 means 500
	Text       string        `yaml:"text"`
	RetryAfter time.Duration `yaml:"retry_after"`
	Times      int           `yaml:"times"` // how often before the turn is answered after all; 0 means always
}

// Arguments are what a call gives: a YAML mapping, written as JSON, or a text that is given as it is.
type Arguments string

// UnmarshalYAML implements yaml.Unmarshaler.
func (a *Arguments) UnmarshalYAML(n *yaml.Node) error {
	if n.Kind == yaml.ScalarNode {
		*a = Arguments(n.Value)
		return nil
	}
	var value map[string]any
	if err := n.Decode(&value); err != nil {
		return err
	}
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(value); err != nil {
		return fmt.Errorf("line %d: %w", n.Line, err)
	}
	*a = Arguments(bytes.TrimSpace(out.Bytes()))
	return nil
}

// Pattern is a regular expression.
type Pattern struct{ *regexp.Regexp }

// UnmarshalYAML implements yaml.Unmarshaler.
func (p *Pattern) UnmarshalYAML(n *yaml.Node) (err error) {
	if p.Regexp, err = regexp.Compile(n.Value); err != nil {
		return fmt.Errorf("line %d: %q is not a regular expression: %s", n.Line, n.Value, strings.TrimPrefix(err.Error(), "error parsing regexp: "))
	}
	return nil
}

// Open reads a script from a file.
func Open(file string) (*Script, error) {
	if info, err := os.Stat(file); err == nil && !info.Mode().IsRegular() { // reading a pipe or a device could take forever
		return nil, fmt.Errorf("script %s is not a regular file", file)
	}
	b, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	s, err := Parse(b)
	if err != nil {
		return nil, fmt.Errorf("script %s: %w", file, err)
	}
	return s, nil
}

// Parse reads a script. A field that is not known is an error, and so is a script without turns.
func Parse(text []byte) (*Script, error) {
	s := new(Script)
	dec := yaml.NewDecoder(bytes.NewReader(text))
	dec.KnownFields(true)
	if err := dec.Decode(s); err != nil && err != io.EOF {
		return nil, plainly(err)
	}
	if len(s.Turns) == 0 && len(s.Conversations) == 0 {
		return nil, errors.New("it has no turns")
	}
	return s, s.valid()
}

// unknownField matches how the YAML package reports a field that a script does not have.
var unknownField = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`field (\S+) not found in type script\.(\w+)`) })

// wrongType matches how the YAML package reports a value of another type than a script has there.
var wrongType = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`cannot unmarshal !!\w+ (.*) into \S+`) })

// plainly returns what is wrong with a script, without the names of Go's types.
func plainly(err error) error {
	text := strings.TrimPrefix(err.Error(), "yaml: ")
	text = strings.ReplaceAll(strings.TrimPrefix(text, "unmarshal errors:\n  "), "\n  ", "; ")
	text = unknownField().ReplaceAllStringFunc(text, func(found string) string {
		parts := unknownField().FindStringSubmatch(found)
		return fmt.Sprintf("a %s has no field %q", strings.ToLower(parts[2]), parts[1])
	})
	return errors.New(wrongType().ReplaceAllString(text, "$1 is not a value for this field"))
}
