package script

import (
	"fmt"
	"strings"

	"go.yaml.in/yaml/v3"
)

// Expectation is what must hold of the message before a turn. All that it names must hold.
type Expectation struct {
	Call     int     `yaml:"call"` // which result of the message, from 1; 0 means the whole message
	Contains string  `yaml:"contains"`
	Lacks    string  `yaml:"lacks"`
	Equals   *string `yaml:"equals"` // blanks around it do not count
	Matches  Pattern `yaml:"matches"`
	Failed   *bool   `yaml:"failed"` // whether the result (or any of them) failed
}

// Expectations is a list; a YAML file may give one alone.
type Expectations []Expectation

// UnmarshalYAML implements yaml.Unmarshaler.
func (e *Expectations) UnmarshalYAML(n *yaml.Node) error {
	if n.Kind == yaml.SequenceNode {
		return n.Decode((*[]Expectation)(e))
	}
	var one Expectation
	if err := n.Decode(&one); err != nil {
		return err
	}
	*e = Expectations{one}
	return nil
}

// Heard is one thing in the last message to the model: a result, or a text of the user.
type Heard struct {
	Text   string
	Failed bool
}

// check returns what does not hold.
func (e Expectation) check(heard []Heard) error {
	what := "the last message"
	if e.Call > 0 {
		if e.Call > len(heard) {
			return fmt.Errorf("expects a result %d, but there are %d", e.Call, len(heard))
		}
		heard, what = heard[e.Call-1:e.Call], fmt.Sprintf("result %d", e.Call)
	}
	text, failed := together(heard)
	switch {
	case e.Contains != "" && !strings.Contains(text, e.Contains):
		return fmt.Errorf("expects %s to contain %q, but it is %q", what, e.Contains, short(text))
	case e.Lacks != "" && strings.Contains(text, e.Lacks):
		return fmt.Errorf("expects %s not to contain %q, but it is %q", what, e.Lacks, short(text))
	case e.Equals != nil && strings.TrimSpace(text) != strings.TrimSpace(*e.Equals):
		return fmt.Errorf("expects %s to be %q, but it is %q", what, *e.Equals, short(text))
	case e.Matches.Regexp != nil && !e.Matches.MatchString(text):
		return fmt.Errorf("expects %s to match %q, but it is %q", what, e.Matches, short(text))
	case e.Failed != nil && *e.Failed != failed:
		return fmt.Errorf("expects failed to be %v of %s, but it is %v: %q", *e.Failed, what, failed, short(text))
	}
	return nil
}

func together(heard []Heard) (text string, failed bool) {
	texts := make([]string, len(heard))
	for i, h := range heard {
		texts[i], failed = h.Text, failed || h.Failed
	}
	return strings.Join(texts, "\n"), failed
}

// short keeps the head and tail of a long text.
func short(text string) string {
	const most = 600
	if len(text) <= most {
		return text
	}
	return text[:most/2] + " … " + text[len(text)-most/2:]
}
