# A container in a directory that two machines mount, played by one machine with two mounts. The
# kernel notifies neither mount of the other one's changes. Sourced by `run`.

# Ana works by one mount, and Bob by the other.
two_mounts() { # ONE OTHER DROPS
  local link number
  local -A container=([ana]=$1/team [bob]=$2/team)
  mkdir -p "$world/ana/Trip" "$world/bob"
  for who in ana bob; do
    as "$who" init --container "${container[$who]}" --name "${who^}" --handle "$who" \
      >/dev/null 2>>"$world/out"
    grep -qx 'notifies = false' "$world/$who/home/cairn.conf" || fail "$who's daemon doesn't ask"
  done
  echo hers >"$world/ana/Trip/hers"
  as ana share create "$world/ana/Trip" >/dev/null
  link=$(as ana share invite "$world/ana/Trip" bob --permission read-write | tail -n 1)
  as bob share accept "$link" --at "$world/bob/Trip" --wait >/dev/null
  drops ana bob "$3"
  drops bob ana "$3"
  # Both compete for the next position of the log, again and again.
  for ((number = 0; number < 20; number++)); do
    echo "$number" >"$world/ana/Trip/ana-$number" &
    echo "$number" >"$world/bob/Trip/bob-$number"
    wait "$!"
    read -rt 0.2 <> <(:) || true
  done
  await "same_folders 40" "both to have what both wrote"
  as ana verify >/dev/null || fail "ana's verify"
  as bob verify >/dev/null || fail "bob's verify"
  as ana stop >/dev/null
  as bob stop >/dev/null
  say "two mounts: drops both ways, and 20 rounds of two writers at once, found by asking"
}

# Drops some files, one after the other, and prints the longest time.
drops() { # FROM TO COUNT
  local number began took most=0
  for ((number = 0; number < $3; number++)); do
    began=${EPOCHREALTIME/[.,]/}
    head -c 4096 /dev/urandom >"$world/$1/Trip/from-$1-$number"
    await "cmp '$world/$1/Trip/from-$1-$number' '$world/$2/Trip/from-$1-$number'" "a file of $1's"
    took=$(((${EPOCHREALTIME/[.,]/} - began) / 1000))
    ((took <= most)) || most=$took
  done
  say "4 KiB from $1 to $2: $most ms at most, to a tenth of a second"
}

same_folders() { # FILES
  (($(find "$world/ana/Trip" -name '*-*' ! -name 'from-*' | wc -l) == $1)) &&
    diff -r -x .cairn "$world/ana/Trip" "$world/bob/Trip"
}
