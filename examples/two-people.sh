#!/usr/bin/env bash
# Two people share a folder: Ana and Bob, played on this machine by two homes and one container.
#
#   examples/two-people.sh [DIR]     DIR: a tree of real files to share (default: /usr/share/doc); what
#                                    Cairn ignores, like editors' backups, would count as a difference
#
# Environment:
#   KEEP=1      leave the homes, the folders and the container for you to look at
#   ROUNDS=10   edits to time in each direction
#   CAIRN_BIN   the folder that holds cairn, cairnd and cairn-watch (default: what `make build` built)
#
# It uses nothing but the `cairn` command, files, and the tools that every Debian has. Read it from the
# end: `main` is the story.
set -euo pipefail
umask 022

tree=${1:-/usr/share/doc}
rounds=${ROUNDS:-10}
patience_seconds=60
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
bin=${CAIRN_BIN:-$here/../.build/release}
# Where this script was installed with Cairn, the programs are where `cairn` is found.
[ -n "${CAIRN_BIN:-}" ] || [ -d "$bin" ] || bin=$(dirname "$(command -v cairn || echo "$bin/cairn")")

# --- small things ------------------------------------------------------------------------------------

say() { printf '%s\n' "$*"; }
title() { printf '\n== %s\n' "$*"; }

fail() {
  say "FAILED: $*" >&2
  exit 1
}

# Times are microseconds: bash's EPOCHREALTIME without its point.

# MICROSECONDS: the same as milliseconds, with one digit after the point.
milliseconds() { printf '%d.%d ms' $(($1 / 1000)) $(($1 % 1000 / 100)); }

# SINCE: what passed since that moment, as a person says it.
elapsed() {
  local passed=$((${EPOCHREALTIME/[.,]/} - $1))
  if ((passed < 1000000)); then milliseconds "$passed"; else
    printf '%d.%02d s' $((passed / 1000000)) $((passed % 1000000 / 10000))
  fi
}

# Runs the `cairn` command as that person: ana share list, bob status, …
ana() { CAIRN_HOME=$work/ana/home "$bin/cairn" "$@"; }
bob() { CAIRN_HOME=$work/bob/home "$bin/cairn" "$@"; }

# Waits, as tightly as a shell can, until the file begins with this line.
await_line() { # FILE LINE
  local line='' deadline=$((${EPOCHREALTIME/[.,]/} + patience_seconds * 1000000))
  until { IFS= read -r line <"$1"; } 2>/dev/null && [[ $line == "$2" ]]; do
    ((${EPOCHREALTIME/[.,]/} < deadline)) || fail "$1 did not change within $patience_seconds seconds"
  done
}

# Waits until that shell condition holds.
await() { # CONDITION
  local deadline=$((${EPOCHREALTIME/[.,]/} + patience_seconds * 1000000))
  until eval "$1"; do
    ((${EPOCHREALTIME/[.,]/} < deadline)) || fail "waited $patience_seconds seconds in vain for: $1"
  done
}

# What Cairn carries besides content: path, kind, mode, target of a link, and the time to the
# nanosecond. The root's own `.cairn` is each daemon's staging folder, and stays at home.
listing() { # FOLDER
  (
    cd "$1"
    find . -mindepth 1 -path ./.cairn -prune -o -printf '%P\t%y\t%m\t%T@\t%l\0' | sort -z
  )
}

# Compares the contents of everything but the root's own `.cairn`.
same_contents() ( # FOLDER OTHER
  shopt -s dotglob nullglob
  for path in "$1"/*; do
    [ "${path##*/}" = .cairn ] || diff -r --no-dereference "$path" "$2/${path##*/}"
  done
)

# --- the story, part by part -------------------------------------------------------------------------

prepare() {
  [ -d "$tree" ] || fail "$tree is no directory"
  for program in cairn cairnd cairn-watch; do
    [ -x "$bin/$program" ] || fail "there is no $bin/$program; run \`make build\` first"
  done
  bin=$(cd "$bin" && pwd)
  work=$(mktemp -d "${TMPDIR:-/tmp}/cairn-demo.XXXXXX")
  trap leave EXIT
  trap 'exit 130' INT TERM
  mkdir -p "$work/ana/Trip" "$work/bob"
  # Where people are users of one machine, what they share belongs to a group of theirs.
  mkdir -m 2770 "$work/container"
}

# Stops the two daemons that this script started, and no other; then tidies up.
leave() {
  local status=$?
  trap - EXIT
  if ((status != 0)); then
    for person in ana bob; do
      say "--- the end of $person's log:" >&2
      find "$work/$person/home" -name 'cairnd.log' -exec tail -n 15 {} \; >&2 2>/dev/null || true
    done
  fi
  ana stop >/dev/null 2>&1 || true
  bob stop >/dev/null 2>&1 || true
  if [ "${KEEP:-}" = 1 ]; then
    say "Kept: $work (CAIRN_HOME=$work/ana/home $bin/cairn status)"
  else
    rm -rf "$work"
  fi
  exit "$status"
}

make_people() {
  title "Two people, one container: a plain directory"
  ana init --container "$work/container" --name Ana --handle ana
  bob init --container "$work/container" --name Bob --handle bob
}

share_a_folder() {
  title "Ana shares her folder Trip with Bob"
  cp -a "$tree/." "$work/ana/Trip/documents"
  # Cairn carries the executable bit and not the rest of a mode, and no sockets, FIFOs or devices.
  chmod -R u=rwX,go=rX "$work/ana/Trip/documents"
  find "$work/ana/Trip/documents" ! -type f ! -type d ! -type l -delete
  say "$(find "$work/ana/Trip" -type f | wc -l) files," \
    "$(find "$work/ana/Trip" -type d | wc -l) directories," \
    "$(du -sh --apparent-size "$work/ana/Trip" | cut -f 1) from $tree"

  local start
  start=${EPOCHREALTIME/[.,]/}
  ana share create "$work/ana/Trip" --title Trip
  link=$(ana share invite "$work/ana/Trip" bob | tail -n 1)
  say "shared and invited after $(elapsed "$start"); the link: $link"
  ana wait "$work/ana/Trip" --timeout 1800 >/dev/null
  say "all of it is in the container, durable, after $(elapsed "$start")"

  start=${EPOCHREALTIME/[.,]/}
  bob share accept "$link" --at "$work/bob/Trip" --wait
  bob wait "$work/bob/Trip" --timeout 1800 >/dev/null
  say "Bob has all of it $(elapsed "$start") after he accepted"
}

# Edits a 4 KiB file here, and times until the other has it.
time_edits() { # WHO FROM TO
  local round start line times=() padding
  printf -v padding '%4080s' ''
  for ((round = 1; round <= rounds; round++)); do
    line="$1 $round ${padding// /.}"
    start=${EPOCHREALTIME/[.,]/}
    printf '%s\n' "$line" >"$2/notes.txt"
    await_line "$3/notes.txt" "$line"
    times+=($((${EPOCHREALTIME/[.,]/} - start)))
  done
  local sorted
  mapfile -t sorted < <(printf '%s\n' "${times[@]}" | sort -n)
  say "$1: median $(milliseconds "${sorted[rounds / 2]}")," \
    "fastest $(milliseconds "${sorted[0]}"), slowest $(milliseconds "${sorted[rounds - 1]}")"
}

edit_in_both_directions() {
  title "$rounds edits in each direction, from the write to the other's folder"
  time_edits "Ana to Bob" "$work/ana/Trip" "$work/bob/Trip"
  time_edits "Bob to Ana" "$work/bob/Trip" "$work/ana/Trip"
}

rename_a_big_directory() {
  title "Ana renames the directory that holds everything"
  local start before
  before=$(du -sb "$work/container" | cut -f 1)
  start=${EPOCHREALTIME/[.,]/}
  mv "$work/ana/Trip/documents" "$work/ana/Trip/library"
  await "[[ -d \$work/bob/Trip/library && ! -e \$work/bob/Trip/documents ]]"
  say "Bob has it under the new name after $(elapsed "$start");" \
    "the container grew by $(($(du -sb "$work/container" | cut -f 1) - before)) bytes"
}

make_a_conflict() {
  title "Bob is away; both edit notes.txt"
  bob stop
  say "what Ana wrote" >"$work/ana/Trip/notes.txt"
  ana wait "$work/ana/Trip" --timeout 60 >/dev/null
  say "what Bob wrote" >"$work/bob/Trip/notes.txt"
  bob start
  await "compgen -G \"\$work/ana/Trip/notes (conflict*\" >/dev/null"
  settle
  for file in "$work"/bob/Trip/notes*; do say "  ${file##*/}: $(<"$file")"; done
}

# Both have sent and received everything.
settle() {
  ana wait --timeout 300 >/dev/null
  bob wait --timeout 300 >/dev/null
  ana wait --timeout 300 >/dev/null
}

compare() {
  title "The two folders, compared"
  settle
  diff <(listing "$work/ana/Trip" | tr '\0' '\n') <(listing "$work/bob/Trip" | tr '\0' '\n') ||
    fail "names, modes, times or links differ (< Ana, > Bob)"
  [ -z "$(same_contents "$work/ana/Trip" "$work/bob/Trip" | tee -a /dev/stderr)" ] ||
    fail "contents differ"
  say "They are the same, byte for byte: $(listing "$work/ana/Trip" | tr -cd '\0' | wc -c) entries" \
    "with their contents, modes, links and times."
}

main() {
  prepare
  make_people
  share_a_folder
  edit_in_both_directions
  rename_a_big_directory
  make_a_conflict
  compare
}

main
