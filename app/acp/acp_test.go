package acp

import (
	"bufio"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	sdk "github.com/coder/acp-go-sdk"

	"rein/app/harness"
	"rein/app/internal/rpc"
	"rein/tool"
)

const editing = `
turns:
  - text: I will look.
    calls: [{name: read_file, args: {path: a.txt}}]
  - calls: [{name: edit_file, args: {path: a.txt, old: unsaved, new: edited}}]
  - text: Done.
`

// TestUnsavedText: tools read what is in the editor, and edits go through the editor.
func TestUnsavedText(t *testing.T) {
	e := newEditor(t, editing, func(o *Options) { o.Harness.Allow = []string{"edit_file"} })
	path := e.write("a.txt", "one\non the disk\n")
	e.buffers[path] = "one\nunsaved\n"
	s := e.new()
	if reason := e.prompt(s.SessionId, sdk.TextBlock("Change a.txt")); reason != sdk.StopReasonEndTurn {
		t.Errorf("stopped: %s", reason)
	}
	if got := e.read(path); got != "one\nedited\n" {
		t.Errorf("the editor wrote %q", got)
	}
	if got := e.text(); got != "I will look.Done." {
		t.Errorf("the answer is %q", got)
	}
	calls := e.calls()
	if len(calls) != 2 || calls[0].Kind != sdk.ToolKindRead || calls[0].Title != "Read a.txt" || calls[0].Status != sdk.ToolCallStatusCompleted {
		t.Fatalf("calls: %+v", calls)
	}
	if l := calls[1].Locations; len(l) != 1 || l[0].Path != path || l[0].Line == nil {
		t.Errorf("locations: %+v", l)
	}
	d := calls[1].Content[0].Diff
	if d == nil || d.Path != path || *d.OldText != "one\nunsaved\n" || d.NewText != "one\nedited\n" || calls[1].Kind != sdk.ToolKindEdit {
		t.Errorf("the diff: %+v", calls[1].Content)
	}
}

const asking = `
turns:
  - calls: [{name: bash, args: {command: 'touch new1.txt'}}]
  - text: First.
  - calls: [{name: bash, args: {command: 'touch new1.txt'}}]
  - text: Second.
`

// TestPermission: what each choice of the user does.
func TestPermission(t *testing.T) {
	for _, row := range []struct {
		name, option, words string
		made, asks          int
		reason              sdk.StopReason
		model               string
	}{
		{"once", optionOnce, "", 1, 2, sdk.StopReasonEndTurn, ""},
		{"for the session", "session", "", 1, 1, sdk.StopReasonEndTurn, ""},
		{"for ever", "always", "", 1, 1, sdk.StopReasonEndTurn, ""},
		{"denied", optionDeny, "", 0, 2, sdk.StopReasonEndTurn, ""},
		{"denied with words", optionSay, "Use Rust.", 0, 2, sdk.StopReasonEndTurn, "Use Rust."},
		{"denied, the words come as the next message", optionSay, "", 0, 1, sdk.StopReasonCancelled, ""},
		{"an option that was not offered is no denial of the user", "everything", "", 0, 2, sdk.StopReasonEndTurn, "which was not offered"},
	} {
		t.Run(row.name, func(t *testing.T) {
			e := newEditor(t, asking)
			e.words = row.words
			e.pick = func(sdk.RequestPermissionRequest) sdk.RequestPermissionOutcome { return selected(row.option) }
			s := e.new()
			for i := range 2 {
				if reason := e.prompt(s.SessionId, sdk.TextBlock("go")); i == 0 && reason != row.reason {
					t.Errorf("stopped: %s, want %s", reason, row.reason)
				}
			}
			files, _ := filepath.Glob(filepath.Join(e.dir, "new*.txt"))
			if len(files) != row.made || len(e.asked) != row.asks {
				t.Errorf("%d files made, %d requests; want %d, %d", len(files), len(e.asked), row.made, row.asks)
			}
			if row.model != "" && !slices.ContainsFunc(e.calls(), func(c sdk.SessionUpdateToolCall) bool {
				return strings.Contains(c.Content[0].Content.Content.Text.Text, row.model)
			}) {
				t.Errorf("the model does not read the user's words: %+v", e.calls())
			}
			r := e.asked[0]
			if r.SessionId != s.SessionId || *r.ToolCall.Title != "touch new1.txt" || *r.ToolCall.Kind != sdk.ToolKindExecute {
				t.Errorf("the request shows %+v", r.ToolCall)
			}
			kinds := map[sdk.PermissionOptionKind]int{}
			for _, o := range r.Options {
				kinds[o.Kind]++
			}
			if kinds[sdk.PermissionOptionKindAllowOnce] != 1 || kinds[sdk.PermissionOptionKindAllowAlways] != 3 || kinds[sdk.PermissionOptionKindRejectOnce] != 2 {
				t.Errorf("the options: %+v", r.Options)
			}
		})
	}
}

// TestRequestShowsDiff: a request for a change of a file shows the change.
func TestRequestShowsDiff(t *testing.T) {
	e := newEditor(t, "turns: [{calls: [{name: write_file, args: {path: new.txt, content: 'hello'}}]}, {text: Done.}]",
		func(o *Options) { o.Harness.Ask = []string{"write_file"} })
	e.prompt(e.new().SessionId, sdk.TextBlock("go"))
	if len(e.asked) != 1 || !slices.ContainsFunc(e.asked[0].ToolCall.Content, func(c sdk.ToolCallContent) bool {
		return c.Diff != nil && strings.TrimSpace(c.Diff.NewText) == "hello" && c.Diff.OldText == nil && c.Diff.Path == filepath.Join(e.dir, "new.txt")
	}) {
		t.Errorf("the requests: %+v", e.asked)
	}
}

// TestCancel: a cancel ends a turn that waits for an answer, and only that of its session.
func TestCancel(t *testing.T) {
	e := newEditor(t, asking)
	s, other := e.new(), e.new()
	waits, told, ended := make(chan struct{}, 2), make(chan struct{}), make(chan struct{})
	e.pick = func(r sdk.RequestPermissionRequest) sdk.RequestPermissionOutcome {
		waits <- struct{}{}
		if r.SessionId == other.SessionId {
			<-ended // the turn of the first session
			return selected(optionOnce)
		}
		<-told
		return sdk.NewRequestPermissionOutcomeCancelled()
	}
	prompt := func(id sdk.SessionId) <-chan sdk.StopReason {
		reason := make(chan sdk.StopReason, 1)
		go func() {
			answer, err := e.Prompt(t.Context(), sdk.PromptRequest{SessionId: id, Prompt: []sdk.ContentBlock{sdk.TextBlock("go")}})
			if err != nil {
				t.Error(err)
			}
			reason <- answer.StopReason
		}()
		return reason
	}
	one, two := prompt(s.SessionId), prompt(other.SessionId)
	<-waits
	<-waits
	if err := e.Cancel(t.Context(), sdk.CancelNotification{SessionId: s.SessionId}); err != nil {
		t.Fatal(err)
	}
	close(told)
	first := <-one
	close(ended)
	if second := <-two; first != sdk.StopReasonCancelled || second != sdk.StopReasonEndTurn {
		t.Errorf("the turns stopped with %s and %s", first, second)
	}
	if err := e.Cancel(t.Context(), sdk.CancelNotification{SessionId: s.SessionId}); err != nil {
		t.Error("a cancel of an idle session:", err)
	}
}

// TestACancelIsForWhatCameBefore: a cancel ends the prompts of its session that were sent before it, and no others.
func TestACancelIsForWhatCameBefore(t *testing.T) {
	prompt := func(id, session string) string {
		return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"method":"session/prompt","params":{"sessionId":%q,"prompt":[]}}`+"\n", id, session)
	}
	cancel := func(session string) string {
		return fmt.Sprintf(`{"jsonrpc":"2.0","method":"session/cancel","params":{"sessionId":%q}}`+"\n", session)
	}
	undone := func(id string) string {
		return fmt.Sprintf(`{"jsonrpc":"2.0","method":"$/cancel_request","params":{"requestId":%s}}`+"\n", id)
	}
	list := `{"jsonrpc":"2.0","id":2,"method":"session/list"}` + "\n"
	sent := []string{cancel("a"), prompt("1", "a"), prompt(`"x"`, "b"), prompt("2", "a"), list, cancel("a"), cancel("a"), cancel("b")}
	want := []string{cancel("a"), prompt("1", "a"), prompt(`"x"`, "b"), prompt("2", "a"), list, undone("1"), cancel("a"), cancel("a"), undone(`"x"`), cancel("b")}
	ready := make(chan struct{})
	close(ready)
	got, err := io.ReadAll(&lineReader{in: strings.NewReader(strings.Join(sent, "")), out: &rpc.Writer{W: io.Discard}, ready: ready})
	if err != nil || string(got) != strings.Join(want, "") {
		t.Errorf("the library reads\n%s%v", got, err)
	}

	e := newEditor(t, "turns: ["+strings.Repeat("{text: Done.}, ", 50)+"]")
	s := e.new()
	for range 50 {
		if err := e.Cancel(t.Context(), sdk.CancelNotification{SessionId: s.SessionId}); err != nil {
			t.Fatal(err)
		}
		if reason := e.prompt(s.SessionId, sdk.TextBlock("go")); reason != sdk.StopReasonEndTurn {
			t.Fatal("a cancel ended the prompt after it:", reason)
		}
	}
}

// TestOptions: modes and models are kept in step, and the harness follows them.
func TestOptions(t *testing.T) {
	e := newEditor(t, asking)
	s := e.new()
	if s.Modes == nil || s.Modes.CurrentModeId != "supervised" || len(s.ConfigOptions) != 2 {
		t.Fatalf("a new session: %+v", s)
	}
	if _, err := e.SetSessionMode(t.Context(), sdk.SetSessionModeRequest{SessionId: s.SessionId, ModeId: "read-only"}); err != nil {
		t.Fatal(err)
	}
	if e.prompt(s.SessionId, sdk.TextBlock("go")); len(e.asked) > 0 || e.calls()[0].Status != sdk.ToolCallStatusFailed {
		t.Errorf("in read-only mode: %+v", e.calls())
	}
	set := func(id, value string) ([]sdk.SessionConfigOption, error) {
		answer, err := e.SetSessionConfigOption(t.Context(), sdk.SetSessionConfigOptionRequest{ValueId: &sdk.SetSessionConfigOptionValueId{
			SessionId: s.SessionId, ConfigId: sdk.SessionConfigId(id), Value: sdk.SessionConfigValueId(value)}})
		return answer.ConfigOptions, err
	}
	all, err := set("mode", "plan")
	if err != nil || len(all) != 2 || all[0].Select.CurrentValue != "plan" {
		t.Errorf("options: %+v, %v", all, err)
	}
	e.until("the new mode", func() bool {
		return e.saw(func(u sdk.SessionUpdate) bool {
			return u.CurrentModeUpdate != nil && u.CurrentModeUpdate.CurrentModeId == "plan"
		})
	})
	for _, bad := range [][2]string{{"mode", "chaos"}, {"model", "nobody/nothing"}, {"colour", "red"}} {
		if _, err := set(bad[0], bad[1]); code(err) != -32602 || strings.Contains(err.Error(), "--") { // no flag of the program is wrong
			t.Errorf("%v: %v", bad, err)
		}
	}
}

func code(err error) int {
	if e, ok := errors.AsType[*sdk.RequestError](err); ok {
		return e.Code
	}
	return 0
}

// TestAnotherModeIsForNewSessions: an editor that starts rein in another mode loads a session in its own.
func TestAnotherModeIsForNewSessions(t *testing.T) {
	var o Options
	e := newEditor(t, "turns: [{text: Hello.}]", func(given *Options) { given.Harness.Mode, o = "plan", *given })
	s := e.new()
	e.prompt(s.SessionId, sdk.TextBlock("Say hello"))
	e.end()
	o.Harness.Mode = "full"
	e.start(o)
	if _, err := e.Initialize(t.Context(), sdk.InitializeRequest{ProtocolVersion: 1}); err != nil {
		t.Fatal(err)
	}
	got, err := e.LoadSession(t.Context(), sdk.LoadSessionRequest{SessionId: s.SessionId, Cwd: e.dir, McpServers: []sdk.McpServer{}})
	if err != nil || got.Modes == nil || got.Modes.CurrentModeId != "plan" {
		t.Errorf("%+v, %v", got.Modes, err)
	}
	if n := e.new(); n.Modes == nil || n.Modes.CurrentModeId != "full" {
		t.Errorf("a new session: %+v", n.Modes)
	}
}

// TestSessions: sessions are listed, loaded with their past, resumed without it, forked, closed and deleted.
func TestSessions(t *testing.T) {
	e := newEditor(t, "turns: [{text: Hello., calls: [{name: list_dir, args: {path: .}}]}, {text: Bye.}, {text: Again.}]")
	s := e.new()
	e.prompt(s.SessionId, sdk.TextBlock("Say hello"))
	if _, err := e.CloseSession(t.Context(), sdk.CloseSessionRequest{SessionId: s.SessionId}); err != nil {
		t.Fatal(err)
	}
	if _, err := e.Prompt(t.Context(), sdk.PromptRequest{SessionId: s.SessionId, Prompt: []sdk.ContentBlock{sdk.TextBlock("go")}}); code(err) != -32002 {
		t.Errorf("a prompt of a closed session: %v", err)
	}
	list, err := e.ListSessions(t.Context(), sdk.ListSessionsRequest{Cwd: &e.dir})
	if err != nil || len(list.Sessions) != 1 || list.Sessions[0].SessionId != s.SessionId || *list.Sessions[0].Title != "Say hello" {
		t.Fatalf("the list: %+v, %v", list, err)
	}
	e.forget()
	if _, err := e.LoadSession(t.Context(), sdk.LoadSessionRequest{SessionId: s.SessionId, Cwd: e.dir, McpServers: []sdk.McpServer{}}); err != nil {
		t.Fatal(err)
	}
	if got := e.text(); got != "Hello.Bye." || !e.saw(func(u sdk.SessionUpdate) bool { return u.UserMessageChunk != nil }) || len(e.calls()) != 1 || e.calls()[0].Status != sdk.ToolCallStatusCompleted {
		t.Errorf("the past: %q, %+v", got, e.calls())
	}
	fork, err := e.UnstableForkSession(t.Context(), sdk.UnstableForkSessionRequest{SessionId: s.SessionId, Cwd: e.dir})
	if err != nil || fork.SessionId == s.SessionId || fork.SessionId == "" {
		t.Fatalf("the fork: %+v, %v", fork, err)
	}
	e.forget()
	if e.prompt(fork.SessionId, sdk.TextBlock("go on")); e.text() != "Again." {
		t.Errorf("the fork answers %q", e.text())
	}
	for _, row := range []struct {
		name string
		p    sdk.ResumeSessionRequest
		want int
	}{
		{"another directory", sdk.ResumeSessionRequest{SessionId: s.SessionId, Cwd: t.TempDir()}, 0},
		{"no such session", sdk.ResumeSessionRequest{SessionId: "nobody", Cwd: e.dir}, -32002},
		{"a relative directory", sdk.ResumeSessionRequest{SessionId: "nobody", Cwd: "."}, -32602},
	} {
		if _, err := e.ResumeSession(t.Context(), row.p); code(err) != row.want {
			t.Errorf("%s: %v", row.name, err)
		}
	}
	if _, err := e.CloseSession(t.Context(), sdk.CloseSessionRequest{SessionId: s.SessionId}); err != nil {
		t.Fatal(err)
	}
	if _, err := e.ResumeSession(t.Context(), sdk.ResumeSessionRequest{SessionId: s.SessionId, Cwd: t.TempDir()}); code(err) != -32602 {
		t.Errorf("another directory: %v", err)
	}
	e.forget()
	if _, err := e.ResumeSession(t.Context(), sdk.ResumeSessionRequest{SessionId: s.SessionId, Cwd: e.dir}); err != nil || e.text() != "" {
		t.Errorf("resumed: %v, %q", err, e.text())
	}
}

// TestThePastIsWhole: a loaded session shows the images of the user, the thoughts of the model, and the end of the calls.
func TestThePastIsWhole(t *testing.T) {
	e := newEditor(t, "turns: [{think: Hm., text: Look., calls: [{name: list_dir, args: {path: .}}]}, {text: Bye.}]")
	s := e.new()
	image := base64.StdEncoding.EncodeToString([]byte("\x89PNG\r\n\x1a\nx"))
	e.prompt(s.SessionId, sdk.TextBlock("See this"), sdk.ImageBlock(image, "image/png"))
	if _, err := e.CloseSession(t.Context(), sdk.CloseSessionRequest{SessionId: s.SessionId}); err != nil {
		t.Fatal(err)
	}
	e.forget()
	if _, err := e.LoadSession(t.Context(), sdk.LoadSessionRequest{SessionId: s.SessionId, Cwd: e.dir, McpServers: []sdk.McpServer{}}); err != nil {
		t.Fatal(err)
	}
	if !e.saw(func(u sdk.SessionUpdate) bool {
		return u.UserMessageChunk != nil && u.UserMessageChunk.Content.Image != nil && u.UserMessageChunk.Content.Image.Data == image
	}) {
		t.Error("the image is gone")
	}
	if !e.saw(func(u sdk.SessionUpdate) bool {
		return u.AgentThoughtChunk != nil && u.AgentThoughtChunk.Content.Text.Text == "Hm."
	}) {
		t.Error("the thought is gone")
	}
	if all := e.calls(); len(all) != 1 || all[0].Status != sdk.ToolCallStatusCompleted {
		t.Errorf("%+v", all)
	}
}

// TestContent: images, embedded files and links of a prompt reach the model.
func TestContent(t *testing.T) {
	e := newEditor(t, `
turns:
  - expect: {text: '(?s)Look at \[b\.go\]\(b\.go\).*<file path="dir/a.txt">\nembedded\n</file>'}
    text: I see.
`)
	s := e.new()
	uri := "file://" + e.dir
	e.prompt(s.SessionId, sdk.TextBlock("Look at "), sdk.ResourceLinkBlock("b.go", uri+"/b.go"),
		sdk.ResourceBlock(sdk.EmbeddedResourceResource{TextResourceContents: &sdk.TextResourceContents{Uri: uri + "/dir/a.txt", Text: "embedded"}}),
		sdk.ImageBlock(base64.StdEncoding.EncodeToString([]byte("\x89PNG\r\n\x1a\nx")), "image/png"))
	if e.text() != "I see." {
		t.Errorf("the answer is %q", e.text())
	}
	for name, blocks := range map[string][]sdk.ContentBlock{
		"empty": {}, "audio": {sdk.AudioBlock("AAAA", "audio/wav")}, "no base64": {sdk.ImageBlock("!", "image/png")},
	} {
		if _, err := e.Prompt(t.Context(), sdk.PromptRequest{SessionId: s.SessionId, Prompt: blocks}); code(err) != -32602 {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestTerminal: the output of a command is shown in a terminal of the client while rein runs the command.
func TestTerminal(t *testing.T) {
	e := newEditor(t, "turns: [{calls: [{name: bash, args: {command: 'echo out; exit 3'}}]}, {text: Done.}]", func(o *Options) {
		o.Program, o.Harness.Allow = "/bin/rein", []string{"bash"}
	})
	s := e.new()
	e.prompt(s.SessionId, sdk.TextBlock("go"))
	calls := e.calls()
	if len(calls) != 1 || calls[0].Kind != sdk.ToolKindExecute || len(calls[0].Content) != 1 || calls[0].Content[0].Terminal == nil {
		t.Fatalf("calls: %+v", calls)
	}
	e.until("the release", func() bool { return e.read("released") == "terminal-1" })
	if p := e.screens["terminal-1"]; p.Command != "/bin/rein" || p.Args[0] != "acp" || !strings.HasPrefix(e.read("terminal"), "out\n") {
		t.Errorf("the terminal runs %q and shows %q", p.Command, e.read("terminal"))
	}
}

// TestPlan: the plan of the model is a plan of the client, not a call.
func TestPlan(t *testing.T) {
	e := newEditor(t, `
turns:
  - calls: [{name: todo, args: {items: [{content: look, status: completed}, {content: change, status: in_progress}, {content: skip, status: cancelled}]}}]
  - text: Done.
`)
	e.prompt(e.new().SessionId, sdk.TextBlock("go"))
	calls := len(e.calls())
	var plan []sdk.PlanEntry
	for _, u := range e.forget() {
		if u.Plan != nil {
			plan = u.Plan.Entries
		}
	}
	if len(plan) != 2 || plan[1].Status != sdk.PlanEntryStatusInProgress || calls > 0 {
		t.Errorf("the plan: %+v", plan)
	}
}

// TestCommands: slash commands are offered and do not reach the model.
func TestCommands(t *testing.T) {
	e := newEditor(t, "turns: [{calls: [{name: write_file, args: {path: a.txt, content: x}}]}, {text: Done.}, {expect: {text: '/unknown'}, text: Unknown.}]",
		func(o *Options) { o.Harness.Allow = []string{"write_file"} })
	s := e.new()
	e.until("the commands", func() bool {
		return e.saw(func(u sdk.SessionUpdate) bool { return u.AvailableCommandsUpdate != nil })
	})
	e.prompt(s.SessionId, sdk.TextBlock("go"))
	for command, want := range map[string]string{"/status": "mode supervised", "/rename my work": `"my work"`} {
		e.prompt(s.SessionId, sdk.TextBlock(command))
		if !strings.Contains(e.text(), want) {
			t.Errorf("%s: %q", command, e.text())
		}
	}
	e.prompt(s.SessionId, sdk.TextBlock("/undo"))
	if _, err := os.Stat(filepath.Join(e.dir, "a.txt")); err == nil {
		t.Error("the file is still there")
	}
	e.prompt(s.SessionId, sdk.TextBlock("/unknown command"))
	if !strings.HasSuffix(e.text(), "Unknown.") {
		t.Errorf("the model did not get an unknown command: %q", e.text())
	}
}

// TestCommandsOfFiles: a command of the user's files is offered, and its text reaches the model.
func TestCommandsOfFiles(t *testing.T) {
	e := newEditor(t, "turns: [{expect: {text: 'Greet Ada warmly'}, text: Hello Ada.}]")
	dir := filepath.Join(e.dirs.Config, "commands")
	if err := errors.Join(os.MkdirAll(dir, 0o700), os.WriteFile(filepath.Join(dir, "greet.md"), []byte("---\ndescription: greets\n---\nGreet $1 warmly\n"), 0o600)); err != nil {
		t.Fatal(err)
	}
	s := e.new()
	e.until("the command", func() bool {
		return e.saw(func(u sdk.SessionUpdate) bool {
			return u.AvailableCommandsUpdate != nil && slices.ContainsFunc(u.AvailableCommandsUpdate.AvailableCommands, func(c sdk.AvailableCommand) bool { return c.Name == "greet" && c.Description == "greets" })
		})
	})
	if e.prompt(s.SessionId, sdk.TextBlock("/greet Ada")); e.text() != "Hello Ada." {
		t.Errorf("the answer is %q", e.text())
	}
}

// TestCommandsTakeWhatGoesWithThem: files and images of the prompt reach the model with the text of a command. A command that
// comes later is offered.
func TestCommandsTakeWhatGoesWithThem(t *testing.T) {
	e := newEditor(t, `turns: [{expect: {text: '(?s)Greet Ada\s+warmly.*\[b.go\]\(b.go\).*<file path="a.txt">\nembedded'}, text: Hello Ada.}]`)
	dir := filepath.Join(e.dirs.Config, "commands")
	add := func(name string) error {
		return errors.Join(os.MkdirAll(dir, 0o700), os.WriteFile(filepath.Join(dir, name+".md"), []byte("Greet $1 warmly\n"), 0o600))
	}
	if err := add("greet"); err != nil {
		t.Fatal(err)
	}
	s := e.new()
	offers := func(name string) bool {
		return e.saw(func(u sdk.SessionUpdate) bool {
			return u.AvailableCommandsUpdate != nil && slices.ContainsFunc(u.AvailableCommandsUpdate.AvailableCommands, func(c sdk.AvailableCommand) bool { return c.Name == name })
		})
	}
	e.until("the command", func() bool { return offers("greet") })
	if err := add("praise"); err != nil {
		t.Fatal(err)
	}
	uri := tool.FileURI(e.dir)
	e.prompt(s.SessionId, sdk.TextBlock("/greet Ada"), sdk.ResourceLinkBlock("b.go", uri+"/b.go"),
		sdk.ResourceBlock(sdk.EmbeddedResourceResource{TextResourceContents: &sdk.TextResourceContents{Uri: uri + "/a.txt", Text: "embedded"}}),
		sdk.ImageBlock(base64.StdEncoding.EncodeToString([]byte("\x89PNG\r\n\x1a\nx")), "image/png"))
	if e.text() != "Hello Ada." {
		t.Errorf("the answer is %q", e.text())
	}
	journal, err := os.ReadFile(filepath.Join(e.dirs.Sessions, string(s.SessionId), "journal.jsonl"))
	if err != nil || !strings.Contains(string(journal), `"media_type":"image/png"`) {
		t.Errorf("the image did not go along: %v", err)
	}
	e.until("the new command", func() bool { return offers("praise") })
}

// TestAClosedSessionHoldsNothing: with the last session of a directory all that was opened for it is closed.
func TestAClosedSessionHoldsNothing(t *testing.T) {
	e := newEditor(t, "turns: [{text: Hello.}]")
	root := filepath.Dir(e.dir)
	held := func() (files []string) {
		all, err := os.ReadDir("/proc/self/fd")
		if err != nil {
			t.Skip("this system does not list open files")
		}
		for _, f := range all {
			if to, err := os.Readlink("/proc/self/fd/" + f.Name()); err == nil && strings.HasPrefix(to, root) {
				files = append(files, to)
			}
		}
		return files
	}
	first, second := e.new(), e.new()
	e.prompt(first.SessionId, sdk.TextBlock("go"))
	for _, id := range []sdk.SessionId{first.SessionId, second.SessionId} {
		if len(held()) == 0 {
			t.Error("an open session holds nothing: the test looks in the wrong place")
		}
		if _, err := e.CloseSession(t.Context(), sdk.CloseSessionRequest{SessionId: id}); err != nil {
			t.Fatal(err)
		}
	}
	e.until("the end of all", func() bool { return len(held()) == 0 })
}

// TestQuestions: what the model asks the user is a form, or a request with the choices.
func TestQuestions(t *testing.T) {
	for _, forms := range []bool{true, false} {
		e := newEditor(t, "turns: [{calls: [{name: ask_user, args: {questions: [{question: 'Which one?', choices: [{label: Red}, {label: Blue}]}]}}]}, {expect: {text: 'Blue'}, text: Understood.}]")
		e.words = "2. Blue"
		e.pick = func(sdk.RequestPermissionRequest) sdk.RequestPermissionOutcome { return selected("2") }
		if !forms {
			if _, err := e.Initialize(t.Context(), sdk.InitializeRequest{ProtocolVersion: 1}); err != nil {
				t.Fatal(err)
			}
		}
		if e.prompt(e.new().SessionId, sdk.TextBlock("go")); e.text() != "Understood." || (len(e.asked) == 0) != forms {
			t.Errorf("forms %v: %q, calls %+v", forms, e.text(), e.calls())
		}
	}
}

// beside sends a prompt in a new session, and another one while the first is asked about. It returns how both stopped.
func (e *editor) beside(prompt, another string) (first, second sdk.StopReason) {
	s := e.new()
	asked, other := make(chan struct{}), make(chan sdk.StopReason)
	e.pick = func(sdk.RequestPermissionRequest) sdk.RequestPermissionOutcome {
		close(asked)
		time.Sleep(100 * time.Millisecond)
		return selected(optionOnce)
	}
	go func() {
		<-asked
		other <- e.prompt(s.SessionId, sdk.TextBlock(another))
	}()
	first = e.prompt(s.SessionId, sdk.TextBlock(prompt))
	return first, <-other
}

// TestSteering: a message that comes while the model works reaches it with its next request.
func TestSteering(t *testing.T) {
	e := newEditor(t, `
turns:
  - calls: [{name: bash, args: {command: 'touch a.txt'}}]
  - text: Done.
`)
	first, got := e.beside("go", "and hurry")
	if first != sdk.StopReasonEndTurn || got != first {
		t.Errorf("the turns stopped with %s and %s", first, got)
	}
}

// TestAPromptBesideACommand: a message that comes while a command is still being expanded has the turn after it.
func TestAPromptBesideACommand(t *testing.T) {
	e := newEditor(t, "turns: [{expect: {text: 'See'}, text: One.}, {expect: {text: 'and this'}, text: Two.}]")
	dir := filepath.Join(e.dirs.Config, "commands")
	if err := errors.Join(os.MkdirAll(dir, 0o700), os.WriteFile(filepath.Join(dir, "look.md"), []byte("See !`touch a.txt`\n"), 0o600)); err != nil {
		t.Fatal(err)
	}
	first, got := e.beside("/look", "and this")
	if first != sdk.StopReasonEndTurn || got != first || e.text() != "One.Two." {
		t.Errorf("the turns stopped with %s and %s, after %q", first, got, e.text())
	}
}

// TestNoModel: without a key the client learns how to get one.
func TestNoModel(t *testing.T) {
	e := newEditor(t, "turns: []", func(o *Options) { o.Harness.Model = "openai/gpt-5" })
	t.Setenv("OPENAI_API_KEY", "")
	_, err := e.NewSession(t.Context(), sdk.NewSessionRequest{Cwd: e.dir, McpServers: []sdk.McpServer{}})
	if code(err) != -32000 {
		t.Errorf("a session without a model: %v", err)
	}
	if _, err := e.Authenticate(t.Context(), sdk.AuthenticateRequest{MethodId: authKey}); code(err) != -32000 {
		t.Errorf("authenticate: %v", err)
	}
}

// TestEndOfConnection: when the client goes away, what waits for an answer can be resumed.
func TestEndOfConnection(t *testing.T) {
	e := newEditor(t, asking)
	s := e.new()
	asked := make(chan struct{})
	e.pick = func(sdk.RequestPermissionRequest) sdk.RequestPermissionOutcome {
		close(asked)
		time.Sleep(20 * time.Millisecond)
		return selected(optionDeny)
	}
	go func() {
		_, _ = e.Prompt(context.Background(), sdk.PromptRequest{SessionId: s.SessionId, Prompt: []sdk.ContentBlock{sdk.TextBlock("go")}})
	}()
	<-asked
	e.end()
}

// TestTrust: the user is asked once about what the folder would make sessions obey, with the first message.
func TestTrust(t *testing.T) {
	for _, row := range []struct {
		name, option string
		obeyed       bool
	}{{"trusted", optionTrust, true}, {"not trusted", optionNoTrust, false}, {"cancelled", "", false}} {
		t.Run(row.name, func(t *testing.T) {
			e := newEditor(t, "turns: [{text: Hello.}, {text: Again.}]")
			skill := filepath.Join(e.dir, ".agents", "skills", "verse", "SKILL.md")
			if err := errors.Join(os.MkdirAll(filepath.Dir(skill), 0o700), os.WriteFile(skill, []byte("---\ndescription: Writes in verse.\n---\n"), 0o600),
				os.WriteFile(filepath.Join(e.dir, "AGENTS.md"), []byte("Write in verse."), 0o600)); err != nil {
				t.Fatal(err)
			}
			e.pick = func(r sdk.RequestPermissionRequest) sdk.RequestPermissionOutcome {
				if !strings.Contains(r.ToolCall.Content[0].Content.Content.Text.Text, "instructions: AGENTS.md") {
					t.Errorf("the question shows %+v", r.ToolCall)
				}
				if row.option == "" {
					return sdk.NewRequestPermissionOutcomeCancelled()
				}
				return selected(row.option)
			}
			s := e.new()
			for range 2 {
				if reason := e.prompt(s.SessionId, sdk.TextBlock("go")); reason != sdk.StopReasonEndTurn {
					t.Errorf("stopped: %s", reason)
				}
			}
			if len(e.asked) != 1 {
				t.Errorf("asked %d times", len(e.asked))
			}
			h, err := harness.Open(t.Context(), harness.Options{Dir: e.dir, Dirs: e.dirs, Terms: harness.Terms{Sandbox: "off"}})
			if err != nil {
				t.Fatal(err)
			}
			defer h.Close(t.Context())
			if text, _, err := h.Prompt(); err != nil || strings.Contains(text, "verse") != row.obeyed {
				t.Errorf("obeyed by the next session: %v, %v", strings.Contains(text, "verse"), err)
			}
			journal, err := os.ReadFile(filepath.Join(e.dirs.Sessions, string(s.SessionId), "journal.jsonl"))
			if err != nil || strings.Contains(string(journal), `"skill"`) != row.obeyed {
				t.Errorf("the session has the skill: %v, %v", !row.obeyed, err)
			}
		})
	}
}

// A panic fails the request that caused it, with no words of it, and nothing else.
func TestAPanicIsAnError(t *testing.T) {
	a := &agent{o: Options{Log: slog.New(slog.DiscardHandler)}, methods: map[string]method{"x": func(context.Context, json.RawMessage) (any, error) { panic("sk-secret") }}}
	if result, err := a.handle(t.Context(), "x", nil); result != nil || err == nil || err.Message != "x failed inside of rein" {
		t.Errorf("%v, %v", result, err)
	}
}

// A line that is no message gets an error as its answer, and ends nothing.
func TestALineThatIsNoMessageIsAnswered(t *testing.T) {
	ours, theirs := net.Pipe()
	done := make(chan error, 1)
	go func() { done <- Serve(t.Context(), Options{}, ours, ours) }()
	answers := bufio.NewReader(theirs)
	for _, row := range []struct{ line, want string }{
		{"{", `"id":null,"error":{"code":-32700`}, {"hello", `"code":-32700`}, {`{"id":1,"method":"initialize"} x`, `"code":-32700`},
		{"5", `"code":-32600`}, {"[]", `"code":-32600`}, {`{"jsonrpc":"2.0"}`, `"code":-32600`}, {`{"id":1,"method":5}`, `"code":-32600`}, {`{"id":{},"method":"x"}`, `"code":-32600`},
		{`{"jsonrpc":"2.0","id":"big","method":"x","params":"` + strings.Repeat("x", maxLine) + `"}`, `"id":"big","error":{"code":-32600`},
		{"\n" + `{"jsonrpc":"2.0","id":1,"method":"none"}`, `"id":1,"error":{"code":-32601`},
	} {
		if _, err := theirs.Write([]byte(row.line + "\n")); err != nil {
			t.Fatal(row.line, err)
		}
		if line, err := answers.ReadString('\n'); err != nil || !strings.Contains(line, row.want) {
			t.Errorf("%.100s: %q, %v", row.line, line, err)
		}
	}
	if err := errors.Join(theirs.Close(), <-done); err != nil {
		t.Error(err)
	}
}
