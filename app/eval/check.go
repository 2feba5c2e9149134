package eval

import (
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"go.yaml.in/yaml/v3"

	"rein/event"
	"rein/kit/script"
	"rein/schema"
)

// Check is one thing that must hold after an attempt; exactly one field is set.
type Check struct {
	File      *FileCheck    `yaml:"file"`
	Command   *CommandCheck `yaml:"command"`
	Answer    *AnswerCheck  `yaml:"answer"`
	Call      *CallCheck    `yaml:"call"`
	Order     []string      `yaml:"order"`     // tools that are called in this order, others between them or not
	Forbid    *CallCheck    `yaml:"forbid"`    // calls that are not made, however they end; with ran: that do not run
	Changed   []string      `yaml:"changed"`   // patterns of the files that may be changed, made or deleted; no others
	Unchanged []string      `yaml:"unchanged"` // patterns of files that must be as they were
	Sent      *TextCheck    `yaml:"sent"`      // everything that was sent to the model: the end of the request is enough for the result of a call
	Stop      string        `yaml:"stop"`      // how the last turn ended: done, max_turns, budget, denied, error …
	Limits    *LimitCheck   `yaml:"limits"`
	Judge     *JudgeCheck   `yaml:"judge"`
	All       []Check       `yaml:"all"` // each must hold; for any
	Any       []Check       `yaml:"any"` // one must hold
}

// Texts is a list of texts; a YAML file may give one alone.
type Texts []string

// UnmarshalYAML implements yaml.Unmarshaler.
func (t *Texts) UnmarshalYAML(n *yaml.Node) error {
	if n.Kind == yaml.SequenceNode {
		return n.Decode((*[]string)(t))
	}
	var one string
	err := n.Decode(&one)
	*t = Texts{one}
	return err
}

// TextCheck is what must hold of a text. All that it names must hold.
type TextCheck struct {
	Contains Texts          `yaml:"contains"`
	Lacks    Texts          `yaml:"lacks"`
	Matches  script.Pattern `yaml:"matches"`
	Equals   *string        `yaml:"equals"` // blanks around it count only in files
}

// FileCheck is what must hold of a file of the workspace.
type FileCheck struct {
	Path      string   `yaml:"path"`
	Exists    *bool    `yaml:"exists"` // default: true
	Bytes     *Content `yaml:"bytes"`  // exactly these
	TextCheck `yaml:",inline"`
}

// CommandCheck runs a command in the sandbox, in the workspace.
type CommandCheck struct {
	Run       string           `yaml:"run"`
	Exit      int              `yaml:"exit"` // default: 0
	TextCheck `yaml:",inline"` // of what it writes
}

// AnswerCheck is what must hold of the last answer of the model.
type AnswerCheck struct {
	Schema    map[string]any `yaml:"schema"` // a JSON Schema that the answer fits
	Any       bool           `yaml:"any"`    // of any answer of the conversation
	TextCheck `yaml:",inline"`
}

// CallCheck is about calls of a tool, those of sub-agents too.
type CallCheck struct {
	Tool   string         `yaml:"tool"` // a name with wildcards; none: all
	Args   script.Pattern `yaml:"args"` // matches the arguments, as JSON
	With   map[string]any `yaml:"with"` // arguments that the call has
	Result script.Pattern `yaml:"result"`
	Failed *bool          `yaml:"failed"` // only calls that failed, or did not
	Ran    bool           `yaml:"ran"`    // only calls that ran
	Min    *int           `yaml:"min"`    // how often; default: 1
	Max    *int           `yaml:"max"`    // default: any number
}

// LimitCheck bounds what the attempt took.
type LimitCheck struct {
	Requests  *int           `yaml:"requests"`
	Calls     *int           `yaml:"calls"`
	Failed    *int           `yaml:"failed"`
	Questions *int           `yaml:"questions"`
	Tokens    *int64         `yaml:"tokens"`
	USD       *float64       `yaml:"usd"`
	Time      *time.Duration `yaml:"time"`
}

// JudgeCheck asks a model.
type JudgeCheck struct {
	Model  string  `yaml:"model"` // default: that of the configuration's judge
	Rubric string  `yaml:"rubric"`
	Min    float64 `yaml:"min"` // of a mark from 0 to 1; default: 0.5
}

// kinds are the checks that are set, by their keys.
func (c *Check) kinds() (keys []string) {
	v := reflect.ValueOf(c).Elem()
	for i := range v.NumField() {
		if !v.Field(i).IsZero() {
			keys = append(keys, v.Type().Field(i).Tag.Get("yaml"))
		}
	}
	return keys
}

// valid returns what is wrong with a check.
func (c *Check) valid() error {
	kinds := c.kinds()
	if len(kinds) != 1 {
		return fmt.Errorf("a check has exactly one of file, command, answer, call, order, forbid, changed, unchanged, sent, stop, limits, judge, all, any; this one has %d", len(kinds))
	}
	for _, inner := range append(slices.Clone(c.All), c.Any...) {
		if err := inner.valid(); err != nil {
			return err
		}
	}
	switch {
	case c.File != nil && c.File.Path == "":
		return errors.New("the check of a file names no path")
	case c.Command != nil && c.Command.Run == "":
		return errors.New("the check of a command has no run")
	case c.Judge != nil && c.Judge.Rubric == "":
		return errors.New("the check of a judge has no rubric")
	case c.Answer != nil && c.Answer.Schema != nil:
		_, err := schemaOf(c.Answer.Schema)
		return err
	}
	return nil
}

// String names the check for reports.
func (c *Check) String() string {
	kind := strings.Join(c.kinds(), " and ")
	switch {
	case c.File != nil:
		return kind + " " + c.File.Path
	case c.Command != nil:
		return kind + " " + firstOf(c.Command.Run)
	case c.Call != nil:
		return kind + " " + c.Call.String()
	case c.Forbid != nil:
		return kind + " " + c.Forbid.String()
	case c.Judge != nil:
		return kind + " " + firstOf(c.Judge.Rubric)
	case c.Order != nil:
		return kind + " " + strings.Join(c.Order, ", ")
	}
	return kind
}

// firstOf is the first line of a text, at most 80 characters of it.
func firstOf(text string) string {
	first, _, more := strings.Cut(strings.TrimSpace(text), "\n")
	if r := []rune(first); len(r) > 80 {
		first, more = string(r[:80]), true
	}
	if more {
		first += " …"
	}
	return first
}

// String names the tool and what its arguments hold.
func (c *CallCheck) String() string {
	text := c.Tool
	if text == "" {
		text = "*"
	}
	if c.Args.Regexp != nil {
		text += " " + c.Args.Regexp.String()
	}
	if c.With != nil {
		args, _ := json.Marshal(c.With)
		text += " " + string(args)
	}
	return text
}

// check returns what does not hold of a text; "" when all holds. what names the text.
func (t *TextCheck) check(what, text string) string {
	for _, want := range t.Contains {
		if !strings.Contains(text, want) {
			return fmt.Sprintf("%s does not contain %q: %q", what, want, short(text))
		}
	}
	for _, not := range t.Lacks {
		if strings.Contains(text, not) {
			return fmt.Sprintf("%s contains %q", what, not)
		}
	}
	if t.Matches.Regexp != nil && !t.Matches.MatchString(text) {
		return fmt.Sprintf("%s does not match %s: %q", what, t.Matches, short(text))
	}
	if t.Equals != nil && strings.TrimSpace(text) != strings.TrimSpace(*t.Equals) {
		return fmt.Sprintf("%s is %q, not %q", what, short(text), short(*t.Equals))
	}
	return ""
}

// short keeps head and tail of a long text.
func short(text string) string {
	const most = 300
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:most/2], "") + " … " + strings.ToValidUTF8(text[len(text)-most/2:], "")
}

// call is one call that was made, with its end.
type call struct {
	tool   string
	args   json.RawMessage
	result string
	failed bool
	ran    bool // it was granted
}

// matches reports whether a call is one that the check is about.
func (c *CallCheck) matches(k *call) bool {
	return glob(c.Tool, k.tool) && (c.Args.Regexp == nil || c.Args.Match(k.args)) && hasArgs(k.args, c.With) &&
		(c.Result.Regexp == nil || c.Result.MatchString(k.result)) && (c.Failed == nil || *c.Failed == k.failed) && (!c.Ran || k.ran)
}

func glob(pattern, name string) bool {
	ok, err := path.Match(pattern, name)
	return pattern == "" || err == nil && ok
}

// hasArgs reports whether arguments hold the wanted ones.
func hasArgs(args json.RawMessage, want map[string]any) bool {
	if want == nil {
		return true
	}
	var have map[string]any
	if json.Unmarshal(args, &have) != nil {
		return false
	}
	for key, value := range want {
		if !sameJSON(have[key], value) {
			return false
		}
	}
	return true
}

func sameJSON(a, b any) bool {
	x, err1 := json.Marshal(a)
	y, err2 := json.Marshal(b)
	return err1 == nil && err2 == nil && string(x) == string(y)
}

// count checks how often a call was made.
func (c *CallCheck) count(calls []*call) string {
	n := 0
	for _, k := range calls {
		if c.matches(k) {
			n++
		}
	}
	least := 1
	if c.Min != nil {
		least = *c.Min
	} else if c.Max != nil && *c.Max == 0 {
		least = 0
	}
	switch {
	case n < least:
		return fmt.Sprintf("it was called %d times, not %d or more", n, least)
	case c.Max != nil && n > *c.Max:
		return fmt.Sprintf("it was called %d times, more than %d", n, *c.Max)
	}
	return ""
}

// inOrder checks that tools were called one after the other.
func inOrder(want []string, calls []*call) string {
	at := 0
	for _, k := range calls {
		if at < len(want) && glob(want[at], k.tool) {
			at++
		}
	}
	if at == len(want) {
		return ""
	}
	return fmt.Sprintf("%s was not called after %s", want[at], strings.Join(want[:at], ", "))
}

// fence matches a block of code in Markdown.
var fence = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile("(?s)^```\\w*\n(.*)\n```$") })

// answer checks the answer of a model.
func (a *AnswerCheck) check(answer string) string {
	if a.Schema != nil {
		s, err := schemaOf(a.Schema)
		if err != nil {
			return err.Error()
		}
		text := strings.TrimSpace(answer)
		if m := fence().FindStringSubmatch(text); m != nil {
			text = m[1]
		}
		if !json.Valid([]byte(text)) {
			return fmt.Sprintf("the answer is no JSON: %q", short(answer))
		}
		if got, err := s.Check(json.RawMessage(text)); err != nil || len(got.Notes) > 0 {
			return fmt.Sprintf("the answer does not fit the schema: %v %s", err, strings.Join(got.Notes, "; "))
		}
	}
	return a.TextCheck.check("the answer", answer)
}

func schemaOf(value map[string]any) (*schema.Schema, error) {
	raw, err := json.Marshal(value)
	if err != nil {
		return nil, err
	}
	return schema.Parse(raw)
}

// check returns which limit was passed.
func (l *LimitCheck) check(a *Attempt) string {
	over := func(what string, have, most float64) string {
		return fmt.Sprintf("%s: %v, more than %v", what, have, most)
	}
	switch {
	case l.Requests != nil && a.Requests > *l.Requests:
		return over("requests", float64(a.Requests), float64(*l.Requests))
	case l.Calls != nil && a.Calls > *l.Calls:
		return over("calls", float64(a.Calls), float64(*l.Calls))
	case l.Failed != nil && a.FailedCalls > *l.Failed:
		return over("failed calls", float64(a.FailedCalls), float64(*l.Failed))
	case l.Questions != nil && a.Questions > *l.Questions:
		return over("questions", float64(a.Questions), float64(*l.Questions))
	case l.Tokens != nil && a.Usage.Input+a.Usage.Output > *l.Tokens:
		return over("tokens", float64(a.Usage.Input+a.Usage.Output), float64(*l.Tokens))
	case l.USD != nil && a.Usage.Cost > *l.USD:
		return over("US dollars", a.Usage.Cost, *l.USD)
	case l.Time != nil && a.Seconds > l.Time.Seconds():
		return over("seconds", a.Seconds, l.Time.Seconds())
	}
	return ""
}

// callsOf are the calls of events, in their order.
type callsOf struct {
	list []*call
	byID map[string]*call
}

// see takes note of what happens to a call.
func (c *callsOf) see(e event.Event) {
	if e.Call == nil {
		return
	}
	if c.byID == nil {
		c.byID = map[string]*call{}
	}
	id := e.Session + " " + e.Call.ID
	switch k := c.byID[id]; {
	case e.Kind == event.Called && k == nil:
		k = &call{tool: e.Call.Name, args: slices.Clone(e.Call.Args)}
		c.byID[id], c.list = k, append(c.list, k)
	case k == nil:
	case e.Kind == event.Granted:
		k.ran = true
	case e.Kind == event.Replied && e.Result != nil:
		k.result, k.failed = e.Result.Text, e.Result.Failed
	}
}
