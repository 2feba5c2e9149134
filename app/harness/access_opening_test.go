package harness

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"rein/event"
	"rein/guard"
	"rein/guard/effect"
	"rein/kit/guards"
	"rein/kit/sandbox"
)

// effectRow is a kind of request. In its command HOME is the home directory, PORT a port of the machine.
type effectRow struct {
	name, command string
	made          string // a file below the home directory that the command makes or changes; "" where it removes
	holds         string // what the file holds then
	removed       string // what the command removes
	shown         string // what the request must name
	differ        string // the program that the repository names to show differences
	remote        string // the address of origin
	never         string // what the denial says where nobody is asked, since an approval would have no effect
}

var effectRows = []effectRow{
	{name: "a new file outside", command: `echo x > HOME/other/new.txt`, made: "other/new.txt", holds: "x", shown: "HOME/other"},
	{name: "more in a file outside", command: `echo x >> HOME/other/old.txt`, made: "other/old.txt", holds: "old\nx", shown: "HOME/other/old.txt"},
	{name: "another file in the place of one outside", command: `sed -i s/old/x/ HOME/other/old.txt`, made: "other/old.txt", holds: "x", shown: "HOME/other/old.txt"},
	{name: "a directory outside", command: `mkdir -p HOME/other/a/b && touch HOME/other/a/b/c`, made: "other/a/b/c", shown: "HOME/other"},
	{name: "a move to outside", command: `mv a.txt HOME/other/a.txt`, made: "other/a.txt", holds: "a", shown: "HOME/other/a.txt"},
	{name: "a removal outside", command: `rm HOME/other/old.txt`, removed: "other/old.txt", shown: "HOME/other/old.txt"},
	{name: "a removal of a directory outside", command: `rm -r HOME/other/sub`, removed: "other/sub", shown: "HOME/other/sub"},
	{name: "a file outside is read", command: `cat HOME/other/old.txt > got`, made: "project/got", holds: "old", shown: "HOME/other/old.txt"},
	{name: "a directory outside is listed", command: `ls HOME/other > got`, made: "project/got", holds: "old.txt\nsub", shown: "HOME/other"},
	{name: "files outside by a wildcard", command: `cat HOME/other/*.txt > got`, made: "project/got", holds: "old", shown: "HOME/other"},
	{name: "a file outside through a link", command: `cat link/old.txt > got`, made: "project/got", holds: "old", shown: "HOME/other/old.txt"},
	{name: "a hook of git", command: `echo x > .git/hooks/pre-commit`, made: "project/.git/hooks/pre-commit", holds: "x", shown: ".git/hooks/pre-commit"},
	{name: "git's settings", command: `git remote add origin https://example.com/x && git remote > got`, made: "project/got", holds: "origin", shown: "trust"},
	{name: "the repository", command: `rm -rf .git`, removed: "project/.git", shown: ".git"},
	{name: "settings of an editor", command: `echo x > .vscode/settings.json`, made: "project/.vscode/settings.json", holds: "x", shown: ".vscode/settings.json"},
	{name: "a file of secrets is read", command: `wc -l < .env > got`, made: "project/got", holds: "1", shown: ".env"},
	{name: "a file of secrets is written", command: `echo B=2 >> .env`, made: "project/.env", holds: "A=1\nB=2", shown: ".env"},
	{name: "a server of the machine", command: `exec 3<>/dev/tcp/localhost/PORT && head -n 1 <&3 > got`, made: "project/got", holds: "hello", shown: "port PORT of this machine"},
	{name: "a server of the machine by its address", command: `exec 3<>/dev/tcp/127.0.0.1/PORT && head -n 1 <&3 > got`, made: "project/got", holds: "hello", shown: "port PORT of this machine"},
	{name: "a hook of a repository outside", command: `echo x > HOME/repository/.git/hooks/pre-commit`, made: "repository/.git/hooks/pre-commit", holds: "x", shown: "HOME/repository/.git/hooks"},

	{name: "a process that it started itself", command: `sleep 60 & until pkill -x sleep; do :; done; wait $!; echo $? > got`, made: "project/got", holds: "143", shown: "signals processes"},
	{name: "a program that is not known", command: `frobnicate || echo ran > got`, made: "project/got", holds: "ran", shown: "frobnicate"},
	{name: "code that is not known before it runs", command: `X=$(cat code); eval "$X"`, made: "project/got", holds: "ran", shown: "text"},
	{name: "a program by an option", command: `git -c alias.x='!echo ran > got' x`, made: "project/got", holds: "ran", shown: "git"},
	{name: "a publication", command: `git push HOME/bare HEAD:refs/heads/new`, made: "bare/refs/heads/new", shown: "HOME/bare"},
	{name: "a publication to a remote", command: `git push origin HEAD:refs/heads/new`, made: "bare/refs/heads/new", shown: "HOME/bare", remote: "../bare"},
	{name: "a publication that sets the upstream", command: `git push -q -u origin HEAD:refs/heads/new && git config branch.master.merge > got`, made: "project/got", holds: "refs/heads/new", shown: ".git/config", remote: "../bare"},
	{name: "a publication to the remote", command: `git push`, made: "bare/refs/heads/master", shown: "HOME/bare", remote: "HOME/bare"},
	{name: "a fetch", command: `git fetch -q origin`, made: "project/.git/FETCH_HEAD", shown: "HOME/repository", remote: "file://HOME/repository"},
	{name: "a fetch from all", command: `git fetch -q --all`, made: "project/.git/FETCH_HEAD", shown: "HOME/repository", remote: "HOME/repository"},
	{name: "a fetch of the remote", command: `git fetch -q`, made: "project/.git/FETCH_HEAD", shown: "HOME/repository", remote: "../repository"},
	{name: "a pull", command: `git pull -q --no-rebase --no-edit --allow-unrelated-histories origin main`, made: "project/pulled.txt", shown: "HOME/repository", remote: "../repository"},
	{name: "an update of the remotes", command: `git remote update`, made: "project/.git/FETCH_HEAD", shown: "HOME/repository", remote: "../repository"},
	{name: "a list of a remote", command: `git ls-remote origin > got`, made: "project/got", shown: "HOME/repository", remote: "../repository"},
	{name: "a clone", command: `git clone -q HOME/repository copy`, made: "project/copy/pulled.txt", shown: "HOME/repository"},
	{name: "a change of shared things", command: `git push --force HOME/bare HEAD:main`, made: "bare/refs/heads/main", shown: "HOME/bare"},
	{name: "an upload", command: `curl --http0.9 -s -d @a.txt http://localhost:PORT/ > got`, made: "project/got", holds: "hello", shown: "sends files"},
	{name: "code from the network", command: `curl --http0.9 -s http://localhost:PORT/ | PATH=$PWD:$PATH sh > got`, made: "project/got", holds: "ran", shown: "code from the network"},
	{name: "packages of others", command: `npm install ./dep --no-audit --no-fund --offline`, made: "project/package.json", shown: "packages"},
	{name: "all files", command: `rm -rf *`, removed: "project/a.txt", shown: "whole workspace"},
	{name: "what is no bash", command: "echo ran > got\nif then (", made: "project/got", shown: "not valid"},
	{name: "files that git does not know", command: `git clean -fdq code`, removed: "project/code", shown: "git"},
	{name: "a program that the repository names", command: `echo b > a.txt; git diff > got`, made: "project/got", holds: "ran", shown: "git", differ: "./hello"},
	{name: "a link to outside", command: `ln -s HOME/other/old.txt new`, made: "project/new", holds: "old", shown: "HOME/other/old.txt"},
	{name: "what may fill the disk", command: `yes > got & sleep 0.1; kill $!`, made: "project/got", shown: "fill"},

	{name: "a file at the top of the home directory", command: `echo x > HOME/notes.txt`, made: "notes.txt", never: "home directory"},
	{name: "a start file", command: `echo x >> HOME/.bashrc`, made: ".bashrc", never: "home directory"},
	{name: "git's settings of the user", command: `git config --global user.name x`, made: ".gitconfig", never: "home directory"},
	{name: "another home directory is listed", command: `ls /root > got`, made: "project/got", never: "home directory"},
	{name: "a file of secrets outside", command: `echo x >> HOME/other/.env`, made: "other/.env", never: "credentials"},
	{name: "a file of the machine's /tmp", command: `rm -rf TEMP`, removed: "TEMP", never: "a /tmp of their own"},
	{name: "a process of the machine", command: `kill 4242`, made: "x", never: "processes of their own command"},
	{name: "processes of the machine by their port", command: `lsof -ti:PORT | xargs kill -9`, made: "x", never: "job_kill"},
	{name: "the machine", command: `systemctl restart x`, made: "x", never: "administer"},
	{name: "a remote over SSH", command: `git push origin main`, remote: "git@example.com:a/b.git", made: "x", never: "SSH"},
	{name: "another machine", command: `ssh example.com ls > got`, made: "project/got", never: "SSH"},
	{name: "files of another machine", command: `rsync -a a.txt me@example.com:b`, made: "x", never: "SSH"},
	{name: "a database at an address", command: `psql -h 192.0.2.7 -c 'select 1' > got`, made: "project/got", never: "HTTP only"},
	{name: "a server of FTP", command: `curl ftp://example.com/x > got`, made: "project/got", never: "FTP"},
	{name: "another machine without a connection", command: `ping -c 1 example.com > got`, made: "project/got", never: "look up no names"},
	{name: "what runs later", command: `crontab jobs`, made: "x", never: "/var/spool/cron/crontabs"},
	{name: "settings of a program", command: `pip config set a.b c`, made: ".config/pip/pip.conf", never: "/.config cannot be opened"},
	{name: "the container daemon", command: `docker run x`, made: "x", never: "container daemon"},
}

// TestWhatIsApprovedHasItsEffect: for each kind of request, denied means that nothing happened, and approved that the effect is on the machine.
// Where it cannot be, nobody is asked.
func TestWhatIsApprovedHasItsEffect(t *testing.T) {
	server, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close()
	go func() {
		for c, err := server.Accept(); err == nil; c, err = server.Accept() {
			fmt.Fprintln(c, "hello")
			c.Close()
		}
	}()
	asked, tried := map[effect.Class]bool{}, 0
	for i, row := range effectRows {
		if testing.Short() && i%4 != 0 { // each row starts two sessions
			continue
		}
		t.Run(row.name, func(t *testing.T) {
			row.try(t, fmt.Sprint(server.Addr().(*net.TCPAddr).Port), asked)
			tried++
		})
	}
	for class := effect.Read; class.String() != "none" && tried == len(effectRows); class++ { // all of them ran
		if d, _ := guards.Decide(class, guard.Supervised, guard.FullIsolation); d == guard.Ask && !asked[class] && withoutEffect[class] == "" {
			t.Errorf("no row asks about a command that %s (%v)", class.Why(), class)
		}
	}
}

// withoutEffect are the kinds of requests without a row: their effect is not on this machine, or the rows say that nobody is asked.
var withoutEffect = map[effect.Class]string{
	effect.RemoteShell: "needs another machine", effect.Nested: "needs another agent", effect.Container: "never asked", effect.Admin: "never asked", effect.Signal: "what is not its own is never asked",
	effect.Unparsed: "bash runs nothing of it, but what comes before", effect.Private: "asked as a file of secrets",
}

// try denies and then approves the request of a row, and looks at what happened.
func (row effectRow) try(t *testing.T, port string, asked map[effect.Class]bool) {
	if name, _, _ := strings.Cut(row.command, " "); name == "npm" || name == "curl" {
		if _, err := exec.LookPath(name); err != nil {
			t.Skip(err)
		}
	}
	home := effectHome(t)
	t.Setenv("HOME", home)
	for key, value := range map[string]string{"diff.external": row.differ, "remote.origin.url": strings.ReplaceAll(row.remote, "HOME", home), "remote.origin.fetch": "+refs/heads/*:refs/remotes/origin/*", "push.default": "current"} {
		if row.differ+row.remote == "" || value == "" {
			continue
		}
		if out, err := exec.Command("git", "-C", filepath.Join(home, "project"), "config", key, value).CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
	}
	var shown []string
	var choice guard.Choice
	var s *Session
	s = startCalls(t, Options{Dir: filepath.Join(home, "project"), Terms: event.Terms{Sandbox: "auto"}, Person: funcPerson(func(_ context.Context, r *Request) (guard.Answer, error) {
		shown = append(shown, strings.Join(r.Lines, "\n"))
		for _, f := range s.guards.Programs.Read(r.Case).Findings {
			asked[f.Class] = true
		}
		return r.Claim(guard.Answer{Choice: choice, By: guard.ByPerson("")})
	})})
	defer s.Close(context.Background())
	needsIsolation(t, s)
	temp, err := os.CreateTemp("/tmp", "rein-effect-*")
	if err != nil {
		t.Fatal(err)
	}
	defer os.Remove(temp.Name())
	temp.Close()
	spell := strings.NewReplacer("HOME", home, "PORT", port, "TEMP", temp.Name())
	args, err := json.Marshal(map[string]string{"command": spell.Replace(row.command)})
	if err != nil {
		t.Fatal(err)
	}
	made, removed := filepath.Join(home, row.made), filepath.Join(home, row.removed)
	if row.removed == "TEMP" {
		removed = temp.Name()
	}
	for _, choice = range []guard.Choice{guard.Denied, guard.Approved} {
		shown = nil
		before, wasNot := os.ReadFile(made)
		result := callText(t, s, choice.String(), "bash", string(args))
		after, isNot := os.ReadFile(made)
		_, gone := os.Lstat(removed)
		changed := string(before) != string(after) || wasNot != nil && isNot == nil
		if row.removed != "" {
			changed = gone != nil
		}
		switch {
		case row.never != "":
			if len(shown) > 0 || changed || !strings.Contains(result, row.never) {
				t.Errorf("asked %q, changed: %v, result: %s", shown, changed, result)
			}
		case len(shown) != 1 || !strings.Contains(shown[0], spell.Replace(row.shown)):
			t.Errorf("the request does not name %q: %q, result: %s", spell.Replace(row.shown), shown, result)
		case changed != (choice == guard.Approved) || row.holds != "" && changed && strings.TrimSpace(string(after)) != row.holds:
			t.Errorf("%v: changed: %v, it holds %q, result: %s", choice, changed, after, result)
		}
	}
}

// needsIsolation skips a test where programs have no file system and network of their own.
func needsIsolation(t *testing.T, s *Session) {
	t.Helper()
	if backend, err := s.box.Backend(t.Context()); err != nil || backend < sandbox.BackendBubblewrap {
		t.Skipf("on the backend %v: %v", backend, err)
	}
}

// effectTemplate is a home directory with a workspace and places beside it, made once.
var effectTemplate = sync.OnceValues(func() (string, error) {
	home, err := os.MkdirTemp("", "rein-effects-")
	if err != nil {
		return "", err
	}
	for name, text := range map[string]string{
		"other/old.txt": "old\n", "other/sub/x": "", "other/.env": "A=1\n", "repository/pulled.txt": "",
		"project/a.txt": "a\n", "project/.env": "A=1\n", "project/.vscode/settings.json": "{}\n", "project/code": "echo ran > got\n",
		"project/hello": "#!/bin/sh\necho ran\n", "project/dep/package.json": `{"name": "dep", "version": "1.0.0"}`, ".bashrc": "\n", ".gitconfig": "[user]\n\tname = y\n\temail = y@example.com\n",
	} {
		path := filepath.Join(home, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), 0o644)); err != nil {
			return "", err
		}
	}
	for _, args := range [][]string{{"init", "-q", "--bare", "../bare"}, {"init", "-q", "-b", "main", "../repository"}, {"-C", "../repository", "add", "."},
		{"-C", "../repository", "-c", "user.name=x", "-c", "user.email=x@example.com", "commit", "-qm", "x"}, {"init", "-q"}, {"config", "user.name", "x"}, {"config", "user.email", "x@example.com"}, {"add", "a.txt"}, {"commit", "-qm", "x"}} {
		if out, err := exec.Command("git", append([]string{"-C", filepath.Join(home, "project")}, args...)...).CombinedOutput(); err != nil {
			return "", fmt.Errorf("%w: %s", err, out)
		}
	}
	return home, os.Chmod(filepath.Join(home, "project/hello"), 0o755)
})

// effectHome copies the template.
func effectHome(t *testing.T) string {
	home, err := filepath.EvalSymlinks(t.TempDir())
	template, wrong := effectTemplate()
	if err = errors.Join(err, wrong); err == nil {
		err = errors.Join(os.CopyFS(home, os.DirFS(template)), os.Symlink(filepath.Join(home, "other"), filepath.Join(home, "project", "link")))
	}
	if err != nil {
		t.Fatal(err)
	}
	return home
}

// TestAnAllowRuleOpensInModeFull: nobody is asked there, and what a rule allows reaches its host as in the other modes. No other call does.
func TestAnAllowRuleOpensInModeFull(t *testing.T) {
	if _, err := exec.LookPath("curl"); err != nil {
		t.Skip(err)
	}
	home := effectHome(t)
	t.Setenv("HOME", home)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "hello") }))
	defer server.Close()
	address := strings.Replace(server.URL, "127.0.0.1", "localhost", 1)
	s := startCalls(t, Options{Dir: filepath.Join(home, "project"), Terms: event.Terms{Sandbox: "auto", Mode: "full", Allow: []string{"bash(curl -s " + address + "/a)"}}})
	defer s.Close(context.Background())
	needsIsolation(t, s)
	for path, reaches := range map[string]bool{"/a": true, "/b": false} {
		text := callText(t, s, path[1:], "bash", `{"command":"curl -s `+address+path+`"}`)
		if strings.HasPrefix(text, "hello") != reaches {
			t.Errorf("%s: %s", path, text)
		}
	}
}

// TestAServerThatNobodyIs: nobody is asked about a web tool's call of a server of this machine that is none; it may be one of the sandbox.
func TestAServerThatNobodyIs(t *testing.T) {
	asked := 0
	s := startCalls(t, Options{Dir: t.TempDir(), Terms: event.Terms{Sandbox: "auto"}, Person: funcPerson(func(_ context.Context, r *Request) (guard.Answer, error) {
		asked++
		return r.Claim(guard.Answer{Choice: guard.Denied, By: guard.ByPerson("")})
	})})
	defer s.Close(context.Background())
	needsIsolation(t, s)
	server, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	args := fmt.Sprintf(`{"url":"http://localhost:%d/"}`, server.Addr().(*net.TCPAddr).Port)
	callText(t, s, "1", "web_fetch", args)
	if asked != 1 {
		t.Errorf("a server that is there: asked %d times", asked)
	}
	server.Close()
	if result := callText(t, s, "2", "web_fetch", args); asked != 1 || !strings.Contains(result, "nothing listens at localhost:") || !strings.Contains(result, "curl") {
		t.Errorf("asked %d times, then: %s", asked, result)
	}
}
