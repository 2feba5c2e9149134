package agent

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"rein/event"
	"rein/model"
	"rein/schema"
)

// ParseAnswer reads a JSON Schema for Agent.Answer. It describes an object. Without a text there is none.
func ParseAnswer(text string) (*schema.Schema, error) {
	if text == "" {
		return nil, nil
	}
	return schema.Parse(json.RawMessage(text))
}

// system is the system prompt, with what the last answer has to be.
func (a *Agent) system() string {
	if a.Answer == nil {
		return a.System
	}
	return a.System + "\n\nYour last answer, when the work is done, must be one JSON object and nothing else: no other text, no code fence. It must fit this JSON Schema:\n" + string(a.Answer.Raw())
}

// checkAnswer checks the last answer against Agent.Answer. again means that the model is asked again; the error is that of
// an answer which does not fit then either.
func (w *work) checkAnswer() (again bool, err error) {
	want := w.agent.Answer
	if want == nil {
		return false, nil
	}
	text := jsonIn(w.last)
	checked, err := want.Check(json.RawMessage(text))
	if err == nil && text == "" {
		err = errors.New("it is empty")
	}
	if err == nil {
		w.last = string(checked.Args)
		return false, nil
	}
	if w.misfit {
		return false, fmt.Errorf("the answer does not fit the JSON schema: %w", err)
	}
	w.misfit = true
	text = fmt.Sprintf("Your answer does not fit the JSON Schema: %v. Answer again with only the JSON object.", err)
	return true, w.keep(event.Event{Kind: event.Hinted, Text: text}, model.UserText(text))
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
