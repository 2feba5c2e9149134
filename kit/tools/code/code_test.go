package code

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"rein/kit/sandbox"
	"rein/tool"
)

// runner runs code in the real sandbox.
func runner(t *testing.T) *Runner {
	t.Helper()
	files := map[string]string{"data/in.csv": "1,2\n"}
	c := &Runner{
		Open: func(dir string) (Box, error) { return sandbox.New(sandbox.Policy{Workspace: dir}) },
		Read: func(path string) ([]byte, error) {
			if text, ok := files[path]; ok {
				return []byte(text), nil
			}
			return nil, &tool.Error{Kind: tool.NotFound, Text: "no file " + path}
		},
	}
	t.Cleanup(func() {
		scratch := ""
		if c.scratch != nil {
			scratch = c.scratch.Name()
		}
		if err := c.Close(); err != nil {
			t.Error(err)
		}
		if _, err := os.Stat(scratch); scratch != "" && !errors.Is(err, os.ErrNotExist) {
			t.Errorf("%s is left", scratch)
		}
	})
	return c
}

func (c *Runner) do(t *testing.T, ctx context.Context, in args) (text string, parts []tool.Part, err error) {
	t.Helper()
	if l, ok := languageOf(in.Language); ok && !l.installed() {
		t.Skipf("%s is not installed", in.Language)
	}
	encoded, _ := json.Marshal(in)
	r := tool.NewReply(tool.ReplyOptions{})
	err = c.Tool().Run(ctx, encoded, r)
	parts = r.Parts()
	text, _, notes, _ := r.Close()
	return strings.Join(notes, "\n") + text, parts, err
}

const onePixel = `import base64
open("plot.png", "wb").write(base64.b64decode("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="))
`

func TestRuns(t *testing.T) {
	c := runner(t)
	for _, row := range []struct {
		name string
		in   args
		want []string
	}{
		{"python", args{Language: "python", Code: "print(1 + 1)"}, []string{"2\n[exit code 0 after "}},
		{"errors and exit code", args{Language: "py", Code: "import sys\nsys.stderr.write('bad\\n')\nsys.exit(3)"}, []string{"[errors]\nbad\n", "[exit code 3"}},
		{"a traceback", args{Language: "python", Code: "1/0"}, []string{"ZeroDivisionError"}},
		{"standard input", args{Language: "python", Code: "print(input()[::-1])", Stdin: "abc\n"}, []string{"cba"}},
		{"a file of the workspace", args{Language: "python", Code: "print(open('data/in.csv').read())", Files: []string{"data/in.csv"}}, []string{"1,2"}},
		{"files come back", args{Language: "python", Code: "open('out.csv', 'w').write('x,y')\nopen('big.bin', 'wb').write(b'\\0' * 100000)"}, []string{"[file big.bin, 100000 bytes]", "[file out.csv]\nx,y\n"}},
		{"bash", args{Language: "bash", Code: "echo a; pwd | grep -c run; ls"}, []string{"a\n1\nmain.sh\n"}},
		{"javascript", args{Language: "javascript", Code: "console.log(require('path').join('a', 'b'))"}, []string{"a/b"}},
		{"a module of javascript", args{Language: "js", Code: "import path from 'path'\nconsole.log(path.join('a', 'c'))"}, []string{"a/c"}},
		{"go", args{Language: "go", Code: "func main() { println(6 * 7) }", Timeout: 300}, []string{"[errors]\n42\n"}},
	} {
		t.Run(row.name, func(t *testing.T) {
			if row.name == "go" && testing.Short() {
				t.Skip("it compiles Go's runtime")
			}
			text, _, err := c.do(t, t.Context(), row.in)
			for _, w := range row.want {
				if err != nil || !strings.Contains(text, w) {
					t.Errorf("got %q, %v", text, err)
				}
			}
		})
	}
}

func TestImagesComeBack(t *testing.T) {
	text, parts, err := runner(t).do(t, t.Context(), args{Language: "python", Code: onePixel})
	if err != nil || len(parts) != 1 || parts[0].MediaType != "image/png" || len(parts[0].Data) == 0 || !strings.Contains(text, "[image plot.png]") {
		t.Errorf("%q, %d parts, %v", text, len(parts), err)
	}
}

// What a plot would show in a window is saved: with a module that stands for matplotlib.
func TestShownPlotsAreSaved(t *testing.T) {
	code := `import os, sys, types
os.makedirs("matplotlib")
open("matplotlib/__init__.py", "w").close()
open("matplotlib/pyplot.py", "w").write('''
class F:
    def savefig(self, name): open(name, "w").write("drawn")
def get_fignums(): return [1]
def figure(n): return F()
def close(what): pass
def show(): raise SystemExit("not replaced")
''')
sys.path.insert(0, os.getcwd())
import matplotlib.pyplot as plt
plt.show()
print(open("figure1.png").read())
`
	if text, _, err := runner(t).do(t, t.Context(), args{Language: "python", Code: code}); err != nil || !strings.Contains(text, "drawn") {
		t.Errorf("%q, %v", text, err)
	}
}

// The limits, each with its error. Nothing stays behind.
func TestLimits(t *testing.T) {
	c := runner(t)
	c.Limits.Memory = 256 << 20
	for _, row := range []struct {
		name string
		in   args
		want string
	}{
		{"time", args{Language: "python", Code: "while True: pass", Timeout: 1}, "Stopped after the timeout of 1s"},
		{"memory", args{Language: "python", Code: "x = ['y' * 1000000 for i in range(10000)]", Timeout: 30}, "memory"},
		{"output", args{Language: "python", Code: "while True: print('x' * 100000)", Timeout: 60}, "printed more than 64 MiB"},
		{"no such language", args{Language: "cobol", Code: "x"}, "not installed or not supported"},
		{"keep without python", args{Language: "bash", Code: "x", Keep: true}, "keep works only with python"},
		{"no such file", args{Language: "python", Code: "x", Files: []string{"no"}}, "no file no"},
	} {
		t.Run(row.name, func(t *testing.T) {
			text, _, err := c.do(t, t.Context(), row.in)
			if all := text + tool.AsError(err).Error(); !strings.Contains(all, row.want) {
				t.Errorf("got %q", all[max(0, len(all)-300):])
			}
		})
	}
	if left, err := os.ReadDir(c.scratch.Name()); err != nil || len(left) != 0 {
		t.Errorf("left: %v, %v", left, err)
	}
}

func TestNoNetworkAndNoWorkspace(t *testing.T) {
	c := runner(t)
	secret := filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(secret, []byte("secret"), 0o600); err != nil {
		t.Fatal(err)
	}
	code := `import socket
try:
    socket.create_connection(("1.1.1.1", 80), 2)
    print("connected")
except OSError:
    print("closed")
try:
    print(open("` + secret + `").read())
except OSError:
    print("hidden")
`
	text, _, err := c.do(t, t.Context(), args{Language: "python", Code: code})
	if b, _ := c.box.(*sandbox.Box).Backend(t.Context()); b == sandbox.BackendNone {
		t.Skip("no sandbox works here")
	}
	if err != nil || !strings.Contains(text, "closed\nhidden\n") {
		t.Errorf("%q, %v", text, err)
	}
}

func TestKept(t *testing.T) {
	c := runner(t)
	do := func(code string, timeout int) (string, []tool.Part, error) {
		return c.do(t, t.Context(), args{Language: "python", Code: code, Keep: true, Timeout: timeout})
	}
	for _, row := range []struct {
		name, code string
		timeout    int
		want       []string
		lacks      string
	}{
		{"the first call starts a process", "x = 20\nprint('hello')", 0, []string{"a new Python process", "hello\n"}, ""},
		{"variables stay, and the last value is shown", "x + 22", 0, []string{"42\n"}, "new Python"},
		{"an error is shown and nothing is lost", "def f(): 1/0\nf()", 0, []string{"[errors]\nTraceback", "line 1, in f", "ZeroDivisionError"}, "kept.py"},
		{"children print too", "import os\n_ = os.system('echo from a child')", 0, []string{"from a child"}, ""},
		{"exit does not end it", "import sys; sys.exit(2)", 0, []string{"SystemExit: 2"}, ""},
		{"a loop is interrupted", "while True: pass", 1, []string{"Interrupted after the timeout of 1s"}, ""},
		{"and the variables are still there", "x", 0, []string{"20\n"}, "new Python"},
		{"images", onePixel, 0, []string{"[image plot.png]"}, ""},
		{"a loop that ignores the interrupt is ended", "import signal\nsignal.signal(signal.SIGINT, signal.SIG_IGN)\nwhile True: pass", 1, []string{"What was kept is lost"}, ""},
		{"a new one", "'x' in globals()", 0, []string{"a new Python process", "False"}, ""},
		{"a process that ends itself", "import os; os._exit(7)", 0, []string{"ended with exit code 7"}, ""},
	} {
		text, parts, err := do(row.code, row.timeout)
		all := text
		if err != nil {
			all += err.Error()
		}
		for _, w := range row.want {
			if !strings.Contains(all, w) {
				t.Errorf("%s: %q is missing in %q", row.name, w, all)
			}
		}
		if row.lacks != "" && strings.Contains(all, row.lacks) {
			t.Errorf("%s: %q", row.name, all)
		}
		if row.name == "images" && len(parts) != 1 {
			t.Errorf("%d parts", len(parts))
		}
	}
}

func TestKeptMemory(t *testing.T) {
	c := runner(t)
	c.Limits.Memory = 128 << 20
	text, _, err := c.do(t, t.Context(), args{Language: "python", Code: "x = []\nwhile True: x.append('y' * 1000000)", Keep: true, Timeout: 30})
	if all := text + errText(err); !strings.Contains(strings.ToLower(all), "memory") {
		t.Errorf("%q", all)
	}
}

func errText(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

// An idle process ends by itself.
func TestKeptIdle(t *testing.T) {
	c := runner(t)
	c.Limits.Idle = 50 * time.Millisecond
	if _, _, err := c.do(t, t.Context(), args{Language: "python", Code: "x = 1", Keep: true}); err != nil {
		t.Fatal(err)
	}
	for deadline := time.Now().Add(10 * time.Second); ; time.Sleep(10 * time.Millisecond) {
		c.mu.Lock()
		gone := c.kept == nil
		c.mu.Unlock()
		if gone {
			return
		}
		if time.Now().After(deadline) {
			t.Fatal("it is still kept")
		}
	}
}

// A cancelled call is over at once (within 200 ms on a quiet machine), although its program ignores signals.
func TestCancel(t *testing.T) {
	c := runner(t)
	for _, keep := range []bool{false, true} {
		if _, _, err := c.do(t, t.Context(), args{Language: "python", Code: "1", Keep: keep}); err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		var at time.Time
		time.AfterFunc(500*time.Millisecond, func() { at = time.Now(); cancel() })
		_, _, err := c.do(t, ctx, args{Language: "python", Code: "import signal\nsignal.signal(signal.SIGTERM, signal.SIG_IGN)\nwhile True: pass", Keep: keep})
		if took := time.Since(at); !errors.Is(err, context.Canceled) || took > 10*time.Second {
			t.Errorf("keep %v: %v after the cancel: %v", keep, took, err)
		}
	}
}

func TestIntent(t *testing.T) {
	for _, row := range []struct {
		in   args
		want tool.Intent
	}{
		{args{Language: "py", Code: "print(1)\n", Files: []string{"a"}}, tool.Intent{Reads: []string{"a"}, Command: "python3 - <<'CODE'\nprint(1)\nCODE"}},
		{args{Language: "python", Code: "'''\nCODE\n'''\nimport os"}, tool.Intent{Command: "python3 - <<'CODE_'\n'''\nCODE\n'''\nimport os\nCODE_"}},
		{args{Language: "bash", Code: "rm -rf /"}, tool.Intent{Command: "rm -rf /"}},
	} {
		got, err := intent(row.in)
		if err != nil {
			t.Fatal(err)
		}
		if got.Command != row.want.Command || got.Unknown != row.want.Unknown || len(got.Reads) != len(row.want.Reads) {
			t.Errorf("got %+v, want %+v", got, row.want)
		}
	}
	if got, err := intent(args{Language: "other", Code: "x"}); err == nil || !got.IsZero() { // it never runs, so there is nothing to judge
		t.Errorf("another language: %+v, %v", got, err)
	}
}

// Links that code has made lead rein nowhere: it reads and writes nothing outside the scratch directory.
func TestLinksLeadNowhere(t *testing.T) {
	c := runner(t)
	outside := t.TempDir()
	if err := os.WriteFile(filepath.Join(outside, "secret.txt"), []byte("secret"), 0o600); err != nil {
		t.Fatal(err)
	}
	make := `import os
os.symlink("` + outside + `", "data")
os.symlink("` + outside + `/secret.txt", "copy.txt")
here = os.getcwd()
`
	text, _, err := c.do(t, t.Context(), args{Language: "python", Code: make, Keep: true})
	if err != nil || strings.Contains(text, "secret") {
		t.Errorf("%q, %v", text, err)
	}
	if _, _, err = c.do(t, t.Context(), args{Language: "python", Code: "1", Keep: true, Files: []string{"data/in.csv"}}); err == nil {
		t.Error("a file was given through a link")
	}
	swap := `import os
here = os.getcwd()
os.rename(here, here + "x")
os.symlink("` + outside + `", here)
`
	text, _, err = c.do(t, t.Context(), args{Language: "python", Code: swap})
	if strings.Contains(text, "secret") {
		t.Errorf("%q, %v", text, err)
	}
	if left, _ := os.ReadDir(outside); len(left) != 1 {
		t.Errorf("in the directory outside: %v", left)
	}
}
