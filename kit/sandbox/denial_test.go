//go:build linux

package sandbox

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// blockedScripts want what the sandbox does not give.
func blockedScripts() []string {
	return []string{
		"touch /etc/x", "echo x > /etc/x", "mkdir /opt/new", "cp /etc/os-release /usr/local/bin/x", "mv /etc/hostname /etc/h2", "rm -f /usr/bin/true",
		"chmod 777 /etc/hosts", "chown 1 /etc/hosts", "ln -s /etc/passwd /usr/x", "sed -i s/a/b/ /etc/hosts", "dd if=/dev/zero of=/usr/x count=1", "truncate -s 0 /etc/hosts",
		"echo x | tee /etc/x", "install -D /etc/os-release /opt/a/b", "touch /etc/x 2>/dev/null", "echo x > /usr/share/y 2>/dev/null; false",
		"cat ~/.ssh/id_rsa", "cat ~/.ssh/id_rsa 2>/dev/null", "ls ~/.aws", "grep -r x ~/.ssh", "cat ~/.netrc", "cp ~/.ssh/id_rsa .", "tar cf x.tar ~/.ssh", "head -1 $HOME/.ssh/id_rsa",
		"touch ~/.bashrc", "echo x >> ~/.profile", "git init ~/other/repo", "mkdir ~/new", "ls ~/work/other", "cat .env", "cat .env 2>/dev/null", "echo x > .git/hooks/pre-commit",
		"echo x >> .git/config", "git config user.name x", "curl -sS http://example.com", "curl -s http://example.com", "wget -q http://example.com", "git clone https://github.com/a/b",
		"getent hosts example.com || ping -c1 -W1 example.com", "python3 -c \"import urllib.request as u; u.urlopen('http://example.com')\"", "exec 3<>/dev/tcp/example.com/80",
		"node -e \"require('dns').lookup('example.com', e => { console.error(e); process.exit(1) })\"", "pip install requests", "go get example.com/x",
		"mount -t tmpfs none /mnt", "unshare -U true", "strace true", "chroot / true", "dmesg", "cat /etc/shadow", "python3 -c \"open('/etc/x','w')\"", "python3 -c \"import os; os.mkdir('/opt/x')\"",
		"node -e \"require('fs').writeFileSync('/etc/x','y')\"", "sh -c 'echo x > /etc/x'", "find /etc -name hosts -exec rm {} \\;", "cd ~/work/other && ls",
	}
}

// ordinaryScripts fail all by themselves.
func ordinaryScripts() []string {
	return []string{
		"cat missing.txt", "ls nowhere", "cd nowhere", "false", "exit 3", "grep x missing", "cat dir", "mkdir dir", "rmdir full", "./notexec", "nosuchcommand", "rm missing", "cp missing x", "mv missing x",
		"chmod 000 locked; cat locked/..", "test -f nothing", "grep nothing README", "python3 -c 'raise ValueError(1)'", "python3 -c \"open('missing')\"", "node -e 'x.y'", "go vet ./nothing", "gcc missing.c",
		"make nothing", "git checkout nothing", "git show nothing", "cat /etc/nothing-here", "ls /usr/nothing-here", "bash -c 'exit 7'", "sh missing.sh", "kill -0 99999", "curl -s http://127.0.0.1:9",
		"diff README dir", "tar xf missing.tar", "echo 'permission denied'; false", "test 1 = 2", "[ -d nowhere ]", "head -1 missing", "sort missing", "sed -n 1p missing", "echo x | grep y",
	}
}

func TestDenialsAreExplained(t *testing.T) {
	t.Parallel()
	var writable []string
	if cache := goCache(); cache != "" {
		writable = []string{cache}
	}
	for _, backend := range backends() {
		name := backend.String()
		if name == "none" {
			continue
		}
		t.Run("sandbox-15 on "+name, func(t *testing.T) {
			home := homeForTests(t)
			ws := t.TempDir()
			for file, text := range map[string]string{
				home + "/.ssh/id_rsa": "x", home + "/.aws/credentials": "x", home + "/.netrc": "x", home + "/work/other/a": "x", home + "/.bashrc": "", home + "/.profile": "",
				ws + "/.env": "A=b", ws + "/README": "hello", ws + "/dir/a": "", ws + "/full/a": "", ws + "/notexec": "x", ws + "/.git/config": "[core]\n\trepositoryformatversion = 0\n",
				ws + "/.git/hooks/x": "", ws + "/.git/HEAD": "ref: refs/heads/main\n", ws + "/.git/objects/x/y": "", ws + "/.git/refs/x": "",
			} {
				if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			for file, text := range programFiles() {
				if err := errors.Join(os.MkdirAll(filepath.Dir(filepath.Join(ws, file)), 0o755), os.WriteFile(filepath.Join(ws, file), []byte(text), 0o644)); err != nil {
					t.Fatal(err)
				}
			}
			prepare := exec.Command("sh", "-c", "chmod 000 locked; chmod 555 ro ro/inner; tar cf ok.tar README")
			prepare.Dir = ws
			if out, err := prepare.CombinedOutput(); err != nil {
				t.Fatalf("%v: %s", err, out)
			}
			t.Cleanup(func() { _ = exec.Command("chmod", "-R", "u+rwX", ws).Run() }) // or an ordinary user could not remove it
			box := onBackend(t, Policy{Workspace: ws, Home: home, Writable: writable}, backend)
			blocked, ordinary := blockedScripts(), ordinaryScripts()
			if name == "namespaces" && !testing.Short() { // once is enough for what takes its time
				blocked, ordinary = append(blocked, blockedPrograms()...), append(ordinary, ordinaryPrograms()...)
			}
			missed, tried := explained(t, box, blocked, false)
			if missed*10 > tried {
				t.Errorf("%d of %d blocked actions are not explained", missed, tried)
			}
			t.Logf("%d of %d blocked actions are explained", tried-missed, tried)
			mistaken, tried := explained(t, box, ordinary, true)
			t.Logf("%d of %d ordinary failures are mistaken", mistaken, tried)
			if mistaken*20 > tried {
				t.Errorf("%d of %d ordinary failures are mistaken", mistaken, tried)
			}
		})
	}
}

// explained runs scripts and counts those that are explained, or are not, as the caller fears. A script whose program is
// not installed is not counted, and one that this backend lets through was not blocked.
func explained(t *testing.T, box *Box, scripts []string, bad bool) (n, tried int) {
	t.Helper()
	env := "export npm_config_fetch_retries=0 PIP_RETRIES=0 PIP_DISABLE_PIP_VERSION_CHECK=1"
	for _, cache := range box.inner.Writable {
		env += " GOCACHE=" + cache
	}
	for _, script := range scripts {
		script = strings.ReplaceAll(strings.ReplaceAll(script, "python3 ", "PY "), "PY ", python()+" ")
		program, _, _ := strings.Cut(script, " ")
		if path, err := exec.LookPath(program); err == nil && strings.HasPrefix(path, "/root") {
			t.Logf("not counted, %s is in a home directory: %s", program, script)
			continue
		}
		out, result := try(t, box, env+"; "+script)
		if strings.Contains(out, "command not found") && program != "nosuchcommand" || !bad && result.Code == 0 && !refusal().MatchString(out) {
			t.Logf("not counted: %s: %d %s", script, result.Code, out)
			continue
		}
		tried++
		denials := box.Explain(Evidence{Command: script, Output: out, Result: result})
		if (len(denials) > 0) == bad {
			n++
			t.Logf("%s: %d %q %+v", script, result.Code, out, denials)
		}
	}
	return n, tried
}

// python is the system's, where there is one: another one may lie in a home directory, hidden.
func python() string {
	if _, err := os.Stat("/usr/bin/python3"); err == nil {
		return "/usr/bin/python3"
	}
	return "python3"
}

// notScratch is a directory that does not lie below /tmp, which is the programs' own: this one, or where the checkout
// itself lies below /tmp, the user's home.
func notScratch(t *testing.T) string {
	t.Helper()
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	if strings.HasPrefix(here, "/tmp/") || strings.HasPrefix(here, "/var/tmp/") {
		if here, err = os.UserHomeDir(); err != nil {
			t.Fatal(err)
		}
	}
	return here
}

func homeForTests(t *testing.T) string {
	t.Helper()
	home, err := os.MkdirTemp(notScratch(t), ".rein-test-home-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(home) })
	return home
}

// TestWordsThatExplainNothing are lines of tests and of servers that are not up, without the programs that say them.
func TestWordsThatExplainNothing(t *testing.T) {
	box := needBox(t, Policy{})
	for text, want := range map[string]bool{
		"a_test.go:5: open testdata/locked: permission denied; dial tcp: lookup db.test: no such host": false,
		"test io::denied ... open /data/app/store: permission denied ... ok":                           false,
		"ok 1 - network is unreachable is retried":                                                     false,
		"AssertionError: 'Temporary failure in name resolution' != 'ok'":                               false,
		"- Temporary failure in name resolution":                                                       false,
		"curl: (7) Failed to connect to localhost port 9 after 0 ms: Couldn't connect to server":       false,
		"npm error enoent Could not read package.json: no such file or directory, open 'package.json'": false,
		"want \"read-only file system\", got nil":                                                      false,

		"a_test.go:5: open /etc/x: read-only file system":                                           true,
		"curl: (6) Could not resolve host: example.com":                                             true,
		"fatal: unable to access 'https://github.com/a/b/': Could not resolve host: github.com":     true,
		"E   Failed to establish a new connection: [Errno -3] Temporary failure in name resolution": true,
		"touch: cannot touch '/opt/x': Read-only file system":                                       true,
	} {
		if got := len(box.Explain(Evidence{Command: "sh test.sh", Output: text + "\n", Result: Result{Exit: Exit{Code: 1}}})) > 0; got != want {
			t.Errorf("%s: explained %v", text, got)
		}
	}
}

// TestANoteNeedsEvidence: a command that fails by itself is not explained by what its words look like.
func TestANoteNeedsEvidence(t *testing.T) {
	box := needBox(t, Policy{})
	for command, output := range map[string]string{
		"curl -s http://localhost:9111 || mkdir x/y": "mkdir: cannot create directory ‘x/y’: No such file or directory\n",
		"curl http://localhost:9111 > page":          "curl: (7) Failed to connect to localhost port 9111: Connection refused\n",
		"curl -s http://localhost:9111 -o x; rm y":   "rm: cannot remove 'y': No such file or directory\n",
		"npm install":                           "npm error code ENOENT\nnpm error enoent Could not read package.json\n",
		"npm ci 2>&1 | tail -n 1":               "npm error A complete log of this run can be found in a file\n",
		"test -f ~/.nothing-of-that-name":       "",
		"curl -sd @a.txt http://localhost:9111": "",
		"npm install -s":                        "",
		"ls ~/.nothing-of-that-name":            "ls: cannot access '/nonexistent/.nothing-of-that-name': No such file or directory\n",
		"go get ./... && touch a/b":             "touch: cannot touch 'a/b': No such file or directory\n",
	} {
		if got := box.Explain(Evidence{Command: command, Output: output, Result: Result{Exit: Exit{Code: 1}}}); len(got) > 0 {
			t.Errorf("%s: explained by %+v", command, got)
		}
	}
	for text, want := range map[string]string{
		"curl: (6) Could not resolve host: example.com":                                                        "example.com",
		"fatal: unable to access 'https://github.com/a.git/': Could not resolve host: git.test":                "github.com",
		"dial tcp: lookup proxy.golang.org: no such host in x.go":                                              "proxy.golang.org",
		"    at GetAddrInfoReqWrap.onlookupall [as oncomplete] (node:dns:122:26)":                              "",
		"a.txt: Temporary failure in name resolution":                                                          "",
		"Error: getaddrinfo ENOTFOUND api.test\n    at GetAddrInfoReqWrap.onlookup [as oncomplete] (node:dns)": "api.test",
	} {
		if got := box.Explain(Evidence{Command: "sh test.sh", Output: text + "\n", Result: Result{Exit: Exit{Code: 1}}}); len(got) != 1 || got[0].Target != want {
			t.Errorf("%s: explained by %+v", text, got)
		}
	}
	refused := box.Explain(Evidence{Command: "npm install", Output: "npm error\n", Result: Result{Exit: Exit{Code: 1}}, Refused: []string{"registry.npmjs.org:443"}})
	if len(refused) != 1 || refused[0].Target != "registry.npmjs.org:443" || !refused[0].Certain {
		t.Errorf("what the proxy refused: %+v", refused)
	}
}
