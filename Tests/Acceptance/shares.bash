# Rows 22 to 34: shares, relations, what is shared. Sourced by `run`.

row 22 'share show has zone, owner, participants, public permission, title and link'
row_22() {
  sharing read-only bob
  expect '.share | (.id | length) == 64 and .title == "Trip" and .owner.handle == "ana" and
    .publicPermission == "none" and (.link | startswith("cairn:share/"))' \
    ana share show "$work/ana/Trip"
  expect '[.share.participants[] | [.handle, .role, .permission, .acceptance, (.user | length)]] ==
    [["ana", "owner", "readWrite", "accepted", 64], ["bob", "privateUser", "readOnly", "accepted", 64]]' \
    ana share show "$work/ana/Trip"
}

row 24 'nested and empty directories, empty files, executable bits and links are all shared'
row_24() {
  people ana
  mkdir -p "$work/ana/Trip/1/2/3/4/5/6" "$work/ana/Trip/empty/inner"
  : >"$work/ana/Trip/1/zero"
  echo deep >"$work/ana/Trip/1/2/3/4/5/6/deep"
  printf '#!/bin/sh\n' >"$work/ana/Trip/1/2/run"
  chmod 755 "$work/ana/Trip/1/2/run"
  ln -s 1/2/run "$work/ana/Trip/link"
  touch -d '2001-02-03 04:05:06.789012345' "$work/ana/Trip/1/zero"
  sharing read-write bob
  same_tree "$work/ana/Trip" "$work/bob/Trip" 12
  [ -x "$work/bob/Trip/1/2/run" ] && [ -d "$work/bob/Trip/empty/inner" ]
  same "the link's target" 1/2/run "$(readlink "$work/bob/Trip/link")"
}

row 25 'an edit by anybody is at everybody within 50 ms'
row_25() {
  sharing read-write bob cleo
  local round times=()
  for round in 1 2 3 4 5 6 7; do
    times+=("$(edit_reaches ana bob cleo "$round")" "$(edit_reaches bob ana cleo "$round")")
  done
  same_tree "$work/ana/Trip" "$work/cleo/Trip" 2
  printf '%s\n' "${times[@]}" >&9
  at_most "microseconds from an edit to both others, the median" $((50000 * slack)) \
    "$(printf '%s\n' "${times[@]}" | median)"
}

# The microseconds until one person's edit is at two others.
edit_reaches() { # WHO OTHER THIRD TEXT
  local start=${EPOCHREALTIME/[.,]/}
  echo "$4" >"$work/$1/Trip/by-$1"
  until reads "$work/$2/Trip/by-$1" "$4" && reads "$work/$3/Trip/by-$1" "$4"; do
    ((${EPOCHREALTIME/[.,]/} - start < patience * 1000000)) || fail "the edit never came"
  done
  echo $((${EPOCHREALTIME/[.,]/} - start))
}

row 27 'share show of any path in it gives the same share to owner and participant'
row_27() {
  sharing read-write bob
  mkdir "$work/ana/Trip/d"
  echo x >"$work/ana/Trip/d/x"
  settle ana bob
  same "the share's id" "$(value .share.id ana share show "$work/ana/Trip/d/x")" \
    "$(value .share.id bob share show "$work/bob/Trip/d/x")"
  same "its owner, for bob" ana "$(value .share.owner.handle bob share show "$work/bob/Trip/d")"
}

row 28 'a daemon killed while it makes a share leaves a whole share or none'
row_28() {
  people ana bob
  mkdir "$work/ana/Trip"
  for file in {1..300}; do echo "$file" >"$work/ana/Trip/$file"; done
  ana start
  ana share create "$work/ana/Trip" >/dev/null &
  cut_power ana
  wait $! || true
  local first
  first=$(value .share.id ana share create "$work/ana/Trip")
  same "shares" 1 "$(value '.shares | length' ana share list)"
  same "the share after that" "$first" "$(value '.shares[0].id' ana share list)"
  join bob read-write
  settle ana bob
  same_tree "$work/ana/Trip" "$work/bob/Trip" 300
}

row 31 'a share has a title, which the invited see before they accept, and nobody else'
row_31() {
  people ana bob cleo
  mkdir "$work/ana/Trip"
  expect_status invalidArguments ana share create "$work/ana/Trip" --title ''
  same "shares" 0 "$(value '.shares | length' ana share list)"
  ana share create "$work/ana/Trip" --title 'Zugspitze in May'
  ana share invite "$work/ana/Trip" bob
  same "what bob sees" 'Zugspitze in May' "$(value '.invitations[].title' bob share invitations)"
  expect '.invitations == []' cleo share invitations
  expect '.shares == []' cleo share list
  refute cloud_shows Zugspitze
}

row 32 'sharing what is shared answers the same share, link and people'
row_32() {
  sharing read-only bob
  local before after
  before=$(value '.share | del(.path)' ana share show "$work/ana/Trip")
  expect '.created == false' ana share create "$work/ana/Trip"
  after=$(value '.share | del(.path)' ana share create "$work/ana/Trip")
  same "the share" "$before" "$after"
}

row 33 'sharing 1000 mirrored files takes less than 100 ms, and status answers meanwhile'
row_33() {
  people ana
  local file times=()
  mkdir "$work/ana/Trip"
  for file in {1..1000}; do echo "$file" >"$work/ana/Trip/$file"; done
  ana add "$work/ana/Trip"
  ana wait --timeout 60
  at_most "milliseconds of share create" $((100 * slack)) \
    $(($(microseconds ana share create "$work/ana/Trip") / 1000))
  mkdir "$work/ana/Large"
  for file in {1..10000}; do : >"$work/ana/Large/$file"; done
  ana share create "$work/ana/Large" >/dev/null &
  for file in {1..9}; do times+=("$(microseconds ana status)"); done
  wait $!
  at_most "microseconds of status meanwhile, the median" $((20000 * slack)) \
    "$(printf '%s\n' "${times[@]}" | median)"
}

row 34 'a folder in or around a share is refused as alreadyShared, and nothing changes'
row_34() {
  people ana
  mkdir -p "$work/ana/Outer/Trip/inner"
  ana share create "$work/ana/Outer/Trip"
  ana wait --timeout 60
  expect_status alreadyShared ana share create "$work/ana/Outer/Trip/inner"
  expect_status alreadyShared ana share create "$work/ana/Outer"
  same "shares" 1 "$(value '.shares | length' ana share list)"
}
