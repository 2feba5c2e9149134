package lsp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"rein/kit/sandbox"
	"rein/tool"
)

// project writes files and returns the servers of that directory, in the real sandbox.
func project(t *testing.T, program string, files map[string]string) *Servers {
	t.Helper()
	if _, err := exec.LookPath(program); err != nil {
		t.Skip(program + " is not installed")
	}
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	s := &Servers{Dir: dir, Read: func(path string) ([]byte, error) { return os.ReadFile(filepath.Join(dir, path)) }, Wait: 20 * time.Second}
	for name, text := range files {
		s.put(t, name, text)
	}
	box, err := sandbox.New(sandbox.Policy{Workspace: dir})
	if err != nil {
		t.Fatal(err)
	}
	s.Box = box
	t.Cleanup(func() { s.Close(); box.Close() })
	return s
}

func (s *Servers) put(t *testing.T, name, text string) {
	t.Helper()
	file := filepath.Join(s.Dir, name)
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// ask calls the tool lsp.
func (s *Servers) ask(t *testing.T, in queryArgs) string {
	t.Helper()
	encoded, _ := json.Marshal(in)
	r := tool.NewReply(tool.ReplyOptions{})
	err := s.Tools()[0].Run(t.Context(), encoded, r)
	text, _, _, _ := r.Close()
	if err != nil {
		text += tool.AsError(err).Error()
	}
	return text
}

// changed writes a file and asks for the new diagnostics.
func (s *Servers) changed(t *testing.T, name, after string) string {
	t.Helper()
	before, err := os.ReadFile(filepath.Join(s.Dir, name))
	s.put(t, name, after)
	return s.Diagnose(t.Context(), []Change{{Path: name, Before: string(before), After: after, Created: err != nil}})
}

// editing is a session with edit_file, for lsp_edit.
func (s *Servers) edits(t *testing.T, in editArgs) (string, []string) {
	t.Helper()
	var made []string
	run := func(_ context.Context, calls []tool.Call) ([]tool.Result, error) {
		results := make([]tool.Result, len(calls))
		for _, c := range calls {
			var a struct {
				Path    string
				OldText string `json:"old_text"`
				NewText string `json:"new_text"`
			}
			if c.Name != "edit_file" || json.Unmarshal(c.Args, &a) != nil {
				return nil, errors.New("another call")
			}
			if now, err := os.ReadFile(filepath.Join(s.Dir, a.Path)); err != nil || string(now) != a.OldText {
				return nil, fmt.Errorf("%s: old_text does not fit (%v)", a.Path, err)
			}
			s.put(t, a.Path, a.NewText)
			made = append(made, a.Path)
		}
		return results, nil
	}
	encoded, _ := json.Marshal(in)
	r := tool.NewReply(tool.ReplyOptions{Run: run})
	err := s.Tools()[1].Run(t.Context(), encoded, r)
	text, _, _, _ := r.Close()
	if err != nil {
		text += tool.AsError(err).Error()
	}
	return text, made
}

var goFiles = map[string]string{
	"go.mod":    "module example.com/x\n\ngo 1.21\n",
	"a.go":      "package x\n\n// Size is how large it is.\nfunc Size(n int) int { return n * 2 }\n\nfunc twice() int { return Size(2) + Size(3) }\n",
	"sub/b.go":  "package sub\n\nimport \"example.com/x\"\n\ntype Shape interface{ Area() int }\n\ntype Box struct{}\n\nfunc (Box) Area() int { return x.Size(4) }\n",
	"m/go.mod":  "module example.com/m\n\ngo 1.21\n",
	"m/main.go": "package main\n\nfunc main() {}\n",
}

func TestGopls(t *testing.T) {
	s := project(t, "gopls", goFiles)
	for _, row := range []struct {
		name string
		in   queryArgs
		want []string
	}{
		{"definition", queryArgs{Action: "definition", Path: "sub/b.go", Line: 9, Symbol: "x.Size"}, []string{"a.go:4:6: func Size(n int) int"}},
		{"references", queryArgs{Action: "references", Path: "a.go", Line: 4, Symbol: "Size"}, []string{"a.go:6:27: ", "a.go:6:37: ", "sub/b.go:9:34: "}},
		{"implementations", queryArgs{Action: "implementations", Path: "sub/b.go", Line: 5, Symbol: "Shape"}, []string{"sub/b.go:7:6: type Box struct{}"}},
		{"hover", queryArgs{Action: "hover", Path: "a.go", Line: 6, Symbol: "Size"}, []string{"func Size(n int) int", "Size is how large it is"}},
		{"symbols", queryArgs{Action: "symbols", Path: "sub/b.go"}, []string{"5: interface Shape", "7: struct Box"}},
		{"symbols of the workspace", queryArgs{Action: "workspace_symbols", Query: "Size"}, []string{"function", "Size  a.go:4:6"}},
		{"callers", queryArgs{Action: "incoming_calls", Path: "a.go", Line: 4, Symbol: "Size"}, []string{"twice  a.go:6:6", "called at a.go:6:27", "Area  sub/b.go:9:12"}},
		{"what it calls", queryArgs{Action: "outgoing_calls", Path: "a.go", Line: 6, Symbol: "twice"}, []string{"Size  a.go:4:6", "called at a.go:6:27"}},
		{"diagnostics", queryArgs{Action: "diagnostics", Path: "sub/b.go"}, []string{"no diagnostics"}},
		{"a symbol that is not there", queryArgs{Action: "hover", Path: "a.go", Line: 3, Symbol: "twice"}, []string{`"twice" is not on line 3 of a.go`, "it is on line 6"}},
		{"no such action", queryArgs{Action: "guess"}, []string{`"guess" is not an action`}},
		{"no server", queryArgs{Action: "hover", Path: "x.cobol"}, []string{"no language server"}},
		{"another module has a server of its own", queryArgs{Action: "symbols", Path: "m/main.go"}, []string{"3: function main"}},
	} {
		t.Run(row.name, func(t *testing.T) {
			text := s.ask(t, row.in)
			for _, w := range row.want {
				if !strings.Contains(text, w) {
					t.Errorf("%q is missing in\n%s", w, text)
				}
			}
		})
	}
	if len(s.running) != 2 {
		t.Errorf("%d servers, want one for each module", len(s.running))
	}
	t.Run("a file that was changed by another program", func(t *testing.T) {
		s.put(t, "a.go", goFiles["a.go"]+"\nfunc added() { Size(5) }\n")
		if text := s.ask(t, queryArgs{Action: "references", Path: "a.go", Line: 4, Symbol: "Size"}); !strings.Contains(text, "a.go:8:16") {
			t.Error(text)
		}
		s.put(t, "a.go", goFiles["a.go"])
	})
	t.Run("rename", func(t *testing.T) {
		text, made := s.edits(t, editArgs{Action: "rename", Path: "a.go", Line: 4, Symbol: "Size", NewName: "Extent"})
		now, _ := os.ReadFile(filepath.Join(s.Dir, "sub/b.go"))
		if len(made) != 2 || !strings.Contains(string(now), "x.Extent(4)") || strings.Contains(text, "new since") {
			t.Errorf("%s\n%v\n%s", text, made, now)
		}
	})
	t.Run("a name that is none", func(t *testing.T) {
		if text, made := s.edits(t, editArgs{Action: "rename", Path: "a.go", Line: 4, Symbol: "Extent", NewName: "a b"}); len(made) != 0 || !strings.Contains(text, "gopls: ") {
			t.Error(text)
		}
	})
}

func TestDiagnosticsOfGopls(t *testing.T) {
	s := project(t, "gopls", goFiles)
	broken := strings.Replace(goFiles["a.go"], "Size(3)", "Size(\"3\")", 1)
	text := s.changed(t, "a.go", broken)
	if !strings.Contains(text, "[new since this edit:\na.go:6:42: error: ") {
		t.Errorf("a new error: %q", text)
	}
	if text = s.changed(t, "a.go", "// a line\n"+broken); text != "" {
		t.Errorf("an old error that moved: %q", text)
	}
	if text = s.changed(t, "a.go", goFiles["a.go"]); text != "" {
		t.Errorf("repaired: %q", text)
	}
	if text = s.changed(t, "a.go", strings.ReplaceAll(goFiles["a.go"], "Size", "Length")); !strings.Contains(text, "sub/b.go:9:") {
		t.Errorf("an error in a file that depends on it: %q", text)
	}
	s.changed(t, "a.go", goFiles["a.go"])
	if text = s.changed(t, "new.go", "package x\n\nvar y = nothing\n"); !strings.Contains(text, "new.go:3:9: error: undefined: nothing") {
		t.Errorf("a new file: %q", text)
	}
	if text = s.changed(t, "notes.txt", "text"); text != "" {
		t.Errorf("another file: %q", text)
	}
	began := time.Now()
	s.changed(t, "a.go", goFiles["a.go"]+"\n// comment\n")
	t.Logf("an edit without new diagnostics took %v", time.Since(began))
	if list := s.ask(t, queryArgs{Action: "diagnostics", Path: "new.go"}); !strings.Contains(list, "3:9: error: undefined: nothing") {
		t.Error(list)
	}
	s.put(t, "fix.go", "package x\n\nfunc f() { fmt.Println() }\n")
	actions := s.ask(t, queryArgs{Action: "code_actions", Path: "fix.go", Line: 3})
	if !strings.Contains(actions, "(") {
		t.Error(actions)
	}
	t.Log(actions)
}

func TestTypeScript(t *testing.T) {
	s := project(t, "typescript-language-server", map[string]string{
		"tsconfig.json": `{"compilerOptions": {"strict": true}}`,
		"a.ts":          "export function size(n: number): number { return n * 2 }\n",
		"b.ts":          "import { size } from './a'\n\nconst x: number = size(2)\n",
	})
	if text := s.ask(t, queryArgs{Action: "references", Path: "a.ts", Line: 1, Symbol: "size"}); !strings.Contains(text, "b.ts:3:19") {
		t.Error(text)
	}
	if text := s.changed(t, "b.ts", "import { size } from './a'\n\nconst x: number = size('2')\n"); !strings.Contains(text, "b.ts:3:24: error: ") {
		t.Error(text)
	}
	if text := s.changed(t, "b.ts", "import { size } from './a'\n\n\nconst x: number = size('2')\n"); strings.Contains(text, "error") {
		t.Errorf("an old error that moved: %q", text)
	}
	if text, made := s.edits(t, editArgs{Action: "rename", Path: "a.ts", Line: 1, Symbol: "size", NewName: "extent"}); len(made) != 2 {
		t.Error(text, made)
	}
}

// fake puts a program in the place of gopls.
func fake(t *testing.T, script string) *Servers {
	t.Helper()
	bin := t.TempDir()
	if err := os.WriteFile(filepath.Join(bin, "gopls"), []byte("#!/bin/sh\n"+script), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", bin+string(os.PathListSeparator)+os.Getenv("PATH"))
	dir := t.TempDir()
	s := &Servers{Dir: dir, Box: sandbox.None{}, Read: func(path string) ([]byte, error) { return os.ReadFile(filepath.Join(dir, path)) }, Wait: 800 * time.Millisecond}
	s.put(t, "go.mod", "module x\n")
	s.put(t, "a.go", "package x\n")
	t.Cleanup(func() { s.Close() })
	return s
}

const initialized = `printf 'Content-Length: 53\r\n\r\n{"jsonrpc":"2.0","id":1,"result":{"capabilities":{}}}'` + "\n"

// A server that hangs or ends costs one warning, and edits continue.
func TestServersThatDoNotWork(t *testing.T) {
	for _, row := range []struct{ name, script, want string }{
		{"ends at once", "echo no license >&2; exit 1", "gopls ended"},
		{"never answers", "sleep 100", ""},
		{"is initialised and never answers again", initialized + "sleep 100", "gopls did not answer in time"},
		{"answers garbage", "echo garbage; sleep 100", ""},
		{"is initialised and ends", initialized + "sleep 0.1; exit 3", "gopls ended"},
		{"sends a message without end", "printf 'Content-Length: 99999999999\\r\\n\\r\\n'; sleep 100", ""},
	} {
		t.Run(row.name, func(t *testing.T) {
			s := fake(t, row.script)
			if strings.HasSuffix(row.want, "ended") {
				s.Wait = 15 * time.Second // it ends before, also on a busy machine
			}
			warnings := 0
			all := ""
			start := time.Now()
			late := func() bool { return !strings.Contains(all, row.want) && time.Since(start) < 40*time.Second } // on a busy machine
			for i := 0; i < 6 || late(); i++ {
				began := time.Now()
				text := s.changed(t, "a.go", fmt.Sprintf("package x\n\nvar v%d = 1\n", i))
				if took := time.Since(began); took > 20*time.Second {
					t.Errorf("an edit took %v", took)
				}
				if text != "" {
					warnings++
				}
				all += text
			}
			if warnings > 1 || !strings.Contains(all, row.want) {
				t.Errorf("%d warnings: %s", warnings, all)
			}
			if len(s.running) > 1 || s.starts != nil && s.starts["gopls in "+s.Dir] > mostStarts {
				t.Errorf("started %v", s.starts)
			}
		})
	}
}

// A cancelled question is over at once: it does not wait for the server, which sleeps for 100 seconds.
func TestCancel(t *testing.T) {
	s := fake(t, "sleep 100")
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(200*time.Millisecond, cancel)
	began := time.Now()
	encoded, _ := json.Marshal(queryArgs{Action: "symbols", Path: "a.go"})
	err := s.Tools()[0].Run(ctx, encoded, tool.NewReply(tool.ReplyOptions{}))
	if took := time.Since(began); !errors.Is(err, context.Canceled) || took > 10*time.Second {
		t.Errorf("%v after %v", err, took)
	}
}

func TestNoSandboxNoServer(t *testing.T) {
	s := fake(t, "touch ran; sleep 100")
	s.Usable = func() bool { return false }
	if text := s.ask(t, queryArgs{Action: "symbols", Path: "a.go"}); !strings.Contains(text, "no sandbox") {
		t.Error(text)
	}
	if text := s.changed(t, "a.go", "package y\n"); text != "" || len(s.running) != 0 {
		t.Error(text)
	}
}

// TestAServerBehindALink: a link that programs in the sandbox may not see is followed before the server starts.
func TestAServerBehindALink(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	real := filepath.Join(dir, "node_modules", "x", "server.js")
	link, inBin := filepath.Join(dir, "mine", "server"), filepath.Join(dir, "bin", "server")
	for _, name := range []string{real, link, inBin} {
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(real, nil, 0o755); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{link, inBin} {
		if err := os.Symlink(real, name); err != nil {
			t.Skip(err)
		}
	}
	for name, want := range map[string]string{link: real, inBin: inBin, real: real} {
		if run, places := opened(name); run != want || !slices.Equal(places, []string{filepath.Join(dir, "node_modules")}) {
			t.Errorf("%s: runs %s with %v", name, run, places)
		}
	}
}

// rustup puts links to itself in place of programs, also of those that it has not installed.
func TestALinkOfRustupIsNoServer(t *testing.T) {
	dir := t.TempDir()
	rustup, link := filepath.Join(dir, "rustup"), filepath.Join(dir, "rust-analyzer")
	if err := os.WriteFile(rustup, nil, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("rustup", link); err != nil {
		t.Skip(err)
	}
	t.Setenv("RUSTUP_HOME", filepath.Join(dir, "home"))
	if !promised(link) {
		t.Error("the link counts, although nothing is installed")
	}
	real := filepath.Join(dir, "home", "toolchains", "stable", "bin", "rust-analyzer")
	if err := os.MkdirAll(filepath.Dir(real), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(real, nil, 0o755); err != nil {
		t.Fatal(err)
	}
	if promised(link) || promised(real) {
		t.Error("it is installed")
	}
}
