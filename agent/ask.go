package agent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"rein/agent/budget"
	"rein/event"
	"rein/model"
	"rein/tool"
)

// mostMalformed is how often in a row a model may write a call that its provider cannot read.
const mostMalformed = 2

// ask sends one request and takes the answer into the session. again means that the model gets another request although
// it called nothing.
func (w *work) ask() (again bool, err error) {
	if err := w.offer(); err != nil {
		return false, err
	}
	if err := w.fit(); err != nil {
		return false, err
	}
	w.mu.Lock() // background sub-agents read it
	w.turn++
	w.mu.Unlock()
	r := refused{work: w}
	for {
		a, err := w.request()
		if err == nil {
			return a.take()
		}
		again, saveErr := r.from(err)
		if again {
			saveErr = w.fit()
		}
		if a == nil {
			return false, err
		}
		if !again || saveErr != nil {
			return false, errors.Join(err, saveErr, a.keepPart())
		}
	}
}

// request sends one request and returns its answer.
func (w *work) request() (*answering, error) {
	most, answer := w.most()
	if err := w.hold(most); err != nil {
		return nil, err
	}
	w.asks++
	messages, notes := w.checker.Legal(w.history.Messages(), w.model().Info())
	for _, note := range notes {
		w.live(event.Notice, note)
	}
	a := &answering{work: w, request: event.Request{Model: w.model().Info().String()}}
	if _, err := w.record(event.Event{Kind: event.Requested, Request: &event.Request{Model: a.request.Model}}); err != nil {
		w.count(most, budget.Amount{})
		return a, err
	}
	a.start = time.Now()
	r := &model.Request{System: w.agent.system(), Messages: messages, Tools: w.specs, Effort: w.agent.Effort, Session: w.o.ID, Choice: w.choice, MaxTokens: answer}
	err := a.stream(r)
	a.request.Duration = time.Since(a.start)
	w.asked, w.askedModel = time.Now(), a.request.Model
	if err != nil {
		w.count(most, budget.Amount{Requests: 1})
		return a, err
	}
	usage := usageOf(a.done.Usage)
	a.request.CacheMiss = w.cache.missed(r, a.request.Model, a.start, usage)
	w.paid(most, usage)
	return a, nil
}

// model is the model that is asked: the agent's own, or the fallback model that took over.
func (w *work) model() model.Model {
	if w.fallen > 0 {
		return w.agent.Fallback[w.fallen-1]
	}
	return w.agent.Model
}

// answering is an answer while it comes.
type answering struct {
	*work
	start   time.Time
	request event.Request
	text    strings.Builder // the answer so far
	thought int64           // bytes of the thinking so far
	done    model.Chunk
}

// stream passes on the pieces of the answer, up to the last one.
func (a *answering) stream(r *model.Request) error {
	chunks := model.Stream(a.ctx, a.model(), r)
	if a.helping() {
		chunks = a.pumped(chunks)
	}
	for c, err := range chunks {
		if err != nil {
			return err
		}
		a.chunk(c)
		if a.left {
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
		a.emitLive(event.Event{Kind: event.Delta, Text: c.Text, Offset: int64(a.text.Len())})
		a.text.WriteString(c.Text)
	case model.ThinkingChunk:
		a.emitLive(event.Event{Kind: event.Thought, Text: c.Text, Offset: a.thought})
		a.thought += int64(len(c.Text))
	case model.CallStart:
		a.emitLive(event.Event{Kind: event.Preparing, Call: &tool.Call{ID: c.ID, Name: c.Name}})
	case model.Notice:
		a.live(event.Notice, c.Text)
	case model.Restart:
		a.text.Reset()
		a.thought, a.request.FirstToken = 0, 0
		a.live(event.Restarted, c.Text)
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
	a.last = text
	part := &model.Message{Role: model.Assistant, Parts: []model.Part{model.Text(text + interrupted)}, From: a.request.Model}
	return a.keep(event.Event{Kind: event.Responded, Text: text, Request: &a.request, Stop: event.Cancelled}, part)
}

// take records a finished answer and opens its calls.
func (a *answering) take() (again bool, err error) {
	u := a.done.Usage
	usage := usageOf(u)
	a.spend(usage)
	a.mu.Lock()
	a.history.Answered(a.request.Model, u.Input, u.Output)
	a.mu.Unlock()
	answer := a.done.Message
	a.last = answer.Text()
	if err := a.keep(event.Event{Kind: event.Responded, Text: a.last, Usage: &usage, Request: &a.request}, answer); err != nil {
		return false, err
	}
	if len(answer.Calls()) > 0 {
		a.malformed = 0
		return false, nil
	}
	return a.withoutCalls(a.done.Stop)
}

func usageOf(u model.Usage) event.Usage {
	return event.Usage{Input: int64(u.Input), Output: int64(u.Output), CacheRead: int64(u.CacheRead), CacheWrite: int64(u.CacheWrite), Thinking: int64(u.Thinking), Cost: u.Cost}
}

// withoutCalls decides what an answer without calls means.
func (w *work) withoutCalls(stop model.Stop) (again bool, err error) {
	switch stop {
	case model.StopPause:
		return true, nil
	case model.StopMalformed:
		if w.malformed++; w.malformed > mostMalformed {
			return false, errors.New("the provider could not read the model's calls, three times in a row")
		}
		text := "Your last call could not be read. Send it again as a valid tool call."
		return true, w.keep(event.Event{Kind: event.Hinted, Text: text}, model.UserText(text))
	case model.StopLength:
		w.live(event.Notice, "the answer was cut off by the length limit")
	case model.StopRefusal:
		w.live(event.Notice, "the model or its provider refused to answer")
	default:
		if w.last == "" {
			w.live(event.Notice, "the model's answer was empty")
		}
	}
	return false, nil
}

// prompt takes a message of the user into the session. Its turns and its budget start again. at is the number of the event that
// gave a sub-agent this task, else 0.
func (w *work) prompt(parts []model.Part, at int64) error {
	var texts []string
	for _, p := range parts {
		if p.Kind == model.TextKind {
			texts = append(texts, p.Text)
		}
	}
	if err := w.submit(strings.Join(texts, "\n\n")); err != nil {
		return err
	}
	w.newMessage()
	if err := w.keep(event.Event{Kind: event.Prompted, Text: strings.Join(texts, "\n\n"), At: at}, model.UserParts(parts...)); err != nil {
		return err
	}
	if w.parent == nil && w.o.Root == "" {
		w.agent.runner().Prompted(w.o.ID)
	}
	return nil
}

// newMessage begins the count of what the user's message costs.
func (s *Session) newMessage() {
	s.asks, s.compactions, s.wakes = 0, nil, 0
	s.newAccount()
}

// keep records a message, in an event of that kind, and adds it to the session.
func (w *work) keep(e event.Event, m *model.Message) error {
	encoded, err := json.Marshal(m)
	if err != nil {
		return fmt.Errorf("a message cannot be recorded: %w", err)
	}
	e.Message = encoded
	seq, err := w.record(e)
	if err != nil {
		return err
	}
	w.add(m, seq)
	return nil
}

// What the model reads with ThinkFirst, before and after the answer in which it thinks.
const (
	thinkText = "Do not act yet. Write down in a few lines how you will do this: what you have to find out, the steps in their order, and how you will check the result. Call no tool in this answer."
	actText   = "Now do it. Change the plan where you learn something new."
)

// think has the model write down what it will do before the first request of a message in which it may call tools. The tools stay
// in the request, so that the provider's cache keeps them.
func (w *work) think() error {
	if !w.agent.ThinkFirst || w.asks > 0 || len(w.specs) == 0 {
		return nil
	}
	if err := w.keep(event.Event{Kind: event.Hinted, Text: thinkText}, model.UserText(thinkText)); err != nil {
		return err
	}
	before := w.choice
	w.choice = "none"
	_, err := w.ask()
	w.choice = before
	if err != nil || w.open != nil { // it called tools all the same
		return err
	}
	return w.keep(event.Event{Kind: event.Hinted, Text: actText}, model.UserText(actText))
}
