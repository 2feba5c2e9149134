package harness

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"sync"
	"time"
	"unicode"

	sdk "github.com/coder/acp-go-sdk"

	"rein/model"
)

// externalRun is the program while it runs, with one session of its own.
type externalRun struct {
	o       programOptions
	pipe    io.ReadWriteCloser
	peer    *sdk.Connection
	session sdk.SessionId
	closing sync.Once
	failed  error
	keeps   bool   // the agent can load its session in another process
	resumed bool   // the session is the one that the conversation had before
	lost    string // why it is not; "" where the conversation had none

	prompting bool          // only Stream uses it
	more      chan struct{} // has room for one: there are words
	asks      chan *externalAsk
	ended     chan promptEnd

	mu        sync.Mutex
	words     []externalWord
	quiet     bool                                  // what comes is of the past
	calls     map[sdk.ToolCallId]sdk.ToolCallUpdate // its own calls, as it showed them
	terminals map[string]*agentTerminal
	cancelled context.Context // done when the turn was cancelled
	stop      context.CancelFunc
}

// externalWord is a piece of what the agent writes.
type externalWord struct {
	text    string
	thought bool
}

// promptEnd is how a prompt ended.
type promptEnd struct {
	reason string
	usage  model.Usage
	err    error
}

// startTime bounds the first exchange with the program.
const startTime = time.Minute

// newRun makes the connection to a program that was started.
func newRun(o programOptions, pipe io.ReadWriteCloser) *externalRun {
	r := &externalRun{o: o, pipe: pipe, more: make(chan struct{}, 1), asks: make(chan *externalAsk, 64), ended: make(chan promptEnd, 1),
		calls: map[sdk.ToolCallId]sdk.ToolCallUpdate{}, terminals: map[string]*agentTerminal{}}
	r.cancelled, r.stop = context.WithCancel(context.Background())
	ready := &gatedReader{Reader: pipe, open: make(chan struct{})}
	r.peer = sdk.NewConnection(r.handle, pipe, ready)
	r.peer.SetLogger(slog.New(slog.DiscardHandler))
	close(ready.open)
	return r
}

// gatedReader is a reader that waits until the connection is complete.
type gatedReader struct {
	io.Reader
	open chan struct{}
}

func (g *gatedReader) Read(p []byte) (int, error) {
	<-g.open
	return g.Reader.Read(p)
}

// begin opens a session of the agent, or the one that it had before.
func (r *externalRun) begin(ctx context.Context, before sdk.SessionId) error {
	ctx, cancel := context.WithTimeoutCause(ctx, startTime, fmt.Errorf("the agent %s did not answer within %v", r.o.Name, startTime))
	defer cancel()
	hello, err := sdk.SendRequest[sdk.InitializeResponse](r.peer, ctx, sdk.AgentMethodInitialize, sdk.InitializeRequest{
		ProtocolVersion: sdk.ProtocolVersionNumber, ClientInfo: &sdk.Implementation{Name: "rein", Version: r.o.Version},
		ClientCapabilities: sdk.ClientCapabilities{Fs: sdk.FileSystemCapabilities{ReadTextFile: true, WriteTextFile: true}, Terminal: true},
	})
	if err != nil {
		return r.wrong("does not speak the Agent Client Protocol", err)
	}
	if hello.ProtocolVersion != sdk.ProtocolVersionNumber {
		return fmt.Errorf("the agent %s wants version %d of the protocol; rein has version %d", r.o.Name, hello.ProtocolVersion, sdk.ProtocolVersionNumber)
	}
	r.keeps = hello.AgentCapabilities.LoadSession || hello.AgentCapabilities.SessionCapabilities.Resume != nil
	if before != "" {
		if r.lost = r.again(ctx, hello.AgentCapabilities, before); r.lost == "" {
			return nil
		}
	}
	opened, err := sdk.SendRequest[struct {
		Session sdk.SessionId `json:"sessionId"`
	}](r.peer, ctx, sdk.AgentMethodSessionNew, sdk.NewSessionRequest{Cwd: r.o.Dir, McpServers: []sdk.McpServer{}})
	if e, ok := errors.AsType[*sdk.RequestError](err); ok && e.Code == -32000 {
		return &model.Error{Provider: "external/" + r.o.Name, Kind: model.Auth, Text: "the agent wants its user to sign in: start it once in a terminal (" + e.Message + ")"}
	}
	if err != nil {
		return r.wrong("did not open a session", err)
	}
	r.session = opened.Session
	return nil
}

// lastWordsSayer is what programOptions.Start may return beside the pipe: a program whose last line of standard error is known. It names the cause
// when the program has ended.
type lastWordsSayer interface{ LastWords() string }

// wrong gives an error of the agent: what it did, or that it ended, with its last words.
func (r *externalRun) wrong(what string, err error) error {
	select {
	case <-r.peer.Done():
	case <-time.After(endTime): // an error of the pipe may come before the end of the connection is known
		return fmt.Errorf("the agent %s %s: %w", r.o.Name, what, peerError(err))
	}
	said := ""
	if s, ok := r.pipe.(lastWordsSayer); ok {
		_ = r.pipe.Close() // waits for the rest of its standard error
		if said = plainLine(s.LastWords()); said != "" {
			said = "; its last words: " + said
		}
	}
	return fmt.Errorf("the agent %s ended before it answered%s", r.o.Name, said)
}

// endTime is how long the end of a program is waited for after an error.
const endTime = 300 * time.Millisecond

// mostWords bounds the last words of a program that are shown, in bytes.
const mostWords = 500

// plainLine returns a line without control characters, and not more than mostWords of it.
func plainLine(line string) string {
	line = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return -1
		}
		return r
	}, line)
	return strings.ToValidUTF8(line[:min(len(line), mostWords)], "")
}

// peerError gives an error of the peer as its words, with what it adds to them, in one line.
func peerError(err error) error {
	e, ok := errors.AsType[*sdk.RequestError](err)
	if !ok {
		return err
	}
	said := e.Data
	if fields, ok := said.(map[string]any); ok && len(fields) == 1 { // {"error": …}, {"details": …}
		for _, said = range fields {
		}
	}
	more, ok := said.(string)
	if !ok && said != nil {
		text, _ := json.Marshal(said) // it came as JSON
		more = string(text)
	}
	if more = plainLine(more); more == "" || strings.Contains(e.Message, more) {
		return errors.New(plainLine(e.Message))
	}
	return errors.New(plainLine(e.Message) + ": " + more)
}

// prompt sends a message; its end comes through ended.
func (r *externalRun) prompt(text string) {
	r.prompting = true
	r.mu.Lock()
	r.quiet = false
	if r.cancelled.Err() != nil {
		r.cancelled, r.stop = context.WithCancel(context.Background())
	}
	r.mu.Unlock()
	go func() {
		answer, err := sdk.SendRequest[sdk.PromptResponse](r.peer, context.Background(), sdk.AgentMethodSessionPrompt,
			sdk.PromptRequest{SessionId: r.session, Prompt: []sdk.ContentBlock{sdk.TextBlock(text)}})
		end := promptEnd{reason: string(answer.StopReason)}
		if err != nil {
			end.err = r.wrong("failed", err)
		}
		if u := answer.Usage; u != nil {
			end.usage = model.Usage{Input: int64(u.InputTokens), Output: int64(u.OutputTokens)}
		}
		r.ended <- end
	}()
}

// cancelTime is how long an agent has to end its turn after a cancel.
const cancelTime = 2 * time.Second

// cancel ends the turn: what the agent waits for is answered with "cancelled".
func (r *externalRun) cancel() {
	if !r.prompting {
		return
	}
	r.mu.Lock()
	r.stop()
	r.mu.Unlock()
	ctx, cancel := context.WithTimeout(context.Background(), cancelTime)
	defer cancel()
	if r.peer.SendNotification(ctx, sdk.AgentMethodSessionCancel, sdk.CancelNotification{SessionId: r.session}) != nil {
		return
	}
	for {
		select {
		case <-r.ended:
			r.prompting = false
			return
		case <-r.peer.Done():
			return
		case <-ctx.Done():
			return
		}
	}
}

// gone is closed when the program has ended.
func (r *externalRun) gone() <-chan struct{} { return r.peer.Done() }

func (r *externalRun) close() error {
	r.closing.Do(func() {
		r.mu.Lock()
		r.stop()
		r.mu.Unlock()
		r.failed = r.pipe.Close()
	})
	return r.failed
}

// say keeps what the agent writes until an answer of the model reports it.
func (r *externalRun) say(text string, thought bool) {
	if text == "" {
		return
	}
	r.mu.Lock()
	if r.quiet {
		r.mu.Unlock()
		return
	}
	r.words = append(r.words, externalWord{text, thought})
	r.mu.Unlock()
	select {
	case r.more <- struct{}{}:
	default:
	}
}

// said takes what the agent wrote.
func (r *externalRun) said() []externalWord {
	r.mu.Lock()
	defer r.mu.Unlock()
	all := r.words
	r.words = nil
	return all
}

// updated passes on an update of the session. What the agent does in its own program is reported as thinking.
func (r *externalRun) updated(raw json.RawMessage) {
	var n sdk.SessionNotification
	if json.Unmarshal(raw, &n) != nil {
		return // an update that we do not know
	}
	switch u := n.Update; {
	case u.AgentMessageChunk != nil && u.AgentMessageChunk.Content.Text != nil:
		r.say(u.AgentMessageChunk.Content.Text.Text, false)
	case u.AgentThoughtChunk != nil && u.AgentThoughtChunk.Content.Text != nil:
		r.say(u.AgentThoughtChunk.Content.Text.Text, true)
	case u.ToolCall != nil:
		c := u.ToolCall
		r.mu.Lock()
		r.calls[c.ToolCallId] = sdk.ToolCallUpdate{ToolCallId: c.ToolCallId, Title: &c.Title, Kind: &c.Kind, Locations: c.Locations, RawInput: c.RawInput, Content: c.Content}
		r.mu.Unlock()
		r.say("\n["+c.Title+"]\n", true)
	case u.ToolCallUpdate != nil && u.ToolCallUpdate.Status != nil && *u.ToolCallUpdate.Status == sdk.ToolCallStatusFailed:
		r.mu.Lock()
		known := r.calls[u.ToolCallUpdate.ToolCallId]
		r.mu.Unlock()
		if known.Title != nil {
			r.say("\n["+*known.Title+": failed]\n", true)
		}
	case u.Plan != nil:
		var b strings.Builder
		for _, e := range u.Plan.Entries {
			fmt.Fprintf(&b, "\n- %s (%s)", e.Content, e.Status)
		}
		r.say(b.String()+"\n", true)
	}
}

// ask hands a request to the model and waits for the result of its call.
func (r *externalRun) ask(ctx context.Context, tool string, args any) (model.Part, error) {
	r.mu.Lock()
	cancelled := r.cancelled
	r.mu.Unlock()
	answer := make(chan model.Part, 1)
	select {
	case r.asks <- &externalAsk{tool: tool, args: args, answer: func(p model.Part) { answer <- p }}:
	case <-ctx.Done():
		return model.Part{}, ctx.Err()
	}
	select {
	case p := <-answer:
		return p, nil
	case <-cancelled.Done():
		return model.Part{}, context.Canceled
	case <-ctx.Done():
		return model.Part{}, ctx.Err()
	}
}
