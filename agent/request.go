package agent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"rein/event"
	"rein/model"
	"rein/tool"
)

// mostMalformed is how often in a row a model may write a call that its provider cannot read.
const mostMalformed = 2

// send sends one request and returns its answer.
func (r *run) send() (*answering, error) {
	if err := context.Cause(r.ctx); err != nil { // a model need not look
		return nil, err
	}
	most, answer := r.estimate()
	if err := r.reserve(most); err != nil {
		return nil, err
	}
	r.requests++
	messages, notes := r.checker.legal(r.history.Messages(), r.model().Info(), r.agent.Shrink)
	for _, note := range notes {
		r.notice(note)
	}
	a := &answering{run: r, request: event.Request{Model: r.model().Info().String()}}
	if _, err := r.record(event.Event{Kind: event.Requested, Request: &event.Request{Model: a.request.Model}}); err != nil {
		r.countSpent(most, Amount{})
		return a, err
	}
	a.start = time.Now()
	request := &model.Request{System: r.agent.system(), Messages: messages, Tools: r.tools.specs, Effort: r.agent.Effort, Sampling: r.agent.Sampling, Session: r.options.ID, Choice: r.choice, MaxTokens: answer}
	err := a.stream(request)
	a.request.Duration = time.Since(a.start)
	r.lastAsked, r.lastModel = time.Now(), a.request.Model
	if err != nil {
		r.countSpent(most, Amount{Requests: 1})
		return a, err
	}
	a.request.CacheMiss = r.cache.missed(request, a.request.Model, a.start, a.done.Usage)
	r.countRequest(most, a.done.Usage)
	return a, nil
}

// model is the model that is asked: the agent's own, or the fallback model that took over.
func (r *run) model() model.Model {
	if r.Fallback > 0 {
		return r.agent.Fallback[r.Fallback-1]
	}
	return r.agent.Model
}

// answering is an answer while it comes.
type answering struct {
	*run
	start   time.Time
	request event.Request
	text    strings.Builder // the answer so far
	thought int64           // bytes of the thinking so far
	done    model.Chunk
}

// stream shows the pieces of the answer, up to the last one.
func (a *answering) stream(request *model.Request) error {
	chunks := model.Stream(a.ctx, a.model(), request)
	if a.inBackground() {
		chunks = a.events.between(chunks)
	}
	for c, err := range chunks {
		if err != nil {
			return err
		}
		a.chunk(c)
		if a.events.left {
			return context.Cause(a.ctx)
		}
	}
	if a.done.Message == nil {
		return errors.New("the model's answer had no end")
	}
	return nil
}

func (a *answering) chunk(c model.Chunk) {
	a.request.Retries = max(a.request.Retries, c.Retries)
	if a.request.FirstToken == 0 && c.Kind != model.Notice && c.Kind != model.Restart {
		a.request.FirstToken = time.Since(a.start)
	}
	switch c.Kind {
	case model.TextChunk:
		a.live(event.Event{Kind: event.Delta, Text: c.Text, Offset: int64(a.text.Len())})
		a.text.WriteString(c.Text)
	case model.ThinkingChunk:
		a.live(event.Event{Kind: event.Thought, Text: c.Text, Offset: a.thought})
		a.thought += int64(len(c.Text))
	case model.CallStart:
		a.live(event.Event{Kind: event.Preparing, Call: &tool.Call{ID: c.ID, Name: c.Name}})
	case model.Notice:
		a.notice(c.Text)
	case model.Restart:
		a.text.Reset()
		a.thought, a.request.FirstToken = 0, 0
		a.live(event.Event{Kind: event.Restarted, Text: c.Text})
	case model.Done:
		a.done = c
	}
}

// interrupted is what the model reads after the text of an answer that the user interrupted.
const interrupted = "\n\n[The user interrupted this answer here.]"

// keepPart keeps the text of an answer that the user interrupted. Calls in it never ran and are left out.
func (a *answering) keepPart() error {
	text := a.text.String()
	if a.ctx.Err() == nil || strings.TrimSpace(text) == "" {
		return nil
	}
	a.lastAnswer = text
	part := &model.Message{Role: model.Assistant, Parts: []model.Part{model.Text(text + interrupted)}, From: a.request.Model}
	return a.keep(event.Event{Kind: event.Responded, Text: text, Request: &a.request, Stop: event.Cancelled}, part)
}

// take records a finished answer and opens its calls.
func (a *answering) take() (again bool, err error) {
	usage := a.done.Usage
	a.spend(usage)
	a.mu.Lock()
	a.history.Answered(a.request.Model, usage.Input)
	a.mu.Unlock()
	answer := a.done.Message
	a.lastAnswer = answer.Text()
	if err := a.keep(event.Event{Kind: event.Responded, Text: a.lastAnswer, Usage: &usage, Request: &a.request}, answer); err != nil {
		return false, err
	}
	if len(answer.Calls()) > 0 {
		a.Malformed = 0
		return false, nil
	}
	return a.withoutCalls(a.done.Stop)
}

// withoutCalls decides what an answer without calls means.
func (r *run) withoutCalls(stop model.Stop) (again bool, err error) {
	switch stop {
	case model.StopPause:
		return true, nil
	case model.StopMalformed:
		if r.Malformed++; r.Malformed > mostMalformed {
			return false, errors.New("the provider could not read the model's calls, three times in a row")
		}
		return true, r.tell("Your last call could not be read. Send it again as a valid tool call.")
	}
	switch { // who opens the session later is told, too
	case stop == model.StopLength:
		_, err = r.record(event.Event{Kind: event.Notice, Text: "the answer was cut off by the length limit"})
	case stop == model.StopRefusal:
		_, err = r.record(event.Event{Kind: event.Notice, Text: "the model or its provider refused to answer"})
	case r.lastAnswer == "":
		_, err = r.record(event.Event{Kind: event.Notice, Text: "the model's answer was empty"})
	}
	return false, err
}

// prompt takes a message of the user into the session. Its turns and its budget start again. at is the number of the event that
// gave a sub-agent this task, else 0.
func (r *run) prompt(parts []model.Part, at int64) error {
	var texts []string
	for _, p := range parts {
		if p.Kind == model.TextKind {
			texts = append(texts, p.Text)
		}
	}
	text := strings.Join(texts, "\n\n")
	if err := r.promptHooks(text); err != nil {
		return err
	}
	r.newMessage()
	if err := r.keep(event.Event{Kind: event.Prompted, Text: text, At: at}, model.UserParts(parts...)); err != nil {
		return err
	}
	if r.parent == nil && !r.options.isSubAgent() {
		r.agent.runner().Prompted(r.options.ID, text)
	}
	return nil
}

// tell gives the model a message of the program.
func (r *run) tell(text string) error {
	return r.keep(event.Event{Kind: event.Hinted, Text: text}, model.UserText(text))
}

// keep records a message, in an event of that kind, and adds it to the session.
func (r *run) keep(e event.Event, m *model.Message) error {
	encoded, err := json.Marshal(m)
	if err != nil {
		return fmt.Errorf("a message cannot be recorded: %w", err)
	}
	e.Message = encoded
	seq, err := r.record(e)
	if err != nil {
		return err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.add(m, seq)
	return nil
}

// What the model reads with ThinkFirst, before and after the answer in which it thinks.
const (
	thinkText = "Do not act yet. Write down in a few lines how you will do this: what you have to find out, the steps in their order, and how you will check the result. Call no tool in this answer."
	actText   = "Now do it. Change the plan where you learn something new."
)

// planFirst has the model write down what it will do before the first request of a message in which it may call tools. The tools stay
// in the request, so that the provider's cache keeps them.
func (r *run) planFirst() error {
	if !r.agent.ThinkFirst || r.requests > 0 || len(r.tools.specs) == 0 {
		return nil
	}
	if err := r.tell(thinkText); err != nil {
		return err
	}
	before := r.choice
	r.choice = "none"
	_, err := r.request()
	r.choice = before
	if err != nil || r.open != nil { // it called tools all the same
		return err
	}
	return r.tell(actText)
}
