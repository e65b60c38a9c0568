# Rows 84 to 97: sync. Sourced by `run`.

row 84 'a write is visible at the peer: median 50 ms, 99th 250 ms'
row_84() {
  sharing read-write bob
  listening ana bob
  local round start times=()
  for round in {1..30}; do
    start=${EPOCHREALTIME/[.,]/}
    echo "$round" >"$work/ana/Trip/notes"
    until reads "$work/bob/Trip/notes" "$round"; do
      ((${EPOCHREALTIME/[.,]/} - start < patience * 1000000)) || fail "write $round never came"
    done
    times+=($((${EPOCHREALTIME/[.,]/} - start)))
  done
  printf '%s\n' "${times[@]}" | sort -n >"$work/times"
  cat "$work/times" >&9
  at_most "microseconds, the median" $((${write_arrives_within:-50000} * slack)) \
    "$(sed -n 15p "$work/times")"
  at_most "microseconds, the slowest but one of 30" \
    $((${slow_write_arrives_within:-250000} * slack)) "$(sed -n 29p "$work/times")"
}

row 85 'a daemon whose zones do not change sleeps while others work in the container'
row_85() {
  sharing read-write bob
  mkdir "$work/bob/Own"
  bob add "$work/bob/Own"
  settle ana bob
  local before after file pid
  pid=$(daemon ana)
  before=$(cpu_ticks "$pid")
  for file in {1..40}; do
    echo "$file" >"$work/bob/Own/$file"
    bob wait --timeout 60 >/dev/null
  done
  after=$(cpu_ticks "$pid")
  at_most "hundredths of a second of ana's processor time" "${quiet_ticks:-1}" $((after - before))
}

# The processor time that a process has used, in hundredths of a second.
cpu_ticks() { # PID
  awk '{ sub(/^.*\) /, ""); print $12 + $13 }' "/proc/$1/stat"
}

row 86 'a new share of others shows up without any set-up'
row_86() {
  people ana bob
  bob start
  mkdir "$work/ana/Trip"
  ana share create "$work/ana/Trip" >/dev/null
  expect '.invitations == []' bob share invitations
  ana share invite "$work/ana/Trip" bob >/dev/null
  eventually event_came bob invitation.received Trip
  expect '[.invitations[].title] == ["Trip"]' bob share invitations
}

row 87 'that a zone went, and why, is an event'
row_87() {
  sharing read-write bob
  echo x >"$work/ana/Trip/x"
  settle ana bob
  ana share remove "$work/ana/Trip" bob
  eventually event_came bob share.revoked
  expect '.mounts == []' bob status
}

row 88 'a token is opaque and of one zone and history; who has none that counts begins anew'
row_88() {
  sharing read-write bob
  mkdir "$work/ana/Other"
  ana share create "$work/ana/Other" >/dev/null
  echo 1 >"$work/ana/Trip/kept"
  echo 1 >"$work/ana/Trip/gone"
  settle ana bob
  local first other edited
  first=$(value '.token' ana changes "$work/ana/Trip")
  other=$(value '.token' ana changes "$work/ana/Other")
  same "the token of another reader" "$first" "$(value '.token' bob changes "$work/bob/Trip")"
  refute grep -q "$(zone_of ana "$work/ana/Trip")" <<<"$first"
  expect_status changeTokenExpired ana changes "$work/ana/Trip" --since "$other"
  edited=${first:0:70}$(tr 'a-y2-6' 'b-z3-7' <<<"${first:70:1}")${first:71}
  for edited in "$edited" "${first}a" "${first:1}" x ''; do
    expect_status invalidArguments ana changes "$work/ana/Trip" --since "$edited"
  done
  rm "$work/ana/Trip/gone"
  echo 2 >"$work/ana/Trip/new"
  settle ana bob
  expect '[.changes[] | if .deleted then "deleted" else .path end] | sort == ["deleted", "new"]' \
    bob changes "$work/bob/Trip" --since "$first"

  # A token of a history that the container doesn't have any more has expired, for everybody.
  ana stop
  bob stop
  cp -a "$work/cloud" "$work/.copy"
  ana start
  echo 3 >"$work/ana/Trip/lost"
  ana wait --timeout 60
  local late
  late=$(value '.token' ana changes "$work/ana/Trip")
  ana stop
  rm -rf "$work/cloud"
  mv "$work/.copy" "$work/cloud"
  bob start
  echo 4 >"$work/bob/Trip/instead"
  bob wait --timeout 60
  expect_status changeTokenExpired bob changes "$work/bob/Trip" --since "$late"
  # Without one all is told, and the token that comes with it counts.
  expect '[.changes[].path | values] | sort == ["instead", "kept", "new"]' \
    bob changes "$work/bob/Trip"
  local anew
  anew=$(value '.token' bob changes "$work/bob/Trip")
  expect '.changes == []' bob changes "$work/bob/Trip" --since "$anew"
}

row 89 'a thousand deletions reach somebody who was away; nothing comes back'
row_89() {
  people ana bob
  mkdir -p "$work/ana/Trip/d"
  local file
  for file in {1..1200}; do : >"$work/ana/Trip/d/$file"; done
  sharing read-write bob
  bob stop
  for file in {1..1000}; do rm "$work/ana/Trip/d/$file"; done
  # So many at once wait for a word.
  eventually holds '.mounts[0].phase == "held"' ana status
  ana held confirm "$work/ana/Trip" >/dev/null
  ana wait --timeout 60
  bob start
  settle bob ana
  same "names that bob has" 200 "$(find "$work/bob/Trip/d" -type f | wc -l)"
  same_tree "$work/ana/Trip" "$work/bob/Trip" 201
  no_conflicts "$work/ana/Trip" "$work/bob/Trip"
}

row 90 'nothing needs a restart to make progress, not even a container that was away'
row_90() {
  sharing read-write bob
  hide_cloud
  echo "while away" >"$work/ana/Trip/away"
  eventually holds '.mounts[0].phase == "offline"' ana status
  show_cloud
  settle ana bob
  reads "$work/bob/Trip/away" "while away" || fail "what was written while the container was away"
  echo "after" >"$work/bob/Trip/after"
  settle bob ana
  reads "$work/ana/Trip/after" after || fail "the way back"
}

row 91 'events are JSON; each export and import that begins has an end'
row_91() {
  sharing read-write bob
  local file who kind
  for file in {1..20}; do echo "$file" >"$work/ana/Trip/$file"; done
  settle ana bob
  rm "$work/bob/Trip/3"
  mv "$work/bob/Trip/4" "$work/bob/Trip/four"
  settle bob ana
  for who in ana bob; do
    for kind in export import; do
      events_of "$who" | jq -e -s --arg kind "$kind" '
        map(select(.kind | startswith($kind + "."))) | map(.kind) |
        length > 0 and . == ([range(0; length / 2) | $kind + ".begin", $kind + ".end"])' \
        >/dev/null || fail "$who: beginnings and ends of $kind don't alternate"
    done
    events_of "$who" | jq -e -s '[.[].number] | . == sort and . == unique' >/dev/null
  done
}

row 92 'a shared folder takes at least 80 % of the throughput of an unshared one'
row_92() {
  people ana bob
  local round times
  for round in 1 2 3; do
    for kind in alone shared; do make_files "$work/ana/$kind$round"; done
    times=$(microseconds mirrored ana add "$work/ana/alone$round")
    printf '%s\n' "$times" >>"$work/times-alone"
    times=$(microseconds mirrored ana share create "$work/ana/shared$round")
    printf '%s\n' "$times" >>"$work/times-shared"
  done
  local alone shared
  alone=$(median <"$work/times-alone")
  shared=$(median <"$work/times-shared")
  at_most "microseconds for 2000 shared files, where unshared ones take $alone" \
    $((alone * 125 * slack / 100 + 50000)) "$shared"
}
make_files() { # FOLDER
  local file
  mkdir "$1"
  for file in {1..2000}; do echo "$file" >"$1/$file"; done
}
mirrored() { # WHO COMMAND …
  as "$@" >/dev/null
  as "$1" wait --timeout 120
}

row 93 'the same names made by two people who are away become one tree'
row_93() {
  dedupe_setup
  mkdir -p "$work/ana/Trip/d" "$work/bob/Trip/d"
  for file in {1..20}; do
    echo "seed $file" | tee "$work/ana/Trip/d/$file" >"$work/bob/Trip/d/$file"
  done
  meet
  same_contents "$work/ana/Trip" "$work/bob/Trip" 21
  same "names" 21 "$(listing "$work/ana/Trip" | wc -l)"
  no_conflicts "$work/ana/Trip" "$work/bob/Trip"
}

# Ana and Bob share Trip; then the container is away from both.
dedupe_setup() {
  sharing read-write bob
  settle ana bob
  ana stop
  bob stop
}

# Both start, and are in step.
meet() {
  ana start
  bob start
  settle ana bob
}

row 94 'one name, two records: equal become one, different both stay, directories merge'
row_94() {
  dedupe_setup
  mkdir -p "$work/ana/Trip/e" "$work/bob/Trip/e"
  echo same | tee "$work/ana/Trip/equal" >"$work/bob/Trip/equal"
  echo "of ana" >"$work/ana/Trip/different"
  echo "of bob" >"$work/bob/Trip/different"
  echo 1 >"$work/ana/Trip/e/from-ana"
  echo 2 >"$work/bob/Trip/e/from-bob"
  meet
  same_contents "$work/ana/Trip" "$work/bob/Trip" 6
  local tree
  tree=$(listing "$work/ana/Trip" | cut -f 1)
  same "names" 6 "$(wc -l <<<"$tree")"
  same "what is in e" "from-ana from-bob" "$(ls "$work/ana/Trip/e" | xargs)"
  same "the bytes of both" "of ana of bob" "$(cat "$work"/ana/Trip/different* | sort | xargs)"
  reads "$work/ana/Trip/equal" same || fail "equal must stay"
}

row 95 'who joins later sees the tree as it was settled'
row_95() {
  row_94
  people cleo
  join cleo read-write
  same_contents "$work/ana/Trip" "$work/cleo/Trip" 6
}

row 96 'a reader sees the same tree as the writers, and writes nothing'
row_96() {
  sharing read-write bob
  people cleo
  join cleo read-only
  settle ana bob cleo
  ana stop
  bob stop
  mkdir -p "$work/ana/Trip/e" "$work/bob/Trip/e"
  echo 1 >"$work/ana/Trip/e/from-ana"
  echo 2 >"$work/bob/Trip/e/from-bob"
  meet
  settle ana bob cleo
  same_contents "$work/ana/Trip" "$work/cleo/Trip" 3
  refute event_came cleo export.begin
}

row 97 'a child put into the directory that loses its name is not lost'
row_97() {
  dedupe_setup
  mkdir -p "$work/ana/Trip/e" "$work/bob/Trip/e"
  echo 1 >"$work/ana/Trip/e/from-ana"
  echo 2 >"$work/bob/Trip/e/from-bob"
  ana start
  ana wait --timeout 60
  ana stop
  bob start
  # While bob's directory merges into ana's, he puts one more child into it.
  echo 3 >"$work/bob/Trip/e/late"
  settle bob
  ana start
  settle ana bob
  same "what is in e" "from-ana from-bob late" "$(ls "$work/ana/Trip/e" | xargs)"
  same_contents "$work/ana/Trip" "$work/bob/Trip" 4
}
