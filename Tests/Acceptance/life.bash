# Rows 51 to 70: the life of a share. Sourced by `run`.

row 51 'a link survives mail, brackets and newlines; a mistyped one is told'
row_51() {
  people ana bob
  mkdir "$work/ana/Trip"
  ana share create "$work/ana/Trip" >/dev/null
  local link wrapped wrong
  link=$(ana share invite "$work/ana/Trip" bob | tail -n 1)
  wrong=${link::-20}$(tr 'a-y' 'b-z' <<<"${link: -20:1}")${link: -19}
  expect_status invalidArguments bob share accept "$wrong" --at "$work/bob/Trip"
  expect_status invalidArguments bob share accept "${link::-1}" --at "$work/bob/Trip"
  wrapped=$(fold -w 40 <<<"$link" | sed '$!s/$/=/')
  for form in "<$link>" "  $link" "$link"$'\n\n' "$wrapped" "<$wrapped>"$'\r\n'; do
    printf '%s' "$form" | bob share accept - --at "$work/bob/Trip" --wait
  done
  expect '.shares | length == 1' bob share list
}

row 53 'a share is accepted into the shared database, and only into an empty folder'
row_53() {
  people ana bob
  mkdir "$work/ana/Trip" "$work/bob/Trip"
  echo here >"$work/bob/Trip/here"
  ana share create "$work/ana/Trip" >/dev/null
  local link
  link=$(ana share invite "$work/ana/Trip" bob | tail -n 1)
  expect_status invalidArguments bob share accept "$link" --at "$work/bob/Trip"
  reads "$work/bob/Trip/here" here || fail "what was there must stay"
  bob share accept "$link" --at "$work/bob/Other" --wait
  expect '[.shares[].scope] == ["shared"]' bob share list
}

row 54 'the whole tree is there when accept --wait returns'
row_54() {
  people ana bob
  mkdir -p "$work/ana/Trip/a/b/c"
  local file
  for file in {1..200}; do echo "$file" >"$work/ana/Trip/a/b/c/$file"; done
  noise 3000000 >"$work/ana/Trip/large"
  ana share create "$work/ana/Trip" >/dev/null
  ana wait --timeout 60
  join bob read-write
  # No waiting here: that is the point.
  same_tree "$work/ana/Trip" "$work/bob/Trip" 204
}

row 55 'the owner sees the acceptance within 250 ms'
row_55() {
  people ana bob
  mkdir "$work/ana/Trip"
  ana share create "$work/ana/Trip" >/dev/null
  local link
  link=$(ana share invite "$work/ana/Trip" bob | tail -n 1)
  bob share accept "$link" --at "$work/bob/Trip" >/dev/null
  within 250 participant_is ana "$work/ana/Trip" bob '.acceptance == "accepted"'
  eventually event_came ana share.accepted 'bob (Bob) takes part'
}

row 57 'share list works while the container is away'
row_57() {
  sharing read-write bob
  hide_cloud
  expect '[.shares[].title] == ["Trip"]' ana share list
  expect '[.shares[].title] == ["Trip"]' bob share list
  bob stop
  expect '[.shares[] | [.title, .scope]] == [["Trip", "shared"]]' bob share list
  echo "written before the container came back" >"$work/bob/Trip/away"
  show_cloud
  settle bob ana
  is_there "$work/ana/Trip/away"
}

row 58 'share of lists those paths that are shared and in the container'
row_58() {
  sharing read-write bob
  mkdir "$work/ana/Own"
  ana add "$work/ana/Own"
  echo 1 >"$work/ana/Trip/shared"
  echo 2 >"$work/ana/Own/unshared"
  settle ana bob
  hide_cloud
  echo 3 >"$work/ana/Trip/unsynced"
  eventually holds '.mounts[] | select(.title == "Trip") | .phase == "offline"' ana status
  expect "[.paths[] | [.path, .shared]] == [[\"$work/ana/Trip/shared\", \"owner\"]]" \
    ana share of "$work/ana/Trip/shared" "$work/ana/Own/unshared" "$work/ana/Trip/unsynced" /etc
  show_cloud
  settle ana bob
  expect '.paths | length == 1' ana share of "$work/ana/Trip/unsynced"
}

row 59 'what happened while a daemon was down is there right after its start'
row_59() {
  sharing read-write bob
  people cleo
  bob stop
  ana share create "$work/ana/Trip" --title Renamed >/dev/null
  ana share invite "$work/ana/Trip" cleo >/dev/null
  bob start
  within 1000 holds '.share.title == "Renamed" and (.share.participants | length) == 3' \
    bob share show "$work/bob/Trip"
}

row 70 'no daemon has a socket of a network, and none of this needs root'
row_70() {
  people ana
  mkdir "$work/ana/Trip"
  ana share create "$work/ana/Trip" >/dev/null
  local pid found
  pid=$(daemon ana)
  found=$(find "/proc/$pid/fd" -lname 'socket:*' -printf '%l\n' | tr -dc '0-9\n' | sort)
  [ -n "$found" ] || fail "it must at least have its own socket"
  same "sockets of the internet" "" \
    "$(awk 'FNR > 1 { print $10 }' /proc/net/tcp /proc/net/tcp6 /proc/net/udp /proc/net/udp6 \
      2>/dev/null | sort | comm -12 - <(echo "$found"))"
  # Root without any of its capabilities is a user like others.
  local plain=()
  ((EUID > 0)) || plain=(setpriv --bounding-set=-all --inh-caps=-all --no-new-privs)
  ana stop
  CAIRN_HOME=$work/ana/home "${plain[@]}" "$binaries/cairn" start 9>&-
  same "capabilities" "0000000000000000" "$(awk '/^CapEff/ { print $2 }' "/proc/$(daemon ana)/status")"
  echo on >"$work/ana/Trip/file"
  ana wait --timeout 60
}
