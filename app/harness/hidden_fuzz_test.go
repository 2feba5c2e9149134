package harness

import (
	"context"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"rein/app/sessions"
	"rein/app/settings"
	"rein/event"
	"rein/guard"
	"rein/model"
)

// TestHiddenValuesChangeNoRequest runs random sessions in pairs of workspaces that differ only in the values of hidden files: what a
// model is sent must be equal, byte for byte, and hold no piece of a value. A person denies whatever is asked. The short form runs one
// pair of each kind; the long one goes on for a time:
//
//	REIN_HIDDEN=1h go test ./app/harness -run TestHiddenValuesChangeNoRequest -timeout 2h -v
//
// REIN_SEED repeats the pairs of an earlier run.
func TestHiddenValuesChangeNoRequest(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed")
	}
	long, _ := time.ParseDuration(os.Getenv("REIN_HIDDEN"))
	seed, pairs, calls := uint64(20261127), 0, 0
	if text := os.Getenv("REIN_SEED"); text != "" {
		fmt.Sscan(text, &seed)
	} else if long > 0 {
		seed = uint64(time.Now().UnixNano())
	}
	for end := time.Now().Add(long); pairs < len(hiddenKinds) || time.Now().Before(end); pairs++ {
		p := hiddenPair{kind: hiddenKinds[pairs%len(hiddenKinds)], seed: seed + uint64(pairs), steps: 14}
		if long > 0 {
			p.steps = 40
		}
		if calls += p.compare(t); t.Failed() {
			t.Fatalf("env-18 the pair %s of REIN_SEED=%d differs", p.kind, p.seed)
		}
	}
	t.Logf("%d pairs, %d calls, the first seed was %d", pairs, calls, seed)
}

// hiddenKinds are the kinds of pairs: files of different lengths in the work tree, what only the history holds, and no sandbox.
var hiddenKinds = []string{"files", "history", "no sandbox"}

// hiddenPair is one comparison.
type hiddenPair struct {
	kind  string
	seed  uint64
	steps int
}

// compare runs a session with each of two values and returns the number of calls.
func (p hiddenPair) compare(t *testing.T) int {
	base, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	values := [2]string{"Zq7vK2mW9xB4nR8tY3", "hP5jL1cD6fG0sA8uE2iO4wQ7zX9kV3bN6mT1"}
	if p.kind == "history" { // objects of git show sizes, and names that follow from what they hold
		values[1] = "hP5jL1cD6fG0sA8uE2"
	}
	var seen [2][]string
	for i, value := range values {
		seen[i] = p.run(t, base, value, fmt.Sprint(i))
	}
	for i := range max(len(seen[0]), len(seen[1])) {
		if i >= len(seen[0]) || i >= len(seen[1]) || seen[0][i] != seen[1][i] {
			var a, b string
			if i < len(seen[0]) {
				a = seen[0][i]
			}
			if i < len(seen[1]) {
				b = seen[1][i]
			}
			t.Errorf("request %d depends on a hidden value:\n%s\n\nbut else\n\n%s", i, a, b)
			break
		}
	}
	for i, value := range values {
		for _, text := range seen[i] {
			if piece := pieceOf(text, value); piece != "" {
				t.Errorf("a request holds %q of a hidden value: %s", piece, text)
			}
		}
	}
	return len(seen[0])
}

// pieceOf returns eight characters of a value that a text has, together or with one other character between each two.
func pieceOf(text, value string) string {
	const piece = 8
	for at := range len(value) - piece + 1 {
		part := value[at : at+piece]
		for _, between := range []string{"", " ", "\n"} {
			if strings.Contains(text, strings.Join(strings.Split(part, ""), between)) {
				return part
			}
		}
	}
	return ""
}

// volatile is what differs from run to run: names of objects and sessions, times, and large numbers.
var volatile = regexp.MustCompile(`\b\d{8}-\d{6}-[a-z0-9]{5}\b|\b[0-9a-f]{7,64}\b|\b\d{1,2}:\d\d(:\d\d(\.\d+)?)?\b|\b\d{7,}\b|\b\d+(\.\d+)? ?(ms|s|µs)\b|\b(Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) +\d+\b|\d{4}-\d\d-\d\d`)

// run runs one session and returns what the model was sent, and the export of the session.
func (p hiddenPair) run(t *testing.T, base, value, name string) []string {
	dir := filepath.Join(base, "work")
	for _, old := range []string{dir, filepath.Join(base, "home"), filepath.Join(base, "state")} {
		if err := os.RemoveAll(old); err != nil {
			t.Fatal(err)
		}
	}
	p.fill(t, dir, value)
	put(t, filepath.Join(base, "home/keep"), "")
	t.Setenv("REIN_HOME", filepath.Join(base, "state"))
	t.Setenv("HOME", filepath.Join(base, "home"))
	o := Options{Dir: dir, Dirs: settings.DefaultDirs(), Trust: true, Terms: event.Terms{Mode: []string{"supervised", "read-only"}[p.seed/3%2]},
		Person: funcPerson(func(context.Context, *Request) (guard.Answer, error) {
			return guard.Answer{Choice: guard.Denied, By: guard.ByPerson("")}, nil
		})}
	if p.kind == "no sandbox" {
		o.Terms.Sandbox = "off"
	}
	h, err := Open(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	defer h.Close(context.Background())
	m := &prober{random: rand.New(rand.NewPCG(p.seed, 1)), steps: p.steps}
	s, err := h.Start(t.Context(), NewSession{ID: "hidden", Model: thinker(m.next)})
	if err != nil {
		t.Fatal(err)
	}
	say(t, s, "Look around.")
	var export strings.Builder
	if err := h.store.Export(&export, s.ID(), sessions.TranscriptFormat("markdown")); err != nil {
		t.Fatal(err)
	}
	return append(m.seen, volatile.ReplaceAllString(export.String(), "#"))
}

// fill makes the workspace: hidden files with the value, and others.
func (p hiddenPair) fill(t *testing.T, dir, value string) {
	hidden := map[string]string{".env": "API_TOKEN=" + value + "\nDB_PASSWORD='" + value[3:] + "'\n", ".env.production": "KEY=" + value + "\n", "sub/.netrc": "machine h login me password " + value + "\n",
		"a/b/c/.env.local": strings.Repeat("# "+value+"\n", len(value)) + "SECRET=" + value + "\n", ".envrc": "export TOKEN=" + value + "\n"}
	if p.kind == "no sandbox" { // own tools hide these, too; programs may open them where nobody says no
		hidden["deploy/id_rsa"], hidden["secrets/db.yml"], hidden["server.pem"] = value+"\n", "password: "+value+"\n", "-----BEGIN X-----\n"+value+"\n"
	}
	git := func(args ...string) {
		c := exec.Command("git", append([]string{"-C", dir, "-c", "user.name=a", "-c", "user.email=a@b"}, args...)...)
		c.Env = append(os.Environ(), "GIT_AUTHOR_DATE=2026-01-02T03:04:05Z", "GIT_COMMITTER_DATE=2026-01-02T03:04:05Z", "GIT_CONFIG_GLOBAL=/dev/null")
		if out, err := c.CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v %s", args, err, out)
		}
	}
	for name, text := range map[string]string{"main.go": "package main\n\n// API_TOKEN is read from .env\nfunc main() {}\n", "README.md": "# API_TOKEN\n", "a/b/x.txt": "one\ntwo\nKEY\n", "AGENTS.md": "Be kind. @.env @sub/.netrc @notes.md\n",
		".gitignore": ".env*\n!.env.example\n", ".env.example": "API_TOKEN=\n"} {
		put(t, filepath.Join(dir, name), text)
	}
	git("init", "-q", "-b", "main")
	git("add", "-A")
	git("commit", "-q", "-m", "first")
	for name, text := range hidden {
		put(t, filepath.Join(dir, name), text)
	}
	if err := os.Symlink(".env", filepath.Join(dir, "notes.md")); err != nil {
		t.Fatal(err)
	}
	if p.kind == "history" {
		git("add", "-A", "-f")
		git("commit", "-q", "-m", "secrets")
		git("rm", "-q", "--cached", ".env", "sub/.netrc")
		git("commit", "-q", "-m", "no secrets")
	}
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	if err := filepath.WalkDir(dir, func(name string, e fs.DirEntry, err error) error {
		if err == nil && e.Type()&fs.ModeSymlink == 0 {
			err = os.Chtimes(name, at, at)
		}
		return err
	}); err != nil {
		t.Fatal(err)
	}
}

// prober is a model that sends random calls, the same for the same seed, and keeps what it is sent.
type prober struct {
	mu     sync.Mutex
	random *rand.Rand
	steps  int
	seen   []string
}

// next keeps the request and sends the next call.
func (m *prober) next(r *model.Request) *model.Message {
	m.mu.Lock()
	defer m.mu.Unlock()
	text := ""
	if len(r.Messages) == 1 {
		text = r.System + "\n"
	}
	for _, p := range r.Messages[len(r.Messages)-1].Parts {
		text += fmt.Sprintln(p.Kind, p.Name, p.Failed, p.Text, p.Args, string(p.Data))
	}
	m.seen = append(m.seen, volatile.ReplaceAllString(text, "#"))
	if m.steps--; m.steps < 0 {
		return saying("Done.")
	}
	name, args := m.call()
	return calling(name, args)
}

func (m *prober) one(of ...string) string { return of[m.random.IntN(len(of))] }

// secretPath is a hidden file, or what leads to one.
func (m *prober) secretPath() string {
	return m.one(".env", "./.env", ".env.production", "sub/.netrc", "a/b/c/.env.local", ".envrc", "notes.md", "deploy/id_rsa", "secrets/db.yml", "server.pem", ".ENV", "sub/../.env", "*", ".e*", ".", "a")
}

// letter is a part of a question about a value: no more than one character of it.
func (m *prober) letter() string {
	const all = "ZhqP7v5jKL12cmDW69fxGB04sAnuREtY3iOwQzXkVbNT"
	return string(all[m.random.IntN(len(all))])
}

// call makes a random call.
func (m *prober) call() (string, map[string]any) {
	path := m.secretPath()
	switch m.random.IntN(12) {
	case 0, 1:
		return "grep", m.grep()
	case 2:
		return "glob", map[string]any{"pattern": m.one("**", ".*", "**/.env*", "**/*"), "ignored": true, "sort": m.one("path", "newest")}
	case 3:
		return m.one("list_dir", "read_file"), map[string]any{"path": path}
	case 4:
		switch m.random.IntN(5) {
		case 0:
			return "git_log", map[string]any{"search": m.letter(), "stat": m.random.IntN(2) == 0}
		case 1:
			return "git_show", map[string]any{"rev": m.one("HEAD", "HEAD~1", "HEAD:.env"), "stat": m.random.IntN(2) == 0}
		case 2:
			return "git_diff", map[string]any{"rev": m.one("HEAD", "HEAD~1", "HEAD~1..HEAD", "HEAD:.env"), "staged": m.random.IntN(2) == 0}
		case 3:
			return "git_status", map[string]any{}
		}
		return "git_blame", map[string]any{"path": m.one(path, "main.go")}
	case 5:
		return "program", map[string]any{"code": fmt.Sprintf("found = []\nfor c in %q.elems():\n    r = grep(pattern=\"(TOKEN|KEY|password).*\" + c, ignored=True, output_mode=%q)\n    found.append(r.text)\nprint(found)\n", m.letter()+m.letter()+m.letter(), m.one("files", "count", "content"))}
	case 6:
		return "agent", map[string]any{"task": "Look around, too.", "agent": m.one("explore", "general")}
	case 7:
		return m.one("session_search", "memory_recall"), map[string]any{"query": m.one("API_TOKEN", "KEY", "password")}
	case 8:
		return "read_file", map[string]any{"path": fmt.Sprintf("output://hidden-%d", 1+m.random.IntN(3))}
	}
	return "bash", map[string]any{"command": m.command(path)}
}

func (m *prober) grep() map[string]any {
	args := map[string]any{"pattern": m.one("TOKEN=.*", "KEY=", "password ", "") + m.one(m.letter(), ".", "[A-Z]"+m.letter()), "ignored": true, "output_mode": m.one("content", "files", "count")}
	if m.random.IntN(3) == 0 {
		args["path"] = m.secretPath()
	}
	if m.random.IntN(3) == 0 {
		args["glob"] = m.one("*.env", ".env*", "**/.netrc", "*")
	}
	return args
}

// command is a random command of common programs.
func (m *prober) command(path string) string {
	c := m.letter()
	n := fmt.Sprint(m.random.IntN(200))
	lines := []string{
		"ls -la " + path, "ls -laR .", "find . -path ./.git -prune -o -size +" + n + "c -print", "find . -name '.env*' -size -" + n + "c", "wc -c " + path, "wc " + path, "stat -c '%n %s %a' " + path, "du -ab --exclude=.git .", "du -b " + path,
		"cat " + path, "cat < " + path, "head -c " + n + " " + path, "tail -c 3 " + path, "grep -c " + c + " " + path, "grep -rl " + c + " . --exclude-dir=.git", "grep -rc TOKEN . --exclude-dir=.git", "awk '/" + c + "/{print NR}' " + path,
		"sed -n '/" + c + "/=' " + path, "sed 's/./& /g' " + path, "sort " + path, "uniq -c " + path, "cut -c1-3 " + path, "tr a-z A-Z < " + path, "od -c " + path, "xxd " + path, "base64 " + path, "strings " + path, "file " + path, "sha256sum " + path,
		"md5sum " + path + " main.go", "cksum " + path, "diff " + path + " main.go", "cmp " + path + " .envrc", "cmp -s .env .env.production; echo $?", "comm " + path + " main.go", "tar cf - . --exclude=.git | tar tv", "cp " + path + " copy.txt; cat copy.txt",
		"cp -r . ../copy; ls -laR ../copy", "ln " + path + " hard.txt; cat hard.txt", "ln -s " + path + " soft.txt; cat soft.txt", "mv " + path + " moved.txt; cat moved.txt", "rev " + path, "fold -w1 " + path, "paste -s " + path, "join " + path + " " + path,
		"python3 -c 'import os; print(os.path.getsize(\".env\"), os.stat(\".env\").st_mtime > 0)'", "python3 -c 'print(open(\".e\"+\"nv\").read()[:3])'", "perl -ne 'print length' " + path, "perl -e 'print -s \".env\"'", "echo $(<" + path + ")", "while read -r l; do echo ${#l}; done < " + path,
		"[ -s " + path + " ] && echo some", "test .env -ot main.go && echo older", "test -r .env; echo $?", "dd if=" + path + " bs=1 count=3", "split -b 3 " + path + " part.; cat part.*", "install -m 644 " + path + " inst.txt; cat inst.txt", "timeout 5 rsync -a . ../r; cat ../r/.env",
		"source ./.env; echo ${API_TOKEN:0:3}", "set -a; . ./.envrc; env | grep -c TOKEN", "xargs -a " + path + " echo", "jq -R length " + path, "node -e 'console.log(require(\"fs\").statSync(\".env\").size)'", "bash -n " + path, "diff -rq . ../copy",
		"git status --short --ignored", "git diff --stat", "git diff --no-index .env main.go", "git hash-object " + path, "git ls-files -s", "git log --stat --oneline", "git log -S" + c + " --oneline", "git log -p", "git grep -c " + c + " HEAD", "git grep -h TOKEN HEAD | cut -c9-16",
		"git show HEAD~1:.env", "git cat-file -s HEAD~1:.env", "git cat-file -p HEAD~1:.env", "git archive HEAD~1 | tar xO | tail -c 20", "git stash -u; git stash show -p", "git add -A -f; git diff --cached --stat", "git checkout HEAD~1 -- .env; cat .env", "git rev-list --objects --all | wc -l",
		"git blame -s .env", "git ls-tree -rl HEAD~1", "git diff HEAD~1 HEAD --numstat", "git fsck --lost-found", "git bundle create - HEAD | strings", "git fast-export HEAD | tail -5", "git log -G" + c + " --oneline", "git merge-file -p .env main.go README.md",
		"python3 - <<'X'\nimport glob, zlib\nfor f in glob.glob('.git/objects/??/*'):\n    print(zlib.decompress(open(f,'rb').read())[-9:])\nX", "cat .git/objects/*/* | wc -c", "make -f .env", "make -n -f .env x", "awk -f " + path, "go vet ./...", "sqlite3 x.db '.import .env t'",
	}
	return lines[m.random.IntN(len(lines))]
}
