package harness

// Plan mode ends with a tool: the model presents its plan, and the user approves it, approves it
// with changes, or refuses it with words. Only the user's answer ends plan mode.

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"rein/guard"
	"rein/tool"
)

// exitPlanName is the name of the tool.
const exitPlanName = "present_plan"

// The choices of the user.
const (
	planGoOn = "Go on"
	planKeep = "Keep planning"
)

// mostPlan is how many bytes of a plan are shown.
const mostPlan = 24 << 10

// planMode is plan mode as the tool sees it.
type planMode struct {
	File string                            // the plan file, relative to the workspace
	Read func(file string) (string, error) // reads a file of the workspace
	Mode func() guard.Mode                 // of the session
	Back func() string                     // the mode that the session goes back to
	Set  func(mode string) error           // changes the mode, and records that
	Asks func() bool                       // somebody may answer, or has

	mu    sync.Mutex
	plan  plan            // that was shown last
	asked map[string]bool // calls that a person answered
}

// plan is a plan as it was shown.
type plan struct {
	text  string
	filed bool // it is what the plan file held then
	wrote bool // the model writes the file with another call of the same turn
}

type planArgs struct {
	Plan string `json:"plan,omitempty" jsonschema:"the plan in Markdown: what you found, the steps, the files that change, how you will check it; default: the content of the plan file"`
}

const planDescription = `Only in plan mode: show the user your complete plan and ask to carry it out. When the user approves it, perhaps with changes, plan mode ends; otherwise the user says what is missing.`

// Tool returns the tool. Its calls have a question in the intent, so nothing but a person answers them.
func (m *planMode) Tool() *tool.Tool {
	t := tool.New(exitPlanName, planDescription, 0, func(_ context.Context, in planArgs, r *tool.Reply) error {
		if !m.Asks() {
			_, err := r.WriteString("Nobody is there to approve the plan, so the mode stays plan. Give the plan as your answer and end.\n")
			return err
		}
		return m.answered(r)
	})
	t.Intent = tool.IntentBy(m.intent)
	t.Keep = true
	return t
}

func (m *planMode) intent(in planArgs) (tool.Intent, error) {
	if m.Mode() != guard.Plan {
		return tool.Intent{}, &tool.Error{Kind: tool.Unsupported, Text: "The mode is not plan.", Hint: "Do the work; no plan needs an approval here."}
	}
	file := m.inFile()
	p := plan{text: cmp.Or(strings.TrimSpace(in.Plan), file)}
	if p.text == "" {
		return tool.Intent{}, &tool.Error{Kind: tool.BadArguments, Text: "There is no plan: plan is empty, and so is " + m.File + ".", Hint: "Write it in a turn before this one, or send the text in plan."}
	}
	p.filed = p.text == file
	if len(p.text) > mostPlan {
		return tool.Intent{}, &tool.Error{Kind: tool.TooLarge, Text: fmt.Sprintf("The plan has %d bytes, at most %d are shown.", len(p.text), mostPlan), Hint: "Make it shorter."}
	}
	m.mu.Lock()
	m.plan = p
	m.mu.Unlock()
	if !m.Asks() {
		return tool.Intent{}, nil
	}
	ask := "Carry out this plan? Words without a choice keep the mode plan."
	if p.filed {
		ask = "Carry out this plan? You may change " + m.File + " before you answer. Words without a choice keep the mode plan."
	}
	return tool.Intent{Questions: &tool.Questions{List: []tool.Question{{Header: "plan", Free: true, Text: p.text + "\n\n" + ask,
		Choices: []tool.Choice{{Label: planGoOn, Description: "the mode becomes " + m.Back() + "; what you write beside it changes the plan"},
			{Label: planKeep, Description: "the mode stays plan; say what is missing"}}}}}}, nil
}

// answered acts on the user's answer.
func (m *planMode) answered(r *tool.Reply) error {
	a := tool.Answer{Choices: []string{planGoOn}} // a person who only approves the call approves the plan
	chosen := r.Chosen()
	if chosen != nil && len(chosen.Answers) == 1 {
		a = chosen.Answers[0]
	}
	if !m.byPerson(r.Call()) || chosen != nil && chosen.Default {
		return &tool.Error{Kind: tool.Denied, Text: "The user did not answer, so the mode stays plan.", Hint: "Give the plan as your answer and end."}
	}
	m.mu.Lock()
	p := m.plan
	m.mu.Unlock()
	now := m.inFile()
	edited := p.filed && now != "" && now != p.text
	if len(a.Choices) != 1 || a.Choices[0] != planGoOn {
		return m.refused(a.Text, edited && !p.wrote, now)
	}
	if edited && p.wrote {
		return &tool.Error{Kind: tool.Stale, Text: m.File + " was written in the same turn: the user read and approved the plan that was there before. The mode stays plan.", Hint: "Present it again."}
	}
	mode := m.Mode().String() // a mode that the user chose meanwhile stays
	if mode == guard.Plan.String() {
		mode = m.Back()
		if err := m.Set(mode); err != nil {
			return err
		}
	}
	fmt.Fprintf(r, "The user approved the plan. The mode is %s now.\n", mode)
	r.Show(tool.Detail{Answers: &tool.AnswersDetail{Given: []tool.AnswerDetail{{Question: "Carry out this plan?", Choices: a.Choices, Text: a.Text}}}})
	if a.Text != "" {
		fmt.Fprintf(r, "With these changes: %s\n", a.Text)
	}
	switch {
	case edited:
		fmt.Fprintf(r, "The user edited the plan. It is now:\n\n%s\n", now)
	case p.filed: // perhaps it is not what the model wrote
		fmt.Fprintf(r, "The plan is:\n\n%s\n", p.text)
	}
	return nil
}

// refused is what the model reads where the user refused the plan with these words. The mode is plan then, also where it was loosened while
// the plan was shown: the user was told that it stays.
func (m *planMode) refused(words string, edited bool, now string) error {
	if m.Mode() > guard.Plan {
		if err := m.Set(guard.Plan.String()); err != nil {
			return err
		}
	}
	text := strings.TrimSpace("The user did not approve the plan, and the mode stays " + m.Mode().String() + ". " + words)
	if edited {
		text += "\nThe user edited " + m.File + ". It is now:\n\n" + now
	}
	return &tool.Error{Kind: tool.Denied, Text: text, Hint: "Change the plan and present it again, or ask what they want."}
}

// inFile is the plan in the file; "" where there is none.
func (m *planMode) inFile() string {
	text, err := m.Read(m.File)
	if err != nil {
		return ""
	}
	return strings.TrimSpace(text)
}

// Judge denies the tool to sub-agents: they work for a session that has the plan. It notes which calls write the plan file: all calls of a turn
// are judged when their intents are known, and before one of them runs.
func (m *planMode) Judge(_ context.Context, c guard.Case) guard.Verdict {
	if m.isWrittenBy(c) {
		m.mu.Lock()
		m.plan.wrote = true
		m.mu.Unlock()
	}
	if c.Call.Name != exitPlanName || c.SubAgent == "" {
		return guard.Verdict{}
	}
	return guard.Verdict{Decision: guard.Deny, Severity: guard.Low, Guard: "plan", Rules: []string{"plan.sub_agent"},
		Reason: "a sub-agent does not end plan mode", Hint: "Give your plan as your answer."}
}

// Granted notes that a person answered a call.
func (m *planMode) Granted(c guard.Case, a guard.Answer) {
	if c.Call.Name != exitPlanName || !a.ByPerson() {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.asked == nil {
		m.asked = map[string]bool{}
	}
	m.asked[c.Call.ID] = true
}

func (m *planMode) byPerson(call string) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.asked[call]
}

// Prompted does nothing.
func (m *planMode) Prompted(string) {}

// Refused does nothing.
func (m *planMode) Refused(guard.Case, guard.Answer) {}

// Ran does nothing.
func (m *planMode) Ran(guard.Case, tool.Result) string { return "" }

func (m *planMode) isWrittenBy(c guard.Case) bool {
	return slices.ContainsFunc(c.Intent.Writes, func(name string) bool {
		return filepath.Clean(name) == m.File || filepath.Clean(name) == filepath.Join(c.Root, m.File)
	})
}

// nextPlanMode returns the mode that follows plan mode: the first of these that lets the model work, else supervised.
func nextPlanMode(modes ...string) string {
	for _, name := range modes {
		if mode, err := guard.ParseMode(name); err == nil && mode > guard.Plan {
			return name
		}
	}
	return guard.Supervised.String()
}
