package agent

import (
	"rein/event"
	"rein/model"
)

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
