package harness

// The files external_*.go make a model of an agent that is another program and is reached over the Agent Client Protocol: Claude
// Code, Codex, Gemini CLI, goose, opencode, or another rein.
//
// What the program asks its client for (files, terminals, permissions) becomes calls of tools in the answers of the model. So
// each takes all steps of the pipeline, is in the journal, and may wait for an approval. The program itself runs where
// programOptions.Start starts it: in a sandbox.

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	sdk "github.com/coder/acp-go-sdk"

	"rein/model"
)

// programOptions say how an agent is started and which tools it may call.
type programOptions struct {
	Name    string         // of the agent; the model is "external/name"
	Dir     string         // absolute path of the workspace
	Version string         // of the program that uses the agent
	Action  externalAction // what must be permitted before it starts

	// Start starts the program. Reading is its standard output, writing its standard input. Close ends it with all that it
	// started. What it gives may implement lastWordsSayer.
	Start func(ctx context.Context) (io.ReadWriteCloser, error)
	// Read returns the content of a file that read_file was allowed to read, by its absolute path.
	Read func(path string) ([]byte, error)
	// Known marks the present content of a file as seen, before the agent replaces it. Nil: nothing is marked.
	Known func(path string)
}

// externalModel is an agent as a model: each message of the user is a prompt of the agent. Each conversation, by Request.Session, has
// a program of its own. It must be closed.
type externalModel struct {
	o programOptions

	mu    sync.Mutex
	talks map[string]*agentTalk
}

// agentTalk is one conversation with the agent. One answer at a time is made of it.
type agentTalk struct {
	m       *externalModel
	mu      sync.Mutex
	run     *externalRun // nil: the program does not run; guarded by mu
	waiting map[string]*externalAsk
	later   []string // messages of the user that came while the agent worked
}

// externalAsk is something that the agent asked its client for.
type externalAsk struct {
	tool   string
	args   any
	answer func(result model.Part)
}

// newExternalModel makes the model. The program starts with the first message, when the user or the rules permit it.
func newExternalModel(o programOptions) *externalModel {
	return &externalModel{o: o, talks: map[string]*agentTalk{}}
}

// Info implements model.Model.
func (m *externalModel) Info() model.Info { return model.Info{Provider: "external", Name: m.o.Name} }

// Close ends all programs.
func (m *externalModel) Close() error {
	m.mu.Lock()
	ids := slices.Collect(maps.Keys(m.talks))
	m.mu.Unlock()
	var err error
	for _, id := range ids {
		err = errors.Join(err, m.End(id))
	}
	return err
}

// End ends the program of a conversation. Another message starts it again.
func (m *externalModel) End(session string) error {
	m.mu.Lock()
	t := m.talks[session]
	delete(m.talks, session)
	m.mu.Unlock()
	if t == nil {
		return nil
	}
	return t.end()
}

func (t *agentTalk) end() error {
	t.mu.Lock()
	r := t.run
	t.run = nil
	t.mu.Unlock()
	if r == nil {
		return nil
	}
	return r.close()
}

func (m *externalModel) talk(session string) *agentTalk {
	m.mu.Lock()
	defer m.mu.Unlock()
	t := m.talks[session]
	if t == nil {
		t = &agentTalk{m: m, waiting: map[string]*externalAsk{}}
		m.talks[session] = t
	}
	return t
}

// Stream implements model.Model.
func (m *externalModel) Stream(ctx context.Context, r *model.Request) iter.Seq2[model.Chunk, error] {
	return func(yield func(model.Chunk, error) bool) {
		t := &chunkTeller{m: m, yield: yield}
		t.draft.Before = r.Messages
		if err := m.talk(r.Session).step(ctx, r, t); err != nil && !t.left {
			if ctx.Err() != nil {
				err = context.Cause(ctx)
			} else if _, ok := errors.AsType[*model.Error](err); !ok {
				err = &model.Error{Provider: "external/" + m.o.Name, Kind: model.Server, Text: err.Error()}
			}
			yield(model.Chunk{}, err)
		}
	}
}

// step does what the newest messages ask for, and reports what the agent does until it needs something or is done.
func (k *agentTalk) step(ctx context.Context, r *model.Request, t *chunkTeller) error {
	results, texts := newestContent(r.Messages)
	k.mu.Lock()
	running := k.run
	k.mu.Unlock()
	if running == nil {
		granted, asked := k.granted(r.Messages, results)
		switch {
		case !asked:
			return k.askToStart(t)
		case granted.Failed:
			t.text("The agent was not started: " + granted.Text)
			return t.done(model.StopEnd)
		}
		var err error
		if running, err = k.start(ctx, agentSessionOf(r.Messages, k.m.Info().String())); err != nil {
			return err
		}
		if running.lost != "" {
			t.give(t.draft.Thinking([]byte("[The agent starts again: " + running.lost + ".]\n")))
		}
		if running.keeps {
			t.draft.Sign(agentSessionMark + string(running.session))
		}
		texts = []string{firstPrompt(r.Messages)}
		if running.resumed {
			texts = []string{missedPrompt(r.Messages, k.m.o.Action)}
		}
	}
	k.answer(results)
	k.later = append(k.later, texts...)
	return k.follow(ctx, running, t)
}

// askToStart asks whether the program may start.
func (k *agentTalk) askToStart(t *chunkTeller) error {
	if _, ok := t.call(actionTool, k.m.o.Action); !ok {
		return nil
	}
	return t.done(model.StopCalls)
}

// granted returns the answer to the question whether the program may start, where that is the last thing that was asked.
func (k *agentTalk) granted(messages []*model.Message, results []model.Part) (model.Part, bool) {
	if len(results) != 1 {
		return model.Part{}, false
	}
	for i := len(messages) - 1; i >= 0; i-- {
		if messages[i].Role == model.Assistant {
			return results[0], k.m.o.Action.asks(messages[i]) && messages[i].Calls()[0].ID == results[0].ID
		}
	}
	return model.Part{}, false
}

// answer gives the agent what it asked for.
func (k *agentTalk) answer(results []model.Part) {
	for _, r := range results {
		if a := k.waiting[r.ID]; a != nil {
			delete(k.waiting, r.ID)
			a.answer(r)
		}
	}
}

func (k *agentTalk) start(ctx context.Context, before sdk.SessionId) (*externalRun, error) {
	pipe, err := k.m.o.Start(ctx)
	if err != nil {
		return nil, err
	}
	r := newRun(k.m.o, pipe)
	if err := r.begin(ctx, before); err != nil {
		return nil, errors.Join(err, r.close())
	}
	k.mu.Lock()
	k.run = r
	k.mu.Unlock()
	return r, nil
}

// gather is how long requests are collected after the first one, so that they are judged and run together.
const gather = 20 * time.Millisecond

// follow reports what the agent does, and returns what it asks for as calls.
func (k *agentTalk) follow(ctx context.Context, r *externalRun, t *chunkTeller) error {
	if !r.prompting && len(k.later) > 0 {
		r.prompt(strings.Join(k.later, "\n\n"))
		k.later = nil
	}
	var asked []*externalAsk
	var enough <-chan time.Time
	for {
		select {
		case <-ctx.Done():
			r.cancel()
			k.drop()
			return context.Cause(ctx)
		case a := <-r.asks:
			asked = append(asked, a)
			if enough == nil {
				enough = time.After(gather)
			}
		case <-enough:
			return k.ask(asked, t)
		case <-r.more:
			if !t.words(r.said()) {
				r.cancel()
				k.drop()
				return nil
			}
		case end := <-r.ended:
			r.prompting = false
			t.words(r.said())
			if end.err != nil {
				return end.err
			}
			if len(k.later) == 0 || end.reason != "end_turn" {
				t.usage = end.usage
				return t.done(stopReason(end.reason))
			}
			r.prompt(strings.Join(k.later, "\n\n"))
			k.later = nil
		case <-r.gone():
			return k.gone(r)
		}
	}
}

// gone is the error for a program that has ended.
func (k *agentTalk) gone(r *externalRun) error {
	k.mu.Lock()
	k.run = nil
	k.mu.Unlock()
	k.drop()
	return errors.Join(fmt.Errorf("the agent %s has ended", k.m.o.Name), r.close())
}

// drop forgets what the agent asked for, because it does not wait for it any more.
func (k *agentTalk) drop() {
	for id, a := range k.waiting {
		delete(k.waiting, id)
		a.answer(model.Part{Failed: true, Text: "cancelled"})
	}
}

// ask gives what the agent asked for as calls.
func (k *agentTalk) ask(asked []*externalAsk, t *chunkTeller) error {
	for _, a := range asked {
		id, ok := t.call(a.tool, a.args)
		if !ok {
			return nil
		}
		k.waiting[id] = a
	}
	return t.done(model.StopCalls)
}

func stopReason(reason string) model.Stop {
	switch reason {
	case "max_tokens":
		return model.StopLength
	case "refusal":
		return model.StopRefusal
	}
	return model.StopEnd
}

// newestContent returns the results and the texts that came since the last answer.
func newestContent(messages []*model.Message) (results []model.Part, texts []string) {
	from := len(messages)
	for from > 0 && messages[from-1].Role != model.Assistant {
		from--
	}
	for _, msg := range messages[from:] {
		for _, p := range msg.Parts {
			switch p.Kind {
			case model.ResultKind:
				results = append(results, p)
			case model.TextKind:
				texts = append(texts, p.Text)
			}
		}
	}
	return results, texts
}

// firstPrompt is the first prompt of a program that was just started. Where the session is older than the program, the agent
// learns what happened before.
func firstPrompt(messages []*model.Message) string {
	var b strings.Builder
	answered := false
	for _, msg := range messages {
		switch {
		case msg.Role == model.User:
			b.WriteString(msg.Text() + "\n\n")
		case msg.Role == model.Assistant && strings.TrimSpace(msg.Text()) != "":
			answered = true
			fmt.Fprintf(&b, "[You answered before you were interrupted:]\n%s\n\n", msg.Text())
		}
	}
	if answered {
		b.WriteString("[You were started again. Look at what is done already, and continue.]")
	}
	return strings.TrimSpace(b.String())
}

// chunkTeller yields the chunks of an answer.
type chunkTeller struct {
	m     *externalModel
	yield func(model.Chunk, error) bool
	draft model.Draft
	usage model.Usage
	left  bool // nobody listens any more, or the answer is whole
}

func (t *chunkTeller) give(c model.Chunk) bool {
	if t.left || !t.yield(c, nil) {
		t.left = true
	}
	return !t.left
}

func (t *chunkTeller) text(text string) { t.give(t.draft.Text([]byte(text))) }

// words reports pieces of text and of thinking.
func (t *chunkTeller) words(all []externalWord) bool {
	for _, w := range all {
		if w.thought {
			t.give(t.draft.Thinking([]byte(w.text)))
		} else {
			t.text(w.text)
		}
	}
	return !t.left
}

// call adds a call to the answer and returns its id.
func (t *chunkTeller) call(name string, args any) (id string, ok bool) {
	text, err := json.Marshal(args)
	if err != nil {
		text = []byte("{}")
	}
	start := t.draft.Start("", name)
	ok = t.give(start) && t.give(t.draft.Args(start.Call, text)) && t.give(t.draft.End(start.Call))
	return start.ID, ok
}

func (t *chunkTeller) done(stop model.Stop) error {
	t.give(t.draft.Done(t.m.Info().String(), stop, t.usage, nil))
	t.left = true
	return nil
}
