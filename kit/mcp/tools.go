package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"rein/schema"
	"rein/tool"
)

// effect is what a tool of the server can do at most. What it says about itself is not evidence; that a program has no
// network is, because the sandbox keeps it from there.
func (s *Server) effect() tool.Effect {
	e := tool.Reads | tool.Writes | tool.Runs | tool.Reaches
	if s.entry.Kind() == "stdio" && len(s.entry.Network) == 0 && s.entry.Sandbox != "off" {
		e &^= tool.Reaches
	}
	return e
}

// toolCache has the tools as they were made last.
type toolCache struct {
	made   bool
	list   []*tool.Tool
	byName map[string]*tool.Tool
	real   map[string]string // the server's name by ours
}

func (c *toolCache) clear() { *c = toolCache{} }

// Tools returns the server's tools by what is pinned, in the order in which they came. Nothing is started: a server that was
// never used has none until it is connected.
func (s *Server) Tools() []*tool.Tool {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.fill()
	return s.tools.list
}

// Known reports whether anything is known about the server's tools: it listed them now, or in an earlier process.
func (s *Server) Known() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.fill()
	return s.listed || len(s.tools.byName) > 0
}

// Tool returns the tool that a model calls by that name, or nil. A tool that the server no longer has fails and says so.
func (s *Server) Tool(name string) *tool.Tool {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.fill()
	return s.tools.byName[name]
}

// fill makes the tools. The caller holds mu.
func (s *Server) fill() {
	if s.tools.made {
		return
	}
	known, err := s.pins.All()
	if err != nil {
		go s.say(err.Error())
	}
	s.tools = toolCache{made: true, byName: map[string]*tool.Tool{}, real: map[string]string{}}
	for _, d := range known {
		if !s.entry.Uses(d.Name) {
			continue
		}
		t := s.make(d)
		if t == nil || s.tools.byName[t.Name] != nil {
			continue
		}
		s.tools.byName[t.Name], s.tools.real[t.Name] = t, d.Name
		if !s.gone[d.Name] {
			s.tools.list = append(s.tools.list, t)
		}
	}
}

// make makes one tool.
func (s *Server) make(d Definition) *tool.Tool {
	described, defaults := optional(d.Schema)
	input, err := parse(described)
	if err != nil {
		return nil
	}
	out := output(d)
	t := &tool.Tool{Name: ToolName(s.entry.Name, d.Name), Description: description(d) + returned(out), Input: input, Effect: s.effect(), Timeout: s.limit(d.Name)}
	t.Run = func(ctx context.Context, args json.RawMessage, r *tool.Reply) error {
		return s.call(ctx, d.Name, out, filled(args, defaults), r)
	}
	return t
}

// optional returns the schema of arguments in which none is required that has a default, and these defaults. Servers that make their
// schemas of code list such arguments as required, and models leave them out.
func optional(described json.RawMessage) (json.RawMessage, map[string]json.RawMessage) {
	var s map[string]json.RawMessage
	var properties map[string]struct{ Default json.RawMessage }
	var required, left []string
	if json.Unmarshal(described, &s) != nil || json.Unmarshal(s["properties"], &properties) != nil || json.Unmarshal(s["required"], &required) != nil {
		return described, nil
	}
	defaults := map[string]json.RawMessage{}
	for _, name := range required {
		if value := properties[name].Default; len(value) > 0 {
			defaults[name] = value
		} else {
			left = append(left, name)
		}
	}
	if len(defaults) == 0 {
		return described, nil
	}
	if delete(s, "required"); len(left) > 0 {
		s["required"], _ = json.Marshal(left) // texts
	}
	changed, err := json.Marshal(s)
	if err != nil {
		return described, nil
	}
	return changed, defaults
}

// filled adds the defaults of what is not among the arguments.
func filled(args json.RawMessage, defaults map[string]json.RawMessage) json.RawMessage {
	var have map[string]json.RawMessage
	if len(defaults) == 0 || json.Unmarshal(args, &have) != nil {
		return args
	}
	if have == nil {
		have = map[string]json.RawMessage{}
	}
	for name, value := range defaults {
		if _, ok := have[name]; !ok {
			have[name] = value
		}
	}
	all, err := json.Marshal(have)
	if err != nil {
		return args
	}
	return all
}

// description is what the model reads. Characters that nobody sees are taken out.
func description(d Definition) string {
	text := visibleText(d.Description)
	if text == "" {
		text = visibleText(d.Title)
	}
	if len(text) > mostDescription {
		text = strings.ToValidUTF8(text[:mostDescription], "") + "…"
	}
	return text
}

// mostDescription bounds the description of one tool that the model reads, in bytes.
const mostDescription = 8 << 10

// limit is the time of one call.
func (s *Server) limit(name string) time.Duration {
	for _, t := range []time.Duration{time.Duration(s.entry.Timeouts[name]), time.Duration(s.entry.Timeout)} {
		if t > 0 {
			return t
		}
	}
	return DefaultTimeout
}

// parse reads the schema of a tool's arguments. A tool without one takes no arguments.
func parse(raw json.RawMessage) (*schema.Schema, error) {
	if len(raw) == 0 || string(raw) == "null" || string(raw) == "{}" {
		raw = json.RawMessage(`{"type":"object"}`)
	}
	return schema.Parse(raw)
}

// Question returns what a person must approve before the tool of that name may be called, and what identifies the question;
// "" when nothing. See Approve.
func (s *Server) Question(name string) (question, hash string) {
	s.mu.Lock()
	s.fill()
	real, ok := s.tools.real[name]
	s.mu.Unlock()
	if !ok {
		return "", ""
	}
	return s.pins.Question(real)
}

// Approve takes what Question showed as the tool's definition from now on.
func (s *Server) Approve(name, hash string) error {
	s.mu.Lock()
	s.fill()
	real, ok := s.tools.real[name]
	s.mu.Unlock()
	if !ok {
		return nil
	}
	err := s.pins.Approve(real, hash)
	s.mu.Lock()
	s.tools.clear()
	s.mu.Unlock()
	return err
}

// OwnName returns the server's name of the tool that a model calls by that name; "" when there is none.
func (s *Server) OwnName(name string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.fill()
	return s.tools.real[name]
}

// unapproved is the error of a tool that a person must approve first. Whoever has no guard for it cannot call it.
func (s *Server) unapproved(name string) error {
	if q, _ := s.pins.Question(name); q != "" {
		return &tool.Error{Kind: tool.Stale, Text: fmt.Sprintf("The tool %s of the server %s did not run: %s", name, s.entry.Name, q),
			Hint: "Call it again: the user is asked first."}
	}
	return nil
}

// call calls a tool of the server. Where the connection had ended before the call was sent, it is sent over a new one.
func (s *Server) call(ctx context.Context, name string, out *schema.Schema, args json.RawMessage, r *tool.Reply) error {
	params := &sdk.CallToolParams{Name: name, Arguments: args}
	defer s.follow(params, r)()
	if s.o.Trace != nil {
		if parent := s.o.Trace(r.Call()); parent != "" {
			params.Meta["traceparent"] = parent
		}
	}
	for again := false; ; again = true {
		client, err := ready(ctx, s, name)
		if err != nil {
			return err
		}
		result, err := client.CallTool(ctx, params)
		switch {
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case unsent(err):
			if s.ended(client, err); again {
				return s.unavailable(err)
			}
			continue
		case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.ErrClosedPipe):
			return &tool.Error{Text: fmt.Sprintf("%v.", s.explained(fmt.Errorf("the connection to the server %s broke while the call ran, so its outcome is unknown", s.entry.Name))),
				Hint: "Check what it did before you repeat it."}
		case err != nil:
			return fmt.Errorf("the server %s answered with an error: %w", s.entry.Name, err)
		}
		checkOutput(out, result, r)
		return s.write(result, r)
	}
}

// unsent reports whether a call was not sent, because the connection had ended. The library gives the same error where a server answers with
// an error of one of its two codes; only the words tell that its own end of the connection was closed before.
func unsent(err error) bool {
	return errors.Is(err, sdk.ErrConnectionClosed) && strings.Contains(err.Error(), "client is closing")
}

// ready returns the connection over which a tool of a server may be called.
func ready(ctx context.Context, s *Server, name string) (*sdk.ClientSession, error) {
	if err := s.unapproved(name); err != nil {
		return nil, err
	}
	client, err := s.session(ctx)
	if err != nil {
		return nil, s.unavailable(err)
	}
	s.mu.Lock()
	gone := s.gone[name]
	s.mu.Unlock()
	if gone {
		return nil, &tool.Error{Kind: tool.NotFound, Text: fmt.Sprintf("The server %s no longer has the tool %s.", s.entry.Name, name), Hint: "Use another tool."}
	}
	return client, s.unapproved(name) // it showed another definition when it was connected for this call
}

// unavailable is the error of a server that cannot be reached.
func (s *Server) unavailable(err error) error {
	return &tool.Error{Text: fmt.Sprintf("The tool server %q cannot be used: %v.", s.entry.Name, err), Hint: "Go on without it, and tell the user."}
}

// follow shows the progress of a call live. What the server asked while calls ran is void when the last of them has ended.
func (s *Server) follow(params *sdk.CallToolParams, r *tool.Reply) (done func()) {
	s.mu.Lock()
	s.calls++
	token := fmt.Sprintf("%s-%d", r.Call(), s.calls)
	s.progress[token] = r.Progress
	s.mu.Unlock()
	params.SetProgressToken(token)
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		if delete(s.progress, token); len(s.progress) == 0 {
			for _, end := range s.asked {
				end()
			}
			s.asked = nil
		}
	}
}
