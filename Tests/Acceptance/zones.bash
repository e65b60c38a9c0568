# Rows 12 to 21: zones. Sourced by `run`.

row 12 'sharing a folder inside of a mirrored one makes a zone of its own for it'
row_12() {
  nested
  local before
  before=$(on_disk)
  ana share create "$work/ana/Docs/sub" >/dev/null
  ana wait --timeout 60
  expect '[.zones[] | [.name, .title]] | sort == [["Docs", null], ["sub", "sub"]]' ana zones
  same "paths, inodes and times" "$before" "$(on_disk)"
}

# Paths, inodes and times of Docs.
on_disk() {
  (cd "$work/ana/Docs" && find . -name .cairn -prune -o -printf '%P %i %T@\n' | sort)
}

# Ana mirrors Docs, with a folder `sub` in it and something beside it.
nested() {
  people ana bob
  mkdir -p "$work/ana/Docs/sub/deep"
  local file
  for file in {1..60}; do echo "$file" >"$work/ana/Docs/sub/deep/$file"; done
  echo private >"$work/ana/Docs/secret"
  ana add "$work/ana/Docs" >/dev/null
  ana wait --timeout 60
}

row 13 'a folder added twice at once is one zone; a zone that there is can be named'
row_13() {
  people ana
  mkdir "$work/ana/x"
  ana start
  local other
  for other in 1 2 3 4; do as ana add "$work/ana/x" & done
  wait
  same "zones named x" 1 "$(value '[.zones[] | select(.name == "x")] | length' ana zones)"
  expect '.mounts | length == 1' ana status
  # Another device's folder is one of its own, whatever its name, unless the zone is named.
  local zone
  zone=$(zone_of ana "$work/ana/x")
  second_device ana ana2
  eventually holds '.mounts | length == 1' ana2 status
  ana2 remove "$work/ana2/x"
  mkdir "$work/ana2/y" "$work/ana2/y/x"
  echo 2 >"$work/ana2/y/x/two"
  echo 1 >"$work/ana/x/one"
  ana wait --timeout 60
  expect ".namesakes == [\"$zone\"]" ana2 add "$work/ana2/y/x"
  ana2 remove "$work/ana2/y/x"
  ana2 add "$work/ana2/y/x" --zone "${zone:0:10}"
  settle ana2 ana
  same_tree "$work/ana/x" "$work/ana2/y/x" 2
  # Two devices at the same moment have two zones, and at least one of them is told of the other's.
  mkdir "$work/ana/same" "$work/ana2/y/same"
  as ana add "$work/ana/same" --json >"$work/first" &
  as ana2 add "$work/ana2/y/same" --json >"$work/second" &
  wait
  eventually holds '[.zones[] | select(.name == "same")] | length == 2' ana zones
  same "that somebody is told" true \
    "$(jq -s '[.[].namesakes | length] | add >= 1' "$work/first" "$work/second")"
}

row 14 'records move to the zone of the share in one step, whatever happens; the disk does not notice'
row_14() {
  nested
  local before round
  # A kill may leave the shared folder itself with the time of its mark.
  before=$(on_disk | grep -v '^sub ')
  for round in 1 2 3; do
    quietly ana share create "$work/ana/Docs/sub" &
    cut_power ana
    wait $! || true
    ana start
    ana wait --timeout 60
    is_there "$work/ana/Docs/sub/deep/60"
  done
  ana share create "$work/ana/Docs/sub" >/dev/null
  ana wait --timeout 60
  same "paths, inodes and times" "$before" "$(on_disk | grep -v '^sub ')"
  same "shares" 1 "$(value '.shares | length' ana share list)"
  # The names of the files stand in one zone of the two only.
  same "zones that hold the file 60" 1 "$(sql ana private \
    "SELECT count(DISTINCT r.zone) FROM record r WHERE CAST(name AS TEXT) = '60'")"
  bob share accept "$(ana share invite "$work/ana/Docs/sub" bob | tail -n 1)" \
    --at "$work/bob/sub" --wait
  same_tree "$work/ana/Docs/sub" "$work/bob/sub" 61
}

row 15 'a participant has the zone under the name and id that its owner has'
row_15() {
  sharing read-write bob
  local what='.zones[] | [.zone, .name, .owner.handle]'
  same "the zone" "$(value "$what" ana zones)" "$(value "$what" bob zones)"
  expect '[.zones[] | [.name, .owner.handle, .scope]] == [["Trip", "ana", "shared"]]' bob zones
}

row 16 'zones of one name by two owners are held apart'
row_16() {
  people ana bob cleo
  local who
  for who in ana bob; do
    mkdir "$work/$who/Same"
    as "$who" share create "$work/$who/Same" >/dev/null
    cleo share accept "$(as "$who" share invite "$work/$who/Same" cleo | tail -n 1)" \
      --at "$work/cleo/of-$who" --wait
    echo "$who" >"$work/$who/Same/file"
  done
  settle ana bob cleo
  expect '[.zones[] | [.name, .owner.handle]] | sort == [["Same", "ana"], ["Same", "bob"]]' \
    cleo zones
  expect '[.zones[].zone] | unique | length == 2' cleo zones
  reads "$work/cleo/of-ana/file" ana && reads "$work/cleo/of-bob/file" bob
}

row 17 'what two people share with a third is two zones, and one list'
row_17() {
  row_16
  expect '.zones | length == 2' cleo zones --scope shared
  expect '.zones | length == 0' cleo zones --scope private
  expect '[.entries[].path | split("/")[-2:] | join("/")] == ["of-ana/file", "of-bob/file"]' \
    cleo ls --scope shared
}

row 18 'what is accepted on one device is on the other one, and goes from both when it ends'
row_18() {
  sharing read-write bob
  second_device bob bob2
  people cleo
  mkdir "$work/ana/Later"
  echo later >"$work/ana/Later/file"
  ana share create "$work/ana/Later" >/dev/null
  # Bob has another device than when she saw him last: she is asked before anything is sealed to it.
  expect_status participantMayNeedVerification ana share invite "$work/ana/Later" bob
  ana user verify bob --acknowledge
  bob share accept "$(ana share invite "$work/ana/Later" bob | tail -n 1)" \
    --at "$work/bob/Later" --wait
  eventually reads "$work/bob2/Later/file" later
  expect '[.shares[].title] == ["Later", "Trip"]' bob2 share list
  ana share stop "$work/ana/Later"
  eventually is_gone "$work/bob/Later/file"
  eventually is_gone "$work/bob2/Later/file"
  expect '[.shares[].title] == ["Trip"]' bob2 share list
  reads "$work/ana/Later/file" later || fail "the owner keeps all"
}

row 19 'a hundred shares are listed in 200 ms (a thousand: Tests/Acceptance/thousand)'
row_19() {
  people ana
  local share
  for share in {1..100}; do
    mkdir "$work/ana/$share"
    ana share create "$work/ana/$share" >/dev/null
  done
  at_most "milliseconds of share list" $((200 * slack)) $(($(answer_time ana share list --json) / 1000))
  expect '.shares | length == 100' ana share list
}

row 20 'of a shared file the other one gets that file, and neither its siblings nor its parent'
row_20() {
  nested
  ana share create "$work/ana/Docs/sub/deep/7" >/dev/null
  bob share accept "$(ana share invite "$work/ana/Docs/sub/deep/7" bob | tail -n 1)" \
    --at "$work/bob/one" --wait
  settle ana bob
  same "what bob has" 7 "$(find "$work/bob/one" -path '*/.cairn' -prune -o -type f -printf '%f\n')"
  same "names that bob's index knows" 7 \
    "$(sql bob shared "SELECT group_concat(CAST(name AS TEXT)) FROM record WHERE type = 'file'")"
  echo edited >"$work/bob/one/7"
  settle bob ana
  reads "$work/ana/Docs/sub/deep/7" edited || fail "the edit must come back"
}

row 21 'what is made below a shared folder later is shared without another command'
row_21() {
  sharing read-write bob
  mkdir -p "$work/ana/Trip/new/deep"
  echo late >"$work/ana/Trip/new/deep/file"
  settle ana bob
  reads "$work/bob/Trip/new/deep/file" late || fail "it must be at bob's"
}
