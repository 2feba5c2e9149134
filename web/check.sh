#!/bin/sh
# Checks that the committed files of the page are what the source builds to, and that the types of the interface are those of
# the description. Needs Node 20 or newer; without it nothing is checked.
set -eu
cd "$(dirname "$0")"
command -v npm >/dev/null || { echo "SKIPPED: the page is not built, because npm is missing"; exit 0; }
npm ci --no-audit --no-fund --loglevel=error
npm run -s types
npm run -s build
test -z "$(git status --porcelain -- src/api/types.ts ../app/server/dist ../app/server/dist.zip)" || {
	git status --short -- src/api/types.ts ../app/server/dist ../app/server/dist.zip
	echo "the page is not what its source builds to: run npm run types && npm run build in web/, and commit"
	exit 1
}
