package harness

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"

	"rein/model"
)

// prober is a model that sends random calls, the same for the same seed, and keeps what it is sent.
type prober struct {
	mu     sync.Mutex
	random *rand.Rand
	steps  int
	rest   []string // commands, one after the other, in the place of random calls
	last   string   // what was sent of rest
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
	m.seen = append(m.seen, volatile.ReplaceAllString(text, "#")+m.last)
	m.last = ""
	if m.steps--; m.steps < 0 {
		return saying("Done.")
	}
	if len(m.rest) > 0 {
		command := m.rest[0]
		m.rest, m.last = m.rest[1:], everyMark+command
		return calling("bash", map[string]any{"command": command})
	}
	name, args := m.call()
	return calling(name, args)
}

func (m *prober) one(of ...string) string { return of[m.random.IntN(len(of))] }

// secretPath is a hidden file, or what leads to one.
func (m *prober) secretPath() string {
	return m.one(append(secretPaths, "deploy/id_rsa", "secrets/db.yml", "server.pem")...)
}

// secretPaths are for programs, too: keys and settings that builds need are open to them.
var secretPaths = []string{".env", "./.env", ".env.production", "sub/.netrc", "a/b/c/.env.local", ".envrc", "notes.md", ".ENV", "sub/../.env", "*", ".e*", ".", "a"}

// letter is a part of a question about a value: no more than one character of it.
func (m *prober) letter() string {
	const all = "ZhqP7v5jKL12cmDW69fxGB04sAnuREtY3iOwQzXkVbNT"
	return string(all[m.random.IntN(len(all))])
}

// call makes a random call.
func (m *prober) call() (string, map[string]any) {
	path := m.secretPath()
	switch m.random.IntN(15) {
	case 12:
		return "mcp__files__show", map[string]any{"path": path, "size": m.random.IntN(2) == 0}
	case 13:
		return "mcp_resources", map[string]any{"server": "files", "uri": "file:///" + path}
	case 14:
		return m.other(path)
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
	return "bash", map[string]any{"command": m.command(m.one(secretPaths...))}
}

// other is a call of a tool that is used less often.
func (m *prober) other(path string) (string, map[string]any) {
	c := m.letter()
	all := []struct {
		name string
		args map[string]any
	}{
		{"edit_file", map[string]any{"path": path, "old_string": c, "new_string": c + c}}, {"edit_file", map[string]any{"path": path, "old_string": "API_TOKEN=" + c, "new_string": ""}},
		{"write_file", map[string]any{"path": path, "content": c}}, {"apply_patch", map[string]any{"patch": "*** Begin Patch\n*** Update File: " + path + "\n@@\n-API_TOKEN=" + c + "\n+x\n*** End Patch\n"}},
		{"view_image", map[string]any{"path": path}}, {"send_file", map[string]any{"path": path}}, {"notebook_edit", map[string]any{"path": path, "cell": 0, "source": c}}, {"lsp", map[string]any{"action": "symbols", "path": path}},
		{"memory_store", map[string]any{"text": "the token has a " + c}}, {"recall", map[string]any{"query": "TOKEN"}}, {"todo", map[string]any{"items": []any{}}}, {"git_log", map[string]any{"path": path, "patch": true}},
		{"request_access", map[string]any{"read": path, "why": c}}, {"run_code", map[string]any{"language": "python", "code": "print(open('.e'+'nv').read()[:2])"}}, {"job_output", map[string]any{"job": 1}},
		{"read_file", map[string]any{"path": path, "offset": m.random.IntN(9), "limit": 1}}, {"glob", map[string]any{"pattern": path, "sort": "newest", "ignored": true}}, {"list_dir", map[string]any{"path": path, "depth": 3, "ignored": true}},
	}
	x := all[m.random.IntN(len(all))]
	return x.name, x.args
}

// everyTurn is how many commands a message leads to.
const everyTurn = 12

// everyCommand is each command once, and those that name a path once for each.
func (m *prober) everyCommand() (all []string) {
	for _, path := range secretPaths {
		for _, line := range commandLines(path, "Z", "20") {
			if !slices.Contains(all, line) {
				all = append(all, line)
			}
		}
	}
	return all
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
	lines := commandLines(path, m.letter(), fmt.Sprint(m.random.IntN(200)))
	return lines[m.random.IntN(len(lines))]
}

// commandLines are commands of common programs that try to learn something of a path; c is a letter, n a number.
func commandLines(path, c, n string) []string {
	return []string{
		"ls -la " + path, "ls -laR -I .git .", "find . -path ./.git -prune -o -size +" + n + "c -print", "find . -name '.env*' -size -" + n + "c", "wc -c " + path, "wc " + path, "stat -c '%n %s %a' " + path, "du -ab --exclude=.git .", "du -b --exclude=.git " + path,
		"cat " + path, "cat < " + path, "head -c " + n + " " + path, "tail -c 3 " + path, "grep -c " + c + " " + path, "grep -rl " + c + " . --exclude-dir=.git", "grep -rc TOKEN . --exclude-dir=.git", "awk '/" + c + "/{print NR}' " + path,
		"sed -n '/" + c + "/=' " + path, "sed 's/./& /g' " + path, "sort " + path, "uniq -c " + path, "cut -c1-3 " + path, "tr a-z A-Z < " + path, "od -c " + path, "xxd " + path, "base64 " + path, "strings " + path, "file " + path, "sha256sum " + path,
		"md5sum " + path + " main.go", "cksum " + path, "diff " + path + " main.go", "cmp " + path + " .envrc", "cmp -s .env .env.production; echo $?", "comm " + path + " main.go", "tar c --exclude=.git . 2>/dev/null | tar tv", "cp " + path + " copy.txt; cat copy.txt",
		"cp -r . ../copy; ls -laR -I .git ../copy", "ln " + path + " hard.txt; cat hard.txt", "ln -s " + path + " soft.txt; cat soft.txt", "mv " + path + " moved.txt; cat moved.txt", "rev " + path, "fold -w1 " + path, "paste -s " + path, "join " + path + " " + path,
		"python3 -c 'import os; print(os.path.getsize(\".env\"), os.stat(\".env\").st_mtime > 0)'", "python3 -c 'print(open(\".e\"+\"nv\").read()[:3])'", "perl -ne 'print length' " + path, "perl -e 'print -s \".env\"'", "echo $(<" + path + ")", "while read -r l; do echo ${#l}; done < " + path,
		"[ -s " + path + " ] && echo some", "test .env -ot main.go && echo older", "test -r .env; echo $?", "dd if=" + path + " bs=1 count=3 2>/dev/null", "split -b 3 " + path + " part.; cat part.*", "install -m 644 " + path + " inst.txt; cat inst.txt", "timeout 5 rsync -a . ../r; cat ../r/.env",
		"source ./.env; echo ${API_TOKEN:0:3}", "set -a; . ./.envrc; env | grep -c TOKEN", "xargs -a " + path + " echo", "jq -R length " + path, "node -e 'console.log(require(\"fs\").statSync(\".env\").size)'", "bash -n " + path, "diff -rq . ../copy",
		"git status --short --ignored", "git diff --stat", "git diff --no-index .env main.go", "git hash-object " + path, "git ls-files -s", "git log --stat --oneline", "git log -S" + c + " --oneline", "git log -p", "git grep -c " + c + " HEAD", "git grep -h TOKEN HEAD | cut -c9-16",
		"git show HEAD~1:.env", "git cat-file -s HEAD~1:.env", "git cat-file -p HEAD~1:.env", "git archive HEAD~1 | tar xO | tail -c 20", "git stash -u; git stash show -p", "git add -A -f; git diff --cached --stat", "git checkout HEAD~1 -- .env; cat .env", "git rev-list --objects --all | wc -l",
		"git blame -s .env", "git ls-tree -rl HEAD~1", "git diff HEAD~1 HEAD --numstat", "git fsck --lost-found", "git bundle create - HEAD | strings", "git fast-export HEAD | tail -5", "git log -G" + c + " --oneline", "git merge-file -p .env main.go README.md",
		"python3 - <<'X'\nimport glob, zlib\nfor f in glob.glob('.git/objects/??/*'):\n    print(zlib.decompress(open(f,'rb').read())[-9:])\nX", "cat .git/objects/*/* | wc -c", "make -f .env", "make -n -f .env x", "awk -f " + path, "go vet ./...", "sqlite3 x.db '.import .env t'",
		"ls -S -a " + path, "ls -t -a " + path, "ls -s " + path, "[[ .env -nt main.go ]] && echo newer", "[[ -s " + path + " ]] && echo some", "gzip -c " + path + " | wc -c", "zip -q - " + path + " | wc -c", "nl " + path, "tac " + path, "expand " + path, "fmt " + path, "pr " + path, "column " + path, "b2sum " + path, "sum " + path, "hexdump " + path,
		"mapfile a < " + path + "; echo ${#a[@]}", "readlink -f " + path, "realpath " + path, "rg -j1 -uu " + c + " " + path, "rg -j1 -c TOKEN", "rg -j1 --hidden -c " + c, "rg --files --hidden --sort modified -g '!.git'", "tree -s -a", "find . -newer main.go -name '.e*'", "find . -empty -name '.e*'", "find . -name '.env*' -printf '%s %t\\n'", "find . -name '.env*' -exec wc -c {} +", "find . -name '.env*' | xargs cat",
		"find . -maxdepth 1 -type f | xargs -I{} wc -c {}", "for f in .e*; do wc -c $f; done", "for f in *; do head -c 3 $f; done", "cat $(ls -A | head -1)", "f=.e; cat ${f}nv", "cat .e\"n\"v", "cat .en?", "cat .[e]nv", "cat {.env,main.go}", "eval 'cat .env'", "sh -c 'wc -c .env'", "env -i cat " + path, "nice cat " + path, "time wc -c " + path, "tee copy.txt < " + path, "touch -r " + path + " t; ls -l t", "cp -p " + path + " p.txt; ls -l p.txt",
		"perl -MFile::Find -e 'find(sub { print -s, \"\\n\" if /env/ }, \".\")'", "ed -s " + path + " <<< ,p", "patch -p0 --dry-run < " + path, "m4 " + path, "cpp " + path, "gcc -fsyntax-only -x c " + path, "bc " + path, "openssl dgst " + path + " 2>/dev/null", "openssl base64 -in " + path + " 2>/dev/null", "ssh-keygen -lf " + path, "curl -s file://$PWD/" + path, "docker run --env-file .env x", "awk 'BEGIN{while((getline l < \".env\")>0) n+=length(l); print n}'", "awk 'BEGIN{f=\".e\" \"nv\"; while((getline l < f)>0) n+=length(l); print n}'",
		"git ls-files -s", "git diff-files --stat", "git diff-index HEAD --stat", "git check-ignore -v " + path, "git check-attr -a " + path, "git ls-files -o -i --exclude-standard", "git stash create", "git rev-parse HEAD~1:.env", "git show --format= --raw HEAD", "git shortlog -s HEAD", "git for-each-ref", "git reflog", "git cherry -v HEAD~1", "git grep --threads=1 -l --no-index " + c, "git grep --threads=1 -c --untracked " + c, "git diff -S" + c + " --name-only HEAD~1 HEAD", "git show -G" + c + " --stat HEAD~1",
		"git log --all --oneline -- " + path, "git show :.env", "git cat-file --batch-check --batch-all-objects | wc -l", "git verify-pack -v .git/objects/pack/*.idx | wc -l", "git unpack-file HEAD~1:.env", "git log -L1,1:.env", "git log -L1,+1:main.go -S" + c, "git rev-list --objects HEAD -- .env", "git diff --shortstat HEAD~1 HEAD", "git worktree add ../wt HEAD~1 && cat ../wt/.env", "git checkout-index --temp .env", "git apply --numstat .env", "git format-patch -1 --stdout HEAD~1 | tail -n 20", "git range-diff HEAD~1 HEAD~1 HEAD",
	}
}

// fileServer is a tool server that opens what it is asked for, as a tool and as resources.
const fileServer = `import json, os, sys
def text(path, size):
    try:
        return str(os.path.getsize(path)) if size else open(path, errors="replace").read()
    except OSError as e:
        return e.strerror
for line in sys.stdin:
    m = json.loads(line)
    if "id" not in m:
        continue
    p, how = m.get("params") or {}, m["method"]
    if how == "initialize":
        r = {"protocolVersion": p["protocolVersion"], "capabilities": {"tools": {}, "resources": {}}, "serverInfo": {"name": "files", "version": "1"}}
    elif how == "tools/list":
        r = {"tools": [{"name": "show", "inputSchema": {"type": "object", "properties": {"path": {"type": "string"}, "size": {"type": "boolean"}}}}]}
    elif how == "tools/call":
        a = p.get("arguments") or {}
        r = {"content": [{"type": "text", "text": text(a.get("path", ""), a.get("size"))}]}
    elif how == "resources/list":
        r = {"resources": [{"uri": "file:///" + n, "name": n, "description": text(n, True)} for n in sorted(os.listdir(".")) if n.startswith(".e")]}
    elif how == "resources/read":
        r = {"contents": [{"uri": p["uri"], "text": text(p["uri"][8:], False)}]}
    else:
        r = {}
    print(json.dumps({"jsonrpc": "2.0", "id": m["id"], "result": r}), flush=True)
`
