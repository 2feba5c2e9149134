//go:build linux

package main

import (
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
)

// The secrets of these tests: one that rein knows from its environment, and one that it can only know by its shape.
const (
	knownSecret = "zq81-Known.Value/7Xp0"
	shapeSecret = "ghp_0123456789abcdefghijABCDEFGHIJ456789"
)

// TestSecretsStayIn are the attacks on secrets, one row each, by the program itself. The rows stay forever;
// docs/maintainers/attacks.md lists the others.
func TestSecretsStayIn(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("it starts many programs")
	}
	for _, row := range []struct {
		name  string
		check func(*testing.T)
	}{
		{"env-01 what programs see of the environment", environmentOfPrograms},
		{"env-02 secrets in arguments, names and addresses", secretsInNames},
		{"env-03 files that hold secrets", secretFiles},
		{"env-04 secrets in results", secretsInResults},
		{"env-05 crashes and the files of the process", crashes},
		{"env-06 errors of a provider", providerErrors},
		{"env-07 children of children", childrenOfChildren},
		{"a secret in two pieces on the screen", secretOnTheScreen},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			row.check(t)
		})
	}
}

// secretive is a machine with secrets in rein's environment.
func secretive(t *testing.T) *accessTest {
	m := newAccessTest(t)
	m.env = append(m.env, "DEPLOY_TOKEN="+knownSecret)
	for name, text := range map[string]string{
		"work/secret.txt": "here: " + knownSecret + "\nand " + shapeSecret + "\n", "work/one": "here: " + knownSecret[:9], "work/two": knownSecret[9:] + "\n",
	} {
		m.put(name, text)
	}
	return m
}

// leaks looks for secrets in a text.
func (m *accessTest) leaks(where, text string) {
	m.t.Helper()
	for _, secret := range []string{knownSecret, shapeSecret, base64.StdEncoding.EncodeToString([]byte(knownSecret))} {
		if i := strings.Index(text, secret); i >= 0 {
			m.t.Errorf("%s shows a secret: …%s", where, text[max(0, i-200):min(len(text), i+60)])
		}
	}
}

// leaksOnDisk looks for secrets in all that rein wrote, but for the files it keeps as they are: whole outputs, and what
// its calls replaced.
func (m *accessTest) leaksOnDisk() {
	m.t.Helper()
	n := 0
	err := filepath.WalkDir(m.me, func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (d.Name() == "output" || d.Name() == "undo" || d.Name() == "private"):
			return filepath.SkipDir
		case d.IsDir():
			return nil
		}
		text, err := os.ReadFile(name)
		n++
		m.leaks(name, string(text))
		return err
	})
	if err != nil || n < 2 {
		m.t.Errorf("%d files, %v", n, err)
	}
}

// everywhere runs a script in these formats and checks all its output, live and recorded.
func (m *accessTest) everywhere(formats []string, calls ...string) (text string) {
	m.t.Helper()
	script := "script/" + m.scripted(calls...)
	for _, format := range formats {
		cmd := m.command("run", "--mode", "full", "--verbose", "--model", script, "--output-format", format, "go")
		var out, errs bytes.Buffer
		cmd.Stdout, cmd.Stderr = &out, &errs
		err := cmd.Run()
		if _, exited := errors.AsType[*exec.ExitError](err); err != nil && !exited {
			m.t.Fatal(err)
		}
		m.leaks(format+" on standard output", out.String())
		m.leaks(format+" on standard error", errs.String())
		text += out.String() + errs.String()
	}
	for _, args := range [][]string{{"sessions"}, {"sessions", "--json"}} {
		out, err := m.command(args...).CombinedOutput()
		if err != nil {
			m.t.Errorf("%v: %s", err, out)
		}
		m.leaks(strings.Join(args, " "), string(out))
	}
	dirs, _ := filepath.Glob(filepath.Join(m.me, "sessions", "[0-9a-z]*"))
	for _, dir := range dirs {
		for _, args := range [][]string{{"sessions", "show"}, {"sessions", "show", "--json"}} {
			out, err := m.command(append(args, filepath.Base(dir))...).CombinedOutput()
			if err != nil || len(out) < 50 {
				m.t.Errorf("%v: %s", err, out)
			}
			m.leaks(strings.Join(args, " "), string(out))
		}
	}
	m.leaksOnDisk()
	return text
}

func secretsInResults(t *testing.T) {
	m := secretive(t)
	m.put("work/pieces.sh", "cat one; sleep 0.6; cat two")
	m.put("work/errors.sh", "echo fatal: $(cat secret.txt) >&2; exit 3")
	m.put("work/coded.sh", "head -c 27 secret.txt | tail -c 21 | base64; sed 's/./&\\n/9' secret.txt")
	m.put("work/many.sh", "i=0; while [ $i -lt 700 ]; do cat secret.txt; i=$((i+1)); done")
	m.put("work/named-"+shapeSecret, "x")
	text := m.everywhere([]string{"text", "stream-json"},
		`bash {"command": "cat secret.txt"}`, `bash {"command": "sh pieces.sh"}`, `bash {"command": "sh errors.sh"}`, `bash {"command": "sh coded.sh"}`,
		`bash {"command": "sh many.sh"}`, `bash {"command": "sh pieces.sh", "background": true}`, `job_output {"job": "job6", "wait": 2}`, `job_output {"job": "none"}`,
		`bash {"command": "sh pieces.sh", "tty": true}`, `job_output {"job": "job7", "wait": 2}`, `job_kill {"job": "job7"}`,
		`read_file {"path": "secret.txt"}`, `grep {"pattern": "here"}`, `list_dir {"path": "."}`, `glob {"pattern": "named*"}`,
		`read_file {"path": "`+shapeSecret+`"}`, `edit_file {"path": "secret.txt", "old_text": "`+knownSecret+`", "new_text": "x `+shapeSecret+`"}`,
		`write_file {"path": "new.txt", "content": "key `+knownSecret+`"}`, `no_such_tool {"key": "`+knownSecret+`"}`, `read_file {"path": 1, "key": "`+shapeSecret+`"}`,
		`bash {"command": "echo `+shapeSecret+`"}`, `todo {"items": [{"content": "use `+knownSecret+`", "status": "pending"}]}`,
	)
	for _, word := range []string{"[hidden: DEPLOY_TOKEN]", "[hidden: github token]", "in the background as job6", "in the background as job7"} {
		if !strings.Contains(text, word) {
			t.Errorf("%s is not in the output", word)
		}
	}
}

func secretOnTheScreen(t *testing.T) {
	m := secretive(t)
	m.put("work/pieces.sh", "cat one; sleep 1; cat two; cat secret.txt; sleep 1; echo over")
	c := m.atTerminal(`bash {"command": "sh pieces.sh"}`, `bash {"command": "sh pieces.sh", "background": true}`, `job_output {"job": "job2", "until": "over"}`)
	c.expect("[hidden: DEPLOY_TOKEN]")
	c.expect("Done.")
	c.exit()
	m.leaks("the screen", c.screen())
	if strings.Contains(c.screen(), knownSecret[9:]) {
		t.Error("the second half is on the screen")
	}
	m.leaksOnDisk()
}

// canaryNames are variables of all kinds that no program may see.
func canaryNames() []string {
	return []string{"OPENAI_API_KEY", "ANTHROPIC_API_KEY", "GITHUB_TOKEN", "AWS_SECRET_ACCESS_KEY", "NPM_TOKEN", "PGPASSWORD", "MYCO_ACCESS", "DSN", "DATABASE_URL", "SENTRY_DSN", "SSH_AUTH_SOCK",
		"KUBECONFIG", "DOCKER_CONFIG", "VAULT_ADDR", "LD_PRELOAD_", "BASH_ENV", "GIT_ASKPASS", "CI_JOB_JWT", "AZURE_CLIENT", "plain_variable"}
}

const envCanary = "/canary-77-of-the-environment"

func environmentOfPrograms(t *testing.T) {
	m := newAccessTest(t)
	for _, name := range canaryNames() {
		m.env = append(m.env, name+"="+envCanary)
	}
	m.put("work/dump.sh", `env; printenv; set; export -p; declare -x; tr '\0' '\n' < /proc/self/environ; tr '\0' '\n' < /proc/$PPID/environ; tr '\0' '\n' < /proc/1/environ; ps eww 2>/dev/null
for p in /proc/[0-9]*; do cat $p/environ $p/cmdline; done 2>/dev/null | tr '\0' '\n'
python3 -c 'import os; print(os.environ)' 2>/dev/null; node -e 'console.log(process.env)' 2>/dev/null; awk 'BEGIN{for(k in ENVIRON) print k, ENVIRON[k]}'; echo dumped`)
	for _, call := range []string{`bash {"command": "bash dump.sh"}`, `bash {"command": "bash dump.sh", "background": true}`} {
		results, _, errs := m.run("run", "--mode", "full", "--model", "script/"+m.scripted(call, `job_output {"job": "job1", "wait": 60, "until": "dumped"}`), "--output-format", "stream-json", "go")
		if all := strings.Join(results, ""); !strings.Contains(all, "dumped") || strings.Contains(all, envCanary) || strings.Contains(all, "[hidden: ") {
			t.Errorf("%s %s", all, errs)
		}
	}
	if out, err := m.command("sandbox", "--", "bash", "dump.sh").CombinedOutput(); err != nil || bytes.Contains(out, []byte(envCanary)) || !bytes.Contains(out, []byte("dumped")) {
		t.Errorf("by hand: %v %s", err, out)
	}
}

func childrenOfChildren(t *testing.T) {
	m := newAccessTest(t)
	m.env = append(m.env, "MYCO_ACCESS="+envCanary)
	m.put("rein/config/settings.json", `{"format": {".txt": [["sh", "dump.sh"]]}}`)
	m.put("work/a.txt", "one\n")
	m.put("work/dump.sh", "(sh -c 'setsid env; env') >> seen 2>&1; env; exit 1")
	results, _, errs := m.run("run", "--mode", "full", "--model", "script/"+m.scripted(`read_file {"path": "a.txt"}`, `edit_file {"path": "a.txt", "old_text": "one", "new_text": "two"}`), "--output-format", "stream-json", "go")
	seen, err := os.ReadFile(m.work + "/seen")
	if all := strings.Join(results, "") + string(seen); err != nil || !strings.Contains(string(seen), "REIN=1") || strings.Contains(all, envCanary) {
		t.Errorf("%v %s %s", err, all, errs)
	}
}

func secretsInNames(t *testing.T) {
	m := secretive(t)
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed")
	}
	m.put("work/.git/HEAD", "ref: refs/heads/main\n")
	m.put("work/.git/objects/x", "")
	m.put("work/.git/refs/x", "")
	m.put("work/.git/config", "[core]\n\trepositoryformatversion = 0\n[remote \"origin\"]\n\turl = https://user:"+shapeSecret+"@github.com/a/b\n")
	m.put("work/"+shapeSecret+"/x", "")
	m.everywhere([]string{"text", "json", "stream-json"}, `bash {"command": "git remote -v"}`, `bash {"command": "cd `+shapeSecret+` && pwd"}`, `bash {"command": "true --token=`+shapeSecret+`"}`,
		`list_dir {"path": "."}`, `web_fetch {"url": "https://user:`+shapeSecret+`@127.0.0.1/"}`, `http_request {"url": "http://127.0.0.1:1/?key=`+knownSecret+`"}`)
}

func secretFiles(t *testing.T) {
	m := newAccessTest(t)
	const canary = "CANARY-of-a-file"
	inHome := []string{".ssh/id_rsa", ".aws/credentials", ".config/gh/hosts.yml", ".netrc", ".git-credentials", ".kube/config", ".docker/config.json", ".local/share/keyrings/a", ".bash_history", ".npmrc"}
	inWork := []string{".env", ".env.production", ".envrc", "sub/.env", ".netrc", ".git-credentials"}
	var calls []string
	script := "cat missing"
	for _, name := range inHome {
		m.put(name, canary)
		script += " ~/" + name
		calls = append(calls, fmt.Sprintf(`read_file {"path": "~/%s"}`, name), fmt.Sprintf(`read_file {"path": "../%s"}`, name), fmt.Sprintf(`bash {"command": "cat ~/%s"}`, name))
	}
	for _, name := range inWork {
		m.put("work/"+name, canary)
		script += " " + name
		calls = append(calls, fmt.Sprintf(`read_file {"path": "%s"}`, name), fmt.Sprintf(`bash {"command": "cat %s"}`, name))
	}
	m.put("work/look.sh", script+"; grep -r CANARY . ~ 2>/dev/null; tar cf - . ~ 2>/dev/null | grep -a -o CANARY-of-a-fil.")
	calls = append(calls, `grep {"pattern": "CANARY"}`, `grep {"pattern": "CANARY", "ignored": true}`, `bash {"command": "sh look.sh"}`)
	results, _, _ := m.run("run", "--mode", "full", "--model", "script/"+m.scripted(calls...), "--output-format", "stream-json", "go")
	if len(results) != len(calls) {
		t.Fatalf("%d results of %d", len(results), len(calls))
	}
	for i, r := range results {
		if m.backend().String() == "landlock" && strings.HasPrefix(calls[i], "bash") {
			continue // this sandbox backend does not hide files of the workspace
		}
		if strings.Contains(r, canary) {
			t.Errorf("%s shows %s", calls[i], r)
		}
	}
	// One that is made later is closed for the program after that.
	m.put("work/make.sh", "mkdir -p late && echo "+canary+" > late/.env && cat late/.env")
	results, _, _ = m.run("run", "--mode", "full", "--model", "script/"+m.scripted(`bash {"command": "sh make.sh >/dev/null"}`, `bash {"command": "sh -c 'cat late/.e*'"}`), "--output-format", "stream-json", "go")
	if len(results) != 2 || strings.Contains(results[1], canary) && m.backend().String() != "landlock" {
		t.Errorf("%q", results)
	}
}

func crashes(t *testing.T) {
	m := newAccessTest(t)
	cmd := m.command("run", "--mode", "full", "--model", "script/"+m.scripted(`bash {"command": "echo up > up; sleep 30"}`), "go")
	cmd.Env = append(cmd.Env, "GOTRACEBACK=crash", "OPENAI_API_KEY="+knownSecret)
	cmd.Dir = m.work
	var errs bytes.Buffer
	cmd.Stderr = &errs
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	for range 500 {
		if _, err := os.Lstat(m.work + "/up"); err == nil {
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	proc := fmt.Sprintf("/proc/%d/", cmd.Process.Pid)
	limits, err := os.ReadFile(proc + "limits")
	if err != nil || !strings.Contains(strings.Join(strings.Fields(string(limits)), " "), "Max core file size 0 0") {
		t.Errorf("%v %s", err, limits)
	}
	info, err := os.Stat(proc + "environ")
	if err != nil || info.Sys().(*syscall.Stat_t).Uid != 0 { // it belongs to root while the process is not dumpable
		t.Errorf("%v: %+v", err, info)
	}
	m.openFiles(proc)
	_ = cmd.Process.Signal(syscall.SIGABRT)
	_ = cmd.Wait()
	if status := cmd.ProcessState.Sys().(syscall.WaitStatus); status.CoreDump() {
		t.Error("it left a core")
	}
	m.leaks("the trace of a crash", errs.String())
	if left, _ := filepath.Glob(m.work + "/core*"); len(left) > 0 {
		t.Errorf("left %q", left)
	}
}

// openFiles checks that every file that the process holds is closed when it starts a program.
func (m *accessTest) openFiles(proc string) {
	m.t.Helper()
	infos, err := filepath.Glob(proc + "fdinfo/*")
	if os.Geteuid() != 0 && len(infos) == 0 {
		return // it is not dumpable, so only root can look: what is checked here is the same for both
	}
	if err != nil || len(infos) < 5 {
		m.t.Fatalf("%q %v", infos, err)
	}
	const cloexec = 0o2000000
	for _, name := range infos {
		var flags int
		text, err := os.ReadFile(name)
		if errors.Is(err, fs.ErrNotExist) || len(filepath.Base(name)) == 1 && filepath.Base(name) < "3" {
			continue
		}
		_, rest, _ := strings.Cut(string(text), "flags:")
		if _, err := fmt.Sscanf(strings.TrimSpace(rest), "%o", &flags); err != nil || flags&cloexec == 0 {
			what, _ := os.Readlink(proc + "fd/" + filepath.Base(name))
			m.t.Errorf("%s (%s) goes on to programs: %o %v", filepath.Base(name), what, flags, err)
		}
	}
}

func providerErrors(t *testing.T) {
	for name, answer := range map[string]http.HandlerFunc{
		"401": func(w http.ResponseWriter, r *http.Request) {
			http.Error(w, fmt.Sprint("bad key: ", r.Header), http.StatusUnauthorized)
		},
		"500": func(w http.ResponseWriter, r *http.Request) { http.Error(w, fmt.Sprint("broken: ", r.Header), 500) },
		"400 in JSON": func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(400)
			fmt.Fprintf(w, `{"error":{"message":"header %s","code":"%s"}}`, r.Header.Get("Authorization"), r.Header.Get("Authorization"))
		},
		"nonsense": func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, "data: ", r.Header, "\n\n") },
		"redirect": func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "http://"+r.Host+"/"+r.Header.Get("Authorization"), http.StatusTemporaryRedirect)
		},
		"cut off": func(w http.ResponseWriter, r *http.Request) { panic(http.ErrAbortHandler) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := newAccessTest(t)
			s := httptest.NewServer(answer)
			defer s.Close()
			cmd := m.command("run", "--verbose", "--model", "openai/test", "go")
			cmd.Env = append(cmd.Env, "OPENAI_API_KEY="+knownSecret, "OPENAI_BASE_URL="+s.URL+"/v1")
			var out bytes.Buffer
			cmd.Stdout, cmd.Stderr = &out, &out
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			enough := time.AfterFunc(2*time.Second, func() { _ = cmd.Process.Signal(syscall.SIGINT) })
			defer enough.Stop()
			if cmd.Wait() == nil {
				t.Errorf("it succeeded: %s", &out)
			}
			m.leaks("the answer", out.String())
			m.leaksOnDisk()
		})
	}
}

// TestEveryAttackHasItsTest checks docs/maintainers/attacks.md against the tests: each row names a file that contains its id.
func TestEveryAttackHasItsTest(t *testing.T) {
	text, err := os.ReadFile("../../docs/maintainers/attacks.md")
	if err != nil {
		t.Fatal(err)
	}
	attackID := regexp.MustCompile(`^ [a-z]+-\d+ $`)
	for line := range strings.Lines(string(text)) {
		cells := strings.Split(line, "|")
		if len(cells) < 4 || !attackID.MatchString(cells[1]) {
			continue
		}
		id := strings.TrimSpace(cells[1])
		_, rest, _ := strings.Cut(cells[3], "`")
		file, _, _ := strings.Cut(rest, "`")
		code, err := os.ReadFile("../../" + file)
		if err != nil || !strings.Contains(string(code), `"`+id+" ") {
			t.Errorf("%s is not in %s: %v", id, file, err)
		}
	}
	for family, ids := range attacksInTests(t) {
		if row := fmt.Sprintf("| %s | %d |", family, len(ids)); !strings.Contains(string(text), row) {
			t.Errorf("the table of families has no row that begins %q: %v", row, slices.Sorted(maps.Keys(ids)))
		}
	}
}

// attacksInTests finds the ids of attacks in the tests of the whole module, by family.
func attacksInTests(t *testing.T) map[string]map[string]bool {
	t.Helper()
	id := regexp.MustCompile(`"((sandbox|env|ssrf|path|approval|shell|injection)-[0-9]{2}) `)
	found := map[string]map[string]bool{}
	err := filepath.WalkDir("../..", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(name, "_test.go") {
			return err
		}
		text, err := os.ReadFile(name)
		for _, m := range id.FindAllStringSubmatch(string(text), -1) {
			if found[m[2]] == nil {
				found[m[2]] = map[string]bool{}
			}
			found[m[2]][m[1]] = true
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}
