package agent

import (
	"context"
	"errors"

	"rein/event"
	"rein/model"
	"rein/tool"
)

// mostMalformed is how often in a row a model may write a call that its provider cannot read.
const mostMalformed = 2

// ask sends one request and takes the answer into the session. again means that the model must be asked once more
// although it called nothing.
func (w *work) ask() (again bool, err error) {
	w.asks++
	w.turn++
	messages, notes := model.Repair(w.messages)
	for _, note := range notes {
		w.live(event.Notice, note)
	}
	request := &model.Request{System: w.agent.System, Messages: messages, Tools: w.specs, Effort: w.agent.Effort}
	if w.agent.Calls != nil {
		request.Session = w.agent.Calls.Session
	}
	done, err := w.stream(request)
	if err != nil {
		return false, err
	}
	return w.take(done)
}

// stream hands the pieces of the answer on and gives its last chunk.
func (w *work) stream(r *model.Request) (done model.Chunk, err error) {
	for c, err := range w.agent.Model.Stream(w.ctx, r) {
		if err != nil {
			return done, err
		}
		switch c.Kind {
		case model.TextChunk:
			w.live(event.Delta, c.Text)
		case model.ThinkingChunk:
			w.live(event.Thought, c.Text)
		case model.CallStart:
			w.emitCall(c)
		case model.Notice:
			w.live(event.Notice, c.Text)
		case model.Restart:
			w.live(event.Restarted, c.Text)
		case model.Done:
			done = c
		}
		if w.left {
			return done, context.Cause(w.ctx)
		}
	}
	if done.Message == nil {
		return done, errors.New("the model's answer had no end")
	}
	return done, nil
}

func (w *work) emitCall(c model.Chunk) {
	e := event.Event{Kind: event.Preparing, Call: &tool.Call{ID: c.ID, Name: c.Name}}
	w.stamp(&e)
	w.emit(e)
}

// take records a finished answer and opens its calls.
func (w *work) take(done model.Chunk) (again bool, err error) {
	usage := event.Usage{Input: int64(done.Usage.Input), Output: int64(done.Usage.Output), CacheRead: int64(done.Usage.CacheRead)}
	w.spent += usage.Input + usage.Output
	w.usage.Input += usage.Input
	w.usage.Output += usage.Output
	w.usage.CacheRead += usage.CacheRead
	w.last = done.Message.Text()
	if err := w.keep(event.Event{Kind: event.Responded, Text: w.last, Usage: &usage}, done.Message); err != nil {
		return false, err
	}
	if len(done.Message.Calls()) > 0 {
		w.malformed = 0
		w.open = &openTurn{asked: done.Message, results: map[string]tool.Result{}}
		return false, nil
	}
	return w.withoutCalls(done.Stop)
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
		return true, w.say("Your last call could not be read. Send it again as a proper tool call.")
	case model.StopLength:
		w.live(event.Notice, "the answer was cut off by the length limit")
	case model.StopRefusal:
		w.live(event.Notice, "the model or its provider refused to answer")
	default:
		if w.last == "" {
			w.live(event.Notice, "the model said nothing")
		}
	}
	return false, nil
}

// say tells the model something, as the user or in the user's place.
func (w *work) say(text string) error {
	return w.keep(event.Event{Kind: event.Prompted, Text: text}, model.UserText(text))
}
