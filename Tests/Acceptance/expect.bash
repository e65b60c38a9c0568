# What may be expected. Each ends the row with a reason if it isn't so. Sourced by `run`.

# How long to wait for what is to come, in seconds: long, since only a failure needs all of it.
patience=30

# Ends the row.
fail() { # REASON
  printf 'REASON: %s\n' "$*" >&9
  trap - ERR
  exit 1
}

# Called where a command of a row failed that nobody expected to.
told() { # LINE COMMAND
  if [[ $2 == 'return "$status"' ]]; then
    printf 'REASON: %s\n' "$last_failure" >&9
  else
    printf 'REASON: %s line %s failed: %s\n' "${BASH_SOURCE[1]##*/}" "$1" "$2" >&9
  fi
}

# Runs a command that must fail, whatever for.
refute() { # COMMAND …
  if "$@" >&9; then fail "this must not hold: $*"; fi
}

# The exit status of an error, as cairn-errors(7) has it.
status_of() { # CODE
  sed -n "s/^\.It \([0-9]*\) Pq Li $1\$/\1/p" "$repository/man/cairn-errors.7"
}

# Runs a command that must fail with this error: by its name in JSON, and by its exit status.
expect_status() { # CODE WHO COMMAND …
  local code=$1 answer status=0 expected
  shift
  expected=$(status_of "$code")
  [ -n "$expected" ] || fail "cairn-errors(7) doesn't know $code"
  answer=$(as "$@" --json) || status=$?
  [ "$status" = "$expected" ] ||
    fail "\`$*\` ended with $status, not $expected ($code): ${answer:0:300}"
  jq -e --arg code "$code" '.error.code == $code and (.error.message | length > 0)' \
    >/dev/null <<<"$answer" || fail "\`$*\` must say $code: ${answer:0:300}"
}

# Both must be equal.
same() { # WHAT EXPECTED FOUND
  [ "$2" = "$3" ] || fail "$1: expected “$2”, found “$3”"
}

# The left number must be smaller or equal.
at_most() { # WHAT LIMIT FOUND
  (($3 <= $2)) || fail "$1: at most $2, found $3"
}

# A command in the background that may be cut off: its failure is no reason.
quietly() { # COMMAND …
  trap - ERR
  "$@" >/dev/null || true
}

# All that a command says to people, whatever comes of it.
said() { # WHO COMMAND …
  as "$@" 2>&1 || true
}

# What a jq program makes of a command's JSON.
value() { # PROGRAM WHO COMMAND …
  local program=$1 answer
  shift
  answer=$(as "$@" --json)
  jq -r "$program" <<<"$answer"
}

# Whether a jq program is true of a command's JSON.
holds() { # PROGRAM WHO COMMAND …
  local program=$1 answer
  shift
  answer=$(as "$@" --json) || return 1
  jq -e "$program" >/dev/null <<<"$answer"
}

# A jq program must be true of a command's JSON.
expect() { # PROGRAM WHO COMMAND …
  holds "$@" || fail "not so: $*"
}

# It becomes true, sooner or later. Between two looks everybody who is there waits until nothing is
# pending, so nothing here sleeps.
eventually() { # COMMAND …
  local deadline=$((SECONDS + patience)) who
  until "$@" >&9 2>&1; do
    ((SECONDS < deadline)) || fail "did not come true in $patience seconds: $*"
    for who in "$work"/*/home/cairnd.pid; do
      as "$(basename "${who%/home/cairnd.pid}")" wait --timeout 1 >/dev/null 2>&1 || true
    done
  done
}

# It becomes true within so many milliseconds (times SLACK); asked as often as a shell can.
within() { # MILLISECONDS COMMAND …
  local limit=$(($1 * slack)) start=${EPOCHREALTIME/[.,]/} passed
  shift
  until "$@" >/dev/null 2>&1; do
    ((${EPOCHREALTIME/[.,]/} - start < patience * 1000000)) ||
      fail "did not come true in $patience seconds: $*"
  done
  passed=$(((${EPOCHREALTIME/[.,]/} - start) / 1000))
  printf '[%d ms: %s]\n' "$passed" "$*" >&9
  at_most "milliseconds until: $*" "$limit" "$passed"
}

# The microseconds that a command takes.
microseconds() { # COMMAND …
  local start=${EPOCHREALTIME/[.,]/}
  "$@" >&9
  echo $((${EPOCHREALTIME/[.,]/} - start))
}

# The microseconds that one command of a person takes, without the six programs around it that note
# what it said: on a busy machine they take longer than it does.
answer_time() { # WHO COMMAND …
  as "$@" >&9
  echo "$took"
}

# The middle one of the numbers on standard input.
median() {
  sort -n | awk '{ line[NR] = $1 } END { print line[int((NR + 1) / 2)] }'
}

# The first line of a file is this. Builtins only, so that loops can ask often.
reads() { # FILE TEXT
  local text=
  { IFS= read -r text <"$1"; } 2>/dev/null || true
  [ "$text" = "$2" ]
}

is_there() { [ -e "$1" ]; }
is_gone() { [ ! -e "$1" ]; }

# What Cairn carries besides content: path, kind, mode, target and time, without the root's `.cairn`.
listing() { # FOLDER
  (cd "$1" && find . -mindepth 1 -path ./.cairn -prune -o -printf '%P\t%y\t%m\t%T@\t%l\n' | sort)
}

# Both folders must show the same, contents included, and at least so many names.
same_tree() { # FOLDER OTHER [COUNT]
  diff <(listing "$1") <(listing "$2") || fail "$1 and $2 differ"
  diff -r --no-dereference --exclude=.cairn "$1" "$2" || fail "contents of $1 and $2 differ"
  (($(listing "$1" | wc -l) >= ${3:-1})) || fail "$1 has fewer than ${3:-1} names"
}

# The same, of files that may not be written by their owner on the one side (read-only shares).
same_contents() { # FOLDER OTHER [COUNT]
  diff -r --no-dereference --exclude=.cairn "$1" "$2" || fail "contents of $1 and $2 differ"
  (($(listing "$1" | wc -l) >= ${3:-1})) || fail "$1 has fewer than ${3:-1} names"
}

# No conflict copy lies in these folders.
no_conflicts() { # FOLDER …
  local found
  found=$(find "$@" -path '*/.cairn' -prune -o -name '*(conflict, *' -print)
  same "conflict copies" "" "$found"
}

# A file of the container holds those bytes, as a name or as content.
cloud_shows() { # TEXT
  grep -rqF -- "$1" "$work/cloud" || find "$work/cloud" | grep -qF -- "$1"
}

# The bytes that the container holds.
cloud_bytes() { find "$work/cloud" -type f -printf '%s\n' | awk '{ sum += $1 } END { print sum + 0 }'; }

# An event of that kind came, with that text in it.
event_came() { # WHO KIND [TEXT]
  events_of "$1" | jq -e -s --arg kind "$2" --arg text "${3:-}" \
    'any(.[]; .kind == $kind and (.text | contains($text)))' >/dev/null
}

# Somebody as they stand in the share: `participant_is ana Trip bob '.permission == "read-only"'`.
participant_is() { # WHO SHARE HANDLE PROGRAM
  holds ".share.participants[] | select(.handle == \"$3\") | $4" "$1" share show "$2"
}
