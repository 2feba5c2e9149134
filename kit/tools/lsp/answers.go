package lsp

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"rein/tool"
)

// hover writes the type and the documentation of a symbol.
func (q *question) hover(ctx context.Context, at place, r *tool.Reply) error {
	var answer struct {
		Contents json.RawMessage `json:"contents"`
	}
	if err := q.call(ctx, "textDocument/hover", at.params(), &answer); err != nil {
		return err
	}
	text := strings.TrimSpace(contents(answer.Contents))
	if text == "" {
		text = "nothing is known about it"
	}
	if len(text) > mostBytes {
		text = strings.ToValidUTF8(text[:mostBytes], "") + "…"
	}
	fmt.Fprintln(r, text)
	return nil
}

// contents reads the three forms of a hover's text.
func contents(raw json.RawMessage) string {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		return text
	}
	var marked struct{ Value string }
	if json.Unmarshal(raw, &marked) == nil {
		return marked.Value
	}
	var list []json.RawMessage
	_ = json.Unmarshal(raw, &list)
	var all []string
	for _, x := range list {
		all = append(all, contents(x))
	}
	return strings.Join(all, "\n")
}

// hierarchy writes the callers of a function, or what it calls.
func (q *question) hierarchy(ctx context.Context, action string, at place, r *tool.Reply) error {
	var items []json.RawMessage
	if err := q.call(ctx, "textDocument/prepareCallHierarchy", at.params(), &items); err != nil {
		return err
	}
	if len(items) == 0 {
		fmt.Fprintln(r, "this is not a function")
		return nil
	}
	type item struct {
		Name           string `json:"name"`
		URI            string `json:"uri"`
		SelectionRange Range  `json:"selectionRange"`
	}
	var calls []struct {
		From       item    `json:"from"`
		To         item    `json:"to"`
		FromRanges []Range `json:"fromRanges"`
	}
	if err := q.call(ctx, queries[action], map[string]any{"item": items[0]}, &calls); err != nil {
		return err
	}
	if len(calls) == 0 {
		fmt.Fprintln(r, "no calls")
	}
	texts, written := map[string]string{}, 0
	for i, c := range calls {
		if i == mostPlaces || written > mostBytes {
			fmt.Fprintf(r, "… %d more\n", len(calls)-i)
			return nil
		}
		other, file := c.From, c.From.URI
		if action == "outgoing_calls" {
			other, file = c.To, uriOf(q.path)
		}
		n, _ := fmt.Fprintf(r, "%s  %s\n", other.Name, q.at(pathOf(other.URI), other.SelectionRange.Start, texts))
		written += n
		for k, at := range c.FromRanges {
			if k == 5 {
				fmt.Fprintf(r, "    … and %d more\n", len(c.FromRanges)-k)
				break
			}
			fmt.Fprintln(r, "    called at "+q.at(pathOf(file), at.Start, texts))
		}
	}
	return nil
}

// symbols writes the outline of a file.
func (q *question) symbols(ctx context.Context, r *tool.Reply) error {
	var all []symbolInfo
	if err := q.call(ctx, "textDocument/documentSymbol", map[string]any{"textDocument": map[string]any{"uri": uriOf(q.path)}}, &all); err != nil {
		return err
	}
	if len(all) == 0 {
		fmt.Fprintln(r, "no symbols")
	}
	left := 500
	var write func(list []symbolInfo, depth int)
	write = func(list []symbolInfo, depth int) {
		for _, s := range list {
			if left--; left < 0 {
				return
			}
			at := s.SelectionRange
			if s.Location.URI != "" {
				at = s.Location.Range
			}
			fmt.Fprintf(r, "%s%d: %s %s%s\n", strings.Repeat("  ", depth), at.Start.Line+1, s.KindName(), oneLine(s.Name), detailOf(s))
			write(s.Children, depth+1)
		}
	}
	write(all, 0)
	if left < 0 {
		fmt.Fprintln(r, "… more symbols: read the file")
	}
	return nil
}

func detailOf(s symbolInfo) string {
	if s.Detail == "" {
		return ""
	}
	return " " + oneLine(s.Detail)
}

// diagnostics writes what the server says about a file.
func (q *question) diagnostics(ctx context.Context, r *tool.Reply) error {
	bounded, cancel := context.WithTimeout(ctx, queryTime)
	defer cancel()
	// A new version makes the server say it again.
	q.srv.mu.Lock()
	if d := q.srv.docs[q.path]; d != nil && !q.srv.pulls {
		d.text = "" // not what the file has: show sends it again
		if q.text == "" {
			d.text = " "
		}
	}
	q.srv.mu.Unlock()
	if err := q.srv.show(q.path, q.text); err != nil {
		return q.trouble(q.srv, err)
	}
	all, err := q.srv.after(bounded, []Change{{Path: q.path}}, q.abs)
	if err != nil {
		return q.trouble(q.srv, err)
	}
	list := all[q.path]
	if len(list) == 0 {
		fmt.Fprintln(r, "no diagnostics")
	}
	for i, d := range list {
		if i == mostPlaces {
			fmt.Fprintf(r, "… %d more\n", len(list)-i)
			break
		}
		severity := severities[d.Severity]
		if severity == "" {
			severity = "hint"
		}
		fmt.Fprintf(r, "%d:%d: %s: %s\n", d.Range.Start.Line+1, d.Range.Start.Character+1, severity, oneLine(d.Message))
	}
	return nil
}

// workspaceSymbols asks the servers of the workspace's root.
func (s *Servers) workspaceSymbols(ctx context.Context, in queryArgs, r *tool.Reply) error {
	if in.Query == "" {
		in.Query = in.Symbol
	}
	if in.Query == "" {
		return &tool.Error{Kind: tool.BadArguments, Text: "query is missing", Hint: "Send a part of a name."}
	}
	path := in.Path
	if path == "" {
		path = s.anyFile()
	}
	if path == "" {
		return &tool.Error{Kind: tool.BadArguments, Text: "path is missing", Hint: "Name a file of the language."}
	}
	q, err := s.open(ctx, path)
	if err != nil {
		return err
	}
	var all []symbolInfo
	if err := q.call(ctx, "workspace/symbol", map[string]any{"query": in.Query}, &all); err != nil {
		return err
	}
	if len(all) == 0 {
		fmt.Fprintln(r, "nothing found")
	}
	texts := map[string]string{}
	for i, x := range all {
		if i == mostPlaces {
			fmt.Fprintf(r, "… %d more: a longer query finds less\n", len(all)-i)
			break
		}
		fmt.Fprintf(r, "%s %s  %s\n", x.KindName(), oneLine(x.Name), s.at(pathOf(x.Location.URI), x.Location.Range.Start, texts))
	}
	return nil
}

// anyFile finds a file for which a server is installed: in the workspace itself or in a directory of it.
func (s *Servers) anyFile() string {
	for _, pattern := range []string{"*", "*/*", "*/*/*"} {
		names, _ := filepath.Glob(filepath.Join(s.Dir, pattern)) // the pattern is a good one
		for _, n := range names[:min(len(names), 5000)] {
			if k := kindOf(n); k != nil && k.command() != nil {
				if info, err := os.Lstat(n); err == nil && info.Mode().IsRegular() {
					return n
				}
			}
		}
	}
	return ""
}
