package agent

import (
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"sync"

	"rein/model"
)

// refused is what can be tried after the provider refused a request, each way once.
type refused struct {
	*run
	shrunk    bool // the conversation was compacted because it was too long
	imageless bool // images were replaced by texts
}

// from reports whether another request makes sense after an error, and prepares it.
func (r *refused) from(err error) (again bool, failed error) {
	e, ok := errors.AsType[*model.Error](err)
	if !ok || r.ctx.Err() != nil {
		return false, nil
	}
	switch {
	case e.Kind == model.ContextLength && !r.shrunk:
		r.shrunk = true
		return r.shrink(e)
	case e.Kind == model.BadRequest && !r.imageless && namesImage().MatchString(e.Text):
		r.imageless = true
		if n := r.checker.dropAttachments(r.history.Messages()); n > 0 {
			r.notice(fmt.Sprintf("%v; images and documents that are sent as texts from now on: %d", e, n))
			return true, nil
		}
	}
	return r.next(e), nil
}

// namesImage matches the words of providers for an image or a document that they do not take.
var namesImage = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)image|media[_ ]type|mime|base64|pdf|document|file type`)
})

// shrink compacts the conversation after the provider refused it as too long.
func (r *refused) shrink(e *model.Error) (again bool, err error) {
	if r.agent.Compact.Off {
		return false, nil
	}
	before := r.history.Tokens()
	r.learn(e.Text, before)
	l := r.limits()
	r.notice(fmt.Sprintf("%v; the conversation is compacted and sent once more", e))
	if err := r.replaceResults(l, true); err != nil {
		return false, err
	}
	if aim := min(l.Usable, before) * 60 / 100; r.history.Tokens() > aim {
		if err := r.cut(l, becauseOverflow, aim); err != nil {
			return false, err
		}
	}
	return true, nil
}

// namesWindow matches the number that a refusal names as the window: "205000 tokens > 200000 maximum", "maximum context
// length is 8192 tokens".
var namesWindow = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)(?:maximum|max|limit|window|size|n_ctx|context length)[^\d>]{0,30}(\d[\d,_]{3,9})|>\D{0,4}(\d[\d,_]{3,9})`)
})

// learn takes the real window of the model from a refusal. One that names no number means that the window is smaller than
// what was sent.
func (r *refused) learn(text string, sent int) {
	known, window := r.limits().Window, 0
	for _, found := range namesWindow().FindAllStringSubmatch(text, 8) {
		n, err := strconv.Atoi(strings.NewReplacer(",", "", "_", "").Replace(found[1] + found[2]))
		if err == nil && n >= leastWindow && n <= mostWindow {
			window = n
		}
	}
	if window == 0 || known > 0 && window > known {
		window = sent * 9 / 10
	}
	if known > 0 {
		window = min(window, known)
	}
	if r.windows == nil {
		r.windows = map[string]int{}
	}
	r.windows[r.model().Info().String()] = max(window, leastWindow)
}

// The bounds of what a refusal may name as a window.
const (
	leastWindow = 1_000
	mostWindow  = 10_000_000
)

// next gives the rest of the user's message to the next fallback model, when the error is one that another model may not
// have. The next message of the user goes to the agent's own model again.
func (r *refused) next(e *model.Error) bool {
	switch e.Kind {
	case model.BadRequest, model.ContextLength:
		return false
	}
	if r.Fallback >= len(r.agent.Fallback) {
		return false
	}
	m := r.agent.Fallback[r.Fallback]
	r.Fallback++
	r.notice(fmt.Sprintf("%v; %s answers instead", e, m.Info()))
	return true
}
