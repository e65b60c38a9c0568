#!/usr/bin/env bash
# The public database, for what it is good for: things that everybody reads, one file a person, and lists that
# only grow. Played on this machine with two people, somebody without an account, and one container.
#
#   examples/public-database.sh
#
# Environment: CAIRN_BIN, the folder that holds cairn, cairnd and cairn-watch (default: what `make build` built).
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
bin=${CAIRN_BIN:-$here/../.build/release}
# Where this script was installed with Cairn, the programs are where `cairn` is found.
[ -n "${CAIRN_BIN:-}" ] || [ -d "$bin" ] || bin=$(dirname "$(command -v cairn || echo "$bin/cairn")")
work=$(mktemp -d /tmp/cairn-public-XXXXXX)

ana() { CAIRN_HOME=$work/ana "$bin/cairn" "$@"; }
bob() { CAIRN_HOME=$work/bob "$bin/cairn" "$@"; }
reader() { CAIRN_HOME=$work/reader "$bin/cairn" "$@"; }

end() {
  for who in ana bob reader; do "$who" stop >/dev/null 2>&1 || true; done
  rm -rf "$work"
}
trap end EXIT

for who in ana bob; do
  "$who" init --container "$work/cloud" --name "${who^}" --handle "$who" >/dev/null
done
reader init --container "$work/cloud" --anonymous >/dev/null

echo '== Things that everybody reads: Ana publishes, and nobody else can change it'
echo 'The meeting is on Friday.' >"$work/news"
ana public put "$work/news" --as board/news.txt
reader public get ana/board/news.txt --output -
if bob public remove ana/board/news.txt; then
  echo 'FAILED: Bob could remove what is Ana'"'"'s' >&2
  exit 1
fi

echo '== One file a person: everybody writes their own'
for who in ana bob; do
  echo "$who is here" >"$work/presence"
  "$who" public put "$work/presence" --as presence >/dev/null
done
for who in ana bob; do reader public get "$who/presence" --output -; done

echo '== A list that only grows: a new file for each entry, named by its time'
for entry in first second; do
  for who in ana bob; do
    echo "$entry entry" >"$work/entry"
    "$who" public put "$work/entry" --as "log/$(date +%s%N)" >/dev/null
  done
done
for who in ana bob; do reader public list "$who/log"; done

echo '== And for the web: plain files, a folder for each author'
reader public export "$work/site"
(cd "$work/site" && find . -type f | sort)
