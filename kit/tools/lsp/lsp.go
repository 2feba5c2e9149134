package lsp

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"rein/tool"
)

const (
	queryTime  = 10 * time.Second // of one request, when the server has loaded its project
	firstQuery = 45 * time.Second // of a call that starts a server
	mostPlaces = 100
	mostBytes  = 24 << 10
)

type queryArgs struct {
	Action string `json:"action" jsonschema:"definition, references, implementations, hover, incoming_calls, outgoing_calls (these take path, line, symbol); symbols, diagnostics (path); code_actions (path, line); workspace_symbols (query)"`
	Path   string `json:"path,omitempty" jsonschema:"the file"`
	Line   int    `json:"line,omitempty" jsonschema:"line of the symbol, from 1" minimum:"1"`
	Symbol string `json:"symbol,omitempty" jsonschema:"the symbol as it is written on that line" maxLength:"500"`
	Query  string `json:"query,omitempty" jsonschema:"part of a name, for workspace_symbols" maxLength:"500"`
}

// Intent reads the workspace: a server reads all of it.
func (queryArgs) Intent() tool.Intent { return tool.Intent{Reads: []string{"."}} }

const queryDescription = `Ask a language server (%s) about code: where a symbol is defined, used or implemented, its type and documentation, its callers and what it calls, the symbols of a file or of the workspace, the diagnostics of a file, and what could be fixed on a line. More exact than grep: it knows scopes and types.`

// Tools returns the tools, or nothing where no server is installed.
func (s *Servers) Tools() []*tool.Tool {
	var names []string
	for _, s := range Known() {
		if s.Program != "" {
			names = append(names, s.Name)
		}
	}
	if len(names) == 0 {
		return nil
	}
	query := tool.New("lsp", fmt.Sprintf(queryDescription, strings.Join(names, ", ")), tool.Reads, s.query)
	query.Input = query.Input.WithAliases(map[string]string{"operation": "action", "file": "path", "file_path": "path", "name": "symbol"})
	query.Timeout = firstQuery + queryTime
	return []*tool.Tool{query, s.editTool()}
}

// queries are the actions that take a place in a file, with the request of the protocol.
var queries = map[string]string{
	"definition": "textDocument/definition", "references": "textDocument/references", "implementations": "textDocument/implementation",
	"hover": "textDocument/hover", "incoming_calls": "callHierarchy/incomingCalls", "outgoing_calls": "callHierarchy/outgoingCalls",
}

// ofFile are the actions that take a file.
var ofFile = []string{"symbols", "diagnostics", "code_actions"}

func (s *Servers) query(ctx context.Context, in queryArgs, r *tool.Reply) error {
	in.Action = strings.ToLower(strings.TrimSpace(in.Action))
	switch {
	case in.Action == "workspace_symbols":
		return s.workspaceSymbols(ctx, in, r)
	case queries[in.Action] == "" && !slices.Contains(ofFile, in.Action):
		return &tool.Error{Kind: tool.BadArguments, Text: fmt.Sprintf("%q is not an action", in.Action), Hint: "Send one of definition, references, implementations, hover, incoming_calls, outgoing_calls, symbols, workspace_symbols, diagnostics, code_actions."}
	case in.Path == "":
		return &tool.Error{Kind: tool.BadArguments, Text: "path is missing"}
	}
	q, err := s.open(ctx, in.Path)
	if err != nil {
		return err
	}
	switch in.Action {
	case "symbols":
		return q.symbols(ctx, r)
	case "diagnostics":
		return q.diagnostics(ctx, r)
	case "code_actions":
		return q.codeActions(ctx, in.Line, r)
	}
	at, err := q.position(in.Line, in.Symbol)
	if err != nil {
		return err
	}
	switch in.Action {
	case "hover":
		return q.hover(ctx, at, r)
	case "incoming_calls", "outgoing_calls":
		return q.hierarchy(ctx, in.Action, at, r)
	}
	params := at.params()
	params["context"] = map[string]any{"includeDeclaration": true}
	var raw json.RawMessage
	if err := q.call(ctx, queries[in.Action], params, &raw); err != nil {
		return err
	}
	s.places(locations(raw), r)
	return nil
}

// question is a file that a server has open.
type question struct {
	*Servers
	srv  *server
	path string // absolute
	text string
}

// open returns a file to its server.
func (s *Servers) open(ctx context.Context, path string) (*question, error) {
	full := s.abs(path)
	srv, err := s.server(ctx, full)
	if err != nil {
		return nil, err
	}
	first, cancel := context.WithTimeoutCause(ctx, firstQuery, &tool.Error{Kind: tool.TimedOut, Text: fmt.Sprintf("%s has not loaded the project after %v.", srv.kind.name, firstQuery), Hint: "Use grep, or try again later."})
	defer cancel()
	if err := srv.await(first); err != nil {
		return nil, s.trouble(srv, err)
	}
	text, err := s.sync(srv, full)
	if err != nil {
		return nil, err
	}
	if err := srv.loaded(first); err != nil {
		return nil, s.trouble(srv, err)
	}
	return &question{s, srv, full, text}, nil
}

// trouble is the error of a server that does not work.
func (s *Servers) trouble(srv *server, err error) error {
	if srv.alive() {
		return err
	}
	return &tool.Error{Text: fmt.Sprintf("%s ended: %s", srv.kind.name, lastLine(srv.process.Errors())), Hint: "The next call starts it once more; grep works without it."}
}

// call sends a request, within its time.
func (q *question) call(ctx context.Context, method string, params, result any) error {
	bounded, cancel := context.WithTimeoutCause(ctx, queryTime, &tool.Error{Kind: tool.TimedOut, Text: fmt.Sprintf("%s did not answer in %v.", q.srv.kind.name, queryTime), Hint: "Use grep."})
	defer cancel()
	err := q.srv.conn.Call(bounded, method, params, result)
	switch {
	case err == nil:
		q.srv.answered()
	case isServerError(err):
		return &tool.Error{Text: q.srv.kind.name + ": " + oneLine(err.Error())}
	case ctx.Err() == nil && bounded.Err() != nil:
		q.silent(q.srv)
	default:
		return q.trouble(q.srv, err)
	}
	return err
}

// place is a position in a file, as requests take it.
type place struct {
	uri string
	Position
}

func (p place) params() map[string]any {
	return map[string]any{"textDocument": map[string]any{"uri": p.uri}, "position": p.Position}
}

// position finds a symbol on a line: models count lines well and columns badly.
func (q *question) position(n int, symbol string) (place, error) {
	if n < 1 || symbol == "" {
		return place{}, &tool.Error{Kind: tool.BadArguments, Text: "line and symbol are missing", Hint: "Name the line, and the symbol as it is written there."}
	}
	text := line(q.text, n-1)
	name := symbol[strings.LastIndexByte(symbol, '.')+1:]
	at := find(text, symbol)
	if at < 0 {
		at = find(text, name)
	} else {
		at += len(symbol) - len(name)
	}
	if at < 0 {
		hint := ""
		for d := 1; d <= 3 && hint == ""; d++ {
			for _, near := range []int{n - 1 - d, n - 1 + d} {
				if near >= 0 && find(line(q.text, near), name) >= 0 {
					hint = fmt.Sprintf("It is on line %d", near+1)
				}
			}
		}
		return place{}, &tool.Error{Kind: tool.NotFound, Text: fmt.Sprintf("%q is not on line %d of %s: %s", symbol, n, q.shown(q.path), oneLine(text)), Hint: hint}
	}
	return place{uriOf(q.path), Position{Line: n - 1, Character: countUnits(text[:at])}}, nil
}

// find finds a name in a line, as a whole word where it is one; -1 where it is not there.
func find(text, name string) int {
	for from := 0; ; {
		i := strings.Index(text[from:], name)
		if i < 0 {
			return strings.Index(text, name)
		}
		at := from + i
		if !(at > 0 && isWord(text[at-1]) && isWord(name[0])) && !(at+len(name) < len(text) && isWord(text[at+len(name)]) && isWord(name[len(name)-1])) {
			return at
		}
		from = at + 1
	}
}

func isWord(c byte) bool {
	return c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= 0x80
}

// locations reads the forms that a server's places have: one, several, or links.
func locations(raw json.RawMessage) []fileRange {
	var all []fileRange
	if json.Unmarshal(raw, &all) != nil {
		var one fileRange
		if json.Unmarshal(raw, &one) == nil && one.URI+one.TargetURI != "" {
			all = []fileRange{one}
		}
	}
	for i, l := range all {
		if l.URI == "" {
			all[i].URI, all[i].Range = l.TargetURI, l.TargetRange
		}
	}
	return all
}

// places writes places with their lines of text.
func (s *Servers) places(all []fileRange, r *tool.Reply) {
	if len(all) == 0 {
		fmt.Fprintln(r, "nothing found")
		return
	}
	texts := map[string]string{}
	written := 0
	for i, l := range all {
		if i == mostPlaces || written > mostBytes {
			fmt.Fprintf(r, "… %d more\n", len(all)-i)
			return
		}
		n, _ := fmt.Fprintln(r, s.at(pathOf(l.URI), l.Range.Start, texts))
		written += n
	}
}

// at is a place as a line: path, line, column, and the text of the line.
func (s *Servers) at(path string, p Position, texts map[string]string) string {
	where := fmt.Sprintf("%s:%d:%d", s.shown(path), p.Line+1, p.Character+1)
	if !within(s.Dir, path) || s.Secret != nil && s.Secret(path) {
		return where
	}
	return where + ": " + oneLine(line(s.text(texts, path), p.Line))
}
