# Rows 22 to 34: shares, relations, what is shared. Sourced by `run`.

row 22 'share show has zone, owner, participants, public permission, title and link'
row_22() {
  sharing read-only bob
  heard ana
  expect '.share | (.id | length) == 64 and .title == "Trip" and .owner.handle == "ana" and
    .publicPermission == "none" and (.link | startswith("cairn:share/"))' \
    ana share show "$work/ana/Trip"
  expect '[.share.participants[] | [.handle, .role, .permission, .acceptance, (.user | length)]] ==
    [["ana", "owner", "read-write", "accepted", 64], ["bob", "participant", "read-only", "accepted", 64]]' \
    ana share show "$work/ana/Trip"
}

row 23 'two folders become one share, which is accepted once'
row_23() {
  two_in_one
  reads "$work/bob/Both/photos/p" p || fail "the first folder"
  reads "$work/bob/Both/notes/n" n || fail "the second folder"
  expect '.shares | length == 1' bob share list
  # What Bob puts beside them is in no folder of Ana's: she is told, and can have one.
  echo beside >"$work/bob/Both/beside"
  settle bob ana
  expect '[.mounts[].problems[].message] | length == 1 and (.[0] | contains("beside"))' ana status
  ana add "$work/ana/rest" --zone "$(zone_of ana "$work/ana/photos")"
  settle ana bob
  reads "$work/ana/rest/beside" beside || fail "what stands beside the folders"
  same "names there" beside "$(ls "$work/ana/rest")"
  expect '[.mounts[].problems[]] == []' ana status
  inside_of_a_mirror
}

# Two folders, and two files, that stand in one mirrored folder, together.
inside_of_a_mirror() {
  mkdir -p "$work/ana/M/lib" "$work/ana/M/letters"
  for name in lib/p1.jpg lib/p2.jpg letters/l mine; do echo "$name" >"$work/ana/M/$name"; done
  ana add "$work/ana/M"
  settle ana
  local stored inode
  stored=$(packs) inode=$(stat -c %i "$work/ana/M/lib/p1.jpg")
  ana share create "$work/ana/M/letters" "$work/ana/M/lib/p1.jpg" "$work/ana/M/lib/p2.jpg" \
    --title Parts >/dev/null
  bob share accept "$(ana share invite "$(share_at "$work/ana/M/letters")" bob | tail -n 1)" \
    --at "$work/bob/Parts" --wait
  same "names at Bob's" 'letters p1.jpg p2.jpg' "$(ls "$work/bob/Parts" | paste -sd' ')"
  same "packs after that" "$stored" "$(packs)"
  same "the inode at Ana's" "$inode" "$(stat -c %i "$work/ana/M/lib/p1.jpg")"
  echo bob >"$work/bob/Parts/p1.jpg"
  eventually reads "$work/ana/M/lib/p1.jpg" bob
  echo ana >"$work/ana/M/letters/l"
  eventually reads "$work/bob/Parts/letters/l" ana
  expect_status invalidArguments ana share stop "$work/ana/M/lib/p2.jpg"
  ana share stop "$(share_at "$work/ana/M/lib/p2.jpg")"
  settle ana bob
  [ ! -e "$work/bob/Parts/letters" ] || fail "Bob still has it"
  same "files at Ana's" 4 "$(find "$work/ana/M" -type f -not -path '*/.cairn*' | wc -l)"
  expect '[.entries[].path] | length == 6' ana ls --recursive "$work/ana/M"
}

# The id of the share of Ana's that a path is in.
share_at() { value .share.id ana share show "$1"; }

packs() { find "$(cloud)" -path '*/packs/*' -type f | sort | cksum; }

# Ana shares the folders photos and notes with Bob as one, `Both`.
two_in_one() {
  people ana bob
  mkdir "$work/ana/photos" "$work/ana/notes"
  echo p >"$work/ana/photos/p"
  echo n >"$work/ana/notes/n"
  ana share create "$work/ana/photos" "$work/ana/notes" --title Both >/dev/null
  bob share accept "$(ana share invite "$(share_at "$work/ana/photos")" bob | tail -n 1)" \
    --at "$work/bob/Both" --wait
  settle ana bob
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
  listening ana bob cleo
  local round times=()
  for round in 1 2 3 4 5 6 7; do
    times+=("$(edit_reaches ana bob cleo "$round")" "$(edit_reaches bob ana cleo "$round")")
  done
  same_tree "$work/ana/Trip" "$work/cleo/Trip" 2
  printf '%s\n' "${times[@]}" >&9
  at_most "microseconds from an edit to both others, the median" \
    $((${edit_reaches_within:-50000} * slack)) \
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

row 26 'a folder added to a share is at who has accepted, without accepting again'
row_26() {
  two_in_one
  mkdir "$work/ana/maps"
  echo m >"$work/ana/maps/m"
  ana share add "$work/ana/photos" "$work/ana/maps"
  eventually reads "$work/bob/Both/maps/m" m
  echo back >"$work/bob/Both/maps/back"
  eventually reads "$work/ana/maps/back" back
  # What stands in a mirrored folder goes into the share from there, and stays.
  mkdir -p "$work/ana/M/lib"
  for name in p2.jpg p3.jpg; do echo "$name" >"$work/ana/M/lib/$name"; done
  ana add "$work/ana/M"
  settle ana
  ana share add "$work/ana/photos" "$work/ana/M/lib/p2.jpg"
  eventually reads "$work/bob/Both/p2.jpg" p2.jpg
  echo bob >"$work/bob/Both/p2.jpg"
  eventually reads "$work/ana/M/lib/p2.jpg" bob
  settle ana bob
  [ ! -e "$work/bob/Both/p3.jpg" ] || fail "what is beside it went along"
  expect '[.mounts[].problems[]] == []' ana status
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
  quietly ana share create "$work/ana/Trip" &
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

row 29 'a move between two shares keeps the record id; without the right it is undone'
row_29() {
  sharing read-write bob
  mkdir "$work/ana/Other"
  ana share create "$work/ana/Other" >/dev/null
  bob share accept "$(ana share invite "$work/ana/Other" bob --permission read-only | tail -n 1)" \
    --at "$work/bob/Other" --wait
  echo moves >"$work/ana/Trip/moves"
  echo stays >"$work/ana/Trip/stays"
  settle ana bob
  local before
  before=$(entry ana Trip/moves .record)
  mv "$work/ana/Trip/moves" "$work/ana/Other/"
  settle ana bob
  reads "$work/bob/Other/moves" moves || fail "it must be in the other share"
  is_gone "$work/bob/Trip/moves"
  [ "$(entry ana Other/moves .record)" = "$before" ] || fail "it must keep its record id"
  chmod u+w "$work/bob/Other"
  mv "$work/bob/Trip/stays" "$work/bob/Other/"
  eventually reads "$work/bob/Trip/stays" stays
  settle bob ana
  is_gone "$work/bob/Other/stays"
  reads "$work/ana/Trip/stays" stays || fail "it must stay in the share"
  is_gone "$work/ana/Other/stays"
}

row 30 'a link that leaves the share is shared as a link, with a warning'
row_30() {
  people ana
  echo secret >"$work/ana/target"
  mkdir "$work/ana/Trip"
  ln -s ../target "$work/ana/Trip/link"
  sharing read-write bob
  settle ana bob
  same "the link's target" ../target "$(readlink "$work/bob/Trip/link")"
  is_gone "$work/bob/target"
  expect '.mounts[0].problems | any(.path | endswith("/link"))' ana status
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
    $(($(answer_time ana share create "$work/ana/Trip") / 1000))
  mkdir "$work/ana/Large"
  for file in {1..10000}; do : >"$work/ana/Large/$file"; done
  ana share create "$work/ana/Large" >/dev/null &
  for file in {1..9}; do times+=("$(answer_time ana status)"); done
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
