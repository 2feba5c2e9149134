#!/bin/sh
# What of rein works on this machine, as a report to send back: sh report.sh [REIN]. It takes some minutes, needs no key and no network,
# works in a directory of its own, which it removes, and prints "works" or "FAILS" for each feature. For macOS, FreeBSD and Linux;
# report.cmd does the same on Windows.
set -u
rein=${1:-rein}
case $rein in */*) rein=$(cd "$(dirname "$rein")" && pwd)/$(basename "$rein") ;; esac
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export REIN_HOME="$work/home"
mkdir "$work/site" && cd "$work/site" || exit 1
echo hello >a.txt
cat >script.yaml <<'END'
turns:
  - calls: [{name: write_file, args: {path: c.txt, content: "made by a call\n"}}, {name: edit_file, args: {path: a.txt, old_text: hello, new_text: changed}}]
  - calls: [{name: bash, args: {command: "rm c.txt; echo shell $((40+2))"}}]
  - calls: [{name: bash, args: {command: "echo x > \"$HOME/rein-was-here\" && echo ESCAPED; cat a.txt"}}]
  - text: Done.
END
failed=0
check() { # check FEATURE PATTERN COMMAND…: its output has the pattern
	feature=$1 pattern=$2
	shift 2
	if "$@" </dev/null >"$work/out" 2>&1; grep -q "$pattern" "$work/out"; then
		echo "works  $feature"
	else
		failed=1
		echo "FAILS  $feature"
		sed 's/^/       | /' "$work/out" | head -n 20
	fi
}
echo "rein on $(uname -srm)"
check "version" "^rein " "$rein" version
check "read a file" "hello" "$rein" call read_file '{"path":"a.txt"}'
check "a place outside is refused" "outside the workspace" "$rein" call read_file '{"path":"../../x"}'
check "a run: files, a shell" "shell 42" "$rein" run -v --model script/script.yaml --mode full --session-id first 'do it'
check "the edit" "changed" cat a.txt
check "journal and sessions" "do it" "$rein" sessions list
check "sessions doctor" "0 with problems" "$rein" sessions doctor
check "search" "first" "$rein" sessions search changed
check "undo" "." "$rein" undo --last 3
check "memory" "." "$rein" memory add --user 'Tests run with make check.'
check "backup" "saved in" "$rein" backup "$work/b.tar.zst"
check "restore, checked" "can be restored" "$rein" restore --check "$work/b.tar.zst"
check "sandbox" "." "$rein" sandbox -- echo inside
"$rein" serve --listen 127.0.0.1:0 >"$work/serve" 2>&1 &
server=$!
for _ in 1 2 3 4 5 6 7 8 9 10; do # an emulated processor takes its time
	grep -q http:// "$work/serve" && break
	sleep 2
done
check "server and page" "http://127.0.0.1" cat "$work/serve"
kill "$server" 2>/dev/null
check "demo: edits, sandbox, undo" "done" "$rein" demo
echo "--- rein doctor"
"$rein" doctor | sed -n '/^sandbox/,/^search/p'
exit $failed
