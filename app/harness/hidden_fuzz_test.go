package harness

import (
	"context"
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"rein/app/sessions"
	"rein/app/settings"
	"rein/event"
	"rein/guard"
)

// TestHiddenValuesChangeNoRequest runs random sessions in pairs of workspaces that differ only in the values of hidden files: what a
// model is sent must be equal, byte for byte, and hold no piece of a value. A person denies whatever is asked. The short form runs one
// pair of each kind; the long one goes on for a time:
//
//	REIN_HIDDEN=1h go test ./app/harness -run TestHiddenValuesChangeNoRequest -timeout 2h -v
//
// It begins with every command for every path, in each kind, and lists all that differ. REIN_SEED repeats the pairs of an earlier run.
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
	for _, kind := range hiddenKinds {
		if long > 0 {
			calls += hiddenPair{kind: kind, seed: 3, each: true}.compare(t)
		}
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

// hiddenKinds are the kinds of pairs: files of different lengths in the work tree, what only the history holds, a sandbox that closes no single
// file, and none.
var hiddenKinds = []string{"files", "history", "landlock", "no sandbox"}

// hiddenPair is one comparison.
type hiddenPair struct {
	kind  string
	seed  uint64
	steps int
	each  bool // every command, in the place of random calls
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
	var seen, exports [2][]string
	for i, value := range values {
		seen[i], exports[i] = p.run(t, base, value)
	}
	if len(seen[0]) != len(seen[1]) {
		t.Errorf("%s: %d requests, but else %d", p.kind, len(seen[0]), len(seen[1]))
	}
	for i := range min(len(seen[0]), len(seen[1])) {
		if seen[0][i] == seen[1][i] {
			continue
		}
		a, b := firstDifference(seen[0][i], seen[1][i])
		t.Errorf("%s: request %d depends on a hidden value: %s\n%s\nbut else\n%s", p.kind, i, commandBefore(seen[0], i), a, b)
		if !p.each {
			break
		}
	}
	for i, value := range values {
		for _, text := range slices.Concat(seen[i], exports[i]) {
			if piece := pieceOf(text, value); piece != "" {
				t.Errorf("%s: a request holds %q of a hidden value: %s", p.kind, piece, text)
			}
		}
	}
	return len(seen[0])
}

// firstDifference returns the first lines that differ, with those around them.
func firstDifference(a, b string) (string, string) {
	one, other := strings.Split(a, "\n"), strings.Split(b, "\n")
	at := 0
	for at < len(one) && at < len(other) && one[at] == other[at] {
		at++
	}
	around := func(lines []string) string { return strings.Join(lines[max(0, at-2):min(len(lines), at+4)], "\n") }
	return around(one), around(other)
}

// commandBefore is the command before a request, where the model sent each.
func commandBefore(seen []string, i int) string {
	_, command, _ := strings.Cut(seen[i], everyMark)
	return command
}

// everyMark stands before the command of which a request has the result.
const everyMark = "\nthe result of: "

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
var volatile = regexp.MustCompile(`_ns":\d+|T\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)|\b\d{8}-\d{6}-[a-z0-9]{5}\b|\b[0-9a-f]{7,64}\b|\b\d{1,2}:\d\d(:\d\d(\.\d+)?)?\b|\b\d{7,}\b|\b\d+(\.\d+)? ?(ms|s|µs)\b|\b(Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) +\d+\b|\d{4}-\d\d-\d\d`)

// run runs one session and returns what the model was sent, with an export of the session for people, and all exports as they are: times and
// numbers of events differ from run to run.
func (p hiddenPair) run(t *testing.T, base, value string) (seen, exports []string) {
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
	switch p.kind {
	case "no sandbox":
		o.Terms.Sandbox = "off"
	case "landlock":
		o.Backend = "landlock"
	default: // its calls run without a question
		put(t, filepath.Join(o.Dirs.Config, "settings.json"), `{"permissions":{"allow":[{"rule":"mcp__files","risk":"high"},{"rule":"mcp_resources","risk":"high"}]}}`)
		o.MCPConfig = []string{filepath.Join(dir, "servers.json")}
	}
	h, err := Open(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	defer h.Close(context.Background())
	m := &prober{random: rand.New(rand.NewPCG(p.seed, 1)), steps: p.steps}
	if p.each {
		m.rest, m.steps = m.everyCommand(), everyTurn
	}
	s, err := h.Start(t.Context(), NewSession{ID: "hidden", Model: thinker(m.next)})
	if err != nil {
		t.Fatal(err)
	}
	for say(t, s, "Look around."); len(m.rest) > 0; say(t, s, "Go on.") {
		m.mu.Lock()
		m.steps = everyTurn
		m.mu.Unlock()
	}
	for _, format := range []sessions.TranscriptFormat{"markdown", "html", "json"} {
		var export strings.Builder
		if err := h.store.Export(&export, s.ID(), format); err != nil {
			t.Fatal(err)
		}
		exports = append(exports, export.String())
	}
	if !p.each { // of a pair of every command the requests say where they differ
		m.seen = append(m.seen, volatile.ReplaceAllString(exports[0], "#"))
	}
	return m.seen, exports
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
	shown := map[string]string{"main.go": "package main\n\n// API_TOKEN is read from .env\nfunc main() {}\n", "README.md": "# API_TOKEN\n", "a/b/x.txt": "one\ntwo\nKEY\n", "AGENTS.md": "Be kind. @.env @sub/.netrc @notes.md\n",
		".gitignore": ".env*\n!.env.example\n", ".env.example": "API_TOKEN=\n",
		"server.py": fileServer, "servers.json": `{"mcpServers":{"files":{"command":"python3","args":["server.py"],"start":"required"}}}`}
	for _, name := range slices.Sorted(maps.Keys(shown)) { // programs list names in the order in which they were made
		put(t, filepath.Join(dir, name), shown[name])
	}
	git("init", "-q", "-b", "main")
	git("add", "-A")
	git("commit", "-q", "-m", "first")
	for _, name := range slices.Sorted(maps.Keys(hidden)) {
		put(t, filepath.Join(dir, name), hidden[name])
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
