#!/bin/sh
# Writes a small backup of everything that this version of rein keeps: make.sh NAME.tar.zst, with the rein of the version in PATH. The
# archives are never changed: each release adds one, and TestEveryHomeIsRead opens them all.
set -eu
out=$(realpath "$1")
top=/tmp/rein-home # the workspace's path is in the files
rm -rf "$top"
mkdir -p "$top/site"
cd "$top/site"
export REIN_HOME="$top/home"
echo 'Sentences are short.' >AGENTS.md
cat >"$top/script.yaml" <<'END'
turns:
  - text: I write a file.
    calls:
      - {name: write_file, args: {path: hello.txt, content: "hello\n"}}
  - text: Done.
END
mkdir -p "$REIN_HOME/config"
echo '{"model": "script/'"$top"'/script.yaml", "permissions": {"deny": ["bash(git push:*)"]}}' >"$REIN_HOME/config/settings.json"
rein trust --yes
rein run --mode full --session-id first 'write hello' </dev/null
rein sessions tag first greeting
rein memory add --user 'Tests run with make check.'
rein cron add @yearly 'look at the site' </dev/null
rein serve users add mei --role approver >/dev/null
rein sessions list
rein backup --force "$out"
rm -rf "$top"
