package agent

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"rein/schema"
)

// ParseOutput reads a JSON Schema for Agent.Output. It describes an object. Without a text there is none.
func ParseOutput(text string) (*schema.Schema, error) {
	if text == "" {
		return nil, nil
	}
	return schema.Parse(json.RawMessage(text))
}

// system is the system prompt, with what the last answer has to be.
func (a *Agent) system() string {
	if a.Output == nil {
		return a.System
	}
	return a.System + "\n\nYour last answer, when the work is done, must be one JSON object and nothing else: no other text, no code fence. It must fit this JSON Schema:\n" + string(a.Output.Raw())
}

// checkOutput checks the last answer against Agent.Output. again means that the model is asked again; the error is that of
// an answer which does not fit then either.
func (r *run) checkOutput() (again bool, err error) {
	want := r.agent.Output
	if want == nil {
		return false, nil
	}
	text := jsonIn(r.lastAnswer)
	checked, err := want.Check(json.RawMessage(text))
	if err == nil && text == "" {
		err = errors.New("it is empty")
	}
	if err == nil {
		r.lastAnswer = string(checked.Args)
		return false, nil
	}
	if r.Misfit {
		return false, fmt.Errorf("the answer does not fit the JSON schema: %w", err)
	}
	r.Misfit = true
	text = fmt.Sprintf("Your answer does not fit the JSON Schema: %v. Answer again with only the JSON object.", err)
	return true, r.tell(text)
}

// jsonIn returns the JSON object in an answer: the whole text, what a code fence holds, or what is between the first and the
// last brace.
func jsonIn(text string) string {
	if _, fenced, ok := strings.Cut(text, "```json"); ok {
		text, _, _ = strings.Cut(fenced, "```")
	}
	text = strings.TrimSpace(text)
	from, to := strings.IndexByte(text, '{'), strings.LastIndexByte(text, '}')
	if from < 0 || to < from {
		return text
	}
	return text[from : to+1]
}
