package sessions

import (
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/html"

	"rein/event"
	"rein/journal"
	"rein/tool"
)

// hostile is text that tries to become something else in a document.
const hostile = "</pre></script><script>alert(1)</script><img src=x onerror=alert(2)> \"' onmouseover=\"x ``` \x1b[31m \u202e & <!-- ]]> javascript:alert(3)"

func transcriptStory() iter.Seq2[event.Event, error] {
	at := time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC)
	shown, _ := json.Marshal(tool.Detail{Changes: []tool.Change{{Path: "a.go" + hostile, Added: 1, Removed: 1, Diff: "1 -old\n1 +new " + hostile}}})
	message := func(kind, text string) json.RawMessage {
		m, _ := json.Marshal(map[string]any{"role": kind, "parts": []map[string]any{{"kind": "thinking", "text": "think " + hostile}, {"kind": "text", "text": text},
			{"kind": "image", "media_type": "image/png", "data": []byte("png")}, {"kind": "image", "media_type": "image/svg+xml\" onload=\"x", "data": []byte("<svg onload=alert(1)>")}}})
		return m
	}
	args, _ := json.Marshal(map[string]string{"command": "go test " + hostile})
	events := []event.Event{
		{Kind: event.Started}, {Kind: event.Prompted, Text: "left " + hostile}, {Kind: event.Rewound, At: 2},
		{Kind: event.Prompted, Text: "fix **it** `now`\n\n# Title " + hostile, Message: message("user", "x")},
		{Kind: event.Responded, Text: "Done:\n```go\ncode " + hostile + "\n```\n**b " + hostile + "**", Message: message("assistant", "y")},
		{Kind: event.Called, Call: &tool.Call{ID: "1", Name: "edit" + hostile, Args: args}},
		{Kind: event.Granted, Call: &tool.Call{ID: "1"}, Answer: &event.Answer{Choice: "approved", By: "user", Words: hostile}},
		{Kind: event.Replied, Call: &tool.Call{ID: "1"}, Result: &tool.Result{Text: "result " + hostile, Failed: true, Detail: shown}},
		{Kind: event.Called, Call: &tool.Call{ID: "2", Name: "bash", Args: []byte(`["no object"]`)}},
		{Kind: event.Stopped, Stop: event.Failed, Text: hostile},
	}
	return func(yield func(event.Event, error) bool) {
		for i, e := range events {
			if e.Seq, e.Time = int64(i+1), at; !yield(e, nil) {
				return
			}
		}
	}
}

func about() transcriptAbout {
	return transcriptAbout{ID: "id", Title: "a title " + hostile, Dir: "/w" + hostile, Model: "m", Tags: []string{hostile}}
}

func write(t *testing.T, f TranscriptFormat) string {
	t.Helper()
	var b strings.Builder
	if err := writeTranscript(&b, f, about(), transcriptStory()); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// The page has exactly the elements and attributes that we write, whatever the text is, and nothing that makes a request.
func TestTextInThePageStaysText(t *testing.T) {
	page := write(t, htmlFormat)
	root, err := html.Parse(strings.NewReader(page))
	if err != nil {
		t.Fatal(err)
	}
	allowed := map[string]string{"html": "lang", "head": "", "meta": "charset http-equiv content name", "title": "", "style": "", "body": "", "header": "", "h1": "", "h2": "", "h3": "",
		"dl": "", "dt": "", "dd": "", "div": "class", "input": "id type placeholder aria-label autocomplete", "output": "id", "button": "id type", "main": "", "article": "class id",
		"details": "class id", "summary": "", "span": "class", "b": "", "code": "class", "pre": "class", "p": "class", "strong": "", "time": "datetime", "img": "alt src", "script": ""}
	scripts := 0
	var walk func(n *html.Node)
	walk = func(n *html.Node) {
		if n.Type == html.ElementNode {
			attributes, ok := allowed[n.Data]
			if !ok {
				t.Errorf("the page has an element %s", n.Data)
			}
			for _, a := range n.Attr {
				if !strings.Contains(" "+attributes+" ", " "+a.Key+" ") {
					t.Errorf("%s has an attribute %s", n.Data, a.Key)
				}
				if a.Key == "src" && !strings.HasPrefix(a.Val, "data:image/png;base64,") {
					t.Errorf("the page loads %.60s", a.Val)
				}
			}
			if n.Data == "script" {
				if scripts++; n.FirstChild.Data != pageScript {
					t.Errorf("another script: %.80s", n.FirstChild.Data)
				}
			}
		}
		for c := n.FirstChild; c != nil; c = c.NextSibling {
			walk(c)
		}
	}
	walk(root)
	if scripts != 1 {
		t.Errorf("%d scripts", scripts)
	}
	for _, want := range []string{"default-src 'none'", "script-src 'sha256-", `class="del">1 -old`, `class="add">1 +new`, "prefers-color-scheme: dark", `<strong>it</strong>`, `<code>now</code>`, `class="call failed"`, `class="call open"`, "approved by user"} {
		if !strings.Contains(page, want) {
			t.Errorf("the page has no %s", want)
		}
	}
	if strings.Contains(page, "left &lt;") || strings.ContainsAny(page, "\x1b\u202e") {
		t.Error("the page has what the user went back from, or control characters")
	}
	if regexp.MustCompile(`(?i)https?://|@import|url\(`).MatchString(pageStyle + pageScript) {
		t.Error("the style or the script makes requests")
	}
}

// Messages are Markdown in the page. Nothing in them is an element of their own, an address that runs something, or loads anything.
func TestMarkdownInThePage(t *testing.T) {
	for _, row := range []struct{ markdown, want string }{
		{"- a\n- *b*\n\n1. c", "<ul>\n<li>a</li>\n<li><em>b</em></li>\n</ul>\n<ol>\n<li>c</li>\n</ol>"},
		{"| a | b |\n|---|--:|\n| 1 | `2` |", "<table>\n<tr><th align=\"left\">a</th><th align=\"right\">b</th></tr>\n<tr><td align=\"left\">1</td><td align=\"right\"><code>2</code></td></tr>\n</table>"},
		{"above\n| a |\n|---|\n| <b>*x*</b> | more |", "<p>above</p>\n<table>\n<tr><th align=\"left\">a</th></tr>\n<tr><td align=\"left\">&lt;b&gt;<em>x</em>&lt;/b&gt;</td></tr>\n</table>"},
		{"| a |\n|---|\n| ![p](https://example.com/x.png) |\n| # t |", "<td align=\"left\"><a href=\"https://example.com/x.png\">p</a></td></tr>\n<tr><td align=\"left\"># t</td>"},
		{"not ~~a <b>~~ but ~one~ and ~~two", "not <del>a &lt;b&gt;</del> but ~one~ and ~~two"},
		{"# Title", "<h3>Title</h3>"},
		{"> said", "<blockquote>\n<p>said</p>\n</blockquote>"},
		{"one\ntwo", "<p>one<br>\ntwo</p>"},
		{"[x](https://example.com/?a=1&b)", `<a href="https://example.com/?a=1&amp;b">x</a>`},
		{"[x](javascript:alert(1))", `<a href="">x</a>`},
		{"![a *picture*](https://example.com/x.png)", `<a href="https://example.com/x.png">a <em>picture</em></a>`},
		{"<b onclick=x>bold</b>", "&lt;b onclick=x&gt;bold&lt;/b&gt;"},
		{"<div>\n<script>alert(1)</script>\n</div>", "&lt;script&gt;alert(1)&lt;/script&gt;"},
		{"```go\na < b\n```", `<pre><code class="language-go">a &lt; b`},
	} {
		var b strings.Builder
		htmlText(&b, row.markdown)
		if !strings.Contains(b.String(), row.want) {
			t.Errorf("%q is %q, want %q", row.markdown, b.String(), row.want)
		}
	}
}

// A command that ended with an error is marked, as the tool's own failure is.
func TestAFailedCommandIsMarked(t *testing.T) {
	detail, _ := json.Marshal(tool.Detail{Command: &tool.CommandDetail{ExitCode: 1}})
	events := []event.Event{{Kind: event.Called, Call: &tool.Call{ID: "1", Name: "bash", Args: []byte(`{}`)}},
		{Kind: event.Replied, Call: &tool.Call{ID: "1"}, Result: &tool.Result{Text: "no", Detail: detail}}}
	for format, want := range map[TranscriptFormat]string{htmlFormat: `class="call failed"`, MarkdownFormat: "(failed)"} {
		var b strings.Builder
		err := writeTranscript(&b, format, transcriptAbout{}, func(yield func(event.Event, error) bool) {
			for _, e := range events {
				if !yield(e, nil) {
					return
				}
			}
		})
		if err != nil || !strings.Contains(b.String(), want) {
			t.Errorf("%v: %v, no %q", format, err, want)
		}
	}
}

func TestMarkdown(t *testing.T) {
	text := write(t, MarkdownFormat)
	for _, want := range []string{"# a title", "## User", "## Model", "### Call: edit", "(failed)", "(no result)", "````json", "````diff\n1 -old\n1 +new", "> Stopped: error."} {
		if !strings.Contains(text, want) {
			t.Errorf("there is no %q in:\n%s", want, text)
		}
	}
	if strings.Contains(text, "left ") {
		t.Error("it has what the user went back from")
	}
}

func TestJSONHasEverything(t *testing.T) {
	var d transcriptDocument
	if err := json.Unmarshal([]byte(write(t, jsonFormat)), &d); err != nil {
		t.Fatal(err)
	}
	n := 0
	for range transcriptStory() {
		n++
	}
	if d.Program != "rein" || d.Version != transcriptVersion || len(d.Events) != n || d.Events[2].Kind != event.Rewound {
		t.Errorf("%+v", d)
	}
}

// A journal with events that lack what their kind has is shown, searched, counted and exported without them.
func TestEventsThatLackTheirCall(t *testing.T) {
	root := t.TempDir()
	dir := filepath.Join(root, "s1")
	lines := `{"kind":"started","seq":1,"session":"s1","start":{"model":"m","mode":"supervised","dir":"/w"}}
{"kind":"prompt","seq":2,"session":"s1","text":"hello","message":{"role":"user","parts":[{"kind":"text","text":"hello"}]}}
`
	for i, kind := range []string{"called", "granted", "refused", "approval_requested", "approval_void", "replied", "reviewed", "files_modified", "files_undone", "compacted", "hook"} {
		lines += fmt.Sprintf(`{"kind":%q,"seq":%d,"session":"s1"}`+"\n", kind, i+3)
	}
	if err := errors.Join(os.Mkdir(dir, 0o700), os.WriteFile(filepath.Join(dir, journal.FileName), []byte(lines), 0o600)); err != nil {
		t.Fatal(err)
	}
	store := New(Dirs{Sessions: root}, nil)
	defer store.Close()
	for _, format := range []TranscriptFormat{MarkdownFormat, htmlFormat, jsonFormat} {
		var out strings.Builder
		if err := store.Export(&out, "s1", format); err != nil || !strings.Contains(out.String(), "hello") {
			t.Errorf("%s: %v\n%s", format, err, out.String())
		}
	}
	if _, err := store.Use("s1"); err != nil {
		t.Error(err)
	}
	if _, err := store.Messages("s1"); err != nil {
		t.Error(err)
	}
	if all, _, err := store.List(t.Context(), Filter{}); err != nil || len(all) != 1 {
		t.Errorf("the list: %v, %v", all, err)
	}
	checked, err := store.Check("s1", true)
	if err != nil || len(checked.Problems) != 11 || checked.Unrepaired() {
		t.Errorf("the check: %+v, %v", checked, err)
	}
}

// A call that continues after a restart, or that the user changed, is recorded again; it is one call.
func TestACallThatContinuesIsOne(t *testing.T) {
	call := func(args string) *tool.Call { return &tool.Call{ID: "1", Name: "bash", Args: []byte(args)} }
	items, err := readItems(func(yield func(event.Event, error) bool) {
		for _, e := range []event.Event{{Kind: event.Called, Call: call(`{"command":"a"}`)}, {Kind: event.Stopped, Stop: event.Waiting},
			{Kind: event.Called, Call: call(`{"command":"b"}`)}, {Kind: event.Replied, Call: call("null"), Result: &tool.Result{Text: "done"}}} {
			if !yield(e, nil) {
				return
			}
		}
	})
	if err != nil || len(items) != 2 || items[1].args != `{"command":"b"}` || !items[1].done {
		t.Errorf("%+v, %v", items, err)
	}
}
