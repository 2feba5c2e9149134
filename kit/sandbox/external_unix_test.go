//go:build unix

package sandbox_test

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"rein/guard"
	"rein/kit/sandbox"
	"rein/kit/sandbox/sandboxtest"
)

// service is a program of the external backend, as docs/sandbox_protocol.md has it. It runs programs without isolation.
type service struct {
	workspace, copies string // copies is "" where it shares the files
	mu                sync.Mutex
	runs              map[string]sandbox.Process
	inputs            map[string]*os.File
	out               *json.Encoder
}

type request struct {
	ID     int    `json:"id"`
	Method string `json:"method"`
	Params struct {
		Workspace string   `json:"workspace"`
		Run       string   `json:"run"`
		Argv      []string `json:"argv"`
		Env       []string `json:"env"`
		Merged    bool     `json:"merged"`
		Dir       string   `json:"dir"`
		Input     bool     `json:"input"`
		Data      []byte   `json:"data"`
		End       bool     `json:"end"`
		Signal    int      `json:"signal"`
		Path      string   `json:"path"`
		Mode      uint32   `json:"mode"`
	} `json:"params"`
}

func (s *service) write(v any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	_ = s.out.Encode(v)
}

// TestExternalService is the service, where the tests below start it.
func TestExternalService(t *testing.T) {
	kind := os.Getenv("REIN_TEST_SERVICE")
	if kind == "" {
		t.Skip("the tests of the external backend start it")
	}
	s := &service{runs: map[string]sandbox.Process{}, inputs: map[string]*os.File{}, out: json.NewEncoder(os.Stdout)}
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 128<<20)
	for lines.Scan() {
		var r request
		if json.Unmarshal(lines.Bytes(), &r) != nil || r.Method == "stop" {
			break
		}
		if r.Method == "start" && kind == "broken" {
			os.Stdout.WriteString("hello\n")
			continue
		}
		result, err := s.serve(kind, r)
		switch {
		case err != nil && r.ID > 0:
			s.write(map[string]any{"id": r.ID, "error": err.Error()})
		case r.ID > 0:
			s.write(map[string]any{"id": r.ID, "result": result})
		}
	}
	for _, p := range s.runs {
		_ = p.Kill()
	}
	os.Exit(0)
}

func (s *service) serve(kind string, r request) (any, error) {
	p := r.Params
	name := filepath.Join(s.copies, p.Path)
	switch r.Method {
	case "start":
		s.workspace = p.Workspace
		if kind == "copies" {
			s.copies, _ = os.MkdirTemp("", "rein-service-")
		}
		return map[string]any{"version": 1, "shares_files": kind == "shares", "isolates": []string{"files"}}, nil
	case "run":
		return nil, s.run(p.Run, sandbox.Spec{Argv: p.Argv, Dir: p.Dir, Env: p.Env}, p.Input, p.Merged)
	case "input":
		s.mu.Lock()
		in := s.inputs[p.Run]
		s.mu.Unlock()
		if in == nil {
			return nil, nil
		}
		if _, err := in.Write(p.Data); err != nil || p.End {
			return nil, in.Close()
		}
	case "signal", "kill":
		s.mu.Lock()
		run := s.runs[p.Run]
		s.mu.Unlock()
		if run != nil && r.Method == "kill" {
			return nil, run.Kill()
		}
		if run != nil {
			return nil, run.Signal(syscall.Signal(p.Signal))
		}
	case "write":
		return nil, errors.Join(os.MkdirAll(filepath.Dir(name), 0o755), os.WriteFile(name, p.Data, fs.FileMode(p.Mode)))
	case "read":
		data, err := os.ReadFile(name)
		return map[string]any{"data": data}, err
	case "remove":
		return nil, os.Remove(name)
	case "snapshot":
		files := []map[string]any{}
		err := filepath.WalkDir(s.copies, func(path string, d fs.DirEntry, err error) error {
			if err == nil && d.Type().IsRegular() {
				data, _ := os.ReadFile(path)
				info, _ := d.Info()
				sum := sha256.Sum256(data)
				rel, _ := filepath.Rel(s.copies, path)
				files = append(files, map[string]any{"path": rel, "mode": info.Mode().Perm(), "sha256": hex.EncodeToString(sum[:])})
			}
			return err
		})
		return map[string]any{"files": files}, err
	}
	return nil, nil
}

func (s *service) run(id string, spec sandbox.Spec, input, merged bool) error {
	if s.copies != "" {
		spec.Dir = s.copies + strings.TrimPrefix(spec.Dir, s.workspace)
	}
	var in *os.File
	if input {
		spec.Stdin, in, _ = os.Pipe()
	}
	out, stdout, _ := os.Pipe()
	errs, stderr, _ := os.Pipe()
	spec.Stdout, spec.Stderr = stdout, stderr
	if merged {
		spec.Stderr = stdout
	}
	p, err := sandbox.None{}.Start(context.Background(), spec)
	for _, f := range []*os.File{spec.Stdin, stdout, stderr} {
		if f != nil {
			f.Close()
		}
	}
	if err != nil {
		return err
	}
	s.mu.Lock()
	s.runs[id], s.inputs[id] = p, in
	s.mu.Unlock()
	var streams sync.WaitGroup
	for name, f := range map[string]*os.File{"stdout": out, "stderr": errs} {
		streams.Go(func() {
			buffer := make([]byte, 32<<10)
			for {
				n, err := f.Read(buffer)
				if n > 0 {
					s.write(map[string]any{"event": "output", "run": id, "stream": name, "data": buffer[:n]})
				}
				if err != nil {
					return
				}
			}
		})
	}
	go func() {
		exit, _ := p.Wait()
		streams.Wait()
		s.write(map[string]any{"event": "exit", "run": id, "code": exit.Code, "signal": int(exit.Signal)})
	}()
	return nil
}

func inContainer(t *testing.T, box *sandbox.Box, spec sandbox.Spec) (string, sandbox.Exit) {
	t.Helper()
	var out bytes.Buffer
	result, err := sandbox.Run(t.Context(), box, spec, &out, 30*time.Second)
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(out.String()), result.Exit
}

func realDir(t *testing.T) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

func write(t *testing.T, name, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func shell(text string) sandbox.Spec { return sandbox.Spec{Argv: []string{"sh", "-c", text}} }

func outside(t *testing.T, kind string, p sandbox.Policy) *sandbox.Box {
	t.Helper()
	p.Only, p.Elsewhere = "external", sandbox.Elsewhere{Command: []string{os.Args[0], "-test.run=^TestExternalService$"}}
	p.Parent = append(os.Environ(), "REIN_TEST_SERVICE="+kind)
	box, err := sandbox.New(p)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := box.Close(); err != nil {
			t.Error(err)
		}
	})
	return box
}

func TestExternalPassesTheSuite(t *testing.T) {
	sandboxtest.Run(t, func(t *testing.T, dir string) sandbox.Sandbox {
		return outside(t, "shares", sandbox.Policy{Workspace: dir})
	})
}

func TestExternalFeedsInput(t *testing.T) {
	box := outside(t, "shares", sandbox.Policy{Workspace: realDir(t)})
	out, err := sandbox.RunToEnd(t.Context(), box, shell("cat; exit 3"), []byte(strings.Repeat("line\n", 20_000)))
	if err != nil || out.Code != 3 || len(out.Stdout) != 100_000 {
		t.Errorf("got %d %d bytes %v", out.Code, len(out.Stdout), err)
	}
	if got := box.Isolation(t.Context()); got != guard.FileIsolation {
		t.Errorf("the service isolates files, and the box says %v", got)
	}
}

// TestExternalKeepsCopiesTheSame runs programs where the files are copies.
func TestExternalKeepsCopiesTheSame(t *testing.T) {
	dir := realDir(t)
	var warned []string
	write(t, filepath.Join(dir, "a"), "one")
	write(t, filepath.Join(dir, "gone"), "x")
	write(t, filepath.Join(dir, "below", "b"), "two")
	write(t, filepath.Join(dir, ".env"), "KEY=1")
	write(t, filepath.Join(dir, ".git", "config"), "[core]\n")
	write(t, filepath.Join(dir, ".git", "HEAD"), "ref: refs/heads/main\n")
	box := outside(t, "copies", sandbox.Policy{Workspace: dir, Warn: func(s string) { warned = append(warned, s) }})
	run := func(script string) string { out, _ := inContainer(t, box, shell(script)); return out }
	content := func(name string) string { text, _ := os.ReadFile(filepath.Join(dir, name)); return string(text) }
	if got := run("cat a below/b; test ! -e .env && echo no secrets; echo changed > a; echo new > c; mkdir d; echo e > d/e; chmod 755 c; rm gone; echo x >> .git/config"); got != "onetwono secrets" {
		t.Errorf("there: %q", got)
	}
	for name, want := range map[string]string{"a": "changed\n", "c": "new\n", "d/e": "e\n", "below/b": "two", "gone": "", ".env": "KEY=1", ".git/config": "[core]\n"} {
		if got := content(name); got != want {
			t.Errorf("%s is %q here, want %q", name, got, want)
		}
	}
	if info, err := os.Stat(filepath.Join(dir, "c")); err != nil || info.Mode().Perm() != 0o755 {
		t.Errorf("the mode of c: %v %v", info, err)
	}
	if len(warned) != 1 || !strings.Contains(warned[0], ".git/config") {
		t.Errorf("warnings: %q", warned)
	}
	write(t, filepath.Join(dir, "large"), strings.Repeat("x", 3<<20))
	if got := run("wc -c <large; printf x >>large"); got != "3145728" || len(content("large")) != 3<<20+1 {
		t.Errorf("a file of 3 MiB: %q there, %d bytes here", got, len(content("large")))
	}
	write(t, filepath.Join(dir, "a"), "changed here")
	if err := os.Remove(filepath.Join(dir, "c")); err != nil {
		t.Fatal(err)
	}
	if got := run("cat a; test -e c || echo c is gone"); got != "changed herec is gone" {
		t.Errorf("after changes here: %q", got)
	}
	// A program that changes what is changed here meanwhile does not win.
	var out bytes.Buffer
	running, err := sandbox.Launch(t.Context(), box, shell("echo there > a; sleep 1"), &out)
	if err != nil {
		t.Fatal(err)
	}
	time.Sleep(300 * time.Millisecond)
	write(t, filepath.Join(dir, "a"), "edited by the user")
	if _, err := running.Result(); err != nil || content("a") != "edited by the user" {
		t.Errorf("got %q %v", content("a"), err)
	}
}

func TestExternalProgramThatFails(t *testing.T) {
	box := outside(t, "broken", sandbox.Policy{Workspace: realDir(t)})
	if err := box.Prepare(t.Context()); err == nil || !strings.Contains(err.Error(), "no message") {
		t.Errorf("got %v", err)
	}
	for name, c := range map[string]struct {
		command []string
		want    string
	}{
		"none named":      {nil, "sandboxBackend.command"},
		"not installed":   {[]string{"no-such-service"}, "no-such-service"},
		"ends at once":    {[]string{"sh", "-c", "echo the key is missing >&2"}, "the key is missing"},
		"another version": {[]string{"sh", "-c", `read line; echo '{"id":1,"result":{"version":9}}'; cat`}, "version 9"},
		"refuses":         {[]string{"sh", "-c", `read line; echo '{"id":1,"error":"no place is free"}'; cat`}, "no place is free"},
	} {
		box, err := sandbox.New(sandbox.Policy{Workspace: realDir(t), Only: "external", Elsewhere: sandbox.Elsewhere{Command: c.command}})
		if err != nil {
			t.Fatal(err)
		}
		if err := box.Prepare(t.Context()); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v", name, err)
		}
		_ = box.Close()
	}
}

func TestExternalEndsWithItsService(t *testing.T) {
	box := outside(t, "shares", sandbox.Policy{Workspace: realDir(t)})
	spec := shell("sleep 60")
	p, err := box.Start(t.Context(), spec)
	if err != nil {
		t.Fatal(err)
	}
	go func() { time.Sleep(200 * time.Millisecond); _ = box.Close() }()
	ended := make(chan struct{})
	go func() { _, _ = p.Wait(); close(ended) }()
	select {
	case <-ended:
	case <-time.After(30 * time.Second): // it would sleep for a minute
		t.Error("a program outlives the service that ran it")
	}
}
