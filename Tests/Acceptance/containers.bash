# Rows 1 to 11: containers, accounts, databases. Sourced by `run`.

row 1 'containers never mix, and a link for another one says so'
row_1() {
  as eve init --container "$work/ONE" --name Eve --handle eve >/dev/null
  sharing read-write bob
  refute test "$work/cloud" -ef "$work/ONE"
  printf 'only here' >"$work/ana/Trip/file"
  settle ana bob
  expect '.shares == []' eve share list
  expect '[.users[].handle] == ["eve"]' eve user list
  local link id
  link=$(value .share.link ana share show "$work/ana/Trip")
  expect_status badContainer eve share accept "$link" --at "$work/eve/Trip"
  id=$(value .container.id ana status)
  said eve share accept "$link" --at "$work/eve/Trip" | grep -qF "$id" ||
    fail "the message must name the container"
  is_gone "$work/eve/Trip"
}
eve() { as eve "$@"; }

row 2 'what is private is invisible to others, and to the host'
row_2() {
  people ana bob
  mkdir -p "$work/ana/Mine/Guadalquivir-notes"
  printf 'the Popocatepetl smokes' >"$work/ana/Mine/Guadalquivir-notes/Yggdrasil.txt"
  ana add "$work/ana/Mine"
  ana wait --timeout 60
  expect_status unknownItem bob ls "$work/ana/Mine"
  expect_status unknownItem bob share show "$(zone_of ana "$work/ana/Mine")"
  expect '.shares == []' bob share list
  local word
  for word in Guadalquivir Yggdrasil Popocatepetl; do
    grep -rqF "$word" "$work/ana/Mine" || ls -R "$work/ana/Mine" | grep -qF "$word"
    refute cloud_shows "$word"
  done
}

row 3 'the shared database is a lens: one copy, the same records, no zones of its own'
row_3() {
  sharing read-write bob
  noise 300000 >"$work/ana/Trip/large"
  settle ana bob
  local before after record sequence
  record=$(entry ana Trip/large .record)
  sequence=$(entry ana Trip/large .sequence)
  same "the record id" "$record" "$(entry bob Trip/large .record)"
  before=$(cloud_bytes)
  noise 200000 8 >"$work/bob/Trip/large"
  settle bob ana
  after=$(cloud_bytes)
  same "the record id after bob's edit" "$record" "$(entry ana Trip/large .record)"
  (($(entry ana Trip/large .sequence) > sequence)) || fail "the change tag must be a new one"
  (($(cloud_bytes) >= before + 200000)) || fail "the edit isn't in the container"
  at_most "bytes that one edit of 200000 bytes adds" 330000 $((after - before))
  expect_status permissionFailure bob share create "$work/bob/Trip"
  mkdir "$work/bob/Trip/sub"
  bob wait --timeout 60
  expect_status alreadyShared bob add "$work/bob/Trip/sub"
}

# One field of a name in somebody's folder, as `cairn ls` has it.
entry() { # WHO PATH FIELD
  value ".entries[] | select(.path == \"$work/$1/$2\") | $3" "$1" ls "$work/$1/$(dirname "$2")"
}

row 4 'the public database: read without an account, written with one, no zones of its own'
row_4() {
  people ana
  anonymous eve
  echo hello >"$work/hello"
  expect_status notAuthenticated eve public put "$work/hello" --as hello
  ana public put "$work/hello" --as hello
  same "what everybody reads" hello "$(eve public get ana/hello --output -)"
  expect_status badDatabase ana share create "$(public_folder ana)"
  expect_status notAuthenticated eve share invitations
}

# A home without an account.
anonymous() { # NAME
  as "$1" init --container "$(place)" --anonymous >/dev/null
}

# A mirror of what somebody publishes; of the person's own without an author.
public_folder() { # WHO [AUTHOR]
  as "$1" public mount "$work/$1/Public" ${2:+--author "$2"} --wait >/dev/null
  echo "$work/$1/Public"
}

row 5 'two people share with each other; each folder is in the right database'
row_5() {
  sharing read-write bob
  mkdir "$work/bob/Back"
  bob share create "$work/bob/Back" >/dev/null
  local link
  link=$(bob share invite "$work/bob/Back" ana | tail -n 1)
  ana share accept "$link" --at "$work/ana/Back" --wait
  echo there >"$work/ana/Trip/there"
  echo back >"$work/bob/Back/back"
  settle ana bob
  reads "$work/bob/Trip/there" there || fail "Trip must be at bob's"
  reads "$work/ana/Back/back" back || fail "Back must be at ana's"
  expect '[.mounts[] | [.title, .scope]] | sort == [["Back", "shared"], ["Trip", "private"]]' \
    ana status
  expect '[.mounts[] | [.title, .scope]] | sort == [["Back", "private"], ["Trip", "shared"]]' \
    bob status
  expect '[.entries[].path | split("/")[-1]] == ["there"]' ana ls --scope private
  expect '[.entries[].path | split("/")[-1]] == ["back"]' ana ls --scope shared
}

row 6 'without an identity nothing works and nothing is lost; with it all goes on'
row_6() {
  sharing read-write bob
  echo kept >"$work/bob/Trip/kept"
  settle bob ana
  local link
  mkdir "$work/ana/Other"
  ana share create "$work/ana/Other" >/dev/null
  link=$(ana share invite "$work/ana/Other" bob | tail -n 1)
  bob stop
  mv "$work/bob/home/keys" "$work/keys-away"
  expect_status notAuthenticated bob share accept "$link" --at "$work/bob/Other"
  expect_status notAuthenticated bob share invite "$work/bob/Trip" ana
  expect_status notAuthenticated bob add "$work/bob/Trip"
  reads "$work/bob/Trip/kept" kept || fail "local files must stay"
  echo "written meanwhile" >"$work/bob/Trip/meanwhile"
  rm -rf "$work/bob/home/keys"
  mv "$work/keys-away" "$work/bob/home/keys"
  bob start
  settle bob ana
  reads "$work/ana/Trip/meanwhile" "written meanwhile" || fail "what was written meanwhile must go"
  bob share accept "$link" --at "$work/bob/Other" --wait
}

row 7 'the database is private where nothing else is said; status tells which'
row_7() {
  sharing read-write bob
  mkdir "$work/bob/Own"
  bob add "$work/bob/Own"
  expect '[.mounts[] | [.title, .scope]] | sort == [["Own", "private"], ["Trip", "shared"]]' \
    bob status
  local scope
  for scope in private shared public; do
    is_there "$work/bob/home/index/$scope.sqlite" || fail "no index of the $scope database"
  done
}

row 8 'at the limit the one write waits, others go on, and it goes by itself when there is room'
row_8() {
  sharing read-write bob
  ana quota "$work/ana/Trip" --limit 1M
  noise 2000000 >"$work/bob/Trip/large"
  echo small >"$work/bob/Trip/small"
  eventually reads "$work/ana/Trip/small" small
  eventually holds '.mounts[0].problems | any(.code == "quotaExceeded" and
    (.path | endswith("/large")) and (.message + .remedy | test("[Aa]na")))' bob status
  is_gone "$work/ana/Trip/large"
  ana quota "$work/ana/Trip" --limit 10M
  eventually cmp "$work/bob/Trip/large" "$work/ana/Trip/large"
  eventually holds '.mounts[0].problems == []' bob status
}

row 9 'quota says what is used and what is allowed, and that is what is there'
row_9() {
  sharing read-write bob
  noise 500000 >"$work/ana/Trip/a"
  noise 250000 9 >"$work/bob/Trip/b"
  settle ana bob
  ana quota "$work/ana/Trip" --limit 2M
  expect '[.. | objects | select(has("limit")) | [.used, .limit]] == [[750000, 2000000]]' \
    ana quota "$work/ana/Trip"
  local packs
  packs=$(value '[.users[].bytes] | add' ana inspect)
  ((packs >= 750000)) || fail "the content isn't in the container"
  at_most "bytes of packs for 750000 bytes of content" 900000 "$packs"
  # What is public is told for whoever put it there, and of all.
  expect '.publicFiles == null' ana quota
  noise 100000 11 >"$work/ana/page"
  noise 30000 12 >"$work/bob/page"
  ana public put "$work/ana/page" --as ana-page
  bob public put "$work/bob/page" --as bob-page
  expect '.publicFiles == {used: 100000, everybody: 130000}' ana quota
  expect '.publicFiles == {used: 30000, everybody: 130000}' bob quota
  # All that stands in the owner's folder of the container is theirs, and nothing else is.
  local owner
  owner=$(value '.account.user' ana status)
  same "what ana takes, by quota and by the disk" \
    "$(cd "$work/cloud/users/$owner" && find packs public zones -type f -printf '%s\n' | awk '{ sum += $1 } END { print sum }')" \
    "$(value '.stored' ana quota)"
}

row 10 'with the container and no keys: neither names nor sizes nor contents'
row_10() {
  sharing read-write bob
  mkdir "$work/ana/Trip/Guadalquivir"
  printf 'Popocatepetl' >"$work/ana/Trip/Guadalquivir/small"
  noise 123457 >"$work/ana/Trip/Yggdrasil"
  settle ana bob
  as eve init --container "$(place)" --name Eve --handle eve >/dev/null
  expect '.shares == []' eve share list
  local word
  for word in Guadalquivir Popocatepetl Yggdrasil Trip; do refute cloud_shows "$word"; done
  same "objects as large as a file" "" "$(find "$work/cloud" -type f -size 123457c)"
  # Content that doesn't compress shows in nothing either.
  head -c 24 "$work/ana/Trip/Yggdrasil" >"$work/piece"
  refute grep -rqaFf "$work/piece" "$work/cloud"
}

row 11 'a second daemon on one home refuses, and harms nothing'
row_11() {
  people ana
  mkdir "$work/ana/Trip"
  ana share create "$work/ana/Trip"
  local status=0 message
  message=$(CAIRN_HOME=$work/ana/home timeout 30 "$binaries/cairnd" 2>&1) || status=$?
  same "the second daemon's exit status" "$(status_of alreadyRunning)" "$status"
  [ -n "$message" ] || fail "it must say why"
  echo on >"$work/ana/Trip/file"
  ana wait --timeout 60
  ana verify
}
