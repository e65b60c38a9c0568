# Rows 51 to 70: the life of a share. Sourced by `run`.

row 51 'a link survives mail, brackets and newlines; a mistyped one is told'
row_51() {
  people ana bob
  mkdir "$work/ana/Trip"
  ana share create "$work/ana/Trip" >/dev/null
  local link wrapped wrong
  link=$(ana share invite "$work/ana/Trip" bob | tail -n 1)
  wrong=${link::-20}$(tr 'a-z2-7' 'b-z2-7a' <<<"${link: -20:1}")${link: -19}
  expect_status invalidArguments bob share accept "$wrong" --at "$work/bob/Trip"
  expect_status invalidArguments bob share accept "${link::-1}" --at "$work/bob/Trip"
  wrapped=$(fold -w 40 <<<"$link" | sed '$!s/$/=/')
  for form in "<$link>" "  $link" "$link"$'\n\n' "$wrapped" "<$wrapped>"$'\r\n'; do
    printf '%s' "$form" | bob share accept - --at "$work/bob/Trip" --wait
  done
  expect '.shares | length == 1' bob share list
}

row 52 'a handler for cairn: links is installed, and the command works without it'
row_52() {
  # What `make install` would do; it needs a release build to do it.
  local plan entry=$repository/examples/desktop/cairn-link.desktop
  plan=$(make -n -C "$repository" --no-print-directory install DESTDIR="$work/root" PREFIX=/usr)
  grep -qF "$work/root/usr/share/applications/cairn-link.desktop" <<<"$plan" ||
    fail "make install must install it"
  grep -q '^MimeType=.*x-scheme-handler/cairn' "$entry"
  grep -q '^Exec=.*cairn.* share accept --ask' "$entry"
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
  eventually event_came ana share.accepted 'Bob (bob) joined'
}

row 56 'after every change of a share, what is cached is what is true, at every participant'
row_56() {
  sharing read-write bob cleo
  local change
  for change in "set-permission bob read-only" "set-role cleo administrator" \
    "set-permission bob read-write" "remove bob" "set-role cleo participant"; do
    # shellcheck disable=SC2086
    ana share ${change%% *} "$work/ana/Trip" ${change#* }
    within "${share_change_reaches_within:-250}" sees_same_people cleo
  done
}

# That person's cached view of Trip's people is Ana's.
sees_same_people() { # WHO
  [ "$(value '.participants' ana share participants "$work/ana/Trip")" = \
    "$(value '.participants' "$1" share participants "$work/$1/Trip")" ]
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

row 60 'what the manual shows as an example runs, and each ability has a command'
row_60() {
  local ability
  for ability in invite set-public set-permission remove leave stop; do
    ana share "$ability" --help >/dev/null
    grep -q "share $ability" "$repository"/man/cairn-share*.1 || fail "no page tells of $ability"
  done
  people ana bob
  mkdir "$work/ana/Trip"
  ana share create "$work/ana/Trip" >/dev/null
  ana share invite "$work/ana/Trip" bob --permission read-only | tail -n 1 >"$work/link"
  bob share accept "$work/link" --at "$work/bob/Trip" --wait
}

row 61 'who is removed is told so, and who stops or leaves too'
row_61() {
  sharing read-write bob cleo
  ana share remove "$work/ana/Trip" bob
  within 1000 event_came bob share.revoked
  cleo share leave "$work/cleo/Trip"
  event_came cleo share.left
  refute event_came cleo share.revoked
  ana share stop "$work/ana/Trip"
  event_came ana share.stopped
}

row 62 'a change by another device of mine is an event here'
row_62() {
  sharing read-write bob
  second_device ana ana2
  eventually holds '.shares | length == 1' ana2 share list
  ana2 share set-permission "$(value '.shares[0].id' ana2 share list)" bob read-only
  heard ana
  within 1000 event_came ana share.saved
  expect '[.participants[] | .permission] == ["read-write", "read-only"]' \
    ana share participants "$work/ana/Trip"
}

row 63 'when the owner stops, everybody loses access and the owner keeps all'
row_63() {
  sharing read-write bob cleo
  echo kept >"$work/ana/Trip/kept"
  settle ana bob cleo
  ana share stop "$work/ana/Trip"
  within 1000 is_gone "$work/bob/Trip/kept"
  within 1000 is_gone "$work/cleo/Trip/kept"
  reads "$work/ana/Trip/kept" kept
  for who in ana bob cleo; do eventually holds '.shares == []' "$who" share list; done
  ana wait --timeout 60
}

row 64 'after stop nothing is left over, and the folder can be shared anew at once'
row_64() {
  sharing read-write bob
  noise 3000000 >"$work/ana/Trip/large"
  settle ana bob
  local before
  before=$(cloud_bytes)
  ana share stop "$work/ana/Trip"
  ana share create "$work/ana/Trip" >/dev/null
  ana wait --timeout 60
  at_most "bytes that stopping and sharing anew add" 50000 $(($(cloud_bytes) - before))
  expect '.participants | length == 1' ana share participants "$work/ana/Trip"
  rm -rf "$work/bob/Trip"
  join bob read-write
  eventually cmp "$work/ana/Trip/large" "$work/bob/Trip/large"
  expect '.zones | length == 1' ana zones
}

row 65 'who leaves with a copy has one of their own, which later edits do not reach'
row_65() {
  sharing read-write bob
  echo before >"$work/ana/Trip/file"
  settle ana bob
  local record
  record=$(entry bob Trip/file .record)
  bob share leave "$work/bob/Trip" --keep-copy
  reads "$work/bob/Trip/file" before || fail "the copy must be there"
  echo after >"$work/ana/Trip/file"
  echo new >"$work/ana/Trip/new"
  settle ana bob
  reads "$work/bob/Trip/file" before || fail "the edit must not reach the copy"
  is_gone "$work/bob/Trip/new"
  expect '.shares == []' bob share list
  if holds '.mounts | length == 1' bob status; then
    [ "$(entry bob Trip/file .record)" != "$record" ] || fail "the copy must have ids of its own"
  fi
}

row 66 'purge: by the owner for everybody, by a participant for themself'
row_66() {
  sharing read-write bob cleo
  echo x >"$work/ana/Trip/x"
  settle ana bob cleo
  bob purge "$work/bob/Trip" --yes
  eventually is_gone "$work/bob/Trip/x"
  reads "$work/ana/Trip/x" x || fail "the owner's files must stay"
  reads "$work/cleo/Trip/x" x || fail "the others' files must stay"
  ana purge "$work/ana/Trip" --yes
  eventually is_gone "$work/cleo/Trip/x"
  eventually is_gone "$work/ana/Trip/x"
  eventually holds '.zones == []' ana zones
  eventually holds '.zones == []' cleo zones
}

row 67 'what was not sent when one leaves is rescued first'
row_67() {
  sharing read-write bob
  echo x >"$work/ana/Trip/x"
  settle ana bob
  hide_cloud
  echo "unsent words" >"$work/bob/Trip/unsent"
  eventually holds '.mounts[0].phase == "offline"' bob status
  show_cloud
  ana share remove "$work/ana/Trip" bob
  eventually is_gone "$work/bob/Trip/x"
  eventually grep -rqF "unsent words" "$work/bob" --include='*unsent*'
}

row 68 'one script does all five steps without a prompt'
row_68() {
  people ana bob
  mkdir "$work/ana/Trip"
  local share link
  share=$(value .share.id ana share create "$work/ana/Trip")
  link=$(value .link ana share invite "$share" bob --permission read-write)
  bob share accept "$link" --at "$work/bob/Trip" --wait
  ana share set-permission "$share" bob read-only
  ana share remove "$share" bob
  ana share stop "$share"
}

row 69 'the link is one line that a program can take; there is a QR code'
row_69() {
  people ana bob
  mkdir "$work/ana/Trip"
  ana share create "$work/ana/Trip" >/dev/null
  same "lines of invite --print-link" 1 \
    "$(ana share invite "$work/ana/Trip" bob --print-link | grep -c '^cairn:share/')"
  same "lines in all" 1 "$(ana share invite "$work/ana/Trip" bob --print-link | wc -l)"
  ana share set-public "$work/ana/Trip" read-only --yes
  same "lines of share link" 1 "$(ana share link "$work/ana/Trip" | wc -l)"
  (($(ana share link "$work/ana/Trip" --qr | wc -l) > 15)) || fail "there must be a QR code"
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
  # A bucket is on a network; to it there may be connections, and to nobody else.
  local but
  printf -v but ':%04X' "${bucket_port:-0}"
  same "sockets of the internet" "" \
    "$(awk -v but="$but" 'FNR > 1 && substr($3, length($3) - 4) != but { print $10 }' \
      /proc/net/tcp /proc/net/tcp6 /proc/net/udp /proc/net/udp6 2>/dev/null |
      sort | comm -12 - <(echo "$found"))"
  # Root without any of its capabilities is a user like others.
  local plain=()
  ((EUID > 0)) || plain=(setpriv --bounding-set=-all --inh-caps=-all --no-new-privs)
  ana stop
  CAIRN_HOME=$work/ana/home "${plain[@]}" "$binaries/cairn" start 9>&-
  same "capabilities" "0000000000000000" "$(awk '/^CapEff/ { print $2 }' "/proc/$(daemon ana)/status")"
  echo on >"$work/ana/Trip/file"
  ana wait --timeout 60
}
