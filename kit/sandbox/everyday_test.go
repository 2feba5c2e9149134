//go:build linux

package sandbox

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// everyday is one piece of ordinary work.
type everyday struct {
	name     string
	programs string            // that it needs; a row without them does not count
	files    map[string]string // of the workspace
	script   string
	want     string // what the output ends with
}

const goServer = `package main

import "net"

func main() {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	go func() {
		c, err := net.Dial("tcp", l.Addr().String())
		if err != nil {
			panic(err)
		}
		c.Write([]byte("served"))
		c.Close()
	}()
	c, err := l.Accept()
	if err != nil {
		panic(err)
	}
	b := make([]byte, 6)
	c.Read(b)
	println(string(b))
}
`

const goTest = `package sum

import "testing"

func TestSum(t *testing.T) {
	if 1+1 != 2 {
		t.Fatal()
	}
}
`

const pythonServer = `
import http.server, threading, urllib.request
class H(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200); self.end_headers(); self.wfile.write(b"served")
    def log_message(self, *a): pass
s = http.server.HTTPServer(("127.0.0.1", 0), H)
threading.Thread(target=s.serve_forever, daemon=True).start()
print(urllib.request.urlopen("http://127.0.0.1:%d" % s.server_port).read().decode())
`

const pythonSocket = `
import os, socket
s = socket.socket(socket.AF_UNIX); s.bind("sock"); s.listen()
c = socket.socket(socket.AF_UNIX); c.connect("sock")
a, _ = s.accept(); c.send(b"through"); print(a.recv(7).decode())
`

const ownCache = "go build in a cache of its own"

func everydayWork() []everyday {
	const gitUser = "export GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@b.example GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@b.example; "
	return []everyday{
		{"git init, add and commit", "git", nil, gitUser + "git init -q && echo x > a && git add a && git commit -qm one && git log --format=%s", "one\n"},
		{"git branch, switch and merge", "git", nil, gitUser + "git init -q && git commit -qm one --allow-empty && git switch -qc b && echo x > a && git add a && git commit -qm two && git switch -q - && git merge -q b && cat a", "x\n"},
		{ownCache, "go", map[string]string{"go.mod": "module m\n", "m.go": "package m\n\nfunc F() int { return 1 }\n"}, "go build . && ls ~/.cache/go-build/00 >/dev/null && echo kept", "kept\n"}, // a program would compile the runtime too
		{"go build and vet of a loopback server", "go", map[string]string{"go.mod": "module m\n", "main.go": goServer}, "go build -o m . && go vet . && ./m", "served\n"},
		{"go test", "go", map[string]string{"go.mod": "module m\n", "sum_test.go": goTest}, "go test -vet=off . | cut -f1", "ok  \n"},
		{"make with gcc", "make gcc", map[string]string{"Makefile": "m: m.c\n\tgcc -o $@ $<\n", "m.c": "#include <stdio.h>\nint main(void) { puts(\"made\"); }\n"}, "make -s && ./m", "made\n"},
		{"node with a file and a child", "node", nil, `node -e 'require("fs").writeFileSync("n", "x"); process.stdout.write(require("child_process").execSync("cat n; echo"))'`, "x\n"},
		{"npm run", "npm node", map[string]string{"package.json": `{"name": "m", "version": "1.0.0", "scripts": {"hello": "echo hello"}}`}, "npm run -s hello", "hello\n"},
		{"python with a loopback server", "python3", map[string]string{"s.py": pythonServer}, "python3 s.py", "served\n"},
		{"python with several processes", "python3", map[string]string{"p.py": "import multiprocessing as m\nif __name__ == '__main__':\n    with m.Pool(2) as p: print(sum(p.map(abs, [-1, -2])))\n"}, "python3 p.py", "3\n"},
		{"a unix socket in the workspace", "python3", map[string]string{"u.py": pythonSocket}, "python3 u.py", "through\n"},
		{"a temporary file and directory", "mktemp", nil, `f=$(mktemp) && d=$(mktemp -d) && echo x > $f && mv $f $d/y && cat $d/y`, "x\n"},
		{"a heredoc", "cat", nil, "cat <<EOF\nhere $((1+1))\nEOF", "here 2\n"},
		{"a process substitution", "diff", nil, "diff <(echo a) <(echo a) && echo same", "same\n"},
		{"a job in the background", "sleep", nil, "(sleep 0.05; echo late > f) & wait; cat f", "late\n"},
		{"programs side by side", "xargs", nil, "seq 20 | xargs -P 4 -n 1 echo | sort -n | tail -1", "20\n"},
		{"a rename to another directory", "mv", nil, "mkdir -p a/b c && echo x > a/b/f && mv a/b/f c/g && mv a/b c && cat c/g && ls c", "x\nb\ng\n"},
		{"an archive of another owner's", "tar", nil, "echo x > f && tar --owner=1234 --group=1234 -cf a.tar f && rm f && tar xf a.tar && cat f", "x\n"},
		{"an archive there and back", "tar gzip", nil, "mkdir a && echo x > a/f && tar czf a.tgz a && rm -r a && tar xzf a.tgz && cat a/f", "x\n"},
		{"a link and modes", "ln chmod", nil, "echo x > a && ln a b && ln -s a c && chmod 600 a && touch -d 2001-01-01 a && stat -c %a%Y b && cat c", "\nx\n"},
		{"a lock", "flock", nil, "flock lock echo locked", "locked\n"},
		{"who and where", "id ps", nil, "id -u >/dev/null && ps aux >/dev/null && getent hosts localhost >/dev/null && pwd >/dev/null && echo known", "known\n"},
		{"a large sort", "sort", nil, "seq 300000 -1 1 | sort -n -S 1M | head -1", "1\n"},
	}
}

func TestEverydayWorkPasses(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("it starts many programs one after the other")
	}
	policy, env := Policy{}, []string(nil)
	own := needBox(t, policy)
	if cache := goCache(); cache != "" {
		policy.Writable = []string{cache}
		env = []string{"GOCACHE=" + cache}
	}
	box := needBox(t, policy)
	done := 0
	for _, row := range everydayWork() {
		if missing := notInstalled(row.programs); missing != "" {
			t.Logf("%s: %s is not installed: the row does not count", row.name, missing)
			continue
		}
		done++
		t.Run(row.name, func(t *testing.T) {
			if row.name == ownCache {
				row.run(t, own, nil)
			} else {
				row.run(t, box, env)
			}
		})
	}
	if done < 10 {
		t.Errorf("only %d rows could run", done)
	}
}

func (e everyday) run(t *testing.T, box *Box, env []string) {
	dir, err := os.MkdirTemp(box.inner.Workspace, "")
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range e.files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	spec := shell(e.script)
	spec.Dir, spec.Env = dir, env
	var out bytes.Buffer
	result, err := Run(t.Context(), box, spec, &out, time.Minute)
	if err != nil || result.Code != 0 || !strings.HasSuffix(out.String(), e.want) {
		t.Errorf("got %+v, %v\n%s", result, err, out.String())
	}
}

func notInstalled(programs string) string {
	for _, name := range strings.Fields(programs) {
		if _, err := exec.LookPath(name); err != nil {
			return name
		}
	}
	return ""
}

// goCache is the build cache of the host: the standard library takes most of a minute to build. "" is none.
func goCache() string {
	out, err := exec.Command("go", "env", "GOCACHE").Output()
	cache := strings.TrimSpace(string(out))
	if err != nil || !isDir(cache) {
		return ""
	}
	return cache
}

func isDir(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}
