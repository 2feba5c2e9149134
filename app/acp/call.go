package acp

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"

	sdk "github.com/coder/acp-go-sdk"

	"rein/tool"
)

// shape is how a client shows the calls of a tool.
type shape struct {
	kind sdk.ToolKind
	verb string
	arg  string // the argument that says most
}

// shapeOf returns the shape of our tools. All others are shown by their name.
func shapeOf(name string) (shape, bool) {
	s, ok := map[string]shape{
		"read_file":     {sdk.ToolKindRead, "Read", "path"},
		"list_dir":      {sdk.ToolKindRead, "List", "path"},
		"recall":        {sdk.ToolKindRead, "Recall", "query"},
		"glob":          {sdk.ToolKindSearch, "Find", "pattern"},
		"grep":          {sdk.ToolKindSearch, "Search", "pattern"},
		"edit_file":     {sdk.ToolKindEdit, "Edit", "path"},
		"write_file":    {sdk.ToolKindEdit, "Write", "path"},
		"insert":        {sdk.ToolKindEdit, "Insert into", "path"},
		"undo_edit":     {sdk.ToolKindEdit, "Undo the edit of", "path"},
		"notebook_edit": {sdk.ToolKindEdit, "Edit", "path"},
		"agent_diff":    {sdk.ToolKindRead, "Show the changes of", "id"},
		"agent_apply":   {sdk.ToolKindEdit, "Take over the changes of", "id"},
		"apply_patch":   {sdk.ToolKindEdit, "Apply a patch", ""},
		"bash":          {sdk.ToolKindExecute, "", "command"},
		"job_output":    {sdk.ToolKindExecute, "Output of job", "job"},
		"job_input":     {sdk.ToolKindExecute, "Input for job", "job"},
		"job_kill":      {sdk.ToolKindExecute, "Kill job", "job"},
		"run_code":      {sdk.ToolKindExecute, "Run code", ""},
		"agent":         {sdk.ToolKindThink, "Agent:", "task"},
		"web_fetch":     {sdk.ToolKindFetch, "Fetch", "url"},
		"web_search":    {sdk.ToolKindFetch, "Search the web for", "query"},
		"http_request":  {sdk.ToolKindFetch, "Request", "url"},
	}[name]
	return s, ok
}

func kindOfTool(name string) sdk.ToolKind {
	s, _ := shapeOf(name)
	return cmp.Or(s.kind, sdk.ToolKindOther)
}

// mostTitle is the length of a title in characters.
const mostTitle = 200

// titleOf says in one line what a call does.
func titleOf(c tool.Call) string {
	s, ok := shapeOf(c.Name)
	var args map[string]any
	if !ok || json.Unmarshal(c.Args, &args) != nil {
		return c.Name
	}
	arg, _ := args[s.arg].(string)
	title := strings.Join(strings.Fields(s.verb+" "+arg), " ")
	if c.Name == "bash" {
		title = strings.TrimSpace(arg)
	}
	if runes := []rune(title); len(runes) > mostTitle {
		title = string(runes[:mostTitle-1]) + "…"
	}
	return cmp.Or(title, c.Name)
}

// rawInput returns the arguments as the client gets them.
func rawInput(args json.RawMessage) any {
	if !json.Valid(args) {
		return map[string]any{"text": string(args)}
	}
	return args
}

// locations are the files that a call touches, as absolute paths. Each is listed once.
func locations(i *tool.Intent, d *tool.Detail, root string) []sdk.ToolCallLocation {
	var all []sdk.ToolCallLocation
	add := func(path string, line int) {
		if !filepath.IsAbs(path) {
			path = filepath.Join(root, path)
		}
		for _, l := range all {
			if l.Path == path {
				return
			}
		}
		l := sdk.ToolCallLocation{Path: path}
		if line > 0 {
			l.Line = &line
		}
		all = append(all, l)
	}
	if i != nil {
		for _, p := range append(i.Writes[:len(i.Writes):len(i.Writes)], i.Reads...) {
			add(p, 0)
		}
	}
	if d != nil {
		for _, c := range d.Changes {
			add(c.Path, firstLine(c.Diff))
		}
		if d.Read != nil {
			add(d.Read.Path, int(d.Read.First))
		}
	}
	return all
}

// firstLine is the first line of the new text that a diff shows; 0 when it has none.
func firstLine(diff string) (line int) {
	if _, at, ok := strings.Cut(diff, "+"); ok && strings.HasPrefix(diff, "@@ ") {
		if _, err := fmt.Sscanf(at, "%d", &line); err != nil {
			return 0
		}
	}
	return line
}

// resultContent is what the client shows of a result: diffs of changed files, else the text and the images.
func resultContent(r tool.Result, d tool.Detail, root string) []sdk.ToolCallContent {
	if len(d.Changes) > 0 && !r.Failed {
		var all []sdk.ToolCallContent
		for _, c := range d.Changes {
			all = append(all, diffs(c, root)...)
		}
		return all
	}
	text := r.Text
	if d.Command != nil || d.Read != nil || d.Found != nil {
		text = fenced(text)
	}
	all := []sdk.ToolCallContent{sdk.ToolContent(sdk.TextBlock(text))}
	for _, p := range r.Parts {
		switch p.Kind {
		case tool.ImagePart:
			all = append(all, sdk.ToolContent(sdk.ImageBlock(base64Of(p.Data), p.MediaType)))
		case tool.LinkPart:
			all = append(all, sdk.ToolContent(sdk.ResourceLinkBlock(cmp.Or(p.Name, p.URI), p.URI)))
		}
	}
	return all
}

// fenced puts text into a code block that it cannot end.
func fenced(text string) string {
	fence := "```"
	for strings.Contains(text, fence) {
		fence += "`"
	}
	return fence + "\n" + strings.TrimRight(text, "\n") + "\n" + fence
}

// diffs are the places of a change, one diff for each: the protocol wants the old and the new text.
func diffs(c tool.Change, root string) []sdk.ToolCallContent {
	path := c.Path
	if !filepath.IsAbs(path) {
		path = filepath.Join(root, path)
	}
	var all []sdk.ToolCallContent
	for _, h := range hunks(c.Diff) {
		if c.Created {
			all = append(all, sdk.ToolDiffContent(path, h.after))
		} else {
			all = append(all, sdk.ToolDiffContent(path, h.after, h.before))
		}
	}
	if len(all) == 0 || c.Cut {
		lines, _ := c.Lines()
		all = append(all, sdk.ToolContent(sdk.TextBlock(lines[0])))
	}
	return all
}

type hunk struct{ before, after string }

// hunks returns the texts before and after a unified diff, for each place of it.
func hunks(diff string) []hunk {
	var all []hunk
	var before, after bytes.Buffer
	end := func() {
		if before.Len()+after.Len() > 0 {
			all = append(all, hunk{before.String(), after.String()})
		}
		before.Reset()
		after.Reset()
	}
	for line := range strings.Lines(diff) {
		switch line[0] {
		case '@':
			end()
		case '-':
			before.WriteString(line[1:])
		case '+':
			after.WriteString(line[1:])
		case ' ':
			before.WriteString(line[1:])
			after.WriteString(line[1:])
		}
	}
	end()
	return all
}
