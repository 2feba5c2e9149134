package replay

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"sync"
	"time"

	"rein/event"
	"rein/internal/plainfile"
	"rein/model"
)

// A recording stands beside the journal of a session and holds what the journal lacks of the exchanges with models: the system prompt,
// the definitions of the tools, the options of each request, why the answer stopped, failures, and the requests outside of the
// conversation. Messages and results are in the journal, and not here again.

// RecordingName is the file of the recording in the directory of a session.
const RecordingName = "recording.jsonl"

// DefaultRecording is how many bytes a recording may have.
const DefaultRecording = 64 << 20

// recordedLine is one line of a recording.
type recordedLine struct {
	Sum    string         `json:"sum,omitempty"`    // of a system prompt or of tools, which come once
	System string         `json:"system,omitempty"` // with Sum
	Tools  []RecordedTool `json:"tools,omitempty"`  // with Sum
	Full   bool           `json:"full,omitempty"`   // the last line: the limit is reached

	Exchange *Exchange `json:"exchange,omitempty"`
}

// RecordedTool is a tool as a model sees it.
type RecordedTool struct {
	Name        string          `json:"name"`
	Description string          `json:"description,omitempty"`
	Schema      json.RawMessage `json:"schema,omitempty"`
}

// Exchange is one request to a model and what came of it.
type Exchange struct {
	Time    time.Time `json:"time"`
	Session string    `json:"session,omitempty"` // of the conversation, or of a sub-agent; "": the request is outside of a conversation
	Model   string    `json:"model"`
	System  string    `json:"system,omitempty"`   // sum of the system prompt
	Tools   string    `json:"tools,omitempty"`    // sum of the tools
	Count   int       `json:"messages"`           // in the request
	Sum     string    `json:"sum"`                // of the messages
	Options *options  `json:"options,omitempty"`  // of the request
	Whole   []*part   `json:"whole,omitempty"`    // the messages, outside of a conversation
	Stop    string    `json:"stop,omitempty"`     // why the model stopped: see model.Stop
	Answer  string    `json:"answer,omitempty"`   // the text, outside of a conversation
	Notices []string  `json:"notices,omitempty"`  // what the model said of retries
	Retries int       `json:"retries,omitempty"`  // how often it was sent again
	Error   string    `json:"error,omitempty"`    // why there is no answer
	Kind    string    `json:"kind,omitempty"`     // of the error: see model.ErrorKind
	Took    int64     `json:"took_ns,omitempty"`  // nanoseconds
	First   int64     `json:"first_ns,omitempty"` // until the first piece

	Usage event.Usage `json:"usage,omitzero"`
}

// options are those of a request that are not the provider's own choice.
type options struct {
	MaxTokens   int            `json:"max_tokens,omitempty"`
	Temperature *float64       `json:"temperature,omitempty"`
	Effort      string         `json:"effort,omitempty"`
	Choice      string         `json:"choice,omitempty"`
	Fields      []model.Field  `json:"fields,omitempty"`
	Sampling    model.Sampling `json:"sampling,omitzero"`
	Search      bool           `json:"search,omitempty"`
}

// part is a message without data.
type part struct {
	Role string `json:"role"`
	Text string `json:"text"`
}

// Recorder writes the recording of a session and of its sub-agents. A nil Recorder records nothing. Its methods may be called at once from
// several goroutines. A recording that cannot be written does not stop the session.
type Recorder struct {
	Dir  string              // the directory of the session
	Most int64               // bytes of the file; 0 means DefaultRecording
	Mask func([]byte) []byte // hides secrets in each line; nil: nothing is hidden
	Warn func(string)        // gets one line for the user, where the recording ends before the session; may be nil

	mu    sync.Mutex
	file  *os.File
	size  int64
	ended bool
	known map[string]bool
}

// Model returns a model whose exchanges are recorded.
func (r *Recorder) Model(m model.Model) model.Model {
	if r == nil {
		return m
	}
	return recordedModel{m, r}
}

// recordedModel is a model whose exchanges are recorded.
type recordedModel struct {
	model.Model
	recorder *Recorder
}

// Stream implements model.Model.
func (m recordedModel) Stream(ctx context.Context, request *model.Request) iter.Seq2[model.Chunk, error] {
	return func(yield func(model.Chunk, error) bool) {
		e := Exchange{Time: time.Now(), Session: request.Session, Model: m.Info().String(), Count: len(request.Messages), Sum: sumOf(request.Messages)}
		e.of(request)
		e.Error = "the caller left" // unless the answer comes whole
		defer func() {
			e.Took = int64(time.Since(e.Time))
			m.recorder.write(request, e)
		}()
		for c, err := range m.Model.Stream(ctx, request) {
			e.see(c, err)
			if !yield(c, err) {
				return
			}
		}
	}
}

func (e *Exchange) of(r *model.Request) {
	o := options{MaxTokens: r.MaxTokens, Temperature: r.Temperature, Effort: r.Effort, Choice: r.Choice, Fields: r.Fields, Sampling: r.Sampling, Search: r.Search != nil}
	if encode(o) != "{}" {
		e.Options = &o
	}
	if r.Session != "" {
		return
	}
	for _, m := range r.Messages {
		e.Whole = append(e.Whole, &part{string(m.Role), m.Text()})
	}
}

func (e *Exchange) see(c model.Chunk, err error) {
	if failed, ok := errors.AsType[*model.Error](err); ok {
		e.Error, e.Kind = failed.Error(), fmt.Sprint(failed.Kind)
	} else if err != nil {
		e.Error = err.Error()
	}
	e.Retries = max(e.Retries, c.Retries)
	switch c.Kind {
	case model.TextChunk, model.ThinkingChunk, model.CallArgs:
		if e.First == 0 {
			e.First = int64(time.Since(e.Time))
		}
	case model.Notice:
		e.Notices = append(e.Notices, c.Text)
	case model.Done:
		e.Error, e.Stop, e.Usage = "", string(c.Stop), c.Usage
		if e.Session == "" && c.Message != nil {
			e.Answer = c.Message.Text()
		}
	}
}

func toolsOf(specs []model.ToolSpec) (all []RecordedTool) {
	for _, t := range specs {
		all = append(all, RecordedTool{t.Name, t.Description, t.Schema})
	}
	return all
}

// sumOf is the SHA-256 of a value as JSON, in hex.
func sumOf(v any) string {
	sum := sha256.Sum256([]byte(encode(v)))
	return hex.EncodeToString(sum[:16])
}

// write writes an exchange, and before it what it refers to for the first time.
func (r *Recorder) write(request *model.Request, e Exchange) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.ended {
		return
	}
	if err := r.open(); err != nil {
		r.end(fmt.Sprintf("the recording cannot be written: %v", err))
	}
	if r.ended {
		return
	}
	var lines []recordedLine
	once := func(sum string, line recordedLine) string {
		if line.Sum = sum; !r.known[sum] {
			lines = append(lines, line)
			r.known[sum] = true
		}
		return sum
	}
	if request.System != "" {
		e.System = once(sumOf(request.System), recordedLine{System: request.System})
	}
	if len(request.Tools) > 0 {
		e.Tools = once(sumOf(request.Tools), recordedLine{Tools: toolsOf(request.Tools)})
	}
	r.append(append(lines, recordedLine{Exchange: &e})...)
}

// open opens the file, where a session goes on after what it has.
func (r *Recorder) open() error {
	if r.file != nil {
		return nil
	}
	name := filepath.Join(r.Dir, RecordingName)
	r.known = map[string]bool{}
	err := readLines(name, func(l recordedLine) { r.known[l.Sum], r.ended = true, r.ended || l.Full })
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	f, err := plainfile.Append(name)
	if err != nil {
		return err
	}
	info, err := f.Stat()
	if err != nil {
		return errors.Join(err, f.Close())
	}
	r.file, r.size = f, info.Size()
	if r.size > 0 { // a crash may have cut the last line off
		n, err := f.WriteString("\n")
		r.size += int64(n)
		return err
	}
	return nil
}

// append writes lines, all or none: at the limit the recording ends.
func (r *Recorder) append(lines ...recordedLine) {
	most := r.Most
	if most <= 0 {
		most = DefaultRecording
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	for _, l := range lines {
		if err := enc.Encode(l); err != nil {
			r.end(fmt.Sprintf("the recording ends: %v", err))
			return
		}
	}
	text := b.Bytes()
	if r.Mask != nil {
		text = r.Mask(text)
	}
	full := r.size+int64(len(text)) > most
	if full {
		text = []byte("{\"full\":true}\n")
	}
	n, err := r.file.Write(text)
	r.size += int64(n)
	switch {
	case err != nil:
		r.end(fmt.Sprintf("the recording ends: %v", err))
	case full:
		r.end(fmt.Sprintf("the recording has %d bytes and ends here: limits.recording sets how many it may have", r.size))
	}
}

// end stops recording.
func (r *Recorder) end(why string) {
	r.ended = true
	if r.Warn != nil {
		r.Warn(why)
	}
}

// Close closes the file.
func (r *Recorder) Close() error {
	if r == nil {
		return nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.ended = true
	if r.file == nil {
		return nil
	}
	err := r.file.Close()
	r.file = nil
	return err
}
