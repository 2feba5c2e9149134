// Package modelserver serves a script as a provider would: chat completions, responses, messages, generateContent, Converse,
// and the chat protocols of Cohere and Ollama, streaming or not. It checks requests as strictly as the providers do. On demand its answers differ from the
// protocol, as those of some servers do.
package modelserver

import (
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

	"rein/kit/script"
)

// Server is an http.Handler that answers from its script. The fields are not changed after the first request.
type Server struct {
	Script *script.Script
	// Next, when set, gives the answers instead of the script. It is called with one request at a time.
	Next   func(script.Asked) *script.Turn
	Quirks Quirks

	// Lax: the history may lack what the script's earlier turns thought. For conversations that changed the model.
	Lax bool
	// Batch: pieces are flushed together, 32 KiB at a time. For measuring a client and not the server.
	Batch bool
	// Models are the names that /api/tags and /models list; nil: "scripted".
	Models []string
	// Heard, when set, is called with the path and body of each request.
	Heard func(path string, body []byte)

	mu     sync.Mutex
	failed map[*script.Turn]int
}

// Quirks are the ways in which streams differ from the protocol, by name; see Names.
type Quirks map[string]bool

// Names returns all quirks with what each does.
func Names() []string {
	return []string{
		"no-index: chat: pieces of calls have no index, only ids",
		"same-index: chat: every call has index 0",
		"repeat-names: chat: every piece has id and name",
		"empty-ids: chat: later pieces have id and name \"\"",
		"no-ids: no call has an id",
		"same-ids: every call of an answer has the id call_0",
		"whole-calls: chat: a call comes in one piece",
		"null-args: chat: the first piece has arguments null",
		"object-args: chat: arguments are an object, not a string",
		"content-list: chat: content is a list of parts",
		"always-stop: chat: finish_reason is stop, also with calls",
		"usage-beside: chat: usage comes with the choices",
		"details: chat: thinking comes as signed reasoning_details",
		"no-done: chat: no [DONE] at the end",
		"comments: comment lines between events",
		"only-done: responses: arguments come with .done only",
		"data-first: the data line comes before the event line",
		"whole-input: messages: the start event of a call has its input",
		"partial-args: gemini: arguments come in pieces with paths",
		"spread: gemini: calls come in chunks of their own",
		"crlf: lines end with carriage return and newline",
		"json: the answer is one JSON value though a stream was asked for",
		"fault: an error comes inside the stream, after half of it",
		"cut: the connection breaks after half of the stream",
		"stall: nothing more comes after half of the stream",
		"garbage: something else comes after half of the stream",
		"silent: nothing comes at all",
	}
}

// fault is a refusal as providers write it.
type fault struct {
	status     int
	text       string
	retryAfter time.Duration
}

func (f fault) Error() string { return f.text }

func refuse(format string, args ...any) error {
	return fault{status: http.StatusBadRequest, text: fmt.Sprintf(format, args...)}
}

// protocol reads requests and writes answers of one kind.
type protocol interface {
	read(body []byte) (request, error)
	stream(out *stream, a answer)
	whole(a answer) any
	fault(f fault) any
}

// ServeHTTP implements http.Handler.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	path := r.URL.Path
	switch {
	case strings.HasSuffix(path, "/api/tags"):
		s.list(w, "models", "name")
	case strings.HasSuffix(path, "/models"):
		s.list(w, "data", "id")
	case strings.HasSuffix(path, "/chat/completions"):
		s.answer(w, r, chat{s.Quirks})
	case strings.HasSuffix(path, "/responses"):
		s.answer(w, r, responses{s.Quirks})
	case strings.HasSuffix(path, "/v1/messages"), strings.HasSuffix(path, ":streamRawPredict"):
		s.answer(w, r, messages{s.Quirks})
	case strings.HasSuffix(path, "/invoke-with-response-stream"):
		s.answer(w, r, invoked{messages{s.Quirks}})
	case strings.HasSuffix(path, "/interactions"):
		s.answer(w, r, interactions{s.Quirks})
	case strings.HasSuffix(path, "/api/chat"):
		s.answer(w, r, ollama{s.Quirks})
	case strings.HasSuffix(path, "/v2/chat"):
		s.answer(w, r, cohere{s.Quirks})
	case strings.HasSuffix(path, "/converse-stream"):
		s.answer(w, r, converse{s.Quirks, true})
	case strings.HasSuffix(path, "/converse"):
		s.answer(w, r, converse{s.Quirks, false})
	case strings.HasSuffix(path, ":streamGenerateContent"):
		s.answer(w, r, gemini{s.Quirks, true})
	case strings.HasSuffix(path, ":generateContent"):
		s.answer(w, r, gemini{s.Quirks, false})
	default:
		reply(w, http.StatusNotFound, map[string]any{"error": map[string]any{"message": "no such address: " + path}})
	}
}

// list answers which models there are.
func (s *Server) list(w http.ResponseWriter, field, key string) {
	names := s.Models
	if names == nil {
		names = []string{"scripted"}
	}
	rows := make([]any, len(names))
	for i, name := range names {
		rows[i] = map[string]any{key: name, "modified_at": "2026-01-01T00:00:00Z"}
	}
	reply(w, http.StatusOK, map[string]any{field: rows})
}

func (s *Server) answer(w http.ResponseWriter, r *http.Request, p protocol) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	if s.Heard != nil {
		s.Heard(r.URL.Path, body)
	}
	if s.Quirks["silent"] {
		<-r.Context().Done()
		return
	}
	a, err := s.find(body, p)
	if err != nil {
		refusal(w, p, err)
		return
	}
	if !wait(r, a.turn.Delay) {
		return
	}
	if !a.stream || s.Quirks["json"] {
		reply(w, http.StatusOK, p.whole(a))
		return
	}
	out := &stream{w: w, r: r, quirks: s.Quirks, pace: a.script.Pace, batch: s.Batch}
	kind := "text/event-stream"
	switch p.(type) {
	case converse:
		out.framed, kind = true, "application/vnd.amazon.eventstream"
	case invoked:
		out.framed, out.chunks, kind = true, true, "application/vnd.amazon.eventstream"
	case ollama:
		out.lines, kind = true, "application/x-ndjson"
	}
	w.Header().Set("Content-Type", kind)
	if out.broken() {
		out.measure = true
		p.stream(out, a)
		out.half, out.sent, out.measure = out.sent/2, 0, false
	}
	p.stream(out, a)
	out.flush()
}

// find reads a request and finds the turn that answers it.
func (s *Server) find(body []byte, p protocol) (answer, error) {
	req, err := p.read(body)
	if err != nil {
		return answer{}, err
	}
	if err := req.legal(); err != nil {
		return answer{}, err
	}
	asked := req.asked()
	if s.Next != nil {
		s.mu.Lock()
		defer s.mu.Unlock()
		return answer{turn: s.Next(asked), at: asked.Turn, script: &script.Script{}, stream: req.stream}, nil
	}
	turn, err := s.Script.Find(asked)
	if err != nil {
		return answer{}, refuse("%v", err)
	}
	if !s.Lax {
		if err := req.remembers(s.Script, asked); err != nil {
			return answer{}, err
		}
	}
	if f := s.fails(turn); f != nil {
		return answer{}, *f
	}
	return answer{turn: turn, at: asked.Turn, script: s.Script, stream: req.stream}, nil
}

// fails returns the failure of a turn that fails this time.
func (s *Server) fails(t *script.Turn) *fault {
	if t.Error == nil {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.failed == nil {
		s.failed = make(map[*script.Turn]int)
	}
	if s.failed[t]++; t.Error.Times > 0 && s.failed[t] > t.Error.Times {
		return nil
	}
	f := &fault{status: t.Error.Status, text: t.Error.Text, retryAfter: t.Error.RetryAfter}
	if f.status == 0 {
		f.status = http.StatusInternalServerError
	}
	return f
}

func refusal(w http.ResponseWriter, p protocol, err error) {
	f, ok := err.(fault)
	if !ok {
		f = fault{status: http.StatusBadRequest, text: err.Error()}
	}
	if f.retryAfter > 0 {
		w.Header().Set("Retry-After", strconv.FormatFloat(f.retryAfter.Seconds(), 'f', -1, 64))
	}
	reply(w, f.status, p.fault(f))
}

func wait(r *http.Request, d time.Duration) bool {
	if d <= 0 {
		return true
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-r.Context().Done():
		return false
	}
}
