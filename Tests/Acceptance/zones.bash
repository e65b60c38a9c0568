# Rows 12 to 21: zones. Sourced by `run`.

row 13 'making one folder a mirror twice at once makes one zone'
row_13() {
  people ana
  mkdir "$work/ana/x"
  ana start
  local other
  for other in 1 2 3 4; do as ana add "$work/ana/x" & done
  wait
  same "zones named x" 1 "$(value '[.zones[] | select(.name == "x")] | length' ana zones)"
  expect '.mounts | length == 1' ana status
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

row 21 'what is made below a shared folder later is shared without another command'
row_21() {
  sharing read-write bob
  mkdir -p "$work/ana/Trip/new/deep"
  echo late >"$work/ana/Trip/new/deep/file"
  settle ana bob
  reads "$work/bob/Trip/new/deep/file" late || fail "it must be at bob's"
}
