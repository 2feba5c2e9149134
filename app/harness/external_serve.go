package harness

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"net/url"
	"path/filepath"
	"slices"
	"strings"

	sdk "github.com/coder/acp-go-sdk"
)

// handle answers what the agent asks its client for.
func (r *externalRun) handle(ctx context.Context, method string, raw json.RawMessage) (answer any, failed *sdk.RequestError) {
	defer func() { // the library would let a panic end the program
		if wrong := recover(); wrong != nil {
			answer, failed = nil, &sdk.RequestError{Code: -32603, Message: method + " failed inside of rein"}
		}
	}()
	answer, err := r.serve(ctx, method, raw)
	if err == nil {
		return answer, nil
	}
	if e, ok := errors.AsType[*sdk.RequestError](err); ok {
		return nil, e
	}
	if errors.Is(err, context.Canceled) {
		return nil, sdk.NewRequestCancelled(nil)
	}
	return nil, &sdk.RequestError{Code: -32603, Message: err.Error()}
}

func (r *externalRun) serve(ctx context.Context, method string, raw json.RawMessage) (any, error) {
	switch method {
	case sdk.ClientMethodSessionUpdate:
		r.updated(raw)
		return nil, nil
	case sdk.ClientMethodSessionRequestPermission:
		return decodeRequest(ctx, raw, r.permission)
	case sdk.ClientMethodFsReadTextFile:
		return decodeRequest(ctx, raw, r.read)
	case sdk.ClientMethodFsWriteTextFile:
		return decodeRequest(ctx, raw, r.write)
	case sdk.ClientMethodTerminalCreate:
		return decodeRequest(ctx, raw, r.create)
	case sdk.ClientMethodTerminalOutput:
		return decodeRequest(ctx, raw, r.output)
	case sdk.ClientMethodTerminalWaitForExit:
		return decodeRequest(ctx, raw, r.wait)
	case sdk.ClientMethodTerminalKill:
		return decodeRequest(ctx, raw, r.kill)
	case sdk.ClientMethodTerminalRelease:
		return decodeRequest(ctx, raw, r.release)
	}
	return nil, sdk.NewMethodNotFound(method)
}

func decodeRequest[P, R any](ctx context.Context, raw json.RawMessage, do func(context.Context, P) (R, error)) (any, error) {
	var p P
	if err := json.Unmarshal(raw, &p); err != nil {
		return nil, &sdk.RequestError{Code: -32602, Message: err.Error()}
	}
	return do(ctx, p)
}

// permission asks whether the agent may do something by itself. It gets a permission for this once: what lasts is decided
// by the rules here, not by the agent. An agent that takes no such permission is refused.
func (r *externalRun) permission(ctx context.Context, p sdk.RequestPermissionRequest) (sdk.RequestPermissionResponse, error) {
	action := r.actionOf(p.ToolCall)
	once := selectOption(p.Options, sdk.PermissionOptionKindAllowOnce)
	refused := selectOption(p.Options, sdk.PermissionOptionKindRejectOnce, sdk.PermissionOptionKindRejectAlways)
	if once.Selected == nil {
		r.say("\n["+action.Title+": refused, because "+r.o.Name+" takes no permission for this once]\n", false)
		return sdk.RequestPermissionResponse{Outcome: refused}, nil
	}
	result, err := r.ask(ctx, actionTool, action)
	switch {
	case errors.Is(err, context.Canceled):
		return sdk.RequestPermissionResponse{Outcome: sdk.NewRequestPermissionOutcomeCancelled()}, nil
	case err != nil:
		return sdk.RequestPermissionResponse{}, err
	case result.Failed:
		return sdk.RequestPermissionResponse{Outcome: refused}, nil
	}
	return sdk.RequestPermissionResponse{Outcome: once}, nil
}

// selectOption selects the first of the options that has one of these kinds, the first kind before the second; cancelled without
// one.
func selectOption(options []sdk.PermissionOption, kinds ...sdk.PermissionOptionKind) sdk.RequestPermissionOutcome {
	for _, kind := range kinds {
		if i := slices.IndexFunc(options, func(o sdk.PermissionOption) bool { return o.Kind == kind }); i >= 0 {
			return sdk.NewRequestPermissionOutcomeSelected(options[i].OptionId)
		}
	}
	return sdk.NewRequestPermissionOutcomeCancelled()
}

// actionOf returns what the agent shows of a call as an action. What cannot be understood may be anything.
func (r *externalRun) actionOf(u sdk.ToolCallUpdate) externalAction {
	r.mu.Lock()
	known := r.calls[u.ToolCallId]
	r.mu.Unlock()
	kind := sdk.ToolKindOther
	for _, k := range []*sdk.ToolKind{known.Kind, u.Kind} {
		if k != nil && *k != "" {
			kind = *k
		}
	}
	title := ""
	for _, t := range []*string{known.Title, u.Title} {
		if t != nil && *t != "" {
			title = *t
		}
	}
	a := externalAction{Agent: r.o.Name, Title: cmp.Or(title, "an action without a title")}
	input := rawObject(u.RawInput)
	if input == nil {
		input = rawObject(known.RawInput)
	}
	places := r.places(slices.Concat(known.Locations, u.Locations), slices.Concat(known.Content, u.Content))
	switch kind {
	case sdk.ToolKindExecute:
		a.Command = shellCommandOf(input)
		a.Unknown = a.Command == ""
	case sdk.ToolKindEdit, sdk.ToolKindDelete, sdk.ToolKindMove:
		a.Writes = places
	case sdk.ToolKindRead, sdk.ToolKindSearch:
		a.Reads = places
	case sdk.ToolKindFetch:
		var address string
		if json.Unmarshal(input["url"], &address) == nil {
			if u, err := url.Parse(address); err == nil && u.Host != "" {
				a.Hosts = []string{u.Host}
			}
		}
	}
	return a // an action that lists nothing is unknown: see Action.Intent
}

// places are the files that a call names, each once.
func (r *externalRun) places(locations []sdk.ToolCallLocation, content []sdk.ToolCallContent) (all []string) {
	for _, l := range locations {
		all = append(all, l.Path)
	}
	for _, c := range content {
		if c.Diff != nil {
			all = append(all, c.Diff.Path)
		}
	}
	for i, p := range all {
		if !filepath.IsAbs(p) {
			all[i] = filepath.Join(r.o.Dir, p)
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// shellCommandOf finds the command in the arguments of an agent's own shell tool: a text, or a list of words.
func shellCommandOf(input map[string]json.RawMessage) string {
	for _, name := range []string{"command", "cmd", "script"} {
		var text string
		if json.Unmarshal(input[name], &text) == nil && text != "" {
			return text
		}
		var words []string
		if json.Unmarshal(input[name], &words) == nil && len(words) > 0 {
			return quoteWords(words)
		}
	}
	return ""
}

// quoteWords joins words to a command line of a shell.
func quoteWords(words []string) string {
	out := make([]string, len(words))
	for i, w := range words {
		if w != "" && strings.IndexFunc(w, func(c rune) bool {
			return !(c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || strings.ContainsRune("-_./=:,+@%", c))
		}) < 0 {
			out[i] = w
			continue
		}
		out[i] = "'" + strings.ReplaceAll(w, "'", `'\''`) + "'"
	}
	return strings.Join(out, " ")
}

// read returns a file, when read_file was allowed to read it.
func (r *externalRun) read(ctx context.Context, p sdk.ReadTextFileRequest) (sdk.ReadTextFileResponse, error) {
	args := map[string]any{"path": p.Path}
	if p.Line != nil && *p.Line > 0 {
		args["offset"] = *p.Line
	}
	if p.Limit != nil && *p.Limit > 0 {
		args["limit"] = *p.Limit
	}
	result, err := r.ask(ctx, "read_file", args)
	if err != nil {
		return sdk.ReadTextFileResponse{}, err
	}
	if result.Failed {
		return sdk.ReadTextFileResponse{}, &sdk.RequestError{Code: -32603, Message: result.Text}
	}
	data, err := r.o.Read(p.Path)
	if err != nil {
		return sdk.ReadTextFileResponse{}, err
	}
	return sdk.ReadTextFileResponse{Content: lineWindow(string(data), p.Line, p.Limit)}, nil
}

// lineWindow returns the lines of a text from line (from 1) on, at most limit; nil is all.
func lineWindow(text string, line, limit *int) string {
	lines := strings.SplitAfter(text, "\n")
	if line != nil && *line > 1 {
		lines = lines[min(*line-1, len(lines)):]
	}
	if limit != nil && *limit >= 0 && *limit < len(lines) {
		lines = lines[:*limit]
	}
	return strings.Join(lines, "")
}

func (r *externalRun) write(ctx context.Context, p sdk.WriteTextFileRequest) (sdk.WriteTextFileResponse, error) {
	if r.o.Known != nil {
		r.o.Known(p.Path)
	}
	result, err := r.ask(ctx, "write_file", map[string]any{"path": p.Path, "content": p.Content})
	if err == nil && result.Failed {
		err = &sdk.RequestError{Code: -32603, Message: result.Text}
	}
	return sdk.WriteTextFileResponse{}, err
}
