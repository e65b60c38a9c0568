# The world of one row: the people with their homes and folders, and one container. Sourced by `run`.
# Each person has $work/NAME, with `home` (what CAIRN_HOME names) and whatever else they make there.

# Runs `cairn` as that person, with all of it in the row's log.
as() { # WHO COMMAND …
  local who=$1 status=0 out=$work/.out.$BASHPID start
  shift
  mkdir -p "$work/$who"
  printf '%s$ cairn %s\n' "$who" "${*@Q}" >&9
  start=${EPOCHREALTIME/[.,]/}
  CAIRN_HOME=$work/$who/home HOME=$work/$who TZ=UTC SWIFT_BACKTRACE=enable=no \
    timeout --kill-after=5 120 "$binaries/cairn" "$@" >"$out" 2>"$out.err" 9>&- || status=$?
  took=$((${EPOCHREALTIME/[.,]/} - start))
  { tr '\0' '\n' <"$out" | head -c 20000 && cat "$out.err"; } >&9
  if ((status != 0)); then
    printf '[exit status %d]\n' "$status" >&9
    last_failure="\`$who $*\` ended with $status: $(head -c 300 "$out.err" | tr '\n' ' ')"
  fi
  [ /proc/self/fd/1 -ef /proc/self/fd/9 ] || cat "$out"
  [ /proc/self/fd/2 -ef /proc/self/fd/9 ] || cat "$out.err" >&2
  return "$status"
}

ana() { as ana "$@"; }
bob() { as bob "$@"; }
cleo() { as cleo "$@"; }
ana2() { as ana2 "$@"; }

cloud() { printf '%s\n' "$work/cloud"; }

# Where the container of this row is, as a person says it: a directory, or a bucket.
place() { printf '%s\n' "${bucket:-$work/cloud}"; }

# The row's container is in a bucket, whose objects are the files of $work/cloud: so what a row looks at
# in the container, and does to it, is the same. The server ends with its input.
begin_store() {
  bucket=
  [ "$store" = s3 ] || return 0
  coproc BUCKET { exec python3 -B "$repository/Tests/Buckets/server.py" "$work/cloud" 2>/dev/null; }
  read -r bucket_port <&"${BUCKET[0]}"
  # A bucket is made by whoever pays for it.
  mkdir "$work/cloud"
  bucket=s3:http://127.0.0.1:$bucket_port/bucket
  export AWS_ACCESS_KEY_ID=AKIDEXAMPLE AWS_SECRET_ACCESS_KEY=secret
}

end_store() {
  [ -n "${bucket:-}" ] || return 0
  exec {BUCKET[1]}>&- {BUCKET[0]}<&-
  wait "$BUCKET_PID" 2>/dev/null || true
}

# Makes these people known in the container, unless they are.
people() { # NAME …
  local who
  for who in "$@"; do
    [ -e "$work/$who/home/cairn.conf" ] ||
      as "$who" init --container "$(place)" --name "${who^}" --handle "$who" >/dev/null
  done
}

# Makes another device of a person, as the person's home says: `second_device ana ana2`.
second_device() { # WHO DEVICE
  local code
  code=$(as "$1" device link | tail -n 1)
  as "$2" device join "$code" --container "$(place)" --at "$work/$2" >/dev/null
}

# Ana makes the people and the folder Trip, and shares it; the others accept into their Trip.
sharing() { # PERMISSION WHO …
  local permission=$1 who
  shift
  people ana "$@"
  mkdir -p "$work/ana/Trip"
  ana share create "$work/ana/Trip" >/dev/null
  for who in "$@"; do join "$who" "$permission"; done
}

# Ana invites that person to Trip, who accepts.
join() { # WHO PERMISSION
  local link
  link=$(ana share invite "$work/ana/Trip" "$1" --permission "$2" | tail -n 1)
  as "$1" share accept "$link" --at "$work/$1/Trip" --wait >/dev/null
}

# Returns when all that any of these people did is at the others'.
settle() { # WHO …
  local who
  for who in "$@" "$@"; do as "$who" wait --timeout 60 >/dev/null; done
}

# The process id of a person's daemon.
daemon() { # WHO
  value ".daemon.pid" "$1" status
}

# Ends a person's daemon as a power cut would.
cut_power() { # WHO
  local pid
  pid=$(daemon "$1")
  kill -KILL "$pid"
  # tail ends when the process has gone, also if it isn't a child of this shell.
  timeout 30 tail --pid="$pid" -s 0.01 -f /dev/null
}

# The container goes away, and comes back.
hide_cloud() { mv "$work/cloud" "$work/.cloud-away"; }
show_cloud() { mv "$work/.cloud-away" "$work/cloud"; }

# A directory tells at once what others did; a bucket has to be asked, which `cairn wait` does.
heard() { # WHO
  [ "$store" = directory ] || as "$1" wait --timeout 60 >/dev/null
}

# A directory tells its followers at once. Where the container is in a bucket these people's daemons
# tell each other, by wake-ups. Who begins to listen looks where others do, and then not again for a
# while: so all begin, and then each does once more, at the same port.
listening() { # WHO …
  [ "$store" != directory ] || return 0
  local who address
  for who in "$@"; do begin_listening "$who" 127.0.0.1:0; done
  for who in "$@"; do
    eventually holds '.container.news.wakes.addresses | length == 1' "$who" status
    address=$(value '.container.news.wakes.addresses[0]' "$who" status)
    begin_listening "$who" "$address"
  done
  for who in "$@"; do
    eventually holds ".container.news.wakes.devices == $(($# - 1))" "$who" status
  done
}

begin_listening() { # WHO ADDRESS
  local configuration=$work/$1/home/cairn.conf
  as "$1" stop
  sed -i '/^\[wake\]$/,$d' "$configuration"
  printf '[wake]\nlisten = "%s"\n' "$2" >>"$configuration"
  as "$1" start
}

# The id of the zone that a folder mirrors.
zone_of() { # WHO FOLDER
  value '.mounts[0].zone' "$1" status "$2"
}

# Everything that a person's daemon said since it started, one JSON object a line.
events_of() { # WHO
  as "$1" events --json
}

# Bytes that don't compress, the same each time.
noise() { # BYTES [SEED]
  openssl enc -aes-128-ctr -nosalt -K "$(printf '%032d' "${2:-7}")" -iv "$(printf '%032d' 0)" \
    -in /dev/zero 2>/dev/null | head -c "$1" || true
}

# Stops every daemon of this row's world, and no other; whoever doesn't stop is ended.
end_world() {
  local home pid who
  for home in "$work"/*/home; do
    [ -d "$home" ] || continue
    who=$(basename "$(dirname "$home")")
    pid=$(head -n 1 "$home/cairnd.pid" 2>/dev/null || true)
    CAIRN_HOME=$home HOME=$work/$who timeout --kill-after=2 30 "$binaries/cairn" stop \
      >/dev/null 2>&1 || kill -KILL "${pid:-0}" 2>/dev/null || true
  done
}
