#!/bin/bash
# Makes the pictures of terminals in this directory from real runs of rein: docs/images/make.sh PATH/TO/rein
# It needs Go and tmux. The model is a script, so each run shows the same.
set -eu
rein=$(realpath "$1")
here=$(cd "$(dirname "$0")" && pwd)
facts=$(mktemp -d)/facts
go -C "$here/../.." build -o "$facts" ./lab/facts
export HOME REIN_HOME
HOME=/tmp/you # what the pictures show
mkdir "$HOME"
trap 'rm -rf "$HOME"' EXIT
REIN_HOME=$HOME/.rein
mkdir -p "$REIN_HOME/config" "$HOME/src/shop"
echo '{"terminal": {"theme": "dark"}, "trustedFolders": ["~/src/**"]}' >"$REIN_HOME/config/settings.json"
ln -s "$rein" "$HOME/rein"
export PATH=$HOME:$PATH
cd "$HOME/src/shop"
git init -q -b main .
git config user.email you@example.org
git config user.name You
cp "$here/shop/"* .
cp "$here/"*.yaml ..
git add -A
git commit -qm 'a shop'

"$facts" movie -size 96x30 -least 250ms -hold 2s -o "$here/demo.svg" \
	-type 'Ask, or type=make the tests pass, Enter' -type 'publishes work=C-x, n' -type 'I stop here=C-d' \
	-- rein -m script/../shop.yaml
still() { # a picture of what commands print
	local to=$1
	shift
	printf '%s\n' "$@" >"$HOME/commands"
	cat >"$HOME/show" <<-'SHOW'
		while read -r line; do
			printf '\033[38;2;125;180;245m$ %s\033[m\n' "$line"
			bash -c "$line"
		done <"$HOME/commands"
	SHOW
	"$facts" movie -still -size 96x34 -o "$here/$to" -- bash "$HOME/show"
}
git commit -qam 'the tax counts' # what is not committed, rm would not be allowed to delete
still undo.svg "rein call --mode full bash '{\"command\":\"rm *.py\"}'" 'ls' 'rein undo --list' 'rein undo' 'ls'
still rules.svg "rein rules explain 'npm ci && git push'" "rein guard judge 'env X=1 nice rm -rf ~' | head -5"
rm -rf "$REIN_HOME/sessions" # what waits there is of the first picture
still approve.svg "rein run -q --suspend -m script/../push.yaml 'publish it'" 'rein approve'
still sandbox.svg 'rein sandbox'
