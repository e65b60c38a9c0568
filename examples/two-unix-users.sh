#!/usr/bin/env bash
# Two Unix users share a folder through a directory that belongs to a group of theirs.
#
#   sudo examples/two-unix-users.sh           makes two users and a group, plays it, removes them again
#   examples/two-unix-users.sh --print        only prints the commands, for you to adapt
#
# Environment: CAIRN_BIN, the folder that holds cairn, cairnd and cairn-watch (default: what `make build`
# built).
#
# The container's directory has mode 3770: its group may write in it and nobody else may even look; setgid
# (2) gives everything in it to the group; sticky (1) keeps each member from deleting what others wrote.
# Cairn makes all that is below it with the same permissions, whatever the umask. What stands inside is
# signed and sealed all the same: a member of the group who was not invited can read nothing.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
built=${CAIRN_BIN:-$here/../.build/release}
# Where this script was installed with Cairn, the programs are where `cairn` is found.
[ -n "${CAIRN_BIN:-}" ] || [ -d "$built" ] || built=$(dirname "$(command -v cairn || echo "$built/cairn")")
top=/var/tmp/cairn-two-users
ana=cairn-demo-ana
bob=cairn-demo-bob
group=cairn-demo
only_print=false
[ "${1:-}" = --print ] && only_print=true

# Shows a command, then runs it, unless commands are only to be printed.
run() { # COMMAND-LINE
  printf '%s\n' "$1"
  $only_print || eval "$1"
}

note() { printf '\n# %s\n' "$*"; }

fail() {
  printf 'FAILED: %s\n' "$*" >&2
  exit 1
}

# Runs a command line as one of the two, from their home and with nothing of our own environment.
as() { # USER COMMAND-LINE
  runuser -u "$1" -- env -i HOME="$top/$1" PATH="$top/bin:/usr/bin:/bin" \
    sh -c "cd; $2"
}

check() {
  $only_print && return 0
  [ "$(id -u)" -eq 0 ] || fail "making users takes root; use sudo, or --print to see the commands"
  for program in cairn cairnd cairn-watch; do
    [ -x "$built/$program" ] || fail "there is no $built/$program; run \`make build\` first"
  done
  ! getent passwd "$ana" "$bob" >/dev/null || fail "$ana or $bob is a user already"
  ! getent group "$group" >/dev/null || fail "$group is a group already"
  [ ! -e "$top" ] || fail "$top is there already"
  trap leave EXIT
  trap 'exit 130' INT TERM
}

# Takes away what this script made, and nothing else.
leave() {
  local status=$? user
  trap - EXIT
  for user in "$ana" "$bob"; do
    if getent passwd "$user" >/dev/null; then
      as "$user" "cairn stop" >/dev/null 2>&1 || true
      userdel "$user" || true
    fi
  done
  ! getent group "$group" >/dev/null || groupdel "$group" || true
  rm -rf "$top"
  exit "$status"
}

make_users() {
  note "A group, two users in it, and the container's directory"
  run "groupadd --system $group"
  run "install -d -m 755 $top $top/bin"
  run "install -m 755 $built/cairn $built/cairnd $built/cairn-watch $top/bin"
  for user in "$ana" "$bob"; do
    run "useradd --system --user-group --groups $group --home-dir $top/$user --shell /bin/sh $user"
    run "install -d -m 700 -o $user -g $user $top/$user"
  done
  run "install -d -m 3770 -g $group $top/container"
}

share() {
  note "Each makes an account in it; Ana shares her folder Trip, Bob accepts"
  run "as $ana 'cairn init --container $top/container --name Ana --handle ana'"
  run "as $bob 'cairn init --container $top/container --name Bob --handle bob'"
  run "as $ana 'mkdir Trip; echo See you at nine. > Trip/plan.txt'"
  run "as $ana 'cairn share create Trip'"
  run "as $ana 'cairn share invite Trip bob' | tail -n 1 > $top/link"
  run "as $ana 'cairn wait'"
  run "as $bob 'cairn share accept - --at Trip --wait' < $top/link"
}

look() {
  note "What Bob sees, what he answers, and what the container shows to the group"
  run "as $bob 'cat Trip/plan.txt'"
  run "as $bob 'echo Make it ten. >> Trip/plan.txt; cairn wait'"
  run "as $ana 'cairn wait; cat Trip/plan.txt'"
  run "find $top/container -maxdepth 3 -printf '%M %u %g %P\\n' | sort -k 4 | head -n 20"
}

check
if $only_print; then
  printf 'top=%s\n\n' "$top"
  declare -f as
fi
make_users
share
look
if $only_print; then
  note "To take it all away again"
  printf '%s\n' "as $ana 'cairn stop'" "as $bob 'cairn stop'" \
    "userdel $ana; userdel $bob; groupdel $group; rm -rf $top"
else
  # Bob's line reached Ana, or this example has failed.
  grep -q 'Make it ten.' "$top/$ana/Trip/plan.txt" || fail "Bob's line did not reach Ana"
  note "Both have both lines. The users, the group and $top are removed now."
fi
