# D1 to D13, what was decided where CloudKit's documents disagree, or where there is no server to do
# it; and errors, limits, administrators, requests. Sourced by `run`.

row D1 'named people to anyone with the link and back (row 37)'
row_D1() { row_37; }

row D2 'the owner pays: a participant at the owner'"'"'s limit is told whose it is (row 8)'
row_D2() { row_8; }

row D3 'the public database has a log of changes, and polling where nothing notifies (rows 98, 99)'
row_D3() {
  row_98
  eve stop
  rm -rf "$work/eve" "$work/ana/Public/.none"
  anonymous eve
  sed -i 's/^notifies = .*/notifies = false/; s/^poll-seconds = .*/poll-seconds = 1/' \
    "$work/eve/home/cairn.conf"
  public_folder eve ana >/dev/null
  echo 2 >"$work/ana/Public/polled"
  within 3000 reads "$work/eve/Public/polled" 2
}

row D4 'more folders into a share that exists (row 26)'
row_D4() { row_26; }

row D5 'all seven known issues are tested (K1 to K7)'
row_D5() {
  local issue
  for issue in K1 K2 K3 K4 K5 K6 K7; do [[ -v title[$issue] ]] || fail "$issue isn't tested"; done
}

row D6 'what its owner erased is wiped for good; what was lost with its keys is sent again'
row_D6() {
  sharing read-write bob
  noise 300000 >"$work/ana/Trip/x"
  settle ana bob
  bob stop
  [ -n "$(find "$work/cloud/users" -path '*/packs/*' -type f)" ]
  ana purge "$work/ana/Trip" --yes
  eventually holds '.zones == []' ana zones
  bob start
  eventually is_gone "$work/bob/Trip/x"
  eventually holds '.zones == []' bob zones
  # The log stays for a while, so that everybody learns of it; the content doesn't.
  same "packs" "" "$(find "$work/cloud/users" -path '*/packs/*' -type f)"
  lost_keys
}

# Whose keys are lost loses no file: what is theirs goes out anew, what is others' is taken up again.
lost_keys() {
  local which link
  people cleo
  mkdir "$work/ana/Own" "$work/cleo/Hers"
  echo own >"$work/ana/Own/file"
  echo hers >"$work/cleo/Hers/file"
  ana share create "$work/ana/Own" >/dev/null
  cleo share create "$work/cleo/Hers" >/dev/null
  ana share accept "$(cleo share invite "$work/cleo/Hers" ana | tail -n 1)" \
    --at "$work/ana/Hers" --wait
  settle ana cleo
  ana stop
  rm -r "$work/ana/home/keys"
  expect_status notAuthenticated ana status
  echo unsent >"$work/ana/Hers/unsent"
  expect_status alreadyExists ana init --container "$(place)" --name Ana --handle new
  mv "$work/ana/home" "$work/ana/old"
  ana init --container "$(place)" --name Ana --handle new
  for which in Own Hers; do expect_status alreadyMirrored ana add "$work/ana/$which"; done
  expect_status alreadyMirrored ana share create "$work/ana/Own"
  ana add "$work/ana/Own" --anew
  ana share create "$work/ana/Own" >/dev/null
  link=$(cleo share invite "$work/cleo/Hers" new | tail -n 1)
  ana share accept "$link" --at "$work/ana/Hers" --wait
  settle ana cleo
  reads "$work/cleo/Hers/unsent" unsent || fail "what wasn't sent must go"
  bob share accept "$(ana share invite "$work/ana/Own" bob | tail -n 1)" --at "$work/bob/Own" --wait
  reads "$work/bob/Own/file" own || fail "what was mine must be mine again"
  no_conflicts "$work/ana" "$work/cleo"
}

row D7 'many changes at once are split by themselves'
row_D7() {
  sharing read-write bob
  local file
  mkdir "$work/new"
  for file in {1..3000}; do : >"$work/new/$file"; done
  mv "$work/new" "$work/ana/Trip/new"
  settle ana bob
  same "files" 3000 "$(find "$work/bob/Trip/new" -type f | wc -l)"
  expect '.mounts[0].problems == []' ana status
}

row D8 'deleting the root of an accepted share is leaving it, never deleting the owner'"'"'s files'
row_D8() {
  sharing read-write bob
  echo x >"$work/ana/Trip/x"
  settle ana bob
  rm -rf "$work/bob/Trip"
  eventually holds '.shares == []' bob share list
  eventually holds '[.participants[].handle] == ["ana"]' ana share participants "$work/ana/Trip"
  reads "$work/ana/Trip/x" x || fail "the owner's files must stay"
}

row D9 'what the container'"'"'s host destroys is noticed and named'
row_D9() {
  sharing read-write bob
  noise 400000 >"$work/ana/Trip/large"
  settle ana bob
  bob verify
  local pack
  pack=$(find "$work/cloud/users" -path '*/packs/*' -type f | head -n 1)
  chmod u+w "$pack"
  printf 'damage' | dd of="$pack" bs=1 seek=1000 conv=notrunc status=none
  local status=0
  bob verify >"$work/verified" || status=$?
  same "the exit status of verify" "$(status_of assetNotAvailable)" "$status"
  grep -qF "$(basename "$pack")" "$work/verified" || fail "the object must be named"
  cmp "$work/ana/Trip/large" "$work/bob/Trip/large"
}

row D10 'invitations and links are accepted while the owner is away'
row_D10() {
  people ana bob cleo
  mkdir "$work/ana/Trip"
  echo x >"$work/ana/Trip/x"
  ana share create "$work/ana/Trip" >/dev/null
  ana wait --timeout 60
  local named once
  named=$(ana share invite "$work/ana/Trip" bob | tail -n 1)
  once=$(ana share invite "$work/ana/Trip" --link | tail -n 1)
  ana stop
  bob share accept "$named" --at "$work/bob/Trip" --wait
  cleo share accept "$once" --at "$work/cleo/Trip" --wait
  reads "$work/bob/Trip/x" x && reads "$work/cleo/Trip/x" x
}

row D11 'the locator stays, and narrowing access kills the old link'
row_D11() {
  people ana bob cleo
  mkdir "$work/ana/Trip"
  local locator old new
  locator=$(ana share create "$work/ana/Trip" | tail -n 1)
  ana share set-public "$work/ana/Trip" read-write --yes
  old=$(ana share link "$work/ana/Trip" | tail -n 1)
  bob share accept "$old" --at "$work/bob/Trip" --wait
  ana share remove "$work/ana/Trip" bob
  expect_status permissionFailure cleo share accept "$old" --at "$work/cleo/Trip"
  new=$(ana share link "$work/ana/Trip" | tail -n 1)
  [ "$old" != "$new" ] || fail "the secret must be another one"
  same "the locator" "${old%%#*}" "${new%%#*}"
  cleo share accept "$new" --at "$work/cleo/Trip" --wait
  ana share set-public "$work/ana/Trip" none --yes
  same "the locator after all" "$locator" "$(ana share create "$work/ana/Trip" | tail -n 1)"
}

row D12 'a removal raises the key epoch; what comes later the removed can not read'
row_D12() {
  sharing read-write bob cleo
  echo before >"$work/ana/Trip/before"
  settle ana bob cleo
  local epoch keys
  epoch=$(value '.zones[0].epoch' ana zones)
  ana share remove "$work/ana/Trip" bob
  same "the epoch" $((epoch + 1)) "$(value '.zones[0].epoch' ana zones)"
  echo "after the removal" >"$work/ana/Trip/after"
  settle ana cleo
  reads "$work/cleo/Trip/after" "after the removal" || fail "the others read on"
  keys=$(sql bob shared "SELECT max(epoch) FROM zone_key" || true)
  at_most "the last epoch whose key bob has" "$epoch" "${keys:-0}"
}

row D13 'one copy in the container, whoever shares it (row 3)'
row_D13() { row_3; }

row E1 'each error has one name, one number and one page (cairn-errors)'
row_E1() {
  people ana
  local code
  for code in unknownItem:share\ show\ /etc invalidArguments:share\ accept\ cairn:share/ \
    unknownItem:ls\ /etc alreadyExists:init\ --container\ /tmp/x\ --name\ A\ --handle\ a; do
    # shellcheck disable=SC2086
    expect_status "${code%%:*}" ana ${code#*:}
  done
  same "a mistake in the arguments" 64 "$(ana share invite 2>/dev/null >&2 || echo $?)"
}

row L1 'a share takes a hundred participants; the next is refused and the list stays'
row_L1() {
  people ana
  mkdir "$work/ana/Trip"
  ana share create "$work/ana/Trip" >/dev/null
  local number handles=()
  for number in {1..101}; do
    as "p$number" init --container "$(place)" --name P --handle "p$number" >/dev/null &
    handles+=("p$number")
    ((number % 8)) || wait
  done
  wait
  expect_status tooManyParticipants ana share invite "$work/ana/Trip" "${handles[@]}"
  expect '.participants | length == 1' ana share participants "$work/ana/Trip"
  ana share invite "$work/ana/Trip" "${handles[@]:0:100}" >/dev/null
  expect_status tooManyParticipants ana share invite "$work/ana/Trip" p101
  expect '.participants | length == 101' ana share participants "$work/ana/Trip"
}

row L2 'a one-time link lets in one person, the first in the log'
row_L2() {
  people ana bob cleo
  mkdir "$work/ana/Trip"
  ana share create "$work/ana/Trip" >/dev/null
  local link won=0
  link=$(ana share invite "$work/ana/Trip" --link --print-link)
  bob share accept "$link" --at "$work/bob/Trip" --wait >"$work/b" 2>&1 & local first=$!
  cleo share accept "$link" --at "$work/cleo/Trip" --wait >"$work/c" 2>&1 & local second=$!
  wait $first && won=$((won + 1))
  wait $second && won=$((won + 1))
  same "how many got in" 1 "$won"
  expect '.participants | length == 2' ana share participants "$work/ana/Trip"
}

row L3 'an administrator manages people, and never the owner'
row_L3() {
  sharing read-write bob
  people cleo
  ana share set-role "$work/ana/Trip" bob administrator
  eventually participant_is bob "$work/bob/Trip" bob '.role == "administrator"'
  bob share invite "$work/bob/Trip" cleo --permission read-only >/dev/null
  bob share set-permission "$work/bob/Trip" cleo read-write
  expect_status permissionFailure bob share set-role "$work/bob/Trip" cleo administrator
  refute bob share remove "$work/bob/Trip" ana
  bob share remove "$work/bob/Trip" cleo
}

row L4 'access is asked for, approved, denied and blocked; without requests nobody learns anything'
row_L4() {
  people ana bob cleo
  mkdir "$work/ana/Trip"
  local locator
  locator=$(ana share create "$work/ana/Trip" | tail -n 1)
  said bob share request "$locator" >&9
  ana share set-requests "$work/ana/Trip" on
  bob share request "$locator" --message "it's me"
  eventually holds '.requests | length >= 1' ana share requests
  ana share approve "$work/ana/Trip" bob --permission read-only >/dev/null
  eventually holds '[.invitations[].title] == ["Trip"]' bob share invitations
  ana share block "$work/ana/Trip" bob
  expect '.participants | length == 1' ana share participants "$work/ana/Trip"
  refute ana share invite "$work/ana/Trip" bob
  ana share unblock "$work/ana/Trip" bob
  ana share invite "$work/ana/Trip" bob >/dev/null
}

row L5 'a new owner takes over with all that is in it'
row_L5() {
  sharing read-write bob
  echo x >"$work/ana/Trip/x"
  settle ana bob
  ana share transfer "$work/ana/Trip" bob
  settle ana bob
  expect '.share.owner.handle == "ana" and .share.offeredTo.handle == "bob"' bob share show "$work/bob/Trip"
  bob share transfer "$work/bob/Trip" --accept
  eventually holds '.share.owner.handle == "bob"' bob share show "$work/bob/Trip"
  eventually holds '.share.me.role == "participant"' ana share show "$work/ana/Trip"
  echo y >"$work/ana/Trip/y"
  settle ana bob
  same_contents "$work/ana/Trip" "$work/bob/Trip" 2
  bob share set-permission "$work/bob/Trip" ana read-only
}

row L6 'a policy of the owner is refused early, and by everybody'
row_L6() {
  people ana bob
  mkdir "$work/ana/Trip"
  ana share create "$work/ana/Trip" >/dev/null
  ana share policy "$work/ana/Trip" --access named --permission read-only
  refute ana share set-public "$work/ana/Trip" read-only --yes
  refute ana share invite "$work/ana/Trip" bob --permission read-write
  ana share invite "$work/ana/Trip" bob --permission read-only >/dev/null
}

row L7 'a revoked device writes and reads nothing from there on'
row_L7() {
  sharing read-write bob
  second_device ana ana2
  eventually holds '.mounts | length == 1' ana2 status
  local device
  device=$(value '.account.device' ana2 status)
  ana device revoke "$device"
  echo later >"$work/bob/Trip/later"
  settle bob ana
  reads "$work/ana/Trip/later" later || fail "the others go on"
  as ana2 wait --timeout 2 || true
  refute grep -rqF later "$work/ana2" --include=later
}
