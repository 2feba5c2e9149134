package tools

import (
	"context"
	"fmt"
	"strings"

	"rein/tool"
)

type askArgs struct {
	Questions []askQuestion `json:"questions" minItems:"1" maxItems:"4"`
	Wait      int           `json:"wait_secs,omitempty" jsonschema:"seconds to wait; default: no limit" minimum:"5" maximum:"86400"`
	Then      string        `json:"then,omitempty" jsonschema:"without an answer in wait_secs: fail (default), or first: the first choices count" enum:"fail,first"`
}

type askQuestion struct {
	Question string      `json:"question" minLength:"1" maxLength:"1000"`
	Header   string      `json:"header,omitempty" jsonschema:"a word or two" maxLength:"24"`
	Choices  []askChoice `json:"choices,omitempty" jsonschema:"two to six, the recommended one first; none: the user writes the answer" maxItems:"6"`
	Several  bool        `json:"several,omitempty" jsonschema:"the user may take several choices"`
	Free     *bool       `json:"free,omitempty" jsonschema:"the user may also write another answer (default true)"`
}

type askChoice struct {
	Label       string `json:"label" minLength:"1" maxLength:"80"`
	Description string `json:"description,omitempty" jsonschema:"what it means, what it costs" maxLength:"300"`
}

const askDescription = `Ask the user, and wait for the answer. Only for decisions that the user alone can make and that change the work. Do not ask what you can find out, and do not ask for approval of a call: rein does that.`

// AskUser returns the tool that asks the user. Its calls have their questions in the intent: the harness asks them and gives
// the answer to the call. Its detail is tool.AnswersDetail.
func AskUser() *tool.Tool {
	t := tool.New("ask_user", askDescription, 0, func(_ context.Context, in askArgs, r *tool.Reply) error {
		q, err := in.ask()
		if err != nil {
			return err
		}
		return answered(q, r)
	})
	t.Intent = tool.IntentBy(func(in askArgs) (tool.Intent, error) {
		q, err := in.ask()
		return tool.Intent{Questions: q}, err
	})
	t.Keep = true
	return t
}

// ask returns the questions of a call, or what is wrong with them.
func (in askArgs) ask() (*tool.Questions, error) {
	q := &tool.Questions{Wait: in.Wait, First: in.Then == "first"}
	if q.First && q.Wait == 0 {
		return nil, badQuestion("then is first, and there is no wait_secs", "say how long to wait")
	}
	for i, one := range in.Questions {
		asked := tool.Question{Text: strings.TrimSpace(one.Question), Header: one.Header, Several: one.Several,
			Free: len(one.Choices) == 0 || one.Free == nil || *one.Free}
		if asked.Text == "" {
			return nil, badQuestion(fmt.Sprintf("question %d is empty", i+1), "")
		}
		if n := len(one.Choices); n == 1 {
			return nil, badQuestion(fmt.Sprintf("question %d has one choice", i+1), "give two to six choices, or none")
		}
		if q.First && len(one.Choices) == 0 {
			return nil, badQuestion(fmt.Sprintf("then is first, and question %d has no choices", i+1), "give choices, or leave then out")
		}
		seen := map[string]bool{}
		for _, c := range one.Choices {
			label := strings.TrimSpace(c.Label)
			if label == "" || seen[label] {
				return nil, badQuestion(fmt.Sprintf("question %d has the choice %q twice or empty", i+1, label), "choices must differ")
			}
			seen[label] = true
			asked.Choices = append(asked.Choices, tool.Choice{Label: label, Description: c.Description})
		}
		q.List = append(q.List, asked)
	}
	return q, nil
}

func badQuestion(text, hint string) error {
	return &tool.Error{Kind: tool.BadArguments, Text: "ask_user: " + text + ".", Hint: hint}
}

// answered writes the answers for the model.
func answered(q *tool.Questions, r *tool.Reply) error {
	chosen := r.Chosen()
	if chosen == nil || len(chosen.Answers) != len(q.List) {
		_, err := r.WriteString("The user wants you to continue without an answer. Decide yourself, and say what you assumed.\n")
		return err
	}
	d := &tool.AnswersDetail{Default: chosen.Default}
	if chosen.Default {
		fmt.Fprintf(r, "Nobody answered within %d s, so the first choices count:\n", q.Wait)
	}
	for i, a := range chosen.Answers {
		if len(q.List) > 1 {
			fmt.Fprintf(r, "%d. %s\n", i+1, q.List[i].Text)
		}
		fmt.Fprintf(r, "%s\n", a)
		d.Given = append(d.Given, tool.AnswerDetail{Question: q.List[i].Text, Choices: a.Choices, Text: a.Text})
	}
	r.Show(tool.Detail{Answers: d})
	return nil
}
