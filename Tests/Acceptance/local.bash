# Rows 71 to 83: local stores and history. Sourced by `run`.

# How many records of that name a person's store has.
named() { # WHO SCOPE NAME
  sql "$1" "$2" "SELECT count(*) FROM record WHERE CAST(name AS TEXT) = '$3'"
}

# Asks one of a person's index files, which a daemon may have open.
sql() { # WHO SCOPE STATEMENT
  sqlite3 -readonly "$work/$1/home/index/$2.sqlite" "$3"
}

row 71 'three stores with one schema; a deleted one is rebuilt and leaves the others alone'
row_71() {
  sharing read-write bob
  echo x >"$work/ana/Trip/x"
  mkdir "$work/bob/Own"
  echo own >"$work/bob/Own/own"
  bob add "$work/bob/Own"
  settle ana bob
  same "schema of shared" "$(sql bob private .schema)" "$(sql bob shared .schema)"
  same "schema of public" "$(sql bob private .schema)" "$(sql bob public .schema)"
  bob stop
  local private objects
  private=$(sql bob private 'SELECT hex(id), changed FROM record ORDER BY id')
  objects=$(find "$work/cloud" -type f | sort)
  rm "$work/bob/home/index/"shared.sqlite*
  bob start
  settle bob ana
  same "the private store" "$private" \
    "$(sql bob private 'SELECT hex(id), changed FROM record ORDER BY id')"
  same_tree "$work/ana/Trip" "$work/bob/Trip" 1
  same "objects in the container" "$objects" "$(find "$work/cloud" -type f | sort)"
  no_conflicts "$work/bob"
}

row 72 'what is mine stays in my private store, also when others edit it'
row_72() {
  sharing read-write bob
  echo x >"$work/ana/Trip/x"
  settle ana bob
  echo edited >"$work/bob/Trip/x"
  settle bob ana
  same "in ana's private store" 1 "$(named ana private x)"
  same "in ana's shared store" 0 "$(sql ana shared "SELECT count(*) FROM record")"
}

row 73 'what a participant adds is in their shared store, and in the private one of the owner'
row_73() {
  sharing read-write bob
  echo y >"$work/bob/Trip/y"
  settle bob ana
  same "in bob's shared store" 1 "$(named bob shared y)"
  same "in bob's private store" 0 \
    "$(named bob private y)"
  same "in ana's private store" 1 "$(named ana private y)"
}

row 74 'one daemon carries the private store and the shared one'
row_74() {
  sharing read-write bob
  mkdir "$work/bob/Own"
  bob add "$work/bob/Own"
  echo 1 >"$work/bob/Own/a"
  echo 2 >"$work/bob/Trip/b"
  settle bob ana
  expect '[.mounts[] | [.scope, .files, .phase]] | sort ==
    [["private", 1, "idle"], ["shared", 1, "idle"]]' bob status
  reads "$work/ana/Trip/b" 2 || fail "the shared file must arrive"
}

row 75 'what the index caches is what the container says, and verify compares'
row_75() {
  sharing read-write bob
  mkdir "$work/ana/Trip/d"
  local file before
  for file in {1..30}; do echo "$file" >"$work/ana/Trip/d/$file"; done
  settle ana bob
  bob verify
  before=$(value '.entries' bob ls -r "$work/bob/Trip")
  bob stop
  rm "$work/bob/home/index/"*.sqlite*
  bob start
  bob wait --timeout 60
  same "ids, change tags and authors" "$before" "$(value '.entries' bob ls -r "$work/bob/Trip")"
}

row 76 'every change of everybody is in the log once, in order'
row_76() {
  sharing read-write bob
  echo 1 >"$work/ana/Trip/a"
  settle ana bob
  echo 2 >"$work/bob/Trip/b"
  settle bob ana
  mv "$work/ana/Trip/b" "$work/ana/Trip/c"
  settle ana bob
  rm "$work/bob/Trip/a"
  settle bob ana
  local expected='[["ana", "created", "a"], ["bob", "created", "b"], ["ana", "moved", "c"],
    ["bob", "deleted", "a"]]' who
  for who in ana bob; do
    expect "[.entries[] | .author.handle as \$who | .changes[] | select(.path) |
      [\$who, .what, .path]] == $expected" "$who" log "$work/$who/Trip"
    expect '[.entries[].sequence] | . == [range(1; length + 1)]' "$who" log "$work/$who/Trip"
  done
  expect '[.entries[].changes[].what] == ["created", "moved"]' ana log "$work/ana/Trip/c"
}

row 77 'a daemon killed at any moment applies nothing twice and skips nothing'
row_77() {
  sharing read-write bob
  local round file
  for round in 1 2 3; do
    for file in {1..60}; do echo "$round $file" >"$work/ana/Trip/$round-$file"; done
    cut_power ana
    ana start
    for file in {1..60}; do echo "$round $file" >"$work/bob/Trip/b$round-$file"; done
    cut_power bob
    bob start
  done
  settle ana bob
  same_tree "$work/ana/Trip" "$work/bob/Trip" 360
  same "names" 360 "$(listing "$work/ana/Trip" | wc -l)"
  no_conflicts "$work/ana/Trip" "$work/bob/Trip"
}

row 78 'what came from others is not sent back'
row_78() {
  sharing read-write bob
  local before file
  settle ana bob
  for file in {1..50}; do echo "$file" >"$work/ana/Trip/$file"; done
  ana wait --timeout 60
  before=$(value '.mounts[0].sequence' ana status)
  settle ana bob
  same "entries of the log" "$before" "$(value '.mounts[0].sequence' ana status)"
  event_came bob import.end || fail "bob must have received it"
  refute event_came bob export.begin
}

row 79 'traffic in the shared store does not concern the private one'
row_79() {
  sharing read-write bob
  mkdir "$work/bob/Own"
  bob add "$work/bob/Own"
  settle ana bob
  local last zone
  last=$(events_of bob | jq -s '.[-1].number')
  zone=$(zone_of bob "$work/bob/Own")
  echo x >"$work/ana/Trip/x"
  settle ana bob
  same "events of the private folder" 0 \
    "$(bob events --json --since "$last" | jq -s --arg zone "$zone" 'map(select(.mount == $zone)) | length')"
  same "events of the shared folder" true \
    "$(bob events --json --since "$last" | jq -s 'any(.[]; .kind == "import.end")')"
}

open 80 'a floor is raised after 1024 entries, and what is below it goes after seven days: FloorTests play it'
open 81 'seven days are not waited for here: FloorTests play it'

row 82 'changes of the share stand in the log too'
row_82() {
  sharing read-only bob
  expect '[.entries[] | .author.handle as $who | .changes[] | select(.what == "share") |
    [$who, .text]] == [["ana", "shared it as “Trip”"], ["ana", "invited bob, read-only"],
    ["bob", "accepted the invitation"]]' ana log "$work/ana/Trip"
  ana share remove "$work/ana/Trip" bob
  expect '[.entries[].changes[].text] | any(. == "removed bob from the share")' \
    ana log "$work/ana/Trip"
}

row 83 'a reader sees a whole old or a whole new file, never a part and never none'
row_83() {
  sharing read-write bob
  head -c 2000000 /dev/zero | tr '\0' a >"$work/a"
  head -c 2000000 /dev/zero | tr '\0' b >"$work/b"
  cp "$work/a" "$work/ana/Trip/f"
  settle ana bob
  local round sum seen=() a b
  a=$(md5sum <"$work/a")
  b=$(md5sum <"$work/b")
  for round in {1..12}; do
    if ((round % 2)); then cp "$work/b" "$work/new"; else cp "$work/a" "$work/new"; fi
    mv "$work/new" "$work/ana/Trip/f"
    for ((look = 0; look < 8; look++)); do
      sum=$(md5sum <"$work/bob/Trip/f")
      [ "$sum" = "$a" ] || [ "$sum" = "$b" ] || fail "bob read what nobody wrote"
      seen+=("$sum")
    done
    settle ana bob
  done
  same "versions that were seen" 2 "$(printf '%s\n' "${seen[@]}" | sort -u | wc -l)"
}
