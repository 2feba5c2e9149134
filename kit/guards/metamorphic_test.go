package guards

import (
	"bufio"
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"

	"mvdan.cc/sh/v3/syntax"

	"rein/guard"
	"rein/guard/effect"
)

// launchers start a command in another way without changing what it does. In a pattern, «q» is replaced by the command as one
// quoted word, «s» for its text as statements, «w» for its words where it is one simple command.
var launchers = []string{
	// Words after words.
	"env «w»", "env -i A=b «w»", "env -u X -C . «w»", "sudo «w»", "sudo -u root -- «w»", "sudo -nE «w»", "doas «w»", "doas -u x «w»", "timeout 5 «w»",
	"timeout -k 1 -s KILL 5s «w»", "timeout --preserve-status --foreground 5 «w»", "nice «w»", "nice -n 5 «w»", "nice -5 «w»", "nohup «w»", "setsid -w «w»", "stdbuf -oL -e0 «w»",
	"ionice -c3 «w»", "ionice -c 2 -n 7 «w»", "chrt -i 0 «w»", "chrt --idle 0 «w»", "taskset -c 0 «w»", "taskset 0x1 «w»", "time «w»", "time -p «w»", "/usr/bin/time -v «w»",
	"/usr/bin/time -o t.txt «w»", "command «w»", "command -p «w»", "command -- «w»", "builtin command «w»", "exec «w»", "exec -a ls «w»", "exec -c «w»", "\\command «w»",
	"xargs «w» < /dev/null", "echo x | xargs -I{} «w»", "echo x | xargs -n1 -P4 «w»", "xargs -r -a f «w»", "find . -exec «w» \\;", "find . -maxdepth 0 -exec «w» {} +",
	"find . -name x -execdir «w» \\;", "find . -ok «w» \\;", "fd x -x «w»", "flock f «w»", "flock -n -E 5 f «w»", "watch -n1 «w»", "watch -x «w»", "strace «w»", "strace -f -o t.txt «w»",
	"ltrace «w»", "gdb --args «w»", "gdb -batch -ex run --args «w»", "lldb -- «w»", "valgrind -q «w»", "valgrind --tool=none «w»", "perf stat «w»", "perf record -o p -- «w»", "rr record «w»",
	"unshare -r «w»", "unshare --fork --pid «w»", "nsenter -t 1 -m «w»", "chroot / «w»", "chroot --userspec=a / «w»", "setarch x86_64 «w»", "setarch -R «w»", "linux32 «w»", "prlimit --nproc=9 «w»",
	"systemd-run «w»", "systemd-run --user --scope «w»", "systemd-run -p A=b --wait «w»", "runuser -u x -- «w»", "setpriv --reuid=0 «w»", "cpulimit -l 5 -- «w»",
	"busybox «w»", "busybox env «w»", "toybox «w»", "unbuffer «w»", "rlwrap «w»", "catchsegv «w»", "dbus-run-session -- «w»", "xvfb-run -a «w»", "caffeinate -i «w»", "proxychains4 -q «w»",
	"torsocks «w»", "fakeroot «w»", "faketime yesterday «w»", "firejail --quiet «w»", "bwrap --ro-bind / / «w»", "daemonize «w»", "start-stop-daemon --start --exec /usr/bin/env -- «w»", "ssh-agent «w»",
	"numactl -N 0 «w»", "schedtool -D -e «w»", "chronic «w»", "tsp «w»", "hyperfine -- «w»", "entr -r «w» < f", "ls | entr «w»", "direnv exec . «w»", "nix shell p -c «w»", "poetry run «w»",
	"pipenv run «w»", "uv run «w»", "bundle exec «w»", "npx «w»", "npm exec -- «w»", "mise exec -- «w»", "docker exec c «w»", "docker run --rm -v /:/h i «w»", "podman run -v /:/h i «w»",
	"kubectl exec p -- «w»", "/lib64/ld-linux-x86-64.so.2 «w»", "git submodule foreach «w»", "git bisect run «w»",

	// One word that a shell reads.
	"sh -c «q»", "bash -c «q»", "bash -lc «q»", "bash -ec «q»", "bash +e -c «q»", "bash -o pipefail -c «q»", "bash --norc -c «q»", "dash -c «q»", "zsh -c «q»", "ksh -c «q»", "fish -c «q»",
	"sh -xc «q» arg0 arg1", "busybox sh -c «q»", "busybox ash -c «q»", "/bin/bash -c «q»", "$SHELL -c «q»", "env bash -c «q»", "env -S «q»", "env --split-string=«q»", "env -iS «q»", "env -vS «q»", "exec bash -c «q»", "eval «q»", "eval -- «q»",
	"builtin eval «q»", "command eval «q»", "su -c «q»", "su x -c «q»", "su - root -c «q»", "runuser x -c «q»", "runuser -l x -c «q»", "sg g -c «q»", "script -qc «q» /dev/null", "script -c «q»",
	"script --command=«q» f", "parallel ::: «q»", "parallel -j4 «q» ::: a", "parallel «q» < f", "sem «q»", "watch «q»", "entr -s «q»", "ls | entr -ps «q»", "flock f -c «q»", "ssh host «q»", "ssh -t u@h -p 22 «q»", "ssh -o ProxyCommand=«q» h",
	"mosh h -- «q»", "trap «q» EXIT", "trap «q» 0 INT", "trap -- «q» DEBUG", "PROMPT_COMMAND=«q» bash -i", "export PROMPT_COMMAND=«q»; bash", "BASH_ENV=<(echo «q») bash -c ls", "alias ls=«q»; ls",
	"git -c alias.x='!'«q» x", "git -c core.pager=«q» log", "git -c core.sshCommand=«q» fetch", "GIT_SSH_COMMAND=«q» git fetch", "GIT_PAGER=«q» git log", "GIT_EXTERNAL_DIFF=«q» git diff",
	"PAGER=«q» man ls", "LESSOPEN='|'«q» less x", "EDITOR=«q» git commit", "git rebase -x «q» HEAD~1", "git filter-branch --tree-filter «q»", "tmux new -d «q»", "tmux new-session -d -s x «q»", "tmux send-keys «q» Enter",
	"screen -dm bash -c «q»", "screen -S x -X stuff «q»", "docker exec c sh -c «q»", "docker run -v /:/h i bash -c «q»", "kubectl exec p -- sh -c «q»", "nsenter -t 1 -a sh -c «q»", "chroot / bash -c «q»",
	"tar cf a x --checkpoint=1 --checkpoint-action=exec=«q»", "tar xf a --to-command=«q»", "tar cf a -I «q» x", "rsync -e «q» a h:b", "vim -c ':!'«q»", "make SHELL=«q»", "find . -exec sh -c «q» \\;",
	"find . -type f -exec bash -c «q» _ {} +", "xargs -I{} sh -c «q»", "echo x | xargs -n1 bash -c «q»", "zip a b -T -TT «q»", "split --filter=«q» f", "coproc bash -c «q»", "nohup bash -c «q» &",
	"systemd-run bash -c «q»", "npm exec -c «q»", "npx -c «q»", "nix-shell --run «q»", "nix develop -c bash -c «q»", "go generate -run x; bash -c «q»", "pkexec bash -c «q»",

	// Text that a shell reads as its input.
	"echo «q» | sh", "echo «q» | bash -s", "printf %s «q» | bash", "printf '%s\\n' «q» | sh -s x", "bash <<< «q»", "sh -s <<< «q»", ". <(echo «q»)", "source <(printf %s «q»)", "bash <(echo «q»)", "source /dev/stdin <<< «q»",
	"echo «q» | at now", "at now <<< «q»", "batch <<< «q»", "echo «q» | tee s.sh; sh s.sh", "echo «q» > s.sh && bash s.sh", "echo «q» >> s.sh; chmod +x s.sh; ./s.sh", "echo «q» | ssh h bash", "echo «q» | sudo sh",
	"echo «q» | xargs -I{} sh -c {}", "echo «q» | parallel", "echo «q» | while read -r l; do eval \"$l\"; done", "x=«q»; eval \"$x\"", "x=«q»; $x", "x=«q»; bash -c \"$x\"", "a=(«w»); \"${a[@]}\"", "set -- «w»; \"$@\"",
	"g() { \"$@\"; }; g «w»", "launch() { eval \"$1\"; }; launch «q»", "declare x=«q»; sh -c \"$x\"", "printf -v x %s «q»; eval \"$x\"", "read -r x <<< «q»; eval \"$x\"", "mapfile -t x <<< «q»; eval \"${x[0]}\"",
	"bash <<'EOX'\n«s»\nEOX", "sudo bash <<'EOX'\n«s»\nEOX", "ssh h <<'EOX'\n«s»\nEOX", "at now <<'EOX'\n«s»\nEOX", "crontab - <<'EOX'\n* * * * * «s»\nEOX", "cat <<'EOX' | sh\n«s»\nEOX", "cat <<'EOX' > s.sh; . ./s.sh\n«s»\nEOX",
	"make -f - <<'EOX'\nall:\n\t«s»\nEOX", "docker exec -i c sh <<'EOX'\n«s»\nEOX", "tee s.sh <<'EOX' >/dev/null; sh s.sh\n«s»\nEOX", "bash -s a b <<-'EOX'\n«s»\n\tEOX",

	// Code of other languages.
	"python3 -c 'import os; os.system('\"'''\"«q»\"'''\"')'", "awk 'BEGIN{system(«d»)}'", "perl -e 'system(«d»)'", "perl -e 'exec «d»'", "perl -e '`«s»`'", "ruby -e 'system(«d»)'", "ruby -e '`«s»`'", "node -e 'require(\"child_process\").execSync(«d»)'",
	"python3 -c 'import os; os.system(«d»)'", "python3 -c 'import subprocess as s; s.run(«d», shell=True)'", "php -r 'system(«d»);'", "lua -e 'os.execute(«d»)'", "python3 <<'EOX'\nimport os\nos.system(«d»)\nEOX", "sed '1e «s»' f",
	"echo | awk '{print | «d»}'", "awk '{«d» | getline}' f", "vim -es -c ':!«s»' -c q", "gdb -batch -ex '!«s»'", "sqlite3 x '.shell «s»'", "ed f <<'EOX'\n!«s»\nEOX", "expect -c 'spawn «s»'", "tclsh <<'EOX'\nexec «s»\nEOX", "emacs --batch --eval '(shell-command «d»)'",
	"deno eval 'new Deno.Command(«d»)'", "R -e 'system(«d»)'", "Rscript -e 'system(«d»)'", "julia -e 'run(`«s»`)'", "osascript -e 'do shell script «d»'", "jshell <<'EOX'\nRuntime.getRuntime().exec(«d»)\nEOX",

	// Constructs.
	"true && «s»", "false || «s»", "! «s»", "«s» &", "ls; «s»", "ls\n«s»", "( «s» )", "{ «s»; }", "(((1))) ; «s»", "echo $( «s» )", "echo \"a $( «s» ) b\"", "echo `«s»`", "x=$( «s» )", "x=$( «s» ) ls", "cat <( «s» )", "ls > >( «s» )", "if «s»; then :; fi",
	"if true; then «s»; fi", "if false; then :; elif «s»; then :; else ls; fi", "if false; then ls; else «s»; fi", "while «s»; do break; done", "until «s»; do :; done", "for i in 1 2; do «s»; done", "for i in $( «s» ); do ls; done",
	"for ((i=0;i<1;i++)); do «s»; done", "select x in a; do «s»; done", "case x in x) «s» ;; esac", "case $( «s» ) in x) ;; esac", "f() { «s»; }; f", "function f { «s»; }; f", "f() ( «s» ); f", "f() { g() { «s»; }; g; }; f", "f() { «s»; }; trap f EXIT",
	"f() { «s»; }; export -f f; bash -c f", "coproc «s»", "coproc X { «s»; }", "time { «s»; }", "[[ -n $( «s» ) ]]", "[ -n \"$( «s» )\" ]", "(( $( «s» ) ))", "echo $(( $( «s» ) ))", "a[$( «s» )]=1", "echo ${x:-$( «s» )}", "echo ${x:=$( «s» )}", "cat <<EOX\n$( «s» )\nEOX", "cat <<< $( «s» )",
	"ls | { «s»; }", "ls | while read x; do «s»; done", "«s» | cat", "«s» 2>/dev/null", "{ «s»; } > out.txt 2>&1", "set -e; «s»", "shopt -s extglob; «s»", "declare -x A=$( «s» )", "export A=$( «s» )", "local A=$( «s» )", "readonly A=`«s»`", "let x=$( «s» )",
	"printf '%s' \"$( «s» )\"", "test -n \"`«s»`\" && ls", "exec 3< <( «s» )", "wait; «s»", "true; true; true; «s»; true", "sleep 1; «s»", "«s» || true", "«s»; exit 0", "return; «s»", ": ${x:?$( «s» )}", "diff <( «s» ) <(ls)", "mapfile x < <( «s» )",
}

func singleQuoted(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }

// launched puts a command into a pattern; "" where the pattern would change what it means.
func launched(pattern, cmd string, simple bool) string {
	mark := pattern[strings.Index(pattern, "«") : strings.Index(pattern, "»")+len("»")]
	before, _, _ := strings.Cut(pattern, mark)
	quoted := strings.Count(before, "'")%2 == 1 || strings.Count(before, "`")%2 == 1 && mark == "«s»" && !simple
	takes := strings.Contains(before, "{}") || strings.Contains(pattern, "parallel") || strings.Contains(before, "find ") || strings.HasPrefix(before, "fd ")
	switch {
	case takes && strings.Contains(cmd, "{"), strings.Contains(cmd, "EOX"):
		return "" // the braces are the launcher's
	case (quoted || mark == "«d»" || strings.Count(before, "`")%2 == 1) && strings.ContainsAny(cmd, "'\"`\\$\n!#%"):
		return "" // the other language's quotes
	case (mark == "«w»" || wordsOnly(pattern)) && !simple, appends(pattern) && lastCounts(cmd), strings.Contains(pattern, "; $x") && strings.ContainsAny(cmd, "'\"\\$*?~`[{()<>|;&"):
		return "" // it is no program with words, or what is added would change what it does
	case mark == "«s»" && !strings.Contains(pattern, "\n«s»\n") && (strings.Contains(cmd, "<<") || strings.ContainsAny(cmd, "\n#") || strings.HasSuffix(cmd, "&") || strings.HasSuffix(cmd, "\\")):
		return "" // what follows would be lost
	case strings.Contains(pattern, "* * *") && strings.ContainsAny(cmd, "\n%"), strings.Contains(pattern, "make -f") && strings.ContainsAny(cmd, "\n$#"), strings.Contains(pattern, "<<-") && strings.Contains(cmd, "\t"):
		return ""
	case strings.HasSuffix(cmd, "\\"), (strings.HasPrefix(pattern, "read -r") || pattern == "echo «q» | parallel" || strings.Contains(pattern, "while read ") || strings.Contains(pattern, "sh -c {}") || strings.HasPrefix(pattern, "mapfile -t")) && strings.Contains(cmd, "\n"),
		strings.Contains(pattern, "sh -c {}") && strings.ContainsAny(cmd, "'\"\\"), (strings.Contains(pattern, "spawn") || strings.Contains(pattern, "tclsh")) && strings.ContainsAny(cmd, "{}[]$*;'\""),
		strings.Contains(pattern, "xargs") && simple && !strings.Contains(cmd, " "), isContainer(pattern) && !outOfContainers(cmd):
		return ""
	}
	as := map[string]string{"«q»": singleQuoted(cmd), "«s»": cmd, "«w»": cmd, "«d»": `"` + cmd + `"`}[mark]
	return strings.ReplaceAll(pattern, mark, as)
}

// wordsOnly are patterns that take the text of one simple command apart into its words.
func wordsOnly(pattern string) bool {
	for _, p := range []string{"parallel -j4", "parallel «q» <", "coproc «s»", "spawn «s»", "os.exec", "Deno.Command", "run(`", "exec «s»", "; $x", "getRuntime"} {
		if strings.Contains(pattern, p) {
			return true
		}
	}
	return false
}

func isContainer(pattern string) bool {
	return strings.HasPrefix(pattern, "docker") || strings.HasPrefix(pattern, "podman") || strings.HasPrefix(pattern, "kubectl")
}

// outOfContainers reports whether a command does in a container what it does outside: the files and rights there are
// others.
func outOfContainers(cmd string) bool {
	for _, f := range home.Read(bash(cmd)).Findings {
		switch f.Class {
		case effect.Exhaust, effect.Exfil, effect.Obfuscated, effect.Backdoor, effect.Tamper, effect.RemoteCode, effect.RemoteChange:
			return true
		case effect.Destroy:
			if strings.HasSuffix(f.Why, "with all that is in it") {
				return true
			}
		}
	}
	return false
}

// appends are launchers that put words of their own at the end.
func appends(pattern string) bool {
	return strings.Contains(pattern, "xargs") && strings.Contains(pattern, "«w»") && !strings.Contains(pattern, "-I") || strings.Contains(pattern, "{} +") || strings.HasPrefix(pattern, "fd ") || strings.HasPrefix(pattern, "parallel «q» <") || strings.HasPrefix(pattern, "parallel -j4")
}

// lastCounts reports whether a command's last word is its destination: one more word makes it another command.
func lastCounts(cmd string) bool {
	first, _, more := strings.Cut(cmd, " ")
	return !more || slices.Contains([]string{"cp", "mv", "ln", "install", "rsync", "scp", "rclone", "link", "fd", "xargs", "pkill", "kill"}, first)
}

// isWords reports whether a command is the words of one program that any launcher can start, and no builtin.
func isWords(cmd string) bool {
	file, err := syntax.NewParser(syntax.Variant(syntax.LangBash)).Parse(strings.NewReader(cmd), "")
	if err != nil || len(file.Stmts) != 1 || strings.Contains(cmd, "\n") {
		return false
	}
	s := file.Stmts[0]
	call, ok := s.Cmd.(*syntax.CallExpr)
	if !ok || s.Background || s.Negated || len(s.Redirs) > 0 || len(call.Assigns) > 0 || len(call.Args) == 0 || strings.HasSuffix(cmd, ";") {
		return false
	}
	first := call.Args[0].Lit()
	return first != "" && !slices.Contains([]string{"eval", "exec", ".", "source", "export", "declare", "local", "readonly", "typeset", "set", "unset", "shopt", "alias", "unalias", "trap", "history", "enable",
		"hash", "builtin", "command", "cd", "pushd", "popd", "let", "read", "mapfile", "readarray", "ulimit", "umask", "bind", "complete", "fc", "times", "wait", "jobs", "bg", "fg", "disown", "suspend", "logout", "exit", "return", "shift"}, first)
}

var everyMode = []guard.Mode{guard.ReadOnly, guard.Supervised, guard.Full}

// judgedIn returns the verdicts on a command in each of everyMode.
func judgedIn(cmd string) (all [3]guard.Verdict) {
	report := home.Read(bash(cmd))
	for i, m := range everyMode {
		all[i] = VerdictOf(report, m, guard.FullIsolation)
	}
	return all
}

// TestLaunchersNeverWeaken puts commands that ask or are denied behind launchers and into constructs: in no mode may
// the verdict get weaker.
func TestLaunchersNeverWeaken(t *testing.T) {
	if testing.Short() {
		t.Skip("thousands of commands, one after the other")
	}
	for _, kind := range []string{"denied", "asked"} {
		for _, cmd := range labelled(t, kind) {
			neverWeaker(t, cmd)
		}
	}
}

func neverWeaker(t *testing.T, cmd string) {
	t.Helper()
	simple, plain := isWords(cmd), judgedIn(cmd)
	for _, pattern := range launchers {
		wrapped := launched(pattern, cmd, simple)
		if wrapped == "" {
			continue
		}
		for i, v := range judgedIn(wrapped) {
			if v.Decision < plain[i].Decision {
				t.Errorf("%q: %q in %v is only %v (%s)", pattern, wrapped, everyMode[i], v.Decision, v.Reason)
				break
			}
		}
	}
}

// TestTailsNeverTighten appends harmless words to ordinary work: in no mode may the verdict get stricter.
func TestTailsNeverTighten(t *testing.T) {
	for _, cmd := range labelled(t, "allowed") {
		if strings.Contains(cmd, "<<") || strings.HasSuffix(cmd, "&") || strings.Contains(cmd, "#") {
			continue // the tail would fall into the document or the comment
		}
		plain := judgedIn(cmd)
		for _, tail := range []string{" | cat", "; true", " 2>&1", " && true", " || true", " 2>/dev/null", "\ntrue", " | head -n 5 | tail -n 3"} {
			for i, v := range judgedIn(cmd + tail) {
				if v.Decision > plain[i].Decision {
					t.Errorf("%q in %v is %v (%s)", cmd+tail, everyMode[i], v.Decision, v.Reason)
				}
			}
		}
	}
}

// TestLaunchersOverACorpus does the same over labelled commands of others: REIN_GUARD_CORPUS names a file of JSON lines with
// "cmd" and "label".
func TestLaunchersOverACorpus(t *testing.T) {
	name := os.Getenv("REIN_GUARD_CORPUS")
	if name == "" {
		t.Skip("REIN_GUARD_CORPUS is not set: this is a scoring run over commands that are not in the repository")
	}
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var row struct{ Cmd, Label string }
		if err := json.Unmarshal(lines.Bytes(), &row); err != nil {
			t.Fatal(err)
		}
		if row.Label == "deny" || row.Label == "ask" {
			neverWeaker(t, row.Cmd)
		}
	}
}
